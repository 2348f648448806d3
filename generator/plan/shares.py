"""Shares of pools: what a queue or cohort is guaranteed, may borrow and lends, for every resource of a pool.

Source of the rules: contract, section 1 (semantics) and section 2 (presets).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from decimal import Decimal
from typing import Any

from generator.environment.quotas import Share
from generator.finding import Finding, Layer, Location, Severity, error
from generator.frozen import dataclass
from generator.plan.amounts import Change, Owned, counted_by, guaranteed, is_percentage, limit
from generator.plan.covering import covering
from generator.plan.model import STORAGE, FlavorQuota, Pool, ResourceQuota
from generator.plan.rounding import shown
from generator.quantity import Amount, canonical, parse
from generator.source import at, value_at
from generator.spelling import remedy


@dataclass(frozen=True, slots=True)
class Owner:
    """Who holds a share: its name for messages, whether it may borrow and lend, and its defaults for both."""

    name: str
    in_cohort: bool
    borrow: str | int = "unlimited"
    lend: str | int = "all"
    group: str = "cohort"  # what it would borrow through: a queue's cohort, a cohort's parent
    may_lend_more: bool = False  # a Cohort may lend more than it owns, a ClusterQueue may not


def flavors(
    quota: Mapping[str, Share], pools: Mapping[str, Pool], owner: Owner, changes: Mapping[str, Sequence[Change]]
) -> tuple[tuple[FlavorQuota, ...], list[Finding]]:
    """Return the flavors of a quota (pool → share), all with the same resources, and what is wrong with the shares."""
    resolved: list[FlavorQuota] = []
    findings: list[Finding] = []
    for name, share in quota.items():
        if name not in pools:
            findings.append(_unknown_pool(owner, quota, name, pools))
            continue
        pool = pools[name]
        found = [*defects(share, pool, owner.name), *_limits_of_nobody(share, pool, owner)]
        findings += found
        if not any(finding.severity is Severity.ERROR for finding in found):
            owned = guaranteed(share, pool, changes.get(name, ()))
            findings += _lends_too_much(share, pool, owner, owned)
            resolved.append(_flavor(share, pool, owner, owned, at(quota, name)))
    return covering(resolved), findings


def _flavor(share: Share, pool: Pool, owner: Owner, owned: Owned, place: Location) -> FlavorQuota:
    borrow = limit(share.get("borrow", owner.borrow), pool, owned, up=True) if owner.in_cohort else {}
    lend = limit(share.get("lend", owner.lend), pool, owned, up=False) if owner.in_cohort else {}
    if not owner.may_lend_more:
        lend = {name: min(amount, owned[name]) for name, amount in lend.items()}
    quotas = (ResourceQuota(name, amount, borrow.get(name), lend.get(name)) for name, amount in owned.items())
    return FlavorQuota(pool.name, tuple(quotas), place)


def _unknown_pool(owner: Owner, quota: object, name: str, pools: Mapping[str, Pool]) -> Finding:
    return error(
        "unknown-pool",
        f"{owner.name} gets a share of pool {name}, which the inventory does not have",
        at(quota, name),
        remedy(name, pools, "pools are"),
        layer=Layer.REFERENCE,
    )


def defects(amounts: Mapping[str, Any], pool: Pool, owner: str) -> Iterator[Finding]:
    """Yield amounts of what the pool does not offer; `owner` is who gets them."""
    if "accelerators" in amounts and (pool.sharing.mig == "mixed" or not pool.offers):
        yield _no_accelerators(amounts, pool, owner)
    if "slices" in amounts:
        yield from _slice_defects(amounts, pool, owner)
    if STORAGE in amounts and STORAGE not in pool.total:
        yield error(
            "unknown-capacity",
            f"{owner} gets {STORAGE} of pool {pool.name}, whose nodes do not say how much they have",
            at(amounts, STORAGE),
            f"add perNode.{STORAGE} to the pool",
        )


def _no_accelerators(amounts: Mapping[str, Any], pool: Pool, owner: str) -> Finding:
    place = at(amounts, "accelerators")
    if not pool.offers:
        return error(
            "accelerators-of-cpu-pool",
            f"{owner} gets accelerators of pool {pool.name}, which has none",
            place,
            "name cpu and memory, or another pool",
        )
    slices = ", ".join(f"{profile}: <count>" for profile in pool.sharing.layout)
    return error(
        "accelerators-of-mig-pool",
        f"{owner} gets whole accelerators of pool {pool.name}, "
        f"which is cut into mixed MIG slices and offers {', '.join(pool.offers)}",
        place,
        f"write slices: {{{slices}}}",
    )


def _slice_defects(amounts: Mapping[str, Any], pool: Pool, owner: str) -> Iterator[Finding]:
    layout = pool.sharing.layout
    if pool.sharing.mig != "mixed":
        yield error(
            "slices-of-whole-pool",
            f"{owner} gets slices of pool {pool.name}, which is not cut into mixed MIG slices "
            f"and offers {', '.join(pool.offers) or 'no accelerators'}",
            at(amounts, "slices"),
            "write accelerators: <count>" if pool.offers else "name another pool",
        )
        return
    for profile in amounts["slices"]:
        if profile not in layout:
            yield error(
                "unknown-slice",
                f"{owner} gets slices {profile} of pool {pool.name}, which has none",
                at(amounts["slices"], profile),
                remedy(profile, layout, "the pool has"),
            )


def _limits_of_nobody(share: Mapping[str, Any], pool: Pool, owner: Owner) -> Iterator[Finding]:
    """Yield limits of an owner that has nobody to share with; 0 says so and is right, without limit says nothing."""
    for key, verb in (("borrow", "may borrow"), ("lend", "lends")):
        if owner.in_cohort or key not in share or _is_nothing(share[key]):
            continue
        empty = share[key] in ("unlimited", "all")
        effect = "so it does nothing" if empty else "and the API server refuses the limit"
        yield Finding(
            f"{key}-without-{owner.group.replace(' ', '-')}",
            Severity.WARNING if empty else Severity.ERROR,
            Layer.READINESS if empty else Layer.CEL,
            f"{owner.name} {verb} {share[key]} of pool {pool.name} and is in no {owner.group}: "
            f"there is nobody to share with, {effect}",
            at(share, key),
            f"put it into a {owner.group}, or remove {key}",
        )


def _is_nothing(value: Any) -> bool:
    if is_percentage(value):
        return not Decimal(value[:-1])
    return value not in ("unlimited", "all") and not parse(value)


def _lends_too_much(share: Mapping[str, Any], pool: Pool, owner: Owner, owned: Owned) -> Iterator[Finding]:
    lent = share.get("lend", "all")
    if owner.may_lend_more or not owner.in_cohort or lent == "all" or is_percentage(lent):
        return
    counted = counted_by(pool)
    most: Amount = max(owned[name] for name in counted)
    if parse(lent) > most:
        own = shown(next(iter(counted)), most)
        yield error(
            "lends-more-than-it-owns",
            f"{owner.name} lends {canonical(parse(lent))} of pool {pool.name} and owns {own}",
            value_at(share, "lend"),
            f"lend at most {own}, or raise its quota",
        )
