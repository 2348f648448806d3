"""The stand-in for the API server refuses what the server refuses."""

from __future__ import annotations

from typing import Any

import jsonschema
import pytest

from tests import structural

TEXT = {"type": "string"}
SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {
        "spec": {
            "type": "object",
            "required": ["name"],
            "properties": {
                "name": TEXT,
                "count": {"x-kubernetes-int-or-string": True, "anyOf": [{"type": "integer"}, {"type": "string"}]},
                "maybe": {"type": "string", "nullable": True},
                "any": {"type": "object", "x-kubernetes-preserve-unknown-fields": True, "properties": {"name": TEXT}},
                "marks": {"type": "object", "additionalProperties": TEXT},
                "mode": {"type": "string", "default": "Normal"},
                "items": {
                    "type": "array",
                    "x-kubernetes-list-type": "map",
                    "x-kubernetes-list-map-keys": ["name"],
                    "items": {
                        "type": "object",
                        "properties": {"name": TEXT, "port": {"type": "integer", "default": 80}},
                    },
                },
                "kinds": {"type": "array", "x-kubernetes-list-type": "set", "items": TEXT},
            },
        }
    },
}


def refused(spec: dict[str, Any]) -> list[str]:
    found = {"apiVersion": "example.com/v1", "kind": "X", "metadata": {"name": "x"}, "spec": spec}
    errors = jsonschema.Draft4Validator(structural.of_object(SCHEMA)).iter_errors(found)
    return [error.json_path for error in errors] + list(structural.repeated(SCHEMA, found))


@pytest.mark.parametrize(
    ("spec", "expected"),
    [
        ({}, []),
        ({"count": 1}, []),
        ({"count": "1Gi"}, []),
        ({"count": 1.5}, ["$.spec.count"]),
        ({"maybe": None}, []),
        ({"mode": None}, ["$.spec.mode"]),
        ({"any": {"name": "x", "more": 1}}, []),
        ({"any": {"name": 1}}, ["$.spec.any.name"]),
        ({"marks": {"a": "b"}}, []),
        ({"marks": {"a": 1}}, ["$.spec.marks.a"]),
        ({"more": 1}, ["$.spec"]),
        ({"items": [{"name": "a"}, {"name": "b", "more": 1}]}, ["$.spec.items[1]"]),
        ({"items": [{"name": "a", "port": 1}, {"name": "a", "port": 2}]}, [".spec.items"]),
        ({"kinds": ["a", "b"]}, []),
        ({"kinds": ["a", "a"]}, [".spec.kinds"]),
    ],
)
def test_what_is_refused(spec: dict[str, Any], expected: list[str]) -> None:
    assert refused({"name": "x", **spec}) == expected


def test_what_is_required() -> None:
    assert refused({}) == ["$.spec"]


def test_defaults_are_found_in_maps_and_in_lists() -> None:
    found = {"spec": {"name": "x", "items": [{"name": "a"}, {"name": "b", "port": 1}]}}
    assert list(structural.defaulted(SCHEMA, found)) == [".spec.mode", ".spec.items[].port"]
