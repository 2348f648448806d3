"""The journal: how a write of output/ is all or nothing.

New files are staged in `output/.apportion-journal/`. Renaming the file `journal` into place there commits them: before,
the tree is the old one and the folder is waste; after, every step can be repeated until the tree is the new one.
Nothing is synced to the disk, so a power cut may still lose content: the digests in the locks show it, and a compile
mends it.

One writer at a time holds a lock on output/ itself, so that no lock file stays in it. File systems that cannot lock a
folder (NFS) go without.
"""

# ruff: noqa: PTH104, PTH106, PTH108  # a run makes thousands of these calls, and pathlib doubles their cost

from __future__ import annotations

import errno
import fcntl
import json
import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress

from generator.disk import JOURNAL, folders_above, parent, read, shown
from generator.finding import FatalError
from generator.frozen import dataclass
from generator.pattern import pattern

COMMITTED = f"{JOURNAL}/journal"

_SIZE_LIMIT = 1 << 26
_FOLDER_STAYS = {errno.ENOTEMPTY, errno.EEXIST, errno.EBUSY}
_STAGED_NAME = pattern(r"[0-9]+")
_DAMAGED = f"delete {shown(JOURNAL)}, then run apportion compile"


@dataclass(frozen=True, slots=True)
class Journal:
    """Files to remove, then folders to remove, then staged entries to rename: name in the journal folder to path."""

    remove: list[str]
    emptied: list[str]
    place: dict[str, str]

    def paths(self) -> list[str]:
        """Return every path that a step changes."""
        return [*self.remove, *self.emptied, *self.place.values()]


def render(journal: Journal) -> str:
    """Return the journal as the JSON that `settle` reads."""
    steps = {"remove": journal.remove, "emptied": journal.emptied, "place": journal.place}
    return json.dumps({"version": 1, **steps})


@contextmanager
def alone(root: str) -> Iterator[bool]:
    """Hold output/ as its only writer, without waiting; False: another process does.

    Raises:
        FatalError: output/ is no folder or cannot be read.
    """
    try:
        descriptor = os.open(root, os.O_RDONLY | os.O_DIRECTORY)
    except OSError as problem:
        raise FatalError(f"cannot read output/: {problem.strerror}", "output/ must be a readable folder") from None
    try:
        yield _lock(descriptor)
    finally:
        os.close(descriptor)


def busy() -> FatalError:
    """Return the error for a second writer."""
    return FatalError("another apportion is writing output/", "run the command again when the other one has ended")


def is_committed(root: str) -> bool:
    """Tell whether a write was committed and is not finished: the tree may be a mixture."""
    return os.path.lexists(f"{root}/{COMMITTED}")


def check_reach(root: str, journal: Journal, *, writable: bool) -> None:
    """Refuse steps that would leave output/ through a link, or that could not be done once committed.

    Raises:
        FatalError: a folder is a link, is on another file system or, if it has to be writable, is not.
    """
    device = os.stat(root).st_dev  # noqa: PTH116  # as above
    changed = set(map(parent, journal.paths()))
    for folder in folders_above(journal.paths()):
        try:
            found = os.lstat(f"{root}/{folder}")
        except (FileNotFoundError, NotADirectoryError):
            continue
        if stat.S_ISLNK(found.st_mode):
            raise FatalError(f"{shown(folder)} is a symbolic link, and the journal leads through it", _DAMAGED)
        if found.st_dev != device:
            raise FatalError(f"{shown(folder)} is on another file system than output/", "keep all of output/ on one")
        if writable and folder in changed and not os.access(f"{root}/{folder}", os.W_OK | os.X_OK):
            raise FatalError(f"cannot write {shown(folder)}; nothing was changed", f"make {shown(folder)} writable")


def finish(root: str, journal: Journal) -> None:
    """Carry out a committed journal and remove it; each step may have been done before.

    Raises:
        FatalError: a step failed; the journal stays, and the next command finishes it.
    """
    try:
        _carry_out(root, journal)
        os.unlink(f"{root}/{COMMITTED}")
    except OSError as problem:
        raise FatalError(
            f"output/ is half written ({problem.strerror}); what is left to do is kept in {shown(JOURNAL)}",
            "remove the cause; the next apportion command then finishes the work before anything else",
        ) from None
    clear(root)


def settle(root: str) -> None:
    """Bring what a killed run left to its end: to the new tree if it was committed, else to the old one.

    Raises:
        FatalError: it cannot be finished, or is damaged or not ours.
    """
    try:
        mode = os.lstat(f"{root}/{JOURNAL}").st_mode
    except OSError:  # absent, or output/ is so closed that whatever comes next will say so
        return
    if stat.S_ISDIR(mode) and not is_committed(root):
        clear(root)
        return
    content = read(f"{root}/{COMMITTED}", _SIZE_LIMIT) if stat.S_ISDIR(mode) else None
    journal = None if content is None else _parse(content)
    if journal is None or not _is_plain(root, journal):
        raise FatalError(f"{shown(COMMITTED)} is damaged or not Apportion's", _DAMAGED)
    check_reach(root, journal, writable=False)
    finish(root, journal)


def clear(root: str) -> None:
    """Delete a journal folder that is not committed; what cannot be deleted harms nobody until the next command."""
    with suppress(OSError):
        try:
            os.rmdir(f"{root}/{JOURNAL}")
        except OSError as problem:
            if problem.errno not in _FOLDER_STAYS:
                raise
            import shutil  # slow to import, and rarely needed

            shutil.rmtree(f"{root}/{JOURNAL}")


def _lock(descriptor: int) -> bool:
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError:  # a file system that does not lock folders
        return True
    return True


def _carry_out(root: str, journal: Journal) -> None:
    for path in journal.remove:
        with suppress(FileNotFoundError, NotADirectoryError, IsADirectoryError):  # done before, and perhaps replaced
            os.unlink(f"{root}/{path}")
    for path in journal.emptied:
        try:
            os.rmdir(f"{root}/{path}")
        except (FileNotFoundError, NotADirectoryError):
            continue
        except OSError as problem:
            if problem.errno not in _FOLDER_STAYS:
                raise
    for name, path in journal.place.items():
        staged = f"{root}/{JOURNAL}/{name}"
        try:
            os.rename(staged, f"{root}/{path}")
        except FileNotFoundError:
            if os.path.lexists(staged):
                raise


def _parse(content: bytes) -> Journal | None:
    try:
        found = json.loads(content)
    except (ValueError, RecursionError):
        return None
    if (
        not isinstance(found, dict)
        or found.keys() != {"version", "remove", "emptied", "place"}
        or found["version"] != 1
    ):
        return None
    remove, emptied, place = found["remove"], found["emptied"], found["place"]
    if not (isinstance(remove, list) and isinstance(emptied, list) and isinstance(place, dict)):
        return None
    journal = Journal(remove, emptied, place)
    safe = all(map(_is_below, journal.paths())) and all(map(_STAGED_NAME.fullmatch, place))
    return journal if safe else None


def _is_below(path: object) -> bool:
    """Tell whether a path stays below output/ and out of the journal itself."""
    if not isinstance(path, str) or "\0" in path:
        return False
    parts = path.split("/")
    return parts[0] != JOURNAL and not {"", ".", ".."} & set(parts)


def _is_plain(root: str, journal: Journal) -> bool:
    """Tell whether all that is still staged are files and folders."""
    for name in journal.place:
        with suppress(FileNotFoundError):
            mode = os.lstat(f"{root}/{JOURNAL}/{name}").st_mode
            if not (stat.S_ISREG(mode) or stat.S_ISDIR(mode)):
                return False
    return True
