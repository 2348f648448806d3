"""`apportion plan [ENV…]`: what changes between a revision of Git and the working tree, and what of it is unsafe."""

from __future__ import annotations

import sys
from argparse import ArgumentParser, Namespace

from generator.commands import step
from generator.commands.answer import answer, at_least, is_coloured, to_files
from generator.commands.progress import Progress
from generator.commands.read import find_root
from generator.report import changes as report
from generator.report import json
from generator.report.text import accepted, counted


def arguments(parser: ArgumentParser) -> None:
    """Declare the environments, `--against` and `--markdown`."""
    parser.add_argument("environments", nargs="*", metavar="ENV", help="only these environments")
    parser.add_argument("--against", metavar="REF", default="HEAD", help="branch, tag or commit (default: HEAD)")
    parser.add_argument(
        "--markdown",
        metavar="FILE",
        help="write what changes in GPUs for a comment, nothing where nothing does; no FILE where errors hide it",
    )


def run(options: Namespace) -> int:
    """Print what changes, then findings, to stdout; nothing where nothing changes. output/ is not looked at."""
    root = find_root(options.root)
    with Progress(sys.stderr, quiet=options.quiet) as progress:
        result = step.run(root, options.environments, options.against, options.as_of, progress)
    changes, findings = result.changes, result.findings
    if options.markdown is not None and result.is_whole:
        _comment(options, result)
    if options.format == "json":
        to_files(options, findings, {"waived": result.waived})
        envelope = json.envelope(findings, {"waived": result.waived}) | report.keys(changes)
        sys.stdout.write(json.dumped(envelope))
        return 1 if at_least(findings, options.fail_on) else 0
    if options.format == "text":
        if not changes and not findings:
            to_files(options, findings)
            return 0
        if not options.quiet:
            sys.stdout.write(report.text(changes, colour=is_coloured(sys.stdout)))
    line = (f"{report.counted(changes)}; " if changes else "") + counted(findings) + accepted(result.waived)
    return answer(options, findings, sys.stdout, line, {"waived": result.waived})


def _comment(options: Namespace, result: step.Result) -> None:
    """Write what changes in GPUs; an empty page where nothing does."""
    from generator.commands import pages
    from generator.report.page import gpus

    environments = gpus(result.changes)
    if not environments:
        pages.write_nothing(options.markdown)
        return
    said = counted(result.findings) + accepted(result.waived)
    values = {"environments": environments, "findings": said, "against": options.against}
    pages.write_page(options.markdown, "plan", pages.MOST_OF_A_COMMENT, **values)
