"""Queues by namespace → LocalQueues: each under its own name, and the namespace's default one as `default`."""

from __future__ import annotations

from generator.environment import quotas as given
from generator.finding import Finding, Layer, error
from generator.plan.model import ClusterQueue, LocalQueue, Namespace
from generator.plan.queues import DEFAULT
from generator.source import value_at
from generator.spelling import or_else


def resolve(
    quota: given.TeamQuota, spaces: tuple[Namespace, ...], queues: tuple[ClusterQueue, ...]
) -> tuple[tuple[LocalQueue, ...], list[Finding]]:
    """Return a team's LocalQueues by namespace, and default queues that cannot be."""
    local: list[LocalQueue] = []
    findings: list[Finding] = []
    written = {item["name"]: item for item in quota.get("namespaces") or ()}
    for space in spaces:
        here = [queue for queue in queues if space.name in (queue.namespaces or ())]
        local += [LocalQueue(q.queue, space.name, q.name, space.team, False, q.origin) for q in here]
        chosen, found = _default(written[space.name], queues, here)
        findings += found
        if chosen is not None:
            local.append(LocalQueue(DEFAULT, space.name, chosen.name, space.team, True, space.origin))
    return tuple(local), findings


def _default(
    item: given.Namespace, queues: tuple[ClusterQueue, ...], here: list[ClusterQueue]
) -> tuple[ClusterQueue | None, list[Finding]]:
    """Return the namespace's default queue: the named one, else the first that serves it."""
    name = item.get("defaultQueue")
    if name is None:
        return (here[0] if here else None), []
    chosen = next((queue for queue in queues if queue.queue == name), None)
    if chosen is None:
        return None, [_unknown(item, name, [queue.queue for queue in queues])]
    return chosen, [] if chosen in here else [_elsewhere(item, name)]


def _unknown(item: given.Namespace, name: str, known: list[str]) -> Finding:
    return error(
        "unknown-queue",
        f"namespace {item['name']} has the default queue {name}, which the team does not have",
        value_at(item, "defaultQueue"),
        or_else(name, known, "add it to the team's queues"),
        layer=Layer.REFERENCE,
    )


def _elsewhere(item: given.Namespace, name: str) -> Finding:
    return error(
        "default-queue-elsewhere",
        f"namespace {item['name']} has the default queue {name}, which does not serve it",
        value_at(item, "defaultQueue"),
        f"add {item['name']} to the namespaces of queue {name}",
        layer=Layer.READINESS,
    )
