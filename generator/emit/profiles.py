"""HardwareProfile: what the dashboard offers for a workbench or a model server."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from functools import lru_cache
from typing import Any

from generator.emit.marks import labels, wave
from generator.manifest import Fragment, Manifest, manifest
from generator.plan.model import Identifier, Offer, Plan, Profile

PROFILE_WAVE = 4


def emit(profiles: Iterable[Profile], plan: Plan) -> Iterator[Manifest]:
    """Yield the objects of the given profiles."""
    for profile in profiles:
        offer = profile.offer
        yield manifest(
            plan.openshift_ai.hardware_profile_api,
            "HardwareProfile",
            offer.name,
            namespace=profile.namespace,
            labels=labels(plan.name, profile.team),
            annotations=_annotations(offer),
            origin=offer.origin,
            spec=_spec(offer),
        )


@lru_cache(maxsize=1024)
def _annotations(offer: Offer) -> Fragment:
    """Source: odh-dashboard frontend/src/api/k8s/hardwareProfiles.ts."""
    annotations = {
        "opendatahub.io/display-name": offer.display_name,
        "opendatahub.io/dashboard-feature-visibility": json.dumps(list(offer.visible_to)),
        "opendatahub.io/disabled": "true" if offer.disabled else "false",
        **wave(PROFILE_WAVE),
    }
    if offer.description:
        annotations["opendatahub.io/description"] = offer.description
    return Fragment(annotations)


@lru_cache(maxsize=1024)
def _spec(offer: Offer) -> Fragment:
    queue = {"localQueueName": offer.local_queue}
    if offer.priority_class:
        queue["priorityClass"] = offer.priority_class
    identifiers = [_identifier(i) for i in offer.identifiers]
    return Fragment({"identifiers": identifiers, "scheduling": {"type": "Queue", "kueue": queue}})


def _identifier(item: Identifier) -> dict[str, Any]:
    counts: dict[str, Any] = {"minCount": item.min, "defaultCount": item.default}
    if item.max is not None:
        counts["maxCount"] = item.max
    return {"displayName": item.name, "identifier": item.identifier, "resourceType": item.resource_type, **counts}
