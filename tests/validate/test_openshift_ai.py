"""OpenShift AI's own objects beside each other: what raises a rule, and the nearest that does not."""

from __future__ import annotations

import base64
from typing import Any

import pytest

from generator.validate.all import judge
from tests.validate.builders import Body, body, cluster, local_queue, namespace, profile, rules, subscription
from tests.validate.manifests import target

V1, V2 = "v1", "v2"
SMCP: Body = {"managementState": "Managed"}


def dsci(name: str = "default-dsci", api: str = V2, **spec: Any) -> Body:
    return body(f"dscinitialization.opendatahub.io/{api}", "DSCInitialization", name, spec=spec)


def dsc(api: str = V2, **components: Any) -> Body:
    spec = {"components": components}
    return body(f"datasciencecluster.opendatahub.io/{api}", "DataScienceCluster", "default-dsc", spec=spec)


def kserve(api: str = V2, **fields: Any) -> Body:
    return dsc(api, kserve={"managementState": "Managed", **fields})


def operator(switch: str | None = None) -> Body:
    made = subscription("rhods-operator", "redhat-ods-operator")
    made["spec"] |= {"config": {"env": [{"name": "DISABLE_DSC_CONFIG", "value": switch}]}} if switch else {}
    return made


def named(name: str, package: str = "kueue-operator") -> Body:
    return subscription(package, "operators") | {"metadata": {"name": name, "namespace": "operators"}}


def space(name: str, **labels: str) -> Body:
    return body("v1", "Namespace", name, metadata={"labels": labels})


def config(name: str = "odh-dashboard-config", home: str = "redhat-ods-applications", **flags: Any) -> Body:
    return body("opendatahub.io/v1alpha", "OdhDashboardConfig", name, home, spec={"dashboardConfig": flags})


def definition(name: str, version: str) -> Body:
    spec = {"versions": [{"name": version}]}
    return body("apiextensions.k8s.io/v1", "CustomResourceDefinition", f"{name}.kueue.x-k8s.io", spec=spec)


def on_nodes(home: str = "vision", feature: str = "model-serving") -> Body:
    made = profile(space=home, feature=feature)
    made["spec"]["scheduling"] = {"type": "Node", "node": {}}
    return made


def of_priority(name: str = "high") -> Body:
    made = profile(space="vision")
    made["spec"]["scheduling"]["kueue"]["priorityClass"] = name
    return made


def notebook(**labels: str) -> Body:
    marks = {"labels": labels, "annotations": {"opendatahub.io/hardware-profile-name": "one"}}
    return body("kubeflow.org/v1", "Notebook", "n", "vision", metadata=marks, spec={})


def through(home: str, label: str = "default", profile: str = "one") -> Body:
    notes = {"hardware-profile-name": profile, "hardware-profile-namespace": home}
    made = notebook(**{"kueue.x-k8s.io/queue-name": label})
    made["metadata"]["annotations"] = {f"opendatahub.io/{key}": value for key, value in notes.items()}
    return made


def annotated(api: str, kind: str) -> Body:
    marks = {"annotations": {"opendatahub.io/hardware-profile-name": "gone"}}
    return body(api, kind, "w", "vision", metadata=marks, spec={})


def derived(owned: bool) -> Body:
    owner = {"ownerReferences": [{"kind": "DataScienceCluster"}]} if owned else {}
    return body("components.platform.opendatahub.io/v1alpha1", "Ray", "default-ray", metadata=owner)


CUSTOM = {"opendatahub.io/application-namespace": "true"}
MESH = [subscription("servicemeshoperator"), subscription("serverless-operator")]
UNMANAGED: Body = {"managementState": "Unmanaged"}
MANAGED: Body = {"managementState": "Managed"}

CASES: list[tuple[str, str, list[Body], list[Body]]] = [
    (
        "3.4",
        "error component-without-operator",
        [operator(), kserve(V2, modelsAsService=MANAGED)],
        [operator(), kserve()],
    ),
    (
        "3.4",
        "warning component-without-operator",
        [operator(), kserve(V2, wva=MANAGED)],
        [operator(), subscription("openshift-custom-metrics-autoscaler-operator"), kserve(V2, wva=MANAGED)],
    ),
    (
        "2.25",
        "error component-without-operator",
        [operator(), kserve(V1, serving={"name": "knative-serving"})],
        [operator(), kserve(V1)],
    ),
    ("2.25", "error component-without-operator", [operator(), kserve(V1, serving={})], [*MESH, kserve(V1, serving={})]),
    (
        "2.25",
        "error component-against-initialization",
        [kserve(V1, serving={}), dsci(api=V1, serviceMesh={"managementState": "Removed"})],
        [kserve(V1, serving={}), dsci(api=V1, serviceMesh=SMCP)],
    ),
    (
        "2.25",
        "error component-against-initialization",
        [kserve(V1, serving={}), dsci(api=V1)],
        [kserve(V1), dsci(api=V1)],
    ),
    (
        "2.25",
        "error component-conflict",
        [kserve(V1, defaultDeploymentMode="Serverless", serving={"managementState": "Removed"})],
        [kserve(V1, defaultDeploymentMode="Serverless")],
    ),
    (
        "2.25",
        "error component-conflict",
        [kserve(V1, defaultDeploymentMode="Serverless", serving={"managementState": "Removed"})],
        [kserve(V1, defaultDeploymentMode="RawDeployment", serving={"managementState": "Removed"})],
    ),
    ("3.5", "warning component-conflict", [kserve(V2, modelsAsService=MANAGED)], [kserve()]),
    ("3.4", "error second-dsc-initialization", [operator(), dsci("mine")], [operator("true"), dsci("mine")]),
    ("3.4", "error second-dsc-initialization", [operator("false"), dsci("mine")], [operator(), dsci()]),
    ("3.4", "warning second-dsc-initialization", [dsci("mine")], [dsci()]),
    ("3.4", "warning no-dsc-initialization", [operator("true"), dsc()], [operator("true"), dsc(), dsci()]),
    ("3.4", "warning no-dsc-initialization", [operator("true"), dsc()], [operator(), dsc()]),
    (
        "3.4",
        "warning applications-namespace",
        [space("my-apps"), dsci(applicationsNamespace="my-apps")],
        [space("my-apps", **CUSTOM), dsci(applicationsNamespace="my-apps")],
    ),
    (
        "3.4",
        "warning applications-namespace",
        [space("my-apps"), dsci(applicationsNamespace="my-apps")],
        [space("redhat-ods-applications"), dsci(applicationsNamespace="redhat-ods-applications")],
    ),
    (
        "3.4",
        "error applications-namespace",
        [space("my-apps", **CUSTOM), space("other", **CUSTOM), dsci(applicationsNamespace="my-apps")],
        [space("my-apps", **CUSTOM), space("other"), dsci(applicationsNamespace="my-apps")],
    ),
    ("3.4", "error applications-namespace", [space("other", **CUSTOM), dsci()], [space("other"), dsci()]),
    ("3.4", "warning field-lost", [dsc(V1, codeflare=MANAGED)], [dsc(V1, codeflare={"managementState": "Removed"})]),
    ("3.4", "warning field-lost", [dsci(api=V1, serviceMesh=SMCP)], [dsci(api=V1, serviceMesh={})]),
    (
        "3.4",
        "warning field-lost",
        [dsci(api=V1, devFlags={"logmode": "x"})],
        [dsci(api=V1, devFlags={"logLevel": "x"})],
    ),
    (
        "2.25",
        "error alpha-multikueue",
        [dsc(V1, kueue=UNMANAGED), definition("multikueueconfigs", "v1alpha1")],
        [dsc(V1, kueue=UNMANAGED), definition("multikueueconfigs", "v1beta1")],
    ),
    ("3.4", "warning object-of-operator", [derived(owned=False)], [derived(owned=True)]),
    (
        "3.4",
        "warning object-of-operator",
        [body("rbac.authorization.k8s.io/v1", "ClusterRoleBinding", "kueue-admin-rolebinding", roleRef={"name": "x"})],
        [body("rbac.authorization.k8s.io/v1", "ClusterRoleBinding", "kueue-admins", roleRef={"name": "x"})],
    ),
    (
        "3.4",
        "error missing-local-queue",
        [through("other"), profile(to="own", space="other"), local_queue(), local_queue("own", "other")],
        [through("other"), profile(to="own", space="other"), *(local_queue("own", at) for at in ("vision", "other"))],
    ),
    (
        "3.4",
        "error missing-local-queue",
        [through("vision", "gone"), on_nodes(), local_queue()],
        [through("vision", "gone"), profile(space="vision"), local_queue()],
    ),
    (
        "3.4",
        "error missing-hardware-profile",
        [annotated("kubeflow.org/v1", "Notebook"), profile()],
        [annotated("trainer.kubeflow.org/v1alpha1", "TrainJob"), annotated("ray.io/v1", "RayCluster"), profile()],
    ),
    (
        "2.25",
        "error missing-hardware-profile",
        [annotated("serving.kserve.io/v1beta1", "InferenceService"), profile()],
        [annotated("serving.kserve.io/v1alpha1", "LLMInferenceService"), profile()],
    ),
    (
        "3.0",
        "error missing-hardware-profile",
        [annotated("serving.kserve.io/v1alpha1", "LLMInferenceService"), profile()],
        [annotated("kubeflow.org/v1", "PyTorchJob"), profile()],
    ),
    (
        "3.4",
        "warning unknown-combination",
        [subscription("servicemeshoperator")],
        [subscription("servicemeshoperator3")],
    ),
    ("3.4", "warning subscription-not-found", [named("kueue")], [named("kueue-operator")]),
    ("3.4", "warning subscription-not-found", [named("kueue")], [named("gpus", "gpu-operator-certified")]),
    ("3.4", "warning dashboard-config-not-read", [config("mine")], [config()]),
    ("3.4", "warning dashboard-config-not-read", [config(home="default")], [config()]),
    (
        "3.4",
        "warning dashboard-config-not-read",
        [config(home="my-apps")],
        [config(home="my-apps"), dsci(applicationsNamespace="my-apps")],
    ),
    (
        "3.0",
        "warning dashboard-field-deprecated",
        [config(disableHardwareProfiles=False)],
        [config(disableKueue=False)],
    ),
    ("3.4", "warning dashboard-field-deprecated", [config(mlflow=True)], [config(trainingJobs=True)]),
    (
        "2.25",
        "warning dashboard-without-profiles",
        [config(), profile()],
        [config(disableHardwareProfiles=False), profile()],
    ),
    ("2.25", "warning dashboard-without-profiles", [config(disableHardwareProfiles=True), profile()], [config()]),
    ("3.4", "warning profile-not-offered", [namespace(), on_nodes()], [namespace(), on_nodes("other")]),
    ("3.4", "warning profile-not-offered", [namespace(), on_nodes()], [on_nodes()]),
    (
        "3.4",
        "warning profile-not-offered",
        [namespace(), on_nodes()],
        [namespace(), profile(space="vision"), local_queue()],
    ),
    (
        "3.4",
        "warning priority-not-applied",
        [of_priority(), notebook()],
        [of_priority(), notebook(**{"kueue.x-k8s.io/priority-class": "low"})],
    ),
    ("3.4", "warning priority-not-applied", [of_priority(), notebook()], [of_priority()]),
]


@pytest.mark.parametrize(("release", "said", "broken", "sound"), CASES, ids=lambda v: v if isinstance(v, str) else "")
def test_boundary(release: str, said: str, broken: list[Body], sound: list[Body]) -> None:
    on = target(f"openshiftAI={release}")
    assert said in rules(broken, on)
    assert said.split()[1] not in {found.split()[1] for found in rules(sound, on)}


def certificate(*data: int, label: str = "CERTIFICATE") -> str:
    text = base64.b64encode(bytes(data)).decode()
    return f"-----BEGIN {label}-----\n{text}\n-----END {label}-----\n"


LONG = certificate(0x30, 0x81, 0x80, *range(0x80))


@pytest.mark.parametrize(
    ("bundle", "is_sound"),
    [
        ("", True),
        (certificate(0x30, 2, 5, 0), True),
        (LONG, True),
        (f"# ours\n{LONG}{certificate(0x30, 2, 5, 0)}", True),
        (certificate(0x30, 0x81, 0x80, *range(0x7F)), False),
        (certificate(0x30, 2, 5), False),
        (certificate(0x30, 2, 5, 0, 0), False),
        (certificate(0x31, 2, 5, 0), False),
        (certificate(0x30, 2, 5, 0, label="PRIVATE KEY"), False),
        (f"{LONG}{certificate(0x30)}", False),
        ("junk", False),
    ],
)
def test_bundle_of_certificates(bundle: str, is_sound: bool) -> None:
    made = dsci(trustedCABundle={"managementState": "Managed", "customCABundle": bundle})
    for release, said in (("3.4", "warning invalid-ca-bundle"), ("3.5", "error invalid-ca-bundle")):
        assert rules([made], target(f"openshiftAI={release}")) == ([] if is_sound else [said])


PLATFORM = "services.platform.opendatahub.io/v1alpha1"
SPEC: Body = {"adminGroups": ["a"], "allowedGroups": []}


@pytest.mark.parametrize(
    ("made", "release", "want"),
    [
        (body(PLATFORM, "Auth", "auth", spec=SPEC), "3.4", []),
        (body(PLATFORM, "Auth", "other", spec=SPEC), "3.4", ["cel-rule-broken metadata.name"]),
        (body(PLATFORM, "GatewayConfig", "default-gateway", spec={"ingressMode": "OcpRoute"}), "3.4", []),
        (
            body(PLATFORM, "GatewayConfig", "default-gateway", spec={"ingressMode": "OcpRoute"}),
            "3.0",
            ["field-unknown spec.ingressMode"],
        ),
        (body(PLATFORM, "GatewayConfig", "gw", spec={}), "3.4", ["cel-rule-broken metadata.name"]),
        (
            body("dashboard.opendatahub.io/v1", "AcceleratorProfile", "a", "b", spec={}),
            "3.4",
            ["api-version-not-served apiVersion"],
        ),
    ],
)
def test_one_cause_is_one_finding(made: Body, release: str, want: list[str]) -> None:
    assert [f"{f.rule} {f.path}" for f in judge(cluster([made], target(f"openshiftAI={release}")))] == want
