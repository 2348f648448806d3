"""Staging: the new files of a write, beside the tree and complete before one rename commits them."""

# ruff: noqa: PTH102, PTH104, PTH108  # a run makes thousands of these calls, and pathlib doubles their cost

from __future__ import annotations

import errno
import os
from collections.abc import Callable, Mapping
from contextlib import suppress

from generator.disk import JOURNAL, parent, shown
from generator.finding import FatalError
from generator.journal import COMMITTED, Journal, check_reach, clear, render

_FIXES = {
    errno.EEXIST: f"delete {shown(JOURNAL)}, which a killed run of another user left",
    errno.ENOSPC: "free some space: changed files exist twice while they are written",
    errno.EDQUOT: "free some of your disk quota: changed files exist twice while they are written",
}


def stage(
    root: str, files: Mapping[str, str], remove: list[str], emptied: list[str], is_folder: Callable[[str], bool]
) -> Journal:
    """Write the files (path to text) beside the tree and commit them; `is_folder` tells which folders exist.

    Raises:
        FatalError: no space, not writable, another file system; the tree is the old one.
    """
    try:
        os.mkdir(f"{root}/{JOURNAL}")
    except OSError as problem:
        raise _unwritten(problem) from None
    try:
        journal = Journal(remove, emptied, _write_staged(f"{root}/{JOURNAL}", files, is_folder))
        check_reach(root, journal, writable=True)
        _write_new(f"{root}/{COMMITTED}.part", render(journal))
        os.rename(f"{root}/{COMMITTED}.part", f"{root}/{COMMITTED}")
    except OSError as problem:
        _discard(root)
        raise _unwritten(problem) from None
    except BaseException:
        _discard(root)
        raise
    return journal


def _write_staged(stage: str, files: Mapping[str, str], is_folder: Callable[[str], bool]) -> dict[str, str]:
    """Return what is to be renamed: staged name to path. The topmost new folder carries all that is below it."""
    place: dict[str, str] = {}
    homes: dict[str, str] = {}  # new folder to where it is staged

    def home(folder: str) -> str:
        if folder not in homes:
            if is_folder(parent(folder)):
                homes[folder] = f"{stage}/{len(place)}"
                place[str(len(place))] = folder
            else:
                homes[folder] = home(parent(folder)) + folder[folder.rindex("/") :]
            os.mkdir(homes[folder])
        return homes[folder]

    for path, text in files.items():
        folder, _, name = path.rpartition("/")
        if is_folder(folder):
            _write_new(f"{stage}/{len(place)}", text)
            place[str(len(place))] = path
        else:
            _write_new(f"{home(folder)}/{name}", text)
    return place


def _write_new(path: str, text: str) -> None:
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, 0o666)
    try:
        left = text.encode()
        while left:
            left = left[os.write(descriptor, left) :]
    finally:
        os.close(descriptor)


def _discard(root: str) -> None:
    """Take the commit back before anything else: half of a journal must never be carried out."""
    with suppress(OSError):
        with suppress(FileNotFoundError):
            os.unlink(f"{root}/{COMMITTED}")
        clear(root)


def _unwritten(problem: OSError) -> FatalError:
    fix = _FIXES.get(problem.errno or 0, "output/ must be writable")
    return FatalError(f"cannot write output/: {problem.strerror}; nothing was changed", fix)
