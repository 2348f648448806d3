"""The inventory that checks look at: pools of a Plan, or v1 Nodes of a dump."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Set
from typing import Any

from generator.manifest import Manifest
from generator.plan.model import Plan, Pool
from generator.quantity import Amount
from generator.validate.cluster import NodePool, labels_of, name_of, place
from generator.validate.kinds import NODE, RESOURCE_FLAVOR, kind_of
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
    """Return the Nodes among the objects as pools of those that are alike; a cordoned or unready one counts as lost.

    A Node that a flavor selects by its host name is a pool of its own.
    """
    every = list(objects)
    named = {str(get(m.body, "spec", "nodeLabels", HOSTNAME)) for m in every if kind_of(m.body) == RESOURCE_FLAVOR}
    groups: dict[object, list[Manifest]] = {}
    for found in every:
        if kind_of(found.body) == NODE:
            groups.setdefault(_likeness(found, named), []).append(found)
    return list(_pools(groups.values(), named))


def _pools(groups: Iterable[list[Manifest]], named: Set[str]) -> Iterator[NodePool]:
    for alike in groups:
        first = alike[0]
        yield NodePool(
            name_of(first),
            _labels(first, named),
            frozenset((HOSTNAME,)),
            tuple(_taints(first)),
            sum(map(_is_usable, alike)),
            len(alike),
            _allocatable(first),
            place(first),
            is_listed=True,
        )


def _likeness(node: Manifest, named: Set[str]) -> object:
    taints = frozenset(tuple(sorted(taint.items())) for taint in _taints(node))
    return frozenset(_labels(node, named).items()), taints, frozenset(_allocatable(node).items())


def _labels(node: Manifest, named: Set[str]) -> dict[str, str]:
    """Return the labels without a host name that no flavor asks for."""
    labels = {key: str(value) for key, value in labels_of(node).items()}
    return {key: value for key, value in labels.items() if key != HOSTNAME or value in named}


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
