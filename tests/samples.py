"""The samples of environments/, and objects read back from what they compile to."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, NamedTuple

import yaml

from generator.finding import Finding

ROOT = Path(__file__).parents[1]
OUTPUT = ROOT / "output"
ENVIRONMENTS = ("dev", "legacy", "prod")
KUBECTL = Path(sys.executable).parent / "kubectl"
WAVE = "argocd.argoproj.io/sync-wave"

Object = Mapping[str, Any]
Tree = Mapping[str, str]
Built = Mapping[str, list[Object]]
"""Folder below output/ → the objects that `kubectl kustomize` makes of it."""


class Compiled(NamedTuple):
    """The tree below output/, and every finding."""

    tree: Tree
    findings: list[Finding]


class Identity(NamedTuple):
    """What tells an object from all others of a cluster; `group` "" is the core."""

    group: str
    kind: str
    namespace: str
    name: str


def compiled_from(files: Mapping[str, bytes], as_of: str | None = None) -> Compiled:
    """Compile input files (path from the root of the repository → text) without a disk."""
    from generator.environment.load import load
    from generator.kustomize import build, layout
    from generator.plan.resolve import fleet_wide, resolve
    from generator.policy import gate, shipped

    given, findings = load(files)
    plans = []
    for name in sorted(given.environments):
        plan, found = resolve(given.environments[name], as_of)
        findings += found
        plans += [plan] if plan else []
    findings += fleet_wide(given, plans)
    overlays = []
    policies, _ = shipped.policies(None)
    for plan in plans:
        guards, refused = gate.guards(policies, plan)
        overlay, found = build(plan, guards)
        overlays.append(overlay)
        findings += refused + found
    return Compiled(layout(overlays), findings)


def input_files() -> dict[str, bytes]:
    """Return the files of environments/, by path from the root of the repository."""
    found = sorted(path for path in (ROOT / "environments").rglob("*") if path.is_file())
    return {path.relative_to(ROOT).as_posix(): path.read_bytes() for path in found}


def identity(found: Object) -> Identity:
    """Return the identity of an object."""
    metadata = found["metadata"]
    group = str(found["apiVersion"]).rpartition("/")[0]
    return Identity(group, found["kind"], metadata.get("namespace", ""), metadata["name"])


def wave(found: Object) -> int:
    """Return the sync wave of an object."""
    return int(found["metadata"].get("annotations", {}).get(WAVE, "0"))


def objects(text: str) -> list[Object]:
    """Return the objects of a YAML stream."""
    return list(yaml.load_all(text, yaml.CSafeLoader))


def of_kind(found: Iterable[Object], kind: str) -> dict[str, Object]:
    """Return the objects of a kind, as `namespace/name`, or `name` of those that have no namespace."""
    named = {identity(item): item for item in found if item["kind"] == kind}
    return {f"{key.namespace}/{key.name}".lstrip("/"): item for key, item in named.items()}


def inputs(environment: str, kind: str) -> Iterator[dict[str, Any]]:
    """Yield the input documents of a kind that concern an environment, read by plain PyYAML."""
    shared = [*(ROOT / "environments").glob("*.yaml"), *(ROOT / "environments/teams").glob("*.yaml")]
    for path in sorted([*shared, *(ROOT / "environments" / environment).glob("*.yaml")]):
        yield from (d for d in yaml.load_all(path.read_bytes(), yaml.CSafeLoader) if d["kind"] == kind)


def folders(tree: Iterable[str]) -> list[str]:
    """Return the folders of a tree that have a kustomization."""
    return sorted(path.removesuffix("/kustomization.yaml") for path in tree if path.endswith("/kustomization.yaml"))


def kustomize(output: Path, chosen: Iterable[str]) -> dict[str, list[Object]]:
    """Build folders below `output` with the real tool and no flags; a warning on stderr counts as a failure."""
    with ThreadPoolExecutor(max_workers=2) as pool:
        return dict(pool.map(lambda folder: (folder, _build(output / folder)), chosen))


def _build(folder: Path) -> list[Object]:
    command = [str(KUBECTL), "kustomize", str(folder)]
    done = subprocess.run(command, capture_output=True, encoding="utf-8", timeout=60, check=False)
    assert (done.returncode, done.stderr) == (0, ""), f"{folder}: {done.stderr}"
    return objects(done.stdout)


def applications(built: Built, environment: str) -> list[Object]:
    """Return the Applications of an environment."""
    return [item for item in built[f"overlays/{environment}/argocd"] if item["kind"] == "Application"]


def synced(built: Built, environment: str) -> list[Object]:
    """Return the Applications but the root, whose objects are Applications themselves."""
    return [app for app in applications(built, environment) if app["metadata"]["name"] != f"{environment}-root"]


def source(application: Object) -> str:
    """Return the folder below output/ that an Application points at."""
    path: str = application["spec"]["source"]["path"]
    assert path.startswith("output/")
    return path.removeprefix("output/")
