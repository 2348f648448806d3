"""Shipped policies as plain rows, kept beside the expressions compiled ahead, so that no run has to read their YAML."""

from __future__ import annotations

import os
from typing import Any

from generator.finding import Location, Severity
from generator.frozen import fields
from generator.kept import kept, stamp
from generator.policy.model import Policy

_NAMES = tuple(field.name for field in fields(Policy))


def rows(policies: dict[str, Policy], folder: str) -> dict[str, Any]:
    """Return what `recall` reads: policies without their examples, and a stamp of the folder that they are from."""
    return {"stamp": _stamp(folder), "policies": [_row(policy) for policy in policies.values()]}


def recall(folder: str) -> dict[str, Policy] | None:
    """Return the policies of a folder as they were kept; None: they were not, or the folder has changed since."""
    found = kept("shipped")
    try:
        if not found or found["stamp"] != _stamp(folder):
            return None
    except OSError:  # such as a link that leads nowhere: for the reading to tell
        return None
    return {row["id"]: _policy(row) for row in found["policies"]}


def _row(policy: Policy) -> dict[str, Any]:
    places = {key: (place.file, place.line, place.column) for key, place in policy.places.items()}
    own = {name: getattr(policy, name) for name in _NAMES}
    return own | {"severity": str(policy.severity), "passing": (), "failing": (), "places": places}


def _policy(row: dict[str, Any]) -> Policy:
    places = {key: Location(*place) for key, place in row["places"].items()}
    return Policy(**row | {"severity": Severity(row["severity"]), "places": places})


def _stamp(folder: str) -> list[tuple[str, int, int]]:
    """Return names, times and sizes of all files below a folder, however deep: what `shipped.read` may read."""
    paths = (f"{place}/{name}" for place, _, names in os.walk(folder) for name in names)
    return sorted((path, *stamp(path)) for path in paths)
