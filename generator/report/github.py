"""Workflow commands of GitHub Actions: each finding an annotation on its line.

Source: GitHub documentation, workflow commands; escaping as actions/toolkit packages/core/src/command.ts does it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from generator.finding import Finding, Severity
from generator.report.text import counted, plain

_COMMANDS = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.INFO: "notice"}


def render(findings: Sequence[Finding], more: Mapping[str, int], *, colour: bool = False) -> str:  # noqa: ARG001 - every format's signature
    """Return one command a finding, and a last line for the log."""
    return "".join(f"{_command(finding)}\n" for finding in findings) + f"{counted(findings)}\n"


def _command(finding: Finding) -> str:
    properties = {"title": finding.rule}
    if finding.location:
        properties["file"] = finding.location.file
        if finding.location.line:
            properties |= {"line": str(finding.location.line), "col": str(max(finding.location.column, 1))}
    text = f"{plain(finding.message)}\nfix: {plain(finding.fix)}" if finding.fix else plain(finding.message)
    listed = ",".join(f"{key}={_property(value)}" for key, value in properties.items())
    return f"::{_COMMANDS[finding.severity]} {listed}::{_data(text)}"


def _data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(plain(text)).replace(":", "%3A").replace(",", "%2C")
