"""How many pods of what size a workload has, as Kueue counts them."""

from __future__ import annotations

from typing import Any

import pytest

from generator.validate.kinds import INFERENCE_SERVICE, NOTEBOOK, RAY_JOB, Kind
from generator.validate.pods import MIN_PARALLELISM, of_workload
from tests.validate.builders import GPU, Body

JOB: Kind = ("batch", "Job")
JOB_SET: Kind = ("jobset.x-k8s.io", "JobSet")


def asks(**limits: Any) -> Body:
    names = {"gpu": GPU}
    return {"resources": {"limits": {names.get(key, key): value for key, value in limits.items()}}}


def totals(kind: Kind, body: Body, resource: str = GPU, serving: Body | None = None) -> list[int]:
    """Return what is asked of a resource, for each list of pods that are admitted together."""
    groups = of_workload(kind, body, serving or {})
    return [int(sum(pods.total(resource) for pods in group) // 1000) for group in groups]


def job(count: Any, **annotations: str) -> Body:
    spec = {**count, "template": {"spec": {"containers": [asks(gpu=1)]}}}
    return {"metadata": {"annotations": annotations}, "spec": spec}


@pytest.mark.parametrize(
    ("count", "least", "pods"),
    [
        ({}, None, 1),
        ({"parallelism": 16}, None, 16),
        ({"parallelism": 16, "completions": 8}, None, 8),
        ({"parallelism": 8, "completions": 9}, None, 8),
        ({"parallelism": 16, "completions": None}, None, 16),
        ({"completions": 9}, None, 1),
        ({"parallelism": 16}, "4", 4),
        ({"parallelism": 16, "completions": 3}, "4", 3),
        ({"parallelism": 16}, "17", 16),
        ({"parallelism": 16}, "four", 16),
        ({"parallelism": 16}, "-4", 16),
        ({"parallelism": 16}, "9" * 5000, 16),
    ],
)
def test_a_job_has_as_many_pods_as_run_at_once(count: Body, least: str | None, pods: int) -> None:
    notes = {MIN_PARALLELISM: least} if least else {}
    assert totals(JOB, job(count, **notes)) == [pods]


@pytest.mark.parametrize(
    ("count", "replicas", "pods"),
    [
        ({"parallelism": 16, "completions": 4}, 1, 4),
        ({"parallelism": 4, "completions": 16}, 2, 8),
        ({"parallelism": 3}, 3, 9),
    ],
)
def test_so_has_each_of_a_job_set(count: Body, replicas: int, pods: int) -> None:
    jobs = [{"name": "a", "replicas": replicas, "template": {"spec": job(count)["spec"]}}]
    assert totals(JOB_SET, {"spec": {"replicatedJobs": jobs}}) == [pods]


def init(cpu: int, sidecar: bool = False) -> Body:
    return {**asks(cpu=cpu), **({"restartPolicy": "Always"} if sidecar else {})}


@pytest.mark.parametrize(
    ("before", "cpu"),
    [
        ([], 10),
        ([init(9)], 10),
        ([init(11)], 11),
        ([init(6), init(6)], 10),
        ([init(60, sidecar=True)], 70),
        ([init(1, sidecar=True), init(2, sidecar=True)], 13),
        ([init(5, sidecar=True), init(9)], 15),
        ([init(5, sidecar=True), init(11)], 16),
        ([init(11), init(5, sidecar=True)], 15),
        ([init(16), init(5, sidecar=True)], 16),
    ],
)
def test_sidecars_run_beside_all_that_follows(before: list[Body], cpu: int) -> None:
    spec = {"initContainers": before, "containers": [asks(cpu=4), asks(cpu=6)]}
    assert totals(NOTEBOOK, {"spec": {"template": {"spec": spec}}}, "cpu") == [cpu]


CLUSTER = {"headGroupSpec": {"template": {"spec": {"containers": [asks(cpu=1)]}}}}


@pytest.mark.parametrize(
    ("more", "sizes"),
    [
        ({}, ["1", "1/2"]),
        ({"submissionMode": "K8sJobMode"}, ["1", "1/2"]),
        ({"submissionMode": "HTTPMode"}, ["1"]),
        ({"submissionMode": "SidecarMode"}, ["1"]),
        ({"submitterPodTemplate": {"spec": {"containers": [asks(cpu=3)]}}}, ["1", "3"]),
        ({"rayClusterSpec": None, "clusterSelector": {"a": "b"}}, []),
    ],
)
def test_a_ray_job_has_a_pod_that_submits(more: Body, sizes: list[str]) -> None:
    groups = of_workload(RAY_JOB, {"spec": {"rayClusterSpec": CLUSTER, **more}})
    halves = {500: "1/2", 1000: "1", 3000: "3"}
    assert [halves[int(pods.total("cpu"))] for group in groups for pods in group] == sizes


SERVING = {"spec": {"containers": [{"name": "kserve-container", **asks(gpu=16, cpu=99)}, asks(cpu=1)]}}
QUEUED = {"labels": {"kueue.x-k8s.io/queue-name": "else"}}


@pytest.mark.parametrize(
    ("spec", "gpus", "cpus"),
    [
        ({"predictor": {"model": asks(gpu=1)}}, [1], [1]),
        ({"predictor": {"model": {"runtime": "vllm"}}}, [16], [1]),
        ({"predictor": {"model": asks(cpu=2)}}, [16], [3]),
        ({"predictor": {"model": asks(gpu=1), "containers": [asks(gpu=2)]}}, [3], [1]),
        ({"predictor": {"model": asks(gpu=1)}, "transformer": {"containers": [asks(gpu=9)]}}, [1, 9], [1, 0]),
        ({"predictor": {"model": asks(gpu=1)}, "transformer": {"containers": [asks(gpu=9)], **QUEUED}}, [1], [1]),
        ({"predictor": {"containers": [asks(gpu=3)]}}, [3], [0]),
    ],
)
def test_parts_of_a_service_are_admitted_one_by_one(spec: Body, gpus: list[int], cpus: list[int]) -> None:
    assert totals(INFERENCE_SERVICE, {"spec": spec}, serving=SERVING) == gpus
    assert totals(INFERENCE_SERVICE, {"spec": spec}, "cpu", SERVING) == cpus


def test_a_service_asks_for_what_itself_says_where_its_runtime_is_not_known() -> None:
    assert totals(INFERENCE_SERVICE, {"spec": {"predictor": {"model": asks(gpu=2)}}}) == [2]
