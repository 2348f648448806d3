"""Overrides and waivers that begin or end soon."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from datetime import date, timedelta

from generator.environment.load import Inputs
from generator.environment.quotas import Override
from generator.environment.waivers import Waiver
from generator.finding import Finding, Layer, ObjectRef, Severity
from generator.source import value_at

DAYS = 14


def soon(inputs: Iterable[Inputs], waivers: Iterable[Waiver], as_of: str) -> Iterator[Finding]:
    """Yield what begins or ends within 14 days of a day (YYYY-MM-DD), that day included."""
    last = (date.fromisoformat(as_of) + timedelta(days=DAYS)).isoformat()
    for environment in inputs:
        for item in environment.overrides:
            if as_of < item["from"] <= last:
                yield _override(environment.name, item, "begins", "from")
            elif item["from"] <= as_of <= item["until"] <= last:
                yield _override(environment.name, item, "ends", "until")
    for waiver in waivers:
        if as_of <= waiver["expires"] <= last:
            yield Finding(
                "waiver-ends-soon",
                Severity.INFO,
                Layer.CHANGE,
                f"the waiver of {waiver['rule']} for {waiver['object']} expires on {waiver['expires']}",
                value_at(waiver, "expires"),
                f"{waiver['owner']}: repair the cause until then",
            )


def _override(environment: str, item: Override, verb: str, key: str) -> Finding:
    day = item["from"] if key == "from" else item["until"]
    queue = f"{item['team']}-{item['queue']}"
    return Finding(
        f"override-{verb}-soon",
        Severity.INFO,
        Layer.CHANGE,
        f"the override of queue {queue} on pool {item['pool']} {verb} on {day}: {item['reason']}",
        value_at(item, key),
        f"compile with --as-of {day} then" if verb == "begins" else "compile with --as-of the day after then",
        ObjectRef(environment, "ClusterQueue", queue),
    )
