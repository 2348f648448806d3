"""Everything but schemas and CEL: one judgement of one cluster."""

from __future__ import annotations

from generator.finding import Finding, in_order
from generator.validate import admission, drift, patches, readiness, references
from generator.validate.cluster import Cluster
from generator.validate.queues import Queues


def judge(cluster: Cluster) -> list[Finding]:
    """Return what webhooks, controllers and Argo CD would object to, in the order in which findings are shown."""
    queues = Queues(cluster)
    return in_order(
        [
            *admission.check(cluster),
            *references.check(cluster, queues),
            *readiness.check(cluster, queues),
            *drift.check(cluster),
            *patches.check(cluster),
        ]
    )
