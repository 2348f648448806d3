"""What a workload asks for: its pods, their resources and where they may run.

Source: kubernetes-sigs/kueue pkg/controller/jobs/{job,jobset,rayjob} (PodSets); k8s.io/component-helpers resource
(PodRequests); kserve pkg/controller/v1beta1/inferenceservice.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from generator.frozen import dataclass, field, replace
from generator.quantity import Amount
from generator.validate import kinds
from generator.validate.kinds import Kind
from generator.validate.queues import amount
from generator.validate.shape import get, mapping, mappings, steps, text, whole

_NO_SPEC: Mapping[str, Any] = {}
_REQUIRED = "requiredDuringSchedulingIgnoredDuringExecution"
_DIGITS = 10  # of an int32, beyond which Kueue ignores the annotation
MIN_PARALLELISM = "kueue.x-k8s.io/job-min-parallelism"
# source: kuberay ray-operator/controllers/ray/common/job.go, GetDefaultSubmitterTemplate
_SUBMITTER: Mapping[str, Any] = {"resources": {"requests": {"cpu": "500m", "memory": "200Mi"}}}


@dataclass(frozen=True, slots=True)
class Pods:
    """Pods that are alike: `count` of them, each asking for `amounts`; `path` leads to their template or resources.

    `chosen` leads to what places them, where that stands elsewhere. `annotations` are those of the pods, None where
    they are not known.
    """

    count: int
    amounts: Mapping[str, Amount]
    path: str
    spec: Mapping[str, Any] = field(default_factory=lambda: _NO_SPEC)
    chosen: str = ""
    annotations: Mapping[str, Any] | None = None

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


_CONTROL_PLANE = tuple(f"node-role.kubernetes.io/{role}" for role in ("control-plane", "master", "infra"))


def host_volumes(spec: Mapping[str, Any]) -> Iterator[str]:
    """Yield where in a pod's spec a volume is one of its host."""
    for index, volume in mappings(spec, "volumes"):
        if get(volume, "hostPath") is not None:
            yield f"volumes[{index}].hostPath"


def control_plane_tolerations(spec: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Yield where a pod tolerates nodes of the control plane or of infrastructure, and the key of their taint."""
    for index, toleration in mappings(spec, "tolerations"):
        if (key := text(toleration, "key")) in _CONTROL_PLANE:
            yield f"tolerations[{index}].key", key


def of_workload(kind: Kind, body: Mapping[str, Any], serving: Mapping[str, Any] = _NO_SPEC) -> list[list[Pods]]:
    """Return the pods of a workload that names a queue: lists of those that are admitted together.

    None for a kind whose pods depend on something else, such as a TrainJob's on its runtime. `serving` is the
    ServingRuntime of an InferenceService.
    """
    if kind == kinds.INFERENCE_SERVICE:
        return [[pods] for pods in _inference_service(body, serving)]
    if kind == kinds.LLM_INFERENCE_SERVICE:
        return [found for path in ("spec", "spec.prefill") if (found := list(_served(body, path)))]
    found = [annotated(each, body) for each in _READERS[kind](body)] if kind in _READERS else []
    if kind in (kinds.NOTEBOOK, ("", "Pod")):  # the controller of notebooks gives the pods its own annotations
        found = [replace(each, annotations=mapping(body, "metadata", "annotations")) for each in found]
    return [found] if found else []


def annotated(pods: Pods, body: Mapping[str, Any]) -> Pods:
    """Return pods with the annotations of their template, where their path leads to one."""
    template = pods.path.removesuffix(".spec.containers")
    if not template.lower().endswith("template"):
        return pods
    return replace(pods, annotations=mapping(body, *steps(template), "metadata", "annotations"))


def alike(count: int, spec: Mapping[str, Any], path: str) -> Pods:
    """Return pods of one spec, which stands at a path."""
    return Pods(max(0, count), asked_of(spec), f"{path}.containers", spec)


def asked_of(spec: Mapping[str, Any], defaults: Mapping[str, Any] = _NO_SPEC) -> Mapping[str, Amount]:
    """Return what a pod asks for: all that runs at once. A sidecar, once started, runs beside all that follows.

    `defaults` are the resources that a container gets of what it does not write.
    """
    most: Mapping[str, Amount] = {}
    sidecars: Mapping[str, Amount] = {}
    for _, container in mappings(spec, "initContainers"):
        running = _sum(sidecars, _requests(container, defaults))
        most = _most(most, running)
        if text(container, "restartPolicy") == "Always":
            sidecars = running
    main = _sum(*(_requests(container, defaults) for _, container in mappings(spec, "containers")), sidecars)
    return _most(main, most)


def _sum(*parts: Mapping[str, Amount]) -> dict[str, Amount]:
    total: dict[str, Amount] = {}
    for part in parts:
        for name, asked in part.items():
            total[name] = total.get(name, 0) + asked
    return total


def _most(one: Mapping[str, Amount], other: Mapping[str, Amount]) -> Mapping[str, Amount]:
    return {**one, **{name: max(one.get(name, 0), asked) for name, asked in other.items()}} if other else one


def _requests(container: Mapping[str, Any], defaults: Mapping[str, Any] = _NO_SPEC) -> dict[str, Amount]:
    """Return a container's requests; a limit stands for the request that is not written.

    Source: kueue pkg/workload/resources.go, AdjustResources.
    """
    given = [mapping(of, key) for key in ("limits", "requests") for of in (defaults, mapping(container, "resources"))]
    written = {name: value for part in given for name, value in part.items()}
    return {name: asked for name, value in written.items() if (asked := amount(name, value)) is not None}


def _notebook(body: Mapping[str, Any]) -> Iterator[Pods]:
    yield alike(1, mapping(body, "spec", "template", "spec"), "spec.template.spec")


def _job(body: Mapping[str, Any]) -> Iterator[Pods]:
    """One that names a least parallelism may be admitted with as few pods."""
    count = _at_once(mapping(body, "spec"))
    least = text(body, "metadata", "annotations", MIN_PARALLELISM)
    if least.isdecimal() and len(least) < _DIGITS:
        count = min(count, max(1, int(least)))
    yield alike(count, mapping(body, "spec", "template", "spec"), "spec.template.spec")


def _at_once(job: Mapping[str, Any]) -> int:
    """Return how many pods of a Job run at once: never more than have to complete."""
    count = whole(job, "parallelism", default=1)
    return min(count, whole(job, "completions", default=count))


def _pod(body: Mapping[str, Any]) -> Iterator[Pods]:
    yield alike(1, mapping(body, "spec"), "spec")


def _deployment(body: Mapping[str, Any]) -> Iterator[Pods]:
    """Each pod of a Deployment is a workload of its own."""
    if whole(body, "spec", "replicas", default=1):
        yield alike(1, mapping(body, "spec", "template", "spec"), "spec.template.spec")


def _stateful_set(body: Mapping[str, Any]) -> Iterator[Pods]:
    if replicas := whole(body, "spec", "replicas", default=1):
        yield alike(replicas, mapping(body, "spec", "template", "spec"), "spec.template.spec")


def _leader_worker_set(body: Mapping[str, Any]) -> Iterator[Pods]:
    """One group, which is a workload of its own: its leader is like the workers unless it has a template."""
    path = "spec.leaderWorkerTemplate"
    parts = mapping(body, *path.split("."))
    size = max(1, whole(parts, "size", default=1)) if whole(body, "spec", "replicas", default=1) else 0
    leader = mapping(parts, "leaderTemplate", "spec")
    if leader and size:
        yield alike(1, leader, f"{path}.leaderTemplate.spec")
    if size > bool(leader):
        yield alike(size - bool(leader), mapping(parts, "workerTemplate", "spec"), f"{path}.workerTemplate.spec")


def _job_set(body: Mapping[str, Any]) -> Iterator[Pods]:
    for index, job in mappings(body, "spec", "replicatedJobs"):
        count = whole(job, "replicas", default=1) * _at_once(mapping(job, "template", "spec"))
        path = f"spec.replicatedJobs[{index}].template.spec.template.spec"
        yield alike(count, mapping(job, "template", "spec", "template", "spec"), path)


def _replicas(field_: str) -> Any:
    def read(body: Mapping[str, Any]) -> Iterator[Pods]:
        for name, replica in mapping(body, "spec", field_).items():
            spec = mapping(replica, "template", "spec")
            yield alike(whole(replica, "replicas", default=1), spec, f"spec.{field_}.{name}.template.spec")

    return read


def _ray_cluster(body: Mapping[str, Any]) -> Iterator[Pods]:
    yield from _ray(mapping(body, "spec"), "spec")


def _ray_job(body: Mapping[str, Any]) -> Iterator[Pods]:
    """A Job of its own submits, unless another mode is named: Kueue counts its pod."""
    spec = mapping(body, "spec")
    cluster = mapping(spec, "rayClusterSpec")
    yield from _ray(cluster, "spec.rayClusterSpec")
    if cluster and get(spec, "submissionMode") in (None, "", "K8sJobMode"):
        if template := mapping(spec, "submitterPodTemplate", "spec"):
            yield alike(1, template, "spec.submitterPodTemplate.spec")
        else:
            yield Pods(1, _requests(_SUBMITTER), "spec.submissionMode")


def _ray_service(body: Mapping[str, Any]) -> Iterator[Pods]:
    yield from _ray(mapping(body, "spec", "rayClusterConfig"), "spec.rayClusterConfig")


def _ray(spec: Mapping[str, Any], path: str) -> Iterator[Pods]:
    if head := mapping(spec, "headGroupSpec", "template", "spec"):
        yield alike(1, head, f"{path}.headGroupSpec.template.spec")
    for index, group in mappings(spec, "workerGroupSpecs"):
        count = whole(group, "replicas") * whole(group, "numOfHosts", default=1)
        place = f"{path}.workerGroupSpecs[{index}].template.spec"
        yield alike(count, mapping(group, "template", "spec"), place)


def _inference_service(body: Mapping[str, Any], serving: Mapping[str, Any]) -> Iterator[Pods]:
    """Each replica of each component is a workload of its own: a Deployment's pods are admitted one by one."""
    predictor = mapping(body, "spec", "predictor")
    model = mapping(predictor, "model")
    containers = [c for _, c in mappings(predictor, "containers")]
    if model:
        containers = [*_merged(model, serving), *containers]
    pods = alike(1, {**predictor, "containers": containers}, "spec.predictor")
    yield replace(pods, path="spec.predictor.model" if model else "spec.predictor", spec=predictor)
    for component in ("transformer", "explainer"):
        spec = mapping(body, "spec", component)
        if spec and not get(spec, "labels", kinds.QUEUE_NAME):  # else it is another queue's
            yield alike(1, spec, f"spec.{component}")


def _merged(model: Mapping[str, Any], serving: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """Return the containers of a ServingRuntime with the model's in place of `kserve-container`.

    What the model leaves out of accelerators is the runtime's; cpu and memory have defaults of KServe's own.
    """
    limits, requests = mapping(model, "resources", "limits"), mapping(model, "resources", "requests")
    containers: list[Mapping[str, Any]] = []
    for _, container in mappings(serving, "spec", "containers"):
        if text(container, "name") == "kserve-container":
            given = {**mapping(container, "resources", "limits"), **mapping(container, "resources", "requests")}
            own = {k: v for k, v in given.items() if k not in kinds.CORE_RESOURCES and k not in requests}
            model = {"resources": {"limits": {**own, **limits}, "requests": requests}}
        else:
            containers.append(container)
    return [model, *containers]


def _served(body: Mapping[str, Any], path: str) -> Iterator[Pods]:
    """A replica of an LLMInferenceService: one pod, or with workers a group that LeaderWorkerSet starts together.

    Source: kserve pkg/apis/serving/v1alpha2 llm_inference_service_types.go, ParallelismSpec.
    """
    part = mapping(body, *path.split("."))
    template, worker, parallel = (mapping(part, key) for key in ("template", "worker", "parallelism"))
    local = max(1, whole(parallel, "dataLocal", default=1))
    size = max(1, whole(parallel, "pipeline"), -(-whole(parallel, "data") // local)) if worker else 1
    if template:
        yield alike(1, template, f"{path}.template")
    if worker and size > bool(template):
        yield alike(size - bool(template), worker, f"{path}.worker")


_READERS: Mapping[Kind, Any] = {
    kinds.NOTEBOOK: _notebook,
    kinds.PYTORCH_JOB: _replicas("pytorchReplicaSpecs"),
    kinds.RAY_CLUSTER: _ray_cluster,
    kinds.RAY_JOB: _ray_job,
    ("batch", "Job"): _job,
    ("jobset.x-k8s.io", "JobSet"): _job_set,
    ("kubeflow.org", "MPIJob"): _replicas("mpiReplicaSpecs"),
    ("kubeflow.org", "TFJob"): _replicas("tfReplicaSpecs"),
    ("kubeflow.org", "XGBoostJob"): _replicas("xgbReplicaSpecs"),
    ("kubeflow.org", "PaddleJob"): _replicas("paddleReplicaSpecs"),
    ("kubeflow.org", "JAXJob"): _replicas("jaxReplicaSpecs"),
    kinds.LEADER_WORKER_SET: _leader_worker_set,
    kinds.RAY_SERVICE: _ray_service,
    ("apps", "Deployment"): _deployment,
    ("apps", "StatefulSet"): _stateful_set,
    ("", "Pod"): _pod,
}


def asks_for_accelerators(pods: Sequence[Pods]) -> bool:
    """Whether any pod asks for more than cpu, memory and storage."""
    return any(asked and name not in kinds.CORE_RESOURCES for p in pods for name, asked in p.amounts.items())
