"""Guardrails, tried: who may do what to which object, by the policies that an environment gets."""

from __future__ import annotations

import copy
from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any

import pytest

from generator.emit.guardrails import emit
from tests.admission import Answer, Request, admit
from tests.builders import plan

Body = dict[str, Any]
GROUPS = 'breakGlass: {groups: [night-watch, "a:b quoted \\"ü\\" \\\\ 😀"], users: [root@example.com]}'
EVERYTHING = f"guardrails: {{queues: Deny, localQueues: Deny, workloads: Deny, profiles: Deny, {GROUPS}}}\n"
ARGOCD = "system:serviceaccount:openshift-gitops:openshift-gitops-argocd-application-controller"
KUEUE = "system:serviceaccount:openshift-kueue-operator:kueue-controller-manager"
OPENSHIFT_AI = "system:serviceaccount:redhat-ods-operator:redhat-ods-operator-controller-manager"
COLLECTOR = "system:serviceaccount:kube-system:generic-garbage-collector"
NAMESPACES = "system:serviceaccount:kube-system:namespace-controller"
JOBS = "system:serviceaccount:kube-system:job-controller"
MANAGED = {"kueue.openshift.io/managed": "true"}
QUEUE = {"kueue.x-k8s.io/queue-name": "training"}
GPU = "nvidia.com/gpu"


@cache
def policies(environment: str = EVERYTHING, **parts: str) -> Sequence[Mapping[str, Any]]:
    """Return the guardrails of an environment as objects."""
    return [found.body for found in emit(plan(environment=environment, **parts))]


def ask(request: Request, environment: str = EVERYTHING, **parts: str) -> Answer:
    return admit(policies(environment, **parts), request)


def body(api: str, kind: str, spec: Body | None = None, labels: Body | None = None, **metadata: Any) -> Body:
    made: Body = {"apiVersion": api, "kind": kind, "metadata": {"name": "x", **metadata}}
    if labels:
        made["metadata"]["labels"] = labels
    return made | ({} if spec is None else {"spec": spec})


# queues change through Git

KUEUE_API = "kueue.x-k8s.io/v1beta2"
OBJECTS = {
    "admissionchecks": body(KUEUE_API, "AdmissionCheck", {"controllerName": "a"}),
    "clusterqueues": body(KUEUE_API, "ClusterQueue", {"cohortName": "org"}),
    "cohorts": body(KUEUE_API, "Cohort", {"parentName": "org"}),
    "localqueues": body(KUEUE_API, "LocalQueue", {"clusterQueue": "a"}, namespace="vision"),
    "resourceflavors": body(KUEUE_API, "ResourceFlavor"),
    "topologies": body("kueue.x-k8s.io/v1alpha1", "Topology", {"levels": [{"nodeLabel": "zone"}]}),
    "workloadpriorityclasses": body(KUEUE_API, "WorkloadPriorityClass") | {"value": 10},
}


def changed(of: Body) -> Body:
    """Return an object whose meaning is another one."""
    return {**of, "value": 1000} if "value" in of else {**of, "spec": {**of.get("spec", {}), "stopPolicy": "Hold"}}


def marked(of: Body, **metadata: Any) -> Body:
    """Return an object with other metadata."""
    return {**of, "metadata": {**of["metadata"], **metadata}}


def step(resource: str, action: str) -> Request:
    """Return a request that does one thing to a queue object."""
    of = OBJECTS[resource]
    space = MANAGED if "namespace" in of["metadata"] else None
    match action:
        case "create":
            return Request(resource, object=of, namespace=space)
        case "change":
            return Request(resource, object=changed(of), old=of, namespace=space)
        case "delete":
            return Request(resource, old=of, namespace=space)
        case "annotate":
            return Request(resource, object=marked(of, annotations={"a": "b"}, finalizers=[]), old=of, namespace=space)
        case "own":
            owner = [{"apiVersion": "v1", "kind": "ConfigMap", "name": "gone", "uid": "1"}]
            return Request(resource, object=marked(of, ownerReferences=owner), old=of, namespace=space)
    raise AssertionError(action)


def as_user(request: Request, user: str, groups: Sequence[str] = ()) -> Request:
    from dataclasses import replace

    return replace(request, user=user, groups=groups)


@pytest.mark.parametrize("resource", OBJECTS)
@pytest.mark.parametrize("action", ["create", "change", "delete", "own"])
def test_a_queue_object_is_changed_by_nobody_but_argocd(resource: str, action: str) -> None:
    request = step(resource, action)
    kind = OBJECTS[resource]["kind"]
    (said,) = ask(request).denied
    assert said == (
        f"{kind} x is not changed here, queues are kept in Git: change environments/prod/ of "
        "https://git.example.com/gitops.git and let Argo CD sync it; in an emergency group night-watch or group "
        'a:b quoted "ü" \\ 😀 or user root@example.com may'
    )
    assert ask(as_user(request, ARGOCD)).denied == []


@pytest.mark.parametrize("resource", OBJECTS)
def test_metadata_of_a_queue_object_is_free(resource: str) -> None:
    assert ask(step(resource, "annotate")).denied == []


WHO = [
    ("cluster-admin", ("system:cluster-admins",), "change", False),
    ("cluster-admin", ("system:masters", "night-watch"), "change", True),
    ("root@example.com", (), "delete", True),
    ("night-watch", (), "change", False),  # a user of the group's name
    ("ana", ('a:b quoted "ü" \\ 😀',), "change", True),
    ("ana", ("a:b",), "change", False),
    (ARGOCD.replace("openshift-gitops:", "team:"), (), "change", False),
    (f"{ARGOCD}-2", (), "change", False),
    (NAMESPACES, (), "delete", True),
    (COLLECTOR, (), "delete", True),
    ("system:kube-controller-manager", (), "delete", True),
    (KUEUE, (), "change", True),  # quantities that it spells otherwise while it takes a finalizer off
    (KUEUE, (), "create", False),
    (KUEUE, (), "delete", False),
    (OPENSHIFT_AI, (), "create", True),
]


@pytest.mark.parametrize(("user", "groups", "action", "passes"), WHO)
def test_who_changes_a_queue(user: str, groups: tuple[str, ...], action: str, *, passes: bool) -> None:
    answer = ask(as_user(step("clusterqueues", action), user, groups))
    assert (answer.denied == []) is passes


def test_openshift_ai_makes_queues_only_where_its_release_does() -> None:
    request = as_user(step("clusterqueues", "create"), OPENSHIFT_AI)
    assert ask(request, openshift_ai="3.4").denied == []
    assert len(ask(request, openshift_ai="3.5").denied) == 1


def test_a_namespace_that_is_deleted_does_not_hang() -> None:
    """Its LocalQueues go whether or not it is still managed."""
    for space in ({}, MANAGED):
        request = Request("localqueues", old=OBJECTS["localqueues"], user=NAMESPACES, namespace=space)
        assert ask(request).denied == []


def test_kueue_writes_status_and_takes_finalizers_off() -> None:
    of = OBJECTS["clusterqueues"]
    status = {**of, "status": {"pendingWorkloads": 1}}
    assert ask(Request("clusterqueues/status", object=status, old=of)).denied == []
    held = marked(of, finalizers=["kueue.x-k8s.io/resource-in-use"])
    assert ask(as_user(Request("clusterqueues", object=of, old=held), KUEUE)).denied == []


def test_other_kinds_of_kueue_and_other_groups_are_free() -> None:
    workload = body(KUEUE_API, "Workload", {"active": False}, namespace="vision")
    assert ask(Request("workloads", object=workload, namespace=MANAGED)).denied == []
    foreign = body("example.com/v1", "Cohort", {})
    assert ask(Request("cohorts", object=foreign)).denied == []


def test_the_account_of_argocd_follows_its_instance() -> None:
    environment = EVERYTHING + "argocd: {namespace: gitops, instance: ai}\n"
    request = step("clusterqueues", "change")
    own = "system:serviceaccount:gitops:ai-argocd-application-controller"
    assert ask(as_user(request, own), environment).denied == []
    assert len(ask(as_user(request, ARGOCD), environment).denied) == 1
    named = EVERYTHING + 'argocd: {account: "system:serviceaccount:kube-system:argocd-manager"}\n'
    assert ask(as_user(request, "system:serviceaccount:kube-system:argocd-manager"), named).denied == []
    assert len(ask(as_user(request, ARGOCD), named).denied) == 1


def test_actions_warn_and_audit_instead() -> None:
    request = step("clusterqueues", "delete")
    for action, field in (("Warn", "warned"), ("Audit", "audited")):
        answer = ask(request, f"guardrails: {{queues: {action}, breakGlass: {{users: [root]}}}}\n")
        told = {name: len(getattr(answer, name)) for name in ("denied", "warned", "audited")}
        assert told == {"denied": 0, "warned": 0, "audited": 0} | {field: 1}


# LocalQueues stand in managed namespaces

LABELS = [
    (MANAGED, True),
    ({}, False),
    ({"kueue.openshift.io/managed": "false"}, False),
    ({"kueue-managed": "true"}, False),
    ({"kueue.openshift.io/managed": "True"}, False),
]


@pytest.mark.parametrize(("labels", "passes"), LABELS)
def test_local_queues_only_in_managed_namespaces(labels: dict[str, str], *, passes: bool) -> None:
    request = Request("localqueues", object=OBJECTS["localqueues"], user=ARGOCD, namespace=labels)
    said = ask(request).denied
    assert (said == []) is passes
    assert passes or said[0].startswith("namespace vision is not managed by Kueue. Kueue works in namespaces with")
    # what is there already can be changed, and so deleted
    old = OBJECTS["localqueues"]
    update = Request("localqueues", object=marked(old, finalizers=[]), old=old, user=ARGOCD, namespace=labels)
    assert ask(update).denied == []


def test_openshift_ai_makes_local_queues_by_the_older_label() -> None:
    request = Request(
        "localqueues", object=OBJECTS["localqueues"], user=OPENSHIFT_AI, namespace={"kueue-managed": "true"}
    )
    assert ask(request).denied == []
    assert len(ask(request, openshift_ai="3.5").denied) == 2


# hardware profiles with accelerators lead to queues


def profile(kind: str | None = "Queue", identifier: str = GPU, resource_type: str | None = "Accelerator") -> Body:
    accelerator = {"identifier": identifier} | ({"resourceType": resource_type} if resource_type else {})
    spec: Body = {"identifiers": [{"identifier": "cpu", "resourceType": "CPU"}, accelerator]}
    if kind:
        spec["scheduling"] = {"type": kind}
    return body("infrastructure.opendatahub.io/v1", "HardwareProfile", spec, namespace="redhat-ods-applications")


PROFILES = [
    (profile(), True),
    (profile("Node"), False),
    (profile(None), False),
    (profile("Node", "example.com/npu"), False),
    (profile("Node", resource_type=None), False),
    (profile("Node", "nvidia.com/mig-1g.10gb", "Other"), False),
    (profile("Node", "memory", "Memory"), True),
    (profile("Node", "example.com/nic", None), True),
    (body("infrastructure.opendatahub.io/v1alpha1", "HardwareProfile", {}), True),
    (body("infrastructure.opendatahub.io/v1", "HardwareProfile"), True),
]


@pytest.mark.parametrize(("of", "passes"), PROFILES)
def test_profiles_with_accelerators_lead_to_queues(of: Body, *, passes: bool) -> None:
    said = ask(Request("hardwareprofiles", object=of, namespace={})).denied
    assert (said == []) is passes
    assert passes or said[0].startswith("HardwareProfile x is refused: a hardware profile with accelerators needs")
    assert ask(Request("hardwareprofiles", object=of, namespace={}, user=OPENSHIFT_AI)).denied == []


def test_metadata_of_an_old_profile_is_free() -> None:
    old = profile("Node")
    assert ask(Request("hardwareprofiles", object=marked(old, finalizers=[]), old=old, namespace={})).denied == []
    assert ask(Request("hardwareprofiles", old=old, namespace={})).denied == []
    assert len(ask(Request("hardwareprofiles", object=profile(None), old=old, namespace={})).denied) == 1


# accelerators need a queue


def pod(amount: object = 1, resource: str = GPU, part: str = "limits", where: str = "containers") -> Body:
    spec: Body = {"containers": [{"name": "a"}]}
    asked = {"name": "b", "resources": {part: {resource: amount}}}
    spec[where] = [*spec.get(where, ()), asked]
    return spec


PLAIN = {"containers": [{"name": "a", "resources": {"limits": {"cpu": 1}}}]}
CLAIM = {"containers": [{"name": "a"}], "resourceClaims": [{"name": "card", "resourceClaimTemplateName": "card"}]}


def in_template(spec: Body, labels: Body | None = None) -> Body:
    return {"template": {"metadata": {"labels": labels or {}}, "spec": spec}}


def ray(head: Body, worker: Body) -> Body:
    return {"headGroupSpec": {"template": {"spec": head}}, "workerGroupSpecs": [{"template": {"spec": worker}}]}


# resource, apiVersion, kind, spec of pods; whose label counts
KINDS: list[tuple[str, str, str, Any, str]] = [
    ("pods", "v1", "Pod", lambda p: p, "own"),
    ("deployments", "apps/v1", "Deployment", in_template, "own"),
    ("statefulsets", "apps/v1", "StatefulSet", in_template, "own"),
    ("jobs", "batch/v1", "Job", in_template, "own"),
    ("notebooks", "kubeflow.org/v1", "Notebook", in_template, "own"),
    ("services", "serving.knative.dev/v1", "Service", in_template, "own"),
    ("configurations", "serving.knative.dev/v1", "Configuration", in_template, "own"),
    ("daemonsets", "apps/v1", "DaemonSet", in_template, "template"),
    ("replicasets", "apps/v1", "ReplicaSet", in_template, "template"),
    ("replicationcontrollers", "v1", "ReplicationController", in_template, "template"),
    ("deploymentconfigs", "apps.openshift.io/v1", "DeploymentConfig", in_template, "template"),
    ("cronjobs", "batch/v1", "CronJob", lambda p: {"jobTemplate": {"metadata": {}, "spec": in_template(p)}}, "job"),
    ("rayclusters", "ray.io/v1", "RayCluster", lambda p: ray(PLAIN, p), "own"),
    ("rayclusters", "ray.io/v1", "RayCluster", lambda p: ray(p, PLAIN), "own"),
    ("rayjobs", "ray.io/v1", "RayJob", lambda p: {"rayClusterSpec": ray(PLAIN, p)}, "own"),
    ("rayjobs", "ray.io/v1", "RayJob", lambda p: {"submitterPodTemplate": {"spec": p}}, "own"),
    ("rayservices", "ray.io/v1", "RayService", lambda p: {"rayClusterConfig": ray(p, PLAIN)}, "own"),
    *[
        (
            f"{kind.lower()}s",
            "kubeflow.org/v1",
            kind,
            lambda p, f=f: {f"{f}ReplicaSpecs": {"Master": in_template(PLAIN), "Worker": in_template(p)}},
            "own",
        )
        for kind, f in (
            ("PyTorchJob", "pytorch"),
            ("TFJob", "tf"),
            ("MPIJob", "mpi"),
            ("XGBoostJob", "xgb"),
            ("PaddleJob", "paddle"),
            ("JAXJob", "jax"),
        )
    ],
    (
        "jobsets",
        "jobset.x-k8s.io/v1alpha2",
        "JobSet",
        lambda p: {"replicatedJobs": [{"template": {"spec": in_template(p)}}]},
        "own",
    ),
    (
        "leaderworkersets",
        "leaderworkerset.x-k8s.io/v1",
        "LeaderWorkerSet",
        lambda p: {"leaderWorkerTemplate": {"workerTemplate": {"spec": p}}},
        "own",
    ),
    (
        "leaderworkersets",
        "leaderworkerset.x-k8s.io/v1",
        "LeaderWorkerSet",
        lambda p: {"leaderWorkerTemplate": {"leaderTemplate": {"spec": p}, "workerTemplate": {"spec": PLAIN}}},
        "own",
    ),
]
IDS = [f"{kind[2]}-{number}" for number, kind in enumerate(KINDS)]


def labelled(of: Body, where: str, labels: Body = QUEUE) -> Body:
    """Return a workload that names a queue at one of the three places."""
    found = copy.deepcopy(of)
    place = found
    if where == "template":
        place = found["spec"]["template"]
    elif where == "job":
        place = found["spec"]["jobTemplate"]
    place.setdefault("metadata", {})["labels"] = labels
    return found


@pytest.mark.parametrize("kind", KINDS, ids=IDS)
def test_accelerators_need_a_queue(kind: tuple[str, str, str, Any, str]) -> None:
    resource, api, name, spec, where = kind

    def asked(of: Body, space: Mapping[str, str] = MANAGED, user: str = "ana") -> list[str]:
        return ask(Request(resource, object=of, namespace=space, user=user)).denied

    bare = body(api, name, spec(pod()), namespace="vision")
    (said,) = asked(bare)
    assert said.startswith(
        f"{name} x asks for accelerators and names no queue: set the label kueue.x-k8s.io/queue-name"
    )
    assert asked(labelled(bare, where)) == []
    assert len(asked(labelled(bare, where, {"kueue.x-k8s.io/queue-name": ""}))) == 1
    assert asked(bare, {}) == []
    assert asked(body(api, name, spec(PLAIN), namespace="vision")) == []
    assert asked(bare, user="root@example.com") == []
    for needy in (
        pod(part="requests"),
        pod(where="initContainers"),
        pod(2, "nvidia.com/mig-2g.20gb"),
        pod("1"),
        CLAIM,
    ):
        assert len(asked(body(api, name, spec(needy), namespace="vision"))) == 1, needy
    for free in (pod(0), pod("0"), pod(resource="example.com/nic")):
        assert asked(body(api, name, spec(free), namespace="vision")) == [], free


@pytest.mark.parametrize("kind", [k for k in KINDS if k[2] != "Pod"], ids=[i for i in IDS if i != "Pod-0"])
def test_only_an_update_that_makes_it_worse_is_refused(kind: tuple[str, str, str, Any, str]) -> None:
    resource, api, name, spec, where = kind
    bare = body(api, name, spec(pod()), namespace="vision")
    plain = body(api, name, spec(PLAIN), namespace="vision")

    def updated(old: Body, new: Body) -> int:
        return len(ask(Request(resource, object=new, old=old, namespace=MANAGED)).denied)

    assert updated(bare, marked(bare, annotations={"a": "b"})) == 0  # it was there before the policy
    assert updated(plain, bare) == 1
    assert updated(labelled(bare, where), bare) == 1
    assert updated(bare, labelled(bare, where)) == 0


BY_REFERENCE = [
    ("trainjobs", "trainer.kubeflow.org/v1alpha1", "TrainJob"),
    ("inferenceservices", "serving.kserve.io/v1beta1", "InferenceService"),
    ("llminferenceservices", "serving.kserve.io/v1alpha1", "LLMInferenceService"),
    ("appwrappers", "workload.codeflare.dev/v1beta2", "AppWrapper"),
]


@pytest.mark.parametrize(("resource", "api", "kind"), BY_REFERENCE)
def test_what_asks_through_another_object_needs_a_queue_anyway(resource: str, api: str, kind: str) -> None:
    bare = body(api, kind, {}, namespace="vision")
    (said,) = ask(Request(resource, object=bare, namespace=MANAGED)).denied
    assert said.startswith(f"{kind} x may ask for accelerators, through what it refers to, and names no queue")
    assert ask(Request(resource, object=labelled(bare, "own"), namespace=MANAGED)).denied == []
    assert ask(Request(resource, object=bare, namespace={})).denied == []


def owner(kind: str, *, controller: bool = True) -> Body:
    return {"ownerReferences": [{"apiVersion": "v1", "kind": kind, "name": "o", "uid": "1", "controller": controller}]}


OPERATOR = "system:serviceaccount:redhat-ods-applications:kuberay-operator"
MADE = [
    (JOBS, owner("Job"), True),
    (OPERATOR, owner("RayCluster"), True),
    ("ana", owner("Job"), False),  # who writes the reference herself
    ("system:serviceaccount:vision:pipeline", owner("Job"), False),  # and a pod of the team that does
    (OPERATOR, owner("Workflow"), False),  # no kind that was judged
    (OPERATOR, owner("ConfigMap"), False),
    (JOBS, owner("Job", controller=False), False),
    (JOBS, {}, False),
]


@pytest.mark.parametrize(("user", "metadata", "passes"), MADE)
def test_what_a_controller_makes_for_a_judged_owner_passes(user: str, metadata: Body, *, passes: bool) -> None:
    of = body("v1", "Pod", pod(), namespace="vision", **metadata)
    assert (ask(Request("pods", object=of, namespace=MANAGED, user=user)).denied == []) is passes


def test_a_pod_without_a_name_gets_a_message_all_the_same() -> None:
    of = body("v1", "Pod", pod(), namespace="vision", generateName="x-")
    del of["metadata"]["name"]
    (said,) = ask(Request("pods", object=of, namespace=MANAGED)).denied
    assert said.startswith("Pod  asks for accelerators")


# what is always there

ALWAYS = ["pods", "deployments", "statefulsets", "jobs"]


@pytest.mark.parametrize("kind", [k for k in KINDS if k[0] in ALWAYS], ids=ALWAYS)
def test_the_one_that_is_always_there(kind: tuple[str, str, str, Any, str]) -> None:
    resource, api, name, spec, _ = kind
    bare = body(api, name, spec(pod()), namespace="vision")

    def asked(of: Body, **labels: str) -> int:
        return len(ask(Request(resource, object=of, namespace=labels or MANAGED), "").denied)

    assert asked(bare) == 1
    assert asked(labelled(bare, "own")) == 0
    assert asked(body(api, name, spec(PLAIN), namespace="vision")) == 0
    assert asked({**bare, "metadata": {**bare["metadata"], **owner("Anything")}}) == 0
    assert asked(bare, other="label") == 0


def test_it_stays_until_the_wider_one_refuses() -> None:
    def names(environment: str) -> list[str]:
        found = [p["metadata"]["name"] for p in policies(environment) if p["kind"] == "ValidatingAdmissionPolicy"]
        return [name for name in found if name == "apportion-accelerators-need-a-queue"]

    assert names("") == names("guardrails: {workloads: Warn}\n") == ["apportion-accelerators-need-a-queue"]
    assert names("guardrails: {workloads: Deny}\n") == []
