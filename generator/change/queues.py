"""Queues that are removed, led elsewhere, or guaranteed less, and limits that are lifted.

Source: Kueue's finalizer kueue.x-k8s.io/resource-in-use and documentation, troubleshooting_delete_clusterqueue;
kubernetes-sigs/kueue#5176 (a smaller quota evicts nothing); CRD localqueues, spec.clusterQueue.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping

from generator.change.amounts import quotas
from generator.change.model import TEAM, AmountChange, Identity, Step
from generator.finding import Finding, Location, Severity
from generator.plan.capacity import Key, Quota
from generator.plan.model import Cohort
from generator.plan.rounding import shown
from generator.validate.cluster import labels_of
from generator.validate.kinds import CLUSTER_QUEUE, LOCAL_QUEUE
from generator.validate.queues import Queue
from generator.validate.shape import text

DRAINING = "HoldAndDrain"
DRAIN_FIRST = (
    f"put it back with stopPolicy: {DRAINING}, have that synced until nothing is admitted, then remove it, in a "
    "revision of its own"
)


_EMPTY_FIRST = "first leave it without quota (kueue.defaultQueue: {}), and remove it when nothing runs there any more"


def stop_policy(queue: Queue) -> str:
    """Return the policy, the server's default where there is none."""
    return text(queue.manifest.body, "spec", "stopPolicy") or "None"


def may_hold(queue: Queue) -> bool:
    """Whether workloads may be admitted in a queue: it was not drained, and could admit some."""
    return stop_policy(queue) != DRAINING and (queue.owns or queue.may_borrow)


def removed(step: Step, gone: Collection[str]) -> Iterator[Finding]:
    """Yield ClusterQueues that go before they were drained; those of teams that are `gone` are told with the team."""
    for key, manifest in step.removed.items():
        if key.kind != CLUSTER_QUEUE or labels_of(manifest).get(TEAM) in gone:
            continue
        queue = step.old.queues.by_name[key.name]
        if may_hold(queue):
            held = stop_policy(queue) == "Hold"
            why = "it was held, which ends nothing that runs" if held else f"{step.revision} did not stop it"
            yield step.of_removed(
                key,
                "queue-removed-undrained",
                Severity.WARNING if held else Severity.ERROR,
                f"ClusterQueue {key.name} is removed, and {why}: its finalizer keeps it until nothing is admitted, "
                "and the sync that prunes it waits as long",
                _EMPTY_FIRST if _is_the_platforms(step, key.name) else DRAIN_FIRST,
            )


def _is_the_platforms(step: Step, name: str) -> bool:
    queue = step.old.plan.default_queue
    return queue is not None and queue.name == name


def led_elsewhere(step: Step) -> Iterator[Finding]:
    """Yield LocalQueues that would lead to another ClusterQueue; one whose Application changes is told with it."""
    for key, before, after in re_pointed(step):
        if step.old.homes[key] == step.new.homes[key]:
            yield step.of_new(
                key,
                "local-queue-re-pointed",
                Severity.ERROR,
                f"LocalQueue {key.name} of {key.namespace} leads to {before} and would lead to {after}: "
                "spec.clusterQueue is immutable, so the sync fails",
                _way_out(key, before),
                "spec.clusterQueue",
            )


def re_pointed(step: Step) -> Iterator[tuple[Identity, str, str]]:
    """Yield each LocalQueue that leads elsewhere, with the ClusterQueues before and after."""
    for key, before, after in step.both(LOCAL_QUEUE):
        old, new = (text(manifest.body, "spec", "clusterQueue") for manifest in (before, after))
        if old and old != new:
            yield key, old, new


def _way_out(key: Identity, before: str) -> str:
    keep = f"let it lead to {before} as before"
    if key.name == "default":
        keep = f"keep the defaultQueue of {key.namespace}, and let workloads name the other queue"
    return (
        f"{keep}; or, once nothing waits in it, delete LocalQueue {key.name} of {key.namespace} by hand when this is "
        "synced, so that it is made anew"
    )


def shrunk(step: Step) -> Iterator[Finding]:
    """Yield queues that are guaranteed less of what they are for: accelerators, or all of a pool without."""
    less: dict[str, list[AmountChange]] = {}
    for change in quotas(step.old, step.new):
        if change.new < change.old and (change.is_accelerator or not _has_accelerators(step, change.pool)):
            less.setdefault(change.cluster_queue or "", []).append(change)
    overhang: dict[Key, int] = {}
    for change in (change for of_queue in less.values() for change in of_queue):
        place = (change.pool, change.resource)
        overhang[place] = overhang.get(place, 0) + change.old - change.new
    spare = {(line.pool, line.resource): line.stranded for line in step.new.ledger.pools}
    twice = {place for place, amount in overhang.items() if amount > spare.get(place, 0)}
    for name, changes in less.items():
        key = Identity(CLUSTER_QUEUE, "", name)
        after = step.new.queues.by_name.get(name)
        if after is not None and stop_policy(after) != DRAINING and may_hold(step.old.queues.by_name[name]):
            yield _shrunk(step, key, changes, any((c.pool, c.resource) in twice for c in changes))


def _has_accelerators(step: Step, pool: str) -> bool:
    found = step.new.plan.pools.get(pool) or step.old.plan.pools.get(pool)
    return found is not None and bool(found.offers)


def _shrunk(step: Step, key: Identity, changes: list[AmountChange], is_twice: bool) -> Finding:
    changes.sort(key=lambda change: not change.is_accelerator)
    listed = ", ".join(
        f"{shown(c.resource, c.new)} {c.resource} of pool {c.pool} in place of {shown(c.resource, c.old)}"
        for c in changes
    )
    more = " and ".join(f"{shown(c.resource, c.old - c.new)} {c.resource}" for c in changes)
    then = "and others are guaranteed the same" if is_twice else "which the pool can spare"
    flavors = {f.name: f.path for f in step.new.queues.by_name[key.name].flavors}
    return step.of_new(
        key,
        "quota-shrunk",
        Severity.WARNING if is_twice else Severity.INFO,
        f"ClusterQueue {key.name} is guaranteed {listed}: Kueue evicts nothing, so up to {more} more stay in use until "
        f"their jobs end, {then}",
        f"see what runs there, and let it end before others use it; stopPolicy: {DRAINING} for a while evicts it"
        if is_twice
        else "nothing, if what runs there may go on",
        next((flavors[c.pool] for c in changes if c.pool in flavors), ""),
    )


def unlimited(step: Step) -> Iterator[Finding]:
    """Yield queues and cohorts of which a limit is lifted while they share with others."""
    for name, after in step.new.queues.by_name.items():
        before = step.old.queues.by_name.get(name)
        if before is not None and before.cohort and after.cohort:
            for rule, message, fix in _lifted(f"ClusterQueue {name}", before.quotas, after.quotas):
                yield step.of_new(Identity(CLUSTER_QUEUE, "", name), rule, Severity.WARNING, message, fix)
    old = {cohort.name: cohort for cohort in step.old.plan.cohorts}
    for cohort in step.new.plan.cohorts:
        before_ = old.get(cohort.name)
        if before_ is not None and before_.parent and cohort.parent:
            for rule, message, fix in _lifted(f"cohort {cohort.name}", _quotas(before_), _quotas(cohort)):
                place: Location = cohort.origin
                yield step.of_plan(("Cohort", cohort.name), rule, Severity.WARNING, message, fix, place)


def _quotas(cohort: Cohort) -> dict[Key, Quota]:
    return {
        (flavor.flavor, r.resource): Quota(r.nominal, r.borrowing_limit, r.lending_limit)
        for flavor in cohort.flavors
        for r in flavor.resources
    }


def _lifted(name: str, old: Mapping[Key, Quota], new: Mapping[Key, Quota]) -> Iterator[tuple[str, str, str]]:
    common = [key for key in new if key in old]
    for rule, limit, then, fix in (
        (
            "borrowing-limit-lifted",
            "borrowing_limit",
            "it can take all that its cohort lends",
            "write borrow: with the most it may take",
        ),
        (
            "lending-limit-lifted",
            "lending_limit",
            "others can use all that is guaranteed to it",
            "write lend: with the most it may miss",
        ),
    ):
        free = [k for k in common if getattr(old[k], limit) is not None and getattr(new[k], limit) is None]
        if free:
            pools = ", ".join(dict.fromkeys(pool for pool, _ in free))
            yield rule, f"{name} has no {limit.replace('_', ' ')} any more on {pools}: {then}", fix
