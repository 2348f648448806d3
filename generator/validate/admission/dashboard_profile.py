"""AcceleratorProfile and the dashboard's own HardwareProfile: refused since 3.0.

Source: rhods-operator internal/webhook/dashboard/validating.go; facts, section 4.3.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from generator.releases.model import OpenShiftAI
from generator.validate.admission.words import FORBIDDEN, refusal
from generator.validate.cluster import Target
from generator.validate.shape import text
from generator.validate.violation import Violation


def validate(body: Mapping[str, Any], target: Target) -> Iterator[Violation]:
    """Yield the refusal of a kind that ended with 2.25."""
    release = target.openshift_ai
    if release is not None and not _has_legacy_profiles(release):
        kind = text(body, "kind")
        yield refusal(
            "legacy-profile",
            "apiVersion",
            f"dashboard.opendatahub.io/{kind} is not supported by OpenShift AI {release.version}",
            f"write a HardwareProfile of {release.hardware_profile_api}",
            FORBIDDEN,
        )


def _has_legacy_profiles(release: OpenShiftAI) -> bool:
    return release.dsc_api.endswith("/v1")
