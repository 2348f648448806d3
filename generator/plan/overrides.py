"""Dated overrides: which apply on the day that is compiled for. The clock is never asked."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from generator.environment import quotas as given
from generator.environment.load import Inputs
from generator.finding import Finding, Layer, error
from generator.plan.amounts import Change
from generator.plan.model import Pool
from generator.plan.shares import defects
from generator.source import at, value_at
from generator.spelling import remedy

Written = Mapping[str, Mapping[str, Mapping[str, given.Share]]]  # team → queue → pool → share


class Overrides:
    """The overrides of one environment; without `as_of` (YYYY-MM-DD) none applies.

    `findings` is what is wrong with any of them, whatever its dates; such a one never applies.
    """

    def __init__(self, inputs: Inputs, pools: Mapping[str, Pool], as_of: str | None) -> None:
        self.findings: list[Finding] = []
        self._applying: dict[tuple[str, str], dict[str, list[Change]]] = {}
        self._since: dict[str, str] = {}
        written = _written(inputs)
        for item in inputs.overrides:
            found = [*_defects(item), *_reference_defects(item, written), *_amount_defects(item, pools)]
            self.findings += found
            if as_of is not None and not found and item["from"] <= as_of <= item["until"]:
                self._apply(item)

    def of(self, team: str, queue: str) -> Mapping[str, Sequence[Change]]:
        """Return what applies to a queue's shares, by pool, in the order it was written."""
        return self._applying.get((team, queue), {})

    def since(self, team: str) -> str | None:
        """Return since when all overrides that now apply to a team do; None: none applies.

        The output then changes when an override begins or ends, not with each day that it is compiled for.
        """
        return self._since.get(team)

    def _apply(self, item: given.Override) -> None:
        change = Change(item.get("add") or given.Amounts(), item.get("set") or given.Amounts())
        of_queue = self._applying.setdefault((item["team"], item["queue"]), {})
        of_queue.setdefault(item["pool"], []).append(change)
        self._since[item["team"]] = max(self._since.get(item["team"], ""), item["from"])


def _written(inputs: Inputs) -> Written:
    return {
        quota["team"]: {queue["name"]: queue.get("quota") or {} for queue in quota.get("queues") or ()}
        for quota in inputs.quotas
    }


def _defects(item: given.Override) -> Iterator[Finding]:
    if item["from"] > item["until"]:
        yield error(
            "invalid-range",
            f"the override begins on {item['from']} and ends before, on {item['until']}",
            value_at(item, "from"),
            "swap the dates",
        )
    if ("add" in item) == ("set" in item):
        yield error(
            "override-without-amount",
            f"the override has {'both add and set' if 'add' in item else 'neither add nor set'}",
            at(item),
            "keep one of them: add: {…} on top of the quota, or set: {…} in its place"
            if "add" in item
            else "write add: {…} to give more than the quota, or set: {…} in its place",
        )


def _reference_defects(item: given.Override, written: Written) -> Iterator[Finding]:
    team, queue, pool = item["team"], item["queue"], item["pool"]
    if team not in written:
        yield _unknown("team", item, "this environment's quotas have", sorted(written))
    elif queue not in written[team]:
        yield _unknown("queue", item, f"team {team} has", list(written[team]))
    elif pool not in written[team][queue]:
        yield _unknown("pool", item, f"queue {queue} of team {team} has", list(written[team][queue]))


def _unknown(kind: str, item: given.Override, owner: str, known: list[str]) -> Finding:
    name: str = item[kind]  # type: ignore[literal-required]  # team, queue or pool
    return error(
        f"unknown-{kind}",
        f"the override names the {kind} {name}, and {owner} none of that name",
        value_at(item, kind),
        remedy(name, known),
        layer=Layer.REFERENCE,
    )


def _amount_defects(item: given.Override, pools: Mapping[str, Pool]) -> Iterator[Finding]:
    pool = pools.get(item["pool"])
    for amounts in (item.get("add"), item.get("set")):
        if pool is not None and amounts is not None:
            yield from defects(amounts, pool, f"the override of queue {item['team']}-{item['queue']}")
