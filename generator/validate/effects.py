"""Settings that are accepted and do nothing.

Of what an environment's plan decides, policies say as much; here only what somebody wrote himself is judged.
Source: facts of Kueue, sections 2 (feature gates), 5, 6 and 10; kubernetes-sigs/kueue pkg/features/kube_features.go.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from generator.finding import Finding, Layer, Severity
from generator.manifest import Manifest
from generator.quantity import UNIT
from generator.source.nodes import Map
from generator.validate import kinds
from generator.validate.cluster import Cluster, name_of
from generator.validate.queues import Queues, cohort_quotas, weight_of
from generator.validate.shape import get, text
from generator.validate.status import has_topologies
from generator.validate.wording import some

_FAIR, _ADMISSION_FAIR = "FairSharing", "UsageBasedAdmissionFairSharing"
Useless = tuple[Manifest, str, str, str]
"""What does nothing: the object, the path, why, and what to do."""


def check(cluster: Cluster, queues: Queues) -> Iterator[Finding]:
    """Yield settings without effect."""
    for useless in (_unread_topologies, _weights, _admission_fair_sharing, _gated):
        for manifest, path, why, fix in useless(cluster):
            if is_written(cluster, manifest):
                yield _without_effect(cluster, manifest, path, why, fix)
    yield from dead_cohort_quota(cluster, queues)


def is_written(cluster: Cluster, manifest: Manifest) -> bool:
    """Whether somebody wrote an object, not a plan."""
    return not cluster.whole or isinstance(manifest.body.get("spec"), Map)


def _without_effect(cluster: Cluster, manifest: Manifest, path: str, why: str, fix: str) -> Finding:
    severity = Severity.WARNING
    return cluster.finding(manifest, "setting-without-effect", Layer.READINESS, why, fix, path, severity=severity)


def _unread_topologies(cluster: Cluster) -> Iterator[Useless]:
    if has_topologies(cluster.target):
        return
    for manifest in cluster.of(kinds.RESOURCE_FLAVOR):
        if name := text(manifest.body, "spec", "topologyName"):
            why = f"flavor {name_of(manifest)} names topology {name}, and {_kueue(cluster)} does not look at topologies"
            yield manifest, "spec.topologyName", why, "remove it, or take a Kueue that does"


def _weights(cluster: Cluster) -> Iterator[Useless]:
    """Weights count under fair sharing alone. Source: facts of Kueue, section 6."""
    policies = {text(m.body, "spec", "config", "preemption", "preemptionPolicy") for m in cluster.of(kinds.KUEUE)}
    if not policies or _FAIR in policies:
        return
    for kind in (kinds.CLUSTER_QUEUE, kinds.COHORT):
        for manifest in cluster.of(kind):
            if weight_of(manifest) != UNIT:
                why = f"the weight of {name_of(manifest)} does nothing: Kueue's preemptionPolicy is not {_FAIR}"
                yield manifest, "spec.fairSharing.weight", why, f"set preemptionPolicy: {_FAIR}, or remove the weight"


def _admission_fair_sharing(cluster: Cluster) -> Iterator[Useless]:
    """Shares of LocalQueues count where the Kueue object turns that on, which older ones cannot."""
    release = cluster.target.kueue
    if release is None or "AdmissionFairSharing" not in release.gates:  # there the server drops the fields
        return
    operators = cluster.of(kinds.KUEUE)
    if release.admission_fair_sharing:
        if not operators or any(get(m.body, "spec", "config", "admissionFairSharing") for m in operators):
            return
        why, fix = "the Kueue object has no admissionFairSharing", "set config.admissionFairSharing of the Kueue object"
    else:
        why, fix = f"{_kueue(cluster)} cannot turn admission fair sharing on", "take a Kueue that can"
    for manifest in cluster.of(kinds.LOCAL_QUEUE):
        if weight_of(manifest) != UNIT:
            what = f"the weight of LocalQueue {name_of(manifest)} does nothing: {why}"
            yield manifest, "spec.fairSharing.weight", what, f"{fix}, or remove the weight"
    for manifest in cluster.of(kinds.CLUSTER_QUEUE):
        if get(manifest.body, "spec", "admissionScope", "admissionMode") == _ADMISSION_FAIR:
            what = f"admissionMode {_ADMISSION_FAIR} of queue {name_of(manifest)} does nothing: {why}"
            yield manifest, "spec.admissionScope.admissionMode", what, f"{fix}, or remove admissionScope"


def _gated(cluster: Cluster) -> Iterator[Useless]:
    """Fields behind feature gates that are off, and that the Kueue object has no way to turn on."""
    gates: Mapping[str, bool] = cluster.target.kueue.gates if cluster.target.kueue else {}
    if gates.get("ConcurrentAdmission") is False:
        for manifest in cluster.of(kinds.CLUSTER_QUEUE):
            if get(manifest.body, "spec", "concurrentAdmissionPolicy") is not None:
                why = f"concurrentAdmissionPolicy of queue {name_of(manifest)} does nothing: {_off(cluster)}"
                yield manifest, "spec.concurrentAdmissionPolicy", why, "remove it: later it could not be changed"
    if gates.get("MultiKueueManagerQuotaAutomation") is False:
        for manifest in cluster.of(kinds.MULTIKUEUE_CONFIG):
            if get(manifest.body, "spec", "quotaManagement") == "Automated":
                why = f"quotaManagement Automated of {name_of(manifest)} does nothing: {_off(cluster)}"
                yield manifest, "spec.quotaManagement", why, "set Manual, and keep the quotas yourself"


def _kueue(cluster: Cluster) -> str:
    return f"Kueue {cluster.target.kueue.version}" if cluster.target.kueue else "Kueue"


def _off(cluster: Cluster) -> str:
    return f"its feature gate is off in {_kueue(cluster)}, and the Kueue object cannot turn it on"


def dead_cohort_quota(cluster: Cluster, queues: Queues) -> Iterator[Finding]:
    """A queue borrows only of flavors that it lists itself. Source: kubernetes-sigs/kueue issue 5289."""
    for name, manifest in queues.cohorts.items():
        owned = {flavor for (flavor, _), quota in cohort_quotas(manifest).items() if quota.nominal}
        if owned and is_written(cluster, manifest):
            below = queues.tree.queues_below(name)
            dead = owned.difference(*(queues.by_name[queue].flavor_names for queue in below))
            if below and dead:
                why = f"cohort {name} owns quota of flavor {some(sorted(dead))}, which no queue below it lists"
                fix = "list the flavor in a queue below it (a nominalQuota of 0 is enough to borrow), or remove it"
                yield _without_effect(cluster, manifest, "spec.resourceGroups", why, fix)
