"""The queue-name label: OpenShift AI's webhook up to 3.3, and the label's form for all of Kueue's job webhooks.

Source: rhods-operator internal/webhook/kueue/validating.go by release (facts, section 6);
kueue pkg/controller/jobframework/validation.go.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from generator.validate.admission.words import FORBIDDEN, refusal
from generator.validate.cluster import Target
from generator.validate.effective_queue import is_seen, label_of
from generator.validate.kinds import (
    DATA_SCIENCE_CLUSTER,
    LEADER_WORKER_SET,
    LEGACY_MANAGED_LABEL,
    MANAGED_LABEL,
    MAX_EXEC_TIME,
    NAMESPACE,
    OWNERS,
    QUEUE_NAME,
    WORKLOADS,
    kind_of,
)
from generator.validate.shape import get, mapping, text
from generator.validate.syntax import subdomain_defect
from generator.validate.violation import Violation

_PATH = f"metadata.labels[{QUEUE_NAME}]"


def validate(
    body: Mapping[str, Any], target: Target, existing: Iterable[Mapping[str, Any]] = ()
) -> Iterator[Violation]:
    """Yield what is wrong with a workload's queue name; `existing` is what `neighbours` gives."""
    queue = get(body, "metadata", "labels", QUEUE_NAME)
    if isinstance(queue, str) and queue and (defect := subdomain_defect(queue)):
        yield refusal("queue-name", _PATH, f"queue name {queue!r} {defect}", "write the name of a LocalQueue")
    around = tuple(existing)
    yield from max_exec_time(body, target, around)
    yield from queue_name_missing(body, target, around)


def max_exec_time(
    body: Mapping[str, Any], target: Target, existing: tuple[Mapping[str, Any], ...]
) -> Iterator[Violation]:
    """A job in a managed namespace says for how many seconds it may run as a number above 0.

    Source: kueue pkg/controller/jobframework/validation.go, validateCreateForMaxExecTime.
    """
    kind, written = kind_of(body), get(body, "metadata", "labels", MAX_EXEC_TIME)
    is_job = kind in WORKLOADS and kind not in (*OWNERS, LEADER_WORKER_SET)
    if not isinstance(written, str) or not is_job or (written.isascii() and written.isdecimal() and int(written)):
        return
    namespace = text(body, "metadata", "namespace")
    if is_seen(kind, target, existing) and any(_is_managed(o, namespace) for o in existing):
        yield refusal(
            "max-exec-time",
            f"metadata.labels[{MAX_EXEC_TIME}]",
            f"label {MAX_EXEC_TIME}: {written!r} is no number of seconds above 0",
            "write whole seconds, such as 3600",
        )


def queue_name_missing(
    body: Mapping[str, Any], target: Target, existing: tuple[Mapping[str, Any], ...]
) -> Iterator[Violation]:
    """In a managed namespace the kinds that the release lists are denied without a queue name.

    Kueue and hardware profiles write theirs before.
    """
    release = target.openshift_ai
    if release is None or text(body, "kind") not in release.queue_name_webhook or not _is_governed(body, existing):
        return
    labels = mapping(body, "metadata", "labels")
    if label_of(body, target, existing) == "":
        empty = QUEUE_NAME in labels
        yield refusal(
            "queue-name-missing",
            _PATH if empty else "metadata.labels",
            f"the label {QUEUE_NAME} is {'empty' if empty else 'missing'}: OpenShift AI {release.version} demands it "
            "in a Kueue-managed namespace",
            f"label it {QUEUE_NAME}: the name of a LocalQueue of its namespace",
            FORBIDDEN,
        )


def _is_governed(body: Mapping[str, Any], existing: tuple[Mapping[str, Any], ...]) -> bool:
    namespace = text(body, "metadata", "namespace")
    return any(_is_managed(o, namespace) for o in existing) and any(_uses_kueue(o) for o in existing)


def _is_managed(body: Mapping[str, Any], name: str) -> bool:
    labels = mapping(body, "metadata", "labels")
    managed = "true" in (labels.get(MANAGED_LABEL), labels.get(LEGACY_MANAGED_LABEL))
    return kind_of(body) == NAMESPACE and text(body, "metadata", "name") == name and managed


def _uses_kueue(body: Mapping[str, Any]) -> bool:
    if kind_of(body) != DATA_SCIENCE_CLUSTER:
        return False
    state = get(body, "spec", "components", "kueue", "managementState")
    return state in ("Managed", "Unmanaged")
