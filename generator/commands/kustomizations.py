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
from generator.finding import Finding, Layer, Location, error
from generator.frozen import dataclass, field
from generator.pattern import pattern
from generator.source import Map, Seq, at, parse

NAMES = ("kustomization.yaml", "kustomization.yml", "Kustomization")
_BUILT_ON = ("resources", "bases", "components")
_LOADED = (*_BUILT_ON, "crds", "configurations", "generators", "transformers", "validators", "patchesStrategicMerge")
# source: kustomize api/internal/git/repospec.go and api/internal/loader/fileloader.go
_REMOTE = pattern(r"[a-z][a-z0-9+.-]*://|git::|[\w.-]+@[\w.-]+:|(?:github|gitlab)\.com/|.*[?&]ref=", re.IGNORECASE)
_NAME = pattern(r"[a-z0-9.:-]*")  # else a selector's name is a regular expression
_Identity = tuple[str, str]


@dataclass(eq=False)
class Kustomization:
    """One folder's kustomization; `root` is empty where the file is no YAML, which the build will tell."""

    folder: str
    file: str
    root: Map
    _reader: Reader = field(repr=False)

    @cached_property
    def references(self) -> list[str]:
        """The real paths of the local files and folders that it builds on."""
        return [path for _, path in self._local(_BUILT_ON)]

    @property
    def is_component(self) -> bool:
        return self.root.get("kind") == "Component"

    @cached_property
    def merged(self) -> frozenset[_Identity]:
        """Kind and name of what merge patches change; a kind or name "" stands for any."""
        return frozenset(self._merged())

    def obstacles(self) -> Iterator[Finding]:
        """Yield why it is not to be built: it would fetch something, or wait for a pipe."""
        for place, item in (*self._named(_LOADED), *self._patches()):
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

    def _patches(self) -> Iterator[tuple[Location, str]]:
        for key in ("patches", "patchesJson6902", "replacements"):
            for item in _maps(self.root.get(key)):
                if _is_path(path := _text(item, "path")):
                    yield at(item), path

    def _merged(self) -> Iterator[_Identity]:
        items = self.root.get("patchesStrategicMerge")
        for patch in items if isinstance(items, Seq) else ():
            if isinstance(patch, str):
                yield from self._patched(patch, None)
        for item in _maps(self.root.get("patches")):
            target = item.get("target")
            if isinstance(patch := item.get("patch") or item.get("path"), str):
                yield from self._patched(patch, target if isinstance(target, Map) else None)

    def _patched(self, patch: str, target: Map | None) -> Iterator[_Identity]:
        """Yield what one patch changes, if it is a merge patch: a JSON 6902 patch is a list, and means what it does."""
        path = f"{self.folder}/{patch}"
        text = self._reader.bytes_of(path) if os.path.isfile(path) else patch.encode()
        for document in parse(text or b"", self.file)[0]:
            if target is None:
                yield _text(document.root, "kind"), _text(document.root.get("metadata"), "name")
            else:
                name = _text(target, "name")
                yield _text(target, "kind"), name if _NAME.fullmatch(name) else ""


def read(folder: str, reader: Reader) -> Kustomization | None:
    """Return the kustomization of a folder, or None: it has none that can be read."""
    for name in NAMES:
        path = f"{folder}/{name}"
        if os.path.lexists(path) and (data := reader.bytes_of(path)) is not None:
            documents, _ = parse(data, reader.shown(path))
            root = documents[0].root if documents else Map(reader.shown(path), 1, 1)
            return Kustomization(folder, reader.shown(path), root, reader)
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
