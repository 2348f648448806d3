"""Queues of the cluster that are neither of the tree nor made by OpenShift AI: they compete for the same hardware."""

from __future__ import annotations

from collections.abc import Iterator

from generator.finding import Finding, Layer, Severity
from generator.preflight.expected import Expected
from generator.preflight.live import Live, finding, ours
from generator.preflight.quotas import After, Guaranteed
from generator.validate.cluster import name_of, namespace_of
from generator.validate.kinds import CLUSTER_QUEUE, LOCAL_QUEUE, RESOURCE_FLAVOR, Kind
from generator.validate.shape import text
from generator.validate.wording import shown, some

_NOTHING = "is guaranteed nothing of the inventory's pools"
_FIX = "have it brought into environments/ (or extra/), or removed; whoever made it decides over the same nodes"


def check(expected: Expected, live: Live, after: After) -> Iterator[Finding]:
    """Yield queues, cohorts and flavors that Apportion does not know; only of a whole environment."""
    if not expected.whole:
        return
    for found in after.guaranteed():
        name = name_of(found.manifest)
        if after.is_foreign(found.manifest, found.kind) and f"{found.kind[1]}/{name}" not in expected.platform:
            severity = Severity.WARNING if found.owned or found.anywhere else Severity.INFO
            yield _unknown(expected, found.kind, name, _share(found), severity)
    yield from _flavors(expected, live, after)
    yield from _local_queues(expected, live)


def _share(found: Guaranteed) -> str:
    of_pools = [f"{shown(r, nominal)} {r} of {pool}" for (pool, r), nominal in sorted(found.owned.items())]
    of_any = [
        f"{shown(r, nominal)} {r} of {flavor}, which lies on any node"
        for (flavor, r), nominal in sorted(found.anywhere.items())
    ]
    return f"guarantees itself {some(of_pools + of_any)}" if of_pools or of_any else _NOTHING


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
