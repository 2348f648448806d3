"""Findings as plain lists and back, for a later run of the same version."""

from __future__ import annotations

from typing import Any

from generator.finding import Finding, Layer, Location, ObjectRef, Related, Severity


def written_finding(finding: Finding) -> list[Any]:
    """Return a finding as JSON can hold it."""
    about = finding.object
    return [
        finding.rule,
        finding.severity,
        finding.layer,
        finding.message,
        _place(finding.location),
        finding.fix,
        about and [about.environment, about.kind, about.name, about.namespace, about.api_version],
        finding.path,
        [[_place(related.location), related.message] for related in finding.related],
    ]


def read_finding(written: list[Any]) -> Finding:
    """Return the finding that `written_finding` wrote.

    Raises:
        TypeError, ValueError: it is none.
    """
    rule, severity, layer, message, place, fix, about, path, related = written
    return Finding(
        rule,
        Severity(severity),
        Layer(layer),
        message,
        place and Location(*place),
        fix,
        about and ObjectRef(*about),
        path,
        tuple(Related(Location(*there), said) for there, said in related),
    )


def _place(location: Location | None) -> list[Any] | None:
    return [location.file, location.line, location.column] if location else None
