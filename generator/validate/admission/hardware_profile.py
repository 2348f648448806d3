"""HardwareProfile: what its CRD accepts and the dashboard then hides without a word.

Source: odh-dashboard frontend/src/pages/hardwareProfiles/utils.ts (isHardwareProfileValid), manage/validationUtils.ts
and frontend/src/utilities/valueUnits.ts, as of opendatahub-io/odh-dashboard 072b451a34; facts, section 4.1.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from fractions import Fraction
from itertools import pairwise
from typing import Any

from generator.finding import Layer, Severity
from generator.pattern import pattern
from generator.validate.shape import exact, get, mappings, text
from generator.validate.violation import Violation

CPU, MEMORY = "CPU", "Memory"
COUNTS = ("minCount", "defaultCount", "maxCount")
VISIBILITY = "opendatahub.io/dashboard-feature-visibility"
FEATURES = ("workbench", "model-serving")
DISABLED = "opendatahub.io/disabled"
HIDDEN = "the dashboard hides the profile"
_BY_NAME = {"cpu": CPU, "memory": MEMORY}
_COUNT = pattern(r"([0-9]+\.?0*|\.0+)(.*)")
_SUFFIXES = {CPU: {"": Fraction(1), "m": Fraction(1, 1000)}, MEMORY: {"Gi": Fraction(2**30), "Mi": Fraction(2**20)}}
_SUFFIXES[""] = {"": Fraction(1)}
_UNITS = {CPU: " of cores or millicores (m)", MEMORY: " of Gi or Mi", "": " of 0 or more"}


def validate(body: Mapping[str, Any]) -> Iterator[Violation]:
    """Yield what makes the dashboard hide the profile, or ignore an annotation."""
    spec = get(body, "spec")
    yield from without_cpu_or_memory(spec)
    for index, identifier in mappings(spec, "identifiers"):
        yield from empty_names(identifier, f"spec.identifiers[{index}]")
        yield from counts_in_disorder(identifier, f"spec.identifiers[{index}]")
    yield from unknown_feature(body)
    yield from ambiguous_disabled(body)


def without_cpu_or_memory(spec: object) -> Iterator[Violation]:
    """The list holds a CPU and a Memory identifier, by resourceType or by name."""
    found = {_kind(identifier) for _, identifier in mappings(spec, "identifiers")}
    if missing := [kind for kind in (CPU, MEMORY) if kind not in found]:
        yield _hidden(
            "profile-without-cpu-or-memory",
            "spec.identifiers",
            f"no identifier has resourceType {' or '.join(missing)}: {HIDDEN}",
            "add identifiers of resourceType CPU and Memory",
        )


def empty_names(identifier: Mapping[str, Any], path: str) -> Iterator[Violation]:
    """An identifier is shown by its displayName, and asks for its identifier: neither is blank."""
    for key in ("displayName", "identifier"):
        written = get(identifier, key)
        if isinstance(written, str) and not written.strip():
            yield _hidden("profile-name-empty", f"{path}.{key}", f"{key} is empty: {HIDDEN}", f"write a {key}")


def counts_in_disorder(identifier: Mapping[str, Any], path: str) -> Iterator[Violation]:
    """Counts are whole in a unit that the dashboard knows, not negative, and minimum <= default <= maximum."""
    name, kind = text(identifier, "identifier"), _kind(identifier)
    amounts: list[tuple[str, Fraction]] = []
    for key in COUNTS:
        written = get(identifier, key)
        if isinstance(written, bool) or not isinstance(written, int | str):
            continue
        if not _is_whole(written, kind):
            message = f"{key} {written} of {name} is not a whole number{_UNITS[kind]}: {HIDDEN}"
            yield _hidden("profile-count", f"{path}.{key}", message, _whole(written, kind))
        elif (amount := exact(written)) is not None:
            amounts.append((key, amount))
            if not amount:
                yield _zero(key, name, path)
    for (low, least), (high, most) in pairwise(amounts):
        if least > most:
            message = f"{low} {identifier[low]} of {name} is above its {high} {identifier[high]}: {HIDDEN}"
            yield _hidden("profile-counts-in-disorder", f"{path}.{low}", message, f"write {low} <= {high}")


def _zero(key: str, name: str, path: str) -> Violation:
    """Yet a warning: since which release was not seen.

    Source: odh-dashboard 7f34395236 frontend/src/pages/hardwareProfiles/nodeResource/utils.ts, minCountSchema.
    """
    message = f"{key} of {name} is 0, which the dashboard takes for no positive number: it may hide the profile"
    path = f"{path}.{key}"
    return Violation("profile-count", Layer.READINESS, path, message, "write 1 or more", Severity.WARNING)


def _kind(identifier: Mapping[str, Any]) -> str:
    """Return CPU, Memory, or "" for all others. Source: determineIdentifierUnit and hasCPUandMemory."""
    for kind in (CPU, MEMORY):
        if kind in (text(identifier, "resourceType"), _BY_NAME.get(text(identifier, "identifier"))):
            return kind
    return ""


def _is_whole(written: int | str, kind: str) -> bool:
    """Whether the dashboard can read a count. Source: splitValueUnit, asked to be strict, and Number.isInteger."""
    match = _COUNT.fullmatch(str(written))
    return match is not None and match[2] in _SUFFIXES[kind]


def _whole(written: int | str, kind: str) -> str:
    """Return what to write in place of a count: the same amount where a unit fits."""
    amount = exact(written)
    for suffix, size in _SUFFIXES[kind].items():
        if amount is not None and amount >= 0 and (amount / size).denominator == 1:
            return f"write {amount / size}{suffix}"
    return f"write a whole number{_UNITS[kind]}"


def unknown_feature(body: Mapping[str, Any]) -> Iterator[Violation]:
    """The visibility annotation is a JSON list of known features; what cannot be read hides nothing."""
    path = f"metadata.annotations[{VISIBILITY}]"
    features = visibility(body)
    if features is None:
        message = f"{VISIBILITY} is no JSON list: the profile is shown everywhere"
        fix = "write '[\"workbench\"]' or leave it out"
        yield Violation("profile-visibility", Layer.READINESS, path, message, fix, Severity.WARNING)
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
    """Return the features that offer a profile; empty: all of them; None: it cannot be read, and all offer it.

    Source: odh-dashboard frontend/src/pages/hardwareProfiles/useHardwareProfilesByFeatureVisibility.ts.
    """
    written = get(body, "metadata", "annotations", VISIBILITY)
    if not written:
        return []
    try:
        features = json.loads(written)
    except (TypeError, ValueError, RecursionError):
        return None
    if isinstance(features, str):  # of which the dashboard asks the same: is it empty, does it include a feature
        return [features] if features else []
    return [str(feature) for feature in features] if isinstance(features, list) else None


def is_enabled(body: Mapping[str, Any]) -> bool:
    """Whether the dashboard offers the profile."""
    return get(body, "metadata", "annotations", DISABLED) in (None, "false")


def _hidden(rule: str, path: str, message: str, fix: str) -> Violation:
    return Violation(rule, Layer.READINESS, path, message, fix)
