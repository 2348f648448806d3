"""What is owned of each pool: a line for each of its resources, and one for each queue that has some of it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from generator.plan.capacity import QuotaTree
from generator.plan.ledger.claims import Claims
from generator.plan.ledger.lines import Holding, PoolLine, QueueLine
from generator.plan.ledger.owners import Owner
from generator.plan.ledger.placing import per_pod, whole
from generator.plan.model import Plan, Pool
from generator.quantity import Amount


def queue_lines(plan: Plan, owners: Sequence[Owner], tree: QuotaTree) -> Iterator[QueueLine]:
    """Yield the lines of every queue, for what its pools have; a flavor that is no pool has none."""
    reclaiming = [owner.name for owner in owners if owner.reclaims]
    claims = Claims(tree, reclaiming, fair=plan.settings.preemption_policy == "FairSharing")
    for owner in owners:
        if not owner.is_cohort:
            yield from _lines_of(owner, plan.pools, tree, claims)


def _lines_of(owner: Owner, pools: Mapping[str, Pool], tree: QuotaTree, claims: Claims) -> Iterator[QueueLine]:
    for key, quota in owner.member.quotas.items():
        flavor, resource = key
        pool = pools.get(flavor)
        if pool is None or resource not in pool.total:
            continue
        potential, guaranteed = tree.potential(owner.name, key), quota.nominal
        lendable = _lendable(owner, guaranteed, quota.lending_limit)
        is_lost = lendable and not owner.reclaims and claims.others_can_borrow(owner.name, key)
        yield QueueLine(
            team=owner.team,
            queue=owner.queue,
            cluster_queue=owner.name,
            cohort=owner.member.parent,
            pool=flavor,
            resource=resource,
            is_accelerator=resource in pool.offers,
            guaranteed=guaranteed,
            potential=potential,
            lendable=lendable,
            reclaimable=claims.reclaimable(owner.name, key, max(0, potential - guaranteed)),
            lent_for_good=lendable if is_lost else 0,
            largest_pod=whole(resource, min(potential, per_pod(pool, resource) if pool.nodes else 0)),
            largest_gang=whole(resource, min(potential, pool.total[resource])),
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
