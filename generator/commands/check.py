"""`apportion check [ENV…]`: all checks, and whether output/ is what the inputs yield. Writes nothing."""

from __future__ import annotations

import gc
import sys
from argparse import ArgumentParser, Namespace

from generator import output
from generator.commands import pipeline
from generator.commands.answer import answer
from generator.commands.hooks import CHANGED, NOTHING, changed_paths, left_out, of_commit, unknown_output
from generator.commands.progress import Progress
from generator.commands.read import find_root
from generator.finding import in_order
from generator.report.text import accepted, counted


def arguments(parser: ArgumentParser) -> None:
    """Declare the environments, `--changed` and `--inputs-only`."""
    parser.add_argument("environments", nargs="*", metavar="ENV", help="only these environments")
    parser.add_argument("--changed", action="store_true", help=CHANGED)
    parser.add_argument("--inputs-only", action="store_true", help="leave output/ out")


def run(options: Namespace) -> int:
    """Print findings to stdout. Beside inputs with errors output/ is not judged: nobody knows what it should be."""
    gc.disable()  # as in compile
    root = find_root(options.root)
    if not options.inputs_only:
        output.recover(root / "output")
    changed = changed_paths(options, root)
    if changed == []:
        return answer(options, [], sys.stdout, NOTHING)
    with Progress(sys.stderr, quiet=options.quiet) as progress:
        result = pipeline.run(root, options.environments, options.as_of, progress, changed=changed)
        findings = result.findings
        if result.is_sound and not options.inputs_only:
            progress.step("comparing output/")
            unknown = unknown_output(options, root)
            found = output.compare(root / "output", result.tree, of_commit(result, unknown))
            findings = in_order(findings + found + left_out(result, unknown))
    return answer(options, findings, sys.stdout, counted(findings) + accepted(result.waived), {"waived": result.waived})
