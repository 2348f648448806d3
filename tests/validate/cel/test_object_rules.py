"""CEL rules of a schema: where they are judged, against which old value, and what the server would print."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from generator.schemas.schema import Schema
from generator.source import parse
from generator.validate.objects import validate_object
from tests.validate.things import OMITTED, body, objections, thing

BROKEN, NOT_EVALUATED = "cel-rule-broken", "cel-rule-not-evaluated"
INTEGER = {"type": "integer"}


def ruled(*rules: Mapping[str, Any] | str, **node: Any) -> dict[str, Any]:
    """A node with CEL rules; a bare string is a rule without more."""
    whole = [{"rule": rule} if isinstance(rule, str) else rule for rule in rules]
    return {**node, "x-kubernetes-validations": whole}


def pair(*rules: Mapping[str, Any] | str) -> Schema:
    """A spec with fields a and b, and rules over both."""
    return thing(ruled(*rules, type="object", properties={"a": INTEGER, "b": INTEGER}))


@pytest.mark.parametrize(
    ("spec", "expected"),
    [
        ({"a": 1, "b": 2}, []),
        ({"a": 2, "b": 2}, [(BROKEN, "spec", "Invalid value")]),
        ({"b": 2}, [(NOT_EVALUATED, "spec", "Invalid value")]),
        (OMITTED, []),
    ],
)
def test_a_rule_holds_where_its_place_exists(spec: Any, expected: list[Any]) -> None:
    assert objections(pair("self.a < self.b"), spec) == expected


def test_what_the_server_prints() -> None:
    rules = [
        {"rule": "self.a > 0", "message": "a must be positive"},
        {"rule": "self.a > 1"},
        {"rule": "self.a > 2", "messageExpression": "'a is %d'.format([self.a])", "message": "not used"},
        {"rule": "self.a > 3", "messageExpression": "self.nosuch", "message": "the fallback"},
        {"rule": "self.b > 0", "message": "b is needed"},
        {"rule": "self.a > 4", "fieldPath": ".a", "reason": "FieldValueForbidden", "message": "a is forbidden"},
    ]
    found = [(v.path, v.kind_of_error, v.message) for v in validate_object(body({"a": 0}), pair(*rules))]
    assert found == [
        ("spec", "Invalid value", "a must be positive"),
        ("spec", "Invalid value", "failed rule: self.a > 1"),
        ("spec", "Invalid value", "a is 0"),
        ("spec", "Invalid value", "the fallback"),
        ("spec", "Invalid value", 'NOT_FOUND: Key not found in map : "b" evaluating rule: b is needed'),
        ("spec.a", "Forbidden", "a is forbidden"),
    ]


def test_a_rule_on_the_whole_object() -> None:
    schema = thing({"type": "object"}, **ruled("self.metadata.name == 'cluster'"))
    assert [(v.rule, v.path) for v in validate_object(body({}), schema)] == [(BROKEN, "")]
    assert validate_object(body({}, name="cluster"), schema) == []


@pytest.mark.parametrize("rule", ["self.nosuch()", "self.a ==", "authorizer.path('/x').check('get').allowed()"])
def test_a_rule_that_cannot_be_compiled_is_never_passed(rule: str) -> None:
    assert objections(pair(rule), {"a": 1, "b": 1}) == [(NOT_EVALUATED, "spec", "Invalid value")]


def test_errors_are_absorbed_by_what_decides() -> None:
    assert objections(pair("self.a > 0 || self.nosuch > 1", "!(self.a < 0 && self.nosuch > 1)"), {"a": 1}) == []


@pytest.mark.parametrize("value", [None, "x", ["a"] * 3, 1])
def test_no_rule_is_judged_when_the_schema_objects(value: Any) -> None:
    """Source: apiextensions-apiserver registry/customresource/strategy.go, hasBlockingErr."""
    few = {"type": "array", "maxItems": 2, "items": {"type": "string"}}
    schema = thing(ruled("self.a.size() > 100", type="object", properties={"a": few}, required=["a"]))
    assert BROKEN not in [rule for rule, _, _ in objections(schema, {"a": value})]
    assert [rule for rule, _, _ in objections(schema, {"a": ["a"]})] == [BROKEN]


def test_a_mere_limit_lets_the_rules_be_judged() -> None:
    schema = thing(ruled("self.a > 5", type="object", properties={"a": {"type": "integer", "minimum": 3}}))
    assert [rule for rule, _, _ in objections(schema, {"a": 1})] == ["value-out-of-range", BROKEN]


def test_places_below_lists_and_maps() -> None:
    item = ruled("self > 0", type="integer")
    places = {"list": {"type": "array", "items": item}, "map": {"type": "object", "additionalProperties": item}}
    schema = thing({"type": "object", "properties": places})
    found = objections(schema, {"list": [1, 0, -1], "map": {"x": 0, "y": 1}})
    assert [path for _, path, _ in found] == ["spec.list[1]", "spec.list[2]", "spec.map.x"]
    assert objections(schema, {"list": [1], "map": {"x": 1}}) == []


IMMUTABLE = {"rule": "self == oldSelf", "message": "field is immutable"}


@pytest.mark.parametrize(
    ("old", "new", "broken"),
    [
        (OMITTED, {"a": 1}, False),
        ({}, {"a": 1}, False),
        ({"a": 1}, {}, False),
        ({"a": 1}, {"a": 1}, False),
        ({"a": 1}, {"a": 2}, True),
    ],
)
def test_transition_rules(old: Any, new: Any, broken: bool) -> None:
    schema = thing({"type": "object", "properties": {"a": ruled(IMMUTABLE, type="integer")}})
    assert bool(objections(schema, new, old)) is broken


def test_old_values_of_a_map_are_found_by_name() -> None:
    growing = ruled("self >= oldSelf", type="integer")
    schema = thing({"type": "object", "additionalProperties": growing})
    assert [path for _, path, _ in objections(schema, {"x": 1, "y": 1}, {"x": 2})] == ["spec.x"]


def test_old_items_are_found_by_their_keys() -> None:
    size = ruled("self >= oldSelf", type="integer")
    item = {"type": "object", "properties": {"name": {"type": "string"}, "size": size}}
    by_key = {"type": "array", "items": item, "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["name"]}
    old = [{"name": "a", "size": 1}, {"name": "b", "size": 5}]
    new = [{"name": "b", "size": 4}, {"name": "c", "size": 0}]
    assert [path for _, path, _ in objections(thing(by_key), new, old)] == ["spec[0].size"]
    assert objections(thing({"type": "array", "items": item}), new, old) == []


@pytest.mark.parametrize(
    ("kind", "equal"),
    [
        ({"x-kubernetes-list-type": "set"}, True),
        ({"x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["name"]}, True),
        ({"x-kubernetes-list-type": "atomic"}, False),
    ],
)
def test_sets_and_list_maps_are_equal_in_any_order(kind: dict[str, Any], equal: bool) -> None:
    item = {"type": "object", "properties": {"name": {"type": "string"}}}
    schema = thing(ruled(IMMUTABLE, type="object", properties={"a": {"type": "array", "items": item, **kind}}))
    x, y = {"name": "x"}, {"name": "y"}
    assert (objections(schema, {"a": [x, y]}, {"a": [y, x]}) == []) is equal


@pytest.mark.parametrize(
    ("old", "new", "broken"),
    [(OMITTED, {"a": 1}, False), (OMITTED, {"a": 2}, True), ({"a": 2}, {"a": 2}, False), ({"a": 1}, {"a": 2}, True)],
)
def test_an_optional_old_value(old: Any, new: Any, broken: bool) -> None:
    rule = {"rule": "oldSelf.hasValue() ? self == oldSelf.value() : self == 1", "optionalOldSelf": True}
    schema = thing({"type": "object", "properties": {"a": ruled(rule, type="integer")}})
    assert bool(objections(schema, new, old)) is broken


SHAPED = thing(
    ruled(
        "self.ratio / 2.0 == 0.5",
        "has(self.at) && self.at < timestamp('2027-01-01T00:00:00Z') && self.at.getFullYear() == 2026",
        "self.wait.short < duration('1h')",
        "self.data == b'abc'",
        "self.__namespace__ == 'ns' && self.x__dash__y__dot__z == 1 && self.a__underscores__b == 2",
        "self.ratios.all(x, x / 2.0 < 1.0) && self.map.all(k, self.map[k] / 2.0 < 1.0)",
        type="object",
        properties={
            "ratio": {"type": "number"},
            "ratios": {"type": "array", "items": {"type": "number"}},
            "map": {"type": "object", "additionalProperties": {"type": "number"}},
            "at": {"type": "string", "format": "date-time"},
            "wait": {"type": "object", "properties": {"short": {"type": "string", "format": "duration"}}},
            "data": {"type": "string", "format": "byte"},
            "namespace": {"type": "string"},
            "x-y.z": INTEGER,
            "a__b": INTEGER,
        },
    )
)


def test_what_a_value_looks_like_in_cel() -> None:
    """Numbers are doubles, times are times, bytes decoded, odd names escaped."""
    spec = {"ratio": 1, "ratios": [1, 0.5], "map": {"k": 1}, "at": "2026-11-30T12:00:00Z", "wait": {"short": "30m"}}
    spec |= {"data": "YWJj", "namespace": "ns", "x-y.z": 1, "a__b": 2}
    assert objections(SHAPED, spec) == []
    assert len(objections(SHAPED, {**spec, "ratio": 2, "namespace": "other"})) == 2


def test_a_rule_on_a_time_itself() -> None:
    at = ruled("self > timestamp('2026-01-01T00:00:00Z')", "self >= oldSelf", type="string", format="date-time")
    schema = thing({"type": "object", "properties": {"at": at}})
    assert objections(schema, {"at": "2026-06-01T00:00:00Z"}, {"at": "2026-05-01T00:00:00Z"}) == []
    assert objections(schema, {"at": "2026-06-01T00:00:00Z"}, {"at": "2026-07-01T00:00:00Z"}) == [
        (BROKEN, "spec.at", "Invalid value")
    ]


@pytest.mark.parametrize(("items", "messages"), [("[1, 2]", []), ("[2, 1]", ["failed rule: self.a.isSorted()"])])
def test_an_object_that_knows_its_lines(items: str, messages: list[str]) -> None:
    """What `source` reads are subclasses of dict and list, which the runtime would refuse."""
    text = f"{{apiVersion: example.com/v1, kind: Thing, metadata: {{name: x}}, spec: {{a: {items}}}}}"
    documents, _ = parse(text, "x.yaml")
    schema = thing(ruled("self.a.isSorted()", type="object", properties={"a": {"type": "array", "items": INTEGER}}))
    assert [v.message for v in validate_object(documents[0].root, schema)] == messages


def test_a_verdict_is_kept_for_equal_values_only() -> None:
    schema = pair("self.a < self.b")
    verdicts = [objections(schema, {"a": a, "b": b}) == [] for a, b in ((1, 2), (1, 2), (2, 2), (1, 3), (3, 1))]
    assert verdicts == [True, True, False, True, False]


@pytest.mark.parametrize(
    ("value", "fix"),
    [
        ("xpu", "write auto, cpu or a value of the type that is compared, a number without quotes, for this rule: "),
        ("2", "write auto, cpu or a value of the type that is compared, a number without quotes, for this rule: "),
        (0, "change the object to satisfy this rule: "),
        ("cpu", None),
        (1, None),
    ],
)
def test_a_value_of_a_type_that_no_rule_compares_is_to_be_another_one(value: Any, fix: str | None) -> None:
    rule = "self > 0 || self in ['auto', 'cpu']"
    either = ruled(rule, **{"x-kubernetes-int-or-string": True})
    schema = thing({"type": "object", "properties": {"n": either}})
    assert [v.fix for v in validate_object(body({"n": value}), schema)] == ([f"{fix}{rule}"] if fix else [])


def test_an_absent_field_is_to_be_written() -> None:
    (found,) = validate_object(body({"b": 2}), pair("self.a < self.b"))
    assert found.fix == "write every field that is read by this rule: self.a < self.b"


@pytest.mark.parametrize("name", ["namespace", "__namespace__"])
def test_namespace_is_read_by_either_name(name: str) -> None:
    rule = {"rule": f"!has(self.{name}) || self.{name} == 'a'"}
    node = {"type": "object", "properties": {"namespace": {"type": "string"}}, "x-kubernetes-validations": [rule]}
    assert objections(thing(node), {"namespace": "a"}) == []
    assert objections(thing(node), {}) == []
    assert objections(thing(node), {"namespace": "b"}) == [("cel-rule-broken", "spec", "Invalid value")]


def test_a_date_is_a_time() -> None:
    rule = {"rule": "!has(self.day) || self.day > timestamp('2020-01-01T00:00:00Z')"}
    day = {"type": "string", "format": "date"}
    node = {"type": "object", "properties": {"day": day}, "x-kubernetes-validations": [rule]}
    assert objections(thing(node), {"day": "2020-01-02"}) == []
    assert objections(thing(node), {"day": "2020-01-01"}) == [("cel-rule-broken", "spec", "Invalid value")]
