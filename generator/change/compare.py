"""Two revisions of all environments → what is different, and what of it is unsafe."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from itertools import chain

from generator.change import amounts, environments, fleet, namespaces, pools, queues, refused, releases, teams
from generator.change.fields import SECRET, differences
from generator.change.model import TEAM, Change, Identity, ObjectChange, Side, Step, identity
from generator.finding import Finding, Location
from generator.manifest import Manifest
from generator.validate.cluster import labels_of


def changes(old: Mapping[str, Side], new: Mapping[str, Side]) -> list[Change]:
    """Return the environments in which anything is different, by name."""
    found = (_change(name, old.get(name), new.get(name)) for name in sorted({*old, *new}))
    return [change for change in found if change.quotas or change.pools or change.objects]


def findings(
    old: Mapping[str, Side], new: Mapping[str, Side], revision: str, files: Collection[str]
) -> Iterator[Finding]:
    """Yield what is unsafe; `revision` is how the old one is called, `files` are the inputs of the new one."""
    yield from environments.vanished(old, new, revision)
    for name, side in new.items():
        if name in old:
            yield from unsafe(Step(old[name], side, revision, files))


def unsafe(step: Step) -> Iterator[Finding]:
    """Yield what is unsafe in one environment that is in both revisions."""
    gone = step.old.teams.keys() - step.new.teams.keys()
    yield from teams.removed(step)
    yield from teams.moved(step)
    yield from namespaces.removed(step, gone)
    yield from namespaces.managed(step)
    yield from queues.removed(step, gone)
    yield from queues.led_elsewhere(step)
    yield from queues.shrunk(step)
    yield from queues.unlimited(step)
    yield from pools.flavors(step)
    yield from pools.topologies(step)
    yield from fleet.priorities(step)
    yield from fleet.runtimes(step, gone)
    yield from fleet.profiles(step, gone)
    yield from releases.upgrades(step)
    yield from refused.updates(step)


def once(found: Collection[Finding]) -> list[Finding]:
    """Return findings that several environments have for one line, such as of the Fleet, as one: the first."""
    seen: dict[tuple[str, str, Location | None], Finding] = {}
    for finding in found:
        seen.setdefault((finding.rule, finding.message, finding.location), finding)
    return list(seen.values())


def _change(name: str, old: Side | None, new: Side | None) -> Change:
    none: dict[Identity, Manifest] = {}
    objects = tuple(_objects(old.objects if old else none, new.objects if new else none))
    kind = "created" if old is None else "removed" if new is None else "changed"
    quotas, pools, cohorts = (tuple(of(old, new)) for of in (amounts.quotas, amounts.pools, amounts.cohorts))
    return Change(name, kind, quotas, pools, objects, cohorts)


def _objects(old: Mapping[Identity, Manifest], new: Mapping[Identity, Manifest]) -> Iterator[ObjectChange]:
    for key, manifest in chain(new.items(), ((key, found) for key, found in old.items() if key not in new)):
        before = old.get(key)
        if key not in new:
            yield _object("removed", manifest)
        elif before is None:
            yield _object("created", manifest)
        elif before.body != manifest.body:
            yield _object("changed", manifest, before)


def _object(change: str, manifest: Manifest, before: Manifest | None = None) -> ObjectChange:
    key = identity(manifest)
    fields = tuple(differences(before.body, manifest.body)) if before else ()
    if key.kind == SECRET:  # the names of its fields, never a value
        fields = tuple(field._replace(old=None, new=None) for field in fields)
    return ObjectChange(change, key, manifest.api_version, labels_of(manifest).get(TEAM), fields)
