"""LocalQueue: no webhook judges it; its name becomes a label's value, which the CRD does not see.

Source: kueue pkg/controller/constants (label kueue.x-k8s.io/queue-name); facts, section 7.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from generator.finding import Layer
from generator.validate.shape import text
from generator.validate.syntax import MAX_LABEL
from generator.validate.violation import Violation


def validate(body: Mapping[str, Any]) -> Iterator[Violation]:
    """Yield a name that no workload can put into its queue-name label."""
    name = text(body, "metadata", "name")
    if len(name) > MAX_LABEL:
        yield Violation(
            "queue-name-too-long",
            Layer.READINESS,
            "metadata.name",
            f"the name has {len(name)} characters: workloads name their queue in a label, which holds {MAX_LABEL}",
            f"shorten it to {MAX_LABEL}",
        )
