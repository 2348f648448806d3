"""Operators of which OLM installs none, or not so."""

from __future__ import annotations

import pytest

from tests.validate.builders import Body, rules, subscription

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
