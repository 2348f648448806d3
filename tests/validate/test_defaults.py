"""Defaults and nulls, as the server stores them."""

from __future__ import annotations

import copy
from decimal import Decimal
from typing import Any

import pytest

from generator.validate.defaults import fill, filler, takes_null, without_nulls
from generator.validate.objects import defaults
from tests.validate.things import body, objections, thing

NODE: dict[str, Any] = {
    "type": "object",
    "properties": {
        "plain": {"type": "string"},
        "mode": {"type": "string", "default": "auto"},
        "nullable": {"type": "string", "nullable": True, "default": "set"},
        "nested": {
            "type": "object",
            "default": {},
            "properties": {"depth": {"type": "integer", "default": 3}},
        },
        "absent": {"type": "object", "properties": {"x": {"type": "integer", "default": 1}}},
        "items": {"type": "array", "items": {"type": "object", "properties": {"x": {"default": 1}}}},
        "map": {"type": "object", "additionalProperties": {"type": "object", "properties": {"x": {"default": 1}}}},
    },
}
FILLED = {"mode": "auto", "nullable": "set", "nested": {"depth": 3}}


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ({}, FILLED),
        ({"mode": "manual"}, {**FILLED, "mode": "manual"}),
        ({"mode": None}, FILLED),
        ({"nullable": None}, {**FILLED, "nullable": None}),
        ({"nested": {"depth": 5}}, {**FILLED, "nested": {"depth": 5}}),
        ({"absent": {}}, {**FILLED, "absent": {"x": 1}}),
        ({"items": [{}, {"x": 2}, 7]}, {**FILLED, "items": [{"x": 1}, {"x": 2}, 7]}),
        ({"map": {"a": {}}}, {**FILLED, "map": {"a": {"x": 1}}}),
        ({"plain": None}, FILLED),
        ("no object", "no object"),
    ],
)
def test_defaults(value: Any, expected: Any) -> None:
    before = copy.deepcopy(value)
    assert defaults(thing(NODE), body(value)) == body(expected)
    assert value == before


def test_what_needs_nothing_is_the_same_object() -> None:
    whole = {**FILLED, "items": [{"x": 1}], "map": {"a": {"x": 1}}}
    assert fill(whole, filler(NODE, {})) is whole


def test_a_schema_without_defaults() -> None:
    assert filler({"type": "object", "properties": {"a": {"type": "string"}}}, {}) is None


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ({"plain": None, "unknown": None}, {"unknown": None}),
        ({"items": [None, {"x": None}]}, {"items": [None, {"x": None}]}),
        ({"map": {"a": None}}, {"map": {}}),
    ],
)
def test_nulls(value: Any, expected: Any) -> None:
    """A null stays where it means something: in a list, in an unknown field, where a default will replace it."""
    assert without_nulls(value, NODE) == expected


GATED: dict[str, Any] = {
    "type": "object",
    "properties": {
        "limit": {"type": "integer"},
        "cohort": {"type": "string"},
        "open": {"type": "string", "nullable": True},
        "free": {"x-kubernetes-preserve-unknown-fields": True},
        "keys": {
            "type": "array",
            "x-kubernetes-list-type": "map",
            "x-kubernetes-list-map-keys": ["name", "port"],
            "items": {"type": "object", "properties": {"name": {"type": "string"}, "port": {"type": "integer"}}},
        },
    },
    "x-kubernetes-validations": [
        {"rule": "!has(self.limit) || has(self.cohort)", "message": "no limit without cohort"},
        {"rule": "!has(self.open) || self.open.startsWith('a')", "message": "open begins with a"},
        {"rule": "!has(self.free) || self.free == 1", "message": "free is 1"},
    ],
}
BROKEN = [("cel-rule-broken", "spec", "Invalid value")]


@pytest.mark.parametrize(
    ("spec", "found"),
    [
        ({"limit": 1, "cohort": None}, BROKEN),
        ({"limit": None}, []),
        ({"limit": None, "cohort": None}, []),
        ({"limit": 1, "cohort": "a"}, []),
        ({"open": None}, []),  # which may be null, and is absent to a rule all the same
        ({"open": "b"}, BROKEN),
        ({"free": None}, []),
        ({"free": 2}, BROKEN),
        (
            {"keys": [{"name": "a", "port": None}, {"name": "a"}]},
            [("entry-duplicate", "spec.keys[1]", "Duplicate value")],
        ),
        ({"keys": None}, []),
    ],
)
def test_a_null_is_absent_to_lists_and_rules(spec: Any, found: list[tuple[str, str, str]]) -> None:
    assert objections(thing(GATED), spec) == found


def test_equal_numbers_of_a_set() -> None:
    schema = thing({"type": "array", "x-kubernetes-list-type": "set", "items": {"type": "number"}})
    assert objections(schema, [Decimal("1.0"), 2, Decimal("1.5")]) == []
    assert objections(schema, [1, Decimal("1.0")]) == [("entry-duplicate", "spec[1]", "Duplicate value")]


@pytest.mark.parametrize(
    ("node", "takes"),
    [
        ({"type": "object", "properties": {"a": {"type": "string"}}}, False),
        ({"type": "object", "properties": {"a": {"type": "string", "nullable": True}}}, True),
        ({"type": "array", "items": {"x-kubernetes-preserve-unknown-fields": True}}, True),
        ({"type": "object", "x-kubernetes-preserve-unknown-fields": True}, False),  # of whose fields no rule knows
        ({"x-kubernetes-int-or-string": True}, False),
        ({"format": "quantity"}, False),
    ],
)
def test_where_a_null_may_stand(node: Any, takes: bool) -> None:
    assert takes_null(node, {}) is takes
