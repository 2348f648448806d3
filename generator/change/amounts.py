"""What queues and cohorts are guaranteed and what pools can schedule, before and after."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from generator.change.model import AmountChange, Side

_Line = tuple[str | None, str | None, bool, int]
_Key = tuple[str | None, str, str]


def quotas(old: Side | None, new: Side | None) -> Iterator[AmountChange]:
    """Yield the guaranteed amounts that differ: those of the new side in its order, then what is there no more."""
    return _compare(_guaranteed(old), _guaranteed(new))


def cohorts(old: Side | None, new: Side | None) -> Iterator[AmountChange]:
    """Yield what cohorts own themselves where it differs; `cluster_queue` is the cohort's name."""
    return _compare(_owned(old), _owned(new))


def pools(old: Side | None, new: Side | None) -> Iterator[AmountChange]:
    """Yield what pools can schedule where it differs."""
    return _compare(_schedulable(old), _schedulable(new))


def _guaranteed(side: Side | None) -> dict[_Key, _Line]:
    lines = side.ledger.queues if side else ()
    return {(q.cluster_queue, q.pool, q.resource): (q.team, q.queue, q.is_accelerator, q.guaranteed) for q in lines}


def _owned(side: Side | None) -> dict[_Key, _Line]:
    owned: dict[_Key, _Line] = {}
    for line in side.ledger.pools if side else ():
        for holding in line.holders:
            if holding.kind == "cohort":
                key = (holding.name, line.pool, line.resource)
                so_far = owned[key][3] if key in owned else 0
                owned[key] = (None, None, line.is_accelerator, so_far + holding.amount)
    return owned


def _schedulable(side: Side | None) -> dict[_Key, _Line]:
    lines = side.ledger.pools if side else ()
    return {(None, p.pool, p.resource): (None, None, p.is_accelerator, p.schedulable) for p in lines}


def _compare(old: Mapping[_Key, _Line], new: Mapping[_Key, _Line]) -> Iterator[AmountChange]:
    for key in [*new, *(key for key in old if key not in new)]:
        team, queue, is_accelerator, _ = new.get(key) or old[key]
        before, after = (lines[key][3] if key in lines else 0 for lines in (old, new))
        if before != after:
            cluster_queue, pool, resource = key
            yield AmountChange(team, queue, cluster_queue, pool, resource, is_accelerator, before, after)
