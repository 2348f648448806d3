"""CEL of somebody's own ValidatingAdmissionPolicies: what the API server of a release would refuse."""

from __future__ import annotations

from typing import Any

import pytest
import yaml

from generator.commands.lint import target
from generator.finding import Finding, Location
from generator.manifest import Manifest
from generator.source import parse
from generator.validate import admission_policies
from generator.validate.cel.admission import CONDITION, VALIDATION, defect
from generator.validate.cel.functions import missing
from generator.validate.cluster import Cluster

TAKEN = [
    ("object.spec.replicas <= 5", "BOOL"),
    ("has(object.spec) && request.operation == 'CREATE'", "BOOL"),
    ("variables.known", "BOOL"),  # of a type that only the server knows
    ("variables.known ? 'a' : 'b'", "STRING"),
    ("'%s'.format([object.metadata.name])", "STRING"),
    ("authorizer.group('').resource('pods').namespace('a').name('b').check('get').allowed()", "BOOL"),
    ("authorizer.requestResource.check('use').reason() == ''", "BOOL"),
    ("authorizer.serviceAccount('a', 'b').path('/healthz').check('get').errored()", "BOOL"),
    ("image('a/b:c').tag() == 'c' && isImage('a')", "BOOL"),
    ("params == null || namespaceObject.metadata.name == params.data.name", "BOOL"),
    ("'math' == object.math && object.format == 'x' && object.cel.bind == 1", "BOOL"),
    ("object.spec.x.filter(x, x > 1).map(y, y * 2).existsOne(z, z == 4)", "BOOL"),
    ("object.a in ['x'] && !(object.b in [1])", "BOOL"),
    ("[1, 2].sum() == 3 && 'a'.find('b') == '' && isQuantity('1') && optional.of(1).hasValue()", "BOOL"),
]


@pytest.mark.parametrize(("expression", "result"), TAKEN)
def test_what_the_server_takes(expression: str, result: str) -> None:
    assert defect(expression, result, VALIDATION, ["known"], "1.35") is None


LATER = [
    ("ip('::1') == ip('::1')", "1.31"),
    ("cidr('10.0.0.0/8').containsIP('10.0.0.1')", "1.31"),
    ("!format.dns1123Label().validate('a').hasValue()", "1.32"),
    ("semver('1.0.0').major() == 1", "1.34"),
]


@pytest.mark.parametrize(("expression", "release"), LATER)
def test_a_function_is_there_one_release_after_it_came(expression: str, release: str) -> None:
    """So that the server can go back by one."""
    before = f"1.{int(release.split('.')[1]) - 1}"
    assert list(missing(expression, release)) == []
    assert list(missing(expression, None)) == []
    first, *_ = missing(expression, before)
    assert first.endswith(f", which API servers know from Kubernetes {release} on")


REFUSED = [
    (
        "object.spec.hostNetwork",
        "BOOL",
        "gives a value of a type that only a request tells, and not bool: write … == true",
    ),
    ("object.spec.a", "STRING", "gives a value of a type that only a request tells, and not string: write string(…)"),
    ("1 + 1", "STRING", "gives int and not string"),
    ("shown(1, 'cpu') == ''", "BOOL", "calls shown, which no API server knows"),
    ("cel.bind(x, 1, x == 1)", "BOOL", "calls cel.bind, which no API server knows"),
    ("math.greatest(1, 2) == 2", "BOOL", "calls math.greatest, which no API server knows"),
    ("variables.b", "BOOL", "reads variables.b, which is not declared before it"),
    ("object.`a-b` == 1", "BOOL", "names a field in backticks, which API servers do not read: write ['…']"),
    ("item == 1", "BOOL", "does not compile: 1:1: undeclared reference to 'item' (in container '')"),
]


@pytest.mark.parametrize(("expression", "result", "why"), REFUSED)
def test_what_it_refuses(expression: str, result: str, why: str) -> None:
    assert defect(expression, result, VALIDATION, ["a"], None) == why


def test_a_match_condition_knows_less() -> None:
    for name in ("variables.a == 1", "namespaceObject == null", "params == null"):
        assert defect(name, "BOOL", VALIDATION, ["a"], None) is None
        assert defect(name, "BOOL", CONDITION, ["a"], None) is not None


POLICY = """
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicy
metadata: {name: own}
spec:
  variables: [{name: a, expression: variables.b}, {name: b, expression: 'true'}]
  validations: [{expression: "ip('::1').family() == 6"}, {expression: variables.b, messageExpression: ' '}]
  auditAnnotations: [{key: x, valueExpression: "object."}]
"""


def judged(text: str, on: str = "openshift=4.20") -> list[Finding]:
    documents, _ = parse(text.encode(), "guard.yaml")
    objects = [Manifest(document.root, Location("guard.yaml", 1, 1)) for document in documents]
    return list(admission_policies.check(Cluster(objects, target(on))))


def test_each_expression_is_judged_at_its_place() -> None:
    found = judged(POLICY)
    assert [(str(f.location), f.path, f.layer, f.rule) for f in found] == [
        ("guard.yaml:6:37", "spec.variables[0].expression", "cel", "admission-expression-refused"),
        ("guard.yaml:8:48", "spec.auditAnnotations[0].valueExpression", "cel", "admission-expression-refused"),
    ]
    assert [f.message.split(": ")[1] for f in found] == [
        "expression reads variables.b, which is not declared before it",
        "valueExpression does not compile",
    ]


def test_the_release_counts_where_it_is_known() -> None:
    assert len(judged(POLICY, "openshift=4.17")) == 3
    assert len(judged(POLICY, "kueue=1.3")) == 2


@pytest.mark.parametrize("spec", ["spec: 1", "spec: {validations: 1}", "spec: {validations: [1, {expression: 1}]}", ""])
def test_odd_ones_are_left_to_the_schema(spec: str) -> None:
    text = (
        f"apiVersion: admissionregistration.k8s.io/v1\nkind: ValidatingAdmissionPolicy\nmetadata: {{name: a}}\n{spec}\n"
    )
    assert judged(text) == []


def test_ours_are_left_to_their_tests() -> None:
    """They are no text that somebody wrote, and a compile should not pay for them."""
    body: dict[str, Any] = yaml.safe_load(POLICY)
    assert list(admission_policies.check(Cluster([Manifest(body, Location("x"))], target("openshift=4.20")))) == []
