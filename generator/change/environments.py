"""Environments that vanish or change their names."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from generator.change.model import Side
from generator.change.queues import DRAINING, may_hold
from generator.finding import Finding, Layer, Location, ObjectRef, Related, Severity
from generator.plan.resolve import IN_CLUSTER


def vanished(old: Mapping[str, Side], new: Mapping[str, Side], revision: str) -> Iterator[Finding]:
    """Yield the environments that only the old revision has, as renamed where a new one is the same cluster."""
    born = [side for name, side in new.items() if name not in old]
    for name, side in old.items():
        if name in new:
            continue
        same = next((other for other in born if _is_same(side, other)), None)
        related = (Related(side.plan.origin, f"in {revision}"),)
        if same is not None:
            yield _finding(
                name,
                "environment-renamed",
                Severity.ERROR,
                f"environment {name} is called {same.plan.name} now: its Applications lead to output/overlays/{name}, "
                "which is gone, and a second set of them would own every object",
                f"keep the name; to change it, delete the root Application of {name} without what it owns, then "
                f"bootstrap {same.plan.name}",
                same.plan.origin,
                related,
            )
        else:
            is_open = any(may_hold(queue) for queue in side.queues.all)
            yield _finding(
                name,
                "environment-removed",
                Severity.ERROR if is_open else Severity.WARNING,
                f"environment {name} is removed: its Applications lead to output/overlays/{name}, which is gone, so "
                "the cluster stays as it is, and nobody governs it"
                + (f"; its queues were not drained in {revision}" if is_open else ""),
                f"first drain its queues (stopPolicy: {DRAINING}) and delete its root Application; then remove it, in "
                "a revision of its own"
                if is_open
                else "delete its root Application, with what it owns if the cluster lives on",
                None,
                related,
            )


def _finding(
    name: str,
    rule: str,
    severity: Severity,
    message: str,
    fix: str,
    place: Location | None,
    related: tuple[Related, ...],
) -> Finding:
    return Finding(
        rule, severity, Layer.CHANGE, message, place, fix, ObjectRef(name, "Environment", name), None, related
    )


def _is_same(old: Side, new: Side) -> bool:
    """Whether two environments are one cluster: of one folder, one server, or with just the same namespaces."""
    server = old.plan.server
    spaces = [{space.name for team in side.plan.teams for space in team.namespaces} for side in (old, new)]
    return (
        _folder(old) == _folder(new)
        or (server == new.plan.server and server != IN_CLUSTER)
        or (bool(spaces[0]) and spaces[0] == spaces[1])
    )


def _folder(side: Side) -> str:
    return side.plan.origin.file.rpartition("/")[0]
