"""The shared acceptance cases of `lint`, judged by our functions alone."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
import yaml

from generator.finding import Finding
from generator.validate.all import judge
from tests.validate.manifests import cluster
from tests.validate.oracles import SHARED

CASES = SHARED / "acceptance/cases"


def lint_cases() -> list[Path]:
    if not CASES.is_dir():
        return []
    return [path.parent for path in sorted(CASES.glob("*/case.yaml")) if "command: [lint" in path.read_text("utf-8")]


def speaks_of(want: dict[str, Any], finding: Finding) -> bool:
    about = want.get("about") or []
    said = " ".join((finding.rule, finding.message, finding.fix or ""))
    return (
        _one_of(want.get("severity"), finding.severity)
        and _one_of(want.get("layer"), finding.layer)
        and all(re.search(p, said, re.I | re.S) for p in ([about] if isinstance(about, str) else about))
    )


def answers(want: dict[str, Any], finding: Finding) -> bool:
    place, there = finding.location, finding.object
    return (
        speaks_of({"severity": "error", **want}, finding)
        and ("file" not in want or (place is not None and f"/{place.file}".endswith(f"/{want['file']}")))
        and ("line" not in want or (place is not None and place.line == want["line"]))
        and all(getattr(there, key) == value for key, value in want.get("object", {}).items())
    )


def _one_of(want: Any, got: str) -> bool:
    return want is None or got in (want if isinstance(want, list) else [want])


@pytest.mark.skipif(not CASES.is_dir(), reason="the shared acceptance cases are not beside this repository")
def test_there_are_cases() -> None:
    assert len(lint_cases()) > 90


@pytest.mark.parametrize("folder", lint_cases(), ids=lambda path: path.name)
def test_case(folder: Path) -> None:
    case = yaml.safe_load((folder / "case.yaml").read_text("utf-8"))
    command, expect = case["command"], case["expect"]
    path = folder / command[-1].removeprefix("{case}/")
    findings = judge(cluster(path, command[command.index("--target") + 1]))
    shown = [(f.severity.value, f.rule, f.message, f.fix) for f in findings]
    missing = [w for w in expect.get("findings", ()) if not any(answers(w, f) for f in findings)]
    assert missing == [], shown
    unwanted = [f.message for w in expect.get("never", ()) for f in findings if speaks_of(w, f)]
    assert unwanted == []
    if expect["exit"] == 0:
        assert [f.message for f in findings if f.severity == "error"] == []
