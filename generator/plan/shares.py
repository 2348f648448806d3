"""Shares of pools: what a queue or cohort is guaranteed, may borrow and lends, for every resource of a pool.

Source of the rules: contract, section 1 (semantics) and section 2 (presets).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from decimal import Decimal
from typing import Any

from generator.environment.quotas import Amounts as GivenAmounts
from generator.environment.quotas import Share
from generator.environment.validate import near
from generator.finding import Finding, Location, error
from generator.plan.model import CPU, MEMORY, STORAGE, FlavorQuota, Pool, ResourceQuota
from generator.plan.pools import grain, rounded, shown
from generator.quantity import Amount, canonical, parse
from generator.source import at, value_at

PARTS = (CPU, MEMORY, STORAGE)
_WHOLE = 100_000  # 100% in thousandths of a percent


@dataclass(frozen=True, slots=True)
class Change:
    """A dated override that applies: amounts to add to, or to put in the place of, what the quota says."""

    add: GivenAmounts
    set: GivenAmounts


@dataclass(frozen=True, slots=True)
class Owner:
    """Who holds a share: its name for messages, whether a cohort lets it borrow and lend, and its defaults."""

    name: str
    in_cohort: bool
    borrow: str | int  # the preset's default
    lend: str | int
    group: str = "cohort"  # what it would borrow through: a queue's cohort, a cohort's parent
    may_lend_more: bool = False  # a Cohort may lend more than it owns, a ClusterQueue may not


def resolve(
    share: Share, pool: Pool, owner: Owner, changes: list[Change], place: Location
) -> tuple[FlavorQuota, list[Finding]]:
    """Return the quota of one flavor: cpu, memory, ephemeral-storage and each resource the pool offers."""
    findings = list(_defects(share, pool, owner))
    if findings:
        return FlavorQuota(pool.name, (), place), findings
    owned = _guaranteed(share, pool, changes)
    borrow = _limit(share.get("borrow", owner.borrow), pool, owned, up=True) if owner.in_cohort else {}
    lend = _limit(share.get("lend", owner.lend), pool, owned, up=False) if owner.in_cohort else {}
    if "lend" in share and not owner.may_lend_more:
        findings += _lends_too_much(share, pool, owner, owned)
    quotas = tuple(
        ResourceQuota(name, amount, borrow.get(name), _lendable(lend.get(name), amount, owner))
        for name, amount in owned.items()
    )
    return FlavorQuota(pool.name, quotas, place), findings


def _lendable(limit: Amount | None, owned: Amount, owner: Owner) -> Amount | None:
    return limit if limit is None or owner.may_lend_more else min(limit, owned)


def covering(flavors: list[FlavorQuota]) -> tuple[FlavorQuota, ...]:
    """Return the flavors with the same resources in the same order, as one resource group wants them.

    Flavors of CPU pools come first, so that work without accelerators does not take the nodes that have some; Kueue
    goes on to the next flavor where one has none of a resource. What a flavor lacks is 0, and nothing of it is lent.
    """
    names: dict[str, None] = {}
    for flavor in flavors:
        names |= dict.fromkeys(r.resource for r in flavor.resources if r.resource in PARTS)
    order = [p for p in PARTS if p in names]
    order += dict.fromkeys(r.resource for f in flavors for r in f.resources if r.resource not in PARTS)
    by_kind = sorted(flavors, key=lambda f: any(r.resource not in PARTS for r in f.resources))
    return tuple(_covering(flavor, order) for flavor in by_kind)


def _covering(flavor: FlavorQuota, order: list[str]) -> FlavorQuota:
    have = {r.resource: r for r in flavor.resources}
    borrows = any(r.borrowing_limit is not None for r in flavor.resources)
    lends = any(r.lending_limit is not None for r in flavor.resources)
    absent = ResourceQuota("", 0, 0 if borrows else None, 0 if lends else None)
    return replace(flavor, resources=tuple(have.get(n) or replace(absent, resource=n) for n in order))


def _defects(share: Share, pool: Pool, owner: Owner) -> Iterator[Finding]:
    mixed = pool.sharing.mig == "mixed"
    if "accelerators" in share and (mixed or not pool.offers):
        yield _no_accelerators(share, pool, owner)
    if "slices" in share:
        yield from _slice_defects(share, pool, owner)
    if STORAGE in share and STORAGE not in pool.total:
        yield error(
            "unknown-capacity",
            f"{owner.name} gets {STORAGE} of pool {pool.name}, whose nodes do not say how much they have",
            at(share, STORAGE),
            f"add perNode.{STORAGE} to the pool",
        )
    if owner.in_cohort:
        return
    for key, nothing in (("borrow", 0), ("lend", 0)):
        if key in share and share[key] != nothing and parse_or(share[key]) != nothing:  # type: ignore[literal-required]
            yield error(
                f"{key}-without-{owner.group}",
                f"{owner.name} {'may borrow' if key == 'borrow' else 'lends'} {share[key]} of pool {pool.name} and is in no {owner.group}: "  # type: ignore[literal-required]
                "there is nobody to share with, and the API server refuses the limit",
                at(share, key),
                f"put it into a {owner.group}, or remove {key}",
            )


def parse_or(value: Any) -> Amount | None:
    """Return a quantity, or None for a word or a percentage other than 0%."""
    if isinstance(value, str) and value.endswith("%"):
        return None if Decimal(value[:-1]) else 0
    try:
        return parse(value)
    except ValueError:
        return None


def _no_accelerators(share: Share, pool: Pool, owner: Owner) -> Finding:
    if not pool.offers:
        return error(
            "accelerators-of-cpu-pool",
            f"{owner.name} gets accelerators of pool {pool.name}, which has none",
            at(share, "accelerators"),
            "name cpu and memory, or another pool",
        )
    return error(
        "accelerators-of-mig-pool",
        f"{owner.name} gets whole accelerators of pool {pool.name}, which is cut into mixed MIG slices and offers {', '.join(pool.offers)}",
        at(share, "accelerators"),
        f"write slices: {{{', '.join(f'{profile}: <count>' for profile in pool.sharing.layout)}}}",
    )


def _slice_defects(share: Share, pool: Pool, owner: Owner) -> Iterator[Finding]:
    if pool.sharing.mig != "mixed":
        offered = ", ".join(pool.offers) or "no accelerators"
        yield error(
            "slices-of-whole-pool",
            f"{owner.name} gets slices of pool {pool.name}, which is not cut into mixed MIG slices and offers {offered}",
            at(share, "slices"),
            "write accelerators: <count>" if pool.offers else "name another pool",
        )
        return
    for profile in share["slices"]:
        if profile not in pool.sharing.layout:
            spelling = near(profile, pool.sharing.layout)
            hint = f"did you mean {spelling}? " if spelling else ""
            yield error(
                "unknown-slice",
                f"{owner.name} gets slices {profile} of pool {pool.name}, which has none",
                at(share["slices"], profile),
                f"{hint}the pool has {', '.join(pool.sharing.layout)}",
            )


def _guaranteed(share: Share, pool: Pool, changes: list[Change]) -> dict[str, Amount]:
    units = _units(share, pool)
    explicit = {p: share[p] for p in PARTS if p in share and share[p] != "auto"}  # type: ignore[literal-required]
    for change in changes:
        _apply_units(change, pool, units)
        explicit |= {p: change.set[p] for p in PARTS if p in change.set}  # type: ignore[literal-required]
    named = {p: _part(explicit[p], p, pool) for p in explicit if p in pool.total}
    part, whole = _fraction(pool, units, named, counted="accelerators" in share or "slices" in share or bool(changes))
    owned: dict[str, Amount] = {}
    for name in PARTS:
        if name in pool.total:
            auto = rounded(name, pool.total[name] * part // whole) if whole else 0
            owned[name] = named.get(name, auto)
            owned[name] += sum(parse(c.add.get(name, 0)) for c in changes)
    return owned | units


def _units(share: Share, pool: Pool) -> dict[str, Amount]:
    """Return the guaranteed amount of each accelerator resource."""
    if pool.sharing.mig == "mixed":
        written: Mapping[str, Any] = share.get("slices") or {}
        by_profile = dict(zip(pool.sharing.layout, pool.offers, strict=True))
        return {resource: _part(written.get(profile, 0), resource, pool) for profile, resource in by_profile.items()}
    return {resource: _part(share.get("accelerators", 0), resource, pool) for resource in pool.offers}


def _apply_units(change: Change, pool: Pool, units: dict[str, Amount]) -> None:
    by_name = {"accelerators": next(iter(pool.offers), "")} if pool.sharing.mig != "mixed" else {}
    slices = dict(zip(pool.sharing.layout, pool.offers, strict=False)) if pool.sharing.mig == "mixed" else {}
    for part, adds in ((change.set, False), (change.add, True)):
        written: dict[str, Any] = {by_name[k]: v for k, v in part.items() if k in by_name}
        written |= {slices[k]: v for k, v in (part.get("slices") or {}).items() if k in slices}
        for resource, amount in written.items():
            if resource in units:
                units[resource] = parse(amount) + (units[resource] if adds else 0)


def _part(value: Any, resource: str, pool: Pool) -> Amount:
    """Return a written amount: a quantity as it is, a percentage of what the pool can schedule rounded down."""
    if isinstance(value, str) and value.endswith("%"):
        return rounded(resource, pool.total.get(resource, 0) * int(Decimal(value[:-1]) * 1000) // _WHOLE)
    return parse(value)


def _fraction(
    pool: Pool, units: Mapping[str, Amount], named: Mapping[str, Amount], *, counted: bool
) -> tuple[int, int]:
    """Return the share of the pool that `auto` gives, as numerator and denominator; (0, 0) when it is nothing."""
    if pool.offers and (counted or not named):
        part = sum(amount * pool.offers[resource] for resource, amount in units.items())
        return part, sum(pool.total[resource] * weight for resource, weight in pool.offers.items())
    shares = [(amount, pool.total[name]) for name, amount in named.items() if pool.total[name]]
    if not shares:
        return 0, 0
    least = shares[0]
    for share in shares[1:]:
        if share[0] * least[1] < least[0] * share[1]:
            least = share
    return least


def _limit(value: Any, pool: Pool, owned: Mapping[str, Amount], *, up: bool) -> Mapping[str, Amount]:
    """Return the borrowing (up) or lending limit of each resource; empty: no limit."""
    if value in ("unlimited", "all"):
        return {}
    if isinstance(value, str) and value.endswith("%"):
        percent = int(Decimal(value[:-1]) * 1000)
        return {name: _scaled(name, amount, percent, _WHOLE, up=up) for name, amount in owned.items()}
    count = parse(value)
    if not count:
        return dict.fromkeys(owned, 0)
    counted = list(pool.offers) or [CPU]
    part = sum(count * pool.offers.get(name, 1) for name in counted)
    base: Mapping[str, Amount] = owned
    whole = sum(owned[name] * pool.offers.get(name, 1) for name in counted)
    if not whole:  # owns nothing of them: in proportion to the pool
        base, whole = pool.total, sum(pool.total[name] * pool.offers.get(name, 1) for name in counted)
    return {n: count if n in counted else _scaled(n, base[n], part, whole, up=up) for n in owned}


def _scaled(resource: str, amount: Amount, part: int, whole: int, *, up: bool) -> Amount:
    if not whole:
        return 0
    exact, rest = divmod(amount * part, whole)
    unit = grain(resource, exact)
    return -(-(exact + bool(rest)) // unit) * unit if up else exact // unit * unit


def _lends_too_much(share: Share, pool: Pool, owner: Owner, owned: Mapping[str, Amount]) -> Iterator[Finding]:
    count = parse_or(share["lend"])
    counted = list(pool.offers) or [CPU]
    most = max(owned[name] for name in counted)
    if count and count > most:
        yield error(
            "lends-more-than-it-owns",
            f"{owner.name} lends {canonical(count)} of pool {pool.name} and owns {shown(counted[0], most)}",
            value_at(share, "lend"),
            f"lend at most {shown(counted[0], most)}, or raise its quota",
        )
