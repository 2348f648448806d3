"""What `plan` and `ledger` say as Markdown for a forge: the rows of their tables, and names that stay names.

GitHub and GitLab make links, mentions and commands of what stands in a text, and HTML of HTML. In a code span they make
nothing of it, so every word of an input stands in one.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from generator.change.model import ABSENT, AmountChange, Change
from generator.pattern import pattern
from generator.plan.ledger import Ledger
from generator.plan.ledger.lines import PoolLine, QueueLine
from generator.plan.model import BYTES, CPU
from generator.plan.rounding import shown
from generator.report.text import amount, plain

MOST_OF_A_NAME = 200
_LIMIT = pattern(r"\.flavors\[name=([^]]+)]\.resources\[name=([^]]+/[^]]+)]\.(borrowing|lending)Limit$")
_QUEUES = ("ClusterQueue", "Cohort")
# A backtick ends a code span and a bar ends a cell, in some renderers escaped or not. No sound name has one.
_LOOK_ALIKES = str.maketrans({"`": "'", "|": "¦"})


class Row(NamedTuple):
    """One amount before and after; `what` is guaranteed, schedulable, or a limit of Kueue."""

    owner: str
    what: str
    pool: str
    resource: str
    before: str
    after: str
    difference: str = ""


def code(text: str) -> str:
    """Return text as a code span that stays one, in a cell too; what it must not hold is replaced by a look-alike."""
    name = plain(text).translate(_LOOK_ALIKES)
    return f"`{name if len(name) <= MOST_OF_A_NAME else f'{name[:MOST_OF_A_NAME]}…'}`" if name.strip() else "-"


def gpus(changes: Iterable[Change]) -> list[tuple[Change, list[Row]]]:
    """Return what changes in accelerators, by environment; an environment without such a change is not there."""
    rows = ((change, [*_amounts(change), *_limits(change)]) for change in changes)
    return [(change, found) for change, found in rows if found]


def _amounts(change: Change) -> Iterator[Row]:
    yield from (_amount(_queue(found), "guaranteed", found) for found in change.quotas if found.is_accelerator)
    yield from (
        _amount(f"cohort {found.cluster_queue}", "guaranteed", found)
        for found in change.cohorts
        if found.is_accelerator
    )
    yield from (_amount("all nodes", "schedulable", found) for found in change.pools if found.is_accelerator)


def _queue(found: AmountChange) -> str:
    return f"{found.team}/{found.queue}" if found.team else found.cluster_queue or ""


def _amount(owner: str, what: str, found: AmountChange) -> Row:
    by = found.new - found.old
    before, after, size = (shown(found.resource, thousandths) for thousandths in (found.old, found.new, abs(by)))
    return Row(owner, what, found.pool, found.resource, before, after, f"{'+' if by > 0 else '-'}{size}")


def _limits(change: Change) -> Iterator[Row]:
    """Yield the limits that change of queues and cohorts that stay: with a new one its limits are new, too."""
    for found in change.objects:
        for field in found.fields if found.key.kind[1] in _QUEUES else ():
            if place := _LIMIT.search(field.path):
                pool, resource, kind = place.groups()
                before, after = ("none" if value is ABSENT else str(value) for value in (field.old, field.new))
                yield Row(found.key.name, f"{kind} limit", pool, resource, before, after)


def leading(queues: Sequence[QueueLine]) -> list[QueueLine]:
    """Return what each queue has or could get: accelerators, and of a pool without any the cores."""
    accelerators = {(line.cluster_queue, line.pool) for line in queues if line.is_accelerator}
    return [
        line
        for line in queues
        if (line.guaranteed or line.potential)
        and (line.is_accelerator or (line.resource == CPU and (line.cluster_queue, line.pool) not in accelerators))
    ]


def tables(ledgers: Iterable[Ledger]) -> list[tuple[str, list[list[str]], list[list[str]]]]:
    """Return name, rows of pools (without memory and storage) and rows of queues of each environment."""
    return [
        (
            ledger.plan.name,
            [_pool(line) for line in ledger.pools if line.resource not in BYTES],
            [_queue_line(line) for line in leading(ledger.queues)],
        )
        for ledger in ledgers
    ]


def _pool(line: PoolLine) -> list[str]:
    amounts = (line.schedulable, line.guaranteed, line.lendable, line.borrowable, line.stranded, line.over_committed)
    *first, over = (shown(line.resource, thousandths) for thousandths in amounts)
    return [line.pool, line.resource, *first, over if line.over_committed else ""]


def _queue_line(line: QueueLine) -> list[str]:
    amounts = (line.guaranteed, line.potential, line.largest_pod)
    return [
        line.cluster_queue,
        line.pool,
        line.resource,
        *(shown(line.resource, thousandths) for thousandths in amounts),
    ]


def cut(text: str, most: int) -> str:
    """Return whole lines of at most so many bytes of UTF-8, and how many more there are."""
    lines, size = text.splitlines(keepends=True), 0
    for number, line in enumerate(lines):
        size += len(line.encode())
        if size > most:
            return "".join(lines[:number]) + f"\n… and {amount(len(lines) - number, 'more line')}.\n"
    return text
