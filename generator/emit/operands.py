"""What operators are told to run: their own custom resources, and the Kueue CR."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from generator.emit import gpu
from generator.emit.marks import CONFIRM, HANDS_OFF, labels, wave
from generator.manifest import Manifest, manifest
from generator.plan.model import Plan

KUEUE_WAVE = 5  # after the operators that frameworks need (JobSetOperator, LeaderWorkerSetOperator)


def emit(plan: Plan) -> Iterator[Manifest]:
    """Yield the custom resources of all installed operators, sharing of GPUs included, and Kueue/cluster."""
    marks = labels(plan.name)
    for subscription in plan.subscriptions:
        for operand in subscription.operator.operands:
            content: dict[str, Any] = (
                {"spec": gpu.adjusted(operand, plan)} if operand.spec or operand.kind == gpu.CLUSTER_POLICY else {}
            )
            yield manifest(
                operand.api_version,
                operand.kind,
                operand.name,
                namespace=operand.namespace,
                labels=marks,
                annotations={**CONFIRM, **wave(operand.wave)},
                origin=subscription.origin,
                **content,
            )
    yield from gpu.emit(plan)
    yield kueue(plan)


def kueue(plan: Plan) -> Manifest:
    """Return the Kueue CR. Source of its fields: openshift/kueue-operator pkg/apis/kueueoperator/v1."""
    settings = plan.settings
    gang: dict[str, Any] = {"policy": settings.gang_scheduling}
    if settings.gang_scheduling == "ByWorkload":
        gang["byWorkload"] = {"admission": "Parallel"}
    config = {
        "integrations": {"frameworks": list(settings.frameworks)},
        "workloadManagement": {"labelPolicy": settings.label_policy},
        "gangScheduling": gang,
        "preemption": {"preemptionPolicy": settings.preemption_policy},
    }
    spec = {"managementState": "Managed", "logLevel": "Normal", "operatorLogLevel": "Normal", "config": config}
    return manifest(
        plan.kueue.operator_api,
        "Kueue",
        "cluster",
        labels=labels(plan.name),
        annotations={**CONFIRM, **HANDS_OFF, **wave(KUEUE_WAVE)},
        origin=settings.origin,
        spec=spec,
    )
