"""Findings as text for people and machines, a module a format; each is imported when it is used."""

from __future__ import annotations

TYPE_CHECKING = False  # importing it from typing would cost a tenth of the start
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from generator.finding import Finding

FORMATS = ("text", "json", "sarif", "junit", "github")
COUNTED = {"error": "errors", "warning": "warnings", "info": "infos"}


def render(
    name: str, findings: Sequence[Finding], more: Mapping[str, int] | None = None, *, colour: bool = False
) -> str:
    """Return a whole report in one of FORMATS, findings in the order given; `more` is added to the summary's counts."""
    import importlib

    text: str = importlib.import_module(f"generator.report.{name}").render(findings, more or {}, colour=colour)
    return text


def counts(findings: Sequence[Finding]) -> dict[str, int]:
    """Return how many findings there are of each severity: {"errors": 1, "warnings": 0, "infos": 0}."""
    severities = [finding.severity.value for finding in findings]
    return {plural: severities.count(severity) for severity, plural in COUNTED.items()}
