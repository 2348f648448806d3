"""Dated overrides in the ledger: each day on which what is guaranteed changes, with everything that overlaps."""

from __future__ import annotations

from typing import Any

import pytest

from generator.plan.ledger import Ledger
from generator.plan.ledger.lines import DayLine
from tests.builders import H100, plan, quotas, text

GPU = "nvidia.com/gpu"


def override(begins: str, until: str, change: str = "add: {accelerators: 4}", pool: str = "h100") -> str:
    dates = f"from: 2026-12-{begins}, until: 2026-12-{until}"
    return f"{{team: vision, queue: training, pool: {pool}, {change}, {dates}, reason: r}}"


def days(
    *overrides: str, share: str = "{accelerators: 8}", as_of: str | None = None, **parts: Any
) -> tuple[DayLine, ...]:
    written = quotas(f"{{h100: {share}}}", overrides=f"[{', '.join(overrides)}]")
    return Ledger(plan(as_of, quotas=written, pools=(H100,), **parts)).days


def accelerators(lines: tuple[DayLine, ...]) -> dict[str, str | None]:
    return {line.day: text(line.resource, line.guaranteed) for line in lines if line.is_accelerator}


def test_without_overrides_there_is_no_day() -> None:
    assert days() == ()


def test_a_day_has_all_resources_of_the_pool_that_change() -> None:
    lines = days(override("01", "15"))
    assert [(line.day, line.pool, line.resource, line.is_accelerator) for line in lines] == [
        ("2026-12-01", "h100", "nvidia.com/gpu", True),
        ("2026-12-01", "h100", "cpu", False),
        ("2026-12-01", "h100", "memory", False),
    ]
    assert [[text(x.resource, a) for a in (x.schedulable, x.usual, x.guaranteed, x.over_committed)] for x in lines] == [
        ["16", "8", "12", "0"],
        ["200", "100", "150", "0"],
        ["2000Gi", "1000Gi", "1500Gi", "0"],
    ]
    assert {line.overrides for line in lines} == {("vision-training",)}
    assert {str(line.origin).partition("/prod/")[2] for line in lines} == {"quotas.yaml:5:13"}


@pytest.mark.parametrize(
    ("second", "want"),
    [
        (override("16", "20"), {"2026-12-01": "12"}),  # takes over on the day after: no change
        (override("15", "20"), {"2026-12-01": "12", "2026-12-15": "16", "2026-12-16": "12"}),
        (override("01", "15"), {"2026-12-01": "16"}),
        (override("02", "03", "set: {accelerators: 0}"), {"2026-12-01": "12", "2026-12-02": "4", "2026-12-04": "12"}),
        (override("01", "03", "set: {accelerators: 4}"), {"2026-12-04": "12"}),  # 4 + 4 is as usual
    ],
)
def test_overlaps_add_up(second: str, want: dict[str, str]) -> None:
    assert accelerators(days(override("01", "15"), second)) == want


@pytest.mark.parametrize("as_of", [None, "2026-11-30", "2026-12-01", "2026-12-04", "2027-01-01"])
def test_the_day_that_is_compiled_for_does_not_matter(as_of: str | None) -> None:
    lines = days(override("01", "15"), override("03", "04", "add: {accelerators: 5}"), as_of=as_of)
    assert accelerators(lines) == {"2026-12-01": "12", "2026-12-03": "17", "2026-12-05": "12"}
    assert [line.over_committed // 1000 for line in lines if line.is_accelerator] == [0, 1, 0]


def test_what_others_give_back_may_be_too_much() -> None:
    """The queue that is set to less ends before the one that took its place."""
    written = (
        "cohorts: [{name: org}]\nteams: [{team: vision, cohort: org, namespaces: [{name: work}], queues: "
        "[{name: training, quota: {h100: {accelerators: 8}}}, {name: batch, quota: {h100: {accelerators: 8}}}]}]\n"
        f"overrides: [{override('01', '10', 'set: {accelerators: 0}')}, "
        f"{override('05', '20', 'add: {accelerators: 8}').replace('training', 'batch')}]\n"
    )
    lines = Ledger(plan(quotas=written, pools=(H100,))).days
    assert accelerators(lines) == {"2026-12-01": "8", "2026-12-11": "24"}
    assert [line.overrides for line in lines if line.is_accelerator] == [("vision-training",), ("vision-batch",)]


def test_an_override_for_ever_ends_never() -> None:
    for_ever = override("01", "15").replace("until: 2026-12-15", "until: 9999-12-31")
    assert accelerators(days(for_ever)) == {"2026-12-01": "12"}
