"""`apportion plan [ENV…]`: what changes between a revision of Git and the working tree, and what of it is unsafe."""

from __future__ import annotations

import sys
from argparse import ArgumentParser, Namespace

from generator.commands import step
from generator.commands.answer import answer, at_least, is_coloured
from generator.commands.progress import Progress
from generator.commands.read import find_root
from generator.report import changes as report
from generator.report import json
from generator.report.text import accepted, counted


def arguments(parser: ArgumentParser) -> None:
    """Declare the environments and `--against`."""
    parser.add_argument("environments", nargs="*", metavar="ENV", help="only these environments")
    parser.add_argument("--against", metavar="REF", default="HEAD", help="branch, tag or commit (default: HEAD)")


def run(options: Namespace) -> int:
    """Print what changes, then findings, to stdout; nothing where nothing changes. output/ is not looked at."""
    root = find_root(options.root)
    with Progress(sys.stderr, quiet=options.quiet) as progress:
        result = step.run(root, options.environments, options.against, options.as_of, progress)
    changes, findings = result.changes, result.findings
    if options.format == "json":
        envelope = json.envelope(findings, {"waived": result.waived}) | report.keys(changes)
        sys.stdout.write(json.dumped(envelope))
        return 1 if at_least(findings, options.fail_on) else 0
    if options.format == "text":
        if not changes and not findings:
            return 0
        if not options.quiet:
            sys.stdout.write(report.text(changes, colour=is_coloured(sys.stdout)))
    line = (f"{report.counted(changes)}; " if changes else "") + counted(findings) + accepted(result.waived)
    return answer(options, findings, sys.stdout, line, {"waived": result.waived})
