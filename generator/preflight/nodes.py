"""The nodes against the inventory: how many of each pool are there, and do they carry what is promised on them?"""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator, Mapping
from functools import cache

from generator.accelerators.load import vendor, vendor_ids
from generator.finding import Finding, Layer, Severity
from generator.frozen import dataclass
from generator.manifest import Manifest
from generator.preflight.expected import Expected, ExpectedPool
from generator.preflight.live import Live, finding
from generator.quantity import Amount
from generator.validate.cluster import labels_of, name_of
from generator.validate.kinds import NODE
from generator.validate.queues import amount
from generator.validate.shape import get, mapping, mappings, text
from generator.validate.wording import shown, some

_OF_STATE = "node.kubernetes.io/"  # taints that come and go with a node's state; source: well-known taints
_KEEPS_AWAY = ("NoSchedule", "NoExecute")


@dataclass(frozen=True, slots=True)
class PoolNodes:
    """The nodes of one pool: `usable` are ready, schedulable and tainted only as the inventory says."""

    pool: ExpectedPool
    usable: tuple[Manifest, ...]
    unusable: tuple[tuple[Manifest, str], ...]

    @property
    def counted(self) -> str:
        """How many can be used, and why others cannot."""
        why = f": {some(f'{name_of(node)} is {why}' for node, why in self.unusable)}" if self.unusable else ""
        return f"{len(self.usable)} of {_nodes(self.pool.nodes)} can be used{why}"

    def capacity(self, resource: str) -> Amount:
        """Return what the usable nodes can schedule of a resource, less what the inventory reserves on each."""
        reserved = self.pool.per_node.get(resource, 0) - self.pool.schedulable.get(resource, 0)
        return sum(max(0, allocatable(node).get(resource, 0) - reserved) for node in self.usable)


def by_pool(expected: Expected, live: Live) -> list[PoolNodes]:
    """Return the nodes of each pool."""
    return [_of_pool(pool, [m for m in live.of(NODE) if _matches(m, pool)]) for pool in expected.pools]


def check(expected: Expected, live: Live, short: Container[str]) -> Iterator[Finding]:
    """Yield what of the inventory is not there, or more than it says; not of `short` pools, of which more was told."""
    if NODE in live.unread:
        return
    for found in by_pool(expected, live):
        if found.pool.name not in short:
            yield from _counted(expected, found)
        yield from _amounts(expected, found)
        yield from _untainted(expected, found)
    if expected.whole:
        yield from _in_two_pools(expected, live)
        yield from _in_none(expected, live)


def allocatable(node: Manifest) -> Mapping[str, Amount]:
    """Return what a node can schedule; what is no quantity counts as none of it."""
    written = mapping(node.body, "status", "allocatable")
    return {name: size for name, value in written.items() if (size := amount(name, value)) and size > 0}


def _nodes(count: int) -> str:
    return "1 node" if count == 1 else f"{count} nodes"


def _matches(node: Manifest, pool: ExpectedPool) -> bool:
    return pool.labels.items() <= {key: str(value) for key, value in labels_of(node).items()}.items()


def _of_pool(pool: ExpectedPool, nodes: Iterable[Manifest]) -> PoolNodes:
    judged = [(node, _obstacle(node, pool)) for node in nodes]
    usable = tuple(node for node, why in judged if why is None)
    return PoolNodes(pool, usable, tuple((node, why) for node, why in judged if why is not None))


def _obstacle(node: Manifest, pool: ExpectedPool) -> str | None:
    """Return why a node takes no pods of its pool; None: it does."""
    if get(node.body, "spec", "unschedulable") is True:
        return "cordoned"
    ready = [text(c, "status") for _, c in mappings(node.body, "status", "conditions") if text(c, "type") == "Ready"]
    if ready != ["True"]:
        return "not ready"
    for taint in _taints(node):
        if taint["effect"] in _KEEPS_AWAY and taint not in pool.taints:
            return f"tainted {taint['key']}:{taint['effect']}, which the inventory does not say"
    return None


def _taints(node: Manifest) -> Iterator[Mapping[str, str]]:
    for _, taint in mappings(node.body, "spec", "taints"):
        if not text(taint, "key").startswith(_OF_STATE):
            kept = {key: text(taint, key) for key in ("key", "effect", "value")}
            yield {key: value for key, value in kept.items() if value or key != "value"}


def _finding(expected: Expected, pool: ExpectedPool, rule: str, severity: Severity, message: str, fix: str) -> Finding:
    return finding(
        rule,
        severity,
        message,
        fix,
        layer=Layer.READINESS,
        location=expected.place("pool", pool.name),
        object=expected.reference("pool", pool.name),
    )


def _counted(expected: Expected, found: PoolNodes) -> Iterator[Finding]:
    pool, usable = found.pool, len(found.usable)
    if usable < pool.nodes:
        yield _finding(
            expected,
            pool,
            "nodes-missing",
            Severity.WARNING,
            f"pool {pool.name}: {found.counted}",
            "bring the nodes back, or correct nodes (or nodeLabels) in the inventory",
        )
    elif usable > pool.nodes:
        yield _finding(
            expected,
            pool,
            "nodes-beyond-inventory",
            Severity.INFO,
            f"pool {pool.name}: {_nodes(usable)} can be used and the inventory says {pool.nodes}",
            f"write nodes: {usable} to hand them out",
        )


def _amounts(expected: Expected, found: PoolNodes) -> Iterator[Finding]:
    """Yield one finding for a pool of whose resources nodes have less than the inventory says."""
    pool = found.pool
    less: list[str] = []
    names: set[str] = set()
    for resource, said in pool.per_node.items():
        short = {name_of(n): has for n in found.usable if (has := allocatable(n).get(resource, 0)) < said}
        if short:
            names |= short.keys()
            less.append(f"{resource} {shown(resource, min(short.values()))} instead of {shown(resource, said)}")
    others = {r for n in found.usable for r in allocatable(n) if is_accelerator(r)} - {*pool.per_node}
    instead = f"; they offer {', '.join(sorted(others))}" if less and others else ""
    if less:
        yield _finding(
            expected,
            pool,
            "nodes-smaller-than-inventory",
            Severity.WARNING,
            f"pool {pool.name}: {len(names)} of {_nodes(len(found.usable))} have less than the inventory says: "
            f"{', '.join(less)}: {some(sorted(names))}{instead}",
            "correct perNode (what oc describe node calls Allocatable), mig or timeSlicing; or see the device plugin",
        )


def _untainted(expected: Expected, found: PoolNodes) -> Iterator[Finding]:
    pool = found.pool
    for taint in pool.taints:
        bare = [name_of(node) for node in found.usable if taint not in _taints(node)]
        if bare:
            yield _finding(
                expected,
                pool,
                "nodes-untainted",
                Severity.WARNING,
                f"pool {pool.name}: {_nodes(len(bare))} without the taint {taint['key']}:{taint['effect']}, so that "
                f"pods of no queue land there: {some(bare)}",
                "taint the nodes, or remove the taint from the inventory",
            )


def _in_two_pools(expected: Expected, live: Live) -> Iterator[Finding]:
    twice: dict[tuple[str, ...], list[str]] = {}
    for node in live.of(NODE):
        names = tuple(pool.name for pool in expected.pools if _matches(node, pool))
        if len(names) > 1:
            twice.setdefault(names, []).append(name_of(node))
    for pools, nodes in twice.items():
        yield finding(
            "node-in-two-pools",
            Severity.ERROR,
            f"{_nodes(len(nodes))} in the pools {' and '.join(pools)} at once, so what is there is handed out twice: "
            f"{some(nodes)}",
            "correct the labels of the nodes, or nodeLabels of the pools",
            layer=Layer.READINESS,
            location=expected.place("pool", pools[0]),
            object=expected.reference("pool", pools[0]),
        )


def _in_none(expected: Expected, live: Live) -> Iterator[Finding]:
    idle: dict[tuple[str, ...], list[str]] = {}
    for node in live.of(NODE):
        carried = tuple(sorted(filter(is_accelerator, allocatable(node))))
        if carried and not any(_matches(node, pool) for pool in expected.pools):
            idle.setdefault(carried, []).append(name_of(node))
    for carried, nodes in idle.items():
        yield finding(
            "accelerators-in-no-pool",
            Severity.INFO,
            f"{_nodes(len(nodes))} with {', '.join(carried)} in no pool: {some(nodes)}",
            "add a pool for them to the inventory, or leave them to others",
            layer=Layer.READINESS,
        )


@cache
def is_accelerator(resource: str) -> bool:
    """Whether a resource is cards or parts of them, by the names that vendors give them."""
    vendors = [vendor(name) for name in vendor_ids()]
    return any(resource.startswith(prefix) for v in vendors for prefix in (v.resource, v.mig_prefix) if prefix)
