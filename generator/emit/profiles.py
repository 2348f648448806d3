"""HardwareProfile: what the dashboard offers for a workbench or a model server."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from typing import Any

from generator.emit.marks import labels, wave
from generator.manifest import Manifest, manifest
from generator.plan.model import Identifier, Plan, Profile

PROFILE_WAVE = 4


def emit(profiles: Iterable[Profile], plan: Plan) -> Iterator[Manifest]:
    """Yield the objects of the given profiles. Source of the annotations: odh-dashboard hardwareProfiles.ts."""
    for profile in profiles:
        annotations = {
            "opendatahub.io/display-name": profile.display_name,
            "opendatahub.io/dashboard-feature-visibility": json.dumps(list(profile.visible_to)),
            "opendatahub.io/disabled": "true" if profile.disabled else "false",
            **wave(PROFILE_WAVE),
        }
        if profile.description:
            annotations["opendatahub.io/description"] = profile.description
        queue = {"localQueueName": profile.local_queue}
        if profile.priority_class:
            queue["priorityClass"] = profile.priority_class
        yield manifest(
            plan.openshift_ai.hardware_profile_api,
            "HardwareProfile",
            profile.name,
            namespace=profile.namespace,
            labels=labels(plan.name, profile.team),
            annotations=annotations,
            origin=profile.origin,
            spec={
                "identifiers": [_identifier(i) for i in profile.identifiers],
                "scheduling": {"type": "Queue", "kueue": queue},
            },
        )


def _identifier(item: Identifier) -> dict[str, Any]:
    counts: dict[str, Any] = {"minCount": item.min, "defaultCount": item.default}
    if item.max is not None:
        counts["maxCount"] = item.max
    return {"displayName": item.name, "identifier": item.identifier, "resourceType": item.resource_type, **counts}
