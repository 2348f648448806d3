"""What a step changes in one environment → the items that policies judge."""

from __future__ import annotations

from collections.abc import Iterator

from generator.change.model import Change, Identity, Step
from generator.finding import Location, ObjectRef, Related
from generator.policy import items as i
from generator.policy.model import Item
from generator.quantity import UNIT


def collections(change: Change, step: Step) -> dict[str, list[Item]]:
    """Return the items by collection; each stands where the new revision says it, or said it last."""
    return {"changes.quotas": list(_quotas(change, step)), "changes.objects": list(_objects(change, step))}


def _quotas(change: Change, step: Step) -> Iterator[Item]:
    schedulable = {(line.pool, line.resource): line.schedulable for line in step.new.ledger.pools}
    before, after = (
        {(line.cluster_queue, line.pool): line.origin for line in side.ledger.queues} for side in (step.old, step.new)
    )
    for found in change.quotas:
        name = found.cluster_queue or ""
        data: i.QuotaChange = {
            "queue": name,
            "team": found.team or "",
            "pool": found.pool,
            "resource": found.resource,
            "isAccelerator": found.is_accelerator,
            "before": found.old / UNIT,
            "after": found.new / UNIT,
            "schedulable": schedulable.get((found.pool, found.resource), 0) / UNIT,
        }
        was, now = before.get((name, found.pool)), after.get((name, found.pool))
        place = now or (step.where_a_team_had(found.team, was) if was else None)
        ref = ObjectRef(change.environment, "ClusterQueue", name)
        yield Item(data, place, ref, _before(step, was))


def _objects(change: Change, step: Step) -> Iterator[Item]:
    for found in change.objects:
        key: Identity = found.key
        data: i.ObjectChange = {
            "action": found.change,
            "kind": key.kind[1],
            "apiVersion": found.api_version,
            "name": key.name,
            "namespace": key.namespace,
            "team": found.team or "",
            "fields": [field.path for field in found.fields],
        }
        was, now = step.old.objects.get(key), step.new.objects.get(key)
        place = now.origin if now else step.where_it_was(was) if was else None
        ref = ObjectRef(change.environment, key.kind[1], key.name, key.namespace or None, found.api_version)
        yield Item(data, place, ref, _before(step, was.origin if was else None))


def _before(step: Step, place: Location | None) -> tuple[Related, ...]:
    return (step.before(place),) if place else ()
