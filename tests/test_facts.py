"""The strict part of YAML in which the package's data is written."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from generator import facts
from generator.frozen import dataclass


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("a: {b: [1, true, null]}\n", {"a": {"b": [1, True, None]}}),
        ('- "1"\n- "true"\n- 1.5\n', ["1", "true", "1.5"]),
        ("a: >-\n  one\n  two\n", {"a": "one two"}),
        ("{}\n", {}),
    ],
)
def test_document(tmp_path: Path, text: str, value: Any) -> None:
    (tmp_path / "x.yaml").write_text(text, encoding="utf-8")
    assert facts.document(tmp_path / "x.yaml") == value


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a: 1\na: 2\n", r"^x\.yaml: a stands twice, in line 2$"),
        ("a: &x 1\n", r"^x\.yaml: anchor, alias or tag in line 1$"),
        ("a: 1\nb: !!str 1\n", r"^x\.yaml: anchor, alias or tag in line 2$"),
        ("a: [1\n", r"^x\.yaml: (?s:.*)expected"),
        ("a: 1\n---\nb: 1\n", r"^x\.yaml: a second document$"),
        ("", r"^x\.yaml: the file holds no document$"),
    ],
)
def test_malformed_document(tmp_path: Path, text: str, message: str) -> None:
    (tmp_path / "x.yaml").write_text(text, encoding="utf-8")
    with pytest.raises(ValueError, match=message):
        facts.document(tmp_path / "x.yaml")


@dataclass(frozen=True, slots=True)
class Pool:
    name: str
    zones: tuple[str, ...]
    labels: frozenset[str]
    only: tuple[str, ...] | None


def test_record() -> None:
    raw = {"name": "h100", "zones": ["a", "b"], "labels": ["x"], "only": None}
    assert facts.record(Pool, raw, "x.yaml") == Pool("h100", ("a", "b"), frozenset({"x"}), None)
    assert facts.record(Pool, raw | {"only": ["c"]}, "x.yaml").only == ("c",)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"name": 4}, r"^x\.yaml: Pool\.name is not str: 4$"),
        ({"zones": "a"}, r"^x\.yaml: Pool\.zones is a string, not a list: 'a'$"),
        ({"colour": "red"}, r"^x\.yaml: Pool has missing or unknown fields: colour$"),
    ],
)
def test_malformed_record(change: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        facts.record(Pool, {"name": "h100", "zones": [], "labels": [], "only": None} | change, "x.yaml")


def test_missing_field() -> None:
    with pytest.raises(ValueError, match=r"^x\.yaml: Pool has missing or unknown fields: labels, only, zones$"):
        facts.record(Pool, {"name": "h100"}, "x.yaml")
