"""LocalQueue and WorkloadPriorityClass: no webhook judges them, and their names become labels' values.

Source: kueue pkg/controller/constants (labels kueue.x-k8s.io/queue-name and priority-class) and
pkg/cache/queue (ClusterQueueDoesNotExist); facts, sections 5 and 7.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from generator.finding import Layer
from generator.validate.shape import get, text
from generator.validate.syntax import MAX_LABEL
from generator.validate.violation import Violation


def validate(body: Mapping[str, Any]) -> Iterator[Violation]:
    """Yield a name that no workload can put into its queue-name label, and a queue that leads nowhere."""
    yield from name_too_long(body, "queue-name-too-long", "queue")
    if get(body, "spec", "clusterQueue") is None:
        yield Violation(
            "local-queue-without-cluster-queue",
            Layer.READINESS,
            "spec",
            "spec.clusterQueue is missing: the queue is inactive (ClusterQueueDoesNotExist), and nothing in it starts",
            "name the ClusterQueue in spec.clusterQueue: once set it may not change",
        )


def validate_priority(body: Mapping[str, Any]) -> Iterator[Violation]:
    """Yield a class's name that no workload can put into its priority-class label."""
    return name_too_long(body, "priority-name-too-long", "priority class")


def name_too_long(body: Mapping[str, Any], rule: str, what: str) -> Iterator[Violation]:
    """A name that workloads write in a label has the length of a label's value."""
    name = text(body, "metadata", "name")
    if len(name) > MAX_LABEL:
        yield Violation(
            rule,
            Layer.READINESS,
            "metadata.name",
            f"the name has {len(name)} characters: workloads name their {what} in a label, which holds {MAX_LABEL}",
            f"shorten it to {MAX_LABEL}",
        )
