"""Dated overrides: what is guaranteed from each day on, on which one begins or after which one ended.

An end counts too: an override that sets less gives the rest back, to a pool that another one may have filled.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import date, timedelta

from generator.environment.quotas import Amounts as GivenAmounts
from generator.environment.quotas import Override, Share
from generator.plan.amounts import Change, guaranteed
from generator.plan.ledger.lines import DayLine
from generator.plan.model import Amounts, Plan, Pool
from generator.quantity import Amount
from generator.source import at

Sums = Mapping[str, Mapping[str, Amount]]
"""Pool → resource → what is guaranteed of it."""


def days(plan: Plan, sums: Sums) -> Iterator[DayLine]:
    """Yield the lines of every such day, in order, for what then changes and is not as usual.

    `sums` is what the plan guarantees, with the overrides of the day that it was made for.
    """
    if not plan.given.overrides:
        return
    calendar = _Calendar(plan, sums)
    for day, turns in sorted(_turns(plan.given.overrides).items()):
        before = {override["pool"]: dict(calendar.now[override["pool"]]) for _, override in turns}
        for index, override in turns:
            calendar.turn(index, override)
        for pool, was in before.items():
            here = [override for _, override in turns if override["pool"] == pool]
            cause = next((override for override in here if override["from"] == day), here[0])
            yield from calendar.lines(day, plan.pools[pool], was, cause)


def _turns(overrides: list[Override]) -> dict[str, list[tuple[int, Override]]]:
    """Return day → the overrides, with their index, that begin on it or ended the day before."""
    found: dict[str, list[tuple[int, Override]]] = {}
    for index, override in enumerate(overrides):
        found.setdefault(override["from"], []).append((index, override))
        last = date.fromisoformat(override["until"])
        if last < date.max:
            found.setdefault((last + timedelta(days=1)).isoformat(), []).append((index, override))
    return found


class _Changed:
    """A share that overrides change: what it guarantees on the day that has been reached."""

    def __init__(self, written: Share, pool: Pool) -> None:
        self._written, self._pool = written, pool
        self._active: dict[int, Override] = {}
        self.amounts: Amounts = guaranteed(written, pool)

    def turn(self, index: int, override: Override) -> None:
        """Let an override begin, or end if it had begun; they apply in the order in which they are written."""
        if self._active.pop(index, None) is None:
            self._active[index] = override
        ordered = (self._active[i] for i in sorted(self._active))
        changes = [Change(o.get("add") or GivenAmounts(), o.get("set") or GivenAmounts()) for o in ordered]
        self.amounts = guaranteed(self._written, self._pool, changes)


class _Calendar:
    """What is guaranteed of each pool: usually, and on the day that has been reached."""

    def __init__(self, plan: Plan, sums: Sums) -> None:
        overridden = {(o["team"], o["queue"], o["pool"]) for o in plan.given.overrides}
        self._shares = {
            (team["team"], queue["name"], pool): _Changed(share, plan.pools[pool])
            for team in plan.given.quotas
            for queue in team.get("queues") or ()
            for pool, share in (queue.get("quota") or {}).items()
            if (team["team"], queue["name"], pool) in overridden
        }
        self._usual = {pool: dict(amounts) for pool, amounts in sums.items()}
        for queue in (queue for team in plan.teams for queue in team.queues):
            for flavor in queue.flavors:
                if share := self._shares.get((str(queue.team), queue.queue, flavor.flavor)):
                    for resource, amount in share.amounts.items():
                        self._usual[flavor.flavor][resource] += amount - flavor.nominal(resource)
        self.now = {pool: dict(amounts) for pool, amounts in self._usual.items()}
        self._active: dict[str, dict[int, str]] = {}

    def turn(self, index: int, override: Override) -> None:
        """Let an override begin, or end if it had begun."""
        pool, share = override["pool"], self._shares[override["team"], override["queue"], override["pool"]]
        self._add(pool, share.amounts, -1)
        share.turn(index, override)
        self._add(pool, share.amounts, 1)
        active = self._active.setdefault(pool, {})
        if active.pop(index, None) is None:
            active[index] = f"{override['team']}-{override['queue']}"

    def lines(self, day: str, pool: Pool, was: Mapping[str, Amount], cause: Override) -> Iterator[DayLine]:
        """Yield a line for each resource of the pool that has changed and is not as usual."""
        active = self._active[pool.name]
        queues = tuple(dict.fromkeys(active[index] for index in sorted(active)))
        for resource, amount in self.now[pool.name].items():
            usual = self._usual[pool.name][resource]
            if amount not in (usual, was[resource]):
                is_accelerator, total = resource in pool.offers, pool.total[resource]
                yield DayLine(day, pool.name, resource, is_accelerator, total, usual, amount, queues, at(cause))

    def _add(self, pool: str, amounts: Amounts, sign: int) -> None:
        for resource, amount in amounts.items():
            self.now[pool][resource] += sign * amount
