"""CustomResourceDefinitions as the API server judges them; its own code (v0.33.4) was asked about each of these."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from generator.cli import main
from generator.validate.definition import judge

TEXT: dict[str, Any] = {"type": "string"}
COUNT: dict[str, Any] = {"type": "integer"}
ROOT = "spec.versions[0].schema.openAPIV3Schema"
SPEC = f"{ROOT}.properties.spec"
Node = dict[str, Any]


def definition(spec: Node | None = None, root: Node | None = None) -> Node:
    schema = root or {"type": "object", "properties": {"spec": spec or {"type": "object"}}}
    version = {"name": "v1", "served": True, "storage": True, "schema": {"openAPIV3Schema": schema}}
    return {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": "foos.example.com"},
        "spec": {
            "group": "example.com",
            "scope": "Namespaced",
            "names": {"kind": "Foo", "plural": "foos", "singular": "foo", "listKind": "FooList"},
            "versions": [version],
        },
    }


def found(body: Node) -> list[tuple[str, str]]:
    return [(violation.rule, violation.path) for violation in judge(body)]


def fields(**nodes: Node) -> Node:
    return {"type": "object", "properties": nodes}


def items(node: Node, kind: str = "", *keys: str, **more: Any) -> Node:
    typed = {"x-kubernetes-list-type": kind} if kind else {}
    return {
        "type": "array",
        "items": node,
        **typed,
        **({"x-kubernetes-list-map-keys": [*keys]} if keys else {}),
        **more,
    }


def ruled(node: Node, rule: str, **more: Any) -> Node:
    return {**node, "x-kubernetes-validations": [{"rule": rule, **more}]}


KEYED = {**fields(n=TEXT, v=COUNT), "required": ["n"]}
LABELS = {"type": "object", "additionalProperties": TEXT}
EMBEDDED = {"type": "object", "x-kubernetes-embedded-resource": True}
# a field that a server refuses, below which path, and one like it that it takes
NODES: list[tuple[Node, str, Node]] = [
    ({"description": "x"}, "", {"x-kubernetes-preserve-unknown-fields": True}),
    ({"type": "array"}, "", items(TEXT)),
    ({"type": "object", "properties": {"type": None}}, ".properties.type", {**TEXT, "format": None, "items": None}),
    ({"type": "text"}, ".type", TEXT),
    (items(TEXT, uniqueItems=True), ".uniqueItems", items(TEXT, uniqueItems=False)),
    ({**fields(b=TEXT), "additionalProperties": TEXT}, ".additionalProperties", LABELS),
    ({**fields(b=TEXT), "additionalProperties": False}, ".additionalProperties",
     {**fields(b=TEXT), "additionalProperties": True}),
    *(({**TEXT, key: {"a": TEXT}}, f".{key}", TEXT) for key in ("patternProperties", "dependencies", "definitions")),
    ({**TEXT, "$ref": "#/x"}, ".$ref", {**TEXT, "example": "x"}),
    ({**TEXT, "$schema": "x"}, ".$schema", TEXT),
    ({**TEXT, "id": "x"}, ".id", {**TEXT, "title": "x"}),
    ({**TEXT, "pattern": "(a"}, ".pattern", {**TEXT, "pattern": "[]a]{,2}"}),
    ({**TEXT, "pattern": r"\C"}, ".pattern", {**TEXT, "pattern": "a{1000}"}),
    ({**TEXT, "allOf": [{"pattern": "a{1001}"}]}, ".allOf[0].pattern", {**TEXT, "minLength": -1, "maxLength": -2}),
    ({**TEXT, "anyOf": [TEXT]}, ".anyOf[0].type", {**TEXT, "anyOf": [{"minLength": 1}]}),
    ({**TEXT, "not": {"description": "x"}}, ".not.description", {**TEXT, "not": {"enum": ["x"]}}),
    ({**TEXT, "oneOf": [{"default": "x"}]}, ".oneOf[0].default", {**TEXT, "oneOf": [], "enum": []}),
    ({"x-kubernetes-int-or-string": True, "oneOf": [COUNT, {}]}, ".oneOf[0].type",
     {"x-kubernetes-int-or-string": True, "anyOf": [COUNT, TEXT]}),
    ({"x-kubernetes-int-or-string": True, "allOf": [{"pattern": "a"}, {"anyOf": [COUNT, {}]}]},
     ".allOf[1].anyOf[0].type", {"x-kubernetes-int-or-string": True, "allOf": [{"anyOf": [COUNT, TEXT]}]}),
    ({"x-kubernetes-int-or-string": True, "x-kubernetes-preserve-unknown-fields": True},
     ".x-kubernetes-preserve-unknown-fields", {"x-kubernetes-int-or-string": True, "nullable": True}),
    ({"type": "object", "x-kubernetes-preserve-unknown-fields": False}, ".x-kubernetes-preserve-unknown-fields",
     {"type": "object", "x-kubernetes-preserve-unknown-fields": True}),
    (EMBEDDED, "", {**EMBEDDED, "x-kubernetes-preserve-unknown-fields": True}),
    ({**TEXT, "x-kubernetes-embedded-resource": True}, ".type",
     {**EMBEDDED, "properties": {"spec": TEXT}}),
    ({"type": "object", "x-kubernetes-map-type": "loose"}, ".x-kubernetes-map-type",
     {"type": "object", "x-kubernetes-map-type": "granular"}),
    ({**TEXT, "x-kubernetes-list-type": "set"}, ".x-kubernetes-list-type", items(TEXT, "set")),
    (items(fields(b=TEXT), "set"), ".items", items({**fields(b=TEXT), "x-kubernetes-map-type": "atomic"}, "set")),
    (items({**TEXT, "nullable": True}, "set"), ".items.nullable", items({**TEXT, "nullable": True})),
    (items(KEYED, "map"), "", items(KEYED, "map", "n")),
    (items(KEYED, "map", "n", "n"), ".x-kubernetes-list-map-keys", items(KEYED, "atomic")),
    (items(KEYED, "map", "z"), ".x-kubernetes-list-map-keys", items(KEYED)),
    (items(KEYED, "map", "v"), ".items.properties.v",
     items(fields(n={**TEXT, "default": "x"}), "map", "n")),
    # defaults
    ({**TEXT, "default": 5}, ".default", {**TEXT, "default": "5"}),
    ({**TEXT, "enum": ["x"], "default": "z"}, ".default", {**TEXT, "enum": ["x"], "default": "x"}),
    ({**fields(b=TEXT), "default": {"c": 1}}, ".default.c", {**fields(b=TEXT), "default": {}}),
    ({**fields(b={**TEXT, "default": "q"}), "required": ["b"], "default": {}}, ".default.b",
     {**fields(b={**TEXT, "default": "q"}), "default": {}}),
    (ruled({**TEXT, "default": "z"}, "self == 'y'"), ".default", ruled({**TEXT, "default": "y"}, "self == 'y'")),
    (items({**TEXT, "default": 1}), ".items.default", {**LABELS, "additionalProperties": {**TEXT, "default": 1}}),
]  # fmt: skip


@pytest.mark.parametrize(("refused", "below", "taken"), NODES, ids=lambda value: json.dumps(value)[:60])
def test_schemas(refused: Node, below: str, taken: Node) -> None:
    rules = [(rule, path.removeprefix(f"{SPEC}.properties.a")) for rule, path in found(definition(fields(a=refused)))]
    assert rules == [("definition-broken", below)]
    assert found(definition(fields(a=taken))) == []


WHOLE = fields(
    s=TEXT, i=COUNT, d={"type": "number"}, l=items(TEXT), m=LABELS, any={"x-kubernetes-preserve-unknown-fields": True}
)
WHOLE["properties"] |= {"q": {"x-kubernetes-int-or-string": True}, "b": {"type": "boolean"}, "a-b": COUNT}
WHOLE["properties"] |= {"o": fields(x=TEXT), "at": {**TEXT, "format": "date-time"}}
WHOLE["properties"]["o"]["properties"]["namespace"] = TEXT
WHOLE["properties"] |= {"k": items({**fields(n=TEXT, v=COUNT), "required": ["n"]}, "map", "n")}
RULES: list[tuple[Node, str]] = [
    ({"rule": " "}, "rule"),
    ({"rule": "self.i >"}, "rule"),
    ({"rule": "self.unknown == 1"}, "rule"),
    ({"rule": "has(self.o.y)"}, "rule"),
    ({"rule": "self.any == 1"}, "rule"),
    ({"rule": "self.metadata.name == 'a'"}, "rule"),
    ({"rule": "self.s == 1"}, "rule"),
    ({"rule": "self.i == 1.0"}, "rule"),
    ({"rule": "self.at != '2020'"}, "rule"),
    ({"rule": "self.l[0] == 1"}, "rule"),
    ({"rule": "self.?unknown.hasValue()"}, "rule"),
    ({"rule": "self.l.all(x, x == 1)"}, "rule"),
    ({"rule": "self.k.all(x, x.z == 1)"}, "rule"),
    ({"rule": "self.k.filter(x, x.n == 'a').exists(y, y.z == 1)"}, "rule"),
    ({"rule": "self.k.all(i, v, v.z == 1)"}, "rule"),
    ({"rule": "self.m.all(k, k == 1)"}, "rule"),
    ({"rule": "self.s"}, "rule"),
    ({"rule": "self.i + 1 > 2 ? 'a' : 'b'"}, "rule"),
    ({"rule": "self.s.matches('(')"}, "rule"),
    ({"rule": "cel.bind(x, self.s, x == 'a')"}, "rule"),
    ({"rule": "self.s.reverse() == 'a'"}, "rule"),
    ({"rule": "math.greatest(self.i, 3) == 3"}, "rule"),
    ({"rule": "self.i > 1", "message": " "}, "message"),
    ({"rule": "self.i > 1", "message": "a\nb"}, "message"),
    ({"rule": "self.i > 1 &&\nself.i < 3"}, "rule"),
    ({"rule": "self.i > 1", "messageExpression": "self.i"}, "messageExpression"),
    ({"rule": "self.i > 1", "messageExpression": " "}, "messageExpression"),
    ({"rule": "self.i > 1", "reason": "Foo"}, "reason"),
    *(({"rule": "self.i > 1", "fieldPath": path}, "fieldPath") for path in ("i", ".zz", ".i.x", ".m[\"q\"]", ".l[0]")),
    ({"rule": "self.i > 1", "optionalOldSelf": True}, "optionalOldSelf"),
    ({"rule": "self.i > 1", "messages": "x"}, "messages"),
]  # fmt: skip
SOUND: list[Node] = [
    {"rule": "self.s == '1' && self.i == 1 && self.d == 1.0 && self.b && self.l[0] == 'a' && self.m['k'] == 'v'"},
    {"rule": "self.q == 5 || self.q == '5%' || self.a__dash__b == 1 || self.m.anything == 'x' || has(self.o.x)"},
    {"rule": "self.s.size() == 1 && size(self.l) == 2 && self.at > timestamp('2020-01-01T00:00:00Z')"},
    {"rule": "self.?s.orValue('a') == 'a' && self.o.?x.hasValue() && self.m[?'a'].orValue('q') == 'q'"},
    {"rule": "self.k.all(x, x.n == 'a' && self.l.all(x, x == 'b') && x.v == 1) && self.b"},
    {"rule": "self.l.map(x, {'z': x}).all(x, x.z == 'a') && self.m.all(k, k == 'a')"},
    {"rule": "self.k.map(x, x.v).all(x, x == 1) && self.k.filter(x, x.v == 1).all(y, y.n == 'a')"},
    {"rule": "self.k.all(i, v, i == 1 && v.n == 'a') && self.k.exists(self, self.v == 1)"},
    {"rule": "self.m.all(k, v, k == 'a' && v == 'b')"},
    {"rule": "self.o.namespace == 'a' && self.o.__namespace__ == 'a'"},
    {"rule": "self.?o.optMap(x, x.x == 'a').orValue(true) && ['a'].all(x, x == 'a')"},
    {"rule": "self.d > 1 && self.d <= 2.5 && self.i < 2.5", "message": "m", "reason": "FieldValueForbidden"},
    {"rule": "self.m.all(k, v, v == 'x') && self.l.transformList(i, v, v + 'x') == ['ax']"},
    {"rule": "format.named('dns1123Label').value().validate(self.s).orValue([]).size() == 0"},
    {"rule": "self.i > 1 &&\nself.i < 3", "message": "one line\n"},
    {"rule": "self.i > 1", "messageExpression": "'i=' + string(self.i)"},
    *({"rule": "self.i > 1", "fieldPath": path} for path in (".i", ".l", ".m.q", ".m['q.r']", ".o.x", "['a-b']")),
    {"rule": "!oldSelf.hasValue() || oldSelf.value().i == self.i", "optionalOldSelf": True},
    {"rule": "oldSelf.i == self.i", "optionalOldSelf": False},
]  # fmt: skip


@pytest.mark.parametrize(("rule", "below"), RULES, ids=str)
def test_rules(rule: Node, below: str) -> None:
    expected = "field-unknown" if below == "messages" else "definition-broken"
    body = definition({**WHOLE, "x-kubernetes-validations": [{"rule": "true"}, rule]})
    assert found(body) == [(expected, f"{SPEC}.x-kubernetes-validations[1].{below}")]


@pytest.mark.parametrize("rule", SOUND, ids=str)
def test_sound_rules(rule: Node) -> None:
    assert found(definition({**WHOLE, "x-kubernetes-validations": [rule]})) == []


def test_old_values_of_items() -> None:
    rule = ruled(TEXT, "self == oldSelf")
    for node in (
        items(rule),
        items(fields(b=rule)),
        items(rule, "set"),
        {**fields(b=rule), "x-kubernetes-map-type": "atomic"},
    ):
        [(name, path)] = found(definition(fields(a=node)))
        assert (name, path.endswith("x-kubernetes-validations[0].rule")) == ("definition-broken", True)
    keyed = {**fields(n=TEXT, v=rule), "required": ["n"]}
    for node in (items(keyed, "map", "n"), {**LABELS, "additionalProperties": rule}, fields(b=rule)):
        assert found(definition(fields(a=node))) == []


def whole(**root: Any) -> Node:
    return definition(root={"type": "object", "properties": {"spec": TEXT}, **root})


ROOTS: list[tuple[Node, str, Node]] = [
    ({"nullable": True}, ".nullable", {"nullable": False}),
    ({"type": "string"}, ".type", {}),
    ({"properties": {"kind": COUNT}}, ".properties.kind.type", {"properties": {"kind": TEXT}}),
    ({"properties": {"metadata": fields(labels=LABELS)}}, ".properties.metadata.properties.labels",
     {"properties": {"metadata": fields(name=TEXT, generateName=TEXT)}}),
    ({"properties": {"metadata": {"type": "object", "minProperties": 1}}}, ".properties.metadata.minProperties",
     {"properties": {"metadata": {"type": "object", "externalDocs": {"url": "x"}}}}),
    ({"properties": {"metadata": {"type": "object", "description": "x"}}}, ".properties.metadata.description",
     {"properties": {"metadata": {"type": "object"}}}),
    ({"properties": {"kind": {**TEXT, "default": "Foo"}}}, ".properties.kind.default", {}),
    ({"anyOf": [{"properties": {"b": {"minLength": 1}}}]}, ".anyOf[0].properties.b",
     {"anyOf": [{"properties": {"spec": {"minLength": 1}}}]}),
    (ruled({}, "self.name == 'a'"), ".x-kubernetes-validations[0].rule",
     ruled({}, "self.metadata.name == 'a' && self.kind == 'Foo' && self.spec == 'x'")),
]  # fmt: skip


@pytest.mark.parametrize(("refused", "below", "taken"), ROOTS, ids=lambda value: json.dumps(value)[:60])
def test_roots(refused: Node, below: str, taken: Node) -> None:
    assert found(whole(**refused)) == [("definition-broken", ROOT + below)]
    assert found(whole(**taken)) == []


def test_what_is_named_below_anyof_of_a_field_is_not_looked_for() -> None:
    assert found(definition({**fields(a=TEXT), "anyOf": [{"properties": {"b": {"minLength": 1}}}]})) == []


Change = Callable[[Node, Node], object]
SPECS: dict[str, tuple[Change, list[str]]] = {
    "sound": (lambda c, v: None, []),
    "name": (lambda c, v: c["metadata"].update(name="foo.example.com"), ["metadata.name"]),
    "no plural": (lambda c, v: c["spec"]["names"].pop("plural"), ["spec.names.plural"]),
    "no singular": (lambda c, v: c["spec"]["names"].pop("singular"), []),
    "no listKind": (lambda c, v: c["spec"]["names"].pop("listKind"), []),
    "kind": (lambda c, v: c["spec"]["names"].update(kind="1foo"), ["spec.names.kind"]),
    "list": (lambda c, v: c["spec"]["names"].update(listKind="Foo"), ["spec.names.listKind"]),
    "short name": (lambda c, v: c["spec"]["names"].update(shortNames=["fo", "F"]), ["spec.names.shortNames[1]"]),
    "scope": (lambda c, v: c["spec"].update(scope="Namespace"), ["spec.scope"]),
    "group": (lambda c, v: (c["spec"].update(group="ex"), c["metadata"].update(name="foos.ex")), ["spec.group"]),
    "version": (lambda c, v: v.update(name="V1"), ["spec.versions[0].name"]),
    "no storage": (lambda c, v: v.update(storage=False), ["spec.versions"]),
    "two stored": (lambda c, v: c["spec"]["versions"].append({**v, "name": "v2"}), ["spec.versions"]),
    "two": (lambda c, v: c["spec"]["versions"].append({**v, "name": "v2", "storage": False}), []),
    "twice": (lambda c, v: c["spec"]["versions"].append({**v, "storage": False}), ["spec.versions"]),
    "served": (lambda c, v: v.update(served="true"), ["spec.versions[0].served"]),
    "neither": (lambda c, v: c["spec"]["versions"].append({"name": "v2", "schema": v["schema"]}), []),
    "no schema": (lambda c, v: v.pop("schema"), ["spec.versions[0].schema"]),
    "unknown fields": (lambda c, v: c["spec"].update(preserveUnknownFields=True), ["spec.preserveUnknownFields"]),
    "no unknown fields": (lambda c, v: c["spec"].update(preserveUnknownFields=False), []),
    "no webhook": (lambda c, v: c["spec"].update(conversion={"strategy": "Webhook"}), ["spec.conversion"]),
    "no conversion": (lambda c, v: c["spec"].update(conversion={"strategy": "None", "webhook": None}), []),
    "scale": (
        lambda c, v: v.update(subresources={"scale": {"specReplicasPath": ".spec.a", "statusReplicasPath": ".a"}}),
        ["spec.versions[0].subresources.scale.statusReplicasPath"],
    ),
    "column": (
        lambda c, v: v.update(additionalPrinterColumns=[{"name": "a", "type": "date", "jsonPath": "a"}]),
        ["spec.versions[0].additionalPrinterColumns[0].jsonPath"],
    ),
    "status": (lambda c, v: v.update(subresources={"status": {}}), []),
    "selected": (
        lambda c, v: v.update(selectableFields=[{"jsonPath": ".spec"}]),
        ["spec.versions[0].selectableFields[0].jsonPath"],
    ),
    "status of the server": (lambda c, v: c.update(status={"conditions": None, "foo": 1}), []),
    "of kubernetes": (
        lambda c, v: (c["spec"].update(group="x.k8s.io"), c["metadata"].update(name="foos.x.k8s.io")),
        ["metadata.annotations"],
    ),
    "of its friends": (
        lambda c, v: (c["spec"].update(group="x-k8s.io"), c["metadata"].update(name="foos.x-k8s.io")),
        [],
    ),
}


@pytest.mark.parametrize("case", SPECS)
def test_definitions(case: str) -> None:
    body = definition()
    change, paths = SPECS[case]
    change(body, body["spec"]["versions"][0])
    assert found(body) == [("definition-broken", path) for path in paths]


def test_an_approved_group_of_kubernetes() -> None:
    for said, paths in (("unapproved, mine", []), ("https://x", []), ("yes", ["metadata.annotations"])):
        body = definition()
        body["spec"]["group"] = "x.kubernetes.io"
        body["metadata"] = {"name": "foos.x.kubernetes.io", "annotations": {"api-approved.kubernetes.io": said}}
        assert [path for _, path in found(body)] == paths


def test_a_version_that_is_gone() -> None:
    body = {**definition(), "apiVersion": "apiextensions.k8s.io/v1beta1"}
    assert found(body) == [("api-version-not-served", "apiVersion")]


UNKNOWN = """
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: foos.example.com, foo: 1}
spec:
  group: example.com
  scope: Namespaced
  foo: 1
  names: {kind: Foo, plural: foos}
  versions:
  - name: v1
    served: true
    storage: true
    schema:
      openAPIV3Schema:
        type: object
        properties:
          spec:
            type: string
            minLenght: 1
            pattern: (a
"""


def lines(root: Path, text: str, capsys: pytest.CaptureFixture[str]) -> list[tuple[str, int]]:
    (root / "crd.yaml").write_text(text)
    assert main(["lint", "--format", "json", str(root / "crd.yaml")]) == 1
    return [(f["rule"], f["line"]) for f in json.loads(capsys.readouterr().out)["findings"]]


def test_findings_name_their_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    unknown = [("field-unknown", line) for line in (4, 8, 20)]
    assert lines(tmp_path, UNKNOWN, capsys) == [*unknown, ("definition-broken", 21)]
    assert lines(tmp_path, UNKNOWN.replace("(a", "a"), capsys) == unknown
