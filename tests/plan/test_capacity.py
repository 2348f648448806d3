"""The quota tree: against Kueue's own tables, and at the edges that these leave out."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from generator.plan.capacity import Key, Member, Quota, QuotaTree
from generator.quantity import UNIT, parse

TABLES = Path(__file__).parents[3] / "shared/oracles/kueue-capacity-tables"
Q = Quota


def tree(queues: dict[str, Member], cohorts: dict[str, Member] | None = None) -> QuotaTree:
    return QuotaTree(queues, cohorts or {})


def one(nominal: int, **limits: int) -> dict[Key, Quota]:
    return {("f", "r"): Quota(nominal, **limits)}


def quotas(spec: dict[str, Any]) -> dict[Key, Quota]:
    found = {}
    for group in spec.get("resourceGroups", ()):
        for flavor in group["flavors"]:
            for r in flavor["resources"]:
                limits = [None if (v := r.get(k)) is None else parse(v) for k in ("borrowingLimit", "lendingLimit")]
                found[flavor["name"], r["name"]] = Quota(parse(r["nominalQuota"]), *limits)
    return found


def members(objects: list[dict[str, Any]] | None, parent: str) -> dict[str, Member]:
    return {o["metadata"]["name"]: Member(o["spec"].get(parent), quotas(o["spec"])) for o in objects or ()}


def amounts(written: dict[str, int]) -> dict[Key, int]:
    found = {}
    for name, value in written.items():
        flavor, _, resource = name.partition("/")
        found[flavor, resource] = value if resource == "cpu" else value * UNIT
    return found


@pytest.mark.skipif(not TABLES.is_dir(), reason="the shared oracles are not beside this repository")
@pytest.mark.parametrize("tag", ["v0.16.9", "v0.18.6", "v0.19.2"])
def test_kueue_tables(tag: str) -> None:
    table = json.loads((TABLES / f"{tag}.json").read_text(encoding="utf-8"))
    rows = [row for row in table if row["func"] == "TestAvailable"]
    wrong = []
    for row in rows:
        case = row["case"]
        shape = QuotaTree(members(case["clusterQueues"], "cohortName"), members(case.get("cohorts"), "parentName"))
        usage = {name: amounts(used) for name, used in case.get("usage", {}).items()}
        for name, want in case["wantAvailable"].items():
            got = {key: shape.available(name, key, usage) for key in amounts(want)}
            wrong += [f"{row['name']} {name} available {got}"] if got != amounts(want) else []
        for name, want in case["wantPotentiallyAvailable"].items():
            got = {key: shape.potential(name, key) for key in amounts(want)}
            wrong += [f"{row['name']} {name} potential {got}"] if got != amounts(want) else []
    print(f"kueue-capacity-tables/{tag}: {len(rows) - len(wrong)} of {len(rows)} TestAvailable rows right")
    assert wrong == []
    assert len(rows) == 7


@pytest.mark.parametrize(
    ("quota", "want"),
    [(Q(4), 12), (Q(4, borrowing_limit=0), 4), (Q(4, borrowing_limit=7), 11), (Q(4, borrowing_limit=9), 12)],
)
def test_borrowing_is_bounded_by_limit_and_tree(quota: Quota, want: int) -> None:
    shape = tree({"a": Member("c", {("f", "r"): quota}), "b": Member("c", one(8))})
    assert shape.potential("a", ("f", "r")) == want


def test_what_is_not_lent_stays() -> None:
    shape = tree({"a": Member("c", one(4, lending_limit=1)), "b": Member("c", one(8, lending_limit=0))})
    assert (shape.potential("a", ("f", "r")), shape.potential("b", ("f", "r"))) == (4, 9)


def test_a_flavor_that_the_queue_does_not_list_is_not_borrowed() -> None:
    shape = tree({"a": Member("c", one(4))}, {"c": Member(None, {("other", "r"): Q(8)})})
    assert (shape.potential("a", ("other", "r")), shape.potential("a", ("f", "r"))) == (0, 4)


def test_loops_are_found_once_and_admit_nothing() -> None:
    cohorts = {
        "ai": Member("research", {}),
        "research": Member("ai", {}),
        "own": Member("own", {}),
        "below": Member("ai", {}),
        "sound": Member("root", {}),
    }
    shape = tree({"a": Member("below", one(4)), "b": Member("sound", one(4))}, cohorts)
    assert shape.loops == [("ai", "research"), ("own",)]
    assert [shape.is_in_loop(name) for name in "ab"] == [True, False]
    assert [shape.potential(name, ("f", "r")) for name in "ab"] == [0, 4]
    assert [shape.root_of(name) for name in "ab"] == [None, "root"]
    assert shape.available("a", ("f", "r"), {}) == 0
    assert shape.queues_below("ai") == ["a"]


def test_a_long_chain_needs_no_recursion() -> None:
    cohorts = {f"c{i}": Member(f"c{i + 1}", {}) for i in range(20_000)}
    shape = tree({"a": Member("c0", one(1))}, cohorts | {"c20000": Member(None, one(5))})
    assert shape.potential("a", ("f", "r")) == 6
