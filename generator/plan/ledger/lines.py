"""The lines of the ledger. Amounts are thousandths (generator.quantity); a property is as good as a field.

`queue` is a queue's own name, `cluster_queue` the name of its ClusterQueue; team None is nobody's: the platform's own
queue, or a ClusterQueue of `extra/`.
"""

from __future__ import annotations

from generator.finding import Location
from generator.frozen import dataclass
from generator.plan.model import Amounts
from generator.quantity import Amount


@dataclass(frozen=True, slots=True)
class Holding:
    """What one owner is guaranteed of one resource of one pool; `kind` is queue, cohort, platform or extra."""

    kind: str
    name: str
    team: str | None
    amount: Amount
    origin: Location


@dataclass(frozen=True, slots=True)
class PoolLine:
    """One resource of one pool, in the order of the inventory.

    `lendable` is what of the guaranteed its owners lend while they do not use it, with what cohorts own; `borrowable`
    the most that one queue can have of others'. `holders` are in the order in which they are written.
    """

    pool: str
    resource: str
    is_accelerator: bool
    installed: Amount
    schedulable: Amount
    per_node: Amount  # that can be scheduled
    guaranteed: Amount
    lendable: Amount
    borrowable: Amount
    holders: tuple[Holding, ...]
    origin: Location

    @property
    def reserved(self) -> Amount:
        """Kept for failures and daemons."""
        return self.installed - self.schedulable

    @property
    def stranded(self) -> Amount:
        """Guaranteed to nobody."""
        return max(0, self.schedulable - self.guaranteed)

    @property
    def over_committed(self) -> Amount:
        """Guaranteed beyond what can be scheduled."""
        return max(0, self.guaranteed - self.schedulable)

    @property
    def passed_by(self) -> Holding | None:
        """The holder that brings the pool past what it can schedule, in the order in which they are written."""
        total = 0
        for holding in self.holders:
            total += holding.amount
            if total > self.schedulable:
                return holding
        return None


@dataclass(frozen=True, slots=True)
class DayLine:
    """What is guaranteed of a pool's resource from a day on, on which an override begins or after which one ended.

    `usual` is what is guaranteed without overrides. `overrides` are the queues whose overrides hold on that day, all of
    them, whatever day the plan was made for. `origin` is the override that begins or ended last.
    """

    day: str
    pool: str
    resource: str
    is_accelerator: bool
    schedulable: Amount
    usual: Amount
    guaranteed: Amount
    overrides: tuple[str, ...]
    origin: Location

    @property
    def over_committed(self) -> Amount:
        """Guaranteed beyond what can be scheduled."""
        return max(0, self.guaranteed - self.schedulable)


@dataclass(frozen=True, slots=True)
class QueueLine:
    """One resource of one pool for one queue.

    `potential` is the most it could ever get (Kueue: potentially available); `lendable` what others may use of its
    guaranteed while it does not; `reclaimable` what others can take back of what it borrowed; `lent_for_good` what it
    lends, others can borrow, and it never takes back. `largest_pod` fits on one node, `largest_gang` on all of them.
    """

    team: str | None
    queue: str
    cluster_queue: str
    cohort: str | None
    pool: str
    resource: str
    is_accelerator: bool
    guaranteed: Amount
    potential: Amount
    lendable: Amount
    reclaimable: Amount
    lent_for_good: Amount
    largest_pod: Amount
    largest_gang: Amount
    origin: Location

    @property
    def borrowable(self) -> Amount:
        """The most it can have of others'."""
        return max(0, self.potential - self.guaranteed)


@dataclass(frozen=True, slots=True)
class Fit:
    """One request in one queue, with the pool of the queue that suits it best.

    `refused` is the resource that stands against it: all pods ask `asked` of it and could have `limit`. `largest` is
    the most of the main resource that such a request could have, all pods together. `instances` is how many requests
    the guaranteed amounts hold at once, `most_instances` the potential ones. `runs_out` is the resource that ends
    before the guaranteed accelerators do, `unused` the accelerators that are then idle, `needed` how much of that
    resource would use them all. `rest` is what a node that is full of such pods leaves of its accelerators.
    """

    team: str
    queue: str
    cluster_queue: str
    pool: str
    fits_quota: bool
    fits_node: bool
    refused: str | None
    asked: Amount
    limit: Amount
    largest: Amount
    guaranteed: Amount  # of the main resource
    instances: int
    most_instances: int
    runs_out: str | None
    unused: Amount
    needed: Amount
    per_node: Amount  # of the main resource
    pods_per_node: int
    rest: Amount
    origin: Location

    @property
    def fits(self) -> bool:
        """Whether it can be admitted and placed."""
        return self.fits_quota and self.fits_node


@dataclass(frozen=True, slots=True)
class Demand:
    """A profile's default or maximum, or a runtime's job, and every queue that it may be sent to.

    `part` is default, maximum or job; `requests` are those of one of `pods`; `main` is the accelerator, else cpu.
    """

    kind: str
    name: str
    part: str
    pods: int
    requests: Amounts
    main: str
    pool: str | None
    fits: tuple[Fit, ...]
    origin: Location

    @property
    def total(self) -> Amount:
        """What all pods ask of the main resource."""
        return self.pods * self.requests[self.main]

    @property
    def largest(self) -> Amount:
        """The most of the main resource that one such request could have in any of the queues."""
        return max((fit.largest for fit in self.fits), default=0)
