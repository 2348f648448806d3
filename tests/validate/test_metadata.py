"""ObjectMeta: names by kind, labels, annotations, and what the server does to the rest."""

from __future__ import annotations

from typing import Any

import pytest

from generator.finding import Severity
from generator.schemas.load import Target, schema
from generator.validate.objects import validate_object
from tests.validate.things import body, thing

SCHEMA = thing({"type": "object"})
OWNER = {"apiVersion": "v1", "kind": "A", "name": "b", "uid": "c", "controller": True}


@pytest.mark.parametrize(
    "metadata",
    [
        {"name": "a.b-c"},
        {"name": "a" * 253},
        {"generateName": "a-", "name": "x"},
        {"labels": {"app.kubernetes.io/name": "A_b.c-1", "plain": ""}},
        {"labels": {"a": "x" * 63}},
        {"labels": {"x" * 253 + "/" + "a" * 63: "x"}},
        {"labels": None},
        {"annotations": {"Example.COM/Some_Key": "any\ntext\u00e9"}},
        {"annotations": {"a": "x" * (256 * 1024 - 1)}},
        {"finalizers": ["example.com/guard"]},
        {"creationTimestamp": None},
        {"ownerReferences": [OWNER]},
    ],
    ids=lambda metadata: str(metadata)[:60],
)
def test_accepted(metadata: dict[str, Any]) -> None:
    assert validate_object(body({}, **metadata), SCHEMA) == []


@pytest.mark.parametrize(
    ("metadata", "path", "kind"),
    [
        ({"name": "A"}, "metadata.name", "Invalid value"),
        ({"name": "a" * 254}, "metadata.name", "Invalid value"),
        ({"name": "a\n"}, "metadata.name", "Invalid value"),
        ({"labels": {"a": "-b"}}, "metadata.labels", "Invalid value"),
        ({"labels": {"a": "x" * 64}}, "metadata.labels", "Invalid value"),
        ({"labels": {"a": True}}, "metadata.labels", "Invalid value"),
        ({"labels": {"a b": "c"}}, "metadata.labels", "Invalid value"),
        ({"labels": {"Example.com/a": "c"}}, "metadata.labels", "Invalid value"),
        ({"labels": {"x" * 64: "c"}}, "metadata.labels", "Invalid value"),
        ({"labels": {"x" * 254 + "/a": "c"}}, "metadata.labels", "Invalid value"),
        ({"annotations": {"a/b/c": "d"}}, "metadata.annotations", "Invalid value"),
        ({"annotations": {"a": 1}}, "metadata.annotations", "Invalid value"),
        ({"annotations": {"a": "x" * (256 * 1024)}}, "metadata.annotations", "Too long"),
        ({"annotations": {"a": "\u20ac" * (256 * 1024 // 3 + 1)}}, "metadata.annotations", "Too long"),
        ({"namespace": "a.b"}, "metadata.namespace", "Invalid value"),
        ({"finalizers": ["not a name"]}, "metadata.finalizers[0]", "Invalid value"),
        ({"lables": {}}, "metadata.lables", "unknown field"),
        ({"ownerReferences": [{**OWNER, "uid": ""}]}, "metadata.ownerReferences[0].uid", "Invalid value"),
    ],
    ids=lambda value: str(value)[:60],
)  # fmt: skip
def test_refused(metadata: dict[str, Any], path: str, kind: str) -> None:
    found = validate_object(body({}, **metadata), SCHEMA)
    assert [(violation.path, violation.kind_of_error) for violation in found] == [(path, kind)]


def test_an_object_without_a_name() -> None:
    nameless = {"apiVersion": "example.com/v1", "kind": "Thing", "metadata": {}}
    assert [(v.path, v.kind_of_error) for v in validate_object(nameless, SCHEMA)] == [
        ("metadata.name", "Required value")
    ]
    assert validate_object({**nameless, "metadata": {"generateName": "x-"}}, SCHEMA) == []


def test_another_kind_or_version() -> None:
    other = {**body({}), "kind": "Other", "apiVersion": "v1"}
    assert sorted(v.path for v in validate_object(other, SCHEMA)) == ["apiVersion", "kind"]


@pytest.mark.parametrize(
    ("group", "kind", "good", "bad"),
    [
        ("", "Namespace", "team-a", "team.a"),
        ("", "ConfigMap", "a.b", "a_b"),
        ("", "Service", "web-1", "1-web"),
        ("rbac.authorization.k8s.io", "ClusterRole", "system:Some.role", "a/b"),
        ("rbac.authorization.k8s.io", "RoleBinding", "..a", ".."),
    ],
)
def test_names_of_built_in_kinds(group: str, kind: str, good: str, bad: str) -> None:
    found = schema(group, kind, "v1", Target())
    assert found is not None
    paths = [
        [
            v.path
            for v in validate_object({"apiVersion": found.api_version, "kind": kind, "metadata": {"name": name}}, found)
        ]
        for name in (good, bad)
    ]
    assert ["metadata.name" in path for path in paths] == [False, True]


def test_a_namespace_on_a_kind_of_the_cluster_is_dropped_by_the_server() -> None:
    found = schema("kueue.x-k8s.io", "ResourceFlavor", "v1beta2", Target())
    assert found is not None
    flavor = {"apiVersion": found.api_version, "kind": found.kind, "metadata": {"name": "a", "namespace": "b"}}
    assert [(v.rule, v.severity) for v in validate_object(flavor, found)] == [("namespace-ignored", Severity.WARNING)]
