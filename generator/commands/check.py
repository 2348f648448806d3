"""`apportion check [ENV…]`: all checks, and whether output/ is what the inputs yield. Writes nothing."""

from __future__ import annotations

import sys
from argparse import ArgumentParser, Namespace

from generator import output
from generator.commands import proof
from generator.commands.answer import answer
from generator.commands.hooks import CHANGED, NOTHING, changed_paths, left_out, of_commit, unknown_output
from generator.commands.progress import Progress
from generator.commands.read import find_root, read
from generator.finding import Finding, in_order
from generator.report.text import accepted, counted


def arguments(parser: ArgumentParser) -> None:
    """Declare the environments, `--changed`, `--inputs-only` and `--full`."""
    parser.add_argument("environments", nargs="*", metavar="ENV", help="only these environments")
    parser.add_argument("--changed", action="store_true", help=CHANGED)
    parser.add_argument("--inputs-only", action="store_true", help="leave output/ out")
    parser.add_argument("--full", action="store_true", help="judge again even what is as the last compile left it")


def run(options: Namespace) -> int:
    """Print findings to stdout. Beside inputs with errors output/ is not judged: nobody knows what it should be.

    Where nothing has changed since the last compile of all, what it found is said again; where something has, schemas
    are asked about the objects of folders that change.
    """
    root = find_root(options.root)
    if not options.inputs_only:
        output.recover(root / "output")
    changed = changed_paths(options, root)
    if changed == []:
        return answer(options, [], sys.stdout, NOTHING)
    inputs = read(root)
    memory = None if options.full else proof.recall(root)
    is_whole = not (options.environments or options.changed or options.inputs_only or inputs[1])
    if memory and is_whole and memory.holds(root, inputs[0], options.as_of):
        return _answer(options, memory.findings, memory.waived)
    from generator.commands import pipeline

    with Progress(sys.stderr, quiet=options.quiet) as progress:
        sound = memory.sound if memory else None
        names = options.environments
        result = pipeline.run(root, names, options.as_of, progress, inputs=inputs, changed=changed, sound=sound)
        findings = result.findings
        if result.is_sound and not options.inputs_only:
            progress.step("comparing output/")
            unknown = unknown_output(options, root)
            found = output.compare(root / "output", result.tree, of_commit(result, unknown))
            findings = in_order(findings + found + left_out(result, unknown))
    return _answer(options, findings, result.waived)


def _answer(options: Namespace, findings: list[Finding], waived: int) -> int:
    return answer(options, findings, sys.stdout, counted(findings) + accepted(waived), {"waived": waived})
