"""The quota tree's formulas against units that are moved one at a time."""

from __future__ import annotations

from itertools import product

from hypothesis import event, given, settings
from hypothesis import strategies as st

from generator.plan.capacity import Key, Member, Quota, QuotaTree
from tests.plan.flows import Flows

KEY = ("flavor", "resource")
COHORTS = ("root", "left", "right", "deep")
QUEUES = ("a", "b", "c", "d", "e")
LIMITS = st.none() | st.integers(0, 5)


def quotas(*, limits: bool) -> st.SearchStrategy[dict[Key, Quota]]:
    limit = LIMITS if limits else st.none()
    return st.builds(Quota, st.integers(0, 6), limit, limit).map(lambda quota: {KEY: quota})


@st.composite
def trees(draw: st.DrawFn) -> tuple[dict[str, Member], dict[str, Member]]:
    """Queues in up to four cohorts; a cohort may be a root of its own, and only named."""
    parents = {"root": st.none(), "left": st.sampled_from([None, "root"]), "right": st.just("root")}
    cohorts = {}
    for name in COHORTS[: draw(st.integers(0, 4))]:
        parent = draw(parents.get(name, st.sampled_from(["root", "left", "right"])))
        own = draw(quotas(limits=parent is not None) | st.just({}))
        cohorts[name] = Member(parent, own)
    above = st.sampled_from([None, "named", *cohorts]) if cohorts else st.sampled_from([None, "named"])
    queues = {}
    for name in QUEUES[: draw(st.integers(1, 5))]:
        parent = draw(above)
        queues[name] = Member(parent, draw(quotas(limits=parent is not None)))
    return queues, cohorts


def flows(queues: dict[str, Member], cohorts: dict[str, Member]) -> Flows:
    named = {m.parent: Member(None, {}) for m in queues.values() if m.parent == "named"}
    return Flows(queues, cohorts | {name: member for name, member in named.items() if name})


@settings(derandomize=True, deadline=None, max_examples=300)
@given(trees())
def test_potential_is_what_an_idle_tree_admits(drawn: tuple[dict[str, Member], dict[str, Member]]) -> None:
    queues, cohorts = drawn
    shape = QuotaTree(queues, cohorts)
    assert {name: shape.potential(name, KEY) for name in queues} == {
        name: flows(queues, cohorts).more(name) for name in queues
    }


@settings(derandomize=True, deadline=None, max_examples=300)
@given(trees(), st.lists(st.sampled_from(QUEUES), max_size=25))
def test_available_is_what_a_busy_tree_admits(
    drawn: tuple[dict[str, Member], dict[str, Member]], asked: list[str]
) -> None:
    """Units are asked for in any order, and used as far as the tree admits them."""
    queues, cohorts = drawn
    shape, busy = QuotaTree(queues, cohorts), flows(queues, cohorts)
    used = dict.fromkeys(queues, 0)
    for name in asked:
        if name in queues:
            can = shape.available(name, KEY, {queue: {KEY: count} for queue, count in used.items()}) > 0
            assert busy.use(name) == can
            used[name] += can
    event(f"used: {sum(used.values()) > 0}")
    usage = {queue: {KEY: count} for queue, count in used.items()}
    for name in queues:
        again = flows(queues, cohorts)
        for queue, count in used.items():
            assert all(again.use(queue) for _ in range(count))
        assert shape.available(name, KEY, usage) == again.more(name)


USAGE = st.dictionaries(st.sampled_from(QUEUES[:3]), st.integers(0, 7), max_size=3)


@settings(derandomize=True, deadline=None, max_examples=300)
@given(trees(), USAGE)
def test_nothing_is_beyond_where_every_queue_could_have_what_it_holds(
    drawn: tuple[dict[str, Member], dict[str, Member]], held: dict[str, int]
) -> None:
    shape = QuotaTree(*drawn)
    usage = {name: {KEY: amount} for name, amount in held.items() if name in shape.queues}
    fits = all(
        amounts[KEY] <= shape.available(name, KEY, {other: used for other, used in usage.items() if other != name})
        for name, amounts in usage.items()
    )
    event(f"fits: {fits}")
    assert (shape.excess(KEY, usage) == {}) is fits


@settings(derandomize=True, deadline=None, max_examples=150)
@given(trees(), USAGE)
def test_what_is_beyond_is_the_least_that_has_to_end(
    drawn: tuple[dict[str, Member], dict[str, Member]], held: dict[str, int]
) -> None:
    shape = QuotaTree(*drawn)
    names = [name for name in held if name in shape.queues]
    usage = {name: {KEY: held[name]} for name in names}
    kept = (
        dict(zip(names, ({KEY: amount} for amount in amounts), strict=True))
        for amounts in product(*(range(held[name] + 1) for name in names))
    )
    most = max(sum(amounts[KEY] for amounts in left.values()) for left in kept if not shape.excess(KEY, left))
    assert sum(shape.excess(KEY, usage).values()) == sum(held[name] for name in names) - most
