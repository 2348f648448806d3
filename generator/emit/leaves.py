"""One environment's objects by folder: what each Argo CD Application points at, in sync order."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import chain
from typing import Any, TypeVar

from generator.emit import flavors, guardrails, operands, operators, platform, profiles, queues, runtimes, tenants
from generator.emit.marks import ENVIRONMENT
from generator.frozen import dataclass, field
from generator.manifest import Manifest
from generator.plan.model import Plan, Team

_Item = TypeVar("_Item")

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
SETUP = "preflight"  # only where it is asked for; before all others


def position(layer: str) -> int:
    """Return the place of a layer in sync order: the wave of its Applications."""
    return -1 if layer == SETUP else LAYERS.index(layer)


@dataclass(frozen=True, slots=True)
class Held:
    """Kinds (group, kind) without and with a namespace, and the namespaces."""

    cluster: set[tuple[str, str]]
    spaced: set[tuple[str, str]]
    namespaces: set[str]


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
    _held: Held | None = None

    def objects(self) -> Iterable[Manifest]:
        """Return all objects that a build of the folder gives."""
        return chain(self.manifests, *self.bases.values())

    def held(self) -> Held:
        """Return which kinds the folder holds and where: what projects and roles are made of."""
        if self._held is None:
            held = self._held = Held(set(), set(), set())
            for body in (m.body for m in self.objects()):
                space = body["metadata"].get("namespace")
                if space is None:
                    held.cluster.add((group(body["apiVersion"]), body["kind"]))
                else:
                    held.spaced.add((group(body["apiVersion"]), body["kind"]))
                    held.namespaces.add(space)
        return self._held


def group(api_version: str) -> str:
    """Return the API group: "" of "v1", "apps" of "apps/v1"."""
    return api_version.rpartition("/")[0]


def leaves(plan: Plan, extra: list[Manifest], guards: Iterable[Manifest] = ()) -> list[Leaf]:
    """Return the folders of one environment that hold something, in sync order; `argocd` is not among them."""
    teams = _Teams(plan)
    found = [
        _operators(plan),
        _leaf(plan, "platform/operands", operands.emit(plan)),
        _shared(plan),
        _leaf(plan, "platform/openshift-ai", platform.emit(plan)),
        *map(teams.queues, plan.teams),
        *map(teams.tenants, plan.teams),
        _runtimes(plan),
        _leaf(plan, "profiles", profiles.emit((p for p in plan.profiles if p.team is None), plan)),
        Leaf(_path(plan, "extra"), "extra", extra, tuple(sorted(plan.given.extra.items()))),
        _guardrails(plan, list(guards)),
    ]
    return [leaf for leaf in found if leaf.manifests or leaf.bases]


def _path(plan: Plan, folder: str) -> str:
    return f"overlays/{plan.name}/{folder}"


def _leaf(plan: Plan, layer: str, manifests: Iterable[Manifest]) -> Leaf:
    given = plan.given
    raw = (given.environment, given.fleet, given.pools, given.cohorts)
    return Leaf(_path(plan, layer), layer, list(manifests), raw, labels={ENVIRONMENT: plan.name})


def _guardrails(plan: Plan, of_policies: list[Manifest]) -> Leaf:
    """Return the folder of the guardrails; those of policies come from no input below `environments/` alone."""
    leaf = _leaf(plan, "guardrails", [*guardrails.emit(plan), *of_policies])
    leaf.inputs += tuple(m.body for m in of_policies)
    return leaf


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


class _Teams:
    """What belongs to each team of a plan, found once."""

    def __init__(self, plan: Plan) -> None:
        self._plan = plan
        given = plan.given
        self._quotas = {quota["team"]: quota for quota in given.quotas}
        self._pools = {pool["name"]: pool for pool in given.pools}
        self._offered = {profile["name"]: profile for profile in given.fleet.get("profiles") or ()}
        self._overrides = _by_team((o["team"], o) for o in given.overrides)
        self._profiles = _by_team((p.team, p) for p in plan.profiles)
        self._runtimes = _by_team((r.team, r) for r in plan.runtimes)

    def queues(self, team: Team) -> Leaf:
        """Return the folder of a team's ClusterQueues."""
        quota = self._quotas[team.name]
        named = {pool for queue in quota.get("queues") or () for pool in queue.get("quota") or ()}
        pools = [self._pools[name] for name in sorted(named)]
        manifests = list(queues.cluster_queues(team.queues, self._plan))
        return self._leaf("queues", team, manifests, (quota, self._overrides.get(team.name), *pools))

    def tenants(self, team: Team) -> Leaf:
        """Return the folder of a team's namespaces and all that stands in them."""
        plan, own, runs = self._plan, self._profiles.get(team.name, []), self._runtimes.get(team.name, [])
        manifests = [
            *tenants.emit(team, plan),
            *queues.local_queues(team.local_queues, plan),
            *profiles.emit(own, plan),
            *runtimes.emit(runs, plan),
        ]
        offered = {p.offer.name: (self._offered[p.offer.name], self._pools[p.offer.pool]) for p in own}
        # Which profiles stand here, and with which class, depends on what other teams have.
        placed = [[p.offer.name, p.namespace, p.offer.priority_class] for p in own]
        raw = (plan.given.teams.get(team.name), self._quotas[team.name], placed, *chain(*offered.values()))
        return self._leaf("tenants", team, manifests, (*raw, plan.given.fleet) if runs else raw)

    def _leaf(self, layer: str, team: Team, manifests: list[Manifest], raw: tuple[Any, ...]) -> Leaf:
        """Return a folder that comes from nothing of another team, so that two changes do not meet in one lock."""
        inputs = (self._plan.given.environment["platform"], *raw)
        return Leaf(
            _path(self._plan, f"{layer}/{team.name}"), layer, manifests, inputs, team=team.name, as_of=team.as_of
        )


def _by_team(items: Iterable[tuple[str | None, _Item]]) -> dict[str | None, list[_Item]]:
    found: dict[str | None, list[_Item]] = {}
    for team, item in items:
        found.setdefault(team, []).append(item)
    return found


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
