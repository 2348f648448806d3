"""Schema, defaults and CEL against the verdicts of the real server, 100 % per table.

Not judged here, by name and reason:
- kubectl-validate error_multiple_fields.yaml: a key stands twice, which the reader of YAML refuses (test below).
- kueue-examples sample-xgboostjob.yaml (3 copies): `cpu: 0.5` without quotes, which the API server refuses in a custom
  resource ("must be of type integer,string"; cloudnative-pg/cloudnative-pg#1572), although the example has it.
- odh-operator rows of `op: delete`: nothing is validated on a delete but by webhooks.
- kueue-webhook-tables rows of `webhookOnly`: they bypass the CRD; test_admission_oracles.py judges them.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest
import yaml

from generator.schemas.load import Target, schema
from generator.source import parse
from generator.validate.objects import defaults
from tests.validate.oracles import KUEUE, ORACLES, needs_oracles, rows, score
from tests.validate.real import CRDS, all_schemas, errors, key, named, needs_crds

pytestmark = needs_oracles

TABLES = {
    **{f"kueue-webhook-tables/{tag}.json": Target(kueue=release) for tag, release in KUEUE.items()},
    "kueue-operator-cr/release-1.4.json": Target(kueue="1.4"),
    "odh-operator/v3.5.0.json": Target(openshift_ai="3.5"),
    "trainer/runtime-table.json": Target(trainer="2.3"),
}


@pytest.mark.parametrize("table", TABLES)
def test_verdicts(table: str) -> None:
    right, wrong = 0, []
    for row in rows(table):
        if row["op"] in ("default", "delete") or row.get("webhookOnly"):
            continue
        if complaint := _complaint(row, TABLES[table]):
            wrong.append(f"{row['id']} {row['name']}: {complaint}")
        else:
            right += 1
    score(table, right, wrong)


def _complaint(row: Mapping[str, Any], target: Target) -> str:
    """Return what is wrong with our verdict; a row that a webhook refuses must pass schema and CEL."""
    found = schema(*key(row["object"]), target)
    refused = row["expect"] == "invalid" and row["layer"] == "crd"
    if found is None:
        return "" if not refused else "no schema"
    old = named(row["old"]) if row.get("old") else None
    said = errors(named(row["object"]), found, old)
    if bool(said) != refused:
        return f"expected {'a refusal' if refused else 'none'}, got {said}"
    if refused and not any(row.get("messageContains", "") in violation.message for violation in said):
        return f"expected {row['messageContains']!r} in {said}"
    paths = {(violation.path, violation.kind_of_error) for violation in said}
    wanted = {(error["field"], error["type"]) for error in row.get("wantErr") or ()} if refused else set()
    return "" if wanted <= paths else f"expected {wanted}, got {paths}"


@pytest.mark.parametrize("tag", KUEUE)
def test_defaults(tag: str) -> None:
    """The finalizer is added by a webhook, and Go clients always send a spec."""
    right, wrong = 0, []
    for row in rows(f"kueue-webhook-tables/{tag}.json"):
        if row["op"] != "default":
            continue
        found = schema(*key(row["object"]), Target(kueue=KUEUE[tag]))
        assert found is not None
        wanted = row["expectDefaulted"]
        wanted["metadata"].pop("finalizers", None)
        if (got := defaults(found, {"spec": {}, **row["object"]})) != wanted:
            wrong.append(f"{row['id']}: {got}")
        else:
            right += 1
    score(f"defaults {tag}", right, wrong)


EXAMPLES = {"kueue-examples": Target(kueue="1.4"), "trainer": Target(trainer="2.3")}


@needs_crds
@pytest.mark.parametrize("folder", EXAMPLES)
def test_examples_are_accepted(folder: str) -> None:
    """Kinds that are not among ours are judged by their real CRDs where the test data has them."""
    right, wrong, foreign = 0, [], set()
    real = all_schemas(CRDS / "jobset-operator") | all_schemas(CRDS / "lws-operator")
    for files in ("*jobs.kubeflow.org.yaml", "ray*.yaml"):
        real |= all_schemas(CRDS / "openshift-ai-3.5", files)
    for row in rows(f"{folder}/index.json"):
        for body in yaml.load_all((ORACLES / folder / row["file"]).read_bytes(), yaml.CSafeLoader):
            found = schema(*key(body), EXAMPLES[folder]) or real.get(key(body)) if body else None
            if found is None:
                foreign |= {body["kind"]} if body else set()
            elif said := [v for v in errors(body, found) if not _unquoted_fraction(row["file"], v.message)]:
                wrong.append(f"{row['file']}: {said}")
            else:
                right += 1
    print(f"kinds that nobody here knows: {', '.join(sorted(foreign))}")
    score(folder, right, wrong)


def _unquoted_fraction(file: str, message: str) -> bool:
    return file.endswith("sample-xgboostjob.yaml") and message == "0.5 must be of type integer or string"


def test_kubectl_validate() -> None:
    folder = ORACLES / "kubectl-validate"
    real = all_schemas(folder / "files/testcases/crds") | all_schemas(folder / "files/testcases/more-crds")
    right, wrong = 0, []
    for row in rows("kubectl-validate/index.json"):
        if row["file"].endswith("error_multiple_fields.yaml"):
            continue
        documents = [body for body in yaml.safe_load_all((folder / row["file"]).read_text()) if body]
        judged = [(body, found) for body in documents if (found := real.get(key(body)) or schema(*key(body), Target()))]
        said = [(violation.path, violation.kind_of_error) for pair in judged for violation in errors(*pair)]
        causes = ((row["expectedStatus"] or {}).get("details") or {}).get("causes", [])
        wanted = {("" if cause["field"] == "<nil>" else cause["field"]) for cause in causes if "field" in cause}
        if bool(said) == (row["expect"] == "invalid") and wanted <= {path for path, _ in said}:
            right += 1
        else:
            wrong.append(f"{row['file']}: expected {row['expect']} {wanted}, got {said}")
    score("kubectl-validate", right, wrong)


def test_kubectl_validate_duplicate_key() -> None:
    """The one row that never reaches a schema: reading says where the key stands twice, as the server does."""
    path = ORACLES / "kubectl-validate/files/testcases/manifests/error_multiple_fields.yaml"
    _, findings = parse(path.read_bytes(), path.name, kubernetes=True)
    assert [(finding.rule, finding.location.line if finding.location else 0) for finding in findings] == [
        ("duplicate-key", 23)
    ]
