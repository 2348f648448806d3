"""What a workload or runtime asks for: its pods, their resources and where they may run."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from generator.frozen import dataclass, field
from generator.quantity import Amount
from generator.validate import kinds
from generator.validate.kinds import Kind
from generator.validate.queues import amount
from generator.validate.shape import mapping, mappings, text, whole

_NO_SPEC: Mapping[str, Any] = {}
_REQUIRED = "requiredDuringSchedulingIgnoredDuringExecution"


@dataclass(frozen=True, slots=True)
class Pods:
    """Pods that are alike: `count` of them, each asking for `amounts`; `path` leads to their template or resources."""

    count: int
    amounts: Mapping[str, Amount]
    path: str
    spec: Mapping[str, Any] = field(default_factory=lambda: _NO_SPEC)

    @property
    def tolerations(self) -> list[Mapping[str, Any]]:
        return [toleration for _, toleration in mappings(self.spec, "tolerations")]

    @property
    def selector(self) -> Mapping[str, Any]:
        return mapping(self.spec, "nodeSelector")

    @property
    def terms(self) -> list[list[Mapping[str, Any]]]:
        """Return the required node affinity: terms of which one must hold, each of expressions that all must."""
        found = mappings(self.spec, "affinity", "nodeAffinity", _REQUIRED, "nodeSelectorTerms")
        return [[e for _, e in mappings(term, "matchExpressions")] for _, term in found]

    def total(self, resource: str) -> Amount:
        return self.count * self.amounts.get(resource, 0)


def of_runtime(body: Mapping[str, Any], trainer: Mapping[str, Any] = _NO_SPEC) -> list[Pods]:
    """Return the pods of a training runtime; the step `trainer` has as many as mlPolicy says.

    `trainer` is what a TrainJob says instead: its number of nodes, and image and resources of the container `node`.
    """
    nodes = max(1, whole(trainer, "numNodes") or whole(body, "spec", "mlPolicy", "numNodes", default=1))
    found = []
    for index, job in mappings(body, "spec", "template", "spec", "replicatedJobs"):
        path = f"spec.template.spec.replicatedJobs[{index}].template.spec.template.spec"
        step = text(job, "template", "metadata", "labels", "trainer.kubeflow.org/trainjob-ancestor-step")
        spec = mapping(job, "template", "spec", "template", "spec")
        count = nodes if step == "trainer" else whole(job, "replicas", default=1)
        if step == "trainer" and trainer:
            spec = {**spec, "containers": [_trained(c, trainer) for _, c in mappings(spec, "containers")]}
        found.append(_pods(count, spec, path))
    return found


def _trained(container: Mapping[str, Any], trainer: Mapping[str, Any]) -> Mapping[str, Any]:
    if text(container, "name") != "node":
        return container
    own = {"image": text(trainer, "image"), "resources": mapping(trainer, "resourcesPerNode")}
    return {**container, **{key: value for key, value in own.items() if value}}


def of_train_job(body: Mapping[str, Any], runtime: Mapping[str, Any] | None) -> list[Pods]:
    """Return the pods of a TrainJob by its runtime; without that, those of which it says the size itself."""
    trainer = mapping(body, "spec", "trainer")
    if runtime is None:
        node = _trained({"name": "node"}, trainer)
        found = [_pods(max(1, whole(trainer, "numNodes", default=1)), {"containers": [node]}, "")]
    else:
        found = of_runtime(runtime, trainer)
    path = "spec.trainer" if trainer else "spec.runtimeRef"
    return [Pods(each.count, each.amounts, path, each.spec) for each in found if each.amounts]


def of_workload(kind: Kind, body: Mapping[str, Any]) -> list[list[Pods]]:
    """Return the pods of a workload that names a queue: lists of those that are admitted together.

    None for a kind whose pods depend on something else, such as a TrainJob's on its runtime.
    """
    if kind == kinds.LLM_INFERENCE_SERVICE:
        return [found for path in ("spec", "spec.prefill") if (found := list(_served(body, path)))]
    found = list(_READERS[kind](body)) if kind in _READERS else []
    return [found] if found else []


def _pods(count: int, spec: Mapping[str, Any], path: str) -> Pods:
    amounts: dict[str, Amount] = {}
    for _, container in mappings(spec, "containers"):
        for name, asked in _requests(container).items():
            amounts[name] = amounts.get(name, 0) + asked
    for _, container in mappings(spec, "initContainers"):
        for name, asked in _requests(container).items():
            amounts[name] = max(amounts.get(name, 0), asked)
    return Pods(max(0, count), amounts, f"{path}.containers", spec)


def _requests(container: Mapping[str, Any]) -> dict[str, Amount]:
    """Return a container's requests; a limit stands for the request that is not written."""
    written = {**mapping(container, "resources", "limits"), **mapping(container, "resources", "requests")}
    return {name: asked for name, value in written.items() if (asked := amount(name, value))}


def _notebook(body: Mapping[str, Any]) -> Iterator[Pods]:
    yield _pods(1, mapping(body, "spec", "template", "spec"), "spec.template.spec")


def _job(body: Mapping[str, Any]) -> Iterator[Pods]:
    count = whole(body, "spec", "parallelism", default=1)
    yield _pods(count, mapping(body, "spec", "template", "spec"), "spec.template.spec")


def _job_set(body: Mapping[str, Any]) -> Iterator[Pods]:
    for index, job in mappings(body, "spec", "replicatedJobs"):
        count = whole(job, "replicas", default=1) * whole(job, "template", "spec", "parallelism", default=1)
        path = f"spec.replicatedJobs[{index}].template.spec.template.spec"
        yield _pods(count, mapping(job, "template", "spec", "template", "spec"), path)


def _replicas(field_: str) -> Any:
    def read(body: Mapping[str, Any]) -> Iterator[Pods]:
        for name, replica in mapping(body, "spec", field_).items():
            spec = mapping(replica, "template", "spec")
            yield _pods(whole(replica, "replicas", default=1), spec, f"spec.{field_}.{name}.template.spec")

    return read


def _ray_cluster(body: Mapping[str, Any]) -> Iterator[Pods]:
    yield from _ray(mapping(body, "spec"), "spec")


def _ray_job(body: Mapping[str, Any]) -> Iterator[Pods]:
    yield from _ray(mapping(body, "spec", "rayClusterSpec"), "spec.rayClusterSpec")


def _ray(spec: Mapping[str, Any], path: str) -> Iterator[Pods]:
    if head := mapping(spec, "headGroupSpec", "template", "spec"):
        yield _pods(1, head, f"{path}.headGroupSpec.template.spec")
    for index, group in mappings(spec, "workerGroupSpecs"):
        count = whole(group, "replicas") * whole(group, "numOfHosts", default=1)
        place = f"{path}.workerGroupSpecs[{index}].template.spec"
        yield _pods(count, mapping(group, "template", "spec"), place)


def _inference_service(body: Mapping[str, Any]) -> Iterator[Pods]:
    predictor = mapping(body, "spec", "predictor")
    model = mapping(predictor, "model")
    containers: Sequence[Any] = [model] if model else [c for _, c in mappings(predictor, "containers")]
    count = max(1, whole(predictor, "minReplicas", default=1))
    # each replica is a workload of its own: a Deployment's pods are admitted one by one
    pods = _pods(1 if count else 0, {**predictor, "containers": containers}, "spec.predictor")
    yield Pods(pods.count, pods.amounts, "spec.predictor.model" if model else "spec.predictor", predictor)


def _served(body: Mapping[str, Any], path: str) -> Iterator[Pods]:
    """A replica of an LLMInferenceService: one pod, or with workers a group that LeaderWorkerSet starts together.

    Source: kserve pkg/apis/serving/v1alpha2 llm_inference_service_types.go, ParallelismSpec.
    """
    part = mapping(body, *path.split("."))
    template, worker, parallel = (mapping(part, key) for key in ("template", "worker", "parallelism"))
    local = max(1, whole(parallel, "dataLocal", default=1))
    size = max(1, whole(parallel, "pipeline"), -(-whole(parallel, "data") // local)) if worker else 1
    if template:
        yield _pods(1, template, f"{path}.template")
    if worker and size > bool(template):
        yield _pods(size - bool(template), worker, f"{path}.worker")


_READERS: Mapping[Kind, Any] = {
    kinds.NOTEBOOK: _notebook,
    kinds.PYTORCH_JOB: _replicas("pytorchReplicaSpecs"),
    kinds.RAY_CLUSTER: _ray_cluster,
    kinds.RAY_JOB: _ray_job,
    kinds.INFERENCE_SERVICE: _inference_service,
    ("batch", "Job"): _job,
    ("jobset.x-k8s.io", "JobSet"): _job_set,
    ("kubeflow.org", "MPIJob"): _replicas("mpiReplicaSpecs"),
    ("kubeflow.org", "TFJob"): _replicas("tfReplicaSpecs"),
    ("kubeflow.org", "XGBoostJob"): _replicas("xgbReplicaSpecs"),
    ("kubeflow.org", "PaddleJob"): _replicas("paddleReplicaSpecs"),
}


def asks_for_accelerators(pods: Sequence[Pods]) -> bool:
    """Whether any pod asks for more than cpu, memory and storage."""
    return any(name not in kinds.CORE_RESOURCES for p in pods for name in p.amounts)
