"""The guardrails of the samples, as they stand in output/, against the samples themselves: nobody is locked out."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from generator.emit.argocd import plural
from tests.admission import Request, admit
from tests.samples import ENVIRONMENTS, Built, Object, of_kind

ARGOCD = "system:serviceaccount:openshift-gitops:openshift-gitops-argocd-application-controller"
GUARDED = {"AdmissionCheck", "ClusterQueue", "Cohort", "LocalQueue", "ResourceFlavor", "Topology"}


def requests(of: Object, spaces: Mapping[str, Mapping[str, str]], **more: Any) -> list[Request]:
    """Return the requests that create, change and delete an object; what is no team's namespace has no label."""
    name = of["metadata"].get("namespace")
    space = None if name is None else spaces.get(name, {})
    resource = plural(of["kind"])
    new = {**of, "spec": {**of.get("spec", {}), "changed": True}}
    return [
        Request(resource, object=of, namespace=space, **more),
        Request(resource, object=new, old=of, namespace=space, **more),
        Request(resource, old=of, namespace=space, **more),
    ]


def namespaces(objects: list[Object]) -> dict[str, Mapping[str, str]]:
    return {name: found["metadata"].get("labels", {}) for name, found in of_kind(objects, "Namespace").items()}


@pytest.mark.parametrize("environment", ENVIRONMENTS)
def test_argocd_may_do_all_that_git_says(environment: str, built: Built) -> None:
    objects, guards = built[f"overlays/{environment}"], built[f"overlays/{environment}/guardrails"]
    spaces = namespaces(objects)
    judged = 0
    for of in objects:
        for request in requests(of, spaces, user=ARGOCD):
            answer = admit(guards, request)
            assert (answer.denied, answer.warned) == ([], []), of
            judged += 1
    assert judged == 3 * len(objects) > 100


def test_nobody_else_touches_the_queues_of_prod(built: Built) -> None:
    objects, guards = built["overlays/prod"], built["overlays/prod/guardrails"]
    spaces = namespaces(objects)
    kinds = set()
    for of in objects:
        for request in requests(of, spaces, user="kube:admin", groups=("system:cluster-admins",)):
            denied = admit(guards, request).denied
            assert len(denied) == (of["kind"] in GUARDED | {"WorkloadPriorityClass"}), of
        kinds |= {of["kind"]} & GUARDED
    assert kinds >= {"ClusterQueue", "Cohort", "LocalQueue", "ResourceFlavor"}


def test_prod_warns_of_work_without_a_queue_and_refuses_the_plainest(built: Built) -> None:
    guards = built["overlays/prod/guardrails"]
    container = {"name": "a", "resources": {"limits": {"amd.com/gpu": 1}}}
    job: dict[str, Any] = {
        "apiVersion": "batch/v1",
        "kind": "Job",
        "metadata": {"name": "x", "namespace": "vision-train"},
        "spec": {"template": {"spec": {"containers": [container]}}},
    }
    managed = {"kueue.openshift.io/managed": "true"}
    answer = admit(guards, Request("jobs", object=job, namespace=managed))
    assert (len(answer.denied), len(answer.warned)) == (1, 1)
    named = {**job, "metadata": {**job["metadata"], "labels": {"kueue.x-k8s.io/queue-name": "training"}}}
    answer = admit(guards, Request("jobs", object=named, namespace=managed))
    # Kueue does not watch BatchJob in prod
    assert answer.denied == []
    assert answer.warned == [
        "Job x asks for accelerators and is in no queue: set the label kueue.x-k8s.io/queue-name in its pod template "
        "to the name of a LocalQueue of the namespace; in an emergency group gpu-break-glass may"
    ]


def test_prod_refuses_a_quota_beside_kueue(built: Built) -> None:
    """A policy of policies/ that its cluster enforces."""
    quota = {
        "apiVersion": "v1",
        "kind": "ResourceQuota",
        "metadata": {"name": "x", "namespace": "vision-train"},
        "spec": {"hard": {"requests.nvidia.com/gpu": "8", "pods": "10"}},
    }
    (said,) = admit(
        built["overlays/prod/guardrails"],
        Request("resourcequotas", object=quota, namespace={"kueue.openshift.io/managed": "true"}),
    ).denied
    assert said == (
        "ResourceQuota x limits requests.nvidia.com/gpu, which Kueue governs: it refuses pods that Kueue has admitted; "
        "remove these lines; the team's queue limits them; in an emergency group gpu-break-glass may"
    )
