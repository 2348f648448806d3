"""What `apportion check` says of bad input, exactly: one case a file of tests/bad, its answer in the .out beside it.

UPDATE_BAD=1 rewrites the answers; read each before it is committed.
"""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from generator import cli
from generator.finding import Finding
from generator.policy import shipped
from generator.policy.load import load
from generator.policy.model import FOLDER, Policy
from tests import cases

CASES = sorted(cases.FOLDER.glob("*.yaml"))
UPDATE = bool(os.environ.get("UPDATE_BAD"))


def said(command: list[str], capsys: pytest.CaptureFixture[str]) -> str:
    """Return all that a command prints, and its exit status as the last line."""
    status = cli.main(command)
    printed = capsys.readouterr()
    return f"{printed.out}{printed.err}exit {status}\n"


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty working directory, so that no answer holds a path of this machine; shipped policies are left out."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(shipped, "policies", own_policies)
    return tmp_path


def own_policies(root: Path) -> tuple[dict[str, Policy], list[Finding]]:
    """Return the policies that a case brings."""
    folder = root / FOLDER
    return load(shipped.read(folder)) if folder.is_dir() else ({}, [])


@pytest.mark.parametrize("path", CASES, ids=lambda path: path.stem)
def test_answer(path: Path, here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    case = cases.parse(path.read_text())
    case.write(here)
    before = files(here)
    answer = said(["check", "--inputs-only", *case.options], capsys)
    if UPDATE:
        path.with_suffix(".out").write_text(answer)
    assert answer == path.with_suffix(".out").read_text()
    assert files(here) == before


@pytest.mark.parametrize("path", CASES, ids=lambda path: path.stem)
def test_exit_status(path: Path) -> None:
    """A look-alike has no finding, a warning lets the run pass, a fault is an error: neither our bug nor unreadable."""
    *shown, counted, status = path.with_suffix(".out").read_text().splitlines()
    passes = path.stem.startswith(("ok-", "warn-"))
    assert status == ("exit 0" if passes else "exit 1")
    assert (counted == "no findings" and not shown) == path.stem.startswith("ok-")


@pytest.mark.parametrize("path", [p for p in CASES if not p.stem.startswith(("ok-", "warn-"))], ids=lambda p: p.stem)
def test_compile_says_the_same_and_writes_nothing(path: Path, here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    case = cases.parse(path.read_text())
    case.write(here)
    before = files(here)
    *shown, counted, status = path.with_suffix(".out").read_text().splitlines()
    assert said(["compile", *case.options], capsys).splitlines() == [*shown, f"{counted}; nothing written", status]
    assert files(here) == before


def test_no_answer_without_a_case() -> None:
    assert {path.stem for path in CASES} == {path.stem for path in cases.FOLDER.glob("*.out")}


def files(root: Path) -> dict[str, bytes]:
    """Return every file below a folder."""
    return {str(path.relative_to(root)): path.read_bytes() for path in root.rglob("*") if path.is_file()}
