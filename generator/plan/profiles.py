"""Hardware profiles of the fleet → the objects that one environment gets.

A Queue profile names a LocalQueue, and that must stand in the workload's namespace: a profile is global only where
every managed namespace has it (facts: HardwareProfile binding webhook).
"""

from __future__ import annotations

from collections.abc import Mapping

from generator.environment import fleet as given
from generator.environment.load import Inputs
from generator.finding import Finding, Layer, error
from generator.plan.model import CPU, MEMORY, ClusterQueue, Identifier, Offer, Pool, Priority, Profile, Team
from generator.plan.profile_defects import default, defects, pool_defects
from generator.plan.rounding import shown
from generator.quantity import GI, MI, UNIT, Amount, parse
from generator.releases.model import OpenShiftAI
from generator.source import at, value_at

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
        found = list(defects(item, release, classes)) + (list(pool_defects(item, pool)) if pool else [])
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
        usual = default(cards)
        given_or_default = {edge: cards.get(edge, usual) for edge in ("min", "default", "max")}
        ranges[resource] = {edge: parse(amount) for edge, amount in given_or_default.items()}
    return ranges


def _range(part: given.Range) -> Range:
    default = parse(part["default"])
    amounts: dict[str, Amount] = {"min": parse(part.get("min", part["default"])), "default": default}
    return amounts | ({"max": parse(part["max"])} if "max" in part else {})


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
    """Return a count as the dashboard can read it: Gi or Mi of memory, else whole numbers, or quantities."""
    if resource == MEMORY:
        return f"{amount // MI}Mi" if amount % GI else f"{amount // GI}Gi"
    return shown(resource, amount) if amount % UNIT else amount // UNIT
