"""Topologies: whether the release has the kind, and queues that mix pools with and without one."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from generator.finding import Finding, Layer, error
from generator.plan.model import Pool, Topology
from generator.releases.model import Kueue


def defects(pools: Mapping[str, Pool], topologies: Sequence[Topology], kueue: Kueue) -> Iterator[Finding]:
    """Yield topologies that the release cannot have."""
    for topology in topologies:
        if "Topology" not in kueue.kinds:
            named = ", ".join(sorted(p.name for p in pools.values() if p.topology == topology.name))
            yield error(
                "unsupported-by-release",
                f"pool {named} has a topology, and Red Hat build of Kueue {kueue.version} has no Topology objects",
                topology.origin,
                "remove topology, or move to Kueue 1.2 or later",
                layer=Layer.SCHEMA,
            )
        elif len(topology.levels) > (most := kueue.limits["topologyLevels"]):
            yield error(
                "invalid-topology",
                f"the topology has {len(topology.levels)} levels, "
                f"and Red Hat build of Kueue {kueue.version} allows {most}",
                topology.origin,
                "name fewer levels",
                layer=Layer.SCHEMA,
            )
