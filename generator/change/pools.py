"""ResourceFlavors and Topologies that go while something names them.

Source: Kueue's finalizer kueue.x-k8s.io/resource-in-use on both.
"""

from __future__ import annotations

from collections.abc import Iterator

from generator.change.model import Side, Step
from generator.finding import Finding, Severity
from generator.validate.cluster import name_of
from generator.validate.kinds import RESOURCE_FLAVOR, TOPOLOGY
from generator.validate.shape import text
from generator.validate.wording import some


def flavors(step: Step) -> Iterator[Finding]:
    """Yield flavors that go while queues name them, or in the step in which the last one ceases to."""
    for key in (key for key in step.removed if key.kind == RESOURCE_FLAVOR):
        still, until_now = _queues(step.new, key.name), _queues(step.old, key.name)
        if still or until_now:
            told = f"and {some(still)} still name it" if still else f"and {some(until_now)} name it in {step.revision}"
            yield step.of_removed(
                key,
                "flavor-removed-in-use",
                Severity.ERROR if still else Severity.WARNING,
                f"ResourceFlavor {key.name} is removed, {told}: its finalizer keeps it until no queue does",
                f"first take pool {key.name} out of every quota, and remove it in a revision of its own",
            )


def topologies(step: Step) -> Iterator[Finding]:
    """Yield topologies that go while flavors name them."""
    for key in (key for key in step.removed if key.kind == TOPOLOGY):
        still = [
            name_of(m) for m in step.new.cluster.of(RESOURCE_FLAVOR) if text(m.body, "spec", "topologyName") == key.name
        ]
        if still:
            yield step.of_removed(
                key,
                "topology-removed-in-use",
                Severity.ERROR,
                f"Topology {key.name} is removed, and flavors {some(still)} name it: queues with one admit nothing",
                "keep it, or remove the pools that name it first",
            )


def _queues(side: Side, flavor: str) -> list[str]:
    return [queue.name for queue in side.queues.all if flavor in queue.flavor_names]
