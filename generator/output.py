"""Writes output/, and with its journal is all that writes: a run leaves the old tree, the new tree, or a journal.

A killed run is brought to its end by `recover`, which every command calls before anything else. A power cut is beyond
that promise, since nothing is synced: `compare` then sees by the digests in the locks what was lost.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from generator import difference, journal
from generator.difference import Scope, Tree
from generator.disk import JOURNAL, Kind, scan
from generator.finding import FatalError, Finding
from generator.freshness import compare
from generator.frozen import dataclass
from generator.lock import HEADER
from generator.staging import stage

__all__ = ["HEADER", "Scope", "Tree", "Written", "compare", "recover", "write"]


@dataclass(frozen=True, slots=True)
class Written:
    """How many files a run wrote, removed and left as they were."""

    written: int
    removed: int
    unchanged: int


def write(output: Path, tree: Tree, scope: Scope) -> Written | list[Finding]:
    """Make output/ equal to the tree within the scope; return findings, and write nothing, where foreign files stand.

    Raises:
        FatalError: output/ cannot be read or written, or another process is writing it.
    """
    root = os.fspath(output)
    with _folder(output), journal.alone(root) as granted:
        if not granted:
            raise journal.busy()
        journal.settle(root)
        disk = scan(root)
        change = difference.between(disk, tree, scope)
        if change.obstacles:
            return difference.in_the_way(change.obstacles)
        if change.write or change.remove:
            files = {path: tree[path] for path in change.write}
            folders = {"", *(path for path, kind in disk.entries.items() if kind is Kind.FOLDER)}
            journal.finish(root, stage(root, files, change.remove, change.emptied, folders.__contains__))
        return Written(len(change.write), len(change.remove), sum(map(scope, tree)) - len(change.write))


def recover(output: Path) -> None:
    """Bring a write that was cut off to its end: to the new tree if it was committed, else to the old one.

    Raises:
        FatalError: the journal is damaged, output/ is read-only, or its writer is still at work.
    """
    root = os.fspath(output)
    if not os.path.lexists(f"{root}/{JOURNAL}"):
        return
    with journal.alone(root) as granted:
        if granted:
            journal.settle(root)
        elif journal.is_committed(root):
            raise journal.busy()


@contextmanager
def _folder(output: Path) -> Iterator[None]:
    """Make output/ if it is missing, and take it away again if nothing came into it."""
    if output.is_dir():
        yield
        return
    try:
        output.mkdir()
    except OSError as problem:
        raise FatalError(
            f"cannot make output/: {problem.strerror}", "output/ must be a folder, or can be made"
        ) from None
    try:
        yield
    finally:
        with suppress(OSError):
            output.rmdir()
