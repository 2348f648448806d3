"""RayCluster and RayJob: Kueue's webhooks for those that carry a queue name.

Source: kubernetes-sigs/kueue pkg/controller/jobs/{raycluster,rayjob}; facts of runtimes, section 4.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from generator.finding import Layer, Severity
from generator.validate.admission.words import FORBIDDEN, REQUIRED, TOO_MANY, kueue_has, refusal
from generator.validate.cluster import Target
from generator.validate.kinds import QUEUE_NAME
from generator.validate.shape import get, items, mapping, mappings, text
from generator.validate.violation import Violation

ELASTIC = "kueue.x-k8s.io/elastic-job"
_POD_SETS = (8, 10)  # of a Workload, to 0.17 and from 0.18


def validate_cluster(body: Mapping[str, Any], target: Target) -> Iterator[Violation]:
    """Yield what Kueue refuses in a queued RayCluster."""
    if _queue(body):
        yield from _cluster_spec(body, mapping(body, "spec"), "spec", target, others=1)


def validate_job(body: Mapping[str, Any], target: Target) -> Iterator[Violation]:
    """Yield what Kueue refuses in a queued RayJob, and one that goes past its queue."""
    spec = mapping(body, "spec")
    selector, cluster = get(spec, "clusterSelector"), get(spec, "rayClusterSpec")
    if not _queue(body):
        return
    if selector and cluster is not None:
        message = "clusterSelector and rayClusterSpec are both set: a queued job may not use an existing cluster"
        yield refusal("ray-job-on-existing-cluster", "spec.clusterSelector", message, "remove clusterSelector")
    elif selector:
        message = "a job on an existing cluster goes past its queue: Kueue does not manage it"
        fix = "label that RayCluster with a queue, and remove the label here"
        yield Violation(
            "ray-job-past-its-queue", Layer.READINESS, "spec.clusterSelector", message, fix, Severity.WARNING
        )
    elif cluster is None:
        yield refusal("ray-job-without-cluster", "spec.rayClusterSpec", "a queued job needs it", "add it", REQUIRED)
    else:
        yield from _job_spec(body, spec, target)


def _job_spec(body: Mapping[str, Any], spec: Mapping[str, Any], target: Target) -> Iterator[Violation]:
    if get(spec, "shutdownAfterJobFinishes") is not True:
        message = "a queued job must give its cluster back: shutdownAfterJobFinishes must be true"
        yield refusal("ray-job-keeps-cluster", "spec.shutdownAfterJobFinishes", message, "set it to true")
    submits = get(spec, "submissionMode") in (None, "", "K8sJobMode")
    cluster = mapping(spec, "rayClusterSpec")
    yield from _cluster_spec(body, cluster, "spec.rayClusterSpec", target, others=2 if submits else 1)


def _cluster_spec(
    body: Mapping[str, Any], spec: Mapping[str, Any], path: str, target: Target, *, others: int
) -> Iterator[Violation]:
    elastic = get(body, "metadata", "annotations", ELASTIC) == "true"
    if get(spec, "enableInTreeAutoscaling") is True and not elastic:
        message = "a queued cluster may not scale by itself: its quota is fixed on admission"
        yield refusal("ray-autoscaling", f"{path}.enableInTreeAutoscaling", message, "set it to false")
    groups = items(spec, "workerGroupSpecs")
    # up to 0.17 the limit leaves room for the head alone
    most = _POD_SETS[1] - others if kueue_has(target, "0.18") else _POD_SETS[0] - 1
    if len(groups) > most:
        message = f"{len(groups)} worker groups: a queued cluster may have {most}"
        yield refusal("ray-worker-groups", f"{path}.workerGroupSpecs", message, "merge groups", TOO_MANY)
    for index, group in mappings(spec, "workerGroupSpecs"):
        if text(group, "groupName") == "head":
            message = '"head" is reserved for the head group'
            yield refusal(
                "ray-group-name", f"{path}.workerGroupSpecs[{index}].groupName", message, "rename it", FORBIDDEN
            )


def _queue(body: Mapping[str, Any]) -> str:
    return text(body, "metadata", "labels", QUEUE_NAME)
