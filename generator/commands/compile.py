"""`apportion compile [ENV…]`: check the inputs, then write output/ whole or not at all."""

from __future__ import annotations

import sys
from argparse import ArgumentParser, Namespace

from generator import output
from generator.commands import pipeline, proof
from generator.commands.answer import answer, at_least
from generator.commands.hooks import CHANGED, NOTHING, changed_paths, left_out, of_commit, unknown_output
from generator.commands.progress import Progress
from generator.commands.read import find_root, read
from generator.finding import Finding, in_order
from generator.output import Written
from generator.report.text import accepted, amount, counted


def arguments(parser: ArgumentParser) -> None:
    """Declare the environments, `--changed` and `--fail-on-change`."""
    parser.add_argument("environments", nargs="*", metavar="ENV", help="only these, and the bases they use")
    parser.add_argument("--changed", action="store_true", help=CHANGED)
    parser.add_argument("--fail-on-change", action="store_true", help="exit 1 when output/ was not fresh: for hooks")


def run(options: Namespace) -> int:
    """Write output/ unless a finding is at or above `--fail-on`; findings go to stderr."""
    root = find_root(options.root)
    output.recover(root / "output")
    changed = changed_paths(options, root)
    if changed == []:
        return answer(options, [], sys.stderr, NOTHING)
    done: Written | list[Finding] = []
    with Progress(sys.stderr, quiet=options.quiet) as progress:
        inputs = read(root)
        basis = None if options.environments or options.changed else proof.basis(root, inputs[0], options.as_of)
        result = pipeline.run(root, options.environments, options.as_of, progress, inputs=inputs, changed=changed)
        if not at_least(result.findings, options.fail_on):
            progress.step("writing output/")
            unknown = unknown_output(options, root)
            done = output.write(root / "output", result.tree, of_commit(result, unknown))
    if isinstance(done, Written):
        proof.keep(root, inputs[0], options.as_of, basis, result)
        lacking = left_out(result, unknown) if not (done.written or done.removed) else []
        findings = in_order(result.findings + lacking)
        status = answer(options, findings, sys.stderr, _summary(result, done), _numbers(done, result))
        return 1 if options.fail_on_change and (done.written or done.removed) else status
    findings = in_order(result.findings + done)
    line = f"{counted(findings)}; nothing written{accepted(result.waived)}"
    return answer(options, findings, sys.stderr, line, _numbers(Written(0, 0, 0), result))


def _summary(result: pipeline.Result, done: Written) -> str:
    said = f"{counted(result.findings)}; " if result.findings else ""
    files = f"output/: {amount(done.written, 'file')} written, {done.removed} removed, {done.unchanged} unchanged"
    return said + files + accepted(result.waived)


def _numbers(done: Written, result: pipeline.Result) -> dict[str, int]:
    return {
        "written": done.written,
        "removed": done.removed,
        "unchanged": done.unchanged,
        "waived": result.waived,
    }
