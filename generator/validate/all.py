"""Everything that a cluster would object to: one judgement of one cluster."""

from __future__ import annotations

from generator.finding import Finding, in_order
from generator.validate import admission, admission_policies, drift, patches, readiness, references, schema_check
from generator.validate.cluster import Cluster
from generator.validate.queues import Queues
from generator.validate.schema_check import Imported


def judge(cluster: Cluster, imported: Imported | None = None, sound: frozenset[int] = frozenset()) -> list[Finding]:
    """Return what the API server, webhooks, controllers and Argo CD would object to, in the order of findings.

    `imported` holds the schemas of a user's own CRDs; `sound` are ids of objects that were judged by schemas already.
    What the API server refuses by schema or CEL at one place is not said again for the webhook, nor as drift.
    """
    queues = Queues(cluster)
    refused = list(schema_check.check(cluster, imported, sound))
    places = {(finding.object, finding.path) for finding in refused}
    return in_order(
        [
            *refused,
            *(f for f in admission.check(cluster) if (f.object, f.path) not in places),
            *admission_policies.check(cluster),
            *references.check(cluster, queues),
            *readiness.check(cluster, queues),
            *(f for f in drift.check(cluster) if (f.object, f.path) not in places),
            *patches.check(cluster),
        ]
    )
