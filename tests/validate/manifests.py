"""Manifests of a folder as `lint` reads them: documents, Lists, and a folder with a kustomization as it builds."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
import yaml

from generator.finding import Location
from generator.manifest import Manifest
from generator.releases.load import kueue, openshift_ai
from generator.source import Map, parse
from generator.validate.cluster import Cluster, Target
from generator.validate.nodes import pools


def read_text(text: str | bytes, file: str) -> Iterator[Manifest]:
    documents, findings = parse(text, file, kubernetes=True)
    assert [finding for finding in findings if finding.severity == "error"] == []
    for document in documents:
        if document.root.get("kind") == "List":
            yield from (Manifest(item, Location(item.file, item.line, item.column)) for item in document.root["items"])
        elif document.root:
            assert isinstance(document.root, Map)
            yield Manifest(document.root, document.locate(()))


def read_folder(folder: Path) -> list[Manifest]:
    if (folder / "kustomization.yaml").is_file():
        return list(read_text(build(folder), "kustomization.yaml"))
    found: list[Manifest] = []
    for path in sorted(folder.rglob("*.yaml")):
        found += read_text(path.read_bytes(), path.relative_to(folder).as_posix())
    return found


def build(folder: Path) -> str:
    kubectl = shutil.which("kubectl")
    if kubectl is None:
        pytest.skip("no kubectl to build a kustomization with")
    return subprocess.run([kubectl, "kustomize", folder], check=True, capture_output=True, text=True).stdout


def target(written: str) -> Target:
    """Return what `--target openshiftAI=3.4,kueue=1.3` means."""
    versions = dict(part.split("=") for part in written.split(",")) if written else {}
    return Target(
        openshift_ai(versions["openshiftAI"]) if "openshiftAI" in versions else None,
        kueue(versions["kueue"]) if "kueue" in versions else None,
        openshift=versions.get("openshift"),
    )


def cluster(folder: Path, written: str) -> Cluster:
    """Return a folder as one cluster, with its sub-folders as what Applications may name."""
    objects = read_folder(folder)
    folders: dict[str, list[Manifest]] = {}
    for manifest in objects:
        folders.setdefault(manifest.origin.file.rpartition("/")[0], []).append(manifest)
    folders.pop("", None)
    return Cluster(objects, target(written), pools(objects), folders=folders, bases=bases(folder))


def bases(folder: Path) -> list[Manifest]:
    """Return what the folders build that a kustomization stands on."""
    written = folder / "kustomization.yaml"
    if not written.is_file():
        return []
    named = [folder / name for name in yaml.safe_load(written.read_text("utf-8")).get("resources", ())]
    return [found for base in named if base.is_dir() for found in read_folder(base.resolve())]
