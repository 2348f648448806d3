"""Quotas as they would be: against what the nodes can give, and against what is admitted now."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from generator.finding import Finding, Layer, Severity
from generator.frozen import dataclass
from generator.manifest import Manifest
from generator.plan.capacity import Key, Node, Quota
from generator.preflight.expected import Expected
from generator.preflight.live import Live, finding, ours, pruned
from generator.preflight.nodes import PoolNodes, by_pool
from generator.quantity import Amount
from generator.validate.cluster import Cluster, name_of
from generator.validate.kinds import CLUSTER_QUEUE, COHORT, NODE, RESOURCE_FLAVOR, Kind
from generator.validate.queues import Queues, amount, cohort_quotas
from generator.validate.shape import mapping, mappings, text
from generator.validate.wording import shown, some

Usage = Mapping[str, Mapping[Key, Amount]]
_KINDS = (CLUSTER_QUEUE, COHORT)


@dataclass(frozen=True, slots=True)
class Guaranteed:
    """What a ClusterQueue or Cohort owns: of pools, and of flavors without labels, which lie on any node."""

    manifest: Manifest
    kind: Kind
    owned: Mapping[Key, Amount]
    anywhere: Mapping[Key, Amount]


class After:
    """The queues as a sync would leave them: the live ones less what it removes, with the tree's over them."""

    def __init__(self, expected: Expected, live: Live) -> None:
        objects: dict[tuple[str, str], Manifest] = {}
        for kind in _KINDS:
            gone = {name_of(m) for m in pruned(expected, live, kind)}
            objects |= {(kind[1], name_of(m)): m for m in live.of(kind) if name_of(m) not in gone}
        objects |= {(kind[1], name): m for (kind, _, name), m in expected.objects.items() if kind in _KINDS}
        self.queues = Queues(Cluster(list(objects.values())))
        self.before = Queues(Cluster([m for kind in _KINDS for m in live.of(kind)]))
        self._expected, self._live = expected, live

    def is_foreign(self, found: Manifest, kind: Kind) -> bool:
        """Whether an object is neither of the tree nor of the environment."""
        return (kind, "", name_of(found)) not in self._expected.objects and not ours(found, self._expected)

    def guaranteed(self) -> Iterator[Guaranteed]:
        """Yield what every queue and every cohort owns."""
        flavors = {name_of(m): m for m in self._live.of(RESOURCE_FLAVOR)}
        for queue in self.queues.by_name.values():
            yield self._of(queue.manifest, CLUSTER_QUEUE, queue.quotas, flavors)
        for manifest in self.queues.cohorts.values():
            yield self._of(manifest, COHORT, cohort_quotas(manifest), flavors)

    def _of(
        self, found: Manifest, kind: Kind, quotas: Mapping[Key, Quota], flavors: Mapping[str, Manifest]
    ) -> Guaranteed:
        owned: dict[Key, Amount] = {}
        anywhere: dict[Key, Amount] = {}
        for (flavor, resource), quota in quotas.items():
            if quota.nominal and (pool := self._pool(flavor, flavors)):
                owned[pool, resource] = owned.get((pool, resource), 0) + quota.nominal
            elif quota.nominal and flavor in flavors and not mapping(flavors[flavor].body, "spec", "nodeLabels"):
                anywhere[flavor, resource] = quota.nominal
        return Guaranteed(found, kind, owned, anywhere)

    def _pool(self, flavor: str, flavors: Mapping[str, Manifest]) -> str | None:
        """Return the pool on whose nodes a flavor lies: by its name, or by the labels of its nodes."""
        for pool in self._expected.pools:
            if pool.name == flavor:
                return flavor
        if flavor not in flavors:
            return None
        labels = mapping(flavors[flavor].body, "spec", "nodeLabels").items()
        found = (
            p.name
            for p in self._expected.pools
            if labels and (labels <= p.labels.items() or labels >= p.labels.items())
        )
        return next(found, None)


def promises(expected: Expected, live: Live, after: After) -> Iterator[Finding]:
    """Yield resources of pools of which more is guaranteed than the usable nodes can give."""
    if any(kind in live.unread for kind in (NODE, *_KINDS)):
        return
    total: dict[Key, Amount] = {}
    foreign: dict[Key, dict[str, Amount]] = {}
    for found in after.guaranteed():
        is_foreign = after.is_foreign(found.manifest, found.kind)
        for key, nominal in found.owned.items():
            total[key] = total.get(key, 0) + nominal
            if is_foreign:
                foreign.setdefault(key, {})[name_of(found.manifest)] = nominal
    for nodes in by_pool(expected, live):
        yield from _too_much(expected, nodes, total, foreign)


def _too_much(
    expected: Expected, nodes: PoolNodes, total: Mapping[Key, Amount], foreign: Mapping[Key, Mapping[str, Amount]]
) -> Iterator[Finding]:
    """Yield one finding for a pool, which names every resource of which too much is guaranteed."""
    pool = nodes.pool
    less: list[str] = []
    others: set[str] = set()
    for resource in (*pool.accelerators, *(key for key in pool.schedulable if key not in pool.accelerators)):
        promised, capacity = total.get((pool.name, resource), 0), nodes.capacity(resource)
        ratio = pool.overcommit if resource in pool.accelerators else 1
        if promised > capacity * ratio:
            less.append(f"{shown(resource, promised)} {resource} and there are {shown(resource, capacity)}")
            others |= foreign.get((pool.name, resource), {}).keys()
    of_others = f"; with queues that are not of this tree: {some(sorted(others))}" if others else ""
    fix = "bring the nodes back, correct nodeLabels in the inventory, or lower shares until they return"
    if less:
        yield finding(
            "guaranteed-beyond-nodes",
            Severity.ERROR,
            f"pool {pool.name}: {nodes.counted}, and more is guaranteed than they give: {', '.join(less)}{of_others}",
            f"{fix}; or have the other queues removed" if others else fix,
            layer=Layer.READINESS,
            location=expected.place("pool", pool.name),
            object=expected.reference("pool", pool.name),
        )


def shrinks(expected: Expected, live: Live, after: After) -> Iterator[Finding]:
    """Yield what is admitted beyond what the new quotas, borrowing through the cohorts included, let queues have."""
    if CLUSTER_QUEUE in live.unread or COHORT in live.unread:
        return
    usage = {name_of(m): _usage(m) for m in live.of(CLUSTER_QUEUE)}
    tree, before = after.queues.tree, after.before.tree
    remaining = {name: amounts for name, amounts in usage.items() if name in tree.queues}
    for key in sorted({key for amounts in remaining.values() for key in amounts}):
        was: dict[str, Amount] = {}
        for node, beyond in before.excess(key, usage).items():
            was[before.root(node).name] = was.get(before.root(node).name, 0) + beyond
        over: dict[Node, list[tuple[Node, Amount]]] = {}
        for node, beyond in tree.excess(key, remaining).items():
            over.setdefault(tree.root(node), []).append((node, beyond))
        for root, found in over.items():
            holders = sorted({name for node, _ in found for name in _holders(after, node, key, remaining)})
            known = sum(was.get(name, 0) for name in {before.root_of(holder) or holder for holder in holders})
            held = {name: remaining[name][key] for name in holders}
            yield _below(expected, after, root, key, held, sum(beyond for _, beyond in found), known)


def _holders(after: After, node: Node, key: Key, usage: Usage) -> list[str]:
    """Return the queues at or below a node that hold more than is guaranteed to them: the borrowers."""
    tree = after.queues.tree
    below = [node.name] if tree.queues.get(node.name) is node else tree.queues_below(node.name)
    return [name for name in below if usage.get(name, {}).get(key, 0) > _nominal(after, name, key)]


def _below(
    expected: Expected, after: After, root: Node, key: Key, held: Mapping[str, Amount], beyond: Amount, was: Amount
) -> Finding:
    """Return the finding for one tree: how much is beyond, of it how much already was, and who holds it."""
    flavor, resource = key
    each = some(
        f"{name} holds {shown(resource, used)} of {shown(resource, _nominal(after, name, key))}"
        for name, used in held.items()
    )
    where = "without a cohort" if after.queues.tree.queues.get(root.name) is root else f"below cohort {root.name}"
    name, is_new = next(iter(held), root.name), beyond > was
    return finding(
        "quota-below-admitted",
        Severity.ERROR if is_new else Severity.WARNING,
        f"{shown(resource, beyond)} {resource} of {flavor} {'would be' if is_new else 'are already'} admitted beyond "
        f"the quotas {where}: {each}",
        "let workloads end first, or lower the share in steps: else owners who reclaim their share evict the rest",
        location=expected.place("ClusterQueue", name),
        object=expected.reference("ClusterQueue", name),
    )


def _nominal(after: After, name: str, key: Key) -> Amount:
    quota = after.queues.by_name[name].quotas.get(key)
    return quota.nominal if quota else 0


def _usage(queue: Manifest) -> dict[Key, Amount]:
    """Return what a ClusterQueue holds: reserved quota, which is at least what is admitted."""
    found: dict[Key, Amount] = {}
    for field in ("flavorsReservation", "flavorsUsage"):
        for _, flavor in mappings(queue.body, "status", field):
            for _, resource in mappings(flavor, "resources"):
                name = text(resource, "name")
                key = (text(flavor, "name"), name)
                found[key] = max(found.get(key, 0), amount(name, resource.get("total")) or 0)
    return found
