"""Real CRDs of the shared test data, through the same engine that reads our own schemas."""

from __future__ import annotations

import copy
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import yaml

from generator.finding import Severity
from generator.schemas.crds import definitions
from generator.schemas.load import Target, index
from generator.schemas.schema import Schema, from_crd
from generator.validate.objects import validate_object
from generator.validate.violation import Violation

CRDS = Path(__file__).parents[3] / "shared" / "crds"
needs_crds = pytest.mark.skipif(not CRDS.is_dir(), reason="the shared CRDs are not beside this repository")

Key = tuple[str, str, str]

FOLDERS = {
    **{f"red-hat-kueue-{release}": Target(kueue=release) for release in ("1.0", "1.1", "1.2", "1.3", "1.4")},
    **{f"openshift-ai-{r}": Target(openshift_ai=r) for r in ("2.25", "3.0", "3.2", "3.3", "3.4", "3.5")},
    **{f"argo-cd-{release}": Target(argo_cd=release) for release in ("3.1", "3.3", "3.5")},
    "trainer-2.3": Target(trainer="2.3"),
    "jobset-operator": Target(),
    "lws-operator": Target(),
    "olm": Target(),
}


@cache
def raw(folder: str) -> dict[tuple[str, str], Mapping[str, Any]]:
    """Return the CRDs of a folder that are among our kinds, by (group, kind)."""
    found = {}
    groups = {name.split("/")[0] for name in index()["kinds"]}
    for path in sorted((CRDS / folder).glob("*.yaml")):
        if path.stem.partition(".")[2] in groups:
            crd = yaml.load(path.read_bytes(), yaml.CSafeLoader)
            if f"{crd['spec']['group']}/{crd['spec']['names']['kind']}" in index()["kinds"]:
                found[crd["spec"]["group"], crd["spec"]["names"]["kind"]] = crd
    return found


@cache
def schemas(folder: str) -> dict[Key, Schema]:
    """Return the schemas of those CRDs, by (group, kind, version)."""
    made = (schema for crd in raw(folder).values() for schema in from_crd(crd))
    return {(schema.group, schema.kind, schema.version): schema for schema in made}


@cache
def all_schemas(folder: Path, files: str = "*.yaml") -> dict[Key, Schema]:
    """Return every served version of every CRD in files of a folder."""
    texts = (path.read_text(encoding="utf-8") for path in sorted(folder.glob(files)))
    made = (schema for text in texts for crd in definitions(text) for schema in from_crd(crd))
    return {(schema.group, schema.kind, schema.version): schema for schema in made}


def key(body: Mapping[str, Any]) -> Key:
    """Return group, kind and version of an object."""
    group, _, version = body["apiVersion"].rpartition("/")
    return group, body["kind"], version


def named(body: Mapping[str, Any]) -> dict[str, Any]:
    """Return the object with a name: tables that vary something else leave it out."""
    whole = copy.deepcopy(dict(body))
    whole.setdefault("metadata", {}).setdefault("name", "x")
    return whole


def errors(body: Mapping[str, Any], schema: Schema, old: Mapping[str, Any] | None = None) -> list[Violation]:
    """Return what the server refuses; warnings are no refusal."""
    return [found for found in validate_object(body, schema, old) if found.severity is Severity.ERROR]
