"""What Argo CD may do: projects and a role whose lists follow from the objects, without wildcards."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache
from typing import Any

from generator.emit.leaves import SETUP, Leaf
from generator.emit.marks import KEEP, labels, wave
from generator.emit.tenants import RBAC_API, RBAC_GROUP
from generator.manifest import Fragment, Manifest, manifest
from generator.plan.model import Plan
from generator.plan.resolve import IN_CLUSTER
from generator.schemas.resources import plural

API = "argoproj.io/v1alpha1"
OF_APPLICATIONS = "argocd"  # the project of Applications that bring Applications
VERBS = ["create", "delete", "get", "list", "patch", "update", "watch"]
_LAYERS: Mapping[str, tuple[str, ...]] = {
    "platform": (SETUP, "operators", "platform/operands", "platform/openshift-ai", "guardrails"),
    "queues": ("queues/shared", "queues", "runtimes", "profiles"),
    "tenants": ("tenants",),
    "extra": ("extra/checks", "extra"),
}


def project(layer: str) -> str:
    """Return the project of a layer's Applications."""
    return next(name for name, layers in _LAYERS.items() if layer in layers)


def home(plan: Plan, leaf: Leaf) -> str:
    """Return the namespace that an Application names; where no object but a hook has one, that of Argo CD."""
    hooked = {plan.preflight.namespace} if plan.preflight and leaf.layer != SETUP else set()
    return min(leaf.held().namespaces - hooked, default=plan.argocd_namespace)


def projects(plan: Plan, synced: list[Leaf]) -> Iterator[Manifest]:
    """Yield projects that allow one repository, and the namespaces and kinds in it."""
    for name, layers in _LAYERS.items():
        leaves = [leaf for leaf in synced if leaf.layer in layers]
        held = [leaf.held() for leaf in leaves]
        if held:
            spaces = {home(plan, leaf) for leaf in leaves}.union(*(h.namespaces for h in held))
            destinations = [{"server": plan.server, "namespace": space} for space in sorted(spaces)]
            cluster = [{"group": g, "kind": k} for g, k in sorted(set().union(*(h.cluster for h in held)))]
            yield _project(plan, name, destinations, cluster, set().union(*(h.spaced for h in held)))
    yield _project(
        plan,
        OF_APPLICATIONS,
        [{"server": IN_CLUSTER, "namespace": plan.argocd_namespace}],
        _of_rights(plan),
        {("argoproj.io", "AppProject"), ("argoproj.io", "Application")},
    )


def _of_rights(plan: Plan) -> list[dict[str, str]]:
    """Return what brings the role: by name where Argo CD can tell, for another one could hand out the cluster.

    Kinds that are pruned are not told by name: once a name has left the list, Argo CD leaves the object alone.
    """
    if plan.server != IN_CLUSTER:
        return []
    name = {"name": _role(plan)} if "clusterResourceWhitelist.name" in plan.gitops.fields else {}
    return [{"group": RBAC_GROUP, "kind": kind, **name} for kind in ("ClusterRole", "ClusterRoleBinding")]


def _project(
    plan: Plan,
    name: str,
    destinations: list[dict[str, str]],
    cluster: list[dict[str, str]],
    spaced: set[tuple[str, str]],
) -> Manifest:
    spec: dict[str, Any] = {
        "description": f"{name} of environment {plan.name}",
        "sourceRepos": [plan.repository.url],
        "destinations": destinations,
    }
    if cluster:
        spec["clusterResourceWhitelist"] = cluster
    if spaced:
        spec["namespaceResourceWhitelist"] = [{"group": g, "kind": k} for g, k in sorted(spaced)]
    else:
        # Without a list every kind that has a namespace is allowed, and an empty one is lost when Argo CD writes.
        # Source: Argo CD pkg/apis/application/v1alpha1, AppProjectSpec, IsGroupKindPermitted.
        spec["namespaceResourceBlacklist"] = [{"group": "*", "kind": "*"}]
    return manifest(
        API,
        "AppProject",
        f"{plan.name}-{name}",
        namespace=plan.argocd_namespace,
        labels=labels(plan.name),
        annotations=_marks(),
        origin=plan.origin,
        spec=spec,
    )


@cache
def _marks() -> Fragment:
    """Return annotations of what has to be there before any Application."""
    return Fragment({**KEEP, **wave(-2)})


def rights(plan: Plan, synced: list[Leaf]) -> Iterator[Manifest]:
    """Yield what the default instance's controller lacks: it is no cluster-admin, and holds RBAC itself already.

    Source: redhat-developer/gitops-operator controllers/argocd/openshift/openshift.go, policyRulesForClusterConfig.
    """
    if plan.server != IN_CLUSTER:
        return
    by_group: dict[str, set[str]] = {}
    for api, kind in set().union(*(leaf.held().cluster | leaf.held().spaced for leaf in synced)):
        if api != RBAC_GROUP:
            by_group.setdefault(api, set()).add(plural(kind))
    rules = [
        {"apiGroups": [api], "resources": sorted(names), "verbs": VERBS} for api, names in sorted(by_group.items())
    ]
    name = _role(plan)
    marks, notes = labels(plan.name), _marks()
    yield manifest(RBAC_API, "ClusterRole", name, labels=marks, annotations=notes, origin=plan.origin, rules=rules)
    account = f"{plan.argocd_instance}-argocd-application-controller"
    yield manifest(
        RBAC_API,
        "ClusterRoleBinding",
        name,
        labels=marks,
        annotations=notes,
        origin=plan.origin,
        roleRef={"apiGroup": RBAC_GROUP, "kind": "ClusterRole", "name": name},
        subjects=[{"kind": "ServiceAccount", "name": account, "namespace": plan.argocd_namespace}],
    )


def _role(plan: Plan) -> str:
    return f"apportion-argocd-{plan.name}"
