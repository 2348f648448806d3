"""The arithmetic of a share: what it guarantees of every resource of a pool, and how limits follow.

Source of the rules: contract, section 1 (semantics).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from decimal import Decimal
from typing import Any

from generator.environment.quotas import Amounts as GivenAmounts
from generator.frozen import dataclass
from generator.plan.model import CPU, MEMORY, STORAGE, Pool
from generator.plan.rounding import scaled
from generator.quantity import Amount, parse

PARTS = (CPU, MEMORY, STORAGE)
HUNDRED_PERCENT = 100_000  # in thousandths of a percent, the finest that can be written
Owned = dict[str, Amount]


@dataclass(frozen=True, slots=True)
class Change:
    """A dated override that applies: amounts to add to, or to put in the place of, what the quota says."""

    add: GivenAmounts
    set: GivenAmounts


def guaranteed(share: Mapping[str, Any], pool: Pool, changes: Sequence[Change] = ()) -> Owned:
    """Return what a share guarantees of cpu, memory, ephemeral-storage and each resource that the pool offers.

    Overrides that set come before those that add, whatever their order: overlapping ones add up.
    """
    sets: list[Mapping[str, Any]] = [change.set for change in changes]
    adds: list[Mapping[str, Any]] = [change.add for change in changes]
    counted = any(key in amounts for amounts in (share, *sets, *adds) for key in ("accelerators", "slices"))
    units = _units(pool, [share, *sets], adds)
    named = _named(pool, [share, *sets], adds)
    part, whole = _fraction(pool, units, named, counted=counted)
    parts = [name for name in PARTS if name in pool.total]
    extra = {name: sum(parse(amounts.get(name, 0)) for amounts in adds) for name in parts}
    auto = {name: scaled(name, pool.total[name], part, whole) + extra[name] for name in parts}
    return auto | named | units


def limit(value: Any, pool: Pool, owned: Owned, *, up: bool) -> Owned:
    """Return the borrowing (up) or lending limit of each resource; empty: no limit.

    A count is one of the pool's accelerators (a CPU pool: of its cores); all else follows in proportion.
    """
    if value in ("unlimited", "all"):
        return {}
    if is_percentage(value):
        return {name: scaled(name, amount, _percent(value), HUNDRED_PERCENT, up=up) for name, amount in owned.items()}
    count = parse(value)
    if not count:
        return dict.fromkeys(owned, 0)
    weights = counted_by(pool)
    part = count * sum(weights.values())
    base: Mapping[str, Amount] = owned if any(owned[name] for name in weights) else pool.total
    whole = _weighed(base, weights)
    return {name: count if name in weights else scaled(name, base[name], part, whole, up=up) for name in owned}


def counted_by(pool: Pool) -> Mapping[str, int]:
    """Return what a plain count speaks of, with its weight: the pool's accelerators; of a CPU pool: cores."""
    return pool.offers or {CPU: 1}


def is_percentage(value: Any) -> bool:
    """Tell whether an amount is written as a percentage."""
    return isinstance(value, str) and value.endswith("%")


def _percent(value: str) -> int:
    return int(Decimal(value[:-1]) * 1000)


def _written(value: Any, resource: str, pool: Pool) -> Amount:
    """Return a written amount: a quantity as it is, a percentage of what the pool can schedule rounded down."""
    if is_percentage(value):
        return scaled(resource, pool.total[resource], _percent(value), HUNDRED_PERCENT)
    return parse(value)


def _units(pool: Pool, sets: Sequence[Mapping[str, Any]], adds: Sequence[Mapping[str, Any]]) -> Owned:
    """Return the guaranteed amount of each accelerator resource."""
    units = dict.fromkeys(pool.offers, 0)
    for amounts in sets:
        units |= {resource: _written(value, resource, pool) for resource, value in _units_in(amounts, pool)}
    for amounts in adds:
        for resource, value in _units_in(amounts, pool):
            units[resource] += parse(value)
    return units


def _units_in(amounts: Mapping[str, Any], pool: Pool) -> Iterator[tuple[str, Any]]:
    if pool.sharing.mig == "mixed":
        by_profile = dict(zip(pool.sharing.layout, pool.offers, strict=True))
        yield from ((by_profile[profile], value) for profile, value in (amounts.get("slices") or {}).items())
    elif "accelerators" in amounts:
        yield from ((resource, amounts["accelerators"]) for resource in pool.offers)


def _named(pool: Pool, sets: Sequence[Mapping[str, Any]], adds: Sequence[Mapping[str, Any]]) -> Owned:
    """Return the amounts of cpu, memory and ephemeral-storage that are written, not `auto`."""
    written: dict[str, Any] = {}
    for amounts in sets:
        written |= {name: amounts[name] for name in PARTS if name in amounts}
    return {
        name: _written(value, name, pool) + sum(parse(amounts.get(name, 0)) for amounts in adds)
        for name, value in written.items()
        if value != "auto"
    }


def _fraction(pool: Pool, units: Owned, named: Owned, *, counted: bool) -> tuple[int, int]:
    """Return the share of the pool that `auto` gives, as numerator and denominator; (0, 0): nothing says how much."""
    if pool.offers and (counted or not named):
        return _weighed(units, pool.offers), _weighed(pool.total, pool.offers)
    shares = [(amount, pool.total[name]) for name, amount in named.items() if pool.total[name]]
    least = shares[0] if shares else (0, 0)
    for amount, total in shares[1:]:
        if amount * least[1] < least[0] * total:
            least = amount, total
    return least


def _weighed(amounts: Mapping[str, Amount], weights: Mapping[str, int]) -> int:
    return sum(amounts[name] * weight for name, weight in weights.items())
