"""A TrainJob and its runtime: the pods that Trainer makes of both.

Source: kubeflow/trainer@v2.1.0 pkg/runtime/core/trainingruntime.go (newRuntimeInfo, mergePodTemplateOverrides),
pkg/runtime/framework/plugins/{torch,mpi,plainml} (EnforceMLPolicy) and plugins/jobset/builder.go (Trainer).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from generator.frozen import replace
from generator.manifest import Manifest
from generator.validate import kinds
from generator.validate.cluster import Cluster, namespace_of
from generator.validate.kinds import Kind
from generator.validate.pods import Pods, alike, annotated
from generator.validate.shape import get, items, mapping, mappings, text, whole
from generator.validate.shipped import ships

LAUNCHER, NODE = "launcher", "node"  # Trainer finds the jobs of an MPI runtime by these names
JOBS = ("spec", "template", "spec", "replicatedJobs")
OVERRIDES = "spec.podTemplateOverrides"
ANCESTOR = "trainer.kubeflow.org/trainjob-ancestor-step"
POD_SPEC = ("template", "spec", "template", "spec")
_TOPOLOGY = "kueue.x-k8s.io/podset-"
_NOTHING: Mapping[str, Any] = {}
# what is known of the pods of a runtime that is not here; each that OpenShift AI ships is of this form
_USUAL: Mapping[str, Any] = {
    "name": NODE,
    "template": {
        "metadata": {"labels": {ANCESTOR: "trainer"}},
        "spec": {"template": {"spec": {"containers": [{"name": NODE}]}}},
    },
}
_UNKNOWN: Mapping[str, Any] = {"spec": {"mlPolicy": {}, "template": {"spec": {"replicatedJobs": [_USUAL]}}}}
# source: red-hat-data-services/trainer@rhoai-3.2 to rhoai-3.5 manifests/rhoai/runtimes, which differ in images alone
_SHIPPED: Mapping[str, Any] = {
    "apiVersion": "trainer.kubeflow.org/v1alpha1",
    "kind": kinds.CLUSTER_RUNTIME[1],
    "spec": {**_UNKNOWN["spec"], "mlPolicy": {"numNodes": 1, "torch": {"numProcPerNode": "auto"}}},
}


def reference(body: Mapping[str, Any], namespace: str) -> tuple[Kind, str, str]:
    """Return kind, name and namespace of the runtime that a TrainJob names."""
    named = get(body, "spec", "runtimeRef")
    is_local = text(named, "kind") == kinds.RUNTIME[1]
    kind, space = (kinds.RUNTIME, namespace) if is_local else (kinds.CLUSTER_RUNTIME, "")
    return kind, text(named, "name"), space


def runtime_of(cluster: Cluster, train_job: Manifest) -> Mapping[str, Any] | None:
    """Return the runtime that a TrainJob names, None where it is neither here nor one that the target ships."""
    kind, name, space = reference(train_job.body, namespace_of(train_job))
    if found := cluster.find(kind, name, space):
        return found.body
    return _SHIPPED if cluster.target.openshift_ai and ships(cluster, kind, name) else None


def is_mpi(runtime: Mapping[str, Any]) -> bool:
    return get(runtime, "spec", "mlPolicy", "mpi") is not None


def launcher_is_node(runtime: Mapping[str, Any]) -> bool:
    """Whether the launcher of an MPI runtime trains too."""
    return get(runtime, "spec", "mlPolicy", "mpi", "runLauncherAsNode") is True


def step_of(job: Mapping[str, Any]) -> str:
    """Return which step of a TrainJob a replicated job is, "" for none."""
    return text(job, "template", "metadata", "labels", ANCESTOR)


def of_runtime(runtime: Mapping[str, Any], train_job: Mapping[str, Any] = _NOTHING) -> list[Pods]:
    """Return the pods of a training runtime, by job; `train_job` changes their number, resources and place."""
    found = []
    for index, job in mappings(runtime, *JOBS):
        path = f"{'.'.join(JOBS)}[{index}].{'.'.join(POD_SPEC)}"
        spec, chosen = _overridden(_trained(runtime, job, train_job), train_job, text(job, "name"))
        pods = _annotated(alike(_count(runtime, job, train_job), spec, path), runtime, train_job)
        found.append(replace(pods, chosen=chosen) if chosen else pods)
    return found


def _annotated(pods: Pods, runtime: Mapping[str, Any], train_job: Mapping[str, Any]) -> Pods:
    """Return pods with their template's annotations, if these ask for a topology or nobody else can: overrides may."""
    found = annotated(pods, runtime)
    is_settled = train_job and runtime is not _UNKNOWN and not any(overrides(train_job))
    return found if is_settled or any(key.startswith(_TOPOLOGY) for key in found.annotations or ()) else pods


def of_train_job(body: Mapping[str, Any], runtime: Mapping[str, Any] | None) -> list[Pods]:
    """Return the pods of a TrainJob by its runtime; without that, those of which it says the size itself."""
    path = "spec.trainer" if mapping(body, "spec", "trainer") else "spec.runtimeRef"
    found = of_runtime(_UNKNOWN if runtime is None else runtime, body)
    return [replace(each, path=path, chosen=each.chosen or path) for each in found if each.amounts]


def _count(runtime: Mapping[str, Any], job: Mapping[str, Any], train_job: Mapping[str, Any]) -> int:
    """Return how many pods a job has.

    The runtime counts those of the step `trainer`. A TrainJob counts the same ones, but of an MPI runtime the job
    `node`; its launcher, where it trains too, is one of the TrainJob's nodes.
    """
    step, policy = step_of(job), mapping(runtime, "spec", "mlPolicy")
    count = whole(job, "template", "spec", "parallelism", default=1)
    if step == "trainer":
        count = whole(policy, "numNodes", default=1) if policy else count
    asked = whole(train_job, "spec", "trainer", "numNodes")
    if asked and is_mpi(runtime):
        own = max(asked - 1, 1) if launcher_is_node(runtime) else asked
        count = own if text(job, "name") == NODE else count
    elif asked and step == "trainer":
        count = asked
    return max(1, count) if step == "trainer" else count * whole(job, "replicas", default=1)


def _trained(runtime: Mapping[str, Any], job: Mapping[str, Any], train_job: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return the pods' spec with what a TrainJob says of image and resources of the container `node`."""
    spec, trainer = mapping(job, *POD_SPEC), mapping(train_job, "spec", "trainer")
    own: dict[str, Any] = {}
    if step_of(job) == "trainer":
        own = {"image": text(trainer, "image"), "resources": mapping(trainer, "resourcesPerNode")}
    elif launcher_is_node(runtime) and text(job, "name") == NODE:
        own = {"resources": mapping(trainer, "resourcesPerNode")}
    own = {key: value for key, value in own.items() if value}
    if not own:
        return spec
    containers = [{**c, **own} if text(c, "name") == NODE else c for _, c in mappings(spec, "containers")]
    return {**spec, "containers": containers}


def overrides(train_job: Mapping[str, Any]) -> Iterator[tuple[int, Mapping[str, Any], list[str]]]:
    """Yield the pod overrides of a TrainJob, each with its index and the jobs that it is for."""
    for index, override in mappings(train_job, *OVERRIDES.split(".")):
        yield index, override, [text(job, "name") for _, job in mappings(override, "targetJobs")]


def _overridden(spec: Mapping[str, Any], train_job: Mapping[str, Any], name: str) -> tuple[Mapping[str, Any], str]:
    """Return a job's pods as overrides place them, and the path of the last one that does.

    They are strategic merge patches: of a pod's spec, tolerations and terms are lists that replace the runtime's.
    """
    chosen = ""
    for index, override, jobs in overrides(train_job):
        own = mapping(override, "spec")
        placing = {key: own[key] for key in ("tolerations", "nodeSelector", "affinity") if own.get(key)}
        if placing and name in jobs:
            spec, chosen = _merged(spec, placing), f"{OVERRIDES}[{index}].spec"
    return spec, chosen


def _merged(base: Mapping[str, Any], over: Mapping[str, Any]) -> Mapping[str, Any]:
    deep = {key: _merged(mapping(base, key), value) if mapping(over, key) else value for key, value in over.items()}
    return {**base, **deep}


def containers_of(job: Mapping[str, Any]) -> set[str]:
    """Return the names of a job's containers, those that run before included."""
    spec = mapping(job, *POD_SPEC)
    return {text(c, "name") for key in ("containers", "initContainers") for c in items(spec, key)}
