"""Kustomizations built with kubectl or kustomize, offline; each object is placed where it is written."""

# ruff: noqa: PTH100, PTH112, PTH113, PTH119, PTH120  # os.path takes any name, where pathlib raises for one that is too long

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from generator.commands import kustomizations
from generator.commands.documents import MAX_BYTES, plain, read_text
from generator.commands.files import Reader
from generator.commands.kustomizations import Kustomization
from generator.finding import Finding, Layer, Location, error
from generator.manifest import Manifest
from generator.source import Map, Seq

SECONDS = 60
_KIB = 4 * 2**20  # of address space: Go takes one of its own accord
_LIMITED = ("/bin/sh", "-c", f'ulimit -v {_KIB} 2>/dev/null; exec "$0" "$@"')
# What a kustomization names is a stranger's. That it is fetched is refused before; this is for what we do not foresee.
_NOWHERE = "http://127.0.0.1:1"
_OFFLINE = {
    **{name: _NOWHERE for proxy in ("http_proxy", "https_proxy") for name in (proxy, proxy.upper())},
    **dict.fromkeys(("no_proxy", "NO_PROXY"), ""),
    "GIT_ALLOW_PROTOCOL": "none",
    "GIT_TERMINAL_PROMPT": "0",
}


class Builds:
    """Builds the kustomizations of one PATH, each once; what goes wrong is told to the reader."""

    def __init__(self, reader: Reader) -> None:
        self._reader = reader
        self._built: dict[str, list[Manifest]] = {}

    def build(self, root: Kustomization) -> list[Manifest]:
        """Return the objects that a kustomization makes: none, and a finding, where it cannot be built."""
        key = os.path.realpath(root.folder)
        if key not in self._built:
            self._built[key] = self._build(root)
        return self._built[key]

    def bases(self, root: Kustomization) -> list[Manifest]:
        """Return what merge patches changed, as it was before."""
        found: list[Manifest] = []
        for each in kustomizations.closure(root, self._reader):
            if each.merged:
                found += (m for path in each.references for m in self._before(path) if _is_merged(m, each.merged))
        return found

    def _before(self, path: str) -> list[Manifest]:
        if not os.path.isdir(path):
            return self._reader.objects(path, named=True)
        below = kustomizations.read(path, self._reader)
        return self.build(below) if below and not below.is_component else []

    def _build(self, root: Kustomization) -> list[Manifest]:
        parts = kustomizations.closure(root, self._reader)
        obstacles = [finding for part in parts for finding in part.obstacles()]
        if obstacles:
            self._reader.findings += obstacles
            return []
        output = _output(root.folder)
        if isinstance(output, str):
            self._reader.findings.append(_not_built(root, output))
            return []
        objects, findings = read_text(output, root.file)
        self._reader.findings += findings
        sources = self._sources(parts)
        return [_placed(built, sources, root) for built in objects]

    def _sources(self, parts: Iterable[Kustomization]) -> dict[tuple[str, str], Manifest]:
        """Return the objects of the files that are built on, by kind and name; of two, the first."""
        files = dict.fromkeys(path for part in parts for path in part.references if os.path.isfile(path))
        found = [manifest for path in files for manifest in self._reader.objects(path, named=True)]
        return {_identity(manifest.body): manifest for manifest in reversed(found)}


def _not_built(root: Kustomization, why: str) -> Finding:
    message = f"{root.folder} cannot be built: {why}"
    return error("not-built", message, Location(root.file), "correct the kustomization", layer=Layer.REFERENCE)


def _output(folder: str) -> bytes | str:
    """Return what the build prints, or why there is nothing."""
    command = _tool()
    if command is None:
        return "there is neither kubectl nor kustomize; install one of them"
    try:
        done = subprocess.run(  # noqa: S603 - a fixed program
            [*_LIMITED, *command, os.path.abspath(folder)],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=SECONDS,
            check=False,
            env={**os.environ, **_OFFLINE},
        )
    except subprocess.TimeoutExpired:
        return f"it takes more than {SECONDS} seconds"
    except OSError as problem:
        return f"{command[0]} cannot be started: {problem.strerror}"
    if not done.returncode:
        return done.stdout[: MAX_BYTES + 1]
    said = done.stderr.decode(errors="replace").strip().splitlines()
    return said[-1] if said else f"{os.path.basename(command[0])} ends with status {done.returncode}"


def _tool() -> Sequence[str] | None:
    """Return how to build with the kubectl or kustomize beside our interpreter, or else on PATH."""
    path = os.pathsep.join((os.path.dirname(sys.executable), os.environ.get("PATH", os.defpath)))
    for name, action in (("kubectl", "kustomize"), ("kustomize", "build")):
        if program := shutil.which(name, path=path):
            return program, action
    return None


def _identity(body: Mapping[str, Any]) -> tuple[str, str]:
    metadata = body.get("metadata")
    return str(body.get("kind")), str(metadata.get("name")) if isinstance(metadata, Mapping) else ""


def _is_merged(manifest: Manifest, merged: Iterable[tuple[str, str]]) -> bool:
    kind, name = _identity(manifest.body)
    return any(of in ("", kind) and called in ("", name) for of, called in merged)


def _placed(built: Manifest, sources: Mapping[tuple[str, str], Manifest], root: Kustomization) -> Manifest:
    """Return a built object with the positions of the text that it comes from: of what was built nobody has a text."""
    kind, name = _identity(built.body)
    source = sources.get((kind, name)) or _renamed(kind, name, sources)
    if source is None:
        return Manifest(plain(built.body), Location(root.file))
    return Manifest(_at_home(built.body, source.body), source.origin)


def _renamed(kind: str, name: str, sources: Mapping[tuple[str, str], Manifest]) -> Manifest | None:
    """Return the object that a prefix or suffix gave its name: the one with the longest name."""
    parts = [n for k, n in sources if k == kind and n and (name.endswith(n) or name.startswith(n))]
    return sources[kind, max(parts, key=len)] if parts else None


def _at_home(built: Any, source: Any) -> Any:
    """Return built data that stands where the same of the source does; what is new, where its parent does."""
    if isinstance(built, Map) and isinstance(source, Map):
        placed = Map(source.file, source.line, source.column)
        here = (source.line, source.column)
        for key, value in built.items():
            placed[key] = _at_home(value, source.get(key))
            placed.keys_at[key] = source.keys_at.get(key, here)
            placed.values_at[key] = source.values_at.get(key, here)
        return placed
    if isinstance(built, Seq) and isinstance(source, Seq):
        items = Seq(source.file, source.line, source.column)
        for index, value in enumerate(built):
            items.append(_at_home(value, source[index] if index < len(source) else None))
            items.items_at.append(source.items_at[index] if index < len(source) else (source.line, source.column))
        return items
    return plain(built)
