"""`apportion policy`: what it prints, with and without a repository around."""

import json
from pathlib import Path

import pytest

from generator.cli import main
from tests.policy.written import PATH, text
from tests.repository import repository


@pytest.fixture(autouse=True)
def _elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def with_own(root: Path, **changes: str | None) -> str:
    repository(root)
    (root / PATH).parent.mkdir(parents=True)
    (root / PATH).write_bytes(text(**changes))
    return str(root)


def test_the_list_has_a_line_for_each(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["policy", "list"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) >= 35
    assert lines[0].split(maxsplit=2) == [
        "error",
        "accelerator-overcommit",
        "More accelerators are guaranteed than the pool may promise",
    ]


def test_a_repository_s_own_are_listed_too(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["policy", "list", "--format", "json", "--root", with_own(tmp_path / "r")]) == 0
    (own,) = [p for p in json.loads(capsys.readouterr().out)["policies"] if p["id"] == "too-many"]
    assert (own["group"], own["file"], own["params"]) == ("own", PATH, {"most": 2})


def test_one_is_shown_in_a_hundred_columns(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["policy", "show", "no-headroom-for-daemons"]) == 0
    shown = capsys.readouterr().out
    assert shown.startswith("no-headroom-for-daemons: A pool promises all of its nodes and leaves nothing to daemons\n")
    assert "parameter:   headroom, by default 0.05\n" in shown
    assert "fails:       one core too many\n" in shown
    assert max(map(len, shown.splitlines())) <= 100


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["show"], "apportion: which policy?\n  fix: apportion policy show ID; apportion policy list names them\n"),
        (
            ["show", "idle-pol"],
            "apportion: unknown policy idle-pol\n  fix: did you mean idle-pool? apportion policy list names them\n",
        ),
    ],
)
def test_an_unknown_one_is_wrong_usage(arguments: list[str], said: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["policy", *arguments]) == 2
    assert capsys.readouterr().err == said


def test_examples_that_are_not_true_are_errors_at_their_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    root = with_own(tmp_path / "r", rule="item.accelerators <= 3 && item.cpu > 0.0")
    assert main(["policy", "test", "too-many", "--root", root]) == 1
    assert [line for line in capsys.readouterr().out.splitlines() if not line.startswith("  ")] == [
        f"{PATH}:13:19: error[policy-example-failed] policy too-many refuses the example 'two', which must pass: "
        'policy too-many cannot be evaluated on plan.shares a: Key not found in map : "cpu"',
        f"{PATH}:13:85: error[policy-example-failed] policy too-many fails on the example 'three': "
        'policy too-many cannot be evaluated on plan.shares a: Key not found in map : "cpu"',
        "1 policy, 2 examples: 2 errors",
    ]


def test_a_policy_that_is_not_sound_fails_check_and_compile(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    root = with_own(tmp_path / "r", rule="item.nothing")
    for command in (["check", "--inputs-only"], ["compile"]):
        capsys.readouterr()
        assert main([*command, "--root", root]) == 1
        printed = capsys.readouterr()
        assert (
            f"{PATH}:7:7: error[invalid-policy] policy too-many: rule reads item.nothing" in printed.out + printed.err
        )
