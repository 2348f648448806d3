"""The evaluator of admission that other tests rely on, at the corners where it would let a mistake pass."""

from __future__ import annotations

from typing import Any

import pytest

from tests.admission import Answer, EvaluationError, Request, admit, objections

POD = {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "x", "labels": {"a": "b"}}, "spec": {"n": 1}}


def spec(expression: str = "false", **more: Any) -> dict[str, Any]:
    rule = {"apiGroups": [""], "apiVersions": ["v1"], "operations": ["CREATE"], "resources": ["pods"]}
    constraints = {"resourceRules": [rule | more.pop("rule", {})]} | more.pop("match", {})
    return {"matchConstraints": constraints, "validations": [{"expression": expression, "message": "no"}]} | more


def said(of: dict[str, Any], **request: Any) -> list[str]:
    return list(objections(of, Request(**{"resource": "pods", "object": POD, "namespace": {"c": "d"}} | request)))


NO = ["no"]
MATCHES: list[tuple[dict[str, Any], dict[str, Any], list[str]]] = [
    ({}, {}, NO),
    ({"rule": {"operations": ["DELETE"]}}, {}, []),
    ({"rule": {"operations": ["DELETE"]}}, {"object": None, "old": POD}, NO),
    ({"rule": {"operations": ["*"]}}, {"old": POD}, NO),
    ({"rule": {"apiGroups": ["apps"]}}, {}, []),
    ({"rule": {"apiVersions": ["v2"]}}, {}, []),
    ({"rule": {"resources": ["*"]}}, {}, NO),
    ({"rule": {"resources": ["*"]}}, {"resource": "pods/status"}, []),
    ({}, {"resource": "pods/status"}, []),
    ({"rule": {"resources": ["pods/status"]}}, {"resource": "pods/status"}, NO),
    ({"rule": {"scope": "Cluster"}}, {}, []),
    ({"rule": {"scope": "Cluster"}}, {"namespace": None}, NO),
    ({"match": {"namespaceSelector": {"matchLabels": {"c": "e"}}}}, {}, []),
    ({"match": {"namespaceSelector": {"matchLabels": {"c": "e"}}}}, {"namespace": None}, NO),
    ({"match": {"namespaceSelector": {"matchExpressions": [{"key": "c", "operator": "Exists"}]}}}, {}, NO),
    ({"match": {"objectSelector": {"matchLabels": {"a": "z"}}}}, {}, []),
    ({"match": {"objectSelector": {"matchExpressions": [{"key": "a", "operator": "In", "values": ["b"]}]}}}, {}, NO),
    ({"match": {"objectSelector": {"matchExpressions": [{"key": "a", "operator": "NotIn", "values": ["b"]}]}}}, {}, []),
]


@pytest.mark.parametrize(("changes", "request_of", "expected"), MATCHES)
def test_what_is_looked_at(changes: dict[str, Any], request_of: dict[str, Any], expected: list[str]) -> None:
    assert said(spec(**changes), **request_of) == expected


def condition(*expressions: str) -> dict[str, Any]:
    return {"matchConditions": [{"name": "c", "expression": e} for e in expressions]}


def test_conditions() -> None:
    assert said(spec(**condition("request.userInfo.username == 'ana'"))) == NO
    assert said(spec(**condition("request.userInfo.username == 'bob'"))) == []
    assert len(said(spec(**condition("object.spec.absent == 1")))) == 1  # it fails, and so the request
    assert said(spec(**condition("object.spec.absent == 1", "false"))) == []  # one that is false decides
    assert said(spec(**condition("object.spec.absent == 1"), failurePolicy="Ignore")) == []
    (unknown,) = said(spec(**condition("namespaceObject == null")))
    assert "undeclared reference to 'namespaceObject'" in unknown
    (unknown,) = said(spec(**condition("variables.a")))
    assert "undeclared reference to 'variables.a'" in unknown


def test_variables_are_evaluated_where_they_are_read() -> None:
    declared = [
        {"name": "broken", "expression": "object.spec.absent"},
        {"name": "n", "expression": "object.spec.n"},
        {"name": "twice", "expression": "variables.n + variables.n"},
    ]
    assert said(spec("variables.twice == 2", variables=declared)) == []
    assert said(spec("variables.twice == 3", variables=declared)) == NO
    assert len(said(spec("variables.broken == 1", variables=declared))) == 1
    with pytest.raises(KeyError):
        said(spec("variables.nowhere == 1", variables=declared))


def test_an_expression_that_fails_or_gives_no_boolean_objects() -> None:
    assert len(said(spec("object.spec.absent == 1"))) == 1
    assert said(spec("object.spec.absent == 1", failurePolicy="Ignore")) == []
    assert said(spec("object.spec.n")) == NO
    assert len(said(spec("cel.bind(x, 1, x == 1)"))) == 1  # no API server has it
    assert said(spec("has(namespaceObject.metadata.labels.c) && request.dryRun == false")) == []


def test_messages() -> None:
    def told(expression: str) -> list[str]:
        of = spec()
        of["validations"][0]["messageExpression"] = expression
        return said(of)

    assert told("'x is ' + object.metadata.name") == ["x is x"]
    assert told("object.absent") == told("''") == told("'a\\nb'") == told("object.spec.n") == NO


def test_bindings_say_what_becomes_of_an_objection() -> None:
    policy = {"kind": "ValidatingAdmissionPolicy", "metadata": {"name": "p"}, "spec": spec()}
    binding = {
        "kind": "ValidatingAdmissionPolicyBinding",
        "spec": {"policyName": "p", "validationActions": ["Warn", "Audit"]},
    }
    asked = Request("pods", object=POD, namespace={})
    assert admit([policy, binding], asked) == Answer([], NO, NO)
    assert admit([policy], asked) == Answer()


def test_errors_are_of_their_own() -> None:
    from tests.admission import _evaluate

    with pytest.raises(EvaluationError, match="Key not found"):
        _evaluate("object.a", {"object": {}})
