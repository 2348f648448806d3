"""Kubernetes manifests of anywhere → objects with positions: files, folders, Kustomize trees, dumps, standard input."""

# ruff: noqa: PTH100, PTH112, PTH113, PTH114, PTH116, PTH119, PTH120, PTH208  # os.path takes any name, where pathlib raises for one that is too long

from __future__ import annotations

import os
import stat
import sys
from collections.abc import Iterator

from generator.commands import kustomizations
from generator.commands.builds import Builds
from generator.commands.documents import MAX_BYTES, no_manifest, read_text, template
from generator.commands.files import Reader
from generator.finding import FatalError, Finding, Layer, Location, Severity
from generator.frozen import dataclass, field
from generator.manifest import Manifest
from generator.validate.argo_folders import folder_of
from generator.validate.shape import get, mappings

STDIN = "-"
_SUFFIXES = (".yaml", ".yml", ".json")
_TEMPLATE_SUFFIXES = (".j2", ".tpl", ".gotmpl", ".jinja", ".jinja2")
_CHART, _TEMPLATES = "Chart.yaml", "templates"
_OF_CHART = "the templates of a Helm chart are no manifests"


@dataclass(slots=True)
class Manifests:
    """What was read of one PATH: one cluster.

    `folders` maps what Argo CD would apply, by path from the Git root. `bases` are objects before merge patches.
    `unread` names, as KIND/NAME, objects that exist and could not be read to their end.
    """

    objects: list[Manifest] = field(default_factory=list)
    findings: list[Finding] = field(default_factory=list)
    folders: dict[str, list[Manifest]] = field(default_factory=dict)
    bases: list[Manifest] = field(default_factory=list)
    unread: list[str] = field(default_factory=list)


def read(path: str) -> Manifests:
    """Read a file, a folder or (`-`) standard input; a folder with a kustomization is built.

    Raises:
        FatalError: there is no such file or folder, or it cannot be read.
    """
    if path == STDIN:
        text = read_text(_stdin(), "<stdin>")
        return Manifests(text.objects, text.findings, unread=text.unread)
    try:
        mode = os.stat(path).st_mode
        if not os.access(path, os.R_OK):
            raise PermissionError(0, "Permission denied")
    except (OSError, ValueError) as problem:
        why = problem.strerror if isinstance(problem, OSError) else str(problem)
        raise FatalError(f"cannot read {path}: {why}", "name a file or a folder that exists") from None
    if stat.S_ISREG(mode) or stat.S_ISDIR(mode):
        if _in_chart(path):
            return Manifests(findings=[template(Location(Reader.shown(path)), _OF_CHART)])
        return _Tree(path).read() if stat.S_ISDIR(mode) else _of_file(path)
    raise FatalError(f"{path} is neither a file nor a folder", f"pipe it in, with {STDIN} in its place")


def _in_chart(path: str) -> bool:
    """Tell whether a path leads into the templates of a Helm chart, or to them."""
    place = os.path.abspath(path)
    while place != (above := os.path.dirname(place)):
        if os.path.basename(place) == _TEMPLATES and os.path.isfile(f"{above}/{_CHART}"):
            return True
        place = above
    return False


def _of_file(path: str) -> Manifests:
    reader = Reader()
    if os.path.basename(path) in kustomizations.NAMES:
        why, fix = "a kustomization is built with its folder", "name its folder to have it built and judged"
        return Manifests(findings=[no_manifest(Location(Reader.shown(path)), why, fix)])
    return Manifests(reader.objects(path, named=True), reader.findings, unread=reader.unread)


def _stdin() -> bytes:
    try:
        if sys.stdin is not None:  # as it is where a shell says <&-
            return sys.stdin.buffer.read(MAX_BYTES + 1)
        why = "it is closed"
    except OSError as problem:
        why = str(problem.strerror)
    raise FatalError(f"cannot read standard input: {why}", "pipe manifests into it, or name a file")


class _Tree:
    """One folder with all that is below it."""

    def __init__(self, root: str) -> None:
        self._root = root
        self._reader = Reader()
        self._builds = Builds(self._reader)
        self._notes: list[Finding] = []

    def read(self) -> Manifests:
        objects, bases = self._below(self._root)
        folders = self._applied(objects)
        return Manifests(objects, self._reader.findings + self._notes, folders, bases, self._reader.unread)

    def _below(self, folder: str) -> tuple[list[Manifest], list[Manifest]]:
        """Return objects and bases of a folder: what its outermost kustomizations make, and all other files."""
        files, built_here = self._walk(folder)
        objects: list[Manifest] = []
        bases: list[Manifest] = []
        found = [each for path in built_here if (each := kustomizations.read(path, self._reader))]
        for root in kustomizations.outermost(found, self._reader):
            if not root.is_component:
                objects += self._builds.build(root)
                bases += self._builds.bases(root)
        below = tuple(f"{each.folder}/" for each in found)
        for file in files:
            if not file.startswith(below):
                objects += self._reader.objects(file)
        return objects, bases

    def _walk(self, root: str) -> tuple[list[str], list[str]]:
        """Return files of manifests, and folders with a kustomization; no link to a folder is followed."""
        files: list[str] = []
        built: list[str] = []
        for folder, folders, names in os.walk(root, onerror=self._reader.unreadable_folder):
            folders[:] = sorted(name for name in folders if not name.startswith("."))
            self._notes += self._links(folder, folders)
            if _CHART in names and _TEMPLATES in folders:
                folders.remove(_TEMPLATES)
                self._notes.append(self._template(f"{folder}/{_TEMPLATES}", _OF_CHART))
            if any(name in kustomizations.NAMES for name in names):
                built.append(folder)
            files += [f"{folder}/{name}" for name in sorted(names) if _is_manifest(name)]
            for name in sorted(names):
                if name.endswith(_TEMPLATE_SUFFIXES):
                    self._notes.append(self._template(f"{folder}/{name}", "a template is no manifest"))
        return files, built

    def _template(self, path: str, message: str) -> Finding:
        return template(Location(self._reader.shown(path)), message)

    def _links(self, folder: str, names: list[str]) -> Iterator[Finding]:
        for name in names:
            if os.path.islink(path := f"{folder}/{name}"):
                place = Location(self._reader.shown(path))
                message = "this link to a folder is not followed"
                yield Finding("link-skipped", Severity.INFO, Layer.INPUT, message, place, "name what it leads to")

    def _applied(self, objects: list[Manifest]) -> dict[str, list[Manifest]]:
        """Return the folders that Applications point at: below PATH, or below its Git root."""
        found: dict[str, list[Manifest]] = {}
        by_folder: dict[tuple[str, bool], list[Manifest]] = {}
        for path, recurse in dict.fromkeys(_sources(objects)):
            for start in (self._root, _git_root(self._root)):
                if start is not None and (folder := _inside(start, path)) is not None:
                    key = (folder, recurse)
                    if key not in by_folder:
                        by_folder[key] = self._below(folder)[0] if recurse else self._directly(folder)
                    found[path] = by_folder[key]
                    break
        return found

    def _directly(self, folder: str) -> list[Manifest]:
        """Return what Argo CD makes of a folder: what its kustomization builds, or the files in it and not below."""
        if (root := kustomizations.read(folder, self._reader)) is not None:
            return self._builds.build(root)
        names = sorted(os.listdir(folder))
        return [m for name in names if _is_manifest(name) for m in self._reader.objects(f"{folder}/{name}")]


def _is_manifest(name: str) -> bool:
    return name.endswith(_SUFFIXES) and not name.startswith(".") and name not in (*kustomizations.NAMES, _CHART)


def _sources(objects: list[Manifest]) -> Iterator[tuple[str, bool]]:
    """Yield path and recursion of every Application's sources."""
    for manifest in objects:
        if manifest.body.get("kind") == "Application":
            spec = manifest.body.get("spec")
            for source in (get(spec, "source"), *(each for _, each in mappings(spec, "sources"))):
                if isinstance(path := get(source, "path"), str):
                    if get(source, "plugin") is not None:
                        path = folder_of(source)
                    yield path, get(source, "directory", "recurse") is True


def _inside(start: str, path: str) -> str | None:
    """Return the real folder at a path that a manifest names: one that leads out of `start` is not for us to read."""
    if "\0" in path:
        return None
    home = os.path.realpath(start)
    folder = os.path.realpath(f"{home}/{path}")
    inside = folder == home or folder.startswith(home.rstrip("/") + "/")
    return folder if inside and os.path.isdir(folder) else None


def _git_root(folder: str) -> str | None:
    place = os.path.realpath(folder)
    while not os.path.lexists(f"{place}/.git"):
        if place == (above := os.path.dirname(place)):
            return None
        place = above
    return place
