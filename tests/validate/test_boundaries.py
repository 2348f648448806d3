"""Rules at their boundary: what raises one, and the nearest that does not."""

from __future__ import annotations

from typing import Any

import pytest

from tests.validate.builders import (
    GPU,
    KUEUE,
    Body,
    body,
    flavor,
    local_queue,
    namespace,
    node,
    profile,
    queue,
    rules,
    runtime,
    sound,
    subscription,
)
from tests.validate.manifests import target

OPERATOR = "kueue.openshift.io/v1"
ODH = "datasciencecluster.opendatahub.io/v2"
DASHBOARD = "opendatahub.io/v1alpha"
ON = "openshiftAI=3.4,kueue=1.3"


def operator(*frameworks: str, policy: str | None = None, gang: str | None = None) -> Body:
    """Return the CR of the Red Hat build of Kueue."""
    config: Body = {"integrations": {"frameworks": list(frameworks)}}
    if policy:
        config["workloadManagement"] = {"labelPolicy": policy}
    if gang:
        config["gangScheduling"] = {"policy": gang}
    return body(OPERATOR, "Kueue", "cluster", spec={"config": config})


def platform(api: str = ODH, **kueue: Any) -> Body:
    return body(api, "DataScienceCluster", "default-dsc", spec={"components": {"kueue": kueue}})


def dashboard(**config: Any) -> Body:
    return body(DASHBOARD, "OdhDashboardConfig", "odh-dashboard-config", spec={"dashboardConfig": config})


def limit_range(resource: str, key: str = "defaultRequest", kind: str = "Container", amount: str = "1") -> Body:
    limit = {"type": kind, key: {resource: amount}}
    return body("v1", "LimitRange", "l", "vision", spec={"limits": [limit]})


def narrow(*names: str) -> Body:
    """Return a queue that covers an accelerator, and of cpu and memory these names."""
    covered = [GPU, *names]
    resources = [{"name": name, "nominalQuota": "8"} for name in covered]
    return queue(resourceGroups=[{"coveredResources": covered, "flavors": [{"name": "a100", "resources": resources}]}])


def levels(label: str) -> Body:
    return body(KUEUE, "Topology", "racks", spec={"levels": [{"nodeLabel": label}]})


def auth(name: str = "auth", **spec: Any) -> Body:
    spec = {"adminGroups": ["admins"], "allowedGroups": [], **spec}
    return body("services.platform.opendatahub.io/v1alpha1", "Auth", name, spec=spec)


def ray_job(queued: bool, **spec: Any) -> Body:
    labels = {"kueue.x-k8s.io/queue-name": "default"} if queued else {}
    return body("ray.io/v1", "RayJob", "r", "vision", metadata={"labels": labels}, spec=spec)


def steps(label: str) -> Body:
    made = runtime()
    job = made["spec"]["template"]["spec"]["replicatedJobs"][0]["template"]
    job["metadata"]["labels"] = {"trainer.kubeflow.org/trainjob-ancestor-step": label}
    return made


def supported(state: str) -> Body:
    made = runtime()
    made["metadata"]["labels"] = {"trainer.kubeflow.org/support": state}
    return made


def labelled(framework: str | None) -> Body:
    made = runtime()
    made["metadata"]["labels"] = {} if framework is None else {"trainer.kubeflow.org/framework": framework}
    return made


def grouped(**policy: Any) -> Body:
    made = runtime()
    made["spec"] |= {"podGroupPolicy": policy} if policy else {}
    return made


def mounting(**source: Any) -> Body:
    return runtime(volumes=[{"name": "v", **source}])


def tolerating(key: str) -> Body:
    return runtime(tolerations=[{"key": key, "operator": "Exists"}])


def components(**states: str) -> Body:
    spec = {"components": {name: {"managementState": state} for name, state in states.items()}}
    return body("datasciencecluster.opendatahub.io/v1", "DataScienceCluster", "default-dsc", spec=spec)


def ray_cluster(**head: Any) -> Body:
    return body("ray.io/v1", "RayCluster", "r", "vision", spec={"headGroupSpec": head})


def preempting(policy: str) -> Body:
    return queue(preemption={"borrowWithinCohort": {"policy": policy}})


def fair(policy: str) -> Body:
    return body(OPERATOR, "Kueue", "cluster", spec={"config": {"preemption": {"preemptionPolicy": policy}}})


WORKBENCH = profile(feature="workbench")
NODES = [node("n1"), node("n2")]
BOUNDARIES: list[tuple[str, list[Body], list[Body], str]] = [
    ("accelerator-only-queue", [flavor(), narrow("cpu")], [flavor(), narrow("cpu", "memory")], ON),
    ("auth-groups", [auth(adminGroups=[])], [auth()], ON),
    ("auth-groups", [auth("other")], [auth()], ON),
    ("auth-groups", [auth(adminGroups=["system:authenticated"])], [auth(allowedGroups=["system:authenticated"])], ON),
    (
        "borrow-within-cohort-under-fair-sharing",
        [flavor(), preempting("LowerPriority"), fair("FairSharing")],
        [flavor(), preempting("LowerPriority"), fair("Classical")],
        ON,
    ),
    (
        "borrow-within-cohort-under-fair-sharing",
        [flavor(), preempting("LowerPriority"), fair("FairSharing")],
        [flavor(), preempting("Never"), fair("FairSharing")],
        ON,
    ),
    (
        "dashboard-without-kueue",
        [namespace(), dashboard()],
        [namespace(), dashboard(disableKueue=False)],
        ON,
    ),
    ("dashboard-without-kueue", [namespace(), dashboard(disableKueue=True)], [dashboard(disableKueue=True)], ON),
    (
        "default-queue-double-books",
        [*sound(), platform(managementState="Unmanaged")],
        [*sound(), queue("default", gpus="0"), platform(managementState="Unmanaged")],
        ON,
    ),
    (
        "default-queue-double-books",
        [*sound(), platform(managementState="Unmanaged")],
        [*sound(), platform(managementState="Removed")],
        ON,
    ),
    ("framework-broken", [operator("JaxJob")], [operator("BatchJob")], ON),
    (
        "framework-without-operator",
        [operator("JobSet"), subscription("nfd")],
        [operator("JobSet"), subscription("job-set", "openshift-jobset-operator")],
        ON,
    ),
    ("framework-without-pod", [operator("StatefulSet")], [operator("StatefulSet", "Pod")], "kueue=1.2"),
    ("framework-without-pod", [operator("Deployment")], [operator("Deployment", "Pod")], "kueue=1.2"),
    (
        "frameworks-missing",
        [*sound(), WORKBENCH, operator("BatchJob")],
        [*sound(), WORKBENCH, operator("Pod", "StatefulSet")],
        ON,
    ),
    ("gang-timeout", [runtime(), operator("Pod", gang="ByWorkload")], [runtime(), operator("Pod", gang="None")], ON),
    ("gang-timeout", [runtime(), operator("Pod", gang="ByWorkload")], [operator("Pod", gang="ByWorkload")], ON),
    ("limit-range-not-covered", [*sound(), limit_range("ephemeral-storage")], [*sound(), limit_range("cpu")], ON),
    (
        "limit-range-not-covered",
        [*sound(), limit_range("ephemeral-storage", "default")],
        [*sound(), limit_range("memory", "default")],
        ON,
    ),
    (
        "limit-range-not-covered",
        [*sound(), limit_range("ephemeral-storage", "max")],
        [*sound(), limit_range("ephemeral-storage", "max", "Pod")],
        ON,
    ),
    (
        "limit-range-not-covered",
        [*sound(), limit_range("ephemeral-storage", "min")],
        [*sound(), limit_range("ephemeral-storage", "min", "Pod")],
        ON,
    ),
    (
        "limit-range-not-covered",
        [*sound(), limit_range("ephemeral-storage")],
        [*sound(), limit_range("ephemeral-storage", amount="0")],
        ON,
    ),
    (
        "limit-range-not-covered",
        [*sound(), limit_range("ephemeral-storage", amount="0")],
        [*sound(), limit_range("cpu", amount="0")],
        "kueue=1.2",
    ),
    (
        "nothing-enforces-the-queue",
        [*sound(), operator("Pod")],
        [*sound(), operator("Pod", policy="None")],
        "kueue=1.3",
    ),
    ("queue-name-too-long", [local_queue("q" * 64)], [local_queue("q" * 63)], ON),
    (
        "ray-job-past-its-queue",
        [ray_job(True, clusterSelector={"ray.io/cluster": "c"})],
        [ray_job(False, clusterSelector={"ray.io/cluster": "c"})],
        ON,
    ),
    ("runtime-deprecated", [supported("deprecated")], [supported("current")], ON),
    ("runtime-without-trainer-step", [steps("node")], [steps("trainer")], ON),
    ("runtime-without-framework", [labelled(None)], [labelled("torch")], ON),
    ("runtime-without-framework", [labelled("")], [labelled("deepspeed")], ON),
    ("runtime-on-host", [mounting(hostPath={"path": "/"})], [mounting(emptyDir={})], ON),
    ("runtime-on-host", [tolerating("node-role.kubernetes.io/control-plane")], [tolerating(GPU)], ON),
    ("runtime-on-host", [tolerating("node-role.kubernetes.io/infra")], [tolerating("node-role.kubernetes.io/gpu")], ON),
    ("runtime-pod-group", [grouped(coscheduling={})], [grouped()], ON),
    ("runtime-pod-group", [flavor(), queue(), grouped(volcano={})], [grouped(volcano={})], "openshiftAI=3.4"),
    ("framework-without-kind", [operator("AppWrapper")], [operator("BatchJob")], ON),
    (
        "framework-without-kind",
        [operator("AppWrapper"), components(codeflare="Removed")],
        [operator("AppWrapper"), components(codeflare="Managed")],
        "openshiftAI=2.25,kueue=1.1",
    ),
    ("ray-ingress-rewritten", [ray_cluster(enableIngress=True)], [ray_cluster(enableIngress=False)], ON),
    ("ray-ingress-rewritten", [ray_cluster(enableIngress=True)], [ray_cluster()], "openshiftAI=3.0"),
    (
        "topology-level-missing",
        [*NODES, flavor(topologyName="racks"), levels("rack")],
        [*NODES, flavor(topologyName="racks"), levels("kubernetes.io/hostname")],
        ON,
    ),
    (
        "two-kueues",
        [platform("datasciencecluster.opendatahub.io/v1", managementState="Managed"), subscription("kueue-operator")],
        [platform("datasciencecluster.opendatahub.io/v1", managementState="Managed")],
        "openshiftAI=2.25",
    ),
    (
        "operator-group-missing",
        [namespace("own"), subscription("nfd", "own")],
        [
            namespace("own"),
            subscription("nfd", "own"),
            body("operators.coreos.com/v1", "OperatorGroup", "g", "own", spec={}),
        ],
        ON,
    ),
    (
        "operator-without-requirement",
        [subscription("kueue-operator")],
        [subscription("kueue-operator"), subscription("openshift-cert-manager-operator", wave=-1)],
        ON,
    ),
]


@pytest.mark.parametrize(("rule", "broken", "sound_", "on"), BOUNDARIES, ids=lambda v: v if isinstance(v, str) else "")
def test_boundary(rule: str, broken: list[Body], sound_: list[Body], on: str) -> None:
    assert rule in {said.split()[-1] for said in rules(broken, target(on))}
    assert rule not in {said.split()[-1] for said in rules(sound_, target(on))}


def test_what_holds_of_a_later_release_alone() -> None:
    for made, on in (
        (ray_cluster(enableIngress=True), "openshiftAI=2.25"),
        (operator("AppWrapper"), "openshiftAI=2.25"),
    ):
        assert [line for line in rules([made], target(f"{on},kueue=1.1")) if "ingress" in line or "kind" in line] == []


def application(path: str, name: str = "a", **policy: Any) -> Body:
    source = {"repoURL": "https://git/ai", "path": path}
    here = {"server": "https://kubernetes.default.svc", "namespace": "vision"}
    spec = {"source": source, "destination": here, "syncPolicy": policy}
    return body("argoproj.io/v1alpha1", "Application", name, spec=spec)


def rights(*groups: str) -> list[Body]:
    """Return what lets the controller of Argo CD touch all kinds of these groups."""
    api = "rbac.authorization.k8s.io/v1"
    account = {"kind": "ServiceAccount", "name": "x-argocd-application-controller"}
    rules_ = [{"apiGroups": list(groups), "resources": ["*"], "verbs": ["*"]}]
    return [
        body(api, "ClusterRole", "r", rules=rules_),
        body(api, "ClusterRoleBinding", "r", roleRef={"name": "r"}, subjects=[account]),
    ]


QUEUES = sound()
ROOM = [*QUEUES, *rights("*")]
EVERYTHING = [subscription("kueue-operator"), queue()]
SKIPPING: Body = {"syncOptions": ["SkipDryRunOnMissingResource=true"]}
ARGO: list[tuple[str, list[Body], list[Body], list[Body]]] = [
    (
        "controller-without-rights",
        QUEUES,
        [*QUEUES, *rights("example.com"), application("x")],
        [*QUEUES, *rights("kueue.x-k8s.io"), application("x")],
    ),
    ("kinds-unknown-at-dry-run", EVERYTHING, [application("x")], [application("x", **SKIPPING)]),
    ("kinds-unknown-at-dry-run", EVERYTHING, [application("x")], [application("y")]),
    ("missing-folder", QUEUES, [*ROOM, application("x"), application("y", "b")], [*ROOM, application("x")]),
]


@pytest.mark.parametrize(("rule", "held", "broken", "sound_"), ARGO, ids=[row[0] for row in ARGO])
def test_boundary_of_applications(rule: str, held: list[Body], broken: list[Body], sound_: list[Body]) -> None:
    folders = {"x": held}
    for bodies, is_raised in ((broken, True), (sound_, False)):
        whole = [*bodies, *(found for found in held if found not in bodies)]
        assert (rule in {said.split()[-1] for said in rules(whole, target(ON), folders=folders)}) is is_raised
