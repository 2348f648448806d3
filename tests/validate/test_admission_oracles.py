"""Every row of the shared tables that a webhook decides: same verdict, same field paths, same kind of error."""

from __future__ import annotations

from typing import Any

import pytest

from generator.finding import Layer
from generator.releases.load import openshift_ai
from generator.source import parse
from generator.validate.admission import validate
from generator.validate.cluster import Target
from generator.validate.violation import Violation
from tests.validate.oracles import KUEUE, ORACLES, needs_oracles, release, rows, score

KINDS = {
    "Invalid": "Invalid value",
    "Required": "Required value",
    "NotSupported": "Unsupported value",
    "Forbidden": "Forbidden",
    "Duplicate": "Duplicate value",
    "TooMany": "Too many",
}

LOST_GATES = {("v0.16.9", "unit-clusterqueue-16"): {"LendingLimit": False}}
"""Feature gates that a row's name states and the table lost: upstream's case sets disableLendingLimit."""

pytestmark = needs_oracles


def refusals(violations: list[Violation]) -> list[Violation]:
    return [v for v in violations if v.layer in (Layer.WEBHOOK, Layer.CEL) and v.severity == "error"]


def defect(row: dict[str, Any], found: list[Violation]) -> str | None:
    """Return how our verdict differs from the row's, or None."""
    refused = refusals(found)
    got = sorted((v.path, v.kind_of_error) for v in refused)
    if (row["expect"] == "invalid") != bool(refused):
        return f"{row['id']} {row['name']}: want {row['expect']}, got {got}"
    if row.get("wantErr"):
        want = sorted((e["field"], KINDS[e["type"]]) for e in row["wantErr"])
        return None if got == want else f"{row['id']} {row['name']}: want {want}, got {got}"
    return None


@pytest.mark.parametrize("tag", sorted(KUEUE))
def test_kueue(tag: str) -> None:
    """Rows of layer crd are the schema engine's; those that are valid must pass here as well."""
    judged = [
        row for row in rows(f"kueue-webhook-tables/{tag}.json") if row["op"] != "default" and row["layer"] != "crd"
    ]
    wrong = []
    for row in judged:
        target = Target(kueue=release(tag, row.get("featureGates") or LOST_GATES.get((tag, row["id"]))))
        if said := defect(row, validate(row["object"], target, row.get("old"))):
            wrong.append(said)
    score(f"kueue-webhook-tables/{tag}", len(judged) - len(wrong), wrong)


def test_openshift_ai() -> None:
    judged = [row for row in rows("odh-operator/v3.5.0.json") if row["op"] in ("create", "update")]
    wrong = []
    for row in judged:
        old = row["object"] if row["op"] == "update" else None
        found = validate(row["object"], Target(openshift_ai=openshift_ai("3.5")), old, row["existing"])
        if said := defect(row, found):
            wrong.append(said)
    score("odh-operator/v3.5.0", len(judged) - len(wrong), wrong)


def test_trainer_examples() -> None:
    """All that Trainer ships is valid."""
    wrong, right = [], 0
    for entry in rows("trainer/index.json"):
        path = ORACLES / "trainer" / entry["file"]
        documents, findings = parse(path.read_bytes(), entry["file"], kubernetes=True)
        assert findings == []
        for document in documents:
            found = refusals(validate(document.root, Target()))
            wrong += [f"{entry['file']}: {v.path}: {v.message}" for v in found]
            right += 1
    score("trainer", right - len(wrong), wrong)
