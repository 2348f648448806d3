"""Dated overrides: which apply on the day that is compiled for. The clock is never asked."""

from __future__ import annotations

from collections.abc import Iterator

from generator.environment import quotas as given
from generator.environment.load import Inputs
from generator.environment.validate import near
from generator.finding import Finding, Layer, error
from generator.plan.shares import Change
from generator.source import at, value_at


class Overrides:
    """The overrides of one environment; without `as_of` (YYYY-MM-DD) none applies."""

    def __init__(self, inputs: Inputs, as_of: str | None) -> None:
        self._items = inputs.overrides
        self._quotas = inputs.quotas
        self._applying: dict[tuple[str, str, str], list[Change]] = {}
        self._since: dict[tuple[str, str, str], str] = {}
        if as_of is None:
            return
        for item in self._items:
            if item["from"] <= as_of <= item["until"]:
                key = (item["team"], item["queue"], item["pool"])
                change = Change(item.get("add") or given.Amounts(), item.get("set") or given.Amounts())
                self._applying.setdefault(key, []).append(change)
                self._since[key] = max(self._since.get(key, ""), item["from"])

    def of(self, team: str, queue: str, pool: str) -> list[Change]:
        """Return what applies to one share, in the order it was written."""
        return self._applying.get((team, queue, pool), [])

    def since(self, team: str) -> str | None:
        """Return since when all overrides that now apply to a team do; None: none applies.

        The output then changes when an override begins or ends, not with each day that it is compiled for.
        """
        return max((first for (name, _, _), first in self._since.items() if name == team), default=None)

    def defects(self) -> Iterator[Finding]:
        """Yield what is wrong with any override, whatever its dates."""
        queues = {(t["team"], q["name"]): q.get("quota") or {} for t in self._quotas for q in t.get("queues") or ()}
        teams = {team for team, _ in queues}
        for item in self._items:
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
                    "an override has either add or set",
                    at(item),
                    "write add: {…} or set: {…}",
                )
            team, queue, pool = item["team"], item["queue"], item["pool"]
            own = [q for t, q in queues if t == team]
            if team not in teams:
                yield _unknown("team", team, item, sorted(teams))
            elif queue not in own:
                yield _unknown("queue", queue, item, own)
            elif pool not in queues[team, queue]:
                yield _unknown("pool", pool, item, list(queues[team, queue]))


def _unknown(kind: str, name: str, item: given.Override, known: list[str]) -> Finding:
    spelling = near(name, known)
    hint = f"did you mean {spelling}? " if spelling else ""
    owner = {
        "team": "this environment's quotas have",
        "queue": f"team {item['team']} has",
        "pool": f"queue {item['queue']} of team {item['team']} has",
    }
    return error(
        f"unknown-{kind}",
        f"the override names the {kind} {name}, and {owner[kind]} none of that name",
        value_at(item, kind),
        f"{hint}known are {', '.join(known) or 'none'}",
        layer=Layer.REFERENCE,
    )
