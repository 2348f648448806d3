"""Teams that go, and what changes the Application that owns it."""

from __future__ import annotations

from collections.abc import Iterator

from generator.change.model import Identity, Step
from generator.change.namespaces import is_drained
from generator.change.queues import DRAINING, may_hold, re_pointed
from generator.emit.argocd import PRUNED
from generator.emit.leaves import LAYERS
from generator.emit.marks import SYNC_OPTIONS
from generator.finding import Finding, Severity
from generator.plan.model import Team
from generator.validate.cluster import annotations_of
from generator.validate.kinds import NAMESPACE
from generator.validate.wording import some

_KEPT = ("Prune=confirm", "Prune=false")
_VOLUMES = (NAMESPACE, ("", "PersistentVolumeClaim"))


def removed(step: Step) -> Iterator[Finding]:
    """Yield teams that go, with what of theirs was not drained; a team that left nothing behind is no matter."""
    for name, team in step.old.teams.items():
        if name not in step.new.teams:
            yield from _removed(step, team)


def _removed(step: Step, team: Team) -> Iterator[Finding]:
    behind = step.old.queues.by_name
    full = [q.name for q in team.queues if q.name in behind and may_hold(behind[q.name])]
    spaces = [s.name for s in team.namespaces if Identity(NAMESPACE, "", s.name) in step.removed]
    if not full and not spaces:
        return
    lost = f"; namespaces {some(spaces)} go with their volumes" if spaces else ""
    held = f": the finalizers of {some(full)} hold until nothing is admitted, and the sync waits" if full else ""
    is_open = full or not all(is_drained(step, space) for space in spaces)
    place = step.new.plan.origin
    yield step.of_plan(
        ("team", team.name),
        "team-removed",
        Severity.ERROR if is_open else Severity.WARNING,
        f"team {team.name} is removed{held}{lost}",
        f"first give its queues stopPolicy: {DRAINING} and have that synced; then remove it, in a revision of its own"
        if is_open
        else "save what is on the volumes before this is synced",
        place,
        (step.before(team.origin),),
    )


def moved(step: Step) -> Iterator[Finding]:
    """Yield what another Application would apply while the one that has it prunes it, once for each pair of them."""
    groups: dict[tuple[str, str], list[Identity]] = {}
    for key, _, _ in step.both():
        old, new = step.old.homes[key], step.new.homes[key]
        if old != new and _layer(old) in PRUNED:
            groups.setdefault((old, _of_parts(old, new)), []).append(key)
    elsewhere = {key for key, _, _ in re_pointed(step)}
    for (old, new), keys in groups.items():
        yield _moved(step, old, new, keys, [key for key in keys if key in elsewhere])


def _layer(home: str) -> str:
    return next((layer for layer in LAYERS if home == layer or home.startswith(f"{layer}/")), home)


def _of_parts(old: str, new: str) -> str:
    """Return the new home; where a folder is split for its size, or joined again, the name of the whole."""
    return f"parts of {old}" if new.startswith(f"{old}/") else new


def _moved(step: Step, old: str, new: str, keys: list[Identity], refused: list[Identity]) -> Finding:
    first = sorted(keys, key=lambda key: (key.kind != NAMESPACE, key))
    lost = [key for key in keys if key.kind in _VOLUMES and not _is_kept(step, key)]
    said = (
        f"; {some(map(str, refused))} would lead to another ClusterQueue, which the server refuses" if refused else ""
    )
    application = f"{step.new.plan.name}-{old.replace('/', '-')}"
    fix = f"switch pruning of Application {application} off until the other one has applied them"
    if old.startswith("tenants/") and new.startswith("tenants/"):
        fix = "leave the namespace with its team; give the other team a new one, and move the work"
    return step.of_new(
        first[0],
        "application-changes",
        Severity.ERROR if refused or lost else Severity.WARNING,
        f"{some(map(str, first))}: from {_named(old)} to {_named(new)}, so that the Application of the one prunes what "
        f"that of the other applies{said}",
        fix,
        related=(step.before(step.old.objects[first[0]].origin),),
    )


def _named(home: str) -> str:
    return f"team {home.removeprefix('tenants/')}" if home.startswith("tenants/") else home


def _is_kept(step: Step, key: Identity) -> bool:
    options = str(annotations_of(step.old.objects[key]).get(SYNC_OPTIONS, ""))
    return any(kept in options for kept in _KEPT)
