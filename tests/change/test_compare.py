"""What is different: objects and their fields, amounts, and what several environments share."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

import generator.change
from generator.change.compare import changes, once
from generator.change.fields import differences
from generator.change.model import ABSENT, Change
from generator.finding import Finding, Layer, Location, ObjectRef, Severity
from tests.builders import H100, text
from tests.change.builders import extra, quotas, repository, side, team

TRAIN = "training: h100: {accelerators: 8}"
SECRET = "apiVersion: v1\nkind: Secret\nmetadata: {name: s, namespace: work}\nstringData: {token: %s}\n"


@pytest.mark.parametrize(
    ("old", "new", "want"),
    [
        ({"a": 1}, {"a": 1}, []),
        ({"a": 1}, {"a": 2}, [("a", 1, 2)]),
        ({"a": 1}, {"b": 2}, [("b", ABSENT, 2), ("a", 1, ABSENT)]),
        ({"a": {"b": 1}}, {"a": 1}, [("a", {"b": 1}, 1)]),
        ({"m": {"x/y.z": "1"}}, {"m": {"x/y.z": "2"}}, [('m["x/y.z"]', "1", "2")]),
        ({"a": [1, 2]}, {"a": [1, 3]}, [("a[1]", 2, 3)]),
        ({"a": [1, 2]}, {"a": [1]}, [("a", [1, 2], [1])]),
        ({"a": []}, {"a": [{"name": "x"}]}, [("a", [], [{"name": "x"}])]),
        (
            {"a": [{"name": "x", "n": 1}, {"name": "y"}]},
            {"a": [{"name": "y"}, {"name": "x", "n": 2}]},
            [("a[name=x].n", 1, 2), ("a", ["x", "y"], ["y", "x"])],
        ),
        (
            {"a": [{"name": "x"}]},
            {"a": [{"name": "y"}, {"name": "x"}]},
            [("a[name=y]", ABSENT, {"name": "y"})],
        ),
        ({"a": [{"name": "x"}] * 2}, {"a": [{"name": "x"}]}, [("a", [{"name": "x"}] * 2, [{"name": "x"}])]),
    ],
)
def test_fields(old: Any, new: Any, want: list[tuple[str, Any, Any]]) -> None:
    assert [tuple(change) for change in differences(old, new)] == want


def between(old: dict[str, Any], new: dict[str, Any]) -> list[Change]:
    return changes({"prod": side(repository(**old))}, {"prod": side(repository(**new))})


def amounts(change: Change) -> list[tuple[str | None, ...]]:
    rows = (*change.quotas, *change.pools)
    return [(c.cluster_queue, c.pool, c.resource, text(c.resource, c.old), text(c.resource, c.new)) for c in rows]


def objects(change: Change) -> list[str]:
    return [f"{found.change} {found.key}" for found in change.objects]


def test_nothing_changes() -> None:
    assert between({"quotas": quotas(team(TRAIN))}, {"quotas": f"# a comment\n{quotas(team(TRAIN))}"}) == []


def test_amounts_and_objects_of_a_larger_quota() -> None:
    before, after = (quotas(team(f"training: h100: {{accelerators: {count}}}")) for count in (8, 16))
    (change,) = between({"quotas": before}, {"quotas": after})
    assert (change.environment, change.change) == ("prod", "changed")
    assert amounts(change) == [
        ("vision-training", "h100", "cpu", "100", "200"),
        ("vision-training", "h100", "memory", "1000Gi", "2000Gi"),
        ("vision-training", "h100", "nvidia.com/gpu", "8", "16"),
    ]
    (found,) = change.objects
    assert (str(found.key), found.api_version, found.team) == (
        "ClusterQueue vision-training",
        "kueue.x-k8s.io/v1beta2",
        "vision",
    )
    group = "spec.resourceGroups[0].flavors[name=h100].resources[name=nvidia.com/gpu]"
    assert tuple(found.fields[-1]) == (f"{group}.nominalQuota", "8", "16")


def test_what_a_pool_can_schedule() -> None:
    more = H100.replace("nodes: 2", "nodes: 3")
    (change,) = between({"pools": (H100,)}, {"pools": (more,)})
    assert amounts(change) == [
        (None, "h100", "nvidia.com/gpu", "16", "24"),
        (None, "h100", "cpu", "200", "300"),
        (None, "h100", "memory", "2000Gi", "3000Gi"),
    ]


def test_a_queue_comes_and_goes() -> None:
    one, two = quotas(team(TRAIN)), quotas(team(TRAIN, "night: h100: {accelerators: 1}"))
    (there,), (back,) = between({"quotas": one}, {"quotas": two}), between({"quotas": two}, {"quotas": one})
    assert objects(there) == ["created ClusterQueue vision-night", "created LocalQueue work/night"]
    assert objects(back) == ["removed ClusterQueue vision-night", "removed LocalQueue work/night"]
    assert [row[3:] for row in amounts(there)] == [row[:2:-1] for row in amounts(back)]


def test_a_patch_of_an_operator_is_a_change_of_its_subscription() -> None:
    manual = "operators: {kueue: {approval: Manual}}\n"
    (change,) = between({}, {"environment": manual})
    assert objects(change) == ["changed Subscription openshift-kueue-operator/kueue-operator"]
    assert [tuple(field) for field in change.objects[0].fields] == [
        ("spec.installPlanApproval", "Automatic", "Manual"),
    ]


def test_a_new_api_version_keeps_an_object_what_it_is() -> None:
    (change,) = between({"kueue": "1.2", "quotas": quotas(team(TRAIN))}, {"quotas": quotas(team(TRAIN))})
    assert {found.change for found in change.objects} == {"changed"}


def test_a_secret_is_never_shown() -> None:
    spaced = {"quotas": quotas(team(TRAIN))}
    (change,) = between({**spaced, "extra": extra(s=SECRET % "one")}, {**spaced, "extra": extra(s=SECRET % "two")})
    assert [tuple(field) for field in change.objects[0].fields] == [("stringData.token", None, None)]


def test_an_environment_comes_and_goes() -> None:
    there = {"prod": side(repository())}
    (came,), (went,) = changes({}, there), changes(there, {})
    assert (came.change, went.change) == ("created", "removed")
    assert {found.change for found in came.objects} == {"created"}
    assert {found.change for found in went.objects} == {"removed"}


def test_one_cause_in_several_environments_is_told_once() -> None:
    def one(environment: str, line: int = 1) -> Finding:
        place = Location("environments/fleet.yaml", line, 1)
        about = ObjectRef(environment, "WorkloadPriorityClass", "batch")
        return Finding("priority-value-edited", Severity.WARNING, Layer.CHANGE, "edited", place, None, about)

    assert once([one("dev"), one("prod"), one("prod", 2)]) == [one("dev"), one("prod", 2)]


def test_every_rule_is_known_to_waivers() -> None:
    sources = "".join(path.read_text() for path in Path(generator.change.__path__[0]).glob("[a-z]*.py"))
    named = set(re.findall(r'^\s+"([a-z]+(?:-[a-z]+)+)",$', sources, re.MULTILINE))
    assert named - {"waiver-ends-soon"} == generator.change.RULES  # that of policy, which check has, too
