"""Objects of many namespaces share parts, which are judged once: what is found does not depend on the sharing."""

from __future__ import annotations

import copy
from typing import Any

import pytest

from generator.validate.all import judge
from tests.validate.builders import Body, cluster, flavor, local_queue, namespace, profile, queue

SPACES = ("one", "two", "three")


def bodies(spec: Body, notes: dict[str, Body]) -> list[Body]:
    """Return a queue for three namespaces, and a profile in each: all of one spec, with annotations by namespace."""
    names = {"matchExpressions": [{"key": "kubernetes.io/metadata.name", "operator": "In", "values": [*SPACES]}]}
    found = [flavor(), queue("all", namespaceSelector=names)]
    for space in SPACES:
        offer = profile(to="default", space=space)
        offer["spec"] = spec
        offer["metadata"]["annotations"] = notes.get(space, offer["metadata"]["annotations"])
        found += [namespace(space), local_queue(space=space, to="all"), offer]
    return found


def findings(objects: list[Body]) -> list[tuple[str, str, str]]:
    return [(f.rule, f"{f.object and f.object.namespace}", f.message) for f in judge(cluster(objects))]


def spec(**changes: Any) -> Body:
    found: Body = copy.deepcopy(profile()["spec"])
    found["identifiers"][0] |= changes
    return found


@pytest.mark.parametrize(
    ("change", "notes", "rules"),
    [
        ({}, {}, []),
        ({"minCount": 5}, {}, ["profile-counts-in-disorder"] * 3),
        ({"defaultCount": 100, "maxCount": 100}, {}, ["request-above-quota"] * 3),
        ({"maxCount": 100}, {}, ["request-above-quota"] * 3),
        ({"minCount": -1}, {}, ["profile-count"] * 3),
        ({}, {"two": {"opendatahub.io/disabled": "no"}}, ["profile-disabled"]),
        ({}, {"three": {"opendatahub.io/dashboard-feature-visibility": "["}}, ["profile-visibility"]),
    ],
)
def test_a_part_for_all_is_judged_like_a_copy_for_each(change: Body, notes: dict[str, Body], rules: list[str]) -> None:
    shared = bodies(spec(**change), notes)
    said = findings(shared)
    assert said == findings([copy.deepcopy(body) for body in shared])
    assert [rule for rule, space, _ in said if space in SPACES and rule in rules] == rules
    assert {rule for rule, _, _ in said if rule.startswith(("profile-", "request-"))} == set(rules)
