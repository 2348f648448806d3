from __future__ import annotations

import pytest
from syrupy.assertion import SnapshotAssertion

from generator.plan.model import Subjects
from tests.builders import TEAM, findings, plan, quotas, rules, text, whole


def team(more: str, name: str = "vision") -> str:
    return f"{{apiVersion: apportion.dev/v1, kind: Team, name: {name}, {more}}}"


def test_who_a_team_is() -> None:
    who = team(
        "displayName: Computer Vision, contact: v@example.com, costCenter: '4711', admins: {groups: [b, a, b]},"
        " members: {users: [zoe]}, viewers: {groups: [audit], users: [eve]}"
    )
    (found,) = plan(teams=[who], quotas=quotas()).teams
    assert (found.name, found.display_name, found.contact, found.cost_center, found.as_of) == (
        "vision",
        "Computer Vision",
        "v@example.com",
        "4711",
        None,
    )
    assert (found.admins, found.members, found.viewers) == (
        Subjects(("a", "b")),
        Subjects((), ("zoe",)),
        Subjects(("audit",), ("eve",)),
    )


def test_subjects_are_true_where_there_is_someone() -> None:
    assert [bool(who) for who in (Subjects(), Subjects(("a",)), Subjects((), ("a",)))] == [False, True, True]


def test_teams_by_name_and_only_those_with_quotas() -> None:
    teams = [TEAM, team("members: {groups: [a]}", "a"), team("members: {groups: [b]}", "b")]
    written = "teams: [{team: vision}, {team: a}]"
    assert [found.name for found in plan(teams=teams, quotas=written).teams] == ["a", "vision"]


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        ("{team: visoin}", ["quotas.yaml:5:10 unknown-team"]),
        ("{team: speech, cohort: ogr}", ["quotas.yaml:5:10 unknown-team", "quotas.yaml:5:26 unknown-cohort"]),
        ("{team: vision, cohort: research}", ["quotas.yaml:5:26 unknown-cohort"]),
        ("{team: vision, cohort: org}", []),
    ],
)
def test_refused(written: str, expected: list[str], snapshot: SnapshotAssertion) -> None:
    found = findings(quotas=f"cohorts: [{{name: org}}]\nteams:\n- {written}")
    assert rules(found) == expected
    assert whole(found) == snapshot


def test_namespaces() -> None:
    spaces = (
        "[{name: train, displayName: Training}, {name: dev, limitRange: {persistentVolumeClaim: {min: 1Gi, max: 1Ti}},"
        " resourceQuota: {requests.storage: 1.5Ti, pods: 100}}]"
    )
    (found,) = plan(quotas=quotas(namespaces=spaces)).teams
    dev, train = found.namespaces
    assert (train.name, train.team, train.display_name, train.claim_sizes, train.resource_quota) == (
        "train",
        "vision",
        "Training",
        {},
        {},
    )
    assert {edge: text("memory", size) for edge, size in dev.claim_sizes.items()} == {"min": "1Gi", "max": "1Ti"}
    assert list(dev.resource_quota) == ["pods", "requests.storage"]
    assert [text("memory", amount) for amount in dev.resource_quota.values()] == ["100", "1536Gi"]


@pytest.mark.parametrize(
    ("space", "expected"),
    [
        ("name: openshift-ai", ["quotas.yaml:4:51 reserved-name"]),
        ("name: kube-system", ["quotas.yaml:4:51 reserved-name"]),
        ("name: redhat-ods-operator", ["quotas.yaml:4:51 reserved-name"]),
        ("name: default", ["quotas.yaml:4:51 reserved-name"]),
        ("name: openshift", ["quotas.yaml:4:51 reserved-name"]),
        ("name: rhods-notebooks", ["quotas.yaml:4:51 reserved-name"]),
        ("name: nvidia-gpu-operator", ["quotas.yaml:4:51 reserved-name"]),
        ("name: openshift1", []),
        ("name: my-openshift-ai", []),
        ("name: defaults", []),
        ("name: dev, resourceQuota: {cpu: 1}", ["quotas.yaml:4:78 quota-beside-kueue"]),
        ("name: dev, resourceQuota: {requests.cpu: 1}", ["quotas.yaml:4:78 quota-beside-kueue"]),
        ("name: dev, resourceQuota: {limits.memory: 1}", ["quotas.yaml:4:78 quota-beside-kueue"]),
        ("name: dev, resourceQuota: {ephemeral-storage: 1}", ["quotas.yaml:4:78 quota-beside-kueue"]),
        ("name: dev, resourceQuota: {requests.nvidia.com/gpu: 1}", ["quotas.yaml:4:78 quota-beside-kueue"]),
        ("name: dev, resourceQuota: {habana.ai/gaudi: 1}", ["quotas.yaml:4:78 quota-beside-kueue"]),
        ("name: dev, resourceQuota: {cpus: 1}", ["quotas.yaml:4:78 invalid-value"]),
        ("name: dev, resourceQuota: {services.foo: 1}", ["quotas.yaml:4:78 invalid-value"]),
        ("name: dev, resourceQuota: {Pods: 1}", ["quotas.yaml:4:78 invalid-value"]),
        ("name: dev, limitRange: {persistentVolumeClaim: {min: 2Gi, max: 1Gi}}", ["quotas.yaml:4:99 invalid-range"]),
        ("name: dev, limitRange: {persistentVolumeClaim: {min: 1Gi, max: 1Gi}}", []),
        ("name: dev, limitRange: {persistentVolumeClaim: {max: 1Gi}}", []),
    ],
)
def test_namespaces_that_cannot_be(space: str, expected: list[str], snapshot: SnapshotAssertion) -> None:
    found = findings(quotas=quotas(namespaces=f"[{{{space}}}]"))
    assert rules(found) == expected
    assert whole(found) == snapshot


@pytest.mark.parametrize(
    "key",
    [
        "pods",
        "persistentvolumeclaims",
        "services",
        "services.loadbalancers",
        "services.nodeports",
        "configmaps",
        "secrets",
        "replicationcontrollers",
        "resourcequotas",
        "requests.storage",
        "count/jobs.batch",
        "gold.storageclass.storage.k8s.io/requests.storage",
        "gold.storageclass.storage.k8s.io/persistentvolumeclaims",
    ],
)
def test_resources_that_a_resource_quota_counts(key: str) -> None:
    assert findings(quotas=quotas(namespaces=f"[{{name: dev, resourceQuota: {{{key}: 1}}}}]")) == []
