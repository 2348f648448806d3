"""Dated quota of queue training on h100 (16 cards, 200 cores, 2000Gi), which has 4 cards by itself."""

from __future__ import annotations

import pytest
from syrupy.assertion import SnapshotAssertion

from tests.builders import findings, only_queue, plan, quota, quotas, rules, whole

GPU = "nvidia.com/gpu"
WRITTEN = {
    "team": "vision",
    "queue": "training",
    "pool": "h100",
    "from": "2026-12-01",
    "until": "2026-12-15",
    "reason": "deadline",
}


def override(more: str) -> str:
    """Return an override; `more` are further keys, or others in the place of the usual ones."""
    own = {pair.split(":")[0] for pair in more.split(", ")}
    usual = ", ".join(f"{key}: {value}" for key, value in WRITTEN.items() if key not in own)
    return f"{{{usual}, {more}}}"


def amounts(*overrides: str, day: str | None = "2026-12-10", share: str = "{h100: {accelerators: 4}}") -> str:
    """Return cpu, memory and accelerators (of CPU pools: storage) on a day."""
    written = ", ".join(map(override, overrides))
    queue = only_queue(plan(day, quotas=quotas(share, overrides=f"[{written}]")))
    (flavor,) = queue.flavors
    return " ".join(str(amount[0]) for amount in quota(flavor).values())


@pytest.mark.parametrize(
    ("day", "expected"),
    [
        (None, "50 500Gi 4"),
        ("2026-11-30", "50 500Gi 4"),
        ("2026-12-01", "150 1500Gi 12"),
        ("2026-12-15", "150 1500Gi 12"),
        ("2026-12-16", "50 500Gi 4"),
    ],
)
def test_first_and_last_day_count(day: str | None, expected: str) -> None:
    assert amounts("add: {accelerators: 8}", day=day) == expected


@pytest.mark.parametrize(
    ("overrides", "expected"),
    [
        (["add: {accelerators: 8}"], "150 1500Gi 12"),
        (["set: {accelerators: 8}"], "100 1000Gi 8"),
        (["set: {accelerators: 0}"], "0 0 0"),
        (["add: {cpu: 10}"], "60 500Gi 4"),
        (["set: {cpu: 10}"], "10 500Gi 4"),
        (["set: {memory: 10Gi}, until: 2026-12-10"], "50 10Gi 4"),
        (["add: {accelerators: 4, cpu: 1, memory: 1Gi}"], "101 1001Gi 8"),
        # overlapping ones add up, on top of what is set, in any order
        (["add: {accelerators: 2}", "add: {accelerators: 2}"], "100 1000Gi 8"),
        (["set: {accelerators: 8}", "add: {accelerators: 4}"], "150 1500Gi 12"),
        (["add: {accelerators: 4}", "set: {accelerators: 8}"], "150 1500Gi 12"),
        (["set: {accelerators: 8}", "set: {accelerators: 2}"], "25 250Gi 2"),  # the last one written
        (["add: {accelerators: 8}, from: 2026-12-11", "add: {accelerators: 4}"], "100 1000Gi 8"),
    ],
)
def test_amounts(overrides: list[str], expected: str) -> None:
    assert amounts(*overrides) == expected


@pytest.mark.parametrize(
    ("share", "override", "expected"),
    [
        ("{mixed: {slices: {1g.10gb: 7}}}", "pool: mixed, add: {slices: {2g.20gb: 7}}", "37 375Gi 7 7"),
        ("{mixed: {slices: {1g.10gb: 7}}}", "pool: mixed, set: {slices: {1g.10gb: 14}}", "25 250Gi 14 0"),
        # what is automatic follows what is named
        ("{cores: {cpu: 10}}", "pool: cores, add: {cpu: 10}", "20 200Gi 100Gi"),
        ("{cores: {cpu: 10}}", "pool: cores, add: {memory: 5Gi}", "10 105Gi 50Gi"),
        ("{cores: {cpu: 10}}", "pool: cores, set: {memory: 50Gi}", "10 50Gi 25Gi"),
        ("{h100: {memory: 100Gi}}", "add: {cpu: 4}", "14 100Gi 0"),
        ("{h100: {memory: 100Gi}}", "add: {accelerators: 4}", "50 100Gi 4"),
        ("{h100: {accelerators: 25%}}", "add: {accelerators: 4}", "100 1000Gi 8"),
    ],
)
def test_amounts_of_other_shares(share: str, override: str, expected: str) -> None:
    assert amounts(override, share=share) == expected


@pytest.mark.parametrize(
    ("overrides", "since"),
    [
        ([], None),
        (["add: {cpu: 1}"], "2026-12-01"),
        (["add: {cpu: 1}, from: 2026-12-05", "add: {cpu: 1}"], "2026-12-05"),
        (["add: {cpu: 1}, from: 2026-12-11"], None),
    ],
)
def test_team_is_as_of_the_last_override_that_began(overrides: list[str], since: str | None) -> None:
    written = ", ".join(map(override, overrides))
    (team,) = plan("2026-12-10", quotas=quotas("{h100: {}}", overrides=f"[{written}]")).teams
    assert team.as_of == since


def test_limits_follow() -> None:
    written = f"[{override('add: {accelerators: 4}')}]"
    share = "{h100: {accelerators: 4, borrow: 4, lend: 50%}}"
    (flavor,) = only_queue(plan("2026-12-10", quotas=quotas(share, overrides=written))).flavors
    assert quota(flavor)[GPU] == ("8", "4", "4")


@pytest.mark.parametrize("day", [None, "2026-12-10"])
@pytest.mark.parametrize(
    ("more", "expected"),
    [
        ("add: {accelerators: 1}", []),
        ("add: {slices: {1g.10gb: 1}}", ["quotas.yaml:5:118 slices-of-whole-pool"]),
        ("set: {ephemeral-storage: 1Gi}", ["quotas.yaml:5:118 unknown-capacity"]),
        ("add: {cpu: 1}, set: {cpu: 1}", ["quotas.yaml:5:13 override-without-amount"]),
        ("ticket: GPU-1", ["quotas.yaml:5:13 override-without-amount"]),
        ("add: {cpu: 1}, team: visoin", ["quotas.yaml:5:119 unknown-team"]),
        ("add: {cpu: 1}, queue: train", ["quotas.yaml:5:117 unknown-queue"]),
        ("add: {cpu: 1}, pool: cores", ["quotas.yaml:5:121 unknown-pool"]),
        ("add: {cpu: 1}, until: 2026-11-30", ["quotas.yaml:5:63 invalid-range"]),
        ("add: {cpu: 1}, until: 2026-12-01", []),
        (
            "add: {accelerators: 1}, pool: cores, until: 2026-11-30",
            [
                "quotas.yaml:5:51 invalid-range",
                "quotas.yaml:5:111 unknown-pool",
                "quotas.yaml:5:87 accelerators-of-cpu-pool",
            ],
        ),
    ],
)
def test_refused(more: str, expected: list[str], day: str | None, snapshot: SnapshotAssertion) -> None:
    written = f"[{override(more)}]"
    found = findings(day, quotas=quotas("{h100: {accelerators: 4}}", overrides=written))
    assert rules(found) == expected
    assert whole(found) == snapshot


def test_pool_that_only_the_inventory_lacks_is_said_once() -> None:
    written = f"[{override('pool: h10, add: {slices: {1g.10gb: 1}}')}]"
    found = findings(quotas=quotas("{h10: {accelerators: 4}}", overrides=written))
    assert rules(found) == ["quotas.yaml:4:107 unknown-pool"]
