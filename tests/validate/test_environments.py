"""What Apportion itself emits: nothing to object to where a case must pass, and faults that only the output shows."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml

from generator.finding import Finding
from tests.validate.builders import judged
from tests.validate.environments import clusters
from tests.validate.test_acceptance_cases import CASES, answers, speaks_of

OURS = ("A02", "A04", "A08", "A08b", "A08c", "A12", "A12b", "A16", "A18", "A19", "A37", "A37b", "A39", "A57")
"""Cases of `check` whose fault our functions find in what is emitted."""

pytestmark = pytest.mark.skipif(not CASES.is_dir(), reason="the shared acceptance cases are not beside this repository")


def cases() -> list[tuple[Path, dict[str, Any]]]:
    found = [(path.parent, yaml.safe_load(path.read_text("utf-8"))) for path in sorted(CASES.glob("*/case.yaml"))]
    return [(folder, case) for folder, case in found if "check" in case["command"] and _is_sound_input(case)]


def _is_sound_input(case: dict[str, Any]) -> bool:
    return case["expect"]["exit"] == 0 or case["id"] in OURS


def findings(folder: Path, case: dict[str, Any]) -> list[Finding]:
    command = case["command"]
    as_of = command[command.index("--as-of") + 1] if "--as-of" in command else None
    return [finding for cluster in clusters(folder, as_of) for finding in judged(cluster)]


@pytest.mark.parametrize(("folder", "case"), cases(), ids=[folder.name for folder, _ in cases()])
def test_case(folder: Path, case: dict[str, Any]) -> None:
    found, expect = findings(folder, case), case["expect"]
    assert [f.message for want in expect.get("never", ()) for f in found if speaks_of(want, f)] == []
    if case["id"] in OURS:
        wanted = expect["findings"]
        assert [want for want in wanted if not any(answers(want, f) for f in found)] == []
    if expect["exit"] == 0:
        assert [f.message for f in found if f.severity == "error"] == []
    if case["id"].startswith("B") and expect["exit"] == 0:
        assert found == []
