"""Our compact schemas against the real CRDs of every release: field by field, and served version by served version."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import pytest

from generator.frozen import fields
from generator.schemas.load import DATA, Target, index, known, schema, versions
from generator.validate.definition import judge
from tests.validate.real import FOLDERS, needs_crds, raw

pytestmark = needs_crds

PROSE = {"description", "title", "example", "externalDocs", "x-kubernetes-map-type"}
BELOW = {"properties", "items", "additionalProperties"}


def facts(node: Mapping[str, Any], path: str = "") -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield each field's path with all that its schema says, but for prose."""
    own = {key: value for key, value in node.items() if key not in PROSE | BELOW}
    if not isinstance(node.get("additionalProperties", {}), dict):
        own["additionalProperties"] = node["additionalProperties"]
    yield path, own
    for name, child in node.get("properties", {}).items():
        yield from facts(child, f"{path}.{name}")
    for key, step in (("items", "[]"), ("additionalProperties", "{}")):
        if isinstance(node.get(key), dict):
            yield from facts(node[key], f"{path}{step}")


def differences(real: Mapping[str, Any], ours: Mapping[str, Any]) -> list[str]:
    """Return missing and extra fields, and every type, limit, default, list type and CEL rule that differs."""
    theirs, mine = dict(facts(real)), dict(facts(ours))
    lines = [f"missing {path}" for path in theirs.keys() - mine.keys()]
    lines += [f"extra {path}" for path in mine.keys() - theirs.keys()]
    for path in theirs.keys() & mine.keys():
        if theirs[path] != mine[path]:
            lines.append(f"{path}: {theirs[path]} is {mine[path]}")
    return sorted(lines)


@pytest.mark.parametrize("folder", FOLDERS)
def test_field_by_field(folder: str) -> None:
    compared = 0
    for (group, kind), crd in raw(folder).items():
        for version in crd["spec"]["versions"]:
            if not version["served"]:
                continue
            ours = schema(group, kind, version["name"], FOLDERS[folder])
            assert ours is not None, f"{folder}: {kind} {version['name']}"
            real = version["schema"]["openAPIV3Schema"]
            drops_status = "status" in (version.get("subresources") or {})
            if drops_status:
                real = {**real, "properties": {n: p for n, p in real["properties"].items() if n != "status"}}
            assert differences(real, ours.structure) == [], f"{folder}: {kind} {version['name']}"
            assert ours.namespaced == (crd["spec"]["scope"] == "Namespaced")
            assert ours.drops_status == drops_status
            compared += 1
    assert compared > 0


@pytest.mark.parametrize("folder", FOLDERS)
def test_served_versions(folder: str) -> None:
    for (group, kind), crd in raw(folder).items():
        served = sorted(version["name"] for version in crd["spec"]["versions"] if version["served"])
        assert list(versions(group, kind, FOLDERS[folder])) == served


@pytest.mark.parametrize("folder", [name for name in FOLDERS if FOLDERS[name] != Target()])
def test_a_kind_that_a_release_lacks_has_no_schema(folder: str) -> None:
    product = next(field.name for field in fields(Target) if getattr(FOLDERS[folder], field.name))
    for name, products in index()["kinds"].items():
        group, kind = name.split("/")
        if list(products) == [product] and (group, kind) not in raw(folder):
            assert versions(group, kind, FOLDERS[folder]) == ()
            assert known(group, kind)


def test_difference_is_seen() -> None:
    """The comparison itself: each kind of change is one line."""
    real = {"type": "object", "required": ["a"], "properties": {"a": {"type": "string", "maxLength": 3}, "b": {}}}
    ours = {"type": "object", "required": ["a"], "properties": {"a": {"type": "string", "maxLength": 4}, "c": {}}}
    assert differences(real, ours) == [
        ".a: {'type': 'string', 'maxLength': 3} is {'type': 'string', 'maxLength': 4}",
        "extra .c",
        "missing .b",
    ]


def test_no_prose_is_kept_and_the_data_is_small() -> None:
    files = [*DATA.glob("*.json")]
    assert sum(path.stat().st_size for path in files) < 2_000_000
    assert not [path.name for path in files if '"description":"' in path.read_text(encoding="utf-8")]


@pytest.mark.parametrize("folder", [folder for folder in FOLDERS if "kueue" in folder])
def test_real_definitions_are_sound(folder: str) -> None:
    for crd in raw(folder).values():
        assert list(judge(crd)) == []
