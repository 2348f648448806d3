"""Auth: who administers and who may use OpenShift AI. Its CRD states the rules in CEL.

Source: rhods-operator api/services/v1alpha1/auth_types.go and its auth_cel_integration_test.go; facts, section 2c.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from generator.finding import Layer
from generator.validate.shape import get, items, text
from generator.validate.violation import Violation

EVERYBODY = "system:authenticated"


def validate(body: Mapping[str, Any]) -> Iterator[Violation]:
    """Yield what the CRD's rules refuse."""
    if text(body, "metadata", "name") not in ("", "auth"):
        yield _refusal("metadata.name", "the object must be called auth", "call it auth")
    if not items(body, "spec", "adminGroups"):
        yield _refusal("spec.adminGroups", "adminGroups is empty: somebody must administer", "name a group")
    if get(body, "spec", "allowedGroups") is None:
        yield _refusal("spec.allowedGroups", "allowedGroups is missing", "write the list, empty for nobody")
    for key, forbidden in (("adminGroups", ("", EVERYBODY)), ("allowedGroups", ("",))):
        if odd := [group for group in items(body, "spec", key) if group in forbidden]:
            message = f"{key} holds {odd[0]!r}, which is not allowed"
            yield _refusal(f"spec.{key}", message, "name groups of the platform")


def _refusal(path: str, message: str, fix: str) -> Violation:
    return Violation("auth-groups", Layer.CEL, path, message, fix, kind_of_error="Invalid value")
