"""`--changed` of `check` and `compile`: only what a commit touches, and all that the commit would lack."""

from __future__ import annotations

from argparse import Namespace
from pathlib import Path

from generator.commands.pipeline import Result
from generator.finding import Finding

CHANGED = "the names are of changed files, as pre-commit passes them: check their environments"
NOTHING = "nothing changed that Apportion reads or writes"


def changed_paths(options: Namespace, root: Path) -> list[str] | None:
    """Return the inputs and output that a commit changes; None without `--changed`.

    Raises:
        FatalError: Git cannot tell what is deleted.
    """
    if not options.changed:
        return None
    from generator.commands import commit  # it needs subprocess, which costs a tenth of a start

    return commit.changed(root, options.environments)


def left_out(root: Path, result: Result) -> list[Finding]:
    """Return what is compiled, and would be missing from the commit.

    Raises:
        FatalError: Git cannot tell.
    """
    from generator.commands import commit

    unknown = commit.unknown(root, commit.OUTPUT)
    return commit.left_out([path for path in unknown if path.removeprefix(f"{commit.OUTPUT}/") in result.tree])
