"""Hardware profiles of the fleet → the objects that one environment gets.

A Queue profile names a LocalQueue, and that must stand in the workload's namespace: a profile is global only where
every managed namespace has it (facts: HardwareProfile binding webhook).
"""

from __future__ import annotations

import fnmatch
from collections.abc import Collection, Iterator, Mapping
from typing import Any

from generator.environment import fleet as given
from generator.environment.load import Inputs
from generator.environment.types import Quantity
from generator.finding import Finding, Layer, error
from generator.plan.model import CPU, MEMORY, ClusterQueue, Identifier, Offer, Pool, Priority, Profile, Team
from generator.plan.rounding import shown
from generator.quantity import UNIT, Amount, parse
from generator.releases.model import OpenShiftAI
from generator.source import at, value_at
from generator.spelling import or_else

Range = Mapping[str, Amount]


def resolve(
    inputs: Inputs,
    pools: Mapping[str, Pool],
    teams: tuple[Team, ...],
    priorities: tuple[Priority, ...],
    release: OpenShiftAI,
) -> tuple[tuple[Profile, ...], list[Finding]]:
    """Return the profile objects, and what is wrong; a profile that this environment cannot have yields none."""
    findings: list[Finding] = []
    profiles: list[Profile] = []
    classes = {p.name for p in priorities}
    spaces = {space.name: team for team in teams for space in team.namespaces}
    for item in inputs.fleet.get("profiles") or ():
        pool = pools.get(item["pool"])
        found = list(_defects(item, release, classes)) + (list(_pool_defects(item, pool)) if pool else [])
        findings += found
        if found or pool is None:
            continue
        there = _usable(item, teams)
        if there:
            made, found = _objects(item, pool, there, spaces, classes, release)
            profiles += made
            findings += found
    return tuple(sorted(profiles, key=lambda p: (p.namespace, p.offer.name))), findings


def is_usable(item: given.Profile, pools: Mapping[str, Pool], teams: tuple[Team, ...]) -> bool:
    """Whether some namespace has the profile's queue, with its pool."""
    return item["pool"] in pools and bool(_usable(item, teams))


def _usable(item: given.Profile, teams: tuple[Team, ...]) -> dict[str, ClusterQueue]:
    """Return the namespaces in which the profile can be used, with the queue that it leads to."""
    found: dict[str, ClusterQueue] = {}
    for team in teams:
        queues = {q.name: q for q in team.queues}
        for local in team.local_queues:
            queue = queues[local.cluster_queue]
            if local.name == item["queue"] and any(f.flavor == item["pool"] for f in queue.flavors):
                found[local.namespace] = queue
    return found


def _objects(
    item: given.Profile,
    pool: Pool,
    there: Mapping[str, ClusterQueue],
    spaces: Mapping[str, Team],
    classes: set[str],
    release: OpenShiftAI,
) -> tuple[list[Profile], list[Finding]]:
    scope = item.get("scope", "auto")
    lacking = sorted(spaces.keys() - there.keys())
    if scope == "global" and lacking:
        listed = ", ".join(lacking[:5]) + (", …" if len(lacking) > 5 else "")
        return [], [
            error(
                "profile-queue-missing",
                f"profile {item['name']} is global, and {len(lacking)} of {len(spaces)} managed namespaces "
                f"lack its queue {item['queue']} with pool {item['pool']}: {listed}",
                value_at(item, "scope"),
                "write scope: auto, or give every namespace the queue",
                layer=Layer.REFERENCE,
            )
        ]
    everywhere = not lacking and scope != "project"
    targets: list[tuple[str, str | None]] = (
        [(release.applications_namespace, None)] if everywhere else [(n, spaces[n].name) for n in sorted(there)]
    )
    uses = {q.use for q in there.values()}
    priority = item.get("priorityClass") or (next(iter(uses)) if len(uses) == 1 else None)
    offer = _offer(item, pool, priority if priority in classes else None)
    return [Profile(namespace, team, offer) for namespace, team in targets], []


def _offer(item: given.Profile, pool: Pool, priority: str | None) -> Offer:
    ranges = _ranges(item, pool)
    identifiers = tuple(_identifier(name, part, pool) for name, part in ranges.items())
    return Offer(
        name=item["name"],
        display_name=item.get("displayName", item["name"]),
        description=item.get("description"),
        visible_to=tuple(item.get("visibleTo") or ()),
        identifiers=identifiers,
        local_queue=item["queue"],
        priority_class=priority,
        disabled=bool(item.get("disabled", False)),
        pool=pool.name,
        requests={name: part["default"] for name, part in ranges.items()},
        limits={name: part.get("max", part["default"]) for name, part in ranges.items()},
        origin=at(item),
    )


def _ranges(item: given.Profile, pool: Pool) -> dict[str, Range]:
    ranges: dict[str, Range] = {CPU: _range(item["cpu"]), MEMORY: _range(item["memory"])}
    cards = item.get("accelerators")
    if cards is not None:
        resource = _resource(cards, pool)
        default = _default(cards)
        given_or_default = {edge: cards.get(edge, default) for edge in ("min", "default", "max")}
        ranges[resource] = {edge: parse(amount) for edge, amount in given_or_default.items()}
    return ranges


def _range(part: given.Range) -> Range:
    default = parse(part["default"])
    amounts: dict[str, Amount] = {"min": parse(part.get("min", part["default"])), "default": default}
    return amounts | ({"max": parse(part["max"])} if "max" in part else {})


def _default(part: Mapping[str, Any]) -> Quantity:
    """Return the default of a range; of accelerators it may be left out: one, or the least."""
    least: Quantity = part.get("min", 1)
    return part["default"] if "default" in part else max(least, 1, key=parse)


def _resource(cards: given.AcceleratorRange, pool: Pool) -> str:
    if pool.sharing.mig == "mixed":
        return dict(zip(pool.sharing.layout, pool.offers, strict=True))[cards["slice"]]
    return next(iter(pool.offers))


def _identifier(name: str, part: Range, pool: Pool) -> Identifier:
    if name in (CPU, MEMORY):
        label, kind = ("CPU", "CPU") if name == CPU else ("Memory", "Memory")
    else:
        assert pool.accelerator is not None
        suffix = name.rpartition("/")[2]
        plain = suffix in ("gpu", "gaudi")
        label, kind = pool.accelerator.title if plain else f"{pool.accelerator.title} ({suffix})", "Accelerator"
    maximum = part.get("max")
    return Identifier(
        label,
        name,
        kind,
        count(name, part["min"]),
        count(name, part["default"]),
        None if maximum is None else count(name, maximum),
    )


def count(resource: str, amount: Amount) -> int | str:
    """Return a count as the dashboard writes it: whole numbers as such, other amounts as quantities."""
    return amount // UNIT if resource != MEMORY and amount % UNIT == 0 else shown(resource, amount)


def _defects(item: given.Profile, release: OpenShiftAI, classes: Collection[str]) -> Iterator[Finding]:
    name, priority = item["name"], item.get("priorityClass")
    if any(fnmatch.fnmatchcase(name, pattern) for pattern in release.reserved_profiles):
        yield error(
            "reserved-name",
            f"OpenShift AI makes hardware profiles called {name} itself",
            at(item, "name"),
            f"choose a name other than {', '.join(release.reserved_profiles)}",
        )
    if priority is not None and priority not in classes:
        yield error(
            "unknown-priority",
            f"profile {name} names the priority class {priority}, which the fleet does not have",
            value_at(item, "priorityClass"),
            or_else(priority, sorted(classes), "add it under priorities in the Fleet"),
            layer=Layer.REFERENCE,
        )
    for key in ("cpu", "memory", "accelerators"):
        part = item.get(key)
        if isinstance(part, Mapping):
            yield from _order(name, key, part)


def _order(name: str, key: str, part: Mapping[str, str]) -> Iterator[Finding]:
    """Yield where not min <= default <= max: the dashboard hides such a profile without a word."""
    least = {"min": part.get("min", 0), "default": _default(part)}
    for low, high in (("min", "default"), ("default", "max")):
        if high in part:
            below, above = least[low], part[high]
            if parse(below) > parse(above):
                yield error(
                    "invalid-range",
                    f"profile {name}: {key}.{low} {below} is above {high} {above}; the dashboard hides such a profile",
                    value_at(part, high),
                    f"make {low} at most {high}",
                    layer=Layer.READINESS,
                )


def _pool_defects(item: given.Profile, pool: Pool) -> Iterator[Finding]:
    cards = item.get("accelerators")
    if cards is None:
        return
    name, place = item["name"], at(item, "accelerators")
    if not pool.offers:
        yield error(
            "accelerators-of-cpu-pool",
            f"profile {name} asks for accelerators of pool {pool.name}, which has none",
            place,
            "remove accelerators, or name another pool",
        )
        return
    listed = ", ".join(pool.sharing.layout)
    if pool.sharing.mig == "mixed" and "slice" not in cards:
        yield error(
            "accelerators-of-mig-pool",
            f"profile {name} asks for accelerators of pool {pool.name}, which is cut into mixed MIG slices",
            place,
            f"add slice: one of {listed}",
        )
    elif pool.sharing.mig == "mixed" and cards["slice"] not in pool.sharing.layout:
        yield error(
            "unknown-slice",
            f"profile {name} asks for slices {cards['slice']} of pool {pool.name}, which has none",
            value_at(cards, "slice"),
            f"the pool has {listed}",
        )
    elif pool.sharing.mig != "mixed" and "slice" in cards:
        yield error(
            "slices-of-whole-pool",
            f"profile {name} asks for slices of pool {pool.name}, which is not cut into mixed MIG slices",
            at(cards, "slice"),
            "remove slice",
        )
