"""Kueue's fair sharing: how much more than its own a queue or cohort takes, per mille of what it could borrow from.

Kueue orders by this share only where preemptionPolicy is FairSharing; under Classical the weights do nothing.
Source: kubernetes-sigs/kueue@v0.18.5 pkg/cache/scheduler/fair_sharing.go; facts of Kueue, section 6.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from fractions import Fraction
from math import ceil

from generator.frozen import dataclass
from generator.plan.capacity import Key, Node, QuotaTree
from generator.quantity import UNIT, Amount

INFINITE = 2**63 - 1
"""How Kueue reports the share of a borrower whose weight is 0."""
NOTHING: Mapping[Key, Amount] = {}


@dataclass(frozen=True, slots=True)
class Share:
    """The dominant resource share of one node; `ratio` is what is borrowed of `resource`, per mille of the lendable."""

    weight: Amount = UNIT
    ratio: Fraction = Fraction(0)
    resource: str = ""
    borrowed: frozenset[Key] = frozenset()

    @property
    def weighted(self) -> Fraction | None:
        """The ratio over the weight; None: infinite, a borrower of weight 0."""
        if not self.ratio:
            return self.ratio
        return self.ratio * UNIT / self.weight if self.weight else None

    @property
    def rounded(self) -> int:
        """The weighted share as Kueue reports it in a status: rounded up."""
        weighted = self.weighted
        return INFINITE if weighted is None else ceil(weighted)

    def is_borrowing_on(self, keys: Collection[Key]) -> bool:
        """Tell whether the node takes more than its own of any of these."""
        return not self.borrowed.isdisjoint(keys)


def dominant_share(
    tree: QuotaTree, node: Node, usage: Mapping[str, Mapping[Key, Amount]], request: Mapping[Key, Amount] = NOTHING
) -> Share:
    """Return the share of a queue or cohort of the tree, given the usage of all queues, if `request` were admitted.

    A root has nobody to borrow from: its share is nothing.
    """
    if node.parent is None:
        return Share(node.weight)
    taken = {key: tree.usage(key, usage).get(node, 0) + request.get(key, 0) for key in node.subtree}
    borrowed = {key: amount - node.subtree[key] for key, amount in taken.items() if amount > node.subtree[key]}
    by_resource: dict[str, Amount] = {}
    for (_, resource), amount in borrowed.items():
        by_resource[resource] = by_resource.get(resource, 0) + amount
    lendable = _lendable(node.parent)
    ratios = {
        name: Fraction(1000 * amount, lendable[name]) for name, amount in by_resource.items() if lendable.get(name)
    }
    most = max(ratios.values(), default=Fraction(0))
    dominant = min((name for name, ratio in ratios.items() if ratio == most), default="")
    return Share(node.weight, most, dominant, frozenset(borrowed))


def _lendable(parent: Node) -> dict[str, Amount]:
    """Return resource → the most that the parent could get of it, over all flavors."""
    found: dict[str, Amount] = {}
    for (_, resource), amount in parent.potential.items():
        found[resource] = found.get(resource, 0) + amount
    return found
