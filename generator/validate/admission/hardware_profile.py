"""HardwareProfile: what its CRD accepts and the dashboard then hides without a word.

Source: odh-dashboard@rhoai-3.4 frontend/src/pages/hardwareProfiles/utils.ts (isHardwareProfileValid) and
manage/validationUtils.ts; facts, section 4.1.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from fractions import Fraction
from itertools import pairwise
from typing import Any

from generator.finding import Layer, Severity
from generator.validate.shape import exact, get, mappings, text
from generator.validate.violation import Violation

COUNTS = ("minCount", "defaultCount", "maxCount")
VISIBILITY = "opendatahub.io/dashboard-feature-visibility"
FEATURES = ("workbench", "model-serving")
DISABLED = "opendatahub.io/disabled"
HIDDEN = "the dashboard hides the profile"


def validate(body: Mapping[str, Any]) -> Iterator[Violation]:
    """Yield what makes the dashboard hide the profile, or ignore an annotation."""
    spec = get(body, "spec")
    yield from without_cpu_or_memory(spec)
    for index, identifier in mappings(spec, "identifiers"):
        yield from counts_in_disorder(identifier, f"spec.identifiers[{index}]")
    yield from unknown_feature(body)
    yield from ambiguous_disabled(body)


def without_cpu_or_memory(spec: object) -> Iterator[Violation]:
    """The list holds a CPU and a Memory identifier."""
    types = {text(identifier, "resourceType") for _, identifier in mappings(spec, "identifiers")}
    if missing := [kind for kind in ("CPU", "Memory") if kind not in types]:
        yield _hidden(
            "profile-without-cpu-or-memory",
            "spec.identifiers",
            f"no identifier has resourceType {' or '.join(missing)}: {HIDDEN}",
            "add identifiers of resourceType CPU and Memory",
        )


def counts_in_disorder(identifier: Mapping[str, Any], path: str) -> Iterator[Violation]:
    """Counts are whole, not negative, and minimum <= default <= maximum."""
    name, kind = text(identifier, "identifier"), text(identifier, "resourceType")
    amounts: list[tuple[str, Fraction]] = []
    for key in COUNTS:
        written = get(identifier, key)
        amount = exact(written)
        if amount is None:
            continue
        if amount < 0 or (kind not in ("CPU", "Memory") and amount.denominator != 1):
            message = f"{key} {written} of {name} is not a whole number of 0 or more: {HIDDEN}"
            yield _hidden("profile-count", f"{path}.{key}", message, "write a whole number")
        amounts.append((key, amount))
    for (low, least), (high, most) in pairwise(amounts):
        if least > most:
            message = f"{low} {identifier[low]} of {name} is above its {high} {identifier[high]}: {HIDDEN}"
            yield _hidden("profile-counts-in-disorder", f"{path}.{low}", message, f"write {low} <= {high}")


def unknown_feature(body: Mapping[str, Any]) -> Iterator[Violation]:
    """The visibility annotation is a JSON list of known features."""
    written = get(body, "metadata", "annotations", VISIBILITY)
    if written is None:
        return
    path = f"metadata.annotations[{VISIBILITY}]"
    features = visibility(body)
    if features is None:
        message = f"{VISIBILITY} is no JSON list: {HIDDEN}"
        yield _hidden("profile-visibility", path, message, "write '[\"workbench\"]' or leave it out")
        return
    for feature in features:
        if feature not in FEATURES:
            message = f"{VISIBILITY} names {feature!r}, which the dashboard does not know"
            fix = f"known are {', '.join(FEATURES)}"
            yield Violation("profile-visibility", Layer.READINESS, path, message, fix, Severity.WARNING)


def ambiguous_disabled(body: Mapping[str, Any]) -> Iterator[Violation]:
    """`opendatahub.io/disabled` enables the profile only as exactly "false", or absent."""
    written = get(body, "metadata", "annotations", DISABLED)
    if written not in (None, "true", "false"):
        path = f"metadata.annotations[{DISABLED}]"
        message = f'{DISABLED} is {written!r}: the dashboard takes all but "false" for disabled'
        yield Violation("profile-disabled", Layer.READINESS, path, message, 'write "true" or "false"', Severity.WARNING)


def visibility(body: Mapping[str, Any]) -> list[str] | None:
    """Return the features that offer a profile; empty: all of them; None: the annotation cannot be read."""
    written = get(body, "metadata", "annotations", VISIBILITY)
    if written is None:
        return []
    try:
        features = json.loads(written)
    except (TypeError, ValueError, RecursionError):
        return None
    return features if isinstance(features, list) and all(isinstance(f, str) for f in features) else None


def is_enabled(body: Mapping[str, Any]) -> bool:
    """Whether the dashboard offers the profile."""
    return get(body, "metadata", "annotations", DISABLED) in (None, "false")


def _hidden(rule: str, path: str, message: str, fix: str) -> Violation:
    return Violation(rule, Layer.READINESS, path, message, fix)
