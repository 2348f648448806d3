"""Teams that go, and what changes the Application that owns it."""

from __future__ import annotations

from collections.abc import Iterator

from generator.change.model import TEAM, Identity, Step
from generator.change.namespaces import is_drained
from generator.change.queues import DRAINING, may_hold, re_pointed
from generator.emit.argocd import PRUNED
from generator.emit.leaves import LAYERS
from generator.emit.marks import SYNC_OPTIONS
from generator.finding import Finding, Severity
from generator.plan.model import Team
from generator.validate.cluster import annotations_of, labels_of
from generator.validate.kinds import CLUSTER_QUEUE, NAMESPACE
from generator.validate.wording import some

_KEPT = ("Prune=confirm", "Prune=false")
_VOLUMES = (NAMESPACE, ("", "PersistentVolumeClaim"))
_OF_NOTE = (*_VOLUMES, CLUSTER_QUEUE)


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
    lost = f"; once somebody deletes namespaces {some(spaces)}, or confirms it, volumes go too" if spaces else ""
    held = f": the finalizers of {some(full)} hold until nothing is admitted, and the sync waits" if full else ""
    is_open = full or not all(is_drained(step, space) for space in spaces)
    yield step.of_plan(
        ("team", team.name),
        "team-removed",
        Severity.ERROR if is_open else Severity.WARNING,
        f"team {team.name} is removed{held}{lost}",
        f"first give its queues stopPolicy: {DRAINING} and have that synced; then remove it, in a revision of its own"
        if is_open
        else "save what is on the volumes before that",
        step.file_of(team.origin),
        (step.before(team.origin),),
    )


def moved(step: Step) -> Iterator[Finding]:
    """Yield what another Application would apply while the one that has it prunes it, once for each pair of them."""
    groups: dict[tuple[str, str], list[Identity]] = {}
    for key, _, _ in step.both():
        old, new = step.old.homes[key], step.new.homes[key]
        if old != new and _layer(old) in PRUNED:
            groups.setdefault((_whole(old, new), _whole(new, old)), []).append(key)
    elsewhere = {key for key, _, _ in re_pointed(step)}
    for (old, new), keys in groups.items():
        yield _moved(step, old, new, keys, [key for key in keys if key in elsewhere])


def _layer(home: str) -> str:
    return next((layer for layer in LAYERS if home == layer or home.startswith(f"{layer}/")), home)


def _whole(home: str, other: str) -> str:
    """Return a folder; one of the parts into which another was split for its size stands for all of them."""
    return f"{other}/*" if home.startswith(f"{other}/") else home


def _moved(step: Step, old: str, new: str, keys: list[Identity], refused: list[Identity]) -> Finding:
    of_note = [key for key in keys if key.kind in _OF_NOTE] or keys
    first, rest = of_note[0], len(keys) - len(of_note)
    teams = [labels_of(side.objects[first]).get(TEAM) for side in (step.old, step.new)]
    is_handed_over = None not in teams and teams[0] != teams[1]
    lost = [key for key in keys if key.kind in _VOLUMES and not _is_kept(step, key)]
    return step.of_new(
        first,
        "application-changes",
        Severity.ERROR if refused or lost else Severity.WARNING,
        f"{some(map(str, of_note))}{f' and {rest} more' if rest else ''} go "
        + (f"from team {teams[0]} to team {teams[1]}" if is_handed_over else f"from {old} to {new}")
        + ": the Application of the one prunes what that of the other applies"
        + (f", and the server refuses to lead {some(map(str, refused))} elsewhere" if refused else ""),
        "leave it with its team: give the other team a namespace of a new name, and move the work"
        if is_handed_over
        else f"switch off pruning of Application {step.new.plan.name}-{old.replace('/', '-')} until this is synced",
        related=(step.before(step.old.objects[first].origin),),
    )


def _is_kept(step: Step, key: Identity) -> bool:
    options = str(annotations_of(step.old.objects[key]).get(SYNC_OPTIONS, ""))
    return any(kept in options for kept in _KEPT)
