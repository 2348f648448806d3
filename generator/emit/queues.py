"""Cohort, ClusterQueue, LocalQueue, WorkloadPriorityClass."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from generator.emit.marks import CONFIRM, HANDS_OFF, MANAGED_BY, labels, wave
from generator.finding import Location
from generator.manifest import Fragment, Manifest, manifest
from generator.plan.model import BYTES, MANAGED_LABEL, ClusterQueue, FlavorQuota, LocalQueue, Plan, Priority
from generator.quantity import canonical, canonical_bytes

COHORT_WAVE, QUEUE_WAVE, LOCAL_WAVE = 1, 2, 3
NAME_LABEL = "kubernetes.io/metadata.name"
DEFAULT_QUEUE = "kueue.x-k8s.io/default-queue"  # CodeFlare SDK looks for the annotation, Kueue for the name `default`
_DEFAULT = Fragment({DEFAULT_QUEUE: "true", **wave(LOCAL_WAVE)})


def priorities(items: Iterable[Priority], api: str) -> Iterator[Manifest]:
    """Yield the classes for one API version of Kueue: a function of the Fleet alone."""
    for item in items:
        content: dict[str, Any] = {"value": item.value}
        if item.description:
            content["description"] = item.description
        yield manifest(api, "WorkloadPriorityClass", item.name, labels=MANAGED_BY, origin=item.origin, **content)


def cohorts(plan: Plan) -> Iterator[Manifest]:
    """Yield the declared cohorts; releases without the kind have them as plain names in ClusterQueues only."""
    if "Cohort" not in plan.kueue.kinds:
        return
    for cohort in plan.cohorts:
        spec: dict[str, Any] = {}
        if cohort.parent:
            spec["parentName"] = cohort.parent
        if cohort.flavors:
            spec["resourceGroups"] = [_group(cohort.flavors)]
        if cohort.weight is not None:
            spec["fairSharing"] = {"weight": canonical(cohort.weight)}
        yield manifest(
            plan.kueue.api,
            "Cohort",
            cohort.name,
            labels=labels(plan.name),
            annotations={**CONFIRM, **wave(COHORT_WAVE)},
            origin=cohort.origin,
            origins=_origins(cohort.flavors),
            spec=spec,
        )


def default_queue(plan: Plan) -> Iterator[Manifest]:
    """Yield the platform's own ClusterQueue, where its operator would otherwise make one as large as the cluster."""
    if plan.default_queue is not None:
        yield _cluster_queue(plan.default_queue, plan, {**CONFIRM, **HANDS_OFF, **wave(QUEUE_WAVE)})


def cluster_queues(queues: Iterable[ClusterQueue], plan: Plan) -> Iterator[Manifest]:
    """Yield a team's ClusterQueues."""
    for queue in queues:
        yield _cluster_queue(queue, plan, CONFIRM)


def local_queues(queues: Iterable[LocalQueue], plan: Plan) -> Iterator[Manifest]:
    """Yield a team's LocalQueues; the one called `default` is also annotated as such."""
    plain, default = wave(LOCAL_WAVE), _DEFAULT
    for queue in queues:
        yield manifest(
            plan.kueue.api,
            "LocalQueue",
            queue.name,
            namespace=queue.namespace,
            labels=labels(plan.name, queue.team),
            annotations=default if queue.default else plain,
            origin=queue.origin,
            spec={"clusterQueue": queue.cluster_queue, "stopPolicy": "None"},
        )


def _cluster_queue(queue: ClusterQueue, plan: Plan, annotations: Mapping[str, str]) -> Manifest:
    spec: dict[str, Any] = {}
    if queue.cohort:
        spec[plan.kueue.cohort_field] = queue.cohort
    spec["queueingStrategy"] = queue.strategy
    spec["namespaceSelector"] = _selector(queue)
    if queue.flavors:
        spec["resourceGroups"] = [_group(queue.flavors)]
    borrow: dict[str, Any] = {"policy": queue.preemption.borrow_within_cohort}
    if queue.preemption.max_priority_threshold is not None:
        borrow["maxPriorityThreshold"] = queue.preemption.max_priority_threshold
    spec["preemption"] = {
        "withinClusterQueue": queue.preemption.within_cluster_queue,
        "reclaimWithinCohort": queue.preemption.reclaim_within_cohort,
        "borrowWithinCohort": borrow,
    }
    spec["flavorFungibility"] = {
        "whenCanBorrow": queue.fungibility.when_can_borrow,
        "whenCanPreempt": queue.fungibility.when_can_preempt,
    }
    if queue.fungibility.preference:
        spec["flavorFungibility"]["preference"] = queue.fungibility.preference
    if queue.weight is not None:
        spec["fairSharing"] = {"weight": canonical(queue.weight)}
    if queue.admission_checks:
        spec |= _admission_checks(queue, plan.kueue.admission_checks_field)
    spec["stopPolicy"] = queue.stop_policy
    return manifest(
        plan.kueue.api,
        "ClusterQueue",
        queue.name,
        labels=labels(plan.name, queue.team),
        annotations=annotations,
        origin=queue.origin,
        origins=_origins(queue.flavors),
        spec=spec,
    )


def _selector(queue: ClusterQueue) -> dict[str, Any]:
    """Return which namespaces are let in; a list may not be empty, so a label nobody has stands for none."""
    if queue.namespaces is None:
        return {"matchLabels": {MANAGED_LABEL: "true"}}
    if not queue.namespaces:
        return {"matchExpressions": [{"key": NAME_LABEL, "operator": "DoesNotExist"}]}
    return {"matchExpressions": [{"key": NAME_LABEL, "operator": "In", "values": list(queue.namespaces)}]}


def _admission_checks(queue: ClusterQueue, field: str) -> dict[str, Any]:
    names = list(queue.admission_checks)
    return (
        {field: names}
        if field == "admissionChecks"
        else {field: {"admissionChecks": [{"name": name} for name in names]}}
    )


def _group(flavors: tuple[FlavorQuota, ...]) -> dict[str, Any]:
    """Return the one resource group: cpu is in every pool, and a resource may stand in one group only."""
    return {
        "coveredResources": [r.resource for r in flavors[0].resources],
        "flavors": [{"name": f.flavor, "resources": _resources(f)} for f in flavors],
    }


def _resources(flavor: FlavorQuota) -> list[dict[str, str]]:
    resources = []
    for quota in flavor.resources:
        text = canonical_bytes if quota.resource in BYTES else canonical
        item = {"name": quota.resource, "nominalQuota": text(quota.nominal)}
        if quota.borrowing_limit is not None:
            item["borrowingLimit"] = text(quota.borrowing_limit)
        if quota.lending_limit is not None:
            item["lendingLimit"] = text(quota.lending_limit)
        resources.append(item)
    return resources


def _origins(flavors: tuple[FlavorQuota, ...]) -> dict[str, Location]:
    return {f"spec.resourceGroups[0].flavors[{index}]": flavor.origin for index, flavor in enumerate(flavors)}
