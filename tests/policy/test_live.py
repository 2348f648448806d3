"""Policies that the cluster enforces, too: the same verdict there as here, or a reason why not."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from generator.finding import Finding, Location
from generator.manifest import Manifest
from generator.policy import gate, shipped
from generator.policy.load import load
from generator.policy.model import Policy
from generator.policy.selftest import outcome
from tests.admission import Request, admit
from tests.builders import plan
from tests.policy.written import PATH, said, text

MANAGED = {"kueue.openshift.io/managed": "true"}
JOBS = {
    "each": "manifests.Job",
    "rule": "item.spec.parallelism <= params.most",
    "message": "'\"%s has %d\".format([item.metadata.name, item.spec.parallelism])'",
    "examples": "{pass: [{name: a, manifests: {Job: {metadata: {name: a}, spec: {parallelism: 2}}}}],"
    " fail: [{name: b, manifests: {Job: {metadata: {name: b}, spec: {parallelism: 3}}}}]}",
}
ASKED = "guardrails: {policies: {too-many: Deny}, breakGlass: {groups: [night-watch]}}\n"


def written(**changes: str | None) -> dict[str, Policy]:
    policies, findings = load({PATH: text(**{**JOBS, **changes})})
    assert said(findings) == []
    return policies


def guards(
    environment: str = ASKED, policies: Mapping[str, Policy] | None = None, **parts: str
) -> tuple[list[Manifest], list[Finding]]:
    return gate.guards(written() if policies is None else policies, plan(environment=environment, **parts))


def job(parallelism: int, **metadata: Any) -> dict[str, Any]:
    metadata = {"name": "x", "namespace": "vision", **metadata}
    return {"apiVersion": "batch/v1", "kind": "Job", "metadata": metadata, "spec": {"parallelism": parallelism}}


def test_an_environment_that_asks_for_none_gets_none() -> None:
    assert guards("") == ([], [])


def test_the_cluster_says_what_check_says() -> None:
    found, findings = guards()
    assert findings == []
    bodies = [m.body for m in found]
    assert [m.name for m in found] == ["apportion-policy-too-many"] * 2
    assert admit(bodies, Request("jobs", object=job(2), namespace=MANAGED)).denied == []
    assert admit(bodies, Request("jobs", object=job(3), namespace=MANAGED)).denied == [
        "x has 3; take fewer; in an emergency group night-watch may"
    ]
    assert admit(bodies, Request("jobs", object=job(3), namespace=MANAGED, groups=["night-watch"])).denied == []
    assert admit(bodies, Request("jobs", object=job(3), namespace={})).denied == []  # the platform's own
    assert admit(bodies, Request("jobs", old=job(3), namespace=MANAGED)).denied == []


def test_what_is_being_deleted_is_left_alone() -> None:
    bodies = [m.body for m in guards()[0]]
    going = job(3, deletionTimestamp="2026-11-30T00:00:00Z")
    assert admit(bodies, Request("jobs", object=going, old=going, namespace=MANAGED)).denied == []
    assert len(admit(bodies, Request("jobs", object=job(3), old=job(3), namespace=MANAGED)).denied) == 1


def test_parameters_are_the_environments() -> None:
    bodies = [m.body for m in guards(ASKED + "policyParameters: {most: 5}\n")[0]]
    verdicts = [len(admit(bodies, Request("jobs", object=job(n), namespace=MANAGED)).denied) for n in (5, 6)]
    assert verdicts == [0, 1]


def test_actions() -> None:
    for action in ("Deny", "Warn", "Audit"):
        found, _ = guards(f"guardrails: {{policies: {{too-many: {action}}}}}\n")
        assert found[1].body["spec"]["validationActions"] == [action]


EXPRESSIONS = [
    # rule, its translation (params: most 2)
    ("item.spec.suspend", "(object.spec.suspend) == true"),
    ("has(item.spec.suspend)", "has(object.spec.suspend)"),
    ("item.spec.item == 'item'", "object.spec.item == 'item'"),
    ("item.metadata.name in ['a', item.kind]", "object.metadata.name in [dyn('a'), dyn(object.kind)]"),
    ("item.a[0] == 1 && [].size() == 0", "object.a[0] == 1 && [].size() == 0"),
    ("item.a.all(x, x in [[1, 2], [x]])", "object.a.all(x, x in [dyn([dyn(1), dyn(2)]), dyn([dyn(x)])])"),
    ("[?item.?a, 1].size() < params.most", "[?object.?a, dyn(1)].size() < variables.most"),
    ("item.a == 1 // item", "object.a == 1"),
    ("'%s'.format([item.a]) == r'\\d'", "'%s'.format([dyn(object.a)]) == r'\\d'"),
    ("quantity(item.a).isLessThan(quantity('1'))", "quantity(object.a).isLessThan(quantity('1'))"),
    ("sets.contains([1], [1]) && isIP('::1')", "sets.contains([dyn(1)], [dyn(1)]) && isIP('::1')"),
]


def quick(**changes: str) -> dict[str, Policy]:
    """Return the policy, unchecked: its examples do not fit."""
    policies, findings = load(
        {PATH: text(**{**JOBS, "message": "'\"no\"'", "examples": None, **changes})}, thorough=False
    )
    assert findings == []
    return policies


def quoted(expression: str) -> str:
    doubled = expression.replace("'", "''")
    return f"'{doubled}'"


@pytest.mark.parametrize(("rule", "expected"), EXPRESSIONS)
def test_how_an_expression_is_translated(rule: str, expected: str) -> None:
    found, findings = guards(policies=quick(rule=quoted(rule)))
    assert said(findings) == []
    assert found[0].body["spec"]["validations"][0]["expression"] == f"({expected})"


MESSAGES = [
    ("item.metadata.name", "(string(object.metadata.name))"),
    ("item.metadata.name + ' is no'", "(object.metadata.name + ' is no')"),
    ("'%d'.format([params.most])", "('%d'.format([dyn(variables.most)]))"),
]


@pytest.mark.parametrize(("message", "expected"), MESSAGES)
def test_how_a_message_is_translated(message: str, expected: str) -> None:
    found, findings = guards("guardrails: {policies: {too-many: Deny}}\n", quick(message=quoted(message)))
    assert said(findings) == []
    assert found[0].body["spec"]["validations"][0]["messageExpression"] == f'{expected} + "; take fewer"'


REFUSED = [
    ({"each": "plan.shares"}, "it judges plan.shares, which no single object of the cluster holds"),
    ({"each": "changes.objects"}, "it judges changes.objects, which no single object of the cluster holds"),
    ({"each": "manifests.Widget"}, "kind Widget is of no API group that is known"),
    ({"rule": "environment.name == 'prod'"}, "its rule reads environment, which the API server does not have"),
    ({"where": "environment.name == 'prod'"}, "its where reads environment, which the API server does not have"),
    ({"message": "item.a.listed()"}, "its message calls listed, which is Apportion's own"),
    ({"message": "shown(1, 'cpu')"}, "its message calls shown, which is Apportion's own"),
    ({"rule": "cel.bind(x, item.a, x == 1)"}, "its rule calls cel.bind, which no API server knows"),
    ({"rule": "math.greatest(item.a, 1) == 1"}, "its rule calls math.greatest, which no API server knows"),
    ({"rule": "isSemver(item.a)"}, "its rule calls isSemver, which API servers know from Kubernetes 1.34 on"),
    ({"rule": "item.a.exists(object, object == 1)"}, "its rule calls something object itself"),
    ({"rule": "item.a.exists(item, item == 1)"}, "its rule calls something item itself"),
    ({"rule": "item.a.exists(params, params == 1)"}, "its rule calls something params itself"),
    ({"rule": "params['most'] == 1"}, "its rule uses params as a whole"),
    ({"rule": "has(params.most)"}, "its rule uses params as a whole"),
    (
        {"rule": "item.`item` == 1"},
        "its rule names a field in backticks, which API servers do not read: write ['…']",
    ),
    ({"rule": "item.a in {1: 2}"}, "its rule makes a mapping, whose values have to be of one type"),
    ({"params": "{most: {a: 1}}"}, "its parameter most is neither text, number, boolean nor a list of them"),
]


@pytest.mark.parametrize(("changes", "why"), REFUSED, ids=[why for _, why in REFUSED])
def test_what_the_api_server_cannot_enforce_is_refused(changes: dict[str, str], why: str) -> None:
    chosen = quick(**{key: value if key in ("each", "params") else quoted(value) for key, value in changes.items()})
    found, (finding,) = guards(policies=chosen)
    assert found == []
    assert said([finding]) == [
        "environments/prod/environment.yaml:6:25 policy-not-for-admission "
        f"the API server cannot enforce policy too-many: {why}"
    ]
    assert finding.fix is not None
    assert finding.fix.endswith(", or take the policy out of guardrails: check goes on to apply it")
    (place,) = [related.location for related in finding.related]
    assert place.file == PATH
    line = {"rule": 7, "message": 8, "where": 13}.get(next(iter(changes)), 3)
    assert place.line == line


def test_what_a_later_server_knows() -> None:
    semver = quick(rule=quoted("isSemver(item.a)"))
    assert guards(policies=semver, openshift="4.21")[1] == []
    listed = quick(rule=quoted("item.a.listed() == ''"))
    assert len(guards(policies=listed, openshift="4.21")[1]) == 1


def test_constants_are_of_every_kind() -> None:
    params = "{a: 'quo\"te', b: true, c: 1.5, d: [x, 'y'], e: -1, unread: {}}"
    rule = "item.a == params.a && params.b && params.c > item.c && item.d in params.d && params.e < 0"
    found, findings = guards(policies=quick(rule=quoted(rule), params=params))
    assert said(findings) == []
    assert found[0].body["spec"]["variables"] == [
        {"name": "a", "expression": '"quo\\"te"'},
        {"name": "b", "expression": "true"},
        {"name": "c", "expression": "dyn(1.5)"},
        {"name": "d", "expression": '[dyn("x"), dyn("y")]'},
        {"name": "e", "expression": "dyn(-1)"},
    ]


def test_an_unknown_policy_is_told_with_the_likely_one() -> None:
    found, (finding,) = guards("guardrails: {policies: {too-mny: Deny}}\n")
    assert found == []
    assert said([finding]) == [
        "environments/prod/environment.yaml:6:25 unknown-policy guardrails.policies has too-mny, which is no policy"
    ]
    assert finding.fix == "did you mean too-many? those about objects are too-many"


def test_an_older_openshift_gets_nothing() -> None:
    """The plan says so; here nothing is made beside that."""
    from generator.plan.resolve import resolve
    from tests.builders import inputs

    made, findings = resolve(inputs(environment=ASKED, openshift="4.16", openshift_ai="2.25", kueue="1.0"), None)
    assert made is not None
    assert "guardrails-need-openshift" in [f.rule for f in findings]
    assert gate.guards(written(), made) == ([], [])


def test_every_group_of_a_kind_is_meant() -> None:
    found, _ = guards(policies=quick(each="manifests.HardwareProfile", rule=quoted("item.a == 1")))
    constraints = found[0].body["spec"]["matchConstraints"]
    groups = [rule["apiGroups"] for rule in constraints["resourceRules"]]
    assert groups == [["dashboard.opendatahub.io"], ["infrastructure.opendatahub.io"]]
    assert constraints["namespaceSelector"] == {}


ABOUT_OBJECTS = [p for p in shipped.policies(None, thorough=True)[0].values() if p.each.startswith("manifests.")]
NOT_LIVE = {"cluster-admin-for-all"}  # says names with `listed`


@pytest.mark.parametrize("policy", ABOUT_OBJECTS, ids=lambda p: p.id)
def test_shipped_policies_judge_their_examples_alike(policy: Policy) -> None:
    found, findings = guards(f"guardrails: {{policies: {{{policy.id}: Deny}}}}\n", {policy.id: policy})
    assert {f.rule for f in findings} == ({"policy-not-for-admission"} if policy.id in NOT_LIVE else set())
    if findings:
        return
    rules = found[0].body["spec"]["matchConstraints"]["resourceRules"]
    for example in (*policy.passing, *policy.failing):
        for item in example.items:
            version = "/".join(part for part in (rules[0]["apiGroups"][0], "v1") if part)
            of = {"apiVersion": version, "kind": policy.each.removeprefix("manifests."), **item}
            answer = admit([m.body for m in found], Request(rules[0]["resources"][0], object=of, namespace=MANAGED))
            alone = type(example)("", [item], example.environment, example.params, Location("x"))
            expected = [f"{f.message}; {policy.fix}" for f in outcome(policy, alone)]
            assert answer.denied == expected, example.name
