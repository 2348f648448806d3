"""`--changed` of `check` and `compile`: only what a commit touches, and all that the commit would lack."""

from __future__ import annotations

TYPE_CHECKING = False  # importing it from typing would cost a tenth of the start
if TYPE_CHECKING:
    from argparse import Namespace
    from pathlib import Path

    from generator.commands.pipeline import Result
    from generator.difference import Scope
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


def unknown_output(options: Namespace, root: Path) -> frozenset[str]:
    """Return the paths below output/ that Git does not know; none without `--changed`.

    Raises:
        FatalError: Git cannot tell.
    """
    if not options.changed:
        return frozenset()
    from generator.commands import commit

    return frozenset(path.removeprefix(f"{commit.OUTPUT}/") for path in commit.unknown(root, commit.OUTPUT))


def of_commit(result: Result, unknown: frozenset[str]) -> Scope:
    """Return the scope of a commit: what is left over of an edit that is not part of it is none of its business."""
    if not unknown:
        return result.scope
    return lambda path: result.scope(path) and (path in result.tree or path not in unknown)


def left_out(result: Result, unknown: frozenset[str]) -> list[Finding]:
    """Return what is compiled, and would be missing from the commit."""
    lacking = sorted(path for path in unknown if path in result.tree and result.scope(path))
    if not lacking:
        return []
    from generator.commands import commit

    return commit.left_out([f"{commit.OUTPUT}/{path}" for path in lacking])
