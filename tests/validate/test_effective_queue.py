"""Where work ends up: its label, its profile's queue, or the queue called default; and what is judged there."""

from __future__ import annotations

from typing import Any

import pytest

from generator.validate import kinds, pods
from generator.validate.all import judge
from generator.validate.effective_queue import effective_queue, neighbours, queue_of
from tests.validate.builders import (
    GPU,
    KUEUE,
    Body,
    body,
    cluster,
    flavor,
    judged,
    local_queue,
    namespace,
    profile,
    queue,
    runtime,
)
from tests.validate.manifests import target
from tests.validate.test_boundaries import operator, platform
from tests.validate.test_submissions import pod

NOW = "openshiftAI=3.4,kueue=1.3"
QUEUE = "kueue.x-k8s.io/queue-name"
PROFILE = "opendatahub.io/hardware-profile-name"
SPACE = "opendatahub.io/hardware-profile-namespace"
APPLICATIONS = {PROFILE: "one", SPACE: "redhat-ods-applications"}
API = {
    "PyTorchJob": "kubeflow.org/v1",
    "Notebook": "kubeflow.org/v1",
    "RayCluster": "ray.io/v1",
    "InferenceService": "serving.kserve.io/v1beta1",
    "LLMInferenceService": "serving.kserve.io/v1alpha1",
    "Deployment": "apps/v1",
    "TrainJob": "trainer.kubeflow.org/v1alpha1",
}


def work(kind: str = "PyTorchJob", label: str | None = None, notes: Body | None = None, **more: Any) -> Body:
    marks = {"labels": {} if label is None else {QUEUE: label}, "annotations": notes or {}, **more}
    return body(API[kind], kind, "w", "vision", metadata=marks, spec={})


def ends_up(made: Body, *others: Body, on: str = NOW, **more: Any) -> str | None:
    around = cluster([*others, made], target(on), **more)
    return queue_of(around, around.objects[-1])


HERE = [namespace(), local_queue()]
UNMANAGED = platform(managementState="Unmanaged")
OLDER = body("v1", "Namespace", "vision", metadata={"labels": {"kueue-managed": "true"}})  # the operator adds the other


@pytest.mark.parametrize(
    ("made", "others", "on", "want"),
    [
        (work(label="own"), HERE, NOW, "own"),
        (work(), HERE, NOW, "default"),
        (work(label=""), HERE, NOW, "default"),
        (work(), HERE, "openshiftAI=2.25,kueue=1.1", "default"),
        (work(), HERE, "openshiftAI=2.25,kueue=1.0", ""),
        (work(), [namespace(), local_queue("other")], NOW, ""),
        (work(), [local_queue()], NOW, ""),
        (work(), [namespace(), local_queue(space="nlp")], NOW, ""),
        (work(), [namespace(), UNMANAGED], NOW, "default"),
        (work(), [OLDER, local_queue(), UNMANAGED], NOW, "default"),
        (work(), [OLDER, local_queue()], NOW, ""),
        (work(), [namespace(), UNMANAGED], "openshiftAI=3.5,kueue=1.4", ""),
        (work(ownerReferences=[{"kind": "X", "name": "x"}]), HERE, NOW, ""),
        (work("TrainJob"), HERE, NOW, "default"),
        (work("TrainJob"), HERE, "openshiftAI=3.4,kueue=1.1", ""),
        (work(), [*HERE, operator("PyTorchJob")], NOW, "default"),
        (work(), [*HERE, operator("Pod")], NOW, ""),
        (work("Deployment"), HERE, NOW, ""),
        (work("Deployment", "own"), HERE, NOW, "own"),
        (work("Notebook"), HERE, NOW, "default"),
        (work("Notebook", notes=APPLICATIONS), [*HERE, profile(to="own")], NOW, "own"),
        (work("Notebook", "old", APPLICATIONS), [*HERE, profile(to="own")], NOW, "own"),
        (work("Notebook", notes=APPLICATIONS), HERE, NOW, None),
        (work("Notebook", "old", APPLICATIONS), HERE, NOW, "old"),
        (work("Notebook", notes={PROFILE: "one"}), [*HERE, profile(to="own", space="vision")], NOW, "own"),
        (work(notes=APPLICATIONS), [*HERE, profile(to="own")], NOW, "default"),
        (work("LLMInferenceService", notes=APPLICATIONS), [*HERE, profile(to="own")], NOW, "own"),
        (work("LLMInferenceService", notes=APPLICATIONS), [*HERE, profile(to="own")], "openshiftAI=2.25", "default"),
    ],
)
def test_the_queue_that_work_ends_up_in(made: Body, others: list[Body], on: str, want: str | None) -> None:
    assert ends_up(made, *others, on=on) == want


def test_a_queue_that_is_declared_elsewhere_is_there() -> None:
    assert ends_up(work(), namespace(), external=frozenset({"LocalQueue/vision/default"})) == "default"


def test_a_body_among_its_neighbours_is_judged_alike() -> None:
    around = cluster([*HERE, work()])
    assert effective_queue(around.objects[-1].body, around.target, neighbours(around, around.objects[-1])) == "default"


CLASS = body(KUEUE, "WorkloadPriorityClass", "training", value=100)
ABOVE, WITHOUT = "error request-above-quota", "warning workload-without-queue"


def rules(made: Body, *others: Body, on: str = NOW, default: str | None = "default") -> list[str]:
    around = [namespace(), flavor(), queue(), *([local_queue(default)] if default else []), *others, made]
    found = judged(cluster(around, target(on)))
    return [f"{f.severity} {f.rule} {f.path}" for f in found if f.object and f.object.name == "w"]


def torch(gpus: int = 8, replicas: int = 1, **more: Any) -> Body:
    container = {"name": "pytorch", "image": "x", "resources": {"limits": {GPU: gpus}}}
    replica = {"replicas": replicas, "template": {"spec": {"containers": [container]}}}
    return {**work(**more), "spec": {"pytorchReplicaSpecs": {"Worker": replica}}}


def train_job(nodes: int) -> Body:
    spec = {"runtimeRef": {"name": "torch"}, "trainer": {"numNodes": nodes}}
    return {**work("TrainJob"), "spec": spec}


def ray(scales: bool) -> Body:
    return {**work("RayCluster"), "spec": {"enableInTreeAutoscaling": scales}}


def notebook(gpus: int, **notes: str) -> Body:
    return {**work("Notebook", notes=notes), "spec": {"template": {"spec": pod(gpus=gpus)}}}


ANNOTATED: Body = {"notes": {PROFILE: "one"}}


@pytest.mark.parametrize(
    ("made", "others", "on", "default", "want"),
    [
        (torch(), [], NOW, "default", []),
        (torch(9), [], NOW, "default", [ABOVE + " spec.pytorchReplicaSpecs.Worker.template.spec.containers"]),
        (train_job(1), [runtime()], NOW, "default", []),
        (train_job(2), [runtime()], NOW, "default", [ABOVE + " spec.trainer"]),
        (ray(scales=False), [], NOW, "default", []),
        (ray(scales=True), [], NOW, "default", ["error ray-autoscaling spec.enableInTreeAutoscaling"]),
        (ray(scales=True), [], NOW, "other", [WITHOUT + " metadata.labels"]),
        (torch(), [CLASS], NOW, "default", ["warning workload-without-priority metadata.labels"]),
        (notebook(8, **APPLICATIONS), [profile()], NOW, None, []),
        (notebook(9, **APPLICATIONS), [profile(), local_queue("g")], NOW, None,
         [f"error missing-local-queue metadata.annotations[{PROFILE}]"]),
        (notebook(9, **APPLICATIONS), [profile(to="g"), local_queue("g")], NOW, None,
         [ABOVE + " spec.template.spec.containers"]),
        (torch(**ANNOTATED), [], NOW, "other", [WITHOUT + " metadata.labels"]),
        (torch(), [], "openshiftAI=2.25,kueue=1.0", "default", [WITHOUT + " metadata.labels"]),
        (torch(), [], "openshiftAI=2.25,kueue=1.1", "default", []),
        (torch(), [UNMANAGED], "openshiftAI=3.3,kueue=1.3", "default", []),
        (torch(), [UNMANAGED], "openshiftAI=3.3,kueue=1.0", "default",
         ["error queue-name-missing metadata.labels"]),
        (torch(), [platform(managementState="Unmanaged", defaultLocalQueueName="own")], "openshiftAI=3.3,kueue=1.3",
         "other", ["error queue-name-missing metadata.labels"]),
        (notebook(8), [UNMANAGED], "openshiftAI=3.3,kueue=1.3", "default",
         ["error queue-name-missing metadata.labels"]),
        (notebook(8, **APPLICATIONS), [UNMANAGED, profile()], "openshiftAI=3.3,kueue=1.3", "default", []),
    ],
)  # fmt: skip
def test_work_is_judged_where_it_ends_up(
    made: Body, others: list[Body], on: str, default: str | None, want: list[str]
) -> None:
    assert rules(made, *others, on=on, default=default) == want


def test_a_message_says_how_work_came_to_its_queue() -> None:
    around = [namespace(), flavor(), queue(), local_queue(), torch(9)]
    said = [f.message for f in judged(cluster(around)) if f.rule == "request-above-quota"]
    assert said == [
        "PyTorchJob w asks for 9 of nvidia.com/gpu, and the largest request that queue vision can ever admit is 8; it "
        "ends up there through LocalQueue default"
    ]


def test_older_kueue_is_named() -> None:
    around = [namespace(), flavor(), queue(), local_queue(), torch()]
    found = judged(cluster(around, target("openshiftAI=2.25,kueue=1.0")))
    assert [f.message for f in found if f.rule == "workload-without-queue"] == [
        "PyTorchJob w names no queue, and Kueue 1.0 gives it none: with labelPolicy QueueName it runs outside every "
        "quota, with None it never starts"
    ]


def test_a_workload_is_read_once_for_all_checks(monkeypatch: pytest.MonkeyPatch) -> None:
    read = []

    def counted(kind: kinds.Kind, made: Body) -> list[list[pods.Pods]]:
        read.append(kind)
        return pods.of_workload(kind, made)

    monkeypatch.setattr("generator.validate.submissions.of_workload", counted)
    judge(cluster([*HERE, queue(), flavor(), work(label="own")], target(NOW)))
    assert read == [("kubeflow.org", "PyTorchJob")]
