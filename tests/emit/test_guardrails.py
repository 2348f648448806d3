"""Guardrails, tried: who may do what to which object, by the policies that an environment gets."""

from __future__ import annotations

import copy
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cache
from typing import Any

import pytest

from generator.emit.guardrails import emit
from tests.admission import Answer, Request, admit
from tests.builders import CORES, plan

Body = dict[str, Any]
GROUPS = 'breakGlass: {groups: [night-watch, "a:b quoted \\"ü\\" \\\\ 😀"], users: [root@example.com]}'
WATCHED = "BatchJob, RayJob, RayCluster, JobSet, MPIJob, PaddleJob, PyTorchJob, TFJob, TrainJob, XGBoostJob"
FRAMEWORKS = f"kueue: {{frameworks: [{WATCHED}, Pod, Deployment, StatefulSet, LeaderWorkerSet]}}\n"
GUARDRAILS = f"guardrails: {{queues: Deny, localQueues: Deny, workloads: Deny, profiles: Deny, {GROUPS}}}\n"
EVERYTHING = FRAMEWORKS + GUARDRAILS
ARGOCD = "system:serviceaccount:openshift-gitops:openshift-gitops-argocd-application-controller"
KUEUE = "system:serviceaccount:openshift-kueue-operator:kueue-controller-manager"
OPENSHIFT_AI = "system:serviceaccount:redhat-ods-operator:redhat-ods-operator-controller-manager"
COLLECTOR = "system:serviceaccount:kube-system:generic-garbage-collector"
NAMESPACES = "system:serviceaccount:kube-system:namespace-controller"
JOBS = "system:serviceaccount:kube-system:job-controller"
MANAGED = {"kueue.openshift.io/managed": "true"}
QUEUE = {"kueue.x-k8s.io/queue-name": "training"}
NAME = "kueue.x-k8s.io/queue-name"
GPU = "nvidia.com/gpu"


@cache
def policies(environment: str = EVERYTHING, **parts: Any) -> Sequence[Mapping[str, Any]]:
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


def test_a_message_names_three_of_many_who_may_pass() -> None:
    users = "guardrails: {queues: Deny, breakGlass: {groups: [a, b], users: [c, d, e]}}\n"
    (said,) = ask(step("clusterqueues", "delete"), users).denied
    assert said.endswith("; in an emergency group a or group b or user c or 2 more may")
    assert ask(as_user(step("clusterqueues", "delete"), "e"), users).denied == []


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


def jobs(spec: Body) -> Body:
    return {"jobTemplate": {"metadata": {}, "spec": in_template(spec)}}


def replicas(key: str) -> Any:
    return lambda spec: {f"{key}ReplicaSpecs": {"Master": in_template(PLAIN)["template"], "Worker": in_template(spec)}}


OWN, JOB = (), ("spec", "jobTemplate")
TEMPLATE = ("spec", "template")
# apiVersion, kind, spec with that of its pods, whose label counts; and its pod template
KINDS: list[tuple[str, str, Any, Sequence[str | int], Sequence[str | int]]] = [
    ("v1", "Pod", lambda p: p, OWN, OWN),
    ("apps/v1", "Deployment", in_template, OWN, TEMPLATE),
    ("apps/v1", "StatefulSet", in_template, OWN, TEMPLATE),
    ("batch/v1", "Job", in_template, OWN, TEMPLATE),
    ("kubeflow.org/v1", "Notebook", in_template, OWN, TEMPLATE),
    ("serving.knative.dev/v1", "Service", in_template, TEMPLATE, TEMPLATE),
    ("serving.knative.dev/v1", "Configuration", in_template, TEMPLATE, TEMPLATE),
    ("apps/v1", "DaemonSet", in_template, TEMPLATE, TEMPLATE),
    ("apps/v1", "ReplicaSet", in_template, TEMPLATE, TEMPLATE),
    ("v1", "ReplicationController", in_template, TEMPLATE, TEMPLATE),
    ("apps.openshift.io/v1", "DeploymentConfig", in_template, TEMPLATE, TEMPLATE),
    ("batch/v1", "CronJob", jobs, JOB, (*JOB, "spec", "template")),
    (
        "ray.io/v1",
        "RayCluster",
        lambda p: ray(PLAIN, p),
        OWN,
        ("spec", "workerGroupSpecs", 0, "template"),
    ),
    ("ray.io/v1", "RayCluster", lambda p: ray(p, PLAIN), OWN, ("spec", "headGroupSpec", "template")),
    (
        "ray.io/v1",
        "RayJob",
        lambda p: {"rayClusterSpec": ray(PLAIN, p)},
        OWN,
        ("spec", "rayClusterSpec", "workerGroupSpecs", 0, "template"),
    ),
    (
        "ray.io/v1",
        "RayJob",
        lambda p: {"submitterPodTemplate": {"spec": p}},
        OWN,
        ("spec", "submitterPodTemplate"),
    ),
    (
        "ray.io/v1",
        "RayService",  # Kueue 1.3 does not watch it
        lambda p: {"rayClusterConfig": ray(p, PLAIN)},
        ("spec", "rayClusterConfig", "headGroupSpec", "template"),
        ("spec", "rayClusterConfig", "headGroupSpec", "template"),
    ),
    *(
        (
            "kubeflow.org/v1",
            kind,
            replicas(key),
            OWN if key != "jax" else ("spec", "jaxReplicaSpecs", "Worker", "template"),
            ("spec", f"{key}ReplicaSpecs", "Worker", "template"),
        )
        for kind, key in (
            ("PyTorchJob", "pytorch"),
            ("TFJob", "tf"),
            ("MPIJob", "mpi"),
            ("XGBoostJob", "xgb"),
            ("PaddleJob", "paddle"),
            ("JAXJob", "jax"),
        )
    ),
    (
        "jobset.x-k8s.io/v1alpha2",
        "JobSet",
        lambda p: {"replicatedJobs": [{"template": {"spec": in_template(p)}}]},
        OWN,
        ("spec", "replicatedJobs", 0, "template", "spec", "template"),
    ),
    (
        "leaderworkerset.x-k8s.io/v1",
        "LeaderWorkerSet",
        lambda p: {"leaderWorkerTemplate": {"workerTemplate": {"spec": p}}},
        OWN,
        ("spec", "leaderWorkerTemplate", "workerTemplate"),
    ),
    (
        "leaderworkerset.x-k8s.io/v1",
        "LeaderWorkerSet",
        lambda p: {"leaderWorkerTemplate": {"leaderTemplate": {"spec": p}, "workerTemplate": {"spec": PLAIN}}},
        OWN,
        ("spec", "leaderWorkerTemplate", "leaderTemplate"),
    ),
]
IDS = [f"{kind[1]}-{number}" for number, kind in enumerate(KINDS)]
Case = tuple[str, str, Any, Sequence[str | int], Sequence[str | int]]


def labelled(of: Body, where: Sequence[str | int], labels: Body = QUEUE) -> Body:
    """Return a workload that names a queue in the metadata at a path."""
    found = copy.deepcopy(of)
    place: Any = found
    for part in where:
        place = place[part]
    place.setdefault("metadata", {})["labels"] = labels
    return found


def refused(of: Body, environment: str = EVERYTHING, space: Mapping[str, str] = MANAGED, **more: Any) -> list[str]:
    """Return what the guardrails say of an object that is created, or updated from `old`."""
    resource = f"{of['kind'].lower()}s"
    return ask(Request(resource, object=of, namespace=space, **more), environment).denied


@pytest.mark.parametrize("case", KINDS, ids=IDS)
def test_accelerators_need_a_queue(case: Case) -> None:
    api, kind, spec, where, _ = case
    bare = body(api, kind, spec(pod()), namespace="vision")
    (said,) = refused(bare)
    assert said.startswith(f"{kind} x asks for accelerators and is in no queue: set the label {NAME} in ")
    assert said.endswith(" may")
    assert refused(labelled(bare, where)) == []
    assert len(refused(labelled(bare, where, {NAME: ""}))) == 1
    assert refused(bare, space={}) == []
    assert refused(body(api, kind, spec(PLAIN), namespace="vision")) == []
    assert refused(bare, user="root@example.com") == []


@pytest.mark.parametrize("case", KINDS, ids=IDS)
def test_what_asks_for_accelerators(case: Case) -> None:
    api, kind, spec, _, _ = case
    mig, init = pod(2, "nvidia.com/mig-2g.20gb"), pod(where="initContainers")
    for needy in (pod(part="requests"), init, mig, pod("1"), CLAIM):
        assert len(refused(body(api, kind, spec(needy), namespace="vision"))) == 1, needy
    for free in (pod(0), pod("0"), pod(resource="example.com/nic")):
        assert refused(body(api, kind, spec(free), namespace="vision")) == [], free


@pytest.mark.parametrize("case", KINDS[1:], ids=IDS[1:])
def test_only_an_update_that_makes_it_worse_is_refused(case: Case) -> None:
    api, kind, spec, where, _ = case
    bare = body(api, kind, spec(pod()), namespace="vision")
    plain = body(api, kind, spec(PLAIN), namespace="vision")
    assert refused(marked(bare, annotations={"a": "b"}), old=bare) == []  # it was there before the policy
    assert len(refused(bare, old=plain)) == 1
    assert len(refused(bare, old=labelled(bare, where))) == 1
    assert refused(labelled(bare, where), old=bare) == []


ONLY_PODS = "kueue: {frameworks: [Pod]}\nguardrails: {workloads: Deny}\n"
ONLY_RAY = "kueue: {frameworks: [RayCluster]}\nguardrails: {workloads: Deny}\n"


@pytest.mark.parametrize("case", KINDS, ids=IDS)
def test_a_label_that_kueue_does_not_look_for_is_none(case: Case) -> None:
    """Of the kinds that it does not watch Kueue queues the pods, by their template's label; of the others none."""
    api, kind, spec, _, template = case
    bare = body(api, kind, spec(pod()), namespace="vision")
    own = labelled(bare, OWN)
    by_itself = kind in ("Pod", "Notebook")
    (said,) = refused(bare, ONLY_PODS)
    assert f"set the label {NAME} in {'metadata.labels' if by_itself else 'its pod template'} to the name" in said
    assert len(refused(own, ONLY_PODS)) == (0 if by_itself else 1)
    assert by_itself or refused(labelled(bare, template), ONLY_PODS) == []
    if kind == "RayCluster":
        assert refused(own, ONLY_RAY) == []
        return
    (said,) = refused(labelled(own, template), ONLY_RAY)
    assert said == (
        f"{kind} x asks for accelerators and is in no queue: Kueue watches no such kind here, so add its framework to "
        "kueue.frameworks in environments/prod/"
    )


BY_REFERENCE = [
    ("trainer.kubeflow.org/v1alpha1", "TrainJob"),
    ("serving.kserve.io/v1beta1", "InferenceService"),
    ("serving.kserve.io/v1alpha1", "LLMInferenceService"),
    ("workload.codeflare.dev/v1beta2", "AppWrapper"),
]
APP_WRAPPERS = f"kueue: {{frameworks: [Deployment, LeaderWorkerSet, TrainJob, AppWrapper]}}\n{GUARDRAILS}"


@pytest.mark.parametrize(("api", "kind"), BY_REFERENCE)
def test_what_asks_through_another_object_needs_a_queue_anyway(api: str, kind: str) -> None:
    bare = body(api, kind, {}, namespace="vision")
    (said,) = refused(bare, APP_WRAPPERS)
    assert said.startswith(
        f"{kind} x may ask for accelerators, through what it refers to, and is in no queue: set the label {NAME} in "
    )
    own = labelled(bare, OWN)
    assert refused(own, APP_WRAPPERS) == []
    assert refused(bare, APP_WRAPPERS, space={}) == []
    assert refused(own, ONLY_PODS) == [] or kind != "InferenceService"  # its pods have its labels
    assert "Kueue watches no such kind here" in refused(own, ONLY_RAY)[0]


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

ALWAYS = [case for case in KINDS if case[1] in ("Pod", "Deployment", "StatefulSet", "Job")]


@pytest.mark.parametrize("case", ALWAYS, ids=[case[1] for case in ALWAYS])
def test_the_one_that_is_always_there(case: Case) -> None:
    api, kind, spec, _, _ = case
    bare = body(api, kind, spec(pod()), namespace="vision")
    assert len(refused(bare, "")) == 1
    assert refused(labelled(bare, OWN), "") == []
    assert refused(body(api, kind, spec(PLAIN), namespace="vision"), "") == []
    assert refused(body(api, kind, spec(pod()), namespace="vision", **owner("Anything")), "") == []
    assert refused(bare, "", {"other": "label"}) == []


def test_it_stays_until_the_wider_one_refuses() -> None:
    def names(environment: str) -> list[str]:
        found = [p["metadata"]["name"] for p in policies(environment) if p["kind"] == "ValidatingAdmissionPolicy"]
        return [name for name in found if name == "apportion-accelerators-need-a-queue"]

    assert names("") == names("guardrails: {workloads: Warn}\n") == ["apportion-accelerators-need-a-queue"]
    assert names("guardrails: {workloads: Deny}\n") == []


def test_without_accelerators_there_is_nothing_to_guard() -> None:
    assert policies("guardrails: {workloads: Deny}\n", pools=(CORES,)) == []
