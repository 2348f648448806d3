"""Kueue's quota tree: what a ClusterQueue can get, at best and beside given usage.

Amounts are thousandths. A node is a ClusterQueue or a Cohort; a cohort that is only named has no quota of its own.
Source: kubernetes-sigs/kueue@v0.18.5 pkg/cache/scheduler/resource_node.go; facts of Kueue, section 6.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from generator.frozen import dataclass, field
from generator.quantity import UNIT, Amount

Key = tuple[str, str]
"""Flavor, resource."""


@dataclass(frozen=True, slots=True)
class Quota:
    """One resource of one flavor; a limit of None is no limit."""

    nominal: Amount
    borrowing_limit: Amount | None = None
    lending_limit: Amount | None = None


@dataclass(frozen=True, slots=True)
class Member:
    """A ClusterQueue or a Cohort: the cohort above it, or None, its own quota and its fair-share weight."""

    parent: str | None
    quotas: Mapping[Key, Quota]
    weight: Amount = UNIT


@dataclass(slots=True, eq=False)
class Node:
    """A member in its tree: `subtree` is its quota with what its children lend, `potential` the most it could get."""

    name: str
    quotas: Mapping[Key, Quota]
    weight: Amount = UNIT
    parent: Node | None = None
    children: list[Node] = field(default_factory=list)
    subtree: dict[Key, Amount] = field(default_factory=dict)
    potential: dict[Key, Amount] = field(default_factory=dict)

    def local(self, key: Key) -> Amount:
        """What of the subtree is not lent to the rest of the tree."""
        quota = self.quotas.get(key)
        if quota is None or quota.lending_limit is None:
            return 0
        return max(0, self.subtree.get(key, 0) - quota.lending_limit)

    def borrowing_limit(self, key: Key) -> Amount | None:
        quota = self.quotas.get(key)
        return quota.borrowing_limit if quota else None


class QuotaTree:
    """All ClusterQueues and Cohorts of one cluster, by name; cohorts that are only named are among them.

    `in_order` holds the roots first and each node before those below it; what hangs on a loop is not in it.
    """

    def __init__(self, queues: Mapping[str, Member], cohorts: Mapping[str, Member]) -> None:
        named = {m.parent for m in (*queues.values(), *cohorts.values()) if m.parent} - cohorts.keys()
        self.cohorts = {name: Node(name, member.quotas, member.weight) for name, member in cohorts.items()}
        self.cohorts |= {name: Node(name, {}) for name in sorted(named)}
        self.queues = {name: Node(name, member.quotas, member.weight) for name, member in queues.items()}
        self.loops = _loops({name: member.parent for name, member in cohorts.items()})
        self.in_order: list[Node] = []
        for nodes, members in ((self.cohorts, cohorts), (self.queues, queues)):
            for name, member in members.items():
                if member.parent:
                    nodes[name].parent = self.cohorts[member.parent]
                    self.cohorts[member.parent].children.append(nodes[name])
        self._walk()

    def queues_below(self, cohort: str) -> list[str]:
        """Return the ClusterQueues of a cohort and of all cohorts below it; what hangs on a loop has none."""
        found, waiting = [], [self.cohorts[cohort]] if cohort in self.cohorts else []
        seen: set[Node] = set()
        while waiting:
            node = waiting.pop()
            if node in seen:
                continue
            seen.add(node)
            if self.queues.get(node.name) is node:
                found.append(node.name)
            waiting += node.children
        return sorted(found)

    def root_of(self, queue: str) -> str | None:
        """Return the root cohort of a queue; None for a queue in no cohort, or below a loop."""
        node = self.queues[queue]
        return _line(node)[-1].name if node.parent and node in self._reached else None

    def is_in_loop(self, queue: str) -> bool:
        """Whether a queue hangs below cohorts that are their own ancestors, so that Kueue never admits anything."""
        return self.queues[queue] not in self._reached

    def potential(self, queue: str, key: Key) -> Amount:
        """Return the most that a queue could get if nobody used anything; 0 below a loop."""
        return max(0, self.queues[queue].potential.get(key, 0))

    def available(self, queue: str, key: Key, usage: Mapping[str, Mapping[Key, Amount]]) -> Amount:
        """Return what a queue could get beside the usage of all queues (name: key: amount), itself included."""
        node = self.queues[queue]
        if node not in self._reached:
            return 0
        used = self.usage(key, usage)
        line = _line(node)
        root = line.pop()
        rest = root.subtree.get(key, 0) - used.get(root, 0)
        for below in reversed(line):
            local, taken = below.local(key), used.get(below, 0)
            if (limit := below.borrowing_limit(key)) is not None:
                lent = below.subtree.get(key, 0) - local
                rest = min(lent - max(0, taken - local) + limit, rest)
            rest += max(0, local - taken)
        return max(0, rest)

    def usage(self, key: Key, usage: Mapping[str, Mapping[Key, Amount]]) -> dict[Node, Amount]:
        """Return the usage of every node: a cohort sees of its children what exceeds their local quota."""
        used = {self.queues[name]: amounts.get(key, 0) for name, amounts in usage.items()}
        for node in reversed(self.in_order):
            if node.parent is not None and (taken := used.get(node, 0)):
                above = max(0, taken - node.local(key))
                used[node.parent] = used.get(node.parent, 0) + above
        return used

    def excess(self, key: Key, usage: Mapping[str, Mapping[Key, Amount]]) -> dict[Node, Amount]:
        """Return what nodes hold beyond their quotas and limits, each once what is beyond below it is gone.

        The sum is the least that would have to end: usage may be what was admitted before quotas shrank.
        """
        used = {self.queues[name]: amounts.get(key, 0) for name, amounts in usage.items()}
        found: dict[Node, Amount] = {}
        for node in reversed(self.in_order):
            taken = used.get(node, 0)
            limit = node.borrowing_limit(key) if node.parent is not None else 0
            if limit is not None and taken > (most := node.subtree.get(key, 0) + limit):
                found[node], taken = taken - most, most
            if node.parent is not None and taken:
                used[node.parent] = used.get(node.parent, 0) + max(0, taken - node.local(key))
        return found

    def root(self, node: Node) -> Node:
        """Return the top of the tree that a node stands in, which may be itself."""
        return _line(node)[-1]

    def _walk(self) -> None:
        """Fill subtrees from the leaves up and potentials from the roots down; no recursion, for chains may be long."""
        nodes = (*self.cohorts.values(), *self.queues.values())
        self.in_order = [node for node in nodes if node.parent is None]
        for node in self.in_order:
            self.in_order += node.children
        self._reached = frozenset(self.in_order)
        for node in reversed(self.in_order):
            for key, quota in node.quotas.items():
                node.subtree[key] = node.subtree.get(key, 0) + quota.nominal
            if node.parent is not None:
                for key, amount in node.subtree.items():
                    node.parent.subtree[key] = node.parent.subtree.get(key, 0) + amount - node.local(key)
        for node in self.in_order:
            self._reach(node)

    @staticmethod
    def _reach(node: Node) -> None:
        if node.parent is None:
            node.potential = node.subtree
            return
        for key in node.subtree.keys() | (node.parent.potential.keys() if node.children else ()):
            most = node.local(key) + node.parent.potential.get(key, 0)
            limit = node.borrowing_limit(key)
            node.potential[key] = most if limit is None else min(node.subtree.get(key, 0) + limit, most)


def _line(node: Node) -> list[Node]:
    """Return a node and what stands above it, the root last."""
    line = [node]
    while (above := line[-1].parent) is not None:
        line.append(above)
    return line


def _loops(parents: Mapping[str, str | None]) -> list[tuple[str, ...]]:
    """Return each loop once, as the names along it, beginning with the first in the alphabet."""
    found: set[tuple[str, ...]] = set()
    settled: set[str] = set()
    follow: Callable[[str], str | None] = parents.get
    for start in parents:
        trail: dict[str, None] = {}
        name: str | None = start
        while name is not None and name not in settled and name not in trail:
            trail[name] = None
            name = follow(name)
        if name is not None and name in trail:
            names = list(trail)
            loop = names[names.index(name) :]
            first = loop.index(min(loop))
            found.add((*loop[first:], *loop[:first]))
        settled.update(trail)
    return sorted(found)
