"""Kustomizations built with kubectl or kustomize, offline; each object is placed where it is written."""

# ruff: noqa: PTH100, PTH112, PTH113, PTH119, PTH120  # os.path takes any name, where pathlib raises for one that is too long

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Iterable, Sequence
from typing import Any

from generator.commands import kustomizations
from generator.commands.documents import MAX_BYTES, built_text, plain
from generator.commands.files import Reader
from generator.commands.kustomizations import Kustomization
from generator.commands.patched import Identity, Patch, identity, origins
from generator.finding import Finding, Layer, Location, error
from generator.manifest import Manifest
from generator.source import Map, Seq

SECONDS = 60
_LONGEST = 600  # of what a build says, which may repeat whole objects
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
            if merged := [patch.target for patch in each.patches if patch.merges]:
                found += (m for path in each.references for m in self._before(path) if _is_merged(m, merged))
        return found

    def _before(self, path: str) -> list[Manifest]:
        if not os.path.isdir(path):
            return self._reader.sources(path)
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
        objects, findings = built_text(output, root.file)
        self._reader.findings += findings
        files = dict.fromkeys(path for part in parts for path in part.references if os.path.isfile(path))
        sources = _Sources(manifest for path in files for manifest in self._reader.sources(path))
        patches = [patch for part in reversed(parts) for patch in part.patches]
        return [_placed(built, sources.of(identity(built.body)), patches, root) for built in objects]


class _Sources:
    """The objects of the files that are built on; of two that are one to kustomize, the first."""

    def __init__(self, manifests: Iterable[Manifest]) -> None:
        self._found: dict[tuple[str, str, str], dict[str, Manifest]] = {}
        for manifest in manifests:
            group, kind, namespace, name = identity(manifest.body)
            self._found.setdefault((group, kind, name), {}).setdefault(namespace, manifest)

    def of(self, built: Identity) -> Manifest | None:
        """Return what an object was built from, if that is certain; a prefix or suffix may have given it its name."""
        group, kind, namespace, name = built
        for size in range(len(name), 0, -1):
            for part in dict.fromkeys((name[-size:], name[:size])):
                found = self._found.get((group, kind, part), {})
                if namespace in found or len(found) == 1:  # another namespace is what the build gave it
                    return found[namespace] if namespace in found else next(iter(found.values()))
        return None


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
    return (
        _why(done.stderr.decode(errors="replace"))
        or f"{os.path.basename(command[0])} ends with status {done.returncode}"
    )


def _why(said: str) -> str:
    """Return the error among what a build says: it may have several lines, and warnings before it."""
    lines = said.strip().splitlines()
    first = next((n for n, line in enumerate(lines) if line.lower().startswith("error:")), len(lines) - 1)
    why = " ".join(" ".join(lines[max(first, 0) :]).split()).removeprefix("error: ").removeprefix("Error: ")
    return why if len(why) <= _LONGEST else f"{why[:_LONGEST]}…"


def _tool() -> Sequence[str] | None:
    """Return how to build with the kubectl or kustomize beside our interpreter, or else on PATH."""
    path = os.pathsep.join((os.path.dirname(sys.executable), os.environ.get("PATH", os.defpath)))
    for name, action in (("kubectl", "kustomize"), ("kustomize", "build")):
        if program := shutil.which(name, path=path):
            return program, action
    return None


def _is_merged(manifest: Manifest, merged: Iterable[Identity]) -> bool:
    of = identity(manifest.body)
    return any(target.covers(of) for target in merged)


def _placed(built: Manifest, source: Manifest | None, patches: Iterable[Patch], root: Kustomization) -> Manifest:
    """Return a built object with the positions of the text that it comes from: of what was built nobody has a text."""
    if source is None:
        return Manifest(plain(built.body), Location(root.file))
    names = (identity(built.body), identity(source.body))
    mine = [patch for patch in patches if any(map(patch.target.covers, names))]
    assert isinstance(built.body, Map)
    assert isinstance(source.body, Map)
    changed = origins(built.body, source.body, mine)
    return Manifest(_at_home(built.body, source.body), source.origin, changed)


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
