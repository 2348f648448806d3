"""What a sync would remove while it is in use, and fields that the cluster does not let it change."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from generator.finding import Finding, Severity
from generator.manifest import Manifest
from generator.preflight.expected import Expected
from generator.preflight.live import IN_USE_KINDS, Live, finding, pruned
from generator.validate import kinds
from generator.validate.cluster import annotations_of, name_of, namespace_of
from generator.validate.kinds import Kind
from generator.validate.queues import read
from generator.validate.shape import mappings, text, whole
from generator.validate.wording import some

PROFILE_USERS = (kinds.NOTEBOOK, kinds.INFERENCE_SERVICE, kinds.LLM_INFERENCE_SERVICE)
_COUNTS = ("reservingWorkloads", "admittedWorkloads", "pendingWorkloads")
_FIXES: Mapping[Kind, str] = {
    kinds.CLUSTER_QUEUE: "drain it first: stopPolicy: HoldAndDrain in the old tree, or move the work to another queue",
    kinds.LOCAL_QUEUE: "move or end the work first, or put the queue back",
    kinds.RESOURCE_FLAVOR: "remove it from these queues first: until then it is held by a finalizer and the sync hangs",
    kinds.NAMESPACE: "move what is in it, volumes too, or put the namespace back: with it all of that is deleted",
    kinds.HARDWARE_PROFILE: "move these to another profile, or put it back: their next update is refused without it",
}


def check(expected: Expected, live: Live) -> Iterator[Finding]:
    """Yield live objects that a sync would remove while somebody uses them."""
    users = _Users(expected, live)
    for kind in IN_USE_KINDS:
        for found in pruned(expected, live, kind):
            if use := users.of(kind, found):
                yield _in_use(expected, kind, found, use)


class _Users:
    """Who uses an object that would go."""

    def __init__(self, expected: Expected, live: Live) -> None:
        self._live = live
        self._idle = {
            name_of(m) for m in pruned(expected, live, kinds.CLUSTER_QUEUE) if not _workloads(m)
        }  # these go as well, and before their flavors
        self._kept = {name for (kind, _, name) in expected.objects if kind == kinds.CLUSTER_QUEUE}
        self._profiles = _profile_users(live)

    def of(self, kind: Kind, found: Manifest) -> str:
        """Return in words who uses an object; "" for nobody."""
        if kind in (kinds.CLUSTER_QUEUE, kinds.LOCAL_QUEUE):
            return ", ".join(f"{count} {what}" for what, count in _workloads(found).items())
        if kind == kinds.RESOURCE_FLAVOR:
            return f"ClusterQueues {some(queues)}" if (queues := self._of_flavor(name_of(found))) else ""
        if kind == kinds.NAMESPACE:
            contents = self._live.contents.get(name_of(found), {})
            return ", ".join(f"{count} {what}" for what, count in contents.items() if count)
        return some(self._profiles.get((namespace_of(found), name_of(found)), ()))

    def _of_flavor(self, flavor: str) -> list[str]:
        """Return the queues that refer to a flavor and go on doing so."""
        return sorted(
            name_of(m)
            for m in self._live.of(kinds.CLUSTER_QUEUE)
            if name_of(m) not in self._idle | self._kept and flavor in _flavors(m)
        )


def _flavors(queue: Manifest) -> set[str]:
    return set(read(queue).flavor_names)


def _workloads(queue: Manifest) -> dict[str, int]:
    counts = {key: whole(queue.body, "status", key) for key in _COUNTS}
    return {f"{key.removesuffix('Workloads')} workloads": count for key, count in counts.items() if count > 0}


def _profile_users(live: Live) -> dict[tuple[str, str], list[str]]:
    """Return who names each profile: without a namespace, that of the workload itself is meant."""
    found: dict[tuple[str, str], list[str]] = {}
    for kind in PROFILE_USERS:
        for user in live.of(kind):
            notes = annotations_of(user)
            if profile := text(notes, kinds.PROFILE_NAME):
                space = text(notes, kinds.PROFILE_NAMESPACE) or namespace_of(user)
                found.setdefault((space, profile), []).append(f"{kind[1]} {namespace_of(user)}/{name_of(user)}")
    return found


def _in_use(expected: Expected, kind: Kind, found: Manifest, use: str) -> Finding:
    space = namespace_of(found)
    name = f"{space}/{name_of(found)}" if space else name_of(found)
    return finding(
        "removed-while-in-use",
        Severity.ERROR,
        f"{kind[1]} {name} is no longer in the tree, and a sync removes it while it is in use: {use}",
        _FIXES[kind],
        object=expected.reference(kind[1], name_of(found), space, text(found.body, "apiVersion") or None),
    )


def unchangeable(expected: Expected, live: Live) -> Iterator[Finding]:
    """Yield updates of live objects that the API server refuses: fields that may not change once they are set."""
    for kind in (kinds.LOCAL_QUEUE, kinds.TOPOLOGY, kinds.RESOURCE_FLAVOR):
        there = live.by_name(kind)
        for (of_kind, space, name), wanted in expected.objects.items():
            found = there.get((space, name)) if of_kind == kind else None
            if found is not None and _spec(found, kind) != _spec(wanted, kind):
                yield from _refused(expected, kind, found, wanted)


def _spec(found: Manifest, kind: Kind) -> object:
    if kind == kinds.LOCAL_QUEUE:
        return text(found.body, "spec", "clusterQueue")
    return found.body.get("spec") or {}


def _refused(expected: Expected, kind: Kind, found: Manifest, wanted: Manifest) -> Iterator[Finding]:
    """Ask the rules of the CRD, so that each release's own count; imported here, for they start the CEL engine."""
    from generator.schemas import load
    from generator.validate.objects import validate_object

    target = load.Target(openshift_ai=None, kueue=expected.releases.get("kueue"), argo_cd=None, kubernetes=None)
    schema = load.schema(*kind, wanted.api_version.rpartition("/")[2], target)
    if schema is None:
        return
    body = {**wanted.body, "spec": wanted.body.get("spec", {})}
    old = {**body, "spec": found.body.get("spec", {})}
    made = set(validate_object(body, schema))
    name = f"{namespace_of(wanted)}/{name_of(wanted)}" if namespace_of(wanted) else name_of(wanted)
    for violation in validate_object(body, schema, old):
        if violation not in made:
            yield finding(
                "update-refused",
                Severity.ERROR,
                f"{kind[1]} {name}: the cluster refuses to change {violation.path}: {violation.message}"
                + _values(kind, found, wanted),
                "put the old value back, or make one of a new name and move its users; else delete the live one in a "
                "window, and the sync makes it anew",
                location=expected.place(kind[1], name_of(wanted), namespace_of(wanted)),
                object=expected.reference(kind[1], name_of(wanted), namespace_of(wanted), wanted.api_version),
                path=violation.path,
            )


def _values(kind: Kind, found: Manifest, wanted: Manifest) -> str:
    if kind == kinds.LOCAL_QUEUE:
        return f" (from {_spec(found, kind)} to {_spec(wanted, kind)})"
    return "" if kind != kinds.TOPOLOGY else f" (from {_levels(found)} to {_levels(wanted)})"


def _levels(topology: Manifest) -> str:
    return ", ".join(text(level, "nodeLabel") for _, level in mappings(topology.body, "spec", "levels"))
