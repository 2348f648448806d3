"""SARIF 2.1.0: for code scanning of forges and editors. Source: OASIS sarif-v2.1.0, the schema of that version."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any
from urllib.parse import quote

from generator import ISSUES, __version__
from generator.finding import Finding, Location, Severity

SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"
_LEVELS = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.INFO: "note"}


def render(findings: Sequence[Finding], more: Mapping[str, int], *, colour: bool = False) -> str:  # noqa: ARG001 - every format's signature
    """Return one run; each rule once, each finding a result with its place, remedy and related places."""
    rules = list(dict.fromkeys(finding.rule for finding in findings))
    driver = {
        "name": "apportion",
        "version": __version__,
        "informationUri": ISSUES.removesuffix("/issues"),
        "rules": [{"id": rule, "name": rule, "shortDescription": {"text": rule.replace("-", " ")}} for rule in rules],
    }
    run = {
        "tool": {"driver": driver},
        "columnKind": "unicodeCodePoints",
        "originalUriBaseIds": {
            "ROOT": {
                "description": {
                    "text": "the folder that paths start from: that of environments/, for lint the working directory"
                }
            }
        },
        "results": [_result(finding, rules.index(finding.rule)) for finding in findings],
    }
    return json.dumps({"$schema": SCHEMA, "version": "2.1.0", "runs": [run]}, indent=2) + "\n"


def _result(finding: Finding, index: int) -> dict[str, Any]:
    text = f"{finding.message}\nfix: {finding.fix}" if finding.fix else finding.message
    result: dict[str, Any] = {
        "ruleId": finding.rule,
        "ruleIndex": index,
        "level": _LEVELS[finding.severity],
        "message": {"text": text},
        "properties": {"layer": finding.layer.value},
    }
    if finding.location:
        result["locations"] = [_place(finding)]
    if finding.related:
        result["relatedLocations"] = [
            {"id": number, "physicalLocation": _physical(r.location), "message": {"text": r.message}}
            for number, r in enumerate(finding.related, start=1)
        ]
    return result


def _place(finding: Finding) -> dict[str, Any]:
    assert finding.location is not None
    place: dict[str, Any] = {"physicalLocation": _physical(finding.location)}
    if finding.object:
        parts = (finding.object.environment, finding.object.kind, finding.object.namespace, finding.object.name)
        name = "/".join(part for part in parts if part)
        place["logicalLocations"] = [{"fullyQualifiedName": name, "kind": "resource"}]
    return place


def _physical(location: Location) -> dict[str, Any]:
    place: dict[str, Any] = {"artifactLocation": _artifact(location.file)}
    if location.line:
        place["region"] = {"startLine": location.line, "startColumn": max(location.column, 1)}
    return place


def _artifact(file: str) -> dict[str, str]:
    """Return how a file is called: a path that is not absolute starts from ROOT; standard input has none."""
    if file.startswith("<"):
        return {"uri": quote(file)}
    return {"uri": f"file://{quote(file)}"} if file.startswith("/") else {"uri": quote(file), "uriBaseId": "ROOT"}
