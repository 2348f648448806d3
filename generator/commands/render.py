"""`apportion render --env ENV`: what a build of a folder of output/ would give, from the inputs alone, or nothing.

Argo CD's plug-in runs it, and then the Application says which environment and folder. It writes no file at all, and
never answers with nothing and status 0: to Argo CD that means to delete everything.
"""

from __future__ import annotations

import os
import sys
from argparse import ArgumentParser, Namespace
from collections.abc import Mapping, Sequence

from generator.commands import pipeline
from generator.commands.answer import at_least
from generator.commands.asked import asked, checked_date, quoted
from generator.commands.progress import Progress
from generator.commands.read import find_root
from generator.emit.built import built
from generator.emit.leaves import Leaf
from generator.emit.plugin import AS_OF, ENV, PART
from generator.finding import FatalError, Finding
from generator.frozen import replace
from generator.kustomize import Overlay
from generator.lock import HEADER
from generator.manifest import dump_all
from generator.report import text
from generator.report.text import counted
from generator.spelling import remedy

MOST_FINDINGS = 10  # that are shown: all of stderr goes to Argo CD's UI


def arguments(parser: ArgumentParser) -> None:
    """Declare the environment and the folder."""
    parser.add_argument("--env", metavar="ENV", help="the environment (default: the one that Argo CD asks for)")
    parser.add_argument(
        "--part",
        metavar="FOLDER",
        help="folder below output/overlays/ENV/, such as queues/vision (default: as Argo CD asks, else all but argocd)",
    )


def run(options: Namespace) -> int:
    """Print the manifests to stdout, or findings to stderr and nothing to stdout."""
    if options.format != "text":
        options.format = "text"  # stdout is for manifests, also when this is told
        raise FatalError("render tells its findings as text", "use check --inputs-only --format for other formats")
    given = asked(os.environ)
    environment = given.get(ENV) if options.env is None else options.env
    part = given.get(PART) if options.part is None else options.part
    if environment is None:
        raise FatalError(
            "no environment is asked for",
            f"name one with --env, or as parameter {ENV} of the Application's source.plugin",
        )
    as_of = options.as_of or checked_date(given.get(AS_OF))
    with Progress(sys.stderr, quiet=options.quiet) as progress:
        result = pipeline.run(find_root(options.root), [environment], as_of, progress, overlay=True)
    if failing := at_least(result.findings, options.fail_on):
        sys.stderr.write(_told(failing, environment))
        return 1
    _print(_stream(result.overlays, environment, part))
    return 0


def _told(failing: Sequence[Finding], environment: str) -> str:
    hidden = len(failing) - MOST_FINDINGS
    shown = [_without_secrets(finding) for finding in failing[:MOST_FINDINGS]]
    more = f"; {hidden} more are told by apportion check --inputs-only {environment}" if hidden > 0 else ""
    return f"{text.render(shown, {})}{counted(failing)}; nothing rendered{more}\n"


def _without_secrets(finding: Finding) -> Finding:
    """Return a finding that many people may see: one about a Secret could repeat a value of it."""
    if finding.object is None or finding.object.kind != "Secret" or finding.rule == "secret-in-git":
        return finding
    message = f"Secret {finding.object.name} is not as it has to be"
    return replace(finding, message=message, fix="apportion check --inputs-only says why", related=())


def _stream(overlays: Sequence[Overlay], environment: str, part: str | None) -> str:
    """Return the objects of one folder, or of all that a sync brings, as one stream of YAML documents."""
    leaves = [leaf for overlay in overlays for leaf in _chosen(overlay, part)]
    bodies = [body for leaf in leaves for body in built(leaf)]
    if not bodies:
        what = f"{part} of environment {environment}" if part else f"environment {environment}"
        raise FatalError(f"{what} yields no object", "add to its inputs, or delete the Application that asks for it")
    return f"{HEADER}\n{dump_all(bodies)}"


def _chosen(overlay: Overlay, part: str | None) -> Sequence[Leaf]:
    if part is None:
        return overlay.synced
    name = overlay.plan.name
    parts: Mapping[str, Leaf] = {leaf.path.removeprefix(f"overlays/{name}/"): leaf for leaf in overlay.leaves}
    if part not in parts:
        raise FatalError(f"environment {name} has no part {quoted(part)}", remedy(part[:100], parts))
    return [parts[part]]


def _print(stream: str) -> None:
    """Write all of it, as UTF-8 whatever the locale.

    Raises:
        FatalError: stdout is closed or full.
    """
    if sys.__stdout__ is None:  # it was closed from the start, and sys.stdout is what the command line put in its place
        raise FatalError("stdout is closed: nobody would get the manifests", "send it where somebody reads")
    try:
        sys.stdout.buffer.write(stream.encode())
        sys.stdout.buffer.flush()
    except BrokenPipeError:
        raise
    except OSError as problem:
        raise FatalError(f"cannot write to stdout: {problem.strerror}", "send it where there is room") from None
