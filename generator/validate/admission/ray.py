"""RayCluster, RayJob and RayService: Kueue's webhooks for those that have a queue, and what KubeRay never starts.

Source: kubernetes-sigs/kueue pkg/controller/jobs/{raycluster,rayjob}; ray-project/kuberay ray-operator
controllers/ray/utils/{validation,constant}.go (ValidateRayClusterMetadata and its like); facts of runtimes, section 4.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from generator.finding import Layer, Severity
from generator.validate.admission.words import FORBIDDEN, REQUIRED, TOO_MANY, kueue_has, refusal
from generator.validate.cluster import Target
from generator.validate.kinds import RAY_CLUSTER, RAY_JOB, RAY_SERVICE, Kind
from generator.validate.shape import get, items, mapping, mappings, text
from generator.validate.syntax import dns1035_defect
from generator.validate.violation import Violation

ELASTIC = "kueue.x-k8s.io/elastic-job"
GROUP = RAY_CLUSTER[0]
_MOST_CHARACTERS = {RAY_CLUSTER: 53, RAY_JOB: 47, RAY_SERVICE: 47}
_POD_SETS = (8, 10)  # of a Workload, to 0.17 and from 0.18


def validate(kind: Kind, body: Mapping[str, Any], target: Target, queue: str | None) -> Iterator[Violation]:
    """Yield what is wrong with an object of Ray; `queue` is where it ends up: "" or None, no rule of Kueue's holds."""
    yield from name(kind, text(body, "metadata", "name"))
    if kind == RAY_JOB:
        yield from submission_mode(body, target)
    if queue and kind == RAY_CLUSTER:
        yield from _cluster_spec(body, mapping(body, "spec"), "spec", target, others=1)
    elif queue and kind == RAY_JOB:
        yield from queued_job(body, target)


def name(kind: Kind, written: str) -> Iterator[Violation]:
    """KubeRay names services and clusters after it, and starts none whose name leaves no room for that."""
    most = _MOST_CHARACTERS.get(kind, 63)
    if len(written) > most:
        defect, fix = f"has {len(written)} characters, and {kind[1]} may have {most}", f"shorten it to {most}"
    elif written and (found := dns1035_defect(written)):
        defect, fix = found, "rename it"
    else:
        return
    message = f"name {written!r} {defect}: it is accepted, and KubeRay never starts it"
    yield Violation("ray-name", Layer.READINESS, "metadata.name", message, fix)


def submission_mode(body: Mapping[str, Any], target: Target) -> Iterator[Violation]:
    """The CRD takes any word; KubeRay submits in the ways that it knows."""
    mode, release = text(body, "spec", "submissionMode"), target.openshift_ai
    if release is None or not mode or mode in release.ray_job_modes:
        return
    message = f"KubeRay of OpenShift AI {release.version} knows no submissionMode {mode}: nothing submits the job"
    fix = f"write {', '.join(release.ray_job_modes)}"
    yield Violation("ray-job-mode", Layer.READINESS, "spec.submissionMode", message, fix)


def queued_job(body: Mapping[str, Any], target: Target) -> Iterator[Violation]:
    """Yield what Kueue refuses in a queued RayJob, and one that goes past its queue."""
    spec = mapping(body, "spec")
    selector, cluster = get(spec, "clusterSelector"), get(spec, "rayClusterSpec")
    if selector and cluster is not None:
        message = "clusterSelector and rayClusterSpec are both set: a queued job may not use an existing cluster"
        yield refusal("ray-job-on-existing-cluster", "spec.clusterSelector", message, "remove clusterSelector")
    elif selector:
        message = "a job on an existing cluster goes past its queue: Kueue does not manage it"
        fix = "label that RayCluster with a queue; a label here has no effect"
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
