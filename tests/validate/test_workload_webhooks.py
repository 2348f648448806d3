"""Webhooks of PyTorchJob, Notebook and KServe, and what KubeRay never starts: at the boundary of each rule."""

from __future__ import annotations

from typing import Any

import pytest

from generator.validate import admission
from tests.validate.builders import Body, body, profile
from tests.validate.manifests import target
from tests.validate.test_submissions import pod

ON = "openshiftAI=3.4,kueue=1.3"


def said(made: Body, on: str = ON, *existing: Body) -> list[str]:
    found = admission.validate(made, target(on), existing=existing)
    return [f"{f.severity} {f.layer} {f.rule} {f.path}" for f in found]


def replica(count: int | None = 1, name: str = "pytorch", image: str = "x") -> Body:
    containers = [{"name": "sidecar", "image": "y"}, {"name": name, "image": image}]
    made: Body = {"template": {"spec": {"containers": containers}}}
    return made if count is None else {**made, "replicas": count}


def torch(name: str = "p", workers: Body | None = None, **spec: Any) -> Body:
    replicas = {"Master": replica()} if workers is None else workers
    return body("kubeflow.org/v1", "PyTorchJob", name, "vision", spec={"pytorchReplicaSpecs": replicas, **spec})


REPLICAS = "spec.pytorchReplicaSpecs"
BOTH = {"Master": replica(), "Worker": replica(2)}


@pytest.mark.parametrize(
    ("made", "want"),
    [
        (torch(), []),
        (torch(workers=BOTH), []),
        (torch(workers={"Worker": replica(None)}), []),
        (torch("p1"), []),
        (torch("1p"), ["pytorch-name metadata.name"]),
        (torch("p.p"), ["pytorch-name metadata.name"]),
        (torch("p" * 63), []),
        (torch("p" * 64), ["pytorch-name metadata.name"]),
        (torch(workers={"Master": replica(2)}), [f"pytorch-replicas {REPLICAS}[Master].replicas"]),
        (torch(workers={"Master": replica(None)}), [f"pytorch-replicas {REPLICAS}[Master].replicas"]),
        (torch(workers={"Master": replica(), "Worker": replica(0)}),
         [f"pytorch-replicas {REPLICAS}[Worker].replicas"]),
        (torch(workers={"Chief": replica()}), [f"pytorch-role {REPLICAS}[Chief]"]),
        (torch(workers={"Master": replica(name="main")}),
         [f"pytorch-container {REPLICAS}[Master].template.spec.containers"]),
        (torch(workers={"Master": replica(image="")}),
         [f"pytorch-image {REPLICAS}[Master].template.spec.containers[1].image"]),
        (torch(workers={"Master": None}),
         [f"pytorch-replicas {REPLICAS}[Master].replicas",
          f"pytorch-container {REPLICAS}[Master].template.spec.containers"]),
        (torch(elasticPolicy={"minReplicas": 1}), ["pytorch-elastic spec.elasticPolicy"]),
        (torch(workers=BOTH, elasticPolicy={"minReplicas": 1}), []),
        (torch(workers=BOTH, elasticPolicy={"nProcPerNode": 2}), []),
        (torch(workers=BOTH, nprocPerNode="2", elasticPolicy={}), []),
        (torch(workers=BOTH, nprocPerNode="2", elasticPolicy={"nProcPerNode": 2}),
         ["pytorch-processes spec.elasticPolicy.nProcPerNode"]),
        (torch(runPolicy={"managedBy": "foo"}), ["pytorch-manager spec.runPolicy.managedBy"]),
        (torch(runPolicy={"managedBy": "kubeflow.org/training-operator"}), []),
        (torch(runPolicy={"managedBy": "kueue.x-k8s.io/multikueue"}), []),
        (torch(runPolicy={"suspend": True}), []),
    ],
)  # fmt: skip
def test_pytorch_jobs(made: Body, want: list[str]) -> None:
    assert said(made) == [f"error webhook {line}" for line in want]


def notebook(notes: Body | None = None, **spec: Any) -> Body:
    spec = {**pod(), **spec}
    metadata = {"annotations": notes or {}}
    return body("kubeflow.org/v1", "Notebook", "nb", "vision", metadata=metadata, spec={"template": {"spec": spec}})


def privileged(is_so: bool) -> list[Body]:
    return [{"name": "nb", "image": "x", "securityContext": {"privileged": is_so}}]


POD = "spec.template.spec"
AUTH, OAUTH = "notebooks.opendatahub.io/inject-auth", "notebooks.opendatahub.io/inject-oauth"
HOST = [
    (notebook(hostNetwork=True), f"notebook-on-host {POD}.hostNetwork"),
    (notebook(hostPID=True), f"notebook-on-host {POD}.hostPID"),
    (notebook(hostIPC=True), f"notebook-on-host {POD}.hostIPC"),
    (notebook(volumes=[{"name": "h", "hostPath": {"path": "/"}}]), f"notebook-on-host {POD}.volumes[0].hostPath"),
    (notebook(containers=privileged(True)), f"notebook-on-host {POD}.containers[0].securityContext.privileged"),
    (notebook(initContainers=privileged(True)),
     f"notebook-on-host {POD}.initContainers[0].securityContext.privileged"),
    (notebook(serviceAccountName="other"), f"notebook-account {POD}.serviceAccountName"),
]  # fmt: skip


@pytest.mark.parametrize(("made", "want"), HOST)
@pytest.mark.parametrize("version", ["2.25", "3.0", "3.2", "3.3", "3.4", "3.5"])
def test_notebooks_that_reach_for_the_host(made: Body, want: str, version: str) -> None:
    is_guarded = version in ("3.3", "3.4", "3.5")
    assert said(made, f"openshiftAI={version}") == ([f"error webhook {want}"] if is_guarded else [])


@pytest.mark.parametrize(
    ("made", "on", "want"),
    [
        (notebook(), ON, []),
        (notebook(hostNetwork=False), ON, []),
        (notebook(serviceAccountName="nb"), ON, []),
        (notebook(containers=privileged(False)), ON, []),
        (notebook(volumes=[{"name": "c", "persistentVolumeClaim": {"claimName": "c"}}]), ON, []),
        (notebook(hostNetwork=True), "kueue=1.3", []),
        (notebook({AUTH: "true"}), ON, []),
        (notebook({OAUTH: "false"}), ON, []),
        (notebook({OAUTH: "true", AUTH: "true"}), ON, []),
        (notebook({OAUTH: "true"}), "openshiftAI=2.25", []),
        (notebook({OAUTH: "true"}), ON,
         [f"warning readiness notebook-login-unknown metadata.annotations[{OAUTH}]"]),
        (notebook({AUTH: "true"}), "openshiftAI=2.25",
         [f"warning readiness notebook-login-unknown metadata.annotations[{AUTH}]"]),
    ],
)  # fmt: skip
def test_notebooks(made: Body, on: str, want: list[str]) -> None:
    assert said(made, on) == want


MODE = "serving.kserve.io/deploymentMode"


def service(name: str = "m", space: str = "vision", mode: str | None = None) -> Body:
    notes = {"annotations": {MODE: mode}} if mode else {}
    return body("serving.kserve.io/v1beta1", "InferenceService", name, space, metadata=notes, spec={})


def home(name: str) -> Body:
    spec = {"applicationsNamespace": name}
    return body("dscinitialization.opendatahub.io/v2", "DSCInitialization", "default-dsci", spec=spec)


NAME, SPACE = "error webhook inference-service-name metadata.name", "error webhook inference-service-namespace metadata"
UNSERVED = [f"warning readiness deployment-mode metadata.annotations[{MODE}]"]


@pytest.mark.parametrize(
    ("made", "on", "existing", "want"),
    [
        (service(), ON, [], []),
        (service("m" * 53), ON, [], []),
        (service("m" * 54), ON, [], [NAME]),
        (service("m1"), ON, [], []),
        (service("1m"), ON, [], [NAME]),
        (service("m.m"), ON, [], [NAME]),
        (service(space="redhat-ods-applications"), ON, [], [f"{SPACE}.namespace"]),
        (service(space="redhat-ods-applications"), "kueue=1.3", [], []),
        (service(space="redhat-ods-applications"), ON, [home("odh")], []),
        (service(space="odh"), ON, [home("odh")], [f"{SPACE}.namespace"]),
        (service(mode="RawDeployment"), "openshiftAI=2.25", [], []),
        (service(mode="Serverless"), "openshiftAI=2.25", [], []),
        (service(mode="ModelMesh"), "openshiftAI=2.25", [], []),
        (service(mode="Standard"), "openshiftAI=2.25", [], UNSERVED),
        (service(mode="RawDeployment"), "openshiftAI=3.3", [], []),
        (service(mode="Standard"), "openshiftAI=3.3", [], UNSERVED),
        (service(mode="Serverless"), "openshiftAI=3.3", [], UNSERVED),
        (service(mode="RawDeployment"), ON, [], []),
        (service(mode="Standard"), ON, [], []),
        (service(mode="Knative"), ON, [], UNSERVED),
        (service(mode="Serverless"), "kueue=1.3", [], []),
    ],
)
def test_inference_services(made: Body, on: str, existing: list[Body], want: list[str]) -> None:
    assert said(made, on, *existing) == want


def llm(notes: Body | None = None, **spec: Any) -> Body:
    metadata = {"annotations": notes or {}}
    return body("serving.kserve.io/v1alpha2", "LLMInferenceService", "l", "vision", metadata=metadata, spec=spec)


def parallel(worker: bool = True, **how: int) -> Body:
    return {**({"worker": pod()} if worker else {}), **({"parallelism": how} if how else {})}


@pytest.mark.parametrize(
    ("part", "want"),
    [
        ({}, []),
        (parallel(pipeline=2), []),
        (parallel(data=2, dataLocal=1), []),
        (parallel(tensor=2), ["llm-worker {}.worker"]),
        (parallel(), ["llm-worker {}.worker"]),
        (parallel(worker=False, tensor=2), []),
        (parallel(pipeline=2, data=2, dataLocal=1), ["llm-parallelism {}.parallelism"]),
        (parallel(data=2), ["llm-parallelism {}.parallelism.dataLocal"]),
        (parallel(dataLocal=2), ["llm-parallelism {}.parallelism.data"]),
        (parallel(worker=False, pipeline=0), ["llm-parallelism {}.parallelism.pipeline"]),
    ],
)
def test_llm_services_share_a_model_in_one_way(part: Body, want: list[str]) -> None:
    assert said(llm(**part)) == [f"error webhook {line.format('spec')}" for line in want]
    assert said(llm(prefill=part)) == [f"error webhook {line.format('spec.prefill')}" for line in want]


ANNOTATED = {"opendatahub.io/hardware-profile-name": "one"}


@pytest.mark.parametrize(
    ("made", "on", "want"),
    [
        (llm(ANNOTATED, template=pod(name="main")), ON, []),
        (llm(template=pod(name="vllm")), ON, []),
        (llm(ANNOTATED), ON, []),
        (llm(ANNOTATED, template=pod(name="vllm")), "openshiftAI=2.25", []),
        (llm(ANNOTATED, template=pod(name="vllm")), ON,
         ["warning webhook profile-not-applied spec.template.containers"]),
    ],
)  # fmt: skip
def test_a_profile_is_for_the_container_main(made: Body, on: str, want: list[str]) -> None:
    assert said(made, on, profile()) == want


def serving(*names: str, kind: str = "ServingRuntime", **spec: Any) -> Body:
    spec = {"containers": [{"name": name} for name in names], **spec}
    return body("serving.kserve.io/v1alpha1", kind, "r", "vision", spec=spec)


@pytest.mark.parametrize(
    ("made", "is_told"),
    [
        (serving("kserve-container"), False),
        (serving("proxy", "kserve-container"), False),
        (serving("mm", multiModel=True), False),
        (serving("foo"), True),
        (serving("foo", multiModel=False), True),
        (serving("foo", kind="ClusterServingRuntime"), True),
    ],
)
def test_a_serving_runtime_has_a_model_server(made: Body, *, is_told: bool) -> None:
    assert said(made) == (["error readiness serving-runtime-container spec.containers"] if is_told else [])


def ray(kind: str, name: str, **spec: Any) -> Body:
    return body("ray.io/v1", kind, name, "vision", spec=spec)


MODES = "error readiness ray-job-mode spec.submissionMode"


@pytest.mark.parametrize(
    ("made", "on", "want"),
    [
        *((ray(kind, "r" * most), ON, []) for kind, most in (("RayCluster", 53), ("RayJob", 47), ("RayService", 47))),
        *((ray(kind, "r" * most), ON, ["error readiness ray-name metadata.name"])
          for kind, most in (("RayCluster", 54), ("RayJob", 48), ("RayService", 48))),
        (ray("RayCluster", "1r"), ON, ["error readiness ray-name metadata.name"]),
        (ray("RayCluster", "r1"), ON, []),
        (ray("RayJob", "r", submissionMode="SidecarMode"), ON, [MODES]),
        (ray("RayJob", "r", submissionMode="SidecarMode"), "openshiftAI=3.5", []),
        (ray("RayJob", "r", submissionMode="SidecarMode"), "kueue=1.3", []),
        (ray("RayJob", "r", submissionMode="HTTPMode"), ON, []),
        (ray("RayJob", "r", submissionMode="http"), "openshiftAI=3.5", [MODES]),
        (ray("RayJob", "r"), ON, []),
    ],
)  # fmt: skip
def test_what_kuberay_never_starts(made: Body, on: str, want: list[str]) -> None:
    assert said(made, on) == want
