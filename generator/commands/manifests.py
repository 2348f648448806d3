"""Kubernetes manifests of anywhere → objects with positions: files, folders, Kustomize trees, dumps, standard input."""

from __future__ import annotations

import os
import shutil
import stat
import subprocess
import sys
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from generator.finding import FatalError, Finding, Layer, Location, Severity, error
from generator.manifest import Manifest
from generator.source import Map, Seq, at, parse

STDIN = "-"
KUSTOMIZATIONS = ("kustomization.yaml", "kustomization.yml", "Kustomization")
MAX_BYTES = 64 * 2**20  # of one file: a dump of a large cluster is some 20 MB
BUILD_SECONDS = 120
_SUFFIXES = (".yaml", ".yml", ".json")
_TEMPLATES = (".j2", ".tpl", ".gotmpl", ".jinja", ".jinja2")


@dataclass(slots=True)
class Manifests:
    """What was read of one PATH: one cluster. `folders` maps what Argo CD would apply, by path from the Git root."""

    objects: list[Manifest] = field(default_factory=list)
    findings: list[Finding] = field(default_factory=list)
    folders: dict[str, list[Manifest]] = field(default_factory=dict)
    bases: list[Manifest] = field(default_factory=list)  # what kustomizations stand on, as it builds


def read(path: str) -> Manifests:
    """Read a file, a folder or (`-`) standard input; a folder with a kustomization is built.

    Raises:
        FatalError: there is no such file or folder, or it cannot be read.
    """
    found = Manifests()
    if path == STDIN:
        _parse(sys.stdin.buffer.read(MAX_BYTES + 1), "<stdin>", found)
        return found
    target = Path(path)
    try:
        mode = target.stat().st_mode
    except OSError as problem:
        raise FatalError(f"cannot read {path}: {problem.strerror}", "name a file or a folder that exists") from None
    if stat.S_ISDIR(mode):
        _folder(target, found)
        _applications(target, found)
    elif stat.S_ISREG(mode):
        _file(target, path, found)
    else:
        raise FatalError(f"{path} is neither a file nor a folder", "pipe it: apportion lint -")
    return found


def _folder(root: Path, found: Manifests) -> None:
    files, builds, charts = _walk(root, found)
    for build in _outermost(builds):
        found.objects += _built(build, found.findings)
        for base in sorted(set(_references(build))):
            if Path(base).is_dir():
                found.bases += _built(base, [])
    below = [f"{build}/" for build in (*builds, *charts)]
    for file in files:
        if not any(file.startswith(prefix) for prefix in below):
            _file(Path(file), file, found)


def _walk(root: Path, found: Manifests) -> tuple[list[str], list[str], list[str]]:
    """Return files of manifests, folders with a kustomization, and folders of chart templates; no link is followed."""
    files: list[str] = []
    builds: list[str] = []
    charts: list[str] = []
    for folder, folders, names in os.walk(root, onerror=lambda problem: _unreadable(problem, found)):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        if any(name in KUSTOMIZATIONS for name in names):
            builds.append(folder)
        if "Chart.yaml" in names:
            charts.append(f"{folder}/templates")
            message = "a Helm chart's templates are no manifests"
            found.findings.append(_note("template-skipped", message, folder, "lint what helm template prints"))
        files += [f"{folder}/{name}" for name in sorted(names) if _is_manifest(name)]
        for name in sorted(names):
            if name.endswith(_TEMPLATES):
                message = "a template is no manifest"
                found.findings.append(_note("template-skipped", message, f"{folder}/{name}", "lint what it renders to"))
    return files, builds, charts


def _is_manifest(name: str) -> bool:
    return name.endswith(_SUFFIXES) and not name.startswith(".") and name not in KUSTOMIZATIONS and name != "Chart.yaml"


def _outermost(builds: list[str]) -> list[str]:
    """Return the kustomizations that no other of them builds on."""
    used = {reference for build in builds for reference in _references(build)}
    return [build for build in builds if os.path.realpath(build) not in used]


def _references(build: str) -> Iterator[str]:
    name = next(name for name in KUSTOMIZATIONS if Path(build, name).is_file())
    documents, _ = parse(_bytes(Path(build, name)), name)
    for document in documents:
        for key in ("resources", "bases", "components"):
            for item in document.root.get(key) or ():
                if isinstance(item, str):
                    yield os.path.realpath(f"{build}/{item}")


def _built(folder: str, findings: list[Finding]) -> list[Manifest]:
    """Return what `kustomize build` makes of a folder; each object is placed at the file that it comes from."""
    where = next((f"{folder}/{name}" for name in KUSTOMIZATIONS if Path(folder, name).is_file()), folder)
    text = _output(folder)
    if isinstance(text, str):
        message = f"{folder} cannot be built: {text}"
        findings.append(
            error("not-built", message, Location(where), "correct the kustomization", layer=Layer.REFERENCE)
        )
        return []
    built = Manifests()
    _parse(text, where, built)
    findings += built.findings
    sources = _sources(folder)
    return [Manifest(_plain(m.body), sources.get(_identity(m.body), Location(where))) for m in built.objects]


def _output(folder: str) -> bytes | str:
    """Return what the build prints, or why there is nothing."""
    command = _kustomize()
    if command is None:
        return "there is neither kubectl nor kustomize; install one of them"
    try:
        done = subprocess.run([*command, folder], capture_output=True, timeout=BUILD_SECONDS, check=False)  # noqa: S603 - a fixed program
    except (OSError, subprocess.TimeoutExpired) as problem:
        return str(problem)
    said = done.stderr.decode(errors="replace").strip().splitlines()
    return (said[-1] if said else "no reason given") if done.returncode else done.stdout


def _kustomize() -> list[str] | None:
    beside = os.fspath(Path(sys.executable).parent)
    path = os.pathsep.join((beside, os.environ.get("PATH", os.defpath)))
    for name, arguments in (("kubectl", ["kustomize"]), ("kustomize", ["build"])):
        if program := shutil.which(name, path=path):
            return [program, *arguments]
    return None


def _sources(folder: str) -> dict[tuple[str, str], Location]:
    """Return where objects below a kustomization, and in the folders that it builds on, are written."""
    raw = Manifests()
    seen: set[str] = set()
    todo = [folder]
    while todo:
        current = os.path.realpath(todo.pop())
        if current in seen:
            continue
        seen.add(current)
        if Path(current).is_dir():
            if any(Path(current, name).is_file() for name in KUSTOMIZATIONS):
                todo += _references(current)
        elif Path(current).is_file():
            _file(Path(current), os.path.relpath(current), raw)
    return {_identity(m.body): m.origin for m in reversed(raw.objects)}


def _identity(body: Mapping[str, Any]) -> tuple[str, str]:
    """Return kind and name; a name as it ends, since a prefix may stand before it."""
    metadata = body.get("metadata")
    return (str(body.get("kind")), str(metadata.get("name")) if isinstance(metadata, Mapping) else "")


def _plain(node: Any) -> Any:
    """Return built data without positions: they would be those of text that nobody wrote."""
    if isinstance(node, Map):
        return {key: _plain(value) for key, value in node.items()}
    return [_plain(value) for value in node] if isinstance(node, Seq) else node


def _file(path: Path, shown: str, found: Manifests) -> None:
    try:
        if not stat.S_ISREG(path.stat().st_mode):
            found.findings.append(error("not-a-file", "this is a pipe, socket or device", Location(shown), "remove it"))
            return
        data = _bytes(path)
    except OSError as problem:
        _unreadable(problem, found)
        return
    _parse(data, shown, found)


def _bytes(path: Path) -> bytes:
    with path.open("rb") as file:
        return file.read(MAX_BYTES + 1)


def _unreadable(problem: OSError, found: Manifests) -> None:
    place = Location(str(problem.filename or ""))
    found.findings.append(error("unreadable", f"cannot be read: {problem.strerror}", place, "make it readable"))


def _parse(data: bytes, shown: str, found: Manifests) -> None:
    documents, problems = parse(data, shown, kubernetes=True, limit=MAX_BYTES)
    if problems and b"{{" in data:
        found.findings.append(
            _note("template-skipped", "this is a template, not a manifest", shown, "lint what it renders to")
        )
        return
    found.findings += problems
    for document in documents:
        found.objects += [Manifest(item, at(item)) for item in _items(document.root)]


def _items(root: Map) -> Iterable[Map]:
    """Return the objects of a document: those of a List, or it."""
    items = root.get("items")
    if isinstance(items, Seq) and str(root.get("kind", "")).endswith("List"):
        return [item for item in items if isinstance(item, Map)]
    return [root] if "kind" in root else []


def _note(rule: str, message: str, path: str, fix: str) -> Finding:
    return Finding(rule, Severity.INFO, Layer.INPUT, message, Location(path), fix)


def _applications(root: Path, found: Manifests) -> None:
    """Read the folders that Applications point at: below PATH, or below its Git root."""
    for manifest in list(found.objects):
        if manifest.body.get("kind") != "Application":
            continue
        spec = manifest.body.get("spec")
        source = spec.get("source") if isinstance(spec, Mapping) else None
        path = source.get("path") if isinstance(source, Mapping) else None
        if not isinstance(path, str) or path in found.folders:
            continue
        for base in (root, _git_root(root)):
            if base is not None and (base / path).is_dir():
                part = Manifests()
                _folder(base / path, part)
                found.folders[path] = part.objects
                break


def _git_root(folder: Path) -> Path | None:
    start = folder.resolve()
    return next((place for place in (start, *start.parents) if (place / ".git").exists()), None)
