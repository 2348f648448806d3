"""ResourceFlavor and Topology: the pools as Kueue sees them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from generator.emit.marks import CONFIRM, HANDS_OFF, labels
from generator.manifest import Manifest, manifest
from generator.plan.model import Plan, Pool, Taint


def emit(plan: Plan) -> Iterator[Manifest]:
    """Yield topologies, a flavor for each pool, and those of the platform's own queue where its operator makes some."""
    marks = labels(plan.name)
    for topology in plan.topologies:
        spec: dict[str, Any] = {"levels": [{"nodeLabel": level} for level in topology.levels]}
        yield manifest(
            plan.kueue.api,
            "Topology",
            topology.name,
            labels=marks,
            annotations=CONFIRM,
            origin=topology.origin,
            spec=spec,
        )
    for pool in plan.pools.values():
        yield manifest(
            plan.kueue.api,
            "ResourceFlavor",
            pool.name,
            labels=marks,
            annotations=CONFIRM,
            origin=pool.origin,
            spec=_spec(pool),
        )
    if plan.default_queue is not None:
        for name in plan.openshift_ai.default_flavors:
            yield manifest(
                plan.kueue.api,
                "ResourceFlavor",
                name,
                labels=marks,
                annotations={**CONFIRM, **HANDS_OFF},
                origin=plan.default_queue.origin,
                spec={},
            )


def _spec(pool: Pool) -> dict[str, Any]:
    spec: dict[str, Any] = {"nodeLabels": dict(pool.node_labels)}
    if pool.taints:
        spec["tolerations"] = [toleration(taint) for taint in pool.taints]
    if pool.topology:
        spec["topologyName"] = pool.topology
    return spec


def toleration(taint: Taint) -> dict[str, str]:
    """Return what tolerates a taint; `value` may not stand beside Exists (CEL of ResourceFlavor)."""
    if taint.value:
        return {"key": taint.key, "operator": "Equal", "value": taint.value, "effect": taint.effect}
    return {"key": taint.key, "operator": "Exists", "effect": taint.effect}
