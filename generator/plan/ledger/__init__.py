"""The capacity ledger of one environment: is anything promised twice, and can each team get what it was promised?"""

from __future__ import annotations

from collections.abc import Iterable
from functools import cached_property

from generator.manifest import Manifest
from generator.plan.capacity import QuotaTree
from generator.plan.ledger import accounts, days, fits, owners
from generator.plan.ledger.lines import DayLine, Demand, PoolLine, QueueLine
from generator.plan.model import Plan
from generator.quantity import Amount


class Ledger:
    """The ledger of a plan without errors; each part is computed when it is first asked for.

    `extra` are the environment's own manifests: its ClusterQueues and Cohorts count like generated ones, their flavors
    by the name of a pool.
    """

    def __init__(self, plan: Plan, extra: Iterable[Manifest] = ()) -> None:
        self.plan = plan
        self._owners = owners.owners(plan, extra)

    @cached_property
    def tree(self) -> QuotaTree:
        """Kueue's quota tree of the whole cluster."""
        return owners.tree(self._owners)

    @cached_property
    def queues(self) -> tuple[QueueLine, ...]:
        """A line for each resource, pool and queue: teams' by team, then the platform's own, then those of `extra/`."""
        return tuple(accounts.queue_lines(self.plan, self._owners, self.tree))

    @cached_property
    def pools(self) -> tuple[PoolLine, ...]:
        """A line for each resource of each pool."""
        return tuple(accounts.pool_lines(self.plan, self._owners, self.queues))

    @cached_property
    def days(self) -> tuple[DayLine, ...]:
        """What is otherwise than usual on days on which dated overrides begin or end, in order."""
        sums: dict[str, dict[str, Amount]] = {}
        for line in self.pools:
            sums.setdefault(line.pool, {})[line.resource] = line.guaranteed
        return tuple(days.days(self.plan, sums))

    @cached_property
    def demands(self) -> tuple[Demand, ...]:
        """The requests of profiles and runtimes, judged in every queue that they may be sent to."""
        return tuple(fits.demands(self.plan, self.tree))
