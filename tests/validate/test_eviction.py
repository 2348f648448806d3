"""Who may evict a workbench: quota of cohorts, borrowing while preempting, fair sharing; and who may not."""

from __future__ import annotations

from typing import Any

import pytest

from tests.validate.builders import GPU, KUEUE, Body, body, flavor, local_queue, namespace, profile, queue, rules
from tests.validate.test_boundaries import fair

ANY = {"reclaimWithinCohort": "Any"}
WHILE_BORROWING = {**ANY, "borrowWithinCohort": {"policy": "LowerPriority"}}
LOWER = {"reclaimWithinCohort": "LowerPriority"}
FAIR = fair("FairSharing")


def group(gpus: str, of: str = "a100", **limits: str) -> list[Body]:
    resources = [{"name": GPU, "nominalQuota": gpus, **limits}]
    return [{"coveredResources": [GPU], "flavors": [{"name": of, "resources": resources}]}]


def cohort(name: str, parent: str | None = None, gpus: str = "", **limits: str) -> Body:
    spec: dict[str, Any] = {"parentName": parent} if parent else {}
    if gpus:
        spec["resourceGroups"] = group(gpus, **limits)
    return body(KUEUE, "Cohort", name, spec=spec)


def in_cohort(name: str, cohort_: str, gpus: str, preemption: Body | None = None, **limits: Any) -> Body:
    rest = {"fairSharing": limits.pop("fairSharing")} if "fairSharing" in limits else {}
    groups = group(gpus, **limits)
    return queue(name, resourceGroups=groups, cohortName=cohort_, preemption=preemption or {}, **rest)


MINE = in_cohort("vision", "org", "2")
NOT_MINE = in_cohort("vision", "org", "2", borrowingLimit="0")
DEEP = in_cohort("vision", "deep", "2")
TEAM = cohort("team", "org", "8")
CASES: list[tuple[str, list[Body], bool]] = [
    ("quota of its own cohort", [MINE, TEAM, in_cohort("b", "team", "0", ANY)], True),
    ("never reclaims", [MINE, TEAM, in_cohort("b", "team", "0")], False),
    ("may not borrow", [NOT_MINE, TEAM, in_cohort("b", "team", "0", ANY)], False),
    ("of its cohort's other queue", [MINE, cohort("team", "org"), in_cohort("b", "team", "0", ANY)], False),
    (
        "what a sibling lends",
        [MINE, cohort("team", "org"), in_cohort("b", "team", "0", ANY), in_cohort("c", "team", "8")],
        True,
    ),
    (
        "a cohort that lends nothing",
        [MINE, cohort("team", "org", "8", lendingLimit="0"), TEAM_B := in_cohort("b", "team", "0", ANY)],
        False,
    ),
    (
        "a cohort that lends nothing, and a lender beside it",
        [MINE, cohort("team", "org", "8", lendingLimit="0"), TEAM_B, in_cohort("c", "org", "4")],
        False,
    ),
    ("quota of the common cohort", [MINE, cohort("org", gpus="8"), in_cohort("b", "org", "0", ANY)], False),
    ("while borrowing", [MINE, cohort("org", gpus="8"), in_cohort("b", "org", "0", WHILE_BORROWING)], True),
    (
        "while borrowing, at its limit",
        [MINE, cohort("org", gpus="8"), in_cohort("b", "org", "0", WHILE_BORROWING, borrowingLimit="0")],
        False,
    ),
    ("fair sharing", [MINE, cohort("org", gpus="8"), in_cohort("b", "org", "0", ANY), FAIR], True),
    ("fair sharing, lower priorities", [MINE, cohort("org", gpus="8"), in_cohort("b", "org", "0", LOWER), FAIR], True),
    ("fair sharing without reclaiming", [MINE, cohort("org", gpus="8"), in_cohort("b", "org", "0"), FAIR], False),
    (
        "fair sharing with no weight",
        [MINE, cohort("org", gpus="8"), in_cohort("b", "org", "0", ANY, fairSharing={"weight": "0"}), FAIR],
        False,
    ),
    ("own quota", [MINE, in_cohort("b", "org", "8", ANY)], True),
    ("own quota that it does not lend", [MINE, in_cohort("b", "org", "8", ANY, lendingLimit="0")], False),
    (
        "a cohort that may not borrow",
        [DEEP, cohort("deep", "org", "2", borrowingLimit="0"), in_cohort("b", "org", "8", ANY)],
        False,
    ),
    ("a cohort that may", [DEEP, cohort("deep", "org", "2"), in_cohort("b", "org", "8", ANY)], True),
    ("a loop", [DEEP, cohort("deep", "org"), cohort("org", "deep"), in_cohort("b", "org", "8", ANY)], False),
]


@pytest.mark.parametrize(("bodies", "is_evictable"), [row[1:] for row in CASES], ids=[row[0] for row in CASES])
def test_workbench_evictable(bodies: list[Body], is_evictable: bool) -> None:
    around = [namespace(), flavor(), local_queue(), profile(feature="workbench")]
    assert ("error workbench-evictable" in rules([*around, *bodies])) is is_evictable


LENDER = in_cohort("vision", "org", "2")
LENDING: list[tuple[str, list[Body], bool]] = [
    ("to who may borrow", [LENDER, in_cohort("b", "org", "0")], True),
    ("to who is at its limit", [LENDER, in_cohort("b", "org", "0", borrowingLimit="0")], False),
    ("no flavor in common", [LENDER, in_cohort("b", "org", "0", of="h100"), flavor("h100")], False),
    ("nothing lent", [in_cohort("vision", "org", "2", lendingLimit="0"), in_cohort("b", "org", "0")], False),
    (
        "nothing lent by the cohort",
        [DEEP, cohort("deep", "org", "0", lendingLimit="0"), in_cohort("b", "org", "0")],
        False,
    ),
    ("by the cohort too", [DEEP, cohort("deep", "org", "0", lendingLimit="1"), in_cohort("b", "org", "0")], True),
    ("reclaims", [in_cohort("vision", "org", "2", ANY), in_cohort("b", "org", "0")], False),
]


@pytest.mark.parametrize(("bodies", "is_lent"), [row[1:] for row in LENDING], ids=[row[0] for row in LENDING])
def test_lent_and_never_reclaimed(bodies: list[Body], is_lent: bool) -> None:
    found = rules([namespace(), flavor(), local_queue(), *bodies])
    assert ("warning lent-and-never-reclaimed" in found) is is_lent
