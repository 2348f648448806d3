"""Argo CD: an Application for each folder, in order, and one of Applications above them.

Source of the settings and their reasons: Argo CD
docs/operator-manual/{application,project}.yaml, docs/user-guide/sync-options.md.
"""

from __future__ import annotations

from functools import cache
from typing import Any

from generator.emit.fences import API, OF_APPLICATIONS, home, project, projects, rights
from generator.emit.health import settings
from generator.emit.leaves import LAYERS, SETUP, Leaf, position
from generator.emit.marks import KEEP, labels, wave
from generator.manifest import Fragment, Manifest, manifest
from generator.plan.model import Plan
from generator.plan.resolve import IN_CLUSTER

SETTINGS = "argocd-health-checks.yaml"
PRUNED = (SETUP, "queues/shared", "extra/checks", "queues", "tenants", "runtimes", "profiles", "extra", "guardrails")
TEAM_LAYERS = ("queues", "tenants")
MOST_TEAM_APPLICATIONS = 400  # in one folder: a kustomization stays below 500 objects


def leaves(plan: Plan, synced: list[Leaf]) -> list[Leaf]:
    """Return the folder `argocd` of an environment, and further ones where a folder cannot hold all teams."""
    applications = [_application(plan, leaf) for leaf in synced]
    of_teams = [(leaf, app) for leaf, app in zip(synced, applications, strict=True) if leaf.layer in TEAM_LAYERS]
    rest = [app for leaf, app in zip(synced, applications, strict=True) if leaf.layer not in TEAM_LAYERS]
    folders = _buckets(plan, of_teams) if len(of_teams) > MOST_TEAM_APPLICATIONS else []
    rest += [_app_of_apps(plan, folder) for folder in folders] if folders else [app for _, app in of_teams]
    root = [*projects(plan, synced), *rights(plan, synced), _root(plan), *rest]
    raw = (
        plan.given.environment,
        sorted({kind for s in synced for kind in s.held().cluster | s.held().spaced}),
        sorted({space for s in synced for space in s.held().namespaces}),
    )
    folder = Leaf(f"overlays/{plan.name}/argocd", "argocd", root, (*raw, [_target(app) for app in applications]))
    folder.files[SETTINGS] = settings(plan.argocd_installation)
    if plan.plugin is not None:
        from generator.emit import plugin

        folder.files[plugin.CONFIG] = plugin.config(plan.plugin, plan.argocd_namespace)
        folder.files[plugin.PATCH] = plugin.patch(plan.plugin)
        for found in (folder, *folders):
            found.as_of = plan.as_of  # the Applications name it
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


def _target(application: Manifest) -> tuple[Any, str]:
    """Return what an Application owes to its folder rather than to the environment."""
    spec = application.body["spec"]
    return spec["source"].get("plugin", spec["source"]["path"]), spec["destination"]["namespace"]


def _application(plan: Plan, leaf: Leaf) -> Manifest:
    name = leaf.path.removeprefix(f"overlays/{plan.name}/").replace("/", "-")
    origin = leaf.manifests[0].origin if leaf.manifests else plan.origin
    order = position(leaf.layer)
    bases = leaf.bases if plan.plugin is None else ()  # a plug-in reads all of the repository's folder
    paths = ";".join((".", *(f"/{_source_path(plan, base)}" for base in bases)))
    return manifest(
        API,
        "Application",
        f"{plan.name}-{name}",
        namespace=plan.argocd_namespace,
        labels=labels(plan.name, leaf.team),
        origin=origin,
        annotations=_annotations(order, paths),
        spec={
            "project": f"{plan.name}-{project(leaf.layer)}",
            "source": _source(plan, leaf.path),
            "destination": {"server": plan.server, "namespace": home(plan, leaf)},
            "syncPolicy": _sync_policy(leaf.layer in PRUNED, "retry.refresh" in plan.gitops.fields),
        },
    )


def _source(plan: Plan, path: str) -> dict[str, Any]:
    """Return where the objects of a folder below output/ come from: the folder as committed, or the plug-in."""
    repository = plan.repository
    source = {"repoURL": repository.url, "targetRevision": repository.revision}
    if plan.plugin is None:
        return source | {"path": _source_path(plan, path)}
    from generator.emit import plugin

    part = path.removeprefix(f"overlays/{plan.name}/")
    return source | {
        "path": repository.path or ".",
        "plugin": plugin.call(plan.plugin, plan.name, part, plan.as_of),
    }


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
            "project": f"{plan.name}-{OF_APPLICATIONS}",
            "source": _source(plan, path),
            "destination": {"server": IN_CLUSTER, "namespace": plan.argocd_namespace},
            "syncPolicy": _sync_policy(True, "retry.refresh" in plan.gitops.fields),
        },
    )
