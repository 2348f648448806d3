"""Operators of which OLM installs none, or not so."""

from __future__ import annotations

from typing import Any

import pytest

from tests.validate.builders import Body, body, rules, subscription

TWICE = "error operator-twice"


def named(package: str, name: str, space: str = "a") -> Body:
    made = subscription(package, space)
    return {**made, "metadata": {**made["metadata"], "name": name}}


@pytest.mark.parametrize(
    ("bodies", "is_twice"),
    [
        ([named("kueue-operator", "k")], False),
        ([named("kueue-operator", "k"), named("kueue-operator", "l")], True),
        ([named("kueue-operator", "k"), named("kueue-operator", "k", "b")], True),
        ([named("kueue-operator", "k"), named("job-set", "k", "b")], False),
        ([named("job-set", "k"), named("job-set", "l")], True),
        ([named("job-set", "k"), named("job-set", "k", "b")], False),
        ([named("other", "k"), named("other", "l")], True),
        ([named("other", "k"), named("other", "k", "b")], False),
        ([named("kueue-operator", "k"), named("kueue-operator", "k")], False),
    ],
)
def test_operator_twice(bodies: list[Body], is_twice: bool) -> None:
    assert (TWICE in rules(bodies)) is is_twice


def group(**spec: Any) -> Body:
    return body("operators.coreos.com/v1", "OperatorGroup", "g", "a", spec=spec)


ALL, OWN, SINGLE, MULTI = (
    group(),
    group(targetNamespaces=["a"]),
    group(targetNamespaces=["b"]),
    group(targetNamespaces=["a", "b"]),
)
SELECTED = group(selector={"matchLabels": {"team": "a"}})


@pytest.mark.parametrize(
    ("package", "fits", "fails"),
    [
        ("kueue-operator", [ALL, group(targetNamespaces=[""])], [OWN, SINGLE, MULTI, SELECTED]),
        ("rhods-operator", [ALL], [OWN, SINGLE, MULTI, SELECTED]),
        ("job-set", [OWN, SINGLE, SELECTED], [ALL, MULTI]),
        ("leader-worker-set", [OWN, SELECTED], [ALL, SINGLE, MULTI]),
        ("nfd", [ALL, OWN, SINGLE, MULTI, SELECTED], []),
    ],
)
def test_operator_group_targets(package: str, fits: list[Body], fails: list[Body]) -> None:
    for groups, is_told in ((fits, False), (fails, True)):
        for made in groups:
            assert ("error operator-group-targets" in rules([named(package, package), made])) is is_told
