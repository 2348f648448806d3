"""The LocalQueue that work ends up in: its label, its hardware profile's queue, or the one called default.

Source: kueue pkg/controller/jobframework/defaults.go, ApplyDefaultLocalQueue; rhods-operator
internal/webhook/hardwareprofile; facts of runtimes, sections 0.3 and 7. Mutating webhooks come before validating ones.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from generator.manifest import Manifest
from generator.validate import kinds
from generator.validate.cluster import Cluster, Target, annotations_of, namespace_of
from generator.validate.kinds import Kind, kind_of
from generator.validate.queues import governs
from generator.validate.shape import get, items, mapping, text, texts

DEFAULT = "default"
_OF_PROFILE = ("spec", "scheduling", "kueue", "localQueueName")
_SINGLE = (kinds.DATA_SCIENCE_CLUSTER, kinds.DSC_INITIALIZATION, kinds.KUEUE)
_LISTED = ("spec", "config", "integrations", "frameworks")
_Bodies = Iterable[Mapping[str, Any]]


def queue_of(cluster: Cluster, manifest: Manifest) -> str | None:
    """Return the queue of a workload: "" for none, None where a profile decides that is not known here."""
    return cluster.once_of(_queue_of, manifest)


def _queue_of(cluster: Cluster, manifest: Manifest) -> str | None:
    return effective_queue(manifest.body, cluster.target, neighbours(cluster, manifest))


def effective_queue(body: Mapping[str, Any], target: Target, existing: _Bodies = ()) -> str | None:
    """Return the same of a body, among the objects that `neighbours` gives."""
    around = tuple(existing)
    label = label_of(body, target, around)
    if label == "" and kind_of(body) in kinds.OWNERS and _is_defaulted(body, target, around):
        return DEFAULT  # what its controller makes of it gets the label
    return label


def label_of(body: Mapping[str, Any], target: Target, existing: _Bodies = ()) -> str | None:
    """Return the label of a workload after all mutating webhooks; None where a profile decides that is not known."""
    around, kind = tuple(existing), kind_of(body)
    own = text(body, "metadata", "labels", kinds.QUEUE_NAME)
    if text(body, "metadata", "annotations", kinds.PROFILE_NAME) and is_profiled(kind, target):
        profile = next((o for o in around if kind_of(o) == kinds.HARDWARE_PROFILE), None)
        if profile is None:
            return own or None
        own = text(profile, *_OF_PROFILE) or own
    if own or kind in kinds.OWNERS or not _is_defaulted(body, target, around):
        return own
    return DEFAULT


def neighbours(cluster: Cluster, manifest: Manifest) -> tuple[Mapping[str, Any], ...]:
    """Return what decides on a workload's queue: its namespace, the platform, Kueue, a profile, a queue `default`."""
    space, notes = namespace_of(manifest), annotations_of(manifest)
    profile = text(notes, kinds.PROFILE_NAME)
    found = [
        cluster.find(kinds.NAMESPACE, space),
        cluster.find(kinds.HARDWARE_PROFILE, profile, text(notes, kinds.PROFILE_NAMESPACE) or space),
        *(first for kind in _SINGLE for first in cluster.of(kind)[:1]),
    ]
    bodies = [other.body for other in found if other is not None]
    return (*bodies, _default_queue(space)) if _has_default(cluster, space) else tuple(bodies)


def _has_default(cluster: Cluster, space: str) -> bool:
    of = kinds.LOCAL_QUEUE, DEFAULT, space
    return bool(cluster.find(*of) or cluster.is_external(*of) or (cluster.made is not None and cluster.made.has(*of)))


def _default_queue(space: str) -> Mapping[str, Any]:
    """Return as much of a LocalQueue as tells that it exists: the operator's stands nowhere."""
    group, kind = kinds.LOCAL_QUEUE
    return {"apiVersion": f"{group}/v1beta1", "kind": kind, "metadata": {"name": DEFAULT, "namespace": space}}


def is_profiled(kind: Kind, target: Target) -> bool:
    """Whether a hardware profile is given to a kind; on all others its annotations have no effect."""
    release = target.openshift_ai
    return kind in kinds.OWNERS and (release is None or kind[1] in release.profile_webhook)


def _is_defaulted(body: Mapping[str, Any], target: Target, around: Sequence[Mapping[str, Any]]) -> bool:
    """Whether Kueue gives it, or what is made of it, the queue called default."""
    kind = kind_of(body)
    if kind not in kinds.WORKLOADS or items(body, "metadata", "ownerReferences"):
        return False
    if target.kueue is not None and not target.kueue.gates.get("LocalQueueDefaulting", True):
        return False
    space = text(body, "metadata", "namespace")
    has_queue = any(kind_of(o) == kinds.LOCAL_QUEUE and _names(o, DEFAULT, space) for o in around)
    return has_queue and _is_governed(space, target, around) and is_seen(kind, target, around)


def _names(body: Mapping[str, Any], name: str, space: str) -> bool:
    return text(body, "metadata", "name") == name and text(body, "metadata", "namespace") == space


def _is_governed(name: str, target: Target, around: Sequence[Mapping[str, Any]]) -> bool:
    platforms = [other for other in around if kind_of(other) == kinds.DATA_SCIENCE_CLUSTER]
    return any(
        kind_of(other) == kinds.NAMESPACE
        and text(other, "metadata", "name") == name
        and governs(mapping(other, "metadata", "labels"), target, platforms)
        for other in around
    )


def is_seen(kind: Kind, target: Target, around: Iterable[Mapping[str, Any]] = ()) -> bool:
    """Whether Kueue looks at a kind: its release has a framework for it, and the operator's CR, if known, lists one."""
    names = kinds.FRAMEWORKS.get(kind, (kind[1],))
    if target.kueue is not None and not any(name in target.kueue.frameworks for name in names):
        return False
    for other in around:
        if kind_of(other) == kinds.KUEUE and isinstance(get(other, *_LISTED), list):
            return any(name in texts(other, *_LISTED) for name in names)
    return True
