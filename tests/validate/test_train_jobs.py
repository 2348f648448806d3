"""TrainJobs beside their runtimes: what Trainer's webhook refuses, and what its pods ask for."""

from __future__ import annotations

from typing import Any

import pytest

from generator.releases.load import known, openshift_ai
from generator.validate.cluster import Target
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

API = "trainer.kubeflow.org/v1alpha1"
QUEUED = {"kueue.x-k8s.io/queue-name": "default", "kueue.x-k8s.io/priority-class": "training"}
STEP = "trainer.kubeflow.org/trainjob-ancestor-step"
ON = "openshiftAI=3.4,kueue=1.3"
OVERRIDES = "spec.podTemplateOverrides"
CLASS = body(KUEUE, "WorkloadPriorityClass", "training", value=100)


def job(trainer: Body | None = None, *overrides: Body, to: str = "torch", **spec: Any) -> Body:
    content: Body = {"runtimeRef": {"name": to}, **spec}
    if trainer:
        content["trainer"] = trainer
    if overrides:
        content["podTemplateOverrides"] = list(overrides)
    return body(API, "TrainJob", "j", "vision", metadata={"labels": dict(QUEUED)}, spec=content)


def override(*jobs: str, **spec: Any) -> Body:
    return {"targetJobs": [{"name": name} for name in jobs or ("node",)], "spec": spec}


def step(name: str, gpus: int = 0, label: str = "", container: str = "node", **spec: Any) -> Body:
    """Return a replicated job, labelled as a step of its own name or another; "-" for none."""
    made: Body = {"name": container, "image": "x"}
    if gpus:
        made["resources"] = {"limits": {GPU: gpus}}
    labels = {} if label == "-" else {STEP: label or name}
    pods = {"containers": [made], "initContainers": [{"name": "before"}]}
    return {"name": name, "template": {"metadata": {"labels": labels}, "spec": {"template": {"spec": pods}, **spec}}}


def runs(policy: Body, *jobs: Body, name: str = "torch") -> Body:
    given = list(jobs or [step("node", label="trainer")])
    spec = {"mlPolicy": {"numNodes": 1, **policy}, "template": {"spec": {"replicatedJobs": given}}}
    return body(API, "ClusterTrainingRuntime", name, spec=spec)


def mpi(gpus: int = 4, launcher: bool = True, **node: Any) -> Body:
    """Return a runtime of the form of Trainer's own deepspeed-distributed."""
    jobs = step("node", gpus, "-", **node), step("launcher", gpus, "trainer")
    return runs({"mpi": {"runLauncherAsNode": launcher}}, *jobs)


TORCH, PLAIN = runs({"torch": {}}), runs({})
ALONE = runs({"mpi": {"runLauncherAsNode": True}})
FETCHING = runs({"torch": {}}, step("model-initializer", container="model-initializer"), step("node", label="trainer"))
MISNAMED = runs({"torch": {}}, step("model-initializer"), step("node", label="trainer"))


def found(*bodies: Body, on: str | Target = ON, **more: Any) -> list[str]:
    around = [namespace(), flavor(), queue(gpus="8"), local_queue(), CLASS]
    goal = target(on) if isinstance(on, str) else on
    said = judged(cluster([*around, *bodies], goal, **more))
    return [f"{f.severity} {f.rule} {f.path}" for f in said if f.object and f.object.kind == "TrainJob"]


def env(*names: str, **more: Any) -> Body:
    return {"env": [{"name": name, "value": "1"} for name in names], **more}


REFUSED = "error reserved-variable spec.trainer.env"
OVERWRITTEN = "warning reserved-variable spec.trainer.env"
PROCESSES = "error processes-per-node spec.trainer.numProcPerNode"


@pytest.mark.parametrize(
    ("made", "of", "said"),
    [
        (job(env("PET_NNODES", numProcPerNode="auto")), TORCH, [REFUSED]),
        (job(env("PET_NNODES", "PET_NODE_RANK", numProcPerNode=2)), TORCH, [REFUSED]),
        (job(env("PET_NNODES")), TORCH, [OVERWRITTEN]),
        (job(env("PET_RDZV_BACKEND", numProcPerNode="auto")), TORCH, []),
        (job(env("PET_NNODES", numProcPerNode=2)), mpi(), []),
        (job(env("PET_NNODES")), PLAIN, []),
        (job(env("PET_NNODES")), None, [OVERWRITTEN]),
        (job({"numProcPerNode": "foo"}), TORCH, [PROCESSES]),
        (job({"numProcPerNode": "2"}), TORCH, [PROCESSES]),
        (job({"numProcPerNode": "cpu"}), TORCH, []),
        (job({"numProcPerNode": 2}), TORCH, []),
        (job({"numProcPerNode": "auto"}), mpi(), [PROCESSES]),
        (job({"numProcPerNode": 2}), mpi(), []),
        (job({"numProcPerNode": "foo"}), PLAIN, []),
        (job({"numProcPerNode": "foo"}), None, []),
        (job({"numNodes": 2}), ALONE, ["error mpi-without-launcher spec.trainer.numNodes"]),
        (job({"numNodes": 1}), ALONE, []),
        (job({"numNodes": 2}), mpi(), []),
        (job({"numNodes": 2}), runs({"mpi": {}}), []),
        (job({"numNodes": 2}), TORCH, []),
        (job(initializer={"model": {"storageUri": "hf://a"}}), TORCH, ["error initializer-missing spec.runtimeRef"]),
        (job(initializer={"model": {}}), MISNAMED, ["error initializer-missing spec.runtimeRef"]),
        (job(initializer={"model": {}}), FETCHING, []),
        (job(initializer={"dataset": {}}), FETCHING, ["error initializer-missing spec.runtimeRef"]),
        (job(initializer={}), TORCH, []),
        (job(initializer={"model": {}}), None, []),
        (job({}, override("nope")), TORCH, [f"error override-job-unknown {OVERRIDES}"]),
        (job({}, override("node", "nope")), TORCH, [f"error override-job-unknown {OVERRIDES}"]),
        (job({}, override("nope", containers=[{"name": "x"}])), TORCH, [f"error override-job-unknown {OVERRIDES}"]),
        (job({}, override("nope")), None, []),
        (job({}, override(containers=[{"name": "foo"}])), TORCH, [f"error override-container-unknown {OVERRIDES}"]),
        (job({}, override(containers=[{"name": "node", "volumeMounts": []}])), TORCH, []),
        (job({}, override(initContainers=[{"name": "before", "env": [{"name": "A"}]}])), TORCH, []),
        (job({}, override(initContainers=[{"name": "foo"}])), TORCH, [f"error override-container-unknown {OVERRIDES}"]),
        (job({}, override(containers=[{"name": "node", "env": [{"name": "A"}]}])), TORCH,
         [f"error override-env {OVERRIDES}"]),
        (job({}, override(containers=[{"name": "node", "env": []}])), TORCH, []),
        (job({}, {"targetJobs": [{"name": "node"}]}), TORCH, []),
    ],
)  # fmt: skip
def test_a_job_is_what_its_runtime_takes(made: Body, of: Body | None, said: list[str]) -> None:
    assert found(made, *([of] if of else ())) == said


HOST = override(volumes=[{"name": "h", "hostPath": {"path": "/x"}}])
INFRA = override(tolerations=[{"key": "node-role.kubernetes.io/infra", "operator": "Exists"}])


@pytest.mark.parametrize(
    ("on", "said"),
    [
        ("openshiftAI=3.2,kueue=1.3", []),
        ("openshiftAI=3.3,kueue=1.3", ["host-path", "control-plane-toleration"]),
        ("openshiftAI=3.5,kueue=1.3", ["host-path", "control-plane-toleration"]),
        ("kueue=1.3", []),
    ],
)
def test_what_leads_to_the_host_is_refused_where_the_release_does(on: str, said: list[str]) -> None:
    assert [line.split()[1] for line in found(job({}, HOST, INFRA), TORCH, on=on)] == said


def test_what_leads_elsewhere_is_not() -> None:
    claim = override(volumes=[{"name": "h", "persistentVolumeClaim": {"claimName": "x"}}])
    assert found(job({}, claim, override(tolerations=[{"key": "dedicated"}])), TORCH) == []


ABOVE = "error request-above-quota spec.trainer"


@pytest.mark.parametrize(
    ("made", "of", "said"),
    [
        (job({"numNodes": 2}), mpi(), []),
        (job({"numNodes": 3}), mpi(), [ABOVE]),
        (job({"numNodes": 1}), mpi(), []),
        (job({"numNodes": 1}), mpi(5), [ABOVE]),
        (job(), mpi(2, parallelism=3), []),
        (job(), mpi(2, parallelism=4), ["error request-above-quota spec.runtimeRef"]),
        (job({"numNodes": 2}), mpi(2, parallelism=8), []),
        (job({"numNodes": 3}), mpi(2, launcher=False), []),
        (job({"numNodes": 4}), mpi(2, launcher=False), [ABOVE]),
        (job({"numNodes": 2, "resourcesPerNode": {"limits": {GPU: 4}}}), mpi(9), []),
        (job({"numNodes": 2, "resourcesPerNode": {"limits": {GPU: 5}}}), mpi(1), [ABOVE]),
        (job({"numNodes": 2, "resourcesPerNode": {"limits": {GPU: 4}}}), mpi(2, launcher=False), []),
    ],
)
def test_the_nodes_of_an_mpi_runtime_are_counted_as_trainer_does(made: Body, of: Body, said: list[str]) -> None:
    assert found(made, of) == said


MODEL: Body = {"nodeSelector": {"model": "a100"}}
OTHER: Body = {"nodeSelector": {"model": "h100"}}
TERMS = "requiredDuringSchedulingIgnoredDuringExecution"
KEPT = {"key": "dedicated", "operator": "Exists"}


def affinity(model: str) -> Body:
    term = {"matchExpressions": [{"key": "model", "operator": "In", "values": [model]}]}
    return {"affinity": {"nodeAffinity": {TERMS: {"nodeSelectorTerms": [term]}}}}


@pytest.mark.parametrize(
    ("of", "overrides", "said"),
    [
        (runtime(), [], []),
        (runtime(), [override(**MODEL)], []),
        (runtime(), [override(**OTHER)], [f"error flavor-not-selected {OVERRIDES}[0].spec"]),
        (runtime(), [override("launcher", **OTHER)], [f"error override-job-unknown {OVERRIDES}"]),
        (runtime(), [override(**OTHER), override(**MODEL)], []),
        (runtime(), [override(**affinity("h100"))], [f"error flavor-not-selected {OVERRIDES}[0].spec"]),
        (runtime(), [override(**affinity("a100"))], []),
        (runtime(**affinity("h100")), [override(**affinity("a100"))], []),
        (runtime(**OTHER), [override(**MODEL)], []),
        (runtime(**OTHER), [override(nodeSelector={"else": "x"})],
         [f"error flavor-not-selected {OVERRIDES}[0].spec"]),
    ],
)  # fmt: skip
def test_overrides_place_the_pods(of: Body, overrides: list[Body], said: list[str]) -> None:
    assert found(job({"resourcesPerNode": {"limits": {GPU: 8}}}, *overrides), of) == said


@pytest.mark.parametrize(
    ("overrides", "said"),
    [
        ([], ["error flavor-taint-not-tolerated spec.trainer"]),
        ([override(tolerations=[KEPT])], []),
        ([override(tolerations=[KEPT]), override(tolerations=[{"key": "else", "operator": "Exists"}])],
         [f"error flavor-taint-not-tolerated {OVERRIDES}[1].spec"]),
    ],
)  # fmt: skip
def test_overrides_tolerate_taints(overrides: list[Body], said: list[str]) -> None:
    tainted = flavor(nodeTaints=[{"key": "dedicated", "value": "x", "effect": "NoSchedule"}])
    made = job({"resourcesPerNode": {"limits": {GPU: 8}}}, *overrides)
    bodies = [namespace(), tainted, queue(gpus="8"), local_queue(), CLASS, made]
    said_ = judged(cluster(bodies))
    assert [f"{f.severity} {f.rule} {f.path}" for f in said_ if f.object and f.object.kind == "TrainJob"] == said


def platform(state: str) -> Body:
    components = {"kueue": {"managementState": "Unmanaged"}, "trainer": {"managementState": state}}
    api = "datasciencecluster.opendatahub.io/v2"
    return body(api, "DataScienceCluster", "default-dsc", spec={"components": components})


MISSING = "error missing-cluster-training-runtime spec.runtimeRef.name"
OLD = "torch-distributed-cuda128-torch29-py312"  # of 3.3 and 3.4


@pytest.mark.parametrize(
    ("name", "on", "around", "said"),
    [
        ("torch-distributed", "openshiftAI=3.2", [TORCH], []),
        ("torch-distributed", "openshiftAI=3.5", [TORCH, platform("Managed")], []),
        ("torch-distributed", ON, [TORCH, platform("Removed")], [MISSING]),
        ("torch-distributed", "openshiftAI=3.0", [TORCH], [MISSING]),
        ("torch-distributed-cpu", "openshiftAI=3.3", [TORCH], [MISSING]),
        ("torch-distributed-cpu", "openshiftAI=3.4", [TORCH], []),
        (OLD, "openshiftAI=3.4", [TORCH], []),
        (OLD, "openshiftAI=3.5", [TORCH], [MISSING]),
        (OLD, "", [TORCH], []),
        ("torch-distribute", ON, [TORCH], [MISSING]),
    ],
)
def test_what_openshift_ai_ships_exists(name: str, on: str, around: list[Body], said: list[str]) -> None:
    assert found(job(to=name), *around, on=on) == said


@pytest.mark.parametrize(
    ("made", "on", "said"),
    [
        (job({}, override("launcher"), to="torch-distributed"), ON, [f"error override-job-unknown {OVERRIDES}"]),
        (job({}, override("launcher"), to="torch-distributed"), "kueue=1.3", []),
        (job({}, override(**MODEL), to="torch-distributed"), ON, []),
        (job({"numProcPerNode": "foo"}, to="training-hub"), ON, [PROCESSES]),
        (job({"numProcPerNode": "gpu", "numNodes": 4}, to="training-hub"), ON, []),
        (job({"numNodes": 2, "resourcesPerNode": {"limits": {GPU: 5}}}, to="training-hub"), ON, [ABOVE]),
        (job(initializer={"model": {}}, to="training-hub"), ON, ["error initializer-missing spec.runtimeRef"]),
    ],
)
def test_what_openshift_ai_ships_is_known(made: Body, on: str, said: list[str]) -> None:
    assert found(made, on=on) == said


def test_in_an_environment_too() -> None:
    assert found(job(to="torch-distributed"), platform("Managed"), whole=True) == []
    assert found(job(to="torch-distributed"), platform("Removed"), whole=True) == [MISSING]


def test_a_runtime_of_a_namespace_is_nobody_s_but_its_own() -> None:
    local = body(API, "TrainingRuntime", "mine", "vision", spec=TORCH["spec"])
    made = job(runtimeRef={"name": "torch-distributed", "kind": "TrainingRuntime"})
    assert found(made, local) == ["error missing-training-runtime spec.runtimeRef.name"]


def test_it_is_said_who_shipped_it_once() -> None:
    (one,) = [f for f in judged(cluster([TORCH, job(to=OLD)], target("openshiftAI=3.5"))) if "missing" in f.rule]
    assert one.message.endswith("which does not exist: OpenShift AI 3.3 and 3.4 ship it, 3.5 does not")
    assert "did you mean torch-distributed-cuda130-torch211-py312?" in (one.fix or "")


def shipped(name: str = "torch-distributed", **metadata: Any) -> Body:
    made = runs({"torch": {}}, name=name)
    return {**made, "metadata": {**made["metadata"], **metadata}}


@pytest.mark.parametrize(
    ("made", "on", "around", "said"),
    [
        (shipped(), ON, [], ["error reserved-name metadata.name"]),
        (shipped(), ON, [platform("Managed")], ["error reserved-name metadata.name"]),
        (shipped(), ON, [platform("Removed")], []),
        (shipped(), "openshiftAI=3.0", [], []),
        (shipped(), "kueue=1.3", [], []),
        (shipped("torch-distributed-rocm714-torch211-py312"), "openshiftAI=3.4", [], []),
        (shipped("torch-distributed-rocm714-torch211-py312"), "openshiftAI=3.5", [],
         ["error reserved-name metadata.name"]),
        (shipped("mine"), ON, [], []),
        (shipped(uid="1"), ON, [], []),
        (shipped(ownerReferences=[{"kind": "Trainer", "name": "default-trainer"}]), ON, [], []),
        (shipped(labels={"platform.opendatahub.io/part-of": "trainer"}), ON, [], []),
        (shipped(annotations={"opendatahub.io/managed": "false"}), ON, [], []),
        (shipped(annotations={"opendatahub.io/managed": "true"}), ON, [], ["error reserved-name metadata.name"]),
        ({**shipped(), "kind": "TrainingRuntime"}, ON, [], []),
    ],
)  # fmt: skip
def test_what_openshift_ai_ships_is_its_own(made: Body, on: str, around: list[Body], said: list[str]) -> None:
    found_ = judged(cluster([made, *around], target(on)))
    assert [f"{f.severity} {f.rule} {f.path}" for f in found_ if f.rule == "reserved-name"] == said


def test_every_release_with_trainer_says_what_it_refuses() -> None:
    trainers = {v: release.trainer for v in known("openshift-ai") if (release := openshift_ai(v)) and release.trainer}
    assert {version: bool(trainer.refused_in_overrides) for version, trainer in trainers.items() if trainer} == {
        "3.2": False,
        "3.3": True,
        "3.4": True,
        "3.5": True,
    }
