"""How a command answers: which findings are shown, where, with what last line, and the exit status."""

from __future__ import annotations

import os
import sys
from argparse import Namespace
from collections.abc import Mapping, Sequence
from typing import TextIO

from generator.finding import Finding, Severity
from generator.report import render


def answer(
    options: Namespace, findings: Sequence[Finding], stream: TextIO, line: str, more: Mapping[str, int] | None = None
) -> int:
    """Print the findings and the last line as text to `stream`, or another format to stdout; return 0 or 1.

    `--quiet` leaves out the last line and, in text, findings below `--fail-on`. `--report` writes to files, first.
    """
    failing = at_least(findings, options.fail_on)
    to_files(options, findings, more)
    if options.format == "text":
        shown = failing if options.quiet else findings
        stream.write(render("text", shown, colour=is_coloured(stream)))
        if not options.quiet:
            stream.write(f"{line}\n")
    else:
        sys.stdout.write(render(options.format, findings, more))
    return 1 if failing else 0


def to_files(options: Namespace, findings: Sequence[Finding], more: Mapping[str, int] | None = None) -> None:
    """Write the files of `--report`."""
    if options.report:
        from generator.commands.pages import write_reports

        write_reports(options.report, findings, more)


def at_least(findings: Sequence[Finding], severity: str) -> list[Finding]:
    """Return the findings of this severity and of worse ones."""
    limit = Severity(severity).rank
    return [finding for finding in findings if finding.severity.rank <= limit]


def is_coloured(stream: TextIO) -> bool:
    """Tell whether to colour: only a terminal that can, and whose owner did not say NO_COLOR (https://no-color.org)."""
    return stream.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"
