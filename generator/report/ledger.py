"""The capacity ledger as tables of at most 100 columns, and as the keys that it adds to the JSON envelope.

The tables show accelerators first, leave out what a queue neither owns nor could get, and round down what is longer
than 9 characters; JSON has every line and exact amounts.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from typing import Any, NamedTuple

from generator.plan.ledger import Ledger
from generator.plan.ledger.lines import PoolLine, QueueLine
from generator.plan.model import BYTES
from generator.plan.rounding import shown
from generator.quantity import UNIT, Amount
from generator.report.text import plain

WIDTH = 100
_GAP = 2
_CELL = 9
_RED, _BOLD = "31", "1"
_POOL = ("installed", "schedulable", "guaranteed", "lendable", "borrowable", "stranded")
_QUEUE = ("guaranteed", "potential", "lendable", "reclaimable", "one pod", "one gang")


class _Row(NamedTuple):
    """A line of a table: a heading where it has no cells."""

    label: str
    cells: tuple[str, ...] = ()
    colour: str = ""


def keys(ledgers: Iterable[Ledger]) -> dict[str, list[dict[str, Any]]]:
    """Return `pools` and `queues`; amounts are canonical quantities, `largestRequest` is one pod's."""
    every = list(ledgers)
    return {
        "pools": [{"environment": ledger.plan.name, **_pool(line)} for ledger in every for line in ledger.pools],
        "queues": [{"environment": ledger.plan.name, **_queue(line)} for ledger in every for line in ledger.queues],
    }


def _pool(line: PoolLine) -> dict[str, str]:
    amounts = {
        "installed": line.installed,
        "reserved": line.reserved,
        "schedulable": line.schedulable,
        "guaranteed": line.guaranteed,
        "lendable": line.lendable,
        "borrowable": line.borrowable,
        "stranded": line.stranded,
        "overCommitted": line.over_committed,
    }
    said = {key: shown(line.resource, amount) for key, amount in amounts.items()}
    return {"pool": line.pool, "resource": line.resource, **said}


def _queue(line: QueueLine) -> dict[str, str | None]:
    amounts = {
        "guaranteed": line.guaranteed,
        "potential": line.potential,
        "lendable": line.lendable,
        "reclaimable": line.reclaimable,
        "largestRequest": line.largest_pod,
        "largestGang": line.largest_gang,
    }
    said = {key: shown(line.resource, amount) for key, amount in amounts.items()}
    return {"team": line.team, "queue": line.queue, "pool": line.pool, "resource": line.resource, **said}


def tables(ledgers: Iterable[Ledger], *, colour: bool = False) -> str:
    """Return two tables an environment: its pools, then its queues."""
    return "".join(f"{line}\n" for ledger in ledgers for line in _of_environment(ledger, colour))


def _of_environment(ledger: Ledger, colour: bool) -> Iterator[str]:
    name = ledger.plan.name
    yield from _table(f"{name}: pools", _POOL, list(_pool_rows(ledger)), colour)
    yield ""
    yield from _table(f"{name}: queues", _QUEUE, list(_queue_rows(ledger.queues)), colour)
    yield ""


def _pool_rows(ledger: Ledger) -> Iterator[_Row]:
    for name, lines in groupby(ledger.pools, key=lambda line: line.pool):
        yield _Row(f"  {name}, {_nodes(ledger.plan.pools[name].nodes)}")
        for line in lines:
            amounts = (line.installed, line.schedulable, line.guaranteed, line.lendable, line.borrowable)
            cells = [_brief(line.resource, amount) for amount in amounts]
            over = line.over_committed
            last = f"over by {_brief(line.resource, over)}" if over else _brief(line.resource, line.stranded)
            yield _Row(f"    {line.resource}", (*cells, last), _RED if over else "")


def _nodes(count: int) -> str:
    return "1 node" if count == 1 else f"{count} nodes"


def _queue_rows(queues: Sequence[QueueLine]) -> Iterator[_Row]:
    there = [line for line in queues if line.guaranteed or line.potential]
    for (name, cohort), of_queue in groupby(there, key=lambda line: (line.cluster_queue, line.cohort)):
        yield _Row(f"  {name}" + (f", in cohort {cohort}" if cohort else ""))
        for pool, lines in groupby(of_queue, key=lambda line: line.pool):
            yield _Row(f"    {pool}")
            yield from map(_queue_row, sorted(lines, key=lambda line: not line.is_accelerator))


def _queue_row(line: QueueLine) -> _Row:
    amounts = (line.guaranteed, line.potential, line.lendable, line.reclaimable, line.largest_pod, line.largest_gang)
    return _Row(f"      {line.resource}", tuple(_brief(line.resource, amount) for amount in amounts))


def _brief(resource: str, amount: Amount) -> str:
    """Return an amount as it is where it is short, else rounded down to a tenth of a larger unit."""
    exact = shown(resource, amount)
    if len(exact) <= _CELL:
        return exact
    base, suffixes = (1024, ("", "Ki", "Mi", "Gi", "Ti", "Pi", "Ei")) if resource in BYTES else (1000, ("", *"kMGTPE"))
    tenths, power = amount * 10 // UNIT, 0
    while tenths >= 10**6:
        tenths, power = tenths // base, power + 1
    return f"{tenths // 10}.{tenths % 10}{suffixes[power]}"


def _table(title: str, heads: Sequence[str], rows: Sequence[_Row], colour: bool) -> Iterator[str]:
    widths = [
        max(len(head), *(len(row.cells[index]) for row in rows if row.cells), 0) + _GAP
        for index, head in enumerate(heads)
    ]
    room = WIDTH - sum(widths)
    first = min(room, max(len(label) for label in (title, *(row.label for row in rows if row.cells))))
    yield _line(_Row(title, tuple(heads), _BOLD), first, widths, colour)
    for row in rows:
        yield _line(row, first, widths, colour)


def _line(row: _Row, first: int, widths: Sequence[int], colour: bool) -> str:
    label = _cut(plain(row.label), first if row.cells else WIDTH)
    text = (
        label.ljust(first) + "".join(cell.rjust(width) for cell, width in zip(row.cells, widths, strict=True))
        if row.cells
        else label
    )
    return f"\x1b[{row.colour}m{text}\x1b[0m" if colour and row.colour else text


def _cut(text: str, width: int) -> str:
    """Return text that fits: what is too long loses its middle, for both ends of a name tell it from others."""
    if len(text) <= width:
        return text
    tail = (width - 1) // 2
    return f"{text[: width - 1 - tail]}…{text[len(text) - tail :]}"
