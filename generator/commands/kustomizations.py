"""Kustomizations as they are written: what each builds on, what its patches merge, and what must not be built."""

# ruff: noqa: PTH110, PTH112, PTH113, PTH116  # os.path takes any name, where pathlib raises for one that is too long

from __future__ import annotations

import os
import re
import stat
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from typing import Any

from generator.commands.files import Reader
from generator.commands.patched import Identity, Patch, identity, inline, roots
from generator.finding import Finding, Layer, Location, error
from generator.frozen import dataclass, field
from generator.pattern import pattern
from generator.source import Map, Seq, at, parse
from generator.source.nodes import Place

NAMES = ("kustomization.yaml", "kustomization.yml", "Kustomization")
_BUILT_ON = ("resources", "bases", "components")
_LOADED = (*_BUILT_ON, "crds", "configurations", "generators", "transformers", "validators", "patchesStrategicMerge")
_GENERATORS = ("configMapGenerator", "secretGenerator")
_OF_HELM = ("helmCharts", "helmChartInflationGenerator")
# source: kustomize api/internal/git/repospec.go and api/internal/loader/fileloader.go
_REMOTE = pattern(r"[a-z][a-z0-9+.-]*://|git::|[\w.-]+@[\w.-]+:|(?:github|gitlab)\.com/|.*[?&]ref=", re.IGNORECASE)
_NAME = pattern(r"[a-z0-9.:-]*")  # else a selector's name is a regular expression


@dataclass(eq=False)
class Kustomization:
    """One folder's kustomization; `root` is empty where the file is no YAML, which the build will tell."""

    folder: str
    file: str
    root: Map
    lines: Sequence[str]
    _reader: Reader = field(repr=False)

    @cached_property
    def references(self) -> list[str]:
        """The real paths of the local files and folders that it builds on."""
        return [path for _, path in self._local(_BUILT_ON)]

    @property
    def is_component(self) -> bool:
        return self.root.get("kind") == "Component"

    @cached_property
    def patches(self) -> list[Patch]:
        """The patches that it applies, in order, as far as they can be read."""
        return list(self._patches())

    def obstacles(self) -> Iterator[Finding]:
        """Yield why it is not to be built: it would fetch something, run helm, or wait for a pipe."""
        for key in _OF_HELM:
            if key in self.root:
                yield _of_helm(self.folder, key, at(self.root, key))
        for place, item in (*self._named(_LOADED), *self._paths(), *self._generated()):
            path = f"{self.folder}/{item}"
            if not os.path.lexists(path):
                if _REMOTE.match(item):
                    yield _remote(item, place)
            elif not _is_plain(path):
                message = f"{item} is a pipe, socket or device, or a link to itself: nothing is built"
                yield error("not-a-file", message, place, "remove it")

    def _local(self, keys: Sequence[str]) -> Iterator[tuple[Location, str]]:
        for place, item in self._named(keys):
            path = f"{self.folder}/{item}"
            if os.path.exists(path):
                yield place, os.path.realpath(path)

    def _named(self, keys: Sequence[str]) -> Iterator[tuple[Location, str]]:
        for key in keys:
            items = self.root.get(key)
            for index, item in enumerate(items if isinstance(items, Seq) else ()):
                if _is_path(item):
                    yield at(items, index), item

    def _paths(self) -> Iterator[tuple[Location, str]]:
        if path := _text(openapi := self.root.get("openapi"), "path"):
            yield at(openapi), path
        for key in ("patches", "patchesJson6902", "replacements"):
            for item in _maps(self.root.get(key)):
                if _is_path(path := _text(item, "path")):
                    yield at(item), path

    def _generated(self) -> Iterator[tuple[Location, str]]:
        """Yield what generators read: files as PATH or KEY=PATH, and files of variables."""
        for item in (each for key in _GENERATORS for each in _maps(self.root.get(key))):
            for key in ("files", "envs"):
                files = item.get(key)
                for index, file in enumerate(files if isinstance(files, Seq) else ()):
                    if _is_path(file):
                        yield at(files, index), file.split("=", 1)[-1] if key == "files" else file
            if file := _text(item, "env"):
                yield at(item, "env"), file

    def _patches(self) -> Iterator[Patch]:
        if isinstance(items := self.root.get("patchesStrategicMerge"), Seq):
            for patch, place in zip(items, items.items_at, strict=True):
                if isinstance(patch, str):
                    yield from self._read(patch, place, None)
        for item in (*_maps(self.root.get("patches")), *_maps(self.root.get("patchesJson6902"))):
            target = item.get("target")
            for key in ("patch", "path"):
                if isinstance(patch := item.get(key), str) and patch:
                    yield from self._read(patch, item.values_at[key], target if isinstance(target, Map) else None)
                    break

    def _read(self, patch: str, place: Place, target: Map | None) -> Iterator[Patch]:
        path = f"{self.folder}/{patch}"
        if "\n" not in patch and os.path.isfile(path):
            found = roots(self._reader.bytes_of(path) or b"", self._reader.shown(path))
        else:
            found = inline(patch, self.file, place, self.lines)
        for root in found:
            if target is not None:
                yield Patch(_targeted(target), root)
            elif isinstance(root, Map):
                yield Patch(identity(root), root)


def read(folder: str, reader: Reader) -> Kustomization | None:
    """Return the kustomization of a folder, or None: it has none that can be read."""
    for name in NAMES:
        path = f"{folder}/{name}"
        if os.path.lexists(path) and (data := reader.bytes_of(path)) is not None:
            documents, _ = parse(data, reader.shown(path))
            root = documents[0].root if documents else Map(reader.shown(path), 1, 1)
            return Kustomization(folder, reader.shown(path), root, data.decode(errors="replace").split("\n"), reader)
    return None


def outermost(found: Iterable[Kustomization], reader: Reader) -> list[Kustomization]:
    """Return the kustomizations on which no other of them builds; of those that form a ring, the first."""
    by_path = {os.path.realpath(each.folder): each for each in found}
    used = {path for each in by_path.values() for path in each.references}
    chosen = [each for path, each in by_path.items() if path not in used]
    reached = {os.path.realpath(each.folder) for one in chosen for each in closure(one, reader)}
    for path, each in by_path.items():
        if path not in reached:
            chosen.append(each)
            reached |= {os.path.realpath(other.folder) for other in closure(each, reader)}
    return chosen


def closure(root: Kustomization, reader: Reader) -> list[Kustomization]:
    """Return a kustomization and all that it builds on, each once."""
    found = {os.path.realpath(root.folder): root}
    todo = [root]
    while todo:
        for path in todo.pop().references:
            if path not in found and os.path.isdir(path) and (below := read(path, reader)):
                found[path] = below
                todo.append(below)
    return list(found.values())


def _remote(item: str, place: Location) -> Finding:
    message = f"{item} lies elsewhere, and nothing is fetched: what is built on it is not judged"
    fix = "copy it into the repository: Argo CD would also fetch whatever stands there at the time"
    return error("remote-base", message, place, fix, layer=Layer.REFERENCE)


def _of_helm(folder: str, key: str, place: Location) -> Finding:
    message = f"{folder} cannot be built: {key} asks for helm, which fetches charts and is not run"
    fix = "lint what kustomize build --enable-helm prints, as lint -"
    return error("not-built", message, place, fix, layer=Layer.REFERENCE)


def _targeted(target: Map) -> Identity:
    """Return whom a target means: a name that is a regular expression is any, and so are labels."""
    names = [_text(target, key) for key in ("namespace", "name")]
    return Identity(_text(target, "group"), _text(target, "kind"), *(n if _NAME.fullmatch(n) else "" for n in names))


def _is_path(item: Any) -> bool:
    """Tell whether an item may be a path: a patch may also be written out in its place."""
    return isinstance(item, str) and item != "" and not ("\n" in item or "\0" in item)


def _maps(items: Any) -> list[Map]:
    return [item for item in items if isinstance(item, Map)] if isinstance(items, Seq) else []


def _text(node: Any, key: str) -> str:
    found = node.get(key) if isinstance(node, Map) else None
    return found if isinstance(found, str) else ""


def _is_plain(path: str) -> bool:
    try:
        mode = os.stat(path).st_mode
    except OSError:
        return False
    return stat.S_ISREG(mode) or stat.S_ISDIR(mode)
