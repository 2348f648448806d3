"""Argo CD: projects that allow exactly what the output holds, Applications in order, rights of the controller.

Source of the settings and their reasons: Argo CD
docs/operator-manual/{application,project}.yaml, docs/user-guide/sync-options.md.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache
from typing import Any

from generator.emit.health import checks
from generator.emit.leaves import LAYERS, SETUP, Leaf, position
from generator.emit.marks import KEEP, labels, wave
from generator.emit.tenants import RBAC_API, RBAC_GROUP
from generator.manifest import Fragment, Manifest, manifest
from generator.plan.model import Plan
from generator.plan.resolve import IN_CLUSTER

API = "argoproj.io/v1alpha1"
HEALTH_CHECKS = "argocd-health-checks.yaml"
PROJECTS: Mapping[str, tuple[str, ...]] = {
    "platform": (SETUP, "operators", "platform/operands", "platform/openshift-ai", "guardrails"),
    "queues": ("queues/shared", "queues", "runtimes", "profiles"),
    "tenants": ("tenants",),
    "extra": ("extra",),
}
PRUNED = (SETUP, "queues/shared", "queues", "tenants", "runtimes", "profiles", "extra", "guardrails")
TEAM_LAYERS = ("queues", "tenants")
MOST_TEAM_APPLICATIONS = 400  # in one folder: a kustomization stays below 500 objects
VERBS = ["create", "delete", "get", "list", "patch", "update", "watch"]


def leaves(plan: Plan, synced: list[Leaf]) -> list[Leaf]:
    """Return the folder `argocd` of an environment, and further ones where a folder cannot hold all teams."""
    applications = [_application(plan, leaf) for leaf in synced]
    of_teams = [(leaf, app) for leaf, app in zip(synced, applications, strict=True) if leaf.layer in TEAM_LAYERS]
    rest = [app for leaf, app in zip(synced, applications, strict=True) if leaf.layer not in TEAM_LAYERS]
    folders = _buckets(plan, of_teams) if len(of_teams) > MOST_TEAM_APPLICATIONS else []
    rest += [_app_of_apps(plan, folder) for folder in folders] if folders else [app for _, app in of_teams]
    root = [*_projects(plan, synced), *_rights(plan, synced), _root(plan), *rest]
    raw = (
        plan.given.environment,
        sorted({kind for s in synced for kind in s.held().cluster | s.held().spaced}),
        sorted({space for s in synced for space in s.held().namespaces}),
    )
    folder = Leaf(f"overlays/{plan.name}/argocd", "argocd", root, (*raw, [_target(app) for app in applications]))
    folder.files[HEALTH_CHECKS] = checks()
    return [folder, *folders]


def _buckets(plan: Plan, of_teams: list[tuple[Leaf, Manifest]]) -> list[Leaf]:
    """Spread team Applications over folders by the hash of the team, so that a new team moves no other."""
    from hashlib import sha256

    digits = 1
    while len(of_teams) > MOST_TEAM_APPLICATIONS // 2 * 16**digits:
        digits += 1
    buckets: dict[str, list[Manifest]] = {}
    for leaf, application in of_teams:
        bucket = sha256(str(leaf.team).encode()).hexdigest()[:digits]
        buckets.setdefault(bucket, []).append(application)
    return [
        Leaf(
            f"overlays/{plan.name}/argocd-teams/{name}",
            "argocd",
            items,
            (plan.given.environment, [_target(app) for app in items]),
        )
        for name, items in sorted(buckets.items())
    ]


def _target(application: Manifest) -> tuple[str, str]:
    """Return what an Application owes to its folder rather than to the environment."""
    spec = application.body["spec"]
    return spec["source"]["path"], spec["destination"]["namespace"]


def _project(layer: str) -> str:
    return next(project for project, layers in PROJECTS.items() if layer in layers)


def _application(plan: Plan, leaf: Leaf) -> Manifest:
    hooked = {plan.preflight.namespace} if plan.preflight and leaf.layer != SETUP else set()
    namespaces = sorted(leaf.held().namespaces - hooked)
    name = leaf.path.removeprefix(f"overlays/{plan.name}/").replace("/", "-")
    origin = leaf.manifests[0].origin if leaf.manifests else plan.origin
    order = position(leaf.layer)
    paths = ".;" + ";".join(f"/{_source_path(plan, base)}" for base in leaf.bases) if leaf.bases else "."
    return manifest(
        API,
        "Application",
        f"{plan.name}-{name}",
        namespace=plan.argocd_namespace,
        labels=labels(plan.name, leaf.team),
        origin=origin,
        annotations=_annotations(order, paths),
        spec={
            "project": f"{plan.name}-{_project(leaf.layer)}",
            "source": {
                "repoURL": plan.repository.url,
                "targetRevision": plan.repository.revision,
                "path": _source_path(plan, leaf.path),
            },
            "destination": {"server": plan.server, "namespace": namespaces[0] if namespaces else plan.argocd_namespace},
            "syncPolicy": _sync_policy(leaf.layer in PRUNED, "retry.refresh" in plan.gitops.fields),
        },
    )


def _source_path(plan: Plan, path: str) -> str:
    return "/".join(part for part in (plan.repository.path, "output", path) if part)


@cache
def _annotations(order: int, paths: str | None = None) -> Fragment:
    marks = {"argocd.argoproj.io/compare-options": "ServerSideDiff=true", **KEEP, **wave(order)}
    return Fragment(marks | ({"argocd.argoproj.io/manifest-generate-paths": paths} if paths else {}))


@cache
def _sync_policy(prune: bool, refresh: bool) -> Fragment:
    """Return how an Application syncs: by itself, never to nothing, again until operators have brought their kinds."""
    retry: dict[str, Any] = {"limit": 10, "backoff": {"duration": "10s", "factor": 2, "maxDuration": "5m"}}
    if refresh:
        retry["refresh"] = True
    policy = {
        "automated": {"allowEmpty": False, "prune": prune, "selfHeal": True},
        "syncOptions": [
            "ApplyOutOfSyncOnly=true",
            "FailOnSharedResource=true",
            "PruneLast=true",
            "RespectIgnoreDifferences=true",
            "ServerSideApply=true",
            "SkipDryRunOnMissingResource=true",
        ],
        "retry": retry,
    }
    return Fragment(policy)


def _root(plan: Plan) -> Manifest:
    return _of_applications(plan, f"{plan.name}-root", f"overlays/{plan.name}/argocd", -1)


def _app_of_apps(plan: Plan, folder: Leaf) -> Manifest:
    name = folder.path.removeprefix(f"overlays/{plan.name}/").replace("/", "-")
    return _of_applications(plan, f"{plan.name}-{name}", folder.path, LAYERS.index("queues"))


def _of_applications(plan: Plan, name: str, path: str, order: int) -> Manifest:
    """Return an Application of Applications: it lives where Argo CD runs, whatever cluster they go to."""
    return manifest(
        API,
        "Application",
        name,
        namespace=plan.argocd_namespace,
        labels=labels(plan.name),
        origin=plan.origin,
        annotations=_annotations(order),
        spec={
            "project": f"{plan.name}-argocd",
            "source": {
                "repoURL": plan.repository.url,
                "targetRevision": plan.repository.revision,
                "path": _source_path(plan, path),
            },
            "destination": {"server": IN_CLUSTER, "namespace": plan.argocd_namespace},
            "syncPolicy": _sync_policy(True, "retry.refresh" in plan.gitops.fields),
        },
    )


def _projects(plan: Plan, synced: list[Leaf]) -> Iterator[Manifest]:
    """Yield projects whose lists follow from the objects: no wildcard, one repository."""
    for project, layers in PROJECTS.items():
        held = [leaf.held() for leaf in synced if leaf.layer in layers]
        if held:
            spaces = sorted(set().union(*(h.namespaces for h in held)) | {plan.argocd_namespace})
            destinations = [{"server": plan.server, "namespace": space} for space in spaces]
            cluster = sorted(set().union(*(h.cluster for h in held)))
            spaced = sorted(set().union(*(h.spaced for h in held)))
            yield _app_project(plan, project, destinations, cluster, spaced)
    own = [("rbac.authorization.k8s.io", "ClusterRole"), ("rbac.authorization.k8s.io", "ClusterRoleBinding")]
    yield _app_project(
        plan,
        "argocd",
        [{"server": IN_CLUSTER, "namespace": plan.argocd_namespace}],
        own if plan.server == IN_CLUSTER else [],
        [("argoproj.io", "AppProject"), ("argoproj.io", "Application")],
    )


def _app_project(
    plan: Plan,
    project: str,
    destinations: list[dict[str, str]],
    cluster: list[tuple[str, str]],
    spaced: list[tuple[str, str]],
) -> Manifest:
    spec = {
        "description": f"{project} of environment {plan.name}",
        "sourceRepos": [plan.repository.url],
        "destinations": destinations,
        "clusterResourceWhitelist": [{"group": g, "kind": k} for g, k in cluster],
        "namespaceResourceWhitelist": [{"group": g, "kind": k} for g, k in spaced],
    }
    return manifest(
        API,
        "AppProject",
        f"{plan.name}-{project}",
        namespace=plan.argocd_namespace,
        labels=labels(plan.name),
        annotations={**KEEP, **wave(-2)},
        origin=plan.origin,
        spec=spec,
    )


def _rights(plan: Plan, synced: list[Leaf]) -> Iterator[Manifest]:
    """Yield what the default instance's controller lacks: it is no cluster-admin, and holds RBAC itself already.

    Source: redhat-developer/gitops-operator controllers/argocd/openshift/openshift.go, policyRulesForClusterConfig.
    """
    if plan.server != IN_CLUSTER:
        return
    by_group: dict[str, set[str]] = {}
    kinds = set().union(*(leaf.held().cluster | leaf.held().spaced for leaf in synced))
    for api, kind in kinds:
        if api != RBAC_GROUP:
            by_group.setdefault(api, set()).add(plural(kind))
    rules = [
        {"apiGroups": [api], "resources": sorted(names), "verbs": VERBS} for api, names in sorted(by_group.items())
    ]
    name = f"apportion-argocd-{plan.name}"
    marks, notes = labels(plan.name), {**KEEP, **wave(-2)}
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


def plural(kind: str) -> str:
    """Return the resource of a kind. Source: apimachinery pkg/api/meta, UnsafeGuessKindToResource."""
    name = kind.lower()
    if name.endswith("s"):
        return f"{name}es"
    return f"{name[:-1]}ies" if name.endswith("y") else f"{name}s"
