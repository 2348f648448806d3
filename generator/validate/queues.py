"""ClusterQueues, Cohorts and LocalQueues as Kueue reads them, defaults included: both API versions in one form."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from functools import cached_property, lru_cache
from math import ceil
from typing import Any

from generator.frozen import dataclass
from generator.manifest import Manifest
from generator.plan.capacity import Key, Member, Quota, QuotaTree
from generator.quantity import UNIT, Amount
from generator.validate import kinds
from generator.validate.cluster import Cluster, Target, labels_of, name_of, namespace_of
from generator.validate.shape import exact, mapping, mappings, text, texts
from generator.validate.syntax import selects

NEVER = "Never"


@dataclass(frozen=True, slots=True)
class Flavor:
    """One flavor in a resource group, with its path in the manifest and its quotas by resource."""

    name: str
    path: str
    quotas: Mapping[str, Quota]


@dataclass(frozen=True, slots=True)
class Group:
    """Resources that are counted together: one flavor is chosen for all of them."""

    resources: tuple[str, ...]
    flavors: tuple[Flavor, ...]


@dataclass(frozen=True, slots=True)
class Check:
    """An admission check and the flavors it is bound to; none: all."""

    name: str
    path: str
    flavors: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Queue:
    """A ClusterQueue; preemption policies carry the server's defaults.

    `quotas` are by flavor and resource; `by_resource` is the group that counts each covered resource.
    """

    manifest: Manifest
    name: str
    cohort: str | None
    groups: tuple[Group, ...]
    checks: tuple[Check, ...]
    selector: Mapping[str, Any] | None
    within_cluster_queue: str
    reclaim_within_cohort: str
    borrow_within_cohort: str
    is_stopped: bool
    quotas: Mapping[Key, Quota]
    by_resource: Mapping[str, Group]

    @property
    def flavors(self) -> Iterator[Flavor]:
        """Yield all flavors of all groups, in order."""
        for group in self.groups:
            yield from group.flavors

    @property
    def flavor_names(self) -> list[str]:
        return [flavor.name for flavor in self.flavors]

    @property
    def resources(self) -> Iterable[str]:
        """All covered resources."""
        return self.by_resource.keys()

    @property
    def owns(self) -> bool:
        """Whether anything is guaranteed to it."""
        return any(quota.nominal for quota in self.quotas.values())

    @property
    def may_borrow(self) -> bool:
        """Whether its cohort lets it borrow anything."""
        return bool(self.cohort) and any(quota.borrowing_limit != 0 for quota in self.quotas.values())


@dataclass(frozen=True, slots=True)
class LocalQueue:
    manifest: Manifest
    name: str
    namespace: str
    queue: str


class Queues:
    """All queues of a cluster, by name and by namespace, and their quota tree."""

    def __init__(self, cluster: Cluster) -> None:
        self._cluster = cluster
        self.all = [read(manifest) for manifest in cluster.of(kinds.CLUSTER_QUEUE)]
        self.by_name = {queue.name: queue for queue in reversed(self.all)}
        self.local = [
            LocalQueue(m, name_of(m), namespace_of(m), text(m.body, "spec", "clusterQueue"))
            for m in cluster.of(kinds.LOCAL_QUEUE)
        ]
        self.cohorts = {name_of(m): m for m in reversed(cluster.of(kinds.COHORT))}
        made = cluster.made
        self._behind = {(space, made.local_queue): made.cluster_queue for space in made.spaces} if made else {}
        self._behind |= {(local.namespace, local.name): local.queue for local in reversed(self.local)}
        self._made_spaces = sorted(made.spaces) if made else ()
        self._of_profile: dict[tuple[str, str | None], list[Queue]] = {}

    @cached_property
    def tree(self) -> QuotaTree:
        queues = {q.name: Member(q.cohort, q.quotas, weight_of(q.manifest)) for q in self.by_name.values()}
        cohorts = {name: Member(parent_of(m), cohort_quotas(m), weight_of(m)) for name, m in self.cohorts.items()}
        return QuotaTree(queues, cohorts)

    @cached_property
    def by_namespace(self) -> Mapping[str, Sequence[LocalQueue]]:
        found: dict[str, list[LocalQueue]] = {}
        for local in self.local:
            found.setdefault(local.namespace, []).append(local)
        return found

    @cached_property
    def by_queue(self) -> Mapping[str, Sequence[LocalQueue]]:
        found: dict[str, list[LocalQueue]] = {}
        for local in self.local:
            found.setdefault(local.queue, []).append(local)
        return found

    @cached_property
    def managed_namespaces(self) -> Mapping[str, Manifest]:
        """Namespaces in which Kueue governs, by the label that Red Hat's build looks at."""
        return {name_of(m): m for m in self._cluster.of(kinds.NAMESPACE) if is_managed(labels_of(m), self._cluster)}

    def promised(self) -> Iterator[tuple[Key, Amount]]:
        """Yield what each queue and each cohort owns, by flavor and resource."""
        for queue in self.by_name.values():
            yield from ((key, quota.nominal) for key, quota in queue.quotas.items())
        for manifest in self.cohorts.values():
            yield from ((key, quota.nominal) for key, quota in cohort_quotas(manifest).items())

    def behind(self, namespace: str, local_queue: str) -> Queue | None:
        """Return the ClusterQueue behind a LocalQueue, or None where either is missing."""
        return self.by_name.get(self._behind.get((namespace, local_queue), ""))

    def of_profile(self, local_queue: str, namespace: str | None) -> Sequence[Queue]:
        """Return the ClusterQueues, each once, behind a LocalQueue's name in one namespace, or (None) in any."""
        key = local_queue, namespace
        if key not in self._of_profile:
            spaces = (namespace,) if namespace else dict.fromkeys((*self.by_namespace, *self._made_spaces))
            found = (self.behind(space, local_queue) for space in spaces)
            unique = {queue.name: queue for queue in found if queue is not None}
            self._of_profile[key] = list(unique.values()) if local_queue else []
        return self._of_profile[key]

    def admits(self, queue: Queue, namespace: str) -> bool | None:
        """Whether a queue lets a namespace in; None where the namespace's labels are not known."""
        space = self._cluster.find(kinds.NAMESPACE, namespace)
        labels = dict(labels_of(space)) if space else {}
        if space is None and not _only_by_name(queue.selector):
            return None
        return selects(queue.selector, {**labels, kinds.NAME_LABEL: namespace})


def is_managed(labels: Mapping[str, Any], cluster: Cluster) -> bool:
    """Whether labels make Kueue govern a namespace of a cluster."""
    return governs(labels, cluster.target, (m.body for m in cluster.of(kinds.DATA_SCIENCE_CLUSTER)))


def governs(labels: Mapping[str, Any], target: Target, platforms: Iterable[Mapping[str, Any]]) -> bool:
    """Whether they do beside DataScienceClusters: the operator of OpenShift AI adds to its older label the other one.

    Source: opendatahub-operator internal/controller/components/kueue/kueue_support.go; facts of Kueue, section 7.
    """
    written = labels.get(kinds.MANAGED_LABEL)
    if written is not None or labels.get(kinds.LEGACY_MANAGED_LABEL) != "true":
        return written == "true"
    adds = target.openshift_ai is None or kinds.MANAGED_LABEL in target.openshift_ai.namespace_labels
    component = ("spec", "components", "kueue", "managementState")
    return adds and any(text(body, *component) == "Unmanaged" for body in platforms)


def read(manifest: Manifest) -> Queue:
    """Return a ClusterQueue of either version; what is missing reads as the server's default."""
    spec = mapping(manifest.body, "spec")
    preemption = mapping(spec, "preemption")
    selector = spec.get("namespaceSelector")
    groups = tuple(_groups(spec))
    return Queue(
        manifest,
        name_of(manifest),
        text(spec, "cohortName") or text(spec, "cohort") or None,
        groups,
        tuple(_checks(spec)),
        selector if isinstance(selector, Mapping) else None,
        text(preemption, "withinClusterQueue") or NEVER,
        text(preemption, "reclaimWithinCohort") or NEVER,
        text(preemption, "borrowWithinCohort", "policy") or NEVER,
        text(spec, "stopPolicy") not in ("", "None"),
        {(f.name, name): quota for group in groups for f in group.flavors for name, quota in f.quotas.items()},
        {name: group for group in reversed(groups) for name in group.resources},
    )


def amount(resource: str, value: object) -> Amount | None:
    """Return a quantity as Kueue counts it: cpu in thousandths of a core, all else in whole units; in thousandths."""
    if isinstance(value, bool) or not isinstance(value, str | int):
        return None
    return _amount(resource == "cpu", str(value))


@lru_cache(maxsize=4096)
def _amount(is_cpu: bool, written: str) -> Amount | None:
    number = exact(written)
    return None if number is None else rounded("cpu" if is_cpu else "", number)


def rounded(resource: str, number: Fraction) -> Amount:
    """Return a number of units in thousandths, rounded up as Kueue does."""
    return ceil(number * UNIT) if resource == "cpu" else ceil(number) * UNIT


def _groups(spec: Mapping[str, Any]) -> Iterator[Group]:
    for index, group in mappings(spec, "resourceGroups"):
        flavors = tuple(
            Flavor(text(f, "name"), f"spec.resourceGroups[{index}].flavors[{number}]", dict(_quotas(f)))
            for number, f in mappings(group, "flavors")
        )
        yield Group(tuple(texts(group, "coveredResources")), flavors)


def _quotas(flavor: Mapping[str, Any]) -> Iterator[tuple[str, Quota]]:
    for _, resource in mappings(flavor, "resources"):
        name = text(resource, "name")
        limits = [amount(name, resource.get(key)) for key in ("borrowingLimit", "lendingLimit")]
        yield name, Quota(amount(name, resource.get("nominalQuota")) or 0, *limits)


def cohort_quotas(manifest: Manifest) -> dict[Key, Quota]:
    groups = _groups(mapping(manifest.body, "spec"))
    return {(f.name, name): quota for group in groups for f in group.flavors for name, quota in f.quotas.items()}


def weight_of(manifest: Manifest) -> Amount:
    """Return the weight under fair sharing of a ClusterQueue or Cohort, in thousandths."""
    written = amount("cpu", mapping(manifest.body, "spec", "fairSharing").get("weight"))
    return UNIT if written is None else written


def parent_of(manifest: Manifest) -> str | None:
    return text(manifest.body, "spec", "parentName") or text(manifest.body, "spec", "parent") or None


def _checks(spec: Mapping[str, Any]) -> Iterator[Check]:
    for index, name in enumerate(texts(spec, "admissionChecks")):
        yield Check(name, f"spec.admissionChecks[{index}]", ())
    path = "spec.admissionChecksStrategy.admissionChecks"
    for index, check in mappings(spec, "admissionChecksStrategy", "admissionChecks"):
        yield Check(text(check, "name"), f"{path}[{index}].name", tuple(texts(check, "onFlavors")))


def _only_by_name(selector: Mapping[str, Any] | None) -> bool:
    """Whether a selector asks for nothing but the label that every namespace carries."""
    keys = {*mapping(selector, "matchLabels"), *(text(e, "key") for _, e in mappings(selector, "matchExpressions"))}
    return keys <= {kinds.NAME_LABEL}
