"""Cohort: the rules of Kueue's webhook. Source: kubernetes-sigs/kueue pkg/webhooks/cohort_webhook.go."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from generator.validate.admission import quotas
from generator.validate.admission.words import kueue_has
from generator.validate.cluster import Target
from generator.validate.shape import mapping
from generator.validate.violation import Violation


def validate(body: Mapping[str, Any], target: Target) -> Iterator[Violation]:
    """Yield what the webhook refuses; a Cohort may lend more than it owns, a ClusterQueue may not."""
    spec = mapping(body, "spec")
    yield from quotas.group_violations(spec)
    if not (spec.get("parentName") or spec.get("parent")):
        yield from quotas.limit_without_group(spec, "parent", quotas.LIMITS)
    yield from quotas.fair_sharing_weight(spec, threshold=kueue_has(target, "0.12"))
