"""Order of a sync: what an object needs is there before it, and is pruned after it.

Waves wait for health, so a wrong order is no delay: what comes too early never becomes healthy, or is refused, and what
it needs is never applied. Pruning goes through the waves backwards. Within one wave nothing waits, and Argo CD applies
Namespaces first: no order is asked for there.
Source: Argo CD gitops-engine/pkg/sync/sync_context.go; docs/user-guide/{sync-waves,resource_hooks}.md.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from generator.finding import Finding, Layer, Severity
from generator.frozen import dataclass
from generator.manifest import Manifest
from generator.validate import kinds
from generator.validate.argo import brought_by
from generator.validate.cluster import Cluster, name_of, namespace_of, related
from generator.validate.kinds import Kind, kind_of
from generator.validate.operators import package_of
from generator.validate.queues import Queues
from generator.validate.references import Reference, every
from generator.validate.shape import text
from generator.validate.sync_places import Between, Contents, Places
from generator.validate.sync_waits import SUSPENDED, workload_holds_up_sync
from generator.validate.wording import some

# Without what they name these are inactive, and a health check tells Argo CD so.
_INACTIVE = frozenset((kinds.CLUSTER_QUEUE, kinds.LOCAL_QUEUE, kinds.ADMISSION_CHECK)) | SUSPENDED
# What makes the kinds of a group, beside the operator that a Subscription installs.
_MADE_BY: Mapping[str, Kind] = {
    "datasciencecluster.opendatahub.io": kinds.DSC_INITIALIZATION,
    "kueue.x-k8s.io": kinds.KUEUE,
    "opendatahub.io": kinds.DATA_SCIENCE_CLUSTER,
    "trainer.kubeflow.org": kinds.DATA_SCIENCE_CLUSTER,
}


@dataclass(frozen=True, slots=True)
class _Need:
    """An object that needs another, at a path; `refused`: the API server takes it for nothing until then."""

    source: Manifest
    path: str
    target: Manifest
    refused: bool


def check(cluster: Cluster, queues: Queues) -> Iterator[Finding]:
    """Yield what is synced before what it needs, and workloads that hold a sync up."""
    places = Places(cluster)
    if not places.contents:
        return
    found: dict[tuple[object, ...], list[tuple[_Need, Between]]] = {}
    for need in _needs(cluster, queues, places):
        between = places.between(need.source, need.target)
        if between is not None and (between.is_wrong or (between.is_open and cluster.whole)):
            kind = kind_of(need.source.body), kind_of(need.target.body)
            found.setdefault((between, kind, places.home(need.source)), []).append((need, between))
    for same in found.values():
        yield _too_early(cluster, [need for need, _ in same], same[0][1])
    yield from workload_holds_up_sync(cluster, places)


def _needs(cluster: Cluster, queues: Queues, places: Places) -> Iterator[_Need]:
    for reference in every(cluster, queues):
        target = _target(cluster, reference)
        if target is not None and target is not reference.source:
            yield _Need(reference.source, reference.path, target, refused=False)
    makers = _Makers(cluster)
    for contents in places.contents:
        yield from _namespaces(cluster, contents)
        yield from _accounts(cluster, contents)
        yield from _kinds(makers, contents)


def _target(cluster: Cluster, reference: Reference) -> Manifest | None:
    return cluster.find(reference.kind, reference.name, reference.namespace) if reference.name else None


def _namespaces(cluster: Cluster, contents: Contents) -> Iterator[_Need]:
    """Yield the first object of each namespace that stands here: before it, nothing of the namespace is accepted."""
    for space, (_, first) in contents.by_space.items():
        target = cluster.find(kinds.NAMESPACE, space)
        if target is not None and space != contents.created:
            yield _Need(first, "metadata.namespace", target, refused=True)


def _accounts(cluster: Cluster, contents: Contents) -> Iterator[_Need]:
    """Yield hooks with the ServiceAccount of their pods; all PreSync hooks come before all waves."""
    for hook in contents.hooks:
        for path in ("spec.template.spec.serviceAccountName", "spec.serviceAccountName"):
            name = text(hook.body, *path.split("."))
            target = cluster.find(kinds.SERVICE_ACCOUNT, name, namespace_of(hook))
            if target is not None:
                yield _Need(hook, path, target, refused=True)


class _Makers:
    """What makes a cluster know the kinds of a group: the operator's Subscription, and the object that it waits for."""

    def __init__(self, cluster: Cluster) -> None:
        self._cluster = cluster
        self._known: dict[str, list[Manifest]] = {}

    def of(self, group: str) -> list[Manifest]:
        if group not in self._known:
            packages = brought_by(group)
            by_package = {
                package_of(m): m for m in reversed(self._cluster.of(kinds.SUBSCRIPTION))
            }  # one too many: twice
            found = [by_package[package] for package in sorted(packages & by_package.keys())]
            self._known[group] = found + list(self._cluster.of(_MADE_BY[group]) if group in _MADE_BY else ())
        return self._known[group]


def _kinds(makers: _Makers, contents: Contents) -> Iterator[_Need]:
    """Yield the first object of each group with what makes its kinds."""
    for group, (_, first) in contents.by_group.items():
        yield from (_Need(first, "kind", maker, refused=True) for maker in makers.of(group) if maker is not first)


def _too_early(cluster: Cluster, needs: list[_Need], between: Between) -> Finding:
    first = needs[0]
    source, target = kind_of(first.source.body)[1], kind_of(first.target.body)[1]
    names = some(dict.fromkeys(name_of(need.source) for need in needs))
    goals = some(dict.fromkeys(name_of(need.target) for need in needs))
    stops = first.refused or (cluster.whole and kind_of(first.source.body) in _INACTIVE)
    if between.one == between.other:
        order = f"nothing orders {source} {names} and {target} {goals}, whose Applications share {between.one}"
    else:
        order = f"{source} {names} ({between.one}) comes before {target} {goals} ({between.other})"
    if between.one.phase != between.other.phase:
        fix = f"make {source} {names} a hook of a later phase, or bring {target} {goals} in an earlier Application"
    else:
        fix = f"give {target} {goals} an earlier sync wave, or {source} {names} a later one"
    return cluster.finding(
        first.source,
        "synced-too-early",
        Layer.REFERENCE,
        f"in {between.title}, {order}: {_because(first)}",
        fix,
        first.path,
        severity=Severity.ERROR if stops and between.one != between.other else Severity.WARNING,
        related=[related(first.target, "metadata.name", f"{target} {name_of(first.target)}")],
    )


def _because(need: _Need) -> str:
    if need.refused:
        return "until then it is refused, the sync fails there, and what it needs is never applied"
    if kind_of(need.source.body) in _INACTIVE:
        return "until then it is inactive, a wave with health checks fails there, and what it needs is never applied"
    return "until then it does not work, and a prune takes away what it needs first"
