"""Workloads: their queue, their priority, the image beside the cards, and whether their pods ever fit."""

from __future__ import annotations

from typing import Any

import pytest

from generator.finding import Finding
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
    queue,
    runtime,
)
from tests.validate.manifests import target

CUDA, ROCM, CPU = "example.com/torch-cuda:1", "example.com/torch-rocm:1", "example.com/torch-cpu:1"
QUEUED = {"kueue.x-k8s.io/queue-name": "default", "kueue.x-k8s.io/priority-class": "training"}
RAY = "ray.io/v1"
CLASS = body(KUEUE, "WorkloadPriorityClass", "training", value=100)


def pod(image: str = CUDA, gpus: int = 1, resource: str = GPU, name: str = "main") -> Body:
    return {"containers": [{"name": name, "image": image, "resources": {"limits": {resource: gpus}}}]}


def workload(kind: str, spec: Any, labels: Body = QUEUED, api: str = "kubeflow.org/v1", **metadata: Any) -> Body:
    return body(api, kind, "w", "vision", metadata={"labels": dict(labels), **metadata}, spec=spec)


def notebook(spec: Body | None = None, labels: Body = QUEUED, **metadata: Any) -> Body:
    return workload("Notebook", {"template": {"spec": spec or pod()}}, labels, **metadata)


def train_job(trainer: Body | None = None, to: str = "torch", kind: str = "ClusterTrainingRuntime") -> Body:
    spec = {"runtimeRef": {"name": to, "kind": kind}, **({"trainer": trainer} if trainer else {})}
    return workload("TrainJob", spec, api="trainer.kubeflow.org/v1alpha1")


def torch(worker: Body) -> Body:
    return workload("PyTorchJob", {"pytorchReplicaSpecs": {"Worker": worker}})


def llm(**spec: Any) -> Body:
    return workload("LLMInferenceService", spec, api="serving.kserve.io/v1alpha2")


def service(predictor: Body, name: str | None = "vllm", image: str = CUDA) -> list[Body]:
    made = workload("InferenceService", {"predictor": predictor}, api="serving.kserve.io/v1beta1")
    kind = "ServingRuntime"
    spec = {"containers": [{"name": "kserve-container", "image": image}]}
    return [made, body("serving.kserve.io/v1alpha1", kind, name, "vision", spec=spec)] if name else [made]


def model(gpus: int = 1, resource: str = GPU, **more: Any) -> Body:
    return {"model": {"runtime": "vllm", "resources": {"limits": {resource: gpus}}, **more}}


def found(bodies: list[Body], on: str = "openshiftAI=3.4,kueue=1.3", **more: Any) -> list[Finding]:
    around = [namespace(), flavor(), queue(gpus="8"), local_queue(), CLASS]
    ours = [m["kind"] for m in bodies] + ["ClusterTrainingRuntime"]
    return [
        finding
        for finding in judged(cluster([*around, *bodies], target(on), **more))
        if finding.object is not None and finding.object.kind in ours
    ]


def rules(*bodies: Body, **more: Any) -> list[str]:
    return [f"{f.severity} {f.rule} {f.path}" for f in found(list(bodies), **more)]


VENDOR = "error image-for-another-vendor "


@pytest.mark.parametrize(
    ("bodies", "said"),
    [
        ([notebook()], []),
        ([notebook(pod(ROCM))], [VENDOR + "spec.template.spec.containers[0].image"]),
        ([notebook(pod(CPU))], ["warning image-for-another-vendor spec.template.spec.containers[0].image"]),
        ([notebook(pod("example.com/torch:1"))], []),
        ([notebook(pod(ROCM, resource="example.com/fpga"))],
         ["error resource-not-covered spec.template.spec.containers"]),
        ([notebook({"containers": [{"image": ROCM}]})], []),
        ([torch({"template": {"spec": pod(ROCM, name="pytorch")}})],
         [VENDOR + "spec.pytorchReplicaSpecs.Worker.template.spec.containers[0].image"]),
        ([workload("RayCluster", {"workerGroupSpecs": [{"replicas": 1, "template": {"spec": pod(ROCM)}}]}, api=RAY)],
         [VENDOR + "spec.workerGroupSpecs[0].template.spec.containers[0].image"]),
        (service(model()), []),
        (service(model(), image=ROCM), [VENDOR + "spec.predictor.model.runtime"]),
        (service(model(image=ROCM)), [VENDOR + "spec.predictor.model.image"]),
        (service(model(image=CUDA), image=ROCM), []),
        (service(model(), name=None), []),
        (service({"containers": [{"image": ROCM, "resources": {"limits": {GPU: 1}}}]}), [VENDOR + "spec.predictor"]),
        ([runtime(), train_job({"image": ROCM})], [VENDOR + "spec.trainer"]),
        ([runtime(), train_job({"image": CUDA})], []),
        ([llm(template=pod(ROCM))], [VENDOR + "spec.template.containers[0].image"]),
    ],
)  # fmt: skip
def test_the_image_knows_the_cards(bodies: list[Body], said: list[str]) -> None:
    assert rules(*bodies) == said


HINT = "warning accelerator-not-recommended spec.predictor.model.runtime"


@pytest.mark.parametrize(
    ("written", "resource", "image", "want"),
    [
        (f'["{GPU}"]', GPU, "x", []),
        (f'["{GPU}"]', "nvidia.com/mig-1g.10gb", "x", []),
        (f'["{GPU}", "amd.com/gpu"]', "amd.com/gpu", "x", []),
        ('["amd.com/gpu"]', GPU, "x", [HINT]),
        ('["amd.com/gpu"]', "example.com/fpga", "x", []),
        ('["amd.com/gpu"]', "cpu", "x", []),
        ('["amd.com/gpu"]', GPU, ROCM, [VENDOR + "spec.predictor.model.runtime"]),
        ("[]", GPU, "x", []),
        ("amd.com/gpu", GPU, "x", []),
        ('{"amd.com/gpu": 1}', GPU, "x", []),
        ("[1]", GPU, "x", []),
    ],
)
def test_a_runtime_names_its_accelerators(written: str, resource: str, image: str, want: list[str]) -> None:
    made, serving = service(model(resource=resource), image=image)
    serving["metadata"]["annotations"] = {"opendatahub.io/recommended-accelerators": written}
    assert [line for line in rules(made, serving) if "covered" not in line] == want


def test_a_runtime_s_image_is_said_once_a_cluster() -> None:
    broken = runtime()
    broken["spec"]["template"]["spec"]["replicatedJobs"][0]["template"]["spec"]["template"]["spec"].update(pod(ROCM))
    place = "spec.template.spec.replicatedJobs[0].template.spec.template.spec.containers[0].image"
    assert [line for line in rules(broken) if "image" in line] == [VENDOR + place]
    assert [line for line in rules(broken, whole=True) if "image" in line] == []


@pytest.mark.parametrize(
    ("bodies", "said"),
    [
        ([llm(template=pod(gpus=8))], []),
        ([llm(template=pod(gpus=9))], ["error request-above-quota spec.template.containers"]),
        ([llm(template=pod(gpus=4), worker=pod(gpus=4), parallelism={"pipeline": 2})], []),
        ([llm(template=pod(gpus=4), worker=pod(gpus=4), parallelism={"pipeline": 3})],
         ["error request-above-quota spec.worker.containers"]),
        ([llm(worker=pod(gpus=4), parallelism={"data": 4, "dataLocal": 2})], []),
        ([llm(worker=pod(gpus=4), parallelism={"data": 5, "dataLocal": 2})],
         ["error request-above-quota spec.worker.containers"]),
        ([llm(template=pod(gpus=8), prefill={"template": pod(gpus=8)})], []),
        ([llm(template=pod(gpus=8), prefill={"template": pod(gpus=9)})],
         ["error request-above-quota spec.prefill.template.containers"]),
        ([llm(template=pod(gpus=8), worker=pod(gpus=8), parallelism={"pipeline": 1})], []),
        ([llm(model={"uri": "hf://a"})], []),
        ([runtime(gpus=8), train_job()], []),
        ([runtime(gpus=4), train_job({"numNodes": 2})], []),
        ([runtime(gpus=4), train_job({"numNodes": 3})], ["error request-above-quota spec.trainer"]),
        ([runtime(gpus=4, nodes=2), train_job({"resourcesPerNode": {"limits": {GPU: 5}}})],
         ["error request-above-quota spec.trainer"]),
        ([runtime(gpus=9), train_job()], ["error request-above-quota spec.runtimeRef"]),
        ([train_job({"numNodes": 2, "resourcesPerNode": {"limits": {GPU: 4}}})], []),
        ([train_job({"numNodes": 2, "resourcesPerNode": {"limits": {GPU: 5}}})],
         ["error request-above-quota spec.trainer"]),
        ([train_job({"numNodes": 2}, kind="TrainingRuntime")], []),
    ],
)  # fmt: skip
def test_what_a_workload_asks_for_fits_its_queue(bodies: list[Body], said: list[str]) -> None:
    own = [line for line in rules(*bodies) if not line.endswith("template.spec.containers")]
    assert own == said


def unnamed(**more: Any) -> list[Body]:
    """A namespace whose queue has another name than default."""
    return [namespace(), flavor(), queue(), local_queue("training"), notebook(labels={}, **more)]


def of_notebooks(bodies: list[Body], on: str = "openshiftAI=3.4,kueue=1.3") -> list[str]:
    found_ = judged(cluster(bodies, target(on)))
    return [f"{f.severity} {f.rule} {f.path}" for f in found_ if f.object and f.object.kind == "Notebook"]


def test_work_without_a_queue_is_told() -> None:
    assert of_notebooks(unnamed()) == ["warning workload-without-queue metadata.labels"]


@pytest.mark.parametrize(
    "bodies",
    [
        unnamed(ownerReferences=[{"kind": "X", "name": "x"}]),
        unnamed(annotations={"opendatahub.io/hardware-profile-name": "one"}),
        [*unnamed(), local_queue("default", marked=False)],
        unnamed()[1:],
    ],
)
def test_work_that_gets_a_queue_or_needs_none(bodies: list[Body]) -> None:
    assert of_notebooks(bodies) == []


def test_where_a_webhook_refuses_it_that_is_said_instead() -> None:
    spec = {"components": {"kueue": {"managementState": "Unmanaged"}}}
    dsc = body("datasciencecluster.opendatahub.io/v2", "DataScienceCluster", "d", spec=spec)
    assert of_notebooks([*unnamed(), dsc], "openshiftAI=3.3,kueue=1.2") == ["error queue-name-missing metadata.labels"]


QUEUE_ONLY = {"kueue.x-k8s.io/queue-name": "default"}


@pytest.mark.parametrize(
    ("made", "said"),
    [
        (notebook(), []),
        (notebook(labels=QUEUE_ONLY), ["warning workload-without-priority metadata.labels"]),
        (notebook({**pod(), "priorityClassName": "high"}, QUEUE_ONLY), []),
        (notebook(labels=QUEUE_ONLY, ownerReferences=[{"kind": "X"}]), []),
    ],
)
def test_work_says_its_priority_where_there_are_any(made: Body, said: list[str]) -> None:
    assert rules(made) == said


def test_without_priority_classes_no_label_is_asked_for() -> None:
    bodies = [namespace(), flavor(), queue(), local_queue(), notebook(labels=QUEUE_ONLY)]
    assert of_notebooks(bodies) == []
