"""What a step changes: as text, amounts first, and as the key that it adds to the JSON envelope."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from generator.change.model import ABSENT, AmountChange, Change, FieldChange, ObjectChange
from generator.plan.model import BYTES, CPU
from generator.plan.rounding import shown
from generator.report.text import amount, plain

MOST_OBJECTS, MOST_AMOUNTS = 10, 40
_MOST_TEXT = 60
_SIGNS = {"created": "+", "removed": "-", "changed": "~"}
_COLOURS = {"created": "32", "removed": "31", "changed": "33"}


def keys(changes: Iterable[Change]) -> dict[str, list[dict[str, Any]]]:
    """Return `changes`, an item an environment; amounts are canonical quantities, and what is not there has no key."""
    return {"changes": [_environment(change) for change in changes]}


def _environment(change: Change) -> dict[str, Any]:
    return {
        "environment": change.environment,
        "change": change.change,
        "quotas": [{"team": c.team, "queue": c.queue, **_amounts(c)} for c in change.quotas],
        "cohorts": [{"cohort": c.cluster_queue, **_amounts(c)} for c in change.cohorts],
        "pools": [_amounts(c) for c in change.pools],
        "objects": [_object(found) for found in change.objects],
    }


def _amounts(change: AmountChange) -> dict[str, str]:
    amounts = {"old": shown(change.resource, change.old), "new": shown(change.resource, change.new)}
    return {"pool": change.pool, "resource": change.resource, **amounts}


def _object(found: ObjectChange) -> dict[str, Any]:
    return {
        "change": found.change,
        "apiVersion": found.api_version,
        "kind": found.key.kind[1],
        "namespace": found.key.namespace or None,
        "name": found.key.name,
        "team": found.team,
        "fields": [_field(field) for field in found.fields],
    }


def _field(field: FieldChange) -> dict[str, Any]:
    values = {"old": field.old, "new": field.new}
    return {"path": field.path, **{key: value for key, value in values.items() if value is not ABSENT}}


def text(changes: Iterable[Change], *, colour: bool = False) -> str:
    """Return what changes in each environment: amounts, then objects, the first few by name."""
    return "".join(f"{line}\n" for change in changes for line in _lines(change, colour))


def counted(changes: Sequence[Change]) -> str:
    """Return "prod changes: 3 objects created, 1 removed"."""
    names = [change.environment for change in changes]
    who = f"{names[0]} changes" if len(names) == 1 else f"{len(names)} environments change"
    return f"{who}: {_tally([found for change in changes for found in change.objects])}"


def _tally(objects: Sequence[ObjectChange]) -> str:
    kinds = [found.change for found in objects]
    counts = [(kinds.count(kind), kind) for kind in _SIGNS if kind in kinds]
    first, *rest = [f"{count} {kind}" for count, kind in counts] or ["no object"]
    if counts:
        first = f"{amount(counts[0][0], 'object')} {counts[0][1]}"
    return ", ".join([first, *rest])


def _lines(change: Change, colour: bool) -> Iterator[str]:
    name = plain(change.environment)
    for title, amounts in (
        ("guaranteed", change.quotas),
        ("guaranteed to cohorts", change.cohorts),
        ("schedulable", change.pools),
    ):
        rows = [_row(c) for c in _shown(amounts)]
        if rows:
            yield _painted(f"{name}: {title}", "1", colour)
            yield from _table(rows[:MOST_AMOUNTS])
            yield from _rest(rows, MOST_AMOUNTS)
    state = "" if change.change == "changed" else f" is {change.change}"
    yield _painted(f"{name}{state}: {_tally(change.objects)}", "1", colour)
    for found in change.objects[:MOST_OBJECTS]:
        yield _painted(f"  {_SIGNS[found.change]} {_told(found)}", _COLOURS[found.change], colour)
    yield from _rest(change.objects, MOST_OBJECTS)
    yield ""


def _rest(found: Sequence[object], most: int) -> Iterator[str]:
    if len(found) > most:
        yield f"  … and {len(found) - most} more"


def _shown(amounts: Sequence[AmountChange]) -> list[AmountChange]:
    """Return accelerators first; what follows them in the same queue and pool, or else the cores, is left out."""
    accelerators = [c for c in amounts if c.is_accelerator]
    leading = {(c.cluster_queue, c.pool) for c in accelerators}
    rest = [c for c in amounts if not c.is_accelerator and (c.cluster_queue, c.pool) not in leading]
    cores = {(c.cluster_queue, c.pool) for c in rest if c.resource == CPU}
    return accelerators + [c for c in rest if c.resource == CPU or (c.cluster_queue, c.pool) not in cores]


def _row(change: AmountChange) -> tuple[str, str, str, str, str]:
    owner = f"{change.team}/{change.queue}" if change.team else change.cluster_queue or ""
    difference = change.new - change.old
    sign = "+" if difference > 0 else "-"
    values = [shown(change.resource, value) for value in (change.old, change.new, abs(difference))]
    return (f"{owner} {change.pool}".strip(), change.resource, values[0], values[1], f"{sign}{values[2]}")


def _table(rows: Sequence[tuple[str, str, str, str, str]]) -> Iterator[str]:
    name, resource, old, new, by = (max(len(row[column]) for row in rows) for column in range(5))
    for row in rows:
        line = f"  {row[0]:<{name}}  {row[1]:<{resource}}  {row[2]:>{old}} -> {row[3]:>{new}}  {row[4]:>{by}}"
        yield plain(line)


def _told(found: ObjectChange) -> str:
    if not found.fields:
        return plain(str(found.key))
    first, *rest = sorted(found.fields, key=_is_of_core)
    more = f", {amount(len(rest), 'more field')}" if rest else ""
    return plain(f"{found.key}: {first.path} {_value(first.old)} -> {_value(first.new)}{more}")


def _is_of_core(field: FieldChange) -> bool:
    """Whether a field is about what follows accelerators: those of a queue are shown first."""
    return any(f"[name={resource}]" in field.path for resource in (CPU, *BYTES))


def _value(value: Any) -> str:
    if value is ABSENT:
        return "(none)"
    text = value if isinstance(value, str) else _json(value)
    return text if len(text) <= _MOST_TEXT else f"{text[:_MOST_TEXT]}…"


def _json(value: Any) -> str:
    import json

    return json.dumps(value, ensure_ascii=False, default=str)


def _painted(line: str, code: str, colour: bool) -> str:
    return f"\x1b[{code}m{line}\x1b[0m" if colour else line
