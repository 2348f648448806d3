"""`apportion ledger [ENV…]`: what each pool can schedule and who is guaranteed it, and what each queue can get."""

from __future__ import annotations

import sys
from argparse import ArgumentParser, Namespace
from collections.abc import Sequence

from generator.commands import pipeline
from generator.commands.answer import answer, at_least, is_coloured, to_files
from generator.commands.progress import Progress
from generator.commands.read import find_root
from generator.plan.ledger import Ledger
from generator.report import json, ledger
from generator.report.text import counted


def arguments(parser: ArgumentParser) -> None:
    """Declare the environments and `--markdown`."""
    parser.add_argument("environments", nargs="*", metavar="ENV", help="only these environments")
    parser.add_argument("--markdown", metavar="FILE", help="write the ledger as a page, for the summary of a job")


def run(options: Namespace) -> int:
    """Print the ledgers of the sound environments, then findings as `check` does; output/ is not looked at."""
    root = find_root(options.root)
    with Progress(sys.stderr, quiet=options.quiet) as progress:
        result = pipeline.run(root, options.environments, options.as_of, progress, ledger=True)
    if options.markdown is not None:
        _page(options.markdown, result.ledgers)
    if options.format == "json":
        to_files(options, result.findings)
        envelope = json.envelope(result.findings, {}) | ledger.keys(result.ledgers)
        sys.stdout.write(json.dumped(envelope))
        return 1 if at_least(result.findings, options.fail_on) else 0
    if options.format == "text":
        sys.stdout.write(ledger.tables(result.ledgers, colour=is_coloured(sys.stdout)))
    return answer(options, result.findings, sys.stdout, counted(result.findings))


def _page(file: str, ledgers: Sequence[Ledger]) -> None:
    from generator.commands import pages
    from generator.report.page import tables

    pages.write_page(file, "ledger", pages.MOST_OF_A_SUMMARY, environments=tables(ledgers))
