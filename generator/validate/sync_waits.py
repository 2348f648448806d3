"""Workloads in what Argo CD syncs: one that Kueue suspends holds up all that comes later.

Source: Argo CD gitops-engine/pkg/sync/sync_context.go: Suspended and Progressing keep a wave waiting, without an end.
"""

from __future__ import annotations

from collections.abc import Iterator

from generator.finding import Finding, Layer, Severity
from generator.validate import kinds
from generator.validate.cluster import Cluster, labels_of, name_of
from generator.validate.effective_queue import is_seen
from generator.validate.shape import text
from generator.validate.sync_places import Places

# Kinds that Kueue suspends and that Argo CD has a health check for: one of its own, or one of generator/health/.
SUSPENDED = frozenset(
    (
        kinds.INFERENCE_SERVICE,
        kinds.NOTEBOOK,
        kinds.RAY_CLUSTER,
        kinds.TRAIN_JOB,
        ("batch", "Job"),
        ("jobset.x-k8s.io", "JobSet"),
    )
)


def workload_holds_up_sync(cluster: Cluster, places: Places) -> Iterator[Finding]:
    """Yield workloads that wait for quota while later waves wait for them; of a kind that Kueue looks at."""
    operators = [manifest.body for manifest in cluster.of(kinds.KUEUE)]
    for kind in kinds.WORKLOADS:
        for manifest in cluster.of(kind) if kind in SUSPENDED and is_seen(kind, cluster.target, operators) else ():
            is_queued = text(labels_of(manifest), kinds.QUEUE_NAME)
            held = places.held_up(manifest, above=cluster.whole) if is_queued else None
            if held is not None:
                yield cluster.finding(
                    manifest,
                    "workload-holds-up-sync",
                    Layer.READINESS,
                    f"{kind[1]} {name_of(manifest)} comes before {held.last} of {held.title}: as long as Kueue "
                    "suspends it for want of quota, nothing later is applied",
                    "put it in the last wave, or keep workloads out of what Argo CD syncs",
                    "metadata.name",
                    severity=Severity.WARNING,
                )
