"""What cannot be of a hardware profile: its name, ranges, priority class, accelerators."""

from __future__ import annotations

import fnmatch
from collections.abc import Collection, Iterator, Mapping
from typing import Any

from generator.environment import fleet as given
from generator.environment.types import Quantity
from generator.finding import Finding, Layer, error
from generator.plan.model import Pool
from generator.quantity import MI, parse
from generator.releases.model import OpenShiftAI
from generator.source import at, value_at
from generator.spelling import or_else


def default(part: Mapping[str, Any]) -> Quantity:
    """Return the default of a range; of accelerators it may be left out: one, or the least."""
    least: Quantity = part.get("min", 1)
    return part["default"] if "default" in part else max(least, 1, key=parse)


def defects(item: given.Profile, release: OpenShiftAI, classes: Collection[str]) -> Iterator[Finding]:
    """Yield what no environment of the release can have; `classes` are the fleet's priorities."""
    name, priority = item["name"], item.get("priorityClass")
    if any(fnmatch.fnmatchcase(name, pattern) for pattern in release.reserved_profiles):
        yield error(
            "reserved-name",
            f"OpenShift AI makes hardware profiles called {name} itself",
            at(item, "name"),
            f"choose a name other than {', '.join(release.reserved_profiles)}",
        )
    if priority is not None and priority not in classes:
        yield error(
            "unknown-priority",
            f"profile {name} names the priority class {priority}, which the fleet does not have",
            value_at(item, "priorityClass"),
            or_else(priority, sorted(classes), "add it under priorities in the Fleet"),
            layer=Layer.REFERENCE,
        )
    for key in ("cpu", "memory", "accelerators"):
        part = item.get(key)
        if isinstance(part, Mapping):
            yield from _order(name, key, part)
            yield from _unit(name, part) if key == "memory" else ()


def _order(name: str, key: str, part: Mapping[str, str]) -> Iterator[Finding]:
    """Yield where not min <= default <= max: the dashboard hides such a profile without a word."""
    least = {"min": part.get("min", 0), "default": default(part)}
    for low, high in (("min", "default"), ("default", "max")):
        if high in part:
            below, above = least[low], part[high]
            if parse(below) > parse(above):
                yield error(
                    "invalid-range",
                    f"profile {name}: {key}.{low} {below} is above {high} {above}; the dashboard hides such a profile",
                    value_at(part, high),
                    f"make {low} at most {high}",
                    layer=Layer.READINESS,
                )


def _unit(name: str, part: Mapping[str, str]) -> Iterator[Finding]:
    """Yield memory that is neither whole Gi nor whole Mi, which alone the dashboard reads; the rest is hidden."""
    for edge, written in part.items():
        if rest := parse(written) % MI:
            nearest = (parse(written) - rest) // MI
            yield error(
                "invalid-value",
                f"profile {name}: memory.{edge} {written} is no whole number of Mi; the dashboard hides such a profile",
                value_at(part, edge),
                f"write it in Gi or Mi, such as {nearest}Mi",
                layer=Layer.READINESS,
            )


def pool_defects(item: given.Profile, pool: Pool) -> Iterator[Finding]:
    """Yield accelerators that the pool does not offer."""
    cards = item.get("accelerators")
    if cards is None:
        return
    name, place = item["name"], at(item, "accelerators")
    if not pool.offers:
        yield error(
            "accelerators-of-cpu-pool",
            f"profile {name} asks for accelerators of pool {pool.name}, which has none",
            place,
            "remove accelerators, or name another pool",
        )
        return
    listed = ", ".join(pool.sharing.layout)
    if pool.sharing.mig == "mixed" and "slice" not in cards:
        yield error(
            "accelerators-of-mig-pool",
            f"profile {name} asks for accelerators of pool {pool.name}, which is cut into mixed MIG slices",
            place,
            f"add slice: one of {listed}",
        )
    elif pool.sharing.mig == "mixed" and cards["slice"] not in pool.sharing.layout:
        yield error(
            "unknown-slice",
            f"profile {name} asks for slices {cards['slice']} of pool {pool.name}, which has none",
            value_at(cards, "slice"),
            f"the pool has {listed}",
        )
    elif pool.sharing.mig != "mixed" and "slice" in cards:
        yield error(
            "slices-of-whole-pool",
            f"profile {name} asks for slices of pool {pool.name}, which is not cut into mixed MIG slices",
            at(cards, "slice"),
            "remove slice",
        )
