"""The inventory that checks look at: pools of a Plan, or v1 Nodes of a dump."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from generator.manifest import Manifest
from generator.plan.model import Plan, Pool
from generator.quantity import Amount
from generator.validate.cluster import NodePool, labels_of, name_of, place
from generator.validate.kinds import NODE, kind_of
from generator.validate.queues import amount
from generator.validate.shape import get, mapping, mappings, text

HOSTNAME = "kubernetes.io/hostname"
_TRANSIENT = "node.kubernetes.io/"


def of_plan(plan: Plan) -> list[NodePool]:
    """Return the inventory of an environment."""
    levels = {topology.name: topology.levels for topology in plan.topologies}
    return [_of_pool(pool, levels.get(pool.topology or "", ())) for pool in plan.pools.values()]


def _of_pool(pool: Pool, levels: Iterable[str]) -> NodePool:
    taints = tuple(
        {"key": taint.key, "effect": taint.effect, **({"value": taint.value} if taint.value else {})}
        for taint in pool.taints
    )
    keys = frozenset((HOSTNAME, *levels)) - pool.node_labels.keys()
    return NodePool(pool.name, pool.node_labels, keys, taints, pool.nodes, pool.nodes, pool.node, pool.origin)


def pools(objects: Iterable[Manifest]) -> list[NodePool]:
    """Return the Nodes among the objects as pools of those that are alike; a cordoned or unready one counts as lost."""
    groups: dict[object, list[Manifest]] = {}
    for found in objects:
        if kind_of(found.body) == NODE:
            groups.setdefault(_likeness(found), []).append(found)
    return list(_pools(groups.values()))


def _pools(groups: Iterable[list[Manifest]]) -> Iterator[NodePool]:
    for alike in groups:
        first = alike[0]
        labels = {key: str(value) for key, value in labels_of(first).items() if key != HOSTNAME}
        usable = sum(map(_is_usable, alike))
        yield NodePool(
            name_of(first),
            labels,
            frozenset((HOSTNAME,)),
            tuple(_taints(first)),
            usable,
            len(alike),
            _allocatable(first),
            place(first),
        )


def _likeness(node: Manifest) -> object:
    labels = frozenset((key, str(value)) for key, value in labels_of(node).items() if key != HOSTNAME)
    taints = frozenset(tuple(sorted(taint.items())) for taint in _taints(node))
    return labels, taints, frozenset(_allocatable(node).items())


def _taints(node: Manifest) -> Iterator[Mapping[str, str]]:
    """Yield the lasting taints; what the node controller sets comes and goes with the node's state."""
    for _, taint in mappings(node.body, "spec", "taints"):
        if not text(taint, "key").startswith(_TRANSIENT):
            yield {key: str(value) for key, value in taint.items() if key in ("key", "value", "effect")}


def _allocatable(node: Manifest) -> dict[str, Amount]:
    written: Mapping[str, Any] = mapping(node.body, "status", "allocatable")
    return {name: size for name, value in written.items() if (size := amount(name, value))}


def _is_usable(node: Manifest) -> bool:
    conditions = [c for _, c in mappings(node.body, "status", "conditions") if text(c, "type") == "Ready"]
    is_ready = all(text(condition, "status") == "True" for condition in conditions)
    return is_ready and get(node.body, "spec", "unschedulable") is not True
