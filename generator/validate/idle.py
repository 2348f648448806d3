"""Queues that admit nothing of what is led to them: stopped ones, and those that cover no resource.

Of what an environment's plan decides, policies say as much; here only what somebody wrote himself is judged.
Source: kubernetes-sigs/kueue pkg/cache/scheduler/clusterqueue.go (Stopped); facts of Kueue, section 5.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from generator.finding import Finding, Layer, Severity
from generator.manifest import Manifest
from generator.validate import kinds
from generator.validate.cluster import Cluster, name_of, namespace_of, related
from generator.validate.effective_queue import queue_of
from generator.validate.effects import is_written
from generator.validate.profiles import read_profiles
from generator.validate.queues import LocalQueue, Queues
from generator.validate.shape import text
from generator.validate.wording import some

_STOP = "spec.stopPolicy"
Users = Mapping[tuple[str, str], list[str]]
"""What submits to a LocalQueue, by its namespace ("": of any) and name."""


def check(cluster: Cluster, queues: Queues) -> Iterator[Finding]:
    """Yield queues that hold, or cover nothing of, what is submitted to them."""
    yield from covers_nothing(cluster, queues)
    yield from stopped(cluster, queues)


def covers_nothing(cluster: Cluster, queues: Queues) -> Iterator[Finding]:
    """A queue without resource groups is active and admits nothing that asks for anything."""
    made = cluster.made.cluster_queue if cluster.made else None  # the platform's own is empty on purpose
    for queue in queues.all:
        if queue.groups or queue.name == made:
            continue
        led = [local for local in queues.by_queue.get(queue.name, ()) if is_written(cluster, local.manifest)]
        if led:
            names = some(f"{local.namespace}/{local.name}" for local in led)
            yield cluster.finding(
                queue.manifest,
                "queue-covers-nothing",
                Layer.READINESS,
                f"queue {queue.name} has no resourceGroups: what LocalQueue {names} takes in is never admitted",
                "give it resourceGroups with the flavors and quotas that it may use",
                "spec",
                severity=Severity.WARNING,
                related=[related(led[0].manifest, "spec.clusterQueue", f"LocalQueue {led[0].name}")],
            )


def stopped(cluster: Cluster, queues: Queues) -> Iterator[Finding]:
    """A stopped queue admits nothing. Who drains one on purpose leads new work elsewhere: then nobody uses it."""
    held: dict[int, tuple[Manifest, list[LocalQueue]]] = {}
    for local in queues.local:
        queue = queues.by_name.get(local.queue)
        for manifest in (local.manifest, *([queue.manifest] if queue else ())):
            if is_written(cluster, manifest) and text(manifest.body, "spec", "stopPolicy") not in ("", "None"):
                held.setdefault(id(manifest), (manifest, []))[1].append(local)
    users: Users = _users(cluster) if held else {}
    for manifest, led in held.values():
        waiting = dict.fromkeys(u for q in led for space in (q.namespace, "") for u in users.get((space, q.name), ()))
        if waiting:
            policy = text(manifest.body, "spec", "stopPolicy")
            yield cluster.finding(
                manifest,
                "queue-stopped",
                Layer.READINESS,
                f"{text(manifest.body, 'kind')} {name_of(manifest)} is stopped (stopPolicy {policy}): what comes of "
                f"{some(waiting)} does not start",
                "set stopPolicy to None once it is drained, or lead the work to another queue",
                _STOP,
                severity=Severity.WARNING,
            )


def _users(cluster: Cluster) -> Users:
    found: dict[tuple[str, str], list[str]] = {}
    for kind in kinds.QUEUED:
        for manifest in cluster.of(kind):
            if name := queue_of(cluster, manifest):
                found.setdefault((namespace_of(manifest), name), []).append(f"{kind[1]} {name_of(manifest)}")
    for profile in read_profiles(cluster):
        space = "" if profile.is_shared else profile.namespace
        found.setdefault((space, profile.local_queue), []).append(f"profile {profile.name}")
    return found
