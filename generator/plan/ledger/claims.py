"""Who can take back what: reclaiming within a cohort tree.

Source: kubernetes-sigs/kueue pkg/scheduler/preemption (reclaimWithinCohort, hierarchical advantage): a queue that
reclaims may evict borrowers outside of a subtree as far as its own request stays within that subtree's quota.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping

from generator.plan.capacity import Key, Node, QuotaTree
from generator.quantity import Amount

_NONE: Mapping[Key, Amount] = {}


class Claims:
    """For each queue, what the others of its tree can evict it from, and whether anybody can borrow what it lends."""

    def __init__(self, tree: QuotaTree, reclaiming: Collection[str], *, fair: bool) -> None:
        """`reclaiming` names the queues whose reclaimWithinCohort is not Never.

        `fair`: under fair sharing whoever reclaims may evict a borrower for the sake of balance, beyond its own quota.
        """
        self._tree, self._fair = tree, fair
        self._roots: dict[Node, Node] = {}
        for node in tree.in_order:
            self._roots[node] = self._roots[node.parent] if node.parent is not None else node
        self._claims = self._claims_of(reclaiming)
        self._against = self._claims_against()
        self._borrowers = self._count_borrowers()

    def reclaimable(self, queue: str, key: Key, borrowed: Amount) -> Amount:
        """Return how much of what a queue has borrowed others can take back."""
        claimed = self._against.get(self._tree.queues[queue], {}).get(key, 0)
        return borrowed if claimed and self._fair else min(borrowed, claimed)

    def others_can_borrow(self, queue: str, key: Key) -> bool:
        """Tell whether another queue of the tree can get more of it than it owns."""
        node = self._tree.queues[queue]
        return self._borrowers.get((self._roots.get(node, node), key), 0) > _borrows(node, key)

    def _claims_of(self, reclaiming: Collection[str]) -> dict[Node, dict[Key, Amount]]:
        """Return what each subtree can claim of the rest of the tree, through a queue of it that reclaims."""
        claims = {node: self._lent(node, node.quotas) for node in map(self._tree.queues.__getitem__, reclaiming)}
        for node in reversed(self._tree.in_order):
            if node.parent is not None and node in claims:
                claims.setdefault(node.parent, {}).update(self._lent(node.parent, claims[node]))
        return claims

    def _lent(self, node: Node, keys: Iterable[Key]) -> dict[Key, Amount]:
        """Return what a subtree owns of what the tree shares; under fair sharing it is enough that it claims."""
        return {key: 1 if self._fair else node.subtree.get(key, 0) - node.local(key) for key in keys}

    def _claims_against(self) -> dict[Node, Mapping[Key, Amount]]:
        """From the roots down: against a node are its parent's opponents and its siblings."""
        siblings: dict[Node, dict[Key, Amount]] = {}
        for node, claims in self._claims.items():
            if node.parent is not None:
                total = siblings.setdefault(node.parent, {})
                for key, amount in claims.items():
                    total[key] = total.get(key, 0) + amount
        against: dict[Node, Mapping[Key, Amount]] = {}
        for node in self._tree.in_order:
            if node.parent is not None:
                own, above, beside = (
                    of.get(place, _NONE)
                    for of, place in ((self._claims, node), (against, node.parent), (siblings, node.parent))
                )
                keys: Iterable[Key] = above.keys() | beside.keys() if node.children else node.quotas
                against[node] = {key: above.get(key, 0) + beside.get(key, 0) - own.get(key, 0) for key in keys}
        return against

    def _count_borrowers(self) -> dict[tuple[Node, Key], int]:
        """Return how many queues of each tree, by its root, can borrow."""
        count: dict[tuple[Node, Key], int] = {}
        for node in self._tree.queues.values():
            for key in node.quotas if node in self._roots else ():
                if _borrows(node, key):
                    place = (self._roots[node], key)
                    count[place] = count.get(place, 0) + 1
        return count


def _borrows(node: Node, key: Key) -> bool:
    quota = node.quotas.get(key)
    return quota is not None and node.potential.get(key, 0) > quota.nominal
