"""Training runtimes that are accepted, and that nobody finds, that reach for the host, or wait for a scheduler.

Source: facts of runtimes, sections 1.1, 1.3 and 1.5 (Trainer's webhook checks overrides of a TrainJob, not runtimes).
"""

from __future__ import annotations

from collections.abc import Iterator

from generator.finding import Finding, Layer, Severity
from generator.manifest import Manifest
from generator.validate import kinds
from generator.validate.cluster import Cluster, labels_of, name_of
from generator.validate.pods import control_plane_tolerations, host_volumes
from generator.validate.shape import mapping, mappings
from generator.validate.train_jobs import JOBS, POD_SPEC

FRAMEWORK = "trainer.kubeflow.org/framework"
_GROUP = "spec.podGroupPolicy"


def check(cluster: Cluster) -> Iterator[Finding]:
    """Yield warnings: the server accepts all of this."""
    for kind in (kinds.CLUSTER_RUNTIME, kinds.RUNTIME):
        for manifest in cluster.of(kind):
            yield from without_framework(cluster, manifest)
            yield from on_the_host(cluster, manifest)
            yield from pod_group(cluster, manifest)


def without_framework(cluster: Cluster, manifest: Manifest) -> Iterator[Finding]:
    """SDK and dashboard list runtimes by this label."""
    if not labels_of(manifest).get(FRAMEWORK):
        yield _warning(
            cluster,
            manifest,
            "runtime-without-framework",
            f"has no label {FRAMEWORK}: neither the SDK nor the dashboard lists it",
            f"label it {FRAMEWORK}: torch, or the framework that it is for",
            "metadata.labels",
        )


def on_the_host(cluster: Cluster, manifest: Manifest) -> Iterator[Finding]:
    """What no TrainJob may ask for, its runtime should not give to all of them."""
    for index, job in mappings(manifest.body, *JOBS):
        pod, path = mapping(job, *POD_SPEC), f"{'.'.join(JOBS)}[{index}].{'.'.join(POD_SPEC)}"
        for place in host_volumes(pod):
            says = "mounts a volume of the host into every TrainJob"
            yield _warning(cluster, manifest, "runtime-on-host", says, "use a claim", f"{path}.{place}")
        for place, key in control_plane_tolerations(pod):
            says, fix = f"lets every TrainJob run on nodes of {key}", "remove the toleration"
            yield _warning(cluster, manifest, "runtime-on-host", says, fix, f"{path}.{place}")


def pod_group(cluster: Cluster, manifest: Manifest) -> Iterator[Finding]:
    """Kueue starts pods together by itself; the schedulers of pod groups are installed by no release."""
    policy = mapping(manifest.body, *_GROUP.split("."))
    if policy and (cluster.target.kueue is not None or cluster.of(kinds.CLUSTER_QUEUE)):
        name = next(iter(policy))
        yield _warning(
            cluster,
            manifest,
            "runtime-pod-group",
            f"leaves its pods to the scheduler of {name}, which OpenShift AI does not install: beside Kueue, which "
            "admits all pods of a TrainJob together, they wait for it",
            "remove podGroupPolicy",
            _GROUP,
        )


def _warning(cluster: Cluster, manifest: Manifest, rule: str, says: str, fix: str, path: str) -> Finding:
    message = f"runtime {name_of(manifest)} {says}"
    return cluster.finding(manifest, rule, Layer.READINESS, message, fix, path, severity=Severity.WARNING)
