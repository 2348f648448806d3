"""DataScienceCluster: OpenShift AI's webhooks.

Source: rhods-operator internal/webhook/datasciencecluster/{v1,v2}/validating.go by release; facts, section 2.4.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from typing import Any

from generator.releases.load import known, openshift_ai
from generator.validate.admission.words import FORBIDDEN, refusal
from generator.validate.cluster import Target
from generator.validate.kinds import DATA_SCIENCE_CLUSTER, kind_of
from generator.validate.shape import get, mapping, text
from generator.validate.violation import Violation

STATE = "spec.components.kueue.managementState"


def validate(
    body: Mapping[str, Any],
    target: Target,
    old: Mapping[str, Any] | None = None,
    existing: Iterable[Mapping[str, Any]] = (),
) -> Iterator[Violation]:
    """Yield what the webhooks refuse; `existing` are the cluster's other objects, and on update the stored one."""
    others = [other for other in existing if kind_of(other) == DATA_SCIENCE_CLUSTER]
    if old is None:
        yield from second_instance(body, others)
    yield from kueue_managed(body, target)
    if old is not None:
        yield from update_through_old_api(body, target, others)


def second_instance(body: Mapping[str, Any], others: list[Mapping[str, Any]]) -> Iterator[Violation]:
    """A cluster has one DataScienceCluster, whatever it is called."""
    name = text(body, "metadata", "name")
    for other in others:
        if (rival := text(other, "metadata", "name")) != name:
            message = f"DataScienceCluster {rival} exists as well: only one instance is allowed"
            yield refusal("second-data-science-cluster", "metadata.name", message, "keep one of them", FORBIDDEN)
            return


def kueue_managed(body: Mapping[str, Any], target: Target) -> Iterator[Violation]:
    """The embedded Kueue ended with 2.25; since then v1 denies Managed, and v2 from 3.4."""
    release = target.openshift_ai
    if release is None or get(body, *STATE.split(".")) != "Managed" or release.kueue_managed == "legal":
        return
    is_old_api = text(body, "apiVersion") != release.dsc_api
    if is_old_api or release.kueue_managed == "denied":
        reason = "its v1 webhook denies it" if is_old_api else release.kueue_managed_reason
        yield refusal(
            "kueue-managed",
            STATE,
            f"component kueue is Managed, which OpenShift AI {release.version} refuses: {reason}",
            "install the Red Hat build of Kueue (kueue-operator) and set Unmanaged, or set Removed",
            FORBIDDEN,
        )


def update_through_old_api(
    body: Mapping[str, Any], target: Target, others: list[Mapping[str, Any]]
) -> Iterator[Violation]:
    """An update through v1 would turn off what v1 does not know, so it is denied while such a component is Managed."""
    release = target.openshift_ai
    if release is None or text(body, "apiVersion") == release.dsc_api:
        return
    new = release.components.keys() - _old_components()
    live = [mapping(other, "spec", "components") for other in others if text(other, "apiVersion") == release.dsc_api]
    managed = sorted(
        {name for components in live for name in new if get(components, name, "managementState") == "Managed"}
    )
    if managed:
        yield refusal(
            "update-through-old-api",
            "apiVersion",
            f"cannot be changed through v1: components that only v2 has are Managed: {', '.join(managed)}",
            f"write it as {release.dsc_api}",
            FORBIDDEN,
        )


@cache
def _old_components() -> frozenset[str]:
    """Return the components of the releases that have v1 alone."""
    releases = (openshift_ai(version) for version in known("openshift-ai"))
    old = [release for release in releases if release and release.dsc_api.endswith("/v1")]
    return frozenset(name for release in old for name in release.components)
