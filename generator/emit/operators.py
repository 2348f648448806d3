"""Namespace, OperatorGroup and Subscription of an operator: the shared base, and what an environment changes of it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from generator.emit.marks import CONFIRM, KEEP, MANAGED_BY, wave
from generator.finding import Location
from generator.manifest import Manifest, manifest
from generator.plan.model import Subscription
from generator.releases import load
from generator.releases.model import Operator

_NOWHERE = Location("")  # a base comes from release data, not from a line
API = "operators.coreos.com/v1alpha1"
GROUP_API = "operators.coreos.com/v1"
FIRST_WAVE = 1


def folder(subscription: Subscription) -> str:
    """Return the folder of the base that a subscription builds on: one for each operator and channel."""
    return f"base/operators/{subscription.operator.id}/{subscription.channel}"


def base(operator: Operator, channel: str) -> Iterator[Manifest]:
    """Yield the objects of an operator in one channel, a function of release data alone."""
    if operator.group != "none":
        yield manifest(
            "v1",
            "Namespace",
            operator.namespace,
            origin=_NOWHERE,
            labels={**MANAGED_BY, **operator.namespace_labels},
            annotations=CONFIRM,
        )
        targets = {"targetNamespaces": [operator.namespace]} if operator.group == "own" else {}
        yield manifest(
            GROUP_API,
            "OperatorGroup",
            operator.package,
            namespace=operator.namespace,
            origin=_NOWHERE,
            labels=MANAGED_BY,
            annotations=KEEP,
            spec={**targets, "upgradeStrategy": "Default"},
        )
    yield manifest(
        API,
        "Subscription",
        operator.package,
        namespace=operator.namespace,
        origin=_NOWHERE,
        labels=MANAGED_BY,
        annotations={**KEEP, **wave(FIRST_WAVE + depth(operator))},
        spec=_spec(operator, channel),
    )


def depth(operator: Operator) -> int:
    """Return how many operators must be there before: cert-manager is in an earlier wave than Kueue."""
    return max((1 + depth(load.operator(id_)) for id_ in operator.requires), default=0)


def _spec(operator: Operator, channel: str) -> dict[str, Any]:
    spec: dict[str, Any] = {
        "name": operator.package,
        "channel": channel,
        "installPlanApproval": "Automatic",
        "source": operator.source,
        "sourceNamespace": operator.source_namespace,
    }
    if operator.env:
        spec["config"] = {"env": [{"name": name, "value": value} for name, value in operator.env]}
    return spec


def patch(subscription: Subscription) -> Mapping[str, Any] | None:
    """Return the strategic merge patch of scalars in which an environment differs from the base, or None."""
    operator = subscription.operator
    spec: dict[str, str] = {}
    if subscription.approval != "Automatic":
        spec["installPlanApproval"] = subscription.approval
    if subscription.source != operator.source:
        spec["source"] = subscription.source
    if subscription.starting_csv is not None:
        spec["startingCSV"] = subscription.starting_csv
    if not spec:
        return None
    return {
        "apiVersion": API,
        "kind": "Subscription",
        "metadata": {"name": operator.package, "namespace": operator.namespace},
        "spec": spec,
    }
