"""The cohort tree: parents that exist, no loops, quota of its own."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from generator.environment import quotas as given
from generator.environment.load import Inputs
from generator.finding import Finding, Layer, Related, error
from generator.plan import shares
from generator.plan.model import Cohort, Pool
from generator.quantity import parse
from generator.releases.model import Kueue
from generator.source import at, value_at
from generator.spelling import or_else


def resolve(inputs: Inputs, pools: Mapping[str, Pool], kueue: Kueue) -> tuple[tuple[Cohort, ...], list[Finding]]:
    """Return the cohorts as declared, and what is wrong with the tree."""
    findings = [*_unsupported(inputs.cohorts, kueue), *_dangling(inputs.cohorts), *_loops(inputs.cohorts)]
    cohorts = []
    for item in inputs.cohorts:
        owner = shares.Owner(f"cohort {item['name']}", "parent" in item, group="parent cohort", may_lend_more=True)
        flavors, found = shares.flavors(item.get("quota") or {}, pools, owner, {})
        findings += found
        weight = parse(item["fairShareWeight"]) if "fairShareWeight" in item else None
        cohorts.append(Cohort(item["name"], item.get("parent"), weight, flavors, at(item)))
    return tuple(sorted(cohorts, key=lambda c: c.name)), findings


def _unsupported(cohorts: list[given.Cohort], kueue: Kueue) -> Iterator[Finding]:
    if "Cohort" in kueue.kinds:
        return
    for item in cohorts:
        for key in ("parent", "quota", "fairShareWeight"):
            if key in item:
                yield error(
                    "unsupported-by-release",
                    f"cohort {item['name']} has a {key}, "
                    f"and Red Hat build of Kueue {kueue.version} has no Cohort objects",
                    at(item, key),
                    f"remove {key}, or move to Kueue 1.2 or later",
                )


def _dangling(cohorts: list[given.Cohort]) -> Iterator[Finding]:
    names = [c["name"] for c in cohorts]
    for item in cohorts:
        parent = item.get("parent")
        if parent is not None and parent not in names:
            others = [name for name in names if name != item["name"]]
            yield error(
                "unknown-cohort",
                f"cohort {item['name']} has the parent {parent}, which is not declared",
                value_at(item, "parent"),
                or_else(parent, others, f"declare {parent} under cohorts"),
                layer=Layer.REFERENCE,
            )


def _loops(cohorts: list[given.Cohort]) -> Iterator[Finding]:
    """Yield each loop of parents once, as a path, at its first cohort in the file."""
    by_name = {c["name"]: c for c in cohorts}
    done: set[str] = set()
    for start in by_name:
        path: list[str] = []
        name: str | None = start
        while name is not None and name in by_name and name not in done and name not in path:
            path.append(name)
            name = by_name[name].get("parent")
        if name in path:
            loop = path[path.index(name) :]
            first = min(loop, key=lambda n: at(by_name[n]))
            turn = loop.index(first)
            shown = " -> ".join([*loop[turn:], *loop[:turn], first])
            yield error(
                "cohort-loop",
                f"cohorts form a loop: {shown}; Kueue admits nothing in any of them",
                at(by_name[first], "parent"),
                "remove one parent of the loop",
                layer=Layer.READINESS,
                related=tuple(Related(at(by_name[n]), f"cohort {n}") for n in loop if n != first),
            )
        done.update(path)
