"""The quota tree, at the edges that Kueue's own tables leave out."""

from __future__ import annotations

import pytest

from generator.plan.capacity import Key, Member, Quota, QuotaTree

Q = Quota


def tree(queues: dict[str, Member], cohorts: dict[str, Member] | None = None) -> QuotaTree:
    return QuotaTree(queues, cohorts or {})


def one(nominal: int, **limits: int) -> dict[Key, Quota]:
    return {("f", "r"): Quota(nominal, **limits)}


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
