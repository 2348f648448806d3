"""Combinations that are known to be bad, where manifests show them; of an environment its platform says so.

Source: generator/releases/advisories.yaml, each with its own.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from generator.finding import Finding, Layer, Severity
from generator.frozen import dataclass
from generator.manifest import Manifest
from generator.releases import load
from generator.releases.model import Advisory
from generator.validate import kinds
from generator.validate.admission.data_science_cluster import STATE
from generator.validate.cluster import Cluster, labels_of, name_of, namespace_of, related
from generator.validate.effective_queue import queue_of
from generator.validate.operators import managed_components, subscribed
from generator.validate.platform import FRAMEWORKS
from generator.validate.queues import Queues
from generator.validate.shape import get, text, texts
from generator.validate.wording import MOST_NAMED


@dataclass(frozen=True, slots=True)
class _Place:
    manifest: Manifest
    path: str
    others: tuple[Manifest, ...] = ()


def check(cluster: Cluster, queues: Queues) -> Iterator[Finding]:
    """Yield the advisories that hold of the target and are shown by a platform, a Subscription or workloads."""
    target = cluster.target
    if target.openshift_ai is None:
        return
    subscriptions = subscribed(cluster)
    manual = {k for k, m in subscriptions.items() if text(m.body, "spec", "installPlanApproval") == "Manual"}
    managed = {
        component.name: _Place(m, f"{path}.managementState") for component, path, m in managed_components(cluster)
    }
    for advisory in load.advisories():
        if not advisory.matches(
            components=frozenset(advisory.components),  # which are looked for below
            manual=manual,
            openshift_ai=target.openshift_ai.version,
            kueue=target.kueue.version if target.kueue else "",
            openshift=target.openshift or "",
        ):
            continue
        if place := _place(cluster, queues, advisory, managed, subscriptions):
            others = [related(m, "metadata.name", f"{text(m.body, 'kind')} {name_of(m)}") for m in place.others]
            yield cluster.finding(
                place.manifest,
                advisory.id,
                Layer.READINESS,
                advisory.message,
                f"{advisory.fix} (source: {advisory.source})",
                place.path,
                severity=Severity(advisory.severity),
                related=others,
            )


def _place(
    cluster: Cluster,
    queues: Queues,
    advisory: Advisory,
    managed: Mapping[str, _Place],
    subscriptions: Mapping[str, Manifest],
) -> _Place | None:
    """Return what shows that an advisory holds here, or None."""
    if not advisory.components:
        subscription = subscriptions.get(advisory.unless_manual)
        return _Place(subscription, "spec") if subscription else None
    if not all(_lists(kueue, advisory) for kueue in cluster.of(kinds.KUEUE)):
        return None
    if cluster.of(kinds.DATA_SCIENCE_CLUSTER):
        has_all = all(name in managed for name in advisory.components)
        is_concerned = has_all and (not advisory.kueue or _runs_kueue(cluster))
        return managed[advisory.components[0]] if is_concerned else None
    concerned = [m for kind in kinds.WORKLOADS if kind[1] in advisory.workloads for m in cluster.of(kind)]
    concerned = [m for m in concerned if _is_concerned(cluster, queues, advisory, m)]
    return _Place(concerned[0], "metadata.name", tuple(concerned[1 : MOST_NAMED + 1])) if concerned else None


def _lists(kueue: Manifest, advisory: Advisory) -> bool:
    """Whether the CR of Kueue's operator lists the frameworks; one that lists none is not understood."""
    listed = texts(kueue.body, *FRAMEWORKS.split("."))
    return not listed or all(name in listed for name in advisory.frameworks)


def _runs_kueue(cluster: Cluster) -> bool:
    platforms = cluster.of(kinds.DATA_SCIENCE_CLUSTER)
    states = [get(manifest.body, *STATE.split(".")) for manifest in platforms]
    return bool(cluster.of(kinds.KUEUE)) or any(state in ("Managed", "Unmanaged") for state in states)


def _is_concerned(cluster: Cluster, queues: Queues, advisory: Advisory, manifest: Manifest) -> bool:
    """Whether Kueue starts a workload, or would have to: it is labelled, or its namespace is managed."""
    if advisory.frameworks:
        return bool(queue_of(cluster, manifest))
    return bool(labels_of(manifest).get(kinds.QUEUE_NAME)) or namespace_of(manifest) in queues.managed_namespaces
