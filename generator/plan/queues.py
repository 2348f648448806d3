"""A team's queues → ClusterQueues: preset, shares, preemption, and what the release cannot hold of them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from generator.environment import quotas as given
from generator.finding import Finding, Layer, Related, error
from generator.plan import shares
from generator.plan.components import PLATFORM_QUEUE
from generator.plan.model import ClusterQueue, FlavorQuota, Fungibility, Namespace, Pool, Preemption
from generator.plan.overrides import Overrides
from generator.plan.presets import FALLBACK, PRESETS, Preset
from generator.quantity import parse
from generator.releases.model import Kueue
from generator.source import at, value_at
from generator.spelling import or_else

DEFAULT = "default"
LONGEST_NAME = 63  # of a ClusterQueue that is also a label value
STRATEGY = "BestEffortFIFO"


def resolve(
    quota: given.TeamQuota,
    spaces: tuple[Namespace, ...],
    pools: Mapping[str, Pool],
    kueue: Kueue,
    overrides: Overrides,
) -> tuple[tuple[ClusterQueue, ...], list[Finding]]:
    """Return a team's queues in the order they are written, and what is wrong with them."""
    queues: list[ClusterQueue] = []
    findings: list[Finding] = []
    for item in quota.get("queues") or ():
        name = f"{quota['team']}-{item['name']}"
        preset = PRESETS[_use(item)]
        owner = shares.Owner(f"queue {name}", "cohort" in quota, preset.borrow, preset.lend)
        changes = overrides.of(quota["team"], item["name"])
        flavors, found = shares.flavors(item.get("quota") or {}, pools, owner, changes)
        findings += [*_name_defects(item, quota["team"], name), *_namespace_defects(item, quota["team"], spaces)]
        findings += [*found, *_too_many(owner.name, flavors, kueue, item), *_fungibility_defects(item, kueue)]
        queues.append(_queue(name, item, quota, spaces, flavors, kueue))
    return tuple(queues), findings


def same_name(queues: list[ClusterQueue]) -> Iterator[Finding]:
    """Yield queues of two teams whose ClusterQueues would be one: team a-b with queue c, team a with queue b-c."""
    first: dict[str, ClusterQueue] = {}
    for queue in queues:
        before = first.setdefault(queue.name, queue)
        if before.team != queue.team:
            yield error(
                "defined-twice",
                f"team {queue.team}'s queue {queue.queue} and team {before.team}'s queue {before.queue} "
                f"would both be ClusterQueue {queue.name}",
                queue.origin,
                "rename one of them",
                related=(Related(before.origin, f"queue {before.queue} of team {before.team}"),),
            )


def _use(item: given.Queue) -> str:
    return item.get("use") or (item["name"] if item["name"] in PRESETS else FALLBACK)


def _queue(
    name: str,
    item: given.Queue,
    quota: given.TeamQuota,
    spaces: tuple[Namespace, ...],
    flavors: tuple[FlavorQuota, ...],
    kueue: Kueue,
) -> ClusterQueue:
    served = item["namespaces"] if "namespaces" in item else [space.name for space in spaces]
    return ClusterQueue(
        name=name,
        team=quota["team"],
        queue=item["name"],
        use=_use(item),
        cohort=quota.get("cohort"),
        flavors=flavors,
        namespaces=tuple(sorted(set(served))),
        preemption=_preemption(item, PRESETS[_use(item)]),
        fungibility=fungibility(item.get("flavorFungibility") or {}, kueue),
        strategy=item.get("queueingStrategy", STRATEGY),
        stop_policy=item.get("stopPolicy", "None"),
        weight=parse(item["fairShareWeight"]) if "fairShareWeight" in item else None,
        admission_checks=tuple(item.get("admissionChecks") or ()),
        origin=at(item),
    )


def _preemption(item: given.Queue, preset: Preset) -> Preemption:
    own = item.get("preemption") or {}
    borrow = own.get("borrowWithinCohort") or {}
    return Preemption(
        own.get("withinClusterQueue", preset.within_cluster_queue),
        own.get("reclaimWithinCohort", preset.reclaim_within_cohort),
        borrow.get("policy", "Never"),
        borrow.get("maxPriorityThreshold"),
    )


def fungibility(own: given.FlavorFungibility, kueue: Kueue) -> Fungibility:
    """Return how a queue chooses among flavors: as written, else the release's defaults."""
    return Fungibility(
        own.get("whenCanBorrow", kueue.fungibility["whenCanBorrow"][0]),
        own.get("whenCanPreempt", kueue.fungibility["whenCanPreempt"][0]),
        own.get("preference"),
    )


def _name_defects(item: given.Queue, team: str, name: str) -> Iterator[Finding]:
    if item["name"] in (DEFAULT, PLATFORM_QUEUE):
        yield error(
            "reserved-name",
            f"team {team}: a queue cannot be called {item['name']}",
            at(item, "name"),
            "rename it; every namespace gets a LocalQueue default that leads to its defaultQueue",
        )
    if len(name) > LONGEST_NAME:
        yield error(
            "name-too-long",
            f"ClusterQueue {name} has {len(name)} characters",
            at(item, "name"),
            f"shorten the team or the queue to {LONGEST_NAME - 1} together",
        )


def _namespace_defects(item: given.Queue, team: str, spaces: tuple[Namespace, ...]) -> Iterator[Finding]:
    own = [space.name for space in spaces]
    for index, name in enumerate(item.get("namespaces") or ()):
        if name not in own:
            yield error(
                "unknown-namespace",
                f"queue {item['name']} of team {team} names the namespace {name}, which the team does not have",
                at(item["namespaces"], index),
                or_else(name, own, "add it to the team's namespaces"),
                layer=Layer.REFERENCE,
            )


def _fungibility_defects(item: given.Queue, kueue: Kueue) -> Iterator[Finding]:
    own = item.get("flavorFungibility") or {}
    for key, value in own.items():
        values = kueue.fungibility.get(key, ())
        if value not in values:
            yield error(
                "unsupported-by-release",
                f"flavorFungibility.{key} {value} does not exist in Red Hat build of Kueue {kueue.version}",
                value_at(own, key),
                f"write one of {', '.join(values)}" if values else f"remove {key}",
                layer=Layer.SCHEMA,
            )


def _too_many(owner: str, flavors: tuple[FlavorQuota, ...], kueue: Kueue, item: given.Queue) -> Iterator[Finding]:
    resources = len(flavors[0].resources) if flavors else 0
    for count, key, what in ((len(flavors), "flavors", "pools"), (resources, "coveredResources", "resources")):
        if count > (most := kueue.limits[key]):
            yield error(
                "too-many-flavors",
                f"{owner} has {count} {what}, and Red Hat build of Kueue {kueue.version} allows {most}",
                at(item),
                "split the queue",
                layer=Layer.SCHEMA,
            )
