"""What is owned of each pool: a line for each of its resources, and one for each queue that has some of it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from generator.frozen import dataclass
from generator.plan.capacity import Key, QuotaTree
from generator.plan.ledger.claims import Claims
from generator.plan.ledger.lines import Holding, PoolLine, QueueLine
from generator.plan.ledger.owners import Owner
from generator.plan.ledger.placing import per_pod, whole
from generator.plan.model import Plan
from generator.quantity import Amount


@dataclass(frozen=True, slots=True)
class _Place:
    """One resource of one pool: what a pod can have of it, and what there is."""

    is_accelerator: bool
    per_pod: Amount
    total: Amount


def queue_lines(plan: Plan, owners: Sequence[Owner], tree: QuotaTree) -> Iterator[QueueLine]:
    """Yield the lines of every queue, for what its pools have; a flavor that is no pool has none."""
    reclaiming = [owner.name for owner in owners if owner.reclaims]
    claims = Claims(tree, reclaiming, fair=plan.settings.preemption_policy == "FairSharing")
    places = {
        (pool.name, name): _Place(name in pool.offers, per_pod(pool, name), whole(name, total))
        for pool in plan.pools.values()
        for name, total in pool.total.items()
    }
    for owner in owners:
        if not owner.is_cohort:
            yield from _lines_of(owner, places, tree, claims)


def _lines_of(owner: Owner, places: Mapping[Key, _Place], tree: QuotaTree, claims: Claims) -> Iterator[QueueLine]:
    for key, quota in owner.member.quotas.items():
        place = places.get(key)
        if place is None:
            continue
        flavor, resource = key
        potential, guaranteed = tree.potential(owner.name, key), quota.nominal
        lendable = _lendable(owner, guaranteed, quota.lending_limit)
        is_lost = lendable and not owner.reclaims and claims.others_can_borrow(owner.name, key)
        borrowed = potential - guaranteed
        gang = min(whole(resource, potential), place.total)
        yield QueueLine(
            team=owner.team,
            queue=owner.queue,
            cluster_queue=owner.name,
            cohort=owner.member.parent,
            pool=flavor,
            resource=resource,
            is_accelerator=place.is_accelerator,
            guaranteed=guaranteed,
            potential=potential,
            lendable=lendable,
            reclaimable=claims.reclaimable(owner.name, key, borrowed) if borrowed > 0 else 0,
            lent_for_good=lendable if is_lost else 0,
            largest_pod=min(gang, place.per_pod),
            largest_gang=gang,
            origin=owner.origins[flavor],
        )


def _lendable(owner: Owner, guaranteed: Amount, limit: Amount | None) -> Amount:
    if owner.member.parent is None:
        return 0
    return guaranteed if limit is None else min(guaranteed, limit)


def pool_lines(plan: Plan, owners: Sequence[Owner], queues: Sequence[QueueLine]) -> Iterator[PoolLine]:
    """Yield the lines of every pool: accelerators first, then cpu, memory, ephemeral-storage."""
    holders: dict[tuple[str, str], list[Holding]] = {}
    lendable: dict[tuple[str, str], Amount] = {}
    borrowable: dict[tuple[str, str], Amount] = {}
    for owner in owners:
        for key, quota in owner.member.quotas.items():
            if quota.nominal:
                holding = Holding(owner.kind, owner.name, owner.team, quota.nominal, owner.origins[key[0]])
                holders.setdefault(key, []).append(holding)
                if owner.is_cohort:
                    lendable[key] = lendable.get(key, 0) + quota.nominal
    for line in queues:
        key = (line.pool, line.resource)
        lendable[key] = lendable.get(key, 0) + line.lendable
        borrowable[key] = max(borrowable.get(key, 0), line.borrowable)
    for pool in plan.pools.values():
        for resource in (*pool.offers, *(name for name in pool.total if name not in pool.offers)):
            key = (pool.name, resource)
            held = sorted(holders.get(key, ()), key=lambda holding: holding.origin)
            yield PoolLine(
                pool=pool.name,
                resource=resource,
                is_accelerator=resource in pool.offers,
                installed=pool.installed[resource],
                schedulable=pool.total[resource],
                per_node=pool.node[resource],
                guaranteed=sum(holding.amount for holding in held),
                lendable=lendable.get(key, 0),
                borrowable=borrowable.get(key, 0),
                holders=tuple(held),
                origin=pool.origin,
            )
