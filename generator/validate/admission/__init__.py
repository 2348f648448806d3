"""What the admission webhooks of Kueue, OpenShift AI, Trainer and JobSet refuse, kind by kind.

Modules of kinds that no compiled environment has are imported where one comes.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from generator.finding import Finding, Layer
from generator.frozen import replace
from generator.manifest import Manifest
from generator.validate import kinds
from generator.validate.admission import (
    cluster_queue,
    cohort,
    data_science_cluster,
    dsc_initialization,
    hardware_profile,
    local_queue,
    resource_flavor,
    training_runtime,
)
from generator.validate.cluster import Cluster, Target
from generator.validate.effective_queue import neighbours
from generator.validate.kinds import kind_of
from generator.validate.shape import get
from generator.validate.train_jobs import runtime_of
from generator.validate.violation import Violation

_GUARDED_BY_KUEUE = (kinds.CLUSTER_QUEUE, kinds.COHORT, kinds.RESOURCE_FLAVOR)
_LEGACY = ("dashboard.opendatahub.io", "HardwareProfile"), ("dashboard.opendatahub.io", "AcceleratorProfile")
_AUTH = ("services.platform.opendatahub.io", "Auth")
_RUNTIMES = (kinds.CLUSTER_RUNTIME, kinds.RUNTIME)
_SERVING = (kinds.SERVING_RUNTIME, kinds.CLUSTER_SERVING_RUNTIME)
_SINGLETONS = (kinds.DATA_SCIENCE_CLUSTER, kinds.DSC_INITIALIZATION)
_JUDGED = (
    *_GUARDED_BY_KUEUE,
    *_LEGACY,
    _AUTH,
    *_SINGLETONS,
    *kinds.QUEUED,
    *_SERVING,
    kinds.LOCAL_QUEUE,
    kinds.PRIORITY_CLASS,
    kinds.HARDWARE_PROFILE,
    *_RUNTIMES,
)


def validate(
    body: Mapping[str, Any],
    target: Target,
    old: Mapping[str, Any] | None = None,
    existing: Iterable[Mapping[str, Any]] = (),
) -> list[Violation]:
    """Return what the webhooks say of one object.

    `old` makes it an update. `existing` are objects of the cluster that a rule may look at: other singletons, for a
    workload what decides on its queue, and a TrainJob's runtime.
    """
    return list(_validate(body, target, old, existing))


def _validate(
    body: Mapping[str, Any], target: Target, old: Mapping[str, Any] | None, existing: Iterable[Mapping[str, Any]]
) -> Iterator[Violation]:
    kind = kind_of(body)
    if kind == kinds.CLUSTER_QUEUE:
        yield from cluster_queue.validate(body, target, old)
    elif kind == kinds.COHORT:
        yield from cohort.validate(body, target)
    elif kind == kinds.RESOURCE_FLAVOR:
        yield from resource_flavor.validate(body)
    elif kind == kinds.LOCAL_QUEUE:
        yield from local_queue.validate(body)
    elif kind == kinds.PRIORITY_CLASS:
        yield from local_queue.validate_priority(body)
    elif kind == kinds.DATA_SCIENCE_CLUSTER:
        yield from data_science_cluster.validate(body, target, old, existing)
    elif kind == kinds.DSC_INITIALIZATION:
        yield from dsc_initialization.validate(body, target, old, existing)
    elif kind == kinds.HARDWARE_PROFILE:
        yield from hardware_profile.validate(body)
    elif kind == _AUTH:
        from generator.validate.admission import auth

        yield from auth.validate(body)
    elif kind in _LEGACY:
        from generator.validate.admission import dashboard_profile

        yield from dashboard_profile.validate(body, target)
    elif kind in _RUNTIMES:
        yield from training_runtime.validate(body)
    elif kind in kinds.QUEUED:
        from generator.validate.admission import workload

        yield from workload.validate(kind, body, target, tuple(existing))
    elif kind in _SERVING:
        from generator.validate.admission import inference

        yield from inference.validate_runtime(body)


def check(cluster: Cluster) -> Iterator[Finding]:
    """Yield the webhooks' objections to the objects of a cluster.

    What a CRD's CEL rule says as well is left to the schema engine: the server never asks the webhook then.
    """
    passed: set[tuple[int, int]] = set()
    for kind in _JUDGED:
        for manifest in cluster.of(kind):
            parts = _parts(manifest) if kind == kinds.HARDWARE_PROFILE else None
            if parts in passed:
                continue
            violations = validate(manifest.body, cluster.target, existing=_neighbours(manifest, cluster))
            if parts and not violations:
                passed.add(parts)
            for violation in violations:
                if violation.rule not in cluster_queue.SAID_BY_CEL:
                    yield cluster.objection(manifest, _dated(violation, kind, cluster.target))


def _parts(profile: Manifest) -> tuple[int, int]:
    """Return the identity of all that is judged of a profile: one that stands in many namespaces is judged once."""
    return id(profile.body.get("spec")), id(get(profile.body, "metadata", "annotations"))


def _neighbours(manifest: Manifest, cluster: Cluster) -> tuple[Mapping[str, Any], ...]:
    kind = kind_of(manifest.body)
    if kind in _SINGLETONS:
        return _rival(manifest, cluster.of(kind))
    if kind in kinds.QUEUED:
        runtime = runtime_of(cluster, manifest) if kind == kinds.TRAIN_JOB else None
        return (*neighbours(cluster, manifest), *([runtime] if runtime else ()))
    return ()


def _rival(manifest: Manifest, same: Sequence[Manifest]) -> tuple[Mapping[str, Any], ...]:
    """Return the singleton that was read first, unless this is it: it is taken to exist, and the others are refused."""
    return () if same[0] is manifest else (same[0].body,)


def _dated(violation: Violation, kind: kinds.Kind, target: Target) -> Violation:
    """Say so where the target's operator does not register Kueue's webhooks: the server then lets it pass for now."""
    if kind not in _GUARDED_BY_KUEUE or violation.layer is not Layer.WEBHOOK or target.kueue is None:
        return violation
    if target.kueue.webhooks_since is not None:
        return violation
    note = f"(the operator of Kueue {target.kueue.version} does not enforce it, Kueue 1.4.1 does)"
    return replace(violation, message=f"{violation.message} {note}")
