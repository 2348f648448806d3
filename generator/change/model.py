"""The two sides of a step, and what is different between them. Amounts are thousandths (generator.quantity)."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from functools import cached_property
from typing import Any, NamedTuple

from generator.emit.leaves import Leaf
from generator.finding import Finding, Layer, Location, ObjectRef, Related, Severity
from generator.frozen import dataclass
from generator.manifest import Manifest
from generator.plan.ledger import Ledger
from generator.plan.model import Plan, Team
from generator.quantity import Amount
from generator.source import at
from generator.validate.cluster import Cluster, Target, labels_of, name_of, namespace_of
from generator.validate.kinds import Kind, kind_of
from generator.validate.queues import Queues
from generator.validate.schema_check import Imported

TEAM = "apportion.dev/team"


class Identity(NamedTuple):
    """What makes two objects the same one; its API version may change. `namespace` is "" for a cluster's object."""

    kind: Kind
    namespace: str
    name: str

    def __str__(self) -> str:
        return f"{self.kind[1]} {f'{self.namespace}/' if self.namespace else ''}{self.name}"


def identity(manifest: Manifest) -> Identity:
    """Return what makes an object itself."""
    return Identity(kind_of(manifest.body), namespace_of(manifest), name_of(manifest))


class Side:
    """One environment in one revision: its plan, its objects and its ledger."""

    def __init__(self, plan: Plan, leaves: Sequence[Leaf], ledger: Ledger, imported: Imported | None = None) -> None:
        """`imported` are schemas of the cluster's own CRDs, which take precedence."""
        self.plan, self.ledger, self.imported = plan, ledger, imported or {}
        self.teams: Mapping[str, Team] = {team.name: team for team in plan.teams}
        self.objects: dict[Identity, Manifest] = {}
        self.homes: dict[Identity, str] = {}  # the folder below overlays/<environment>/
        for leaf in leaves:
            patches = {_patched(patch): patch for patch in leaf.patches}
            for manifest in leaf.objects():
                key = identity(manifest)
                patch = patches.get((key.kind, key.namespace, key.name))
                self.objects[key] = _with(manifest, patch) if patch else manifest
                self.homes[key] = leaf.path.removeprefix(f"overlays/{plan.name}/")

    @cached_property
    def cluster(self) -> Cluster:
        """The objects as one cluster."""
        plan = self.plan
        target = Target(plan.openshift_ai, plan.kueue, plan.gitops, plan.openshift)
        return Cluster(list(self.objects.values()), target, whole=True, environment=plan.name)

    @cached_property
    def queues(self) -> Queues:
        """The queues, also those of `extra/`."""
        return Queues(self.cluster)


def _patched(patch: Mapping[str, Any]) -> tuple[Kind, str, str]:
    metadata = patch["metadata"]
    return kind_of(patch), metadata.get("namespace", ""), metadata["name"]


def _with(manifest: Manifest, patch: Mapping[str, Any]) -> Manifest:
    """Return an object of a base as its overlay's patch of scalars leaves it."""
    body = {**manifest.body, "spec": {**manifest.body["spec"], **patch["spec"]}}
    return Manifest(body, manifest.origin, manifest.origins)


@dataclass(frozen=True, eq=False)
class Step:
    """One environment that is in both revisions. `files` are the inputs that the new one has."""

    old: Side
    new: Side
    revision: str
    files: Collection[str]

    @cached_property
    def removed(self) -> dict[Identity, Manifest]:
        return {key: found for key, found in self.old.objects.items() if key not in self.new.objects}

    @cached_property
    def changed(self) -> dict[Identity, tuple[Manifest, Manifest]]:
        """Objects of both revisions whose bodies differ: before, after."""
        return {key: (before, after) for key, before, after in self.both() if before.body != after.body}

    def both(self, kind: Kind | None = None) -> Iterator[tuple[Identity, Manifest, Manifest]]:
        """Yield the objects, of a kind or of all, that are in both revisions: before, after."""
        for key, after in self.new.objects.items():
            if (kind is None or key.kind == kind) and (before := self.old.objects.get(key)) is not None:
                yield key, before, after

    def of_new(
        self,
        key: Identity,
        rule: str,
        severity: Severity,
        message: str,
        fix: str,
        path: str = "",
        related: tuple[Related, ...] = (),
    ) -> Finding:
        """Return a finding about an object that the new revision has."""
        manifest, cluster = self.new.objects[key], self.new.cluster
        return cluster.finding(manifest, rule, Layer.CHANGE, message, fix, path, severity=severity, related=related)

    def of_removed(self, key: Identity, rule: str, severity: Severity, message: str, fix: str) -> Finding:
        """Return a finding about an object that only the old revision has."""
        manifest = self.old.objects[key]
        reference, place = self.old.cluster.reference(manifest), self.where_it_was(manifest)
        related = (self.before(manifest.origin),)
        return Finding(rule, severity, Layer.CHANGE, message, place, fix, reference, None, related)

    def of_plan(
        self,
        about: tuple[str, str],
        rule: str,
        severity: Severity,
        message: str,
        fix: str,
        place: Location,
        related: tuple[Related, ...] = (),
    ) -> Finding:
        """Return a finding about something that is no object of the cluster: kind and name."""
        reference = ObjectRef(self.new.plan.name, *about)
        return Finding(rule, severity, Layer.CHANGE, message, place, fix, reference, None, related)

    def where_it_was(self, manifest: Manifest) -> Location:
        """Return what yields an object no more: its team's line in the quotas, else its file, else the environment."""
        return self.where_a_team_had(labels_of(manifest).get(TEAM), manifest.origin)

    def where_a_team_had(self, team: str | None, place: Location) -> Location:
        """Return a team's line in the quotas, else the file of a place of the old revision, else the environment."""
        quotas = (quota for quota in self.new.plan.given.quotas if quota["team"] == team)
        if (quota := next(quotas, None)) is not None:
            return at(quota)
        return self.file_of(place)

    def file_of(self, place: Location) -> Location:
        """Return the file of a place of the old revision, if there still is one, else the environment."""
        return Location(place.file) if place.file in self.files else self.new.plan.origin

    def before(self, place: Location) -> Related:
        """Return a place of the old revision."""
        return Related(place, f"in {self.revision}")


class AmountChange(NamedTuple):
    """A guaranteed amount of a queue or cohort, or what a pool can schedule; 0 where it is not there.

    Of a cohort `cluster_queue` is its name, of a pool None; neither has a queue.
    """

    team: str | None
    queue: str | None
    cluster_queue: str | None
    pool: str
    resource: str
    is_accelerator: bool
    old: Amount
    new: Amount


class FieldChange(NamedTuple):
    """One field before and after; ABSENT where it is not there."""

    path: str
    old: Any
    new: Any


class ObjectChange(NamedTuple):
    """`change` is created, removed or changed; only a changed object has fields."""

    change: str
    key: Identity
    api_version: str
    team: str | None
    fields: tuple[FieldChange, ...] = ()


class Change(NamedTuple):
    """What is different in one environment; `change` is created, removed or changed."""

    environment: str
    change: str
    quotas: tuple[AmountChange, ...]
    pools: tuple[AmountChange, ...]
    objects: tuple[ObjectChange, ...]
    cohorts: tuple[AmountChange, ...] = ()

    @property
    def is_of_both(self) -> bool:
        """Whether both revisions have the environment."""
        return self.change == "changed"


class _Absent:
    def __repr__(self) -> str:
        return "ABSENT"


ABSENT = _Absent()
