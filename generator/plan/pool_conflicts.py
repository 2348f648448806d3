"""Pools that cannot stand side by side in one cluster."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from generator.finding import Finding, Layer, Related, error
from generator.plan.model import Pool


def overlaps(pools: Mapping[str, Pool]) -> Iterator[Finding]:
    """Yield each pool whose labels are a subset of others': its flavor would take their nodes."""
    carriers: dict[tuple[str, str], list[Pool]] = {}
    for pool in pools.values():
        for label in pool.node_labels.items():
            carriers.setdefault(label, []).append(pool)
    for pool in pools.values():
        # whoever carries all labels carries the rarest of them: thousands of pools need not be compared in pairs
        candidates = min((carriers[label] for label in pool.node_labels.items()), key=len, default=[*pools.values()])
        others = [other for other in candidates if _takes(pool, other)]
        if others:
            named = f"pool {others[0].name}" if len(others) == 1 else f"pools {', '.join(o.name for o in others)}"
            yield error(
                "pools-overlap",
                f"the labels of pool {pool.name} also select the nodes of {named}: the same nodes would be given twice",
                pool.origin,
                f"add a label to {pool.name} that only its nodes carry",
                layer=Layer.READINESS,
                related=tuple(Related(other.origin, f"pool {other.name}") for other in others),
            )


def _takes(pool: Pool, other: Pool) -> bool:
    """Tell whether a pool's labels select another's nodes; of two with the same labels only the first does."""
    if pool is other or not pool.node_labels.items() <= other.node_labels.items():
        return False
    return pool.node_labels != other.node_labels or pool.origin < other.origin


def strategies(pools: Mapping[str, Pool]) -> Iterator[Finding]:
    """Yield a second MIG strategy: the GPU operator has one for the whole cluster.

    Source: NVIDIA/gpu-operator api/nvidia/v1/clusterpolicy_types.go, spec.mig.strategy.
    """
    sliced = sorted((p for p in pools.values() if p.sharing.mig), key=lambda pool: pool.origin)
    for pool in sliced[1:]:
        if pool.sharing.mig != sliced[0].sharing.mig:
            yield error(
                "two-mig-strategies",
                f"pool {pool.name} has MIG strategy {pool.sharing.mig} and pool {sliced[0].name} has "
                f"{sliced[0].sharing.mig}: the GPU operator knows one for the whole cluster",
                pool.origin,
                "give both the same strategy; mixed also fits a card with one kind of slice",
                layer=Layer.READINESS,
                related=(Related(sliced[0].origin, f"pool {sliced[0].name}"),),
            )
