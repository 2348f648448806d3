"""Who may borrow what a queue lends, and who may take back what it borrows.

A workload is evicted from a queue beyond its quota, if each cohort between the queue and the lowest cohort that it has
in common with the preemptor is beyond its own. The preemptor stays within its quota, or within that of a cohort of its
own below the common one, or it may borrow while it preempts.
Source: kubernetes-sigs/kueue pkg/scheduler/preemption/classical/hierarchical_preemption.go
(collectCandidatesForHierarchicalReclaim), candidate_generator.go (candidateIsValid);
pkg/scheduler/flavorassigner/flavorassigner.go (fitsResourceQuota, canPreemptWhileBorrowing); facts of Kueue, section 6.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import cached_property

from generator.frozen import dataclass
from generator.plan.capacity import Key, Node, QuotaTree


@dataclass(frozen=True, slots=True)
class Reclaimer:
    """A queue whose reclaimWithinCohort is not Never.

    `while_borrowing`: its borrowWithinCohort is not Never. `fairly`: fair sharing lets it borrow while it preempts,
    where its weight, or that of its cohort, is not 0.
    """

    name: str
    while_borrowing: bool
    fairly: bool


class _Beside:
    """Names of queues by the cohort in which they meet others, for a flavor and resource, and by the way to them."""

    def __init__(self) -> None:
        self._found: dict[tuple[Node, Key], dict[Node, list[str]]] = {}

    def add(self, node: Node, above: Node, key: Key, name: str) -> None:
        """Take in a queue that stands at a node or below it, by the cohort above."""
        self._found.setdefault((above, key), {}).setdefault(node, []).append(name)

    def of(self, node: Node, above: Node, key: Key) -> Iterator[str]:
        """Yield the queues that a node meets in the cohort above it."""
        for child, names in self._found.get((above, key), {}).items():
            if child is not node:
                yield from names


class Reclaims:
    """What the reclaiming queues of a tree may take from others."""

    def __init__(self, tree: QuotaTree, reclaimers: Iterable[Reclaimer]) -> None:
        self._tree = tree
        self._reclaimers = reclaimers

    @cached_property
    def _beside(self) -> _Beside:
        """Where the reclaiming queues meet others; of no use before somebody may borrow."""
        found = _Beside()
        for reclaimer in self._reclaimers:
            if not self._tree.is_in_loop(reclaimer.name):
                self._take(found, self._tree.queues[reclaimer.name], reclaimer)
        return found

    @staticmethod
    def _take(found: _Beside, queue: Node, reclaimer: Reclaimer) -> None:
        for key in queue.quotas:
            node, lends, borrows = queue, False, reclaimer.while_borrowing or reclaimer.fairly
            while node.parent is not None:  # of each share of a fleet: no generator
                lends = lends or _may_lend(node, key)
                borrows = borrows and _may_borrow(node, key)
                if lends or (borrows and (reclaimer.while_borrowing or node.weight > 0)):
                    found.add(node, node.parent, key, queue.name)
                node = node.parent

    def from_(self, queue: str) -> Iterator[str]:
        """Yield the queues that may evict what a queue borrows, some more than once; of what it owns, nobody may."""
        if not self._tree.is_in_loop(queue):
            for key in self._tree.queues[queue].quotas:
                for node, above in _upwards(self._tree.queues[queue], key, _may_borrow):
                    yield from self._beside.of(node, above, key)


class Borrowers:
    """The queues of a tree that may borrow."""

    def __init__(self, tree: QuotaTree) -> None:
        self._tree = tree
        self._beside = _Beside()
        for name, queue in tree.queues.items():
            for key in queue.quotas if not tree.is_in_loop(name) else ():
                for node, above in _upwards(queue, key, _may_borrow):
                    self._beside.add(node, above, key, name)

    def of(self, queue: str) -> Iterator[str]:
        """Yield the queues that may borrow what a queue owns, some more than once."""
        if not self._tree.is_in_loop(queue):
            for key, quota in self._tree.queues[queue].quotas.items():
                for node, above in _upwards(self._tree.queues[queue], key, _may_lend) if quota.nominal else ():
                    yield from self._beside.of(node, above, key)


def _upwards(node: Node, key: Key, may: Callable[[Node, Key], bool]) -> Iterator[tuple[Node, Node]]:
    """Yield a node and what stands above it, each with its cohort, up to the first that may not."""
    while node.parent is not None and may(node, key):
        yield node, node.parent
        node = node.parent


def _may_lend(node: Node, key: Key) -> bool:
    """Whether anything of a node can come to the rest of the tree."""
    return node.subtree.get(key, 0) > node.local(key)


def _may_borrow(node: Node, key: Key) -> bool:
    """Whether anything of the rest of the tree can come to a node."""
    return node.potential.get(key, 0) > node.subtree.get(key, 0)
