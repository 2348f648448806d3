"""The command line: options, exit statuses, what is said when a run cannot go on, and what a start imports."""

import importlib
import io
import json
import os
import subprocess
import sys
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any, NoReturn

import pytest

from generator import ISSUES, __version__, cli
from generator.cli import main
from generator.commands import COMMANDS
from generator.finding import FatalError
from tests.repository import apportion, repository

HEAVY = {"dataclasses", "importlib.metadata", "jinja2", "json", "jsonschema_rs", "pydantic", "typing", "yaml"}


def failing_check(monkeypatch: pytest.MonkeyPatch, problem: BaseException) -> None:
    def fail(options: object) -> NoReturn:
        raise problem

    monkeypatch.setattr("generator.commands.check.run", fail)


@pytest.mark.parametrize("option", ["--help", "--version"])
def test_a_start_imports_next_to_nothing(option: str) -> None:
    script = (
        "import sys; from generator.start import recall; recall(); from generator.cli import main; "
        f"main(['{option}']); print('\\n', *sys.modules)"
    )
    done = subprocess.run([sys.executable, "-S", "-c", script], capture_output=True, text=True, check=True)
    imported = set(done.stdout.splitlines()[-1].split())
    assert {"argparse", "generator.cli"} <= imported
    assert imported & HEAVY == set()


def test_version_is_the_package_s(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--version"]) == 0
    assert capsys.readouterr().out == f"apportion {__version__}\n"


def test_help_names_every_command(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--help"]) == 0
    shown = capsys.readouterr().out
    assert [f"  {name:<10}{does}" in shown for name, does in COMMANDS.items()] == [True] * len(COMMANDS)


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_has_help_with_the_common_options(command: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([command, "--help"]) == 0
    assert "--fail-on {error,warning,info}" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("argv", "said"),
    [
        ([], "apportion: the following arguments are required: COMMAND\n  fix: see apportion --help\n"),
        (
            ["compil"],
            "apportion: argument COMMAND: no such command: 'compil'; did you mean compile? "
            f"({', '.join(COMMANDS)})\n  fix: see apportion --help\n",
        ),
        (
            ["check", "--inputs"],
            "apportion check: unrecognized arguments: --inputs\n  fix: see apportion check --help\n",
        ),
        (
            ["check", "--as-of", "2026-02-30"],
            "apportion check: argument --as-of: '2026-02-30' is no date of the calendar such as 2026-12-31\n"
            "  fix: see apportion check --help\n",
        ),
        (
            ["--as-of", "20261231", "check"],
            "apportion: argument --as-of: '20261231' is no date of the calendar such as 2026-12-31\n"
            "  fix: see apportion --help\n",
        ),
    ],
)
def test_wrong_usage_is_2_and_says_where_to_look(
    argv: list[str], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(argv) == 2
    assert capsys.readouterr() == ("", said)


@pytest.mark.parametrize(
    "argv",
    [
        ["--root", "R", "--format", "json", "--as-of", "2026-12-31", "-q", "check", "prod"],
        ["check", "prod", "--root", "R", "--format", "json", "--as-of", "2026-12-31", "-q"],
        ["--format", "text", "--root", "R", "check", "--as-of", "2026-12-31", "--format", "json", "prod", "-q"],
    ],
)
def test_common_options_stand_before_or_after_the_command(argv: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    seen: dict[str, Any] = {}

    def run(options: Any) -> int:
        seen.update(vars(options))
        return 0

    monkeypatch.setattr("generator.commands.check.run", run)
    assert main(argv) == 0
    del seen["rest"]
    assert seen == {
        "command": "check",
        "environments": ["prod"],
        "changed": False,
        "full": False,
        "inputs_only": False,
        "root": "R",
        "format": "json",
        "report": [],
        "fail_on": "error",
        "as_of": "2026-12-31",
        "quiet": True,
        "verbose": False,
    }


def test_names_may_stand_between_options(monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[str] = []

    def run(options: Any) -> int:
        seen.extend(options.environments)
        return 0

    monkeypatch.setattr("generator.commands.check.run", run)
    assert main(["check", "dev", "--inputs-only", "prod"]) == 0
    assert seen == ["dev", "prod"]


def test_what_cannot_be_read_is_2(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    failing_check(monkeypatch, FatalError("cannot read \x1b[31m", "make it readable"))
    assert main(["check"]) == 2
    assert capsys.readouterr() == ("", "apportion: cannot read \\x1b[31m\n  fix: make it readable\n")


def test_a_bug_is_3_and_says_where_to_report_it(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    failing_check(monkeypatch, KeyError("pool"))
    assert main(["check"]) == 3
    out, err = capsys.readouterr()
    assert out == ""
    assert err == (
        "apportion: KeyError: 'pool'\n"
        f"  fix: sorry, this is a bug in Apportion: report it with what apportion -v prints, at {ISSUES}\n"
    )


def test_verbose_adds_the_last_frames(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    failing_check(monkeypatch, KeyError("pool"))
    assert main(["-v", "check"]) == 3
    frames = capsys.readouterr().err.splitlines()[2:]
    assert frames[0] == "Traceback (most recent call last):"
    assert frames[-1] == "KeyError: 'pool'"
    assert any("in fail" in line for line in frames)


@pytest.mark.parametrize(
    ("problem", "status", "rule", "message"),
    [
        (FatalError("cannot read a", "b"), 2, "cannot-go-on", "cannot read a"),
        (MemoryError(), 2, "cannot-go-on", "out of memory"),
        (KeyError("pool"), 3, "internal-error", "KeyError: 'pool'"),
    ],
)
def test_a_machine_gets_its_format_whatever_happens(
    problem: Exception,
    status: int,
    rule: str,
    message: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    failing_check(monkeypatch, problem)
    assert main(["check", "--format", "json"]) == status
    envelope = json.loads(capsys.readouterr().out)
    assert [(f["rule"], f["severity"], f["message"]) for f in envelope["findings"]] == [(rule, "error", message)]
    assert envelope["summary"] == {"errors": 1, "warnings": 0, "infos": 0}


def test_interrupted_is_130(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    failing_check(monkeypatch, KeyboardInterrupt())
    assert main(["check"]) == 130
    assert capsys.readouterr() == ("", "")


@pytest.mark.parametrize("arguments", [["schema"], ["--help"], ["--version"]])
def test_a_closed_pipe_ends_the_run_without_a_word(arguments: list[str]) -> None:
    reader, writer = os.pipe()
    os.close(reader)
    with os.fdopen(writer, "w") as closed:
        done = subprocess.run(
            [sys.executable, "-m", "generator", *arguments],
            stdout=closed,
            stderr=subprocess.PIPE,
            text=True,
            timeout=60,
            check=False,
            env={name: value for name, value in os.environ.items() if name != "PYTHONUNBUFFERED"},
        )
    assert (done.returncode, done.stderr) == (141, "")


def test_names_beyond_ascii_are_printed_in_any_locale(tmp_path: Path) -> None:
    root = repository(tmp_path / "é")
    (root / "environments/ü.yaml").write_text("a: 1\n", encoding="utf-8")
    plain = {"PATH": os.environ["PATH"], "LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}
    status, out, err = apportion("check", "--inputs-only", "--root", str(root), env=plain)
    assert (status, err) == (1, "")
    message = "this document has neither apiVersion nor kind"
    assert out.splitlines()[0] == rf"environments/\xfc.yaml:1:1: error[not-an-input] {message}"


class Terminal:
    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize(
    ("variables", "coloured"),
    [
        ({"TERM": "xterm"}, True),
        ({"TERM": "dumb"}, False),
        ({"TERM": "xterm", "NO_COLOR": "1"}, False),
        ({"TERM": "xterm", "NO_COLOR": ""}, True),
        ({}, True),
    ],
)
def test_colour_is_for_terminals_that_can(
    variables: dict[str, str], coloured: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    is_coloured: Callable[[Any], bool] = importlib.import_module("generator.commands.answer").is_coloured
    for name in ("TERM", "NO_COLOR"):
        monkeypatch.delenv(name, raising=False)
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    assert is_coloured(Terminal()) is coloured
    assert is_coloured(io.StringIO()) is False


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="this system has no /dev/full")
def test_a_full_disk_behind_stdout_is_2() -> None:
    with Path("/dev/full").open("w", encoding="utf-8") as full:
        done = subprocess.run(
            [sys.executable, "-m", "generator", "--version"],
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
            timeout=60,
            check=False,
            env={name: value for name, value in os.environ.items() if name != "PYTHONUNBUFFERED"},
        )
    assert done.returncode == 2
    assert done.stderr == (
        "apportion: cannot write to stdout: No space left on device\n  fix: send it where there is room\n"
    )


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="this system has no /dev/full")
@pytest.mark.parametrize("buffered", ["", "1"])
@pytest.mark.parametrize("form", ["text", "json"])
@pytest.mark.parametrize("full", ["stdout", "stderr"])
def test_an_answer_that_finds_no_room_is_2(full: str, form: str, buffered: str, tmp_path: Path) -> None:
    root = tmp_path / "none" if full == "stderr" else repository(tmp_path / "it")
    with Path("/dev/full").open("w", encoding="utf-8") as stream:
        done = subprocess.run(
            [sys.executable, "-m", "generator", "check", "--inputs-only", "--format", form, "--root", root],
            stdout=stream if full == "stdout" else subprocess.PIPE,
            stderr=stream if full == "stderr" else subprocess.PIPE,
            text=True,
            timeout=60,
            check=False,
            env={**os.environ, "PYTHONUNBUFFERED": buffered},
        )
    assert done.returncode == 2
    assert "Traceback" not in f"{done.stdout}{done.stderr}"
    assert "bug" not in f"{done.stdout}{done.stderr}"


@pytest.mark.parametrize(("closed", "printed"), [(">&-", ""), ("2>&-", f"apportion {__version__}\n")])
def test_a_closed_stream_is_nobody_who_reads(closed: str, printed: str) -> None:
    done = subprocess.run(
        ["/bin/sh", "-c", f'exec "$0" -m generator --version {closed}', sys.executable],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, printed, "")


def test_an_interrupt_that_native_code_hides_is_one(monkeypatch: pytest.MonkeyPatch) -> None:
    """A Python function that C++ calls is interrupted, and what comes back is an error of the C++ side."""

    def run(options: Any) -> int:
        with suppress(KeyboardInterrupt):
            cli._interrupted(2, None)
        raise RuntimeError("a callback failed")

    monkeypatch.setattr("generator.commands.check.run", run)
    monkeypatch.setattr(cli, "_interrupts", [])
    assert main(["check"]) == 130
    monkeypatch.setattr(cli, "_interrupts", [])
    monkeypatch.setattr("generator.commands.check.run", lambda options: 1 // 0)
    assert main(["check"]) == 3
