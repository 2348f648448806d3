"""Every reference between objects of the samples points to what Argo CD syncs before: an earlier Application, or within
one an earlier or the same wave (in one wave Argo CD applies namespaces first, then by kind)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from tests.samples import ENVIRONMENTS, Built, Identity, Object, identity, source, synced, wave

KUEUE, RBAC = "kueue.x-k8s.io", "rbac.authorization.k8s.io"
MANAGED = "kueue.openshift.io/managed"
# An operand needs its operator, and a kind that an operator installs needs what makes it do so.
BROUGHT_BY = {
    "ClusterPolicy": ("Subscription", "gpu-operator-certified"),
    "DeviceConfig": ("Subscription", "amd-gpu-operator"),
    "JobSetOperator": ("Subscription", "job-set"),
    "Kueue": ("Subscription", "kueue-operator"),
    "NodeFeatureDiscovery": ("Subscription", "nfd"),
    "NodeFeatureRule": ("Subscription", "nfd"),
    "DSCInitialization": ("Subscription", "rhods-operator"),
    "DataScienceCluster": ("DSCInitialization", "default-dsci"),
    "OdhDashboardConfig": ("DataScienceCluster", "default-dsc"),
    "HardwareProfile": ("DataScienceCluster", "default-dsc"),
    "ClusterTrainingRuntime": ("DataScienceCluster", "default-dsc"),
    "ClusterQueue": ("Kueue", "cluster"),
    "Cohort": ("Kueue", "cluster"),
    "LocalQueue": ("Kueue", "cluster"),
    "ResourceFlavor": ("Kueue", "cluster"),
    "Topology": ("Kueue", "cluster"),
    "WorkloadPriorityClass": ("Kueue", "cluster"),
}
EVERYWHERE = {
    "ClusterPolicy -> Subscription",
    "ClusterQueue -> Cohort",
    "ClusterQueue -> Kueue",
    "ClusterQueue -> ResourceFlavor",
    "Cohort -> Kueue",
    "DSCInitialization -> Subscription",
    "DataScienceCluster -> DSCInitialization",
    "HardwareProfile -> DataScienceCluster",
    "HardwareProfile -> LocalQueue",
    "HardwareProfile -> WorkloadPriorityClass",
    "Kueue -> Subscription",
    "LocalQueue -> ClusterQueue",
    "LocalQueue -> Kueue",
    "LocalQueue -> Namespace",
    "NodeFeatureDiscovery -> Namespace",
    "NodeFeatureDiscovery -> Subscription",
    "OdhDashboardConfig -> DataScienceCluster",
    "OdhDashboardConfig -> Namespace",
    "OperatorGroup -> Namespace",
    "ResourceFlavor -> Kueue",
    "RoleBinding -> ClusterRole",
    "RoleBinding -> Namespace",
    "Subscription -> Namespace",
    "Subscription -> OperatorGroup",
    "ValidatingAdmissionPolicyBinding -> ValidatingAdmissionPolicy",
    "WorkloadPriorityClass -> Kueue",
}
ALSO = {
    "dev": {"ConfigMap -> Namespace", "HardwareProfile -> Namespace"},
    "legacy": {"DataScienceCluster -> ClusterQueue", "HardwareProfile -> Namespace"},
    "prod": {
        "ClusterRoleBinding -> ClusterRole",
        "ClusterTrainingRuntime -> DataScienceCluster",
        "Cohort -> Cohort",
        "Cohort -> ResourceFlavor",
        "ConfigMap -> Namespace",
        "DataScienceCluster -> ClusterQueue",
        "DeviceConfig -> Namespace",
        "DeviceConfig -> Subscription",
        "HardwareProfile -> Namespace",
        "JobSetOperator -> Subscription",
        "LimitRange -> Namespace",
        "NetworkPolicy -> Namespace",
        "NodeFeatureRule -> Namespace",
        "NodeFeatureRule -> Subscription",
        "PrometheusRule -> Namespace",
        "ResourceFlavor -> Topology",
        "ResourceQuota -> Namespace",
        "Topology -> Kueue",
    },
}
# Made by OpenShift itself, by the OpenShift AI operator, and (the role) by the Kueue operator.
NOT_OURS = {
    ("ClusterRole", "admin"),
    ("ClusterRole", "edit"),
    ("ClusterRole", "view"),
    ("ClusterRole", "kueue-batch-user-role"),
    ("Namespace", "redhat-ods-applications"),
}


@pytest.mark.parametrize("environment", ENVIRONMENTS)
def test_references_point_to_what_is_synced_before(environment: str, built: Built) -> None:
    places = {
        identity(item): (wave(app), source(app), wave(item))
        for app in synced(built, environment)
        for item in built[source(app)]
    }
    items = [item for app in synced(built, environment) for item in built[source(app)]]
    referring = [(identity(item), target) for item in items for target in references(item, items)]
    late = [(one, other) for one, other in referring if other in places and not is_before(places[other], places[one])]
    assert late == []
    absent = {(other.kind, other.name) for _, other in referring if other not in places}
    assert absent - NOT_OURS == set()
    assert {f"{one.kind} -> {other.kind}" for one, other in referring} == EVERYWHERE | ALSO[environment]


def is_before(one: tuple[int, str, int], other: tuple[int, str, int]) -> bool:
    """Whether what has the first place is there when the second is synced; Applications of one wave are not ordered."""
    return one[2] <= other[2] if one[1] == other[1] else one[0] < other[0]


@pytest.mark.parametrize(
    ("one", "other", "expected"),
    [
        ((0, "a", 5), (1, "b", 0), True),
        ((1, "a", 0), (1, "b", 9), False),
        ((1, "a", 2), (1, "a", 2), True),
        ((1, "a", 3), (1, "a", 2), False),
    ],
)
def test_what_before_means(one: tuple[int, str, int], other: tuple[int, str, int], expected: bool) -> None:
    assert is_before(one, other) is expected


def references(found: Object, everything: list[Object]) -> Iterator[Identity]:
    """Yield what an object needs in order to be accepted and to work."""
    key, spec = identity(found), found.get("spec") or {}
    if key.namespace:
        yield Identity("", "Namespace", "", key.namespace)
    if key.kind in BROUGHT_BY:
        yield from (identity(item) for item in everything if named(item) == BROUGHT_BY[key.kind])
    match key.kind:
        case "ResourceFlavor" if "topologyName" in spec:
            yield Identity(KUEUE, "Topology", "", spec["topologyName"])
        case "Cohort":
            yield from of_cohort(spec, "parentName")
        case "ClusterQueue":
            yield from of_cohort(spec, "cohortName")
            yield from of_cohort({"cohort": spec.get("cohort")}, "cohort")
        case "LocalQueue":
            yield Identity(KUEUE, "ClusterQueue", "", spec["clusterQueue"])
        case "HardwareProfile":
            yield from of_profile(key.namespace, spec["scheduling"]["kueue"], everything)
        case "DataScienceCluster" if "autoCreateQueues" not in spec["components"]["kueue"]:
            yield Identity(KUEUE, "ClusterQueue", "", spec["components"]["kueue"]["defaultClusterQueueName"])
        case "RoleBinding" | "ClusterRoleBinding":
            yield Identity(RBAC, found["roleRef"]["kind"], "", found["roleRef"]["name"])
        case "Subscription":
            yield from (
                i for i in map(identity, everything) if (i.kind, i.namespace) == ("OperatorGroup", key.namespace)
            )
        case "ValidatingAdmissionPolicyBinding":
            yield Identity(key.group, "ValidatingAdmissionPolicy", "", spec["policyName"])


def named(found: Object) -> tuple[str, str]:
    """Return kind and name."""
    return found["kind"], found["metadata"]["name"]


def of_cohort(spec: dict[str, Any], field: str) -> Iterator[Identity]:
    """Yield the cohort above, and the flavors that have quota."""
    if spec.get(field):
        yield Identity(KUEUE, "Cohort", "", spec[field])
    for group in spec.get("resourceGroups", ()):
        yield from (Identity(KUEUE, "ResourceFlavor", "", flavor["name"]) for flavor in group["flavors"])


def of_profile(namespace: str, queue: dict[str, str], everything: list[Object]) -> Iterator[Identity]:
    """Yield the LocalQueue that workloads are sent to: in the profile's namespace, or in every managed one."""
    managed = [item["metadata"]["name"] for item in everything if item["metadata"]["labels"].get(MANAGED) == "true"]
    for space in [namespace] if namespace in managed else managed:
        yield Identity(KUEUE, "LocalQueue", space, queue["localQueueName"])
    if "priorityClass" in queue:
        yield Identity(KUEUE, "WorkloadPriorityClass", "", queue["priorityClass"])
