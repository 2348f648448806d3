"""Queues of the cluster that are neither of the tree nor made by OpenShift AI: they compete for the same hardware."""

from __future__ import annotations

from collections.abc import Iterator

from generator.finding import Finding, Layer, Severity
from generator.preflight.expected import Expected
from generator.preflight.live import Live, finding, ours
from generator.preflight.quotas import After
from generator.validate.cluster import name_of, namespace_of
from generator.validate.kinds import CLUSTER_QUEUE, LOCAL_QUEUE, RESOURCE_FLAVOR, Kind
from generator.validate.shape import text
from generator.validate.wording import shown, some

_FIX = "have it brought into environments/ (or extra/), or removed; whoever made it decides over the same nodes"


def check(expected: Expected, live: Live, after: After) -> Iterator[Finding]:
    """Yield queues, cohorts and flavors that Apportion does not know; only of a whole environment."""
    if not expected.whole:
        return
    for found, kind, owned in after.guaranteed():
        if after.is_foreign(found, kind) and f"{kind[1]}/{name_of(found)}" not in expected.platform:
            amounts = some(
                f"{shown(resource, nominal)} {resource} of {pool}"
                for (pool, resource), nominal in sorted(owned.items())
            )
            what = f"guarantees itself {amounts}" if amounts else "is guaranteed nothing of the inventory's pools"
            yield _unknown(expected, kind, name_of(found), what, Severity.WARNING if owned else Severity.INFO)
    yield from _flavors(expected, live, after)
    yield from _local_queues(expected, live)


def _flavors(expected: Expected, live: Live, after: After) -> Iterator[Finding]:
    for found in live.of(RESOURCE_FLAVOR):
        name = name_of(found)
        if after.is_foreign(found, RESOURCE_FLAVOR) and f"ResourceFlavor/{name}" not in expected.platform:
            yield _unknown(expected, RESOURCE_FLAVOR, name, "may lie on the nodes of a pool", Severity.INFO)


def _local_queues(expected: Expected, live: Live) -> Iterator[Finding]:
    """Yield one finding for each of our ClusterQueues that strangers submit to."""
    found: dict[str, list[str]] = {}
    for local in live.of(LOCAL_QUEUE):
        space, name = namespace_of(local), name_of(local)
        known = (LOCAL_QUEUE, space, name) in expected.objects or f"LocalQueue/{name}" in expected.platform
        queue = text(local.body, "spec", "clusterQueue")
        if not known and not ours(local, expected) and (CLUSTER_QUEUE, "", queue) in expected.objects:
            found.setdefault(queue, []).append(f"{space}/{name}")
    for queue, names in found.items():
        what = f"submit to ClusterQueue {queue}, so that others use that team's share"
        yield _unknown(expected, LOCAL_QUEUE, some(sorted(names)), what, Severity.WARNING)


def _unknown(expected: Expected, kind: Kind, name: str, what: str, severity: Severity) -> Finding:
    are = "s {} are not of this tree: they {}" if kind == LOCAL_QUEUE else " {} is not of this tree: it {}"
    return finding(
        "flavor-not-of-the-tree" if kind == RESOURCE_FLAVOR else "queue-not-of-the-tree",
        severity,
        kind[1] + are.format(name, what),
        _FIX,
        layer=Layer.POLICY,
        object=expected.reference(kind[1], name.partition(",")[0]),
    )
