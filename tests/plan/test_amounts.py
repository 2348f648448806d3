"""What holds for any shares: together they never guarantee more than the pool can schedule."""

from __future__ import annotations

from functools import cache

import pytest
from hypothesis import given
from hypothesis import strategies as st

from generator.plan.amounts import guaranteed, limit
from generator.plan.model import Pool
from generator.plan.rounding import rounded, scaled
from generator.quantity import GI, MI, UNIT
from tests.builders import CORES, H100, MIXED, plan

UNEVEN = H100.replace("cpu: 100", "cpu: 97500m").replace("memory: 1000Gi", "memory: 1021Gi")


@cache
def pool(name: str) -> Pool:
    return plan(pools=[UNEVEN, MIXED, CORES]).pools[name]


def total(shares: list[dict[str, object]], of: Pool) -> dict[str, int]:
    owned = [guaranteed(share, of) for share in shares]
    return {name: sum(amounts[name] for amounts in owned) for name in of.total}


def parts(whole: int) -> st.SearchStrategy[list[int]]:
    """Return lists of whole numbers that add up to `whole`."""
    cuts = st.lists(st.integers(0, whole), max_size=8).map(sorted)
    return cuts.map(lambda at: [b - a for a, b in zip([0, *at], [*at, whole], strict=True)])


@given(parts(16))
def test_automatic_shares_of_cards(cards: list[int]) -> None:
    h100 = pool("h100")
    sums = total([{"accelerators": count} for count in cards], h100)
    assert all(sums[name] <= h100.total[name] for name in sums)
    assert sums["nvidia.com/gpu"] == h100.total["nvidia.com/gpu"]


@given(parts(48), parts(32))
def test_automatic_shares_of_slices(ones: list[int], twos: list[int]) -> None:
    mixed = pool("mixed")
    shares: list[dict[str, object]] = [{"slices": {"1g.10gb": count}} for count in ones]
    shares += [{"slices": {"2g.20gb": count}} for count in twos]
    sums = total(shares, mixed)
    assert all(sums[name] <= mixed.total[name] for name in sums)


@given(parts(100_000), st.sampled_from(["cpu", "memory"]))
def test_automatic_shares_of_cores_or_bytes(thousandths: list[int], named: str) -> None:
    cores = pool("cores")
    sums = total([{named: f"{part // 1000}.{part % 1000:03}%"} for part in thousandths], cores)
    assert all(sums[name] <= cores.total[name] for name in sums)


@given(parts(100_000), st.sampled_from(["h100", "cores"]))
def test_percentages(thousandths: list[int], name: str) -> None:
    of = pool(name)
    written = ("cpu", "memory", "accelerators") if of.offers else ("cpu", "memory")
    sums = total([dict.fromkeys(written, f"{part // 1000}.{part % 1000:03}%") for part in thousandths], of)
    assert all(sums[name] <= of.total[name] for name in sums)


@given(st.integers(0, 16), st.integers(0, 16))
def test_limits_bracket_the_exact_proportion(owned_cards: int, count: int) -> None:
    h100 = pool("h100")
    owned = guaranteed({"accelerators": owned_cards}, h100)
    borrow, lend = limit(count, h100, owned, up=True), limit(count, h100, owned, up=False)
    base = owned if owned_cards else h100.total
    for name in ("cpu", "memory"):
        exact = base[name] * count / (owned_cards or 16)
        assert lend[name] <= exact <= borrow[name]
    assert borrow["nvidia.com/gpu"] == lend["nvidia.com/gpu"] == count * UNIT


@pytest.mark.parametrize(
    ("resource", "amount", "down", "up"),
    [
        ("cpu", 999, 999, 999),
        ("cpu", 1000, 1000, 1000),
        ("cpu", 1001, 1000, 2000),
        ("memory", MI - 1, 0, MI),
        ("memory", MI, MI, MI),
        ("memory", GI - 1, GI - MI, GI),
        ("memory", GI + 1, GI, 2 * GI),
        ("ephemeral-storage", GI + MI, GI, 2 * GI),
        ("nvidia.com/gpu", 1999, 1000, 2000),
        ("nvidia.com/gpu", 1, 0, 1000),
    ],
)
def test_rounding(resource: str, amount: int, down: int, up: int) -> None:
    assert rounded(resource, amount) == down
    assert (scaled(resource, amount, 1, 1), scaled(resource, amount, 1, 1, up=True)) == (down, up)


def test_of_nothing_everything_is_nothing() -> None:
    assert scaled("cpu", 1000, 1, 0, up=True) == 0


def test_half_a_thousandth_is_rounded_too() -> None:
    assert (scaled("cpu", 1, 1, 2), scaled("cpu", 1, 1, 2, up=True)) == (0, 1)
