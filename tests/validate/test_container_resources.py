"""Amounts that no pod may ask for, in every kind that holds containers; and an API version that is told once."""

from __future__ import annotations

from typing import Any

import pytest

from generator.validate.all import judge
from generator.validate.container_resources import check, defects
from tests.validate.builders import GPU, Body, body, cluster, flavor, local_queue, queue, runtime
from tests.validate.manifests import target
from tests.validate.test_effective_queue import torch
from tests.validate.test_submissions import llm, model, notebook, service, train_job, workload

CORE = {"cpu": "1", "memory": "1Gi"}


@pytest.mark.parametrize(
    ("limits", "requests", "want"),
    [
        ({}, {}, []),
        ({**CORE, GPU: 1}, {}, []),
        ({GPU: "1"}, {GPU: 1}, []),
        ({GPU: 0}, {}, []),
        ({}, {"cpu": "500m", "memory": "1Gi"}, []),
        ({"cpu": "500m"}, {}, []),
        ({GPU: "1000m"}, {}, []),
        ({GPU: "1k"}, {}, []),
        ({"hugepages-2Mi": "4Mi"}, {}, []),
        ({GPU: "x"}, {}, []),
        ({GPU: -1}, {}, [f"limits[{GPU}]"]),
        ({GPU: -1}, {GPU: -1}, [f"limits[{GPU}]"]),
        ({}, {"cpu": "-1"}, ["requests[cpu]"]),
        ({GPU: "500m"}, {}, [f"limits[{GPU}]"]),
        ({GPU: "1500m"}, {}, [f"limits[{GPU}]"]),
        ({GPU: 1}, {GPU: "500m"}, [f"requests[{GPU}]"]),
        ({}, {GPU: 1}, [f"requests[{GPU}]"]),
        ({}, {GPU: 0}, []),
        ({}, {"hugepages-2Mi": "4Mi"}, ["requests[hugepages-2Mi]"]),
        ({}, {"kubernetes.io/batteries": 1}, []),
        ({GPU: -1, "amd.com/gpu": "1m"}, {}, [f"limits[{GPU}]", "limits[amd.com/gpu]"]),
    ],
)
def test_amounts(limits: Body, requests: Body, want: list[str]) -> None:
    assert [path for path, _, _ in defects({"limits": limits, "requests": requests})] == want


def test_what_somebody_else_limits() -> None:
    asked = {"requests": {GPU: 1}}
    assert [*defects(asked, {GPU}), *defects(asked, None)] == []
    assert [path for path, _, _ in defects(asked, {"cpu"})] == [f"requests[{GPU}]"]


HALF: Any = {"limits": {GPU: "500m"}}
CONTAINERS: Body = {"containers": [{"name": "a", "image": "x"}, {"name": "b", "image": "x", "resources": HALF}]}
TEMPLATE = {"template": {"spec": CONTAINERS}}
RAY = {"workerGroupSpecs": [{"replicas": 1, **TEMPLATE}]}
SECOND = f"containers[1].resources.limits[{GPU}]"


def halved(gpus: Any = "500m") -> list[Body]:
    return [runtime(gpus=gpus)]


@pytest.mark.parametrize(
    ("bodies", "layer", "path"),
    [
        ([body("v1", "Pod", "w", "vision", spec=CONTAINERS)], "schema", f"spec.{SECOND}"),
        ([body("apps/v1", "Deployment", "w", "vision", spec=TEMPLATE)], "schema", f"spec.template.spec.{SECOND}"),
        ([body("batch/v1", "Job", "w", "vision", spec=TEMPLATE)], "schema", f"spec.template.spec.{SECOND}"),
        ([notebook(CONTAINERS)], "readiness", f"spec.template.spec.{SECOND}"),
        ([notebook({"initContainers": CONTAINERS["containers"]})], "readiness",
         f"spec.template.spec.initC{SECOND[1:]}"),
        ([workload("RayCluster", RAY, api="ray.io/v1")], "readiness",
         f"spec.workerGroupSpecs[0].template.spec.{SECOND}"),
        ([llm(template=CONTAINERS)], "readiness", f"spec.template.{SECOND}"),
        (service({"model": {"runtime": "vllm", "resources": HALF}})[:1], "readiness",
         f"spec.predictor.model.resources.limits[{GPU}]"),
        (service(CONTAINERS)[:1], "readiness", f"spec.predictor.{SECOND}"),
        ([body("serving.kserve.io/v1alpha1", "ServingRuntime", "w", "vision", spec=CONTAINERS)], "readiness",
         f"spec.{SECOND}"),
        ([train_job({"resourcesPerNode": HALF})], "readiness", f"spec.trainer.resourcesPerNode.limits[{GPU}]"),
        (halved(), "readiness",
         f"spec.template.spec.replicatedJobs[0].template.spec.template.spec.containers[0].resources.limits[{GPU}]"),
        ([*halved(), train_job()], "readiness",
         f"spec.template.spec.replicatedJobs[0].template.spec.template.spec.containers[0].resources.limits[{GPU}]"),
    ],
)  # fmt: skip
def test_each_amount_is_told_once_where_it_stands(bodies: list[Body], layer: str, path: str) -> None:
    assert [(f.rule, f.layer, f.path) for f in check(cluster(bodies))] == [("container-amount", layer, path)]


PROFILE = {"opendatahub.io/hardware-profile-name": "one"}
ASKING: Body = {"containers": [{"name": "a", "image": "x", "resources": {"requests": {GPU: 1}}}]}
LIMITS = {"limits": [{"type": "Container", "default": {GPU: 1}}]}


@pytest.mark.parametrize(
    ("bodies", "is_told"),
    [
        ([notebook(ASKING)], True),
        ([notebook(ASKING, annotations=PROFILE)], False),
        ([notebook(ASKING), body("v1", "LimitRange", "l", "vision", spec=LIMITS)], False),
        ([notebook(ASKING), body("v1", "LimitRange", "l", "other", spec=LIMITS)], True),
        (service(ASKING), False),
        ([torch(1)], False),
    ],
)
def test_a_device_needs_a_limit_unless_somebody_writes_it(bodies: list[Body], *, is_told: bool) -> None:
    assert [f.rule for f in check(cluster(bodies))] == (["container-amount"] if is_told else [])


def test_an_api_version_that_is_not_served_is_told_once() -> None:
    found = judge(cluster([flavor(), queue(), local_queue()], target("openshiftAI=3.4,kueue=1.2")))
    said = [(f.rule, f.object and f.object.kind) for f in found if f.path == "apiVersion"]
    assert said == [("api-version-not-served", kind) for kind in ("ResourceFlavor", "ClusterQueue", "LocalQueue")]


def test_a_kind_that_is_not_served_is_told_once() -> None:
    found = judge(cluster([body("kueue.x-k8s.io/v1beta1", "Cohort", "ai")], target("openshiftAI=3.4,kueue=1.1")))
    assert [f.rule for f in found if f.path == "apiVersion"] == ["api-version-not-served"]


def test_models_keep_whole_cards() -> None:
    assert list(check(cluster(service(model())))) == []
