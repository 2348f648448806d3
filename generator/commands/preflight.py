"""`apportion preflight [ENV]`: does the live cluster stand what the tree would do to it? Only reads it."""

from __future__ import annotations

import re
import sys
from argparse import ArgumentParser, ArgumentTypeError, Namespace

from generator.commands.answer import answer
from generator.commands.progress import Progress
from generator.finding import in_order
from generator.report.text import counted

_SECONDS = {"s": 1, "m": 60, "": 1}


def arguments(parser: ArgumentParser) -> None:
    """Declare the environment, the cluster, and what stands for either."""
    parser.add_argument("environment", nargs="?", metavar="ENV", help="may be left out where there is only one")
    parser.add_argument("--expect", metavar="FILE", help="what a PreSync Job was given, instead of the inputs and ENV")
    parser.add_argument("--nodes", metavar="FILE", help="oc get nodes -o json (or yaml), or -; asks no cluster")
    parser.add_argument("--kubeconfig", metavar="FILE", help="default: in a pod its own account, else as kubectl")
    parser.add_argument("--context", metavar="NAME", help="of the kubeconfig (default: its current one)")
    parser.add_argument("--timeout", metavar="TIME", type=_time, default=60.0, help="for all reads (default: 60s)")
    parser.add_argument("--allow-unread", action="store_true", help="what could not be read is a warning, not an error")


def run(options: Namespace) -> int:
    """Print what the cluster says to the tree; nothing is written, neither here nor there."""
    from generator.commands import sides
    from generator.preflight.compare import compare

    live = None
    with Progress(sys.stderr, quiet=options.quiet) as progress:
        expected, findings = sides.expected(options, progress)
        if expected is not None:
            progress.step("reading the cluster" if options.nodes is None else f"reading {options.nodes}")
            live, found = sides.live(options, expected)
            findings = in_order(findings + found)
            if live is not None:
                findings = in_order(findings + compare(expected, live, allow_unread=options.allow_unread))
    against = "the live cluster" if options.nodes is None else "these nodes"
    what = f"{expected.environment} against {against}" if expected and live else "not compared"
    return answer(options, findings, sys.stdout, f"{what}: {counted(findings)}")


def _time(text: str) -> float:
    match = re.fullmatch(r"(\d{1,5}(?:\.\d{1,3})?)(s|m|)", text)
    seconds = float(match[1]) * _SECONDS[match[2]] if match else 0
    if not seconds:
        raise ArgumentTypeError(f"{text!r} is no time such as 60s or 2m")
    return seconds
