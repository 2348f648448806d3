"""Each keyword of a structural schema: what the server accepts, what it refuses, and in which words."""

from __future__ import annotations

from typing import Any

import pytest

from generator.schemas.schema import Schema
from generator.validate.objects import validate_object
from generator.validate.patterns import portable, re2
from generator.validate.structural import root
from tests.validate.things import body, objections, thing

INVALID, REQUIRED, MANY, DUPLICATE = "Invalid value", "Required value", "Too many", "Duplicate value"
QUANTITY = r"^(\+|-)?(([0-9]+(\.[0-9]*)?)|(\.[0-9]+))(([KMGTPE]i)|[numkMGTPE])?$"
STRING: dict[str, Any] = {"type": "string"}
INT_OR_STRING = {
    "x-kubernetes-int-or-string": True,
    "anyOf": [{"type": "integer"}, {"type": "string"}],
    "pattern": QUANTITY,
}


def field(node: Any) -> dict[str, Any]:
    """A spec with one field `a`."""
    return {"type": "object", "properties": {"a": node}}


ACCEPTED: list[tuple[dict[str, Any], Any]] = [
    (STRING, "x"),
    ({"type": "string", "maxLength": 2}, "éé"),
    ({"type": "string", "enum": ["x", ""]}, ""),
    ({"type": "string", "nullable": True}, None),
    ({"type": "string", "nullable": True, "enum": ["x", None]}, "x"),
    ({"type": "string", "pattern": "^[]a]$"}, "]"),
    ({"type": "string", "pattern": "^[^]a]$"}, "b"),
    ({"type": "string", "pattern": "a{"}, "a{"),
    ({"type": "string", "pattern": "a{,2}"}, "a{,2}"),
    ({"type": "string", "pattern": "^{]}$"}, "{]}"),
    ({"type": "string", "pattern": "^[a&&b]$"}, "&"),
    ({"type": "string", "pattern": "^[a-z]{1,999}$"}, "ab"),
    ({"type": "integer", "format": "int32"}, 2**31 - 1),
    ({"type": "integer"}, -(2**63)),
    ({"type": "integer"}, 1.0),
    ({"type": "integer", "minimum": 1, "exclusiveMinimum": False}, 1),
    ({"type": "number", "maximum": 2, "exclusiveMaximum": True}, 1.5),
    (INT_OR_STRING, 8),
    (INT_OR_STRING, "500m"),
    ({"type": "object", "x-kubernetes-preserve-unknown-fields": True}, {"b": {"c": 1}}),
    ({"type": "object", "additionalProperties": True}, {"b": 1}),
    ({"type": "object", "additionalProperties": STRING}, {"b": "c"}),
    ({"x-kubernetes-preserve-unknown-fields": True}, [1, "a", None]),
    ({"type": "array", "items": STRING}, ["a", "a"]),
    ({"type": "array", "items": STRING, "x-kubernetes-list-type": "atomic"}, ["a", "a"]),
    ({"type": "array", "items": STRING, "x-kubernetes-list-type": "set"}, ["a", "b"]),
    ({"type": "string", "format": "date-time"}, "2026-11-30T12:00:00.5+01:00"),
    ({"type": "string", "format": "byte"}, "YQ=="),
    ({"type": "string", "format": "cidr"}, "10.0.0.0/8"),
    ({"type": "string", "format": "no-such-format"}, "anything"),
    ({"type": "string", "pattern": "^(?i)[a-z]+$"}, "aB"),
    ({"type": "string", "pattern": r"b"}, "abc"),
    ({"type": "object", "properties": {"b": {}}, "oneOf": [{"required": ["b"]}]}, {"b": 1}),
    ({"type": "object", "x-kubernetes-embedded-resource": True, "x-kubernetes-preserve-unknown-fields": True},
     {"apiVersion": "v1", "kind": "Pod", "spec": {}}),
    ({"type": "object", "x-kubernetes-embedded-resource": True, "x-kubernetes-preserve-unknown-fields": True},
     {"apiVersion": "apps/v1", "kind": "podX", "metadata": None}),
]  # fmt: skip


@pytest.mark.parametrize(("node", "value"), ACCEPTED, ids=str)
def test_accepted(node: dict[str, Any], value: Any) -> None:
    assert objections(thing(field(node)), {"a": value}) == []


SET = {"type": "array", "x-kubernetes-list-type": "set"}
MAP: dict[str, Any] = {"type": "object", "additionalProperties": {}}
EMBEDDED = {"type": "object", "x-kubernetes-embedded-resource": True, "x-kubernetes-preserve-unknown-fields": True}
REFUSED: list[tuple[dict[str, Any], Any, str, str, str]] = [
    ({"type": "string", "nullable": True, "enum": ["x"]}, None, "value-not-supported", "spec.a", "Unsupported value"),
    ({"type": "string", "nullable": True, "enum": ["x", None]}, None,
     "value-not-supported", "spec.a", "Unsupported value"),
    ({"type": "string", "pattern": "^[]a]$"}, "b", "value-malformed", "spec.a", INVALID),
    (EMBEDDED, {"apiVersion": "v1", "kind": "po d"}, "value-malformed", "spec.a.kind", INVALID),
    (EMBEDDED, {"apiVersion": "v1/x/y", "kind": "Pod"}, "value-malformed", "spec.a.apiVersion", INVALID),
    (STRING, 1, "value-of-wrong-type", "spec.a", INVALID),
    ({"type": "string", "maxLength": 2}, "ééé", "value-too-long", "spec.a", "Too long"),
    ({"type": "string", "minLength": 1}, "", "value-too-short", "spec.a", INVALID),
    ({"type": "string", "enum": ["None", "Hold"]}, "none", "value-not-supported", "spec.a", "Unsupported value"),
    ({"type": "integer", "format": "int32"}, 2**31, "value-out-of-range", "spec.a", INVALID),
    ({"type": "integer"}, 2**63, "value-out-of-range", "spec.a", INVALID),
    ({"type": "integer", "format": "int32", "minimum": 1}, 0, "value-out-of-range", "spec.a", INVALID),
    ({"type": "integer"}, True, "value-of-wrong-type", "spec.a", INVALID),
    ({"type": "number", "maximum": 2, "exclusiveMaximum": True}, 2, "value-out-of-range", "spec.a", INVALID),
    (INT_OR_STRING, 0.5, "value-of-wrong-type", "spec.a", INVALID),
    (INT_OR_STRING, "8GB", "value-malformed", "spec.a", INVALID),
    (INT_OR_STRING, 2**63, "value-out-of-range", "spec.a", INVALID),
    ({"type": "object"}, {"b": 1}, "field-unknown", "spec.a.b", "unknown field"),
    ({"type": "object", "properties": {"b": STRING}}, {"c": 1}, "field-unknown", "spec.a.c", "unknown field"),
    ({"type": "object", "required": ["b"], "properties": {"b": STRING}}, {}, "field-missing", "spec.a.b", REQUIRED),
    ({"type": "object", "additionalProperties": STRING}, {"b": 1}, "value-of-wrong-type", "spec.a.b", INVALID),
    ({**MAP, "maxProperties": 1}, {"b": 1, "c": 2}, "too-many-entries", "spec.a", MANY),
    ({**MAP, "minProperties": 1}, {}, "too-few-entries", "spec.a", INVALID),
    ({"type": "array", "items": STRING}, [None], "value-of-wrong-type", "spec.a[0]", INVALID),
    ({"type": "array", "items": STRING, "maxItems": 1}, ["a", "b"], "too-many-entries", "spec.a", MANY),
    ({**SET, "items": STRING}, ["a", "b", "a"], "entry-duplicate", "spec.a[2]", DUPLICATE),
    ({"type": "string", "format": "date-time"}, "2026-02-30T12:00:00Z", "value-malformed", "spec.a", INVALID),
    ({"type": "string", "format": "date-time"}, "2026-11-30 12:00", "value-malformed", "spec.a", INVALID),
    ({"type": "string", "format": "byte"}, "YQ=", "value-malformed", "spec.a", INVALID),
    ({"type": "string", "pattern": "^[a-z]+$"}, "abc\n", "value-malformed", "spec.a", INVALID),
    ({"type": "string", "pattern": r"^\d+$"}, "\u0663", "value-malformed", "spec.a", INVALID),
    ({"type": "string", "pattern": "^(?i)[a-z]+$"}, "a1", "value-malformed", "spec.a", INVALID),
    ({"type": "string", "pattern": "^[[:digit:]]+$"}, "1a", "value-malformed", "spec.a", INVALID),
    ({"type": "object", "properties": {"b": {}, "c": {}}, "oneOf": [{"required": ["b"]}, {"required": ["c"]}]},
     {"b": 1, "c": 1}, "alternatives-not-met", "spec.a", INVALID),
    ({"not": {"enum": ["x"]}, **STRING}, "x", "value-not-allowed", "spec.a", INVALID),
    ({"type": "object", "x-kubernetes-embedded-resource": True, "x-kubernetes-preserve-unknown-fields": True},
     {"apiVersion": "v1"}, "field-missing", "spec.a.kind", REQUIRED),
]  # fmt: skip


@pytest.mark.parametrize(("node", "value", "rule", "path", "kind"), REFUSED, ids=str)
def test_refused(node: dict[str, Any], value: Any, rule: str, path: str, kind: str) -> None:
    assert objections(thing(field(node)), {"a": value}) == [(rule, path, kind)]


LIST_MAP = {
    "type": "array",
    "x-kubernetes-list-type": "map",
    "x-kubernetes-list-map-keys": ["port", "protocol"],
    "items": {
        "type": "object",
        "required": ["port"],
        "properties": {"port": {"type": "integer"}, "protocol": {"type": "string", "default": "TCP"}},
    },
}


@pytest.mark.parametrize(
    ("items", "expected"),
    [
        ([{"port": 1}, {"port": 2}], []),
        ([{"port": 1}, {"port": 1, "protocol": "UDP"}], []),
        ([{"port": 1}, {"port": 1, "protocol": "TCP"}], [("entry-duplicate", "spec.a[1]", DUPLICATE)]),
        ([{"port": 1}, 5], [("value-of-wrong-type", "spec.a[1]", INVALID)]),
    ],
)
def test_keys_of_a_list_map_count_with_their_defaults(items: list[Any], expected: list[Any]) -> None:
    assert objections(thing(field(LIST_MAP)), {"a": items}) == expected


def test_all_objections_are_gathered_and_one_names_the_likely_spelling() -> None:
    schema = thing(
        {"type": "object", "required": ["size"], "properties": {"size": {"type": "integer"}, "name": STRING}}
    )
    found = {violation.path: violation for violation in validate_object(body({"sizes": 1, "name": 2}), schema)}
    assert sorted(found) == ["spec.name", "spec.size", "spec.sizes"]
    assert found["spec.sizes"].fix == "did you mean size? known are size, name"


def test_status_is_dropped_on_creation() -> None:
    assert validate_object({**body({}), "status": {"any": "thing"}}, thing({"type": "object"})) == []


def test_an_object_that_is_no_json() -> None:
    schema = thing({"type": "object", "additionalProperties": STRING})
    assert [found.rule for found in validate_object(body({1: "a"}), schema)] == ["value-not-json"]


def test_nothing_is_fetched() -> None:
    """`$ref` is no part of a structural schema; where it stands all the same, it is not looked at."""
    schema = thing({"type": "object", "properties": {"a": {"$ref": "https://example.com/schema.json"}}})
    assert objections(schema, {"a": 1}) == []
    assert "$ref" not in str(root(schema).json_schema)


@pytest.mark.parametrize(
    ("pattern", "alike"),
    [
        (r"^[a-z0-9]([-a-z0-9]*[a-z0-9])?$", True),
        (r"^\d+\.\d+$", True),
        (r"^(?:a|b)$", True),
        (r"^(?i)[a-z]$", False),
        (r"^[[:alpha:]]$", False),
        (r"^[^[:space:]]$", False),
        (r"\Aa\z", False),
        (r"^\s$", False),
        (r"^\pL$", False),
        (r"(?P<name>a)", False),
    ],
)
def test_patterns_that_mean_the_same_in_ecma_262(pattern: str, alike: bool) -> None:
    assert portable(pattern) is alike


def test_a_pattern_that_is_none() -> None:
    with pytest.raises(ValueError, match="is not a regular expression of RE2"):
        re2("(?<=a)b")


def test_what_a_schema_says_about_names() -> None:
    limits = {"type": "object", "properties": {"name": {"type": "string", "maxLength": 3, "pattern": "^x"}}}
    schema = Schema("example.com", "Thing", "v1", True, True, {"type": "object", "properties": {"metadata": limits}})
    for name, rules in (("xab", []), ("xabc", ["value-too-long"]), ("a", ["value-malformed"])):
        whole = body(name=name)
        assert [found.rule for found in validate_object(whole, schema)] == rules
        assert [found.rule for found in validate_object(whole, schema, is_one_of_few=True)] == rules


@pytest.mark.parametrize("meta", [{"namespace": None}, {"generateName": None}, {"labels": {"a": None}}])
def test_nulls_in_metadata(meta: dict[str, Any]) -> None:
    assert validate_object(body(**meta), thing({"type": "object"})) == []


def test_a_byte_is_no_pattern_of_go() -> None:
    with pytest.raises(ValueError, match=r"it has no \\C"):
        re2(r"a\C")
    assert re2(r"a\\C")("a\\C")
    with pytest.raises(ValueError, match="not a regular expression"):
        re2("a{1001}")
