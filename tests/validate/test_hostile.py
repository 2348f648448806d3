"""Whatever stands in an object, a check answers: it never fails."""

from __future__ import annotations

import copy
import random
from collections.abc import Iterator
from typing import Any

import pytest

from generator.finding import Finding
from tests.validate.builders import (
    Body,
    body,
    cluster,
    flavor,
    judged,
    local_queue,
    namespace,
    node,
    profile,
    queue,
    runtime,
    subscription,
)
from tests.validate.manifests import target

JUNK: list[Any] = [
    None, 0, -1, 1.5, True, "", "x", [], {}, [[]], ["a", None, 3], {"a": None}, {"name": 3}, [{"name": [1]}], "9" * 40,
    10**30, [{"name": {}}], {"matchLabels": [1]}, {"matchExpressions": [{"key": 1, "operator": "In", "values": [{}]}]},
]  # fmt: skip
TARGETS = ("", "openshiftAI=2.25,kueue=1.1", "openshiftAI=3.4,kueue=1.3", "openshiftAI=3.5,kueue=1.4")
ROLE = "rbac.authorization.k8s.io/v1"


def everything() -> list[Body]:
    dsc = {"components": {"kueue": {"managementState": "Unmanaged"}, "trainer": {"managementState": "Managed"}}}
    kueue = {"config": {"integrations": {"frameworks": ["Pod"]}, "gangScheduling": {"policy": "ByWorkload"}}}
    source = {"repoURL": "https://git/ai", "path": "queues"}
    labels = {"labels": {"kueue.x-k8s.io/queue-name": "default"}}
    job = {"pytorchReplicaSpecs": {"Master": {"template": {"spec": {"containers": [{"name": "pytorch"}]}}}}}
    return [
        namespace(),
        flavor(nodeTaints=[{"key": "a", "effect": "NoSchedule"}], topologyName="t"),
        queue(cohortName="ai", admissionChecksStrategy={"admissionChecks": [{"name": "c", "onFlavors": ["a100"]}]}),
        local_queue(),
        profile(),
        runtime(),
        node("n"),
        subscription("kueue-operator"),
        body("kueue.x-k8s.io/v1beta2", "Cohort", "ai", spec={"parentName": "org"}),
        body("kueue.x-k8s.io/v1beta2", "Topology", "t", spec={"levels": [{"nodeLabel": "rack"}]}),
        body("kueue.x-k8s.io/v1beta2", "AdmissionCheck", "c", spec={"controllerName": "kueue.x-k8s.io/multikueue"}),
        body("datasciencecluster.opendatahub.io/v2", "DataScienceCluster", "d", spec=dsc),
        body("dscinitialization.opendatahub.io/v2", "DSCInitialization", "d", spec={"applicationsNamespace": "x"}),
        body("opendatahub.io/v1alpha", "OdhDashboardConfig", "o", "x", spec={"dashboardConfig": {}}),
        body("kueue.openshift.io/v1", "Kueue", "cluster", spec=kueue),
        body("v1", "LimitRange", "l", "vision", spec={"limits": [{"type": "Container", "default": {"cpu": "1"}}]}),
        body("kubeflow.org/v1", "PyTorchJob", "p", "vision", metadata=labels, spec=job),
        body(
            "ray.io/v1", "RayJob", "r", "vision", metadata=labels, spec={"rayClusterSpec": {"workerGroupSpecs": [{}]}}
        ),
        body(ROLE, "RoleBinding", "b", "vision", roleRef={"kind": "Role", "name": "r"}, subjects=[{"kind": "User"}]),
        body("argoproj.io/v1alpha1", "AppProject", "ai", spec={"destinations": [{"server": "*", "namespace": "*"}]}),
        body("argoproj.io/v1alpha1", "Application", "a", spec={"project": "ai", "source": source}),
    ]


def places(node_: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    if path:
        yield path
    for key, value in node_.items() if isinstance(node_, dict) else enumerate(node_) if isinstance(node_, list) else ():
        yield from places(value, (*path, key))


@pytest.mark.parametrize("seed", range(4))
def test_junk_anywhere(seed: int) -> None:
    chance = random.Random(seed)
    original = everything()
    for _ in range(150):
        bodies = copy.deepcopy(original)
        for _ in range(chance.randint(1, 4)):
            broken = chance.choice(bodies)
            *way, last = chance.choice(list(places(broken)))
            node_: Any = broken
            for step in way:
                node_ = node_[step]
            node_[last] = copy.deepcopy(chance.choice(JUNK))
        whole = chance.random() < 0.5
        found = judged(cluster(bodies, target(chance.choice(TARGETS)), folders={"queues": bodies}, whole=whole))
        assert all(isinstance(finding, Finding) for finding in found)


def test_long_chains_and_many_twins_end() -> None:
    cohorts = [
        body("kueue.x-k8s.io/v1beta2", "Cohort", f"c{i}", spec={"parentName": f"c{(i + 1) % 5000}"})
        for i in range(5000)
    ]
    found = judged(cluster([*cohorts, *(namespace() for _ in range(2000))]))
    assert len([f for f in found if f.rule == "cohort-loop"]) == 1
    assert len([f for f in found if f.rule == "object-twice"]) == 1999


def test_flavors_that_are_alike_are_compared_only_where_they_can_meet() -> None:
    """A thousand flavors with a label of their own, a thousand with the same, and one without any."""
    own = [flavor(f"own-{i}") for i in range(1000)]
    same = [flavor(f"same-{i}", nodeLabels={"model": "same"}) for i in range(1000)]
    names = [f["metadata"]["name"] for f in (*own, *same)]
    queues = [queue(f"q{i}", [name]) for i, name in enumerate([*names, "all"])]
    found = judged(cluster([*own, *same, flavor("all", nodeLabels={}), *queues]))
    twice = [f for f in found if f.rule == "flavors-on-same-nodes"]
    assert len(twice) == 1000
    assert next(f for f in twice if f.object and f.object.name == "all").message == (
        "flavors all and own-0, own-1, own-2, own-3, own-4, own-5, own-6, own-7 and more lead to the same nodes, and "
        "have quota for cpu, memory, nvidia.com/gpu: it is given out twice"
    )
    assert max(len(f.related) for f in twice) == 8
