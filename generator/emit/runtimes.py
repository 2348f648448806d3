"""ClusterTrainingRuntime and TrainingRuntime, and who may use them.

Source: kubeflow/trainer pkg/apis/trainer/v1alpha1.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from generator.emit.marks import MANAGED_BY, labels, wave
from generator.emit.tenants import RBAC_API, RBAC_GROUP
from generator.manifest import Manifest, manifest
from generator.plan.model import BYTES, Plan, Runtime
from generator.quantity import canonical, canonical_bytes
from generator.releases.model import Trainer

RUNTIME_WAVE = 3
FRAMEWORK = "trainer.kubeflow.org/framework"
ANCESTOR = "trainer.kubeflow.org/trainjob-ancestor-step"
STEP, LAUNCHER = "node", "launcher"  # Trainer finds container and jobs by these names
_TRAINS = {"labels": {ANCESTOR: "trainer"}}
_MPI_USER = 1000


def folder(trainer: Trainer, runtime: Runtime) -> str:
    """Return the folder of the base that holds a runtime for one version of Trainer."""
    return f"base/runtimes/trainer-{trainer.version}/{runtime.name}"


def base(runtime: Runtime, trainer: Trainer) -> Manifest:
    """Return a runtime that is the same in every environment."""
    return _runtime(runtime, trainer, MANAGED_BY)


def emit(runtimes: Iterable[Runtime], plan: Plan) -> Iterator[Manifest]:
    """Yield runtimes that hold something of the environment."""
    trainer = plan.openshift_ai.trainer
    for runtime in runtimes:
        assert trainer is not None  # the plan has no runtime without
        yield _runtime(runtime, trainer, labels(plan.name, runtime.team))


def _runtime(runtime: Runtime, trainer: Trainer, marks: Mapping[str, str]) -> Manifest:
    """Return the object; defaults inside lists are written out, since a diff compares lists as a whole."""
    annotations: dict[str, str] = {**wave(RUNTIME_WAVE)}
    if runtime.description:
        annotations["openshift.io/description"] = runtime.description
    return manifest(
        trainer.api,
        "TrainingRuntime" if runtime.namespace else "ClusterTrainingRuntime",
        runtime.name,
        namespace=runtime.namespace,
        labels={**marks, FRAMEWORK: runtime.framework},
        annotations=annotations,
        origin=runtime.origin,
        spec={"mlPolicy": _policy(runtime, trainer), "template": {"spec": _job_set(runtime)}},
    )


def _job_set(runtime: Runtime) -> dict[str, Any]:
    if runtime.policy == "mpi":
        return _launched(runtime)
    return {"replicatedJobs": [_job(STEP, {"containers": [_container(runtime)]}, {"metadata": _TRAINS})]}


def _launched(runtime: Runtime) -> dict[str, Any]:
    """Return a launcher, which trains too, and nodes that wait for it with sshd.

    The server counts the step `trainer` by mlPolicy and the other nodes by parallelism. Of another user than 1000 sshd
    lets nobody in.

    Source: kubeflow/trainer@v2.3.0 manifests/base/runtimes/deepspeed_distributed.yaml and
    pkg/runtime/framework/plugins/mpi/mpi.go.
    """
    nodes, main = runtime.pods - 1, _container(runtime)
    waiting = {
        "name": STEP,
        "image": runtime.image,
        "command": ["/usr/sbin/sshd"],
        "args": ["-De", "-f", "/home/mpiuser/.sshd_config"],
        "readinessProbe": {"initialDelaySeconds": 5, "tcpSocket": {"port": 2222}},
        "resources": main["resources"],
    }
    job = {"completions": nodes, "parallelism": nodes}
    ready = {"dependsOn": [{"name": STEP, "status": "Ready"}]}
    return {
        "network": {"publishNotReadyAddresses": True},
        "successPolicy": {"operator": "All", "targetReplicatedJobs": [LAUNCHER]},
        "replicatedJobs": [
            _job(STEP, _of_mpi_user(waiting), {}, job),
            {**_job(LAUNCHER, _of_mpi_user(main), {"metadata": _TRAINS}), **ready},
        ],
    }


def _of_mpi_user(container: Mapping[str, Any]) -> dict[str, Any]:
    own = {**container, "securityContext": {"runAsUser": _MPI_USER}}
    return {"containers": [own], "securityContext": {"fsGroup": _MPI_USER}}


def _job(
    name: str, pod: Mapping[str, Any], marks: Mapping[str, Any], spec: Mapping[str, Any] | None = None
) -> dict[str, Any]:
    template = {**marks, "spec": {**(spec or {}), "template": {"spec": pod}}}
    return {"name": name, "groupName": "default", "replicas": 1, "template": template}


def _policy(runtime: Runtime, trainer: Trainer) -> dict[str, Any]:
    policy: dict[str, Any] = {"numNodes": 1 if runtime.policy == "mpi" else runtime.nodes}
    if runtime.policy == "torch":
        policy["torch"] = {"numProcPerNode": "auto"} if trainer.torch_num_proc else {}
    elif runtime.policy == "mpi":
        policy["mpi"] = {
            "mpiImplementation": "OpenMPI",
            "numProcPerNode": 1,
            "runLauncherAsNode": True,
            "sshAuthMountPath": "/home/mpiuser/.ssh",
        }
    return policy


def _container(runtime: Runtime) -> dict[str, Any]:
    amounts = {k: canonical_bytes(v) if k in BYTES else canonical(v) for k, v in runtime.requests.items()}
    container: dict[str, Any] = {"name": STEP, "image": runtime.image}
    if runtime.command:
        container["command"] = list(runtime.command)
    if runtime.args:
        container["args"] = list(runtime.args)
    if runtime.env:
        container["env"] = [{"name": name, "value": value} for name, value in runtime.env]
    return {**container, "resources": {"limits": amounts, "requests": dict(amounts)}}


def access(plan: Plan) -> Iterator[Manifest]:
    """Yield the roles that Trainer ships without aggregation, and read access to what is cluster-wide.

    Names of runtimes and priorities are no secret: SDKs list them for whoever is logged in.
    """
    if plan.state("trainer") != "Managed":
        return
    marks, origin = labels(plan.name), plan.origin
    jobs = [
        {
            "apiGroups": ["trainer.kubeflow.org"],
            "resources": ["trainjobs", "trainingruntimes"],
            "verbs": ["create", "delete", "deletecollection", "get", "list", "patch", "update", "watch"],
        },
        {"apiGroups": ["trainer.kubeflow.org"], "resources": ["trainjobs/status"], "verbs": ["get"]},
    ]
    aggregate = {f"rbac.authorization.k8s.io/aggregate-to-{role}": "true" for role in ("admin", "edit")}
    if not plan.openshift_ai.training_roles_aggregated:
        yield manifest(
            RBAC_API,
            "ClusterRole",
            "apportion-trainer-edit",
            labels={**marks, **aggregate},
            annotations=wave(-1),
            origin=origin,
            rules=jobs,
        )
    read = ["get", "list", "watch"]
    rules = [
        {"apiGroups": ["trainer.kubeflow.org"], "resources": ["clustertrainingruntimes"], "verbs": read},
        {"apiGroups": ["kueue.x-k8s.io"], "resources": ["workloadpriorityclasses"], "verbs": read},
    ]
    yield manifest(
        RBAC_API,
        "ClusterRole",
        "apportion-runtime-view",
        labels=marks,
        annotations=wave(-1),
        origin=origin,
        rules=rules,
    )
    yield manifest(
        RBAC_API,
        "ClusterRoleBinding",
        "apportion-runtime-view",
        labels=marks,
        annotations=wave(-1),
        origin=origin,
        roleRef={"apiGroup": RBAC_GROUP, "kind": "ClusterRole", "name": "apportion-runtime-view"},
        subjects=[{"apiGroup": RBAC_GROUP, "kind": "Group", "name": "system:authenticated"}],
    )
