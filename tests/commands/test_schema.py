"""The JSON Schema for editors: it accepts what Apportion accepts, refuses unknown keys, and describes every key."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from generator import facts
from generator.accelerators import load as accelerators
from generator.cli import main
from generator.environment import schema as module
from generator.environment.validate import KINDS, adapter, validate
from generator.source import parse
from tests.repository import repository

REPOSITORY = Path(__file__).parents[2]
ACCEPTANCE = REPOSITORY.parent / "shared" / "acceptance" / "cases"


def printed(capsys: pytest.CaptureFixture[str], *kind: str) -> Any:
    assert main(["schema", *kind]) == 0
    return json.loads(capsys.readouterr().out)


def documents(*roots: Path) -> Iterator[Any]:
    """Yield the sound documents below `environments/` folders, as JSON would hold them."""
    for root in roots:
        for path in sorted(root.rglob("environments/**/*.yaml")):
            found, problems = parse(path.read_bytes(), path.name)
            if "extra" in path.parts or problems:
                continue
            for document in found:
                if document.root.get("kind") in KINDS and not validate(document):
                    yield json.loads(json.dumps(document.root, default=float))


@pytest.mark.parametrize("kind", KINDS)
def test_each_kind_is_a_valid_schema_with_its_name(kind: str, capsys: pytest.CaptureFixture[str]) -> None:
    schema = printed(capsys, kind)
    Draft202012Validator.check_schema(schema)
    head = {key: schema[key] for key in ("$schema", "$id", "title")}
    assert head == {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$id": f"https://apportion.dev/schema/v1/{kind}.json",
        "title": kind,
    }
    assert schema["properties"]["kind"] == {"const": kind}
    assert schema["properties"]["apiVersion"] == {"const": "apportion.dev/v1"}
    assert schema["required"][:2] == ["apiVersion", "kind"]


def test_new_repositories_and_samples_are_accepted(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    accepts = Draft202012Validator(printed(capsys))
    found = list(documents(repository(tmp_path), REPOSITORY))
    assert len(found) >= 6
    assert [error.message for document in found for error in accepts.iter_errors(document)] == []


@pytest.mark.skipif(not ACCEPTANCE.is_dir(), reason="no shared acceptance cases beside the repository")
def test_the_acceptance_cases_are_accepted(capsys: pytest.CaptureFixture[str]) -> None:
    accepts = Draft202012Validator(printed(capsys))
    found = list(documents(ACCEPTANCE))
    assert len(found) > 300
    assert [error.message for document in found for error in accepts.iter_errors(document)] == []


POOL = {"name": "a", "nodes": 1, "perNode": {"cpu": 1, "memory": "1Gi"}, "nodeLabels": {"a": "b"}}


@pytest.mark.parametrize(
    ("change", "valid"),
    [
        ({}, True),
        ({"node": 1}, False),
        ({"perNode": {"cpu": 1, "memory": "1Gi", "gpu": 1}}, False),
        ({"mig": {"strategy": "mixed", "layout": {"1g.10gb": 1}}}, True),
        ({"mig": {"strategy": "mixed", "layout": {"1g10gb": 1}}}, False),
        ({"nodeLabels": {"a/b/c": "d"}}, False),
        ({"overcommit": {"ratio": 1.2, "reason": "two\nlines"}}, True),
        ({"accelerator": "our-own-model"}, True),
    ],
)
def test_unknown_keys_are_refused_at_any_depth(
    change: dict[str, Any], valid: bool, capsys: pytest.CaptureFixture[str]
) -> None:
    document = {"apiVersion": "apportion.dev/v1", "kind": "Inventory", "pools": [POOL | change]}
    for schema in (printed(capsys, "Inventory"), printed(capsys)):
        assert Draft202012Validator(schema).is_valid(document) is valid
    wrong_kind = document | {"kind": "Quotas"}
    assert not Draft202012Validator(printed(capsys)).is_valid(wrong_kind)


def test_known_ids_are_hints(capsys: pytest.CaptureFixture[str]) -> None:
    parts = printed(capsys)["$defs"]
    assert parts["Pool"]["properties"]["accelerator"]["examples"] == list(accelerators.ids())
    assert "3.4" in parts["Platform"]["properties"]["openshiftAI"]["examples"]
    assert "trainer" in parts["Environment"]["properties"]["components"]["properties"]
    assert "nvidia-gpu" in parts["Environment"]["properties"]["operators"]["properties"]


def test_every_key_is_described_and_nothing_else() -> None:
    keys: dict[str, set[str]] = {}
    for kind in KINDS:
        schema = adapter(kind).json_schema()
        for name, part in {**schema.get("$defs", {}), kind: schema}.items():
            keys[name] = {"_", *part["properties"]}
    words = facts.document(Path(module.__file__).with_name("descriptions.yaml"))
    assert {name: set(part) for name, part in words.items()} == keys


@pytest.mark.parametrize(
    ("kind", "fix"),
    [
        ("fleet", "did you mean Fleet?"),
        ("Pool", "one of Fleet, Team, Environment, Inventory, Quotas, Waivers"),
    ],
)
def test_an_unknown_kind_is_2(kind: str, fix: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["schema", kind]) == 2
    assert capsys.readouterr() == ("", f"apportion: unknown kind {kind}\n  fix: {fix}\n")
