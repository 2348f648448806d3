"""One environment's objects by folder: what each Argo CD Application points at, in the order in which they are synced."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from generator.emit import flavors, guardrails, operands, operators, platform, profiles, queues, runtimes, tenants
from generator.emit.marks import ENVIRONMENT
from generator.manifest import Manifest
from generator.plan.model import Plan, Profile, Runtime, Team

# Layers in sync order; every reference points to an earlier one, or to an earlier wave of the same.
LAYERS = (
    "operators",
    "platform/operands",
    "queues/shared",
    "platform/openshift-ai",
    "queues",
    "tenants",
    "runtimes",
    "profiles",
    "extra",
    "guardrails",
)


@dataclass(slots=True)
class Leaf:
    """A folder with a kustomization: its own objects, the bases it builds on, and what it was made from."""

    path: str  # below output/
    layer: str
    manifests: list[Manifest]
    inputs: tuple[Any, ...] = ()  # raw input, for the digest in its lock
    bases: dict[str, list[Manifest]] = field(default_factory=dict)  # folder below output/ -> objects
    patches: list[Mapping[str, Any]] = field(default_factory=list)
    labels: Mapping[str, str] = field(default_factory=dict)  # put on objects of bases
    team: str | None = None
    as_of: str | None = None
    files: dict[str, str] = field(default_factory=dict)  # further files, not part of the build

    def objects(self) -> Iterable[Manifest]:
        """Return all objects that a build of the folder gives."""
        yield from self.manifests
        for based in self.bases.values():
            yield from based


def leaves(plan: Plan, extra: list[Manifest]) -> list[Leaf]:
    """Return the folders of one environment that hold something, in sync order; `argocd` is not among them."""
    found = [
        _operators(plan),
        _leaf(plan, "platform/operands", operands.emit(plan)),
        _shared(plan),
        _leaf(plan, "platform/openshift-ai", platform.emit(plan)),
        *(_queues(plan, team) for team in plan.teams),
        *_tenants(plan),
        _runtimes(plan),
        _leaf(plan, "profiles", profiles.emit((p for p in plan.profiles if p.team is None), plan)),
        Leaf(_path(plan, "extra"), "extra", extra, tuple(sorted(plan.given.extra.items()))),
        _leaf(plan, "guardrails", guardrails.emit(plan)),
    ]
    return [leaf for leaf in found if leaf.manifests or leaf.bases]


def _path(plan: Plan, folder: str) -> str:
    return f"overlays/{plan.name}/{folder}"


def _leaf(plan: Plan, layer: str, manifests: Iterable[Manifest]) -> Leaf:
    given = plan.given
    raw = (given.environment, given.fleet, given.pools, given.cohorts)
    return Leaf(_path(plan, layer), layer, list(manifests), raw, labels={ENVIRONMENT: plan.name})


def _operators(plan: Plan) -> Leaf:
    leaf = _leaf(plan, "operators", ())
    for subscription in plan.subscriptions:
        leaf.bases[operators.folder(subscription)] = list(operators.base(subscription.operator, subscription.channel))
        patch = operators.patch(subscription)
        leaf.patches += [patch] if patch else []
    return leaf


def _shared(plan: Plan) -> Leaf:
    leaf = _leaf(plan, "queues/shared", [*flavors.emit(plan), *queues.cohorts(plan), *queues.default_queue(plan)])
    classes = list(queues.priorities(plan.priorities, plan.kueue.api))
    if classes:
        leaf.bases[f"base/priorities/{plan.kueue.api.rpartition('/')[2]}"] = classes
    return leaf


def _team_inputs(plan: Plan, team: Team) -> tuple[Any, ...]:
    """Return what a team's folders come from: nothing of another team, so that two changes do not meet in a lock."""
    given = plan.given
    quota = next(q for q in given.quotas if q["team"] == team.name)
    named = {pool for queue in quota.get("queues") or () for pool in queue.get("quota") or ()}
    pools = [pool for pool in given.pools if pool["name"] in named]
    overrides = [o for o in given.overrides if o["team"] == team.name]
    return (given.environment, given.fleet, given.teams.get(team.name), quota, overrides, *pools)


def _queues(plan: Plan, team: Team) -> Leaf:
    manifests = list(queues.cluster_queues(team.queues, plan))
    return Leaf(
        _path(plan, f"queues/{team.name}"),
        "queues",
        manifests,
        _team_inputs(plan, team),
        team=team.name,
        as_of=team.as_of,
    )


def _tenants(plan: Plan) -> list[Leaf]:
    own_profiles: dict[str, list[Profile]] = {}
    for profile in plan.profiles:
        if profile.team is not None:
            own_profiles.setdefault(profile.team, []).append(profile)
    own_runtimes: dict[str, list[Runtime]] = {}
    for runtime in plan.runtimes:
        if runtime.team is not None:
            own_runtimes.setdefault(runtime.team, []).append(runtime)
    return [
        _tenant(plan, team, own_profiles.get(team.name, []), own_runtimes.get(team.name, [])) for team in plan.teams
    ]


def _tenant(plan: Plan, team: Team, own_profiles: list[Profile], own_runtimes: list[Runtime]) -> Leaf:
    manifests = [
        *tenants.emit(team, plan),
        *queues.local_queues(team.local_queues, plan),
        *profiles.emit(own_profiles, plan),
        *runtimes.emit(own_runtimes, plan),
    ]
    scopes = [[p.name, p.namespace] for p in own_profiles]  # depends on what other teams have
    inputs = (*_team_inputs(plan, team), scopes)
    return Leaf(_path(plan, f"tenants/{team.name}"), "tenants", manifests, inputs, team=team.name, as_of=team.as_of)


def _runtimes(plan: Plan) -> Leaf:
    own = [r for r in plan.runtimes if r.team is None]
    manifests = [*runtimes.access(plan), *runtimes.emit((r for r in own if not r.plain), plan)]
    leaf = _leaf(plan, "runtimes", manifests)
    trainer = plan.openshift_ai.trainer
    if trainer is not None:
        for runtime in own:
            if runtime.plain:
                leaf.bases[runtimes.folder(trainer, runtime)] = [runtimes.base(runtime, trainer)]
    return leaf
