"""The real CRDs, as test data: read them, and do to a value what the API server's structural schema would do."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import yaml

CRDS = Path(__file__).parents[3] / "shared" / "crds"


@cache
def crd(folder: str, plural: str) -> dict[str, Any]:
    """Return the CRD of `plural` ("kueues.kueue.openshift.io"), or skip the test where the shared CRDs are absent."""
    if not CRDS.is_dir():
        pytest.skip("the shared CRDs are not beside this repository")
    found: dict[str, Any] = yaml.load((CRDS / folder / f"{plural}.yaml").read_bytes(), yaml.CSafeLoader)
    return found


def kinds(folder: str, group: str) -> set[str]:
    """Return the kinds of a group that have a CRD in this folder."""
    if not CRDS.is_dir():
        pytest.skip("the shared CRDs are not beside this repository")
    return {crd(folder, path.stem)["spec"]["names"]["kind"] for path in (CRDS / folder).glob(f"*.{group}.yaml")}


def versions(folder: str, plural: str) -> dict[str, dict[str, Any]]:
    """Return what a CRD says of each of its versions."""
    return {version["name"]: version for version in crd(folder, plural)["spec"]["versions"]}


def schema(folder: str, plural: str, version: str, *path: str) -> dict[str, Any]:
    """Return the schema of a field, by its path from the object's root."""
    found: dict[str, Any] = versions(folder, plural)[version]["schema"]["openAPIV3Schema"]
    for key in path:
        found = found["properties"][key]
    return found


def defaulted(of: dict[str, Any], value: Any) -> Any:
    """Return the value with the defaults of a structural schema filled in, as the API server does on a write."""
    if not isinstance(value, dict):
        return value
    filled = dict(value)
    for key, child in of.get("properties", {}).items():
        if key not in filled and "default" in child:
            filled[key] = child["default"]
        if key in filled:
            filled[key] = defaulted(child, filled[key])
    return filled


def pruned(of: dict[str, Any], value: Any, path: str = "") -> Iterator[str]:
    """Yield the paths that the API server would drop because the schema does not know them."""
    if isinstance(value, list):
        for item in value:
            yield from pruned(of.get("items", {}), item, f"{path}[]")
    if not isinstance(value, dict) or of.get("x-kubernetes-preserve-unknown-fields") or "additionalProperties" in of:
        return
    for key, child in value.items():
        if key not in of.get("properties", {}):
            yield f"{path}.{key}"
        else:
            yield from pruned(of["properties"][key], child, f"{path}.{key}")
