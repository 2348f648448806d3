"""Who may borrow from whom, and so who may evict whom."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cached_property

from generator.plan.ledger import Ledger
from generator.plan.model import ClusterQueue, Cohort, FlavorQuota, Plan
from generator.plan.reclaims import Reclaimer, Reclaims

NEVER = "Never"


class Sharing:
    """The cohort trees of a plan and the queues in them."""

    def __init__(self, plan: Plan, ledger: Ledger) -> None:
        self._plan, self._ledger = plan, ledger
        self._parents = {cohort.name: cohort.parent for cohort in plan.cohorts}
        self._below: dict[str, list[ClusterQueue]] = {}
        self._borrowing: dict[tuple[str, str], frozenset[str]] = {}
        for queue in queues(plan):
            for name in self._upwards(queue.cohort):
                self._below.setdefault(name, []).append(queue)

    @cached_property
    def _reclaims(self) -> Reclaims:
        fair = self._plan.settings.preemption_policy == "FairSharing"
        reclaimers = (
            Reclaimer(queue.name, queue.preemption.borrow_within_cohort != NEVER, fair)
            for queue in queues(self._plan)
            if queue.preemption.reclaim_within_cohort != NEVER and queue.cohort
        )
        return Reclaims(self._ledger.tree, list(reclaimers))

    def below(self, cohort: Cohort) -> list[ClusterQueue]:
        """Return the queues of a cohort and of all below it."""
        return self._below.get(cohort.name, [])

    def evicts(self, queue: ClusterQueue) -> list[str]:
        """Return who may evict the workloads of a queue, in words; nobody: none.

        What a queue owns, nobody takes from it but higher priorities of its own; what it borrows, others may reclaim.
        """
        found = []
        if queue.preemption.within_cluster_queue != NEVER:
            found.append("higher priorities of the same queue")
        if next(self._reclaims.from_(queue.name), None):
            found.append("owners that reclaim what it borrows")
        return found

    def borrowers(self, queue: ClusterQueue, pool: str) -> int:
        """Return how many other queues of the same tree may borrow of a pool."""
        line = list(self._upwards(queue.cohort))
        if not line:
            return 0
        if (line[-1], pool) not in self._borrowing:
            names = (q.name for q in self._below[line[-1]] if any(f.flavor == pool and borrows(f) for f in q.flavors))
            self._borrowing[line[-1], pool] = frozenset(names)
        return len(self._borrowing[line[-1], pool] - {queue.name})

    def _upwards(self, name: str | None) -> Iterable[str]:
        """Yield a cohort and its ancestors; a loop, which is an error elsewhere, once."""
        seen: dict[str, None] = {}
        while name is not None and name not in seen:
            seen[name] = None
            name = self._parents.get(name)
        return seen


def queues(plan: Plan) -> list[ClusterQueue]:
    """Return all ClusterQueues of a plan, the platform's own last."""
    found = [queue for team in plan.teams for queue in team.queues]
    return [*found, plan.default_queue] if plan.default_queue else found


def owns(flavor: FlavorQuota) -> bool:
    """Whether anything of a pool is guaranteed."""
    for quota in flavor.resources:  # noqa: SIM110 - asked of every share of a fleet; any() takes three times as long
        if quota.nominal:
            return True
    return False


def borrows(flavor: FlavorQuota) -> bool:
    """Whether a flavor's limits let it borrow; in no cohort there is nobody to borrow from."""
    for quota in flavor.resources:  # noqa: SIM110 - as above
        if quota.borrowing_limit is None or quota.borrowing_limit > 0:
            return True
    return False


def lends(flavor: FlavorQuota) -> bool:
    """Whether a flavor has something and its limits let others use it."""
    for quota in flavor.resources:  # noqa: SIM110 - as above
        if quota.nominal and quota.lending_limit != 0:
            return True
    return False


def may_borrow(queue: ClusterQueue) -> bool:
    """Whether a queue can have more than it owns."""
    return queue.cohort is not None and any(map(borrows, queue.flavors))


def may_lend(queue: ClusterQueue) -> bool:
    """Whether others can have of what a queue owns."""
    return queue.cohort is not None and any(map(lends, queue.flavors))
