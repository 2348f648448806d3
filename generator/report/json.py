"""JSON: `{"version": 1, "findings": […], "summary": {…}}`, every key always there, null where there is nothing."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from generator.finding import Finding, Location, ObjectRef
from generator.report import counts

VERSION = 1


def render(findings: Sequence[Finding], more: Mapping[str, int], *, colour: bool = False) -> str:  # noqa: ARG001 - every format's signature
    """Return the envelope; plain ASCII, so that no locale can break it."""
    return dumped(envelope(findings, more))


def envelope(findings: Sequence[Finding], more: Mapping[str, int]) -> dict[str, Any]:
    """Return the envelope, to which a command adds its own keys."""
    return {
        "version": VERSION,
        "findings": [_finding(finding) for finding in findings],
        "summary": {**counts(findings), **more},
    }


def dumped(content: Mapping[str, Any]) -> str:
    """Return JSON in plain ASCII."""
    return json.dumps(content, indent=2) + "\n"


def _finding(finding: Finding) -> dict[str, Any]:
    return {
        "rule": finding.rule,
        "severity": finding.severity.value,
        "layer": finding.layer.value,
        "message": finding.message,
        **_place(finding.location),
        "object": _object(finding.object),
        "path": finding.path,
        "fix": finding.fix,
        "related": [{**_place(r.location), "message": r.message} for r in finding.related],
    }


def _place(location: Location | None) -> dict[str, Any]:
    if location is None:
        return {"file": None, "line": None, "column": None}
    return {"file": location.file, "line": location.line or None, "column": location.column or None}


def _object(ref: ObjectRef | None) -> dict[str, Any] | None:
    if ref is None:
        return None
    return {
        "environment": ref.environment,
        "apiVersion": ref.api_version,
        "kind": ref.kind,
        "namespace": ref.namespace,
        "name": ref.name,
    }
