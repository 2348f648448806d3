"""The command line: options, exit statuses, and what is said when a run cannot go on.

Start-up is a feature: until a command is chosen nothing is imported but argparse.
"""

from __future__ import annotations

import argparse
import os
import signal
import sys

from generator import ISSUES, __version__
from generator.commands import COMMANDS
from generator.report import FORMATS

TYPE_CHECKING = False  # importing it from typing would cost a tenth of the start
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any, NoReturn

    from generator.finding import Finding

CANNOT_GO_ON, BUG, INTERRUPTED, PIPE_CLOSED = 2, 3, 130, 141
FRAMES = 8  # of a traceback, the last ones

_DEFAULTS: dict[str, Any] = {
    "root": None,
    "format": "text",
    "report": [],
    "fail_on": "error",
    "as_of": None,
    "quiet": False,
    "verbose": False,
}
_EPILOG = """\
exit status: 0 nothing at or above --fail-on; 1 findings, or stale output; 2 wrong usage or unreadable input;
3 a bug in Apportion; 130 interrupted
"""


_interrupts: list[int] = []  # signals that came: native code that calls Python turns the exception into one of its own


def entry() -> NoReturn:
    """Run the command line of this process and end it with the exit status."""
    signal.signal(signal.SIGINT, _interrupted)
    for name in ("stdout", "stderr"):
        if getattr(sys, name) is None:  # closed, as >&- does: nobody reads, and no file of ours may take its number
            setattr(sys, name, os.fdopen(os.open(os.devnull, os.O_WRONLY), "w", encoding="utf-8"))
        getattr(sys, name).reconfigure(errors="backslashreplace")  # a name must not crash a C locale
    status = main(sys.argv[1:])
    try:
        sys.stdout.flush()
        sys.stderr.flush()
    except OSError:
        pass  # main has told of it
    os._exit(status)  # all is written; taking a hundred thousand objects apart costs a tenth of a large compile


def _interrupted(number: int, _: object) -> NoReturn:
    _interrupts.append(number)
    raise KeyboardInterrupt


def main(argv: Sequence[str]) -> int:
    """Run `apportion` with these arguments and return its exit status."""
    options = argparse.Namespace(**_DEFAULTS)
    try:
        status = _run(argv, options)
        _flush()
    except KeyboardInterrupt:
        return INTERRUPTED
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # else the interpreter complains when it ends
        return PIPE_CLOSED
    except Exception as problem:  # noqa: BLE001 - whatever it is, it is told and is not taken for a finding
        if _interrupts:
            return INTERRUPTED
        return _failed(problem, options)
    return status


def _flush() -> None:
    try:
        sys.stdout.flush()
    except BrokenPipeError:
        raise
    except OSError as problem:
        from generator.finding import FatalError

        raise FatalError(f"cannot write to stdout: {problem.strerror}", "send it where there is room") from None


def _run(argv: Sequence[str], options: argparse.Namespace) -> int:
    try:
        if argv[:1] and argv[0] in COMMANDS:  # as nearly always
            options.command, options.rest = argv[0], list(argv[1:])
        else:
            _main_parser().parse_args(argv, options)
        command = _module(options.command)
        parser = _Parser(prog=f"apportion {options.command}", description=COMMANDS[options.command])
        command.arguments(parser)
        _common_options(parser)
        # argparse loses what follows -- when it lets paths and options alternate
        parse = parser.parse_args if "--" in options.rest else parser.parse_intermixed_args
        parse(options.rest, options)
    except SystemExit as stop:  # argparse, after --help and wrong usage
        return int(stop.code or 0)
    status: int = command.run(options)
    return status


def _module(command: str) -> Any:
    """Import a command, without collecting garbage from here on.

    A run ends before there is much: collecting costs a seventh of the imports and made building 3 to 4 times slower.
    """
    import gc
    import importlib

    gc.disable()
    return importlib.import_module(f"generator.commands.{command}")


class _Help(argparse.RawDescriptionHelpFormatter):
    def __init__(self, prog: str) -> None:
        try:
            width = os.get_terminal_size().columns
        except OSError:
            width = 0
        super().__init__(prog, width=max(width, 80) - 2)  # unless it is told, argparse imports shutil to ask


class _Parser(argparse.ArgumentParser):
    def __init__(self, prog: str, description: str, **more: Any) -> None:
        super().__init__(prog, description=description, formatter_class=_Help, allow_abbrev=False, **more)

    def error(self, message: str) -> NoReturn:
        self.exit(CANNOT_GO_ON, f"{self.prog}: {message}\n  fix: see {self.prog} --help\n")


def _main_parser() -> argparse.ArgumentParser:
    listed = "\n".join(f"  {name:<10}{does}" for name, does in COMMANDS.items())
    parser = _Parser(
        prog="apportion",
        usage="apportion [options] COMMAND ...",
        description="Compile teams, quotas and GPU inventory into Kustomize overlays.\n\ncommands:\n" + listed,
        epilog=_EPILOG,
    )
    parser.add_argument("command", type=_command, metavar="COMMAND", help="see also COMMAND --help")
    parser.add_argument("rest", nargs=argparse.REMAINDER, help=argparse.SUPPRESS).required = False
    parser.add_argument("--version", action="version", version=f"apportion {__version__}")
    _common_options(parser)
    return parser


def _common_options(parser: argparse.ArgumentParser) -> None:
    """Add what may stand before or after the command; without defaults, which would undo what stood before."""
    group = parser.add_argument_group("common options", argument_default=argparse.SUPPRESS)
    group.add_argument("--root", metavar="DIR", help="repository (default: nearest parent with environments/)")
    group.add_argument("--format", choices=FORMATS, help="of the findings (default: text)")
    group.add_argument(
        "--report",
        metavar="FORMAT=FILE",
        type=_report,
        action="append",
        help="write the findings to a file, too, in a format as above; more than one may be given",
    )
    group.add_argument(
        "--fail-on",
        choices=("error", "warning", "info"),
        help="what fails, and stops a compile (default: error)",
    )
    group.add_argument("--as-of", metavar="DATE", type=_date, help="apply the overrides of this day, YYYY-MM-DD")
    group.add_argument("-q", "--quiet", action="store_true", help="only findings that fail the run")
    group.add_argument("-v", "--verbose", action="store_true", help="after a bug: where it happened")


def _report(text: str) -> tuple[str, str]:
    from generator.commands.pages import report

    return report(text)


def _command(word: str) -> str:
    if word in COMMANDS:
        return word
    from difflib import get_close_matches

    near = get_close_matches(word, COMMANDS, 1)
    hint = f"did you mean {near[0]}? " if near else ""
    raise argparse.ArgumentTypeError(f"no such command: {word!r}; {hint}({', '.join(COMMANDS)})")


def _date(text: str) -> str:
    from datetime import date

    try:
        if len(text) == 10 and date.fromisoformat(text).isoformat() == text:  # it also takes 20261231 and 2026-W53-4
            return text
    except ValueError:
        pass
    raise argparse.ArgumentTypeError(f"{text!r} is no date of the calendar such as 2026-12-31")


def _failed(problem: Exception, options: argparse.Namespace) -> int:
    """Tell why the run could not go on: on stderr, and in a machine's format as the one finding on stdout.

    Where neither has room, the exit status tells.
    """
    import contextlib
    import errno

    from generator.finding import FatalError, Finding, Layer, Severity
    from generator.report import render
    from generator.report.text import plain

    if isinstance(problem, FatalError):
        status, rule, message, fix = CANNOT_GO_ON, "cannot-go-on", problem.message, problem.fix
    elif isinstance(problem, OSError) and problem.filename is None and problem.errno in (errno.ENOSPC, errno.EDQUOT):
        status, rule, message = CANNOT_GO_ON, "cannot-go-on", f"cannot write the answer: {problem.strerror}"
        fix = "send it where there is room"
    elif isinstance(problem, MemoryError):
        status, rule, message, fix = CANNOT_GO_ON, "cannot-go-on", "out of memory", "run it where there is more"
    else:
        status, rule, message = BUG, "internal-error", f"{type(problem).__name__}: {problem}"
        fix = f"sorry, this is a bug in Apportion: report it with what apportion -v prints, at {ISSUES}"
    with contextlib.suppress(OSError):
        sys.stderr.write(f"apportion: {plain(message)}\n" + (f"  fix: {plain(fix)}\n" if fix else ""))
        if status == BUG and options.verbose:
            import traceback

            frames = "".join(traceback.format_exception(problem, limit=-FRAMES)).splitlines()
            sys.stderr.writelines(f"{plain(line)}\n" for line in frames)
    finding = Finding(rule, Severity.ERROR, Layer.INPUT, message, fix=fix)
    if options.format != "text":
        with contextlib.suppress(OSError):
            sys.stdout.write(render(options.format, [finding]))
            sys.stdout.flush()
    if options.report:
        _try_to_report(options, finding)
    return status


def _try_to_report(options: argparse.Namespace, finding: Finding) -> None:
    """Write to the files of `--report` as far as they can be: it may be one of them that stops the run."""
    from generator.commands.pages import write_reports
    from generator.finding import FatalError

    for one in options.report:
        try:
            write_reports([one], [finding])
        except FatalError as problem:
            sys.stderr.write(f"apportion: {problem.message}\n")
