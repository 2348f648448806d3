"""The envelope that tools read."""

import json
from typing import Any

from generator.finding import Finding, Layer, Location, ObjectRef, Related, Severity
from generator.report import render


def test_a_full_finding_is_as_in_the_contract() -> None:
    queue = ObjectRef("prod", "ClusterQueue", "vision-training", None, "kueue.x-k8s.io/v1beta2")
    finding = Finding(
        "accelerator-overcommit",
        Severity.ERROR,
        Layer.POLICY,
        "136 are guaranteed",
        Location("environments/prod/quotas.yaml", 14, 9),
        "add 2 nodes",
        queue,
        "spec.resourceGroups[0]",
        (Related(Location("environments/prod/inventory.yaml", 5, 12), "15 of 16 nodes"),),
    )
    assert _rendered([finding], {"written": 3}) == {
        "version": 1,
        "findings": [
            {
                "rule": "accelerator-overcommit",
                "severity": "error",
                "layer": "policy",
                "message": "136 are guaranteed",
                "file": "environments/prod/quotas.yaml",
                "line": 14,
                "column": 9,
                "object": {
                    "environment": "prod",
                    "apiVersion": "kueue.x-k8s.io/v1beta2",
                    "kind": "ClusterQueue",
                    "namespace": None,
                    "name": "vision-training",
                },
                "path": "spec.resourceGroups[0]",
                "fix": "add 2 nodes",
                "related": [
                    {"file": "environments/prod/inventory.yaml", "line": 5, "column": 12, "message": "15 of 16 nodes"}
                ],
            }
        ],
        "summary": {"errors": 1, "warnings": 0, "infos": 0, "written": 3},
    }


def test_what_is_not_known_is_null() -> None:
    whole_file = Finding("b", Severity.WARNING, Layer.OUTPUT, "m", Location("output"))
    nowhere = Finding("a", Severity.INFO, Layer.INPUT, "m")
    empty: dict[str, Any] = {"line": None, "column": None, "object": None, "path": None, "fix": None, "related": []}
    assert _rendered([nowhere, whole_file], {}) == {
        "version": 1,
        "findings": [
            {"rule": "a", "severity": "info", "layer": "input", "message": "m", "file": None, **empty},
            {"rule": "b", "severity": "warning", "layer": "output", "message": "m", "file": "output", **empty},
        ],
        "summary": {"errors": 0, "warnings": 1, "infos": 1},
    }


def test_any_text_is_plain_ascii_and_reads_back() -> None:
    message = "Grüße \x1b[31m \u202e \udcff"
    text = render("json", [Finding("a", Severity.INFO, Layer.INPUT, message)])
    assert text.isascii()
    assert json.loads(text)["findings"][0]["message"] == message


def _rendered(findings: list[Finding], more: dict[str, int]) -> Any:
    return json.loads(render("json", findings, more))
