"""Flavors of one queue or cohort → one resource group: the same resources in the same order."""

from __future__ import annotations

from generator.frozen import replace
from generator.plan.amounts import PARTS
from generator.plan.model import FlavorQuota, ResourceQuota


def covering(flavors: list[FlavorQuota]) -> tuple[FlavorQuota, ...]:
    """Return the flavors with the same resources in the same order, as one resource group wants them.

    Flavors of CPU pools come first, so that work without accelerators does not take the nodes that have some; Kueue
    goes on to the next flavor where one has none of a resource. What a flavor lacks is 0, and nothing of it is lent.
    """
    names = dict.fromkeys(r.resource for flavor in flavors for r in flavor.resources)
    order = [name for name in PARTS if name in names] + [name for name in names if name not in PARTS]
    return tuple(_covering(flavor, order) for flavor in sorted(flavors, key=_has_accelerators))


def _has_accelerators(flavor: FlavorQuota) -> bool:
    return any(r.resource not in PARTS for r in flavor.resources)


def _covering(flavor: FlavorQuota, order: list[str]) -> FlavorQuota:
    have = {r.resource: r for r in flavor.resources}
    borrows = any(r.borrowing_limit is not None for r in flavor.resources)
    lends = any(r.lending_limit is not None for r in flavor.resources)
    absent = ResourceQuota("", 0, 0 if borrows else None, 0 if lends else None)
    return replace(flavor, resources=tuple(have.get(name) or replace(absent, resource=name) for name in order))
