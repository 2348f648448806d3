"""What lies in output/ now: kinds of entries, contents, and which files are ours. Reads only; follows no symbolic link.

Nothing here trusts the tree: it may have been merged badly, edited, or made by somebody else. Only regular files are
opened, and of a foreign file no more is read than the length of our header.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from enum import StrEnum

from generator import lock
from generator.finding import FatalError
from generator.frozen import dataclass, field
from generator.lock import Lock

JOURNAL = ".apportion-journal"
"""The folder below output/ in which a write is staged: never part of the tree."""

_HEADER = lock.HEADER.encode()
_LOCK_LIMIT = 1 << 20


class Kind(StrEnum):
    """What a path is, in words that a message can use."""

    FILE = "a file"
    FOLDER = "a folder"
    LINK = "a symbolic link"
    CLOSED = "an unreadable folder"
    OTHER = "a device, pipe or socket"


@dataclass(slots=True)
class Disk:
    """The entries below `root`: path with forward slashes to kind."""

    root: str
    entries: dict[str, Kind]
    _locks: dict[str, Lock | None] = field(default_factory=dict)

    def holds(self, path: str, text: str) -> bool:
        """Tell whether the file has exactly this text."""
        wanted = text.encode()
        return read(f"{self.root}/{path}", len(wanted) + 1) == wanted

    def bytes_of(self, path: str) -> bytes | None:
        """Return what a file holds; None where there is no such file, or it cannot be read."""
        if self.entries.get(path) is not Kind.FILE:
            return None
        try:
            with open(f"{self.root}/{path}", "rb", opener=_opened) as file:
                return file.read()
        except OSError:
            return None

    def lock(self, folder: str) -> Lock | None:
        """Return the folder's lock; None when it is missing, unreadable or not a lock."""
        if folder not in self._locks:
            self._locks[folder] = self._read_lock(inside(folder, lock.NAME))
        return self._locks[folder]

    def is_ours(self, path: str) -> bool:
        """Tell whether we wrote the file: its folder's lock lists it, it is that lock, or it opens with our header."""
        if self.entries.get(path) is not Kind.FILE:
            return False
        folder, _, name = path.rpartition("/")
        listed = self.lock(folder)
        return name == lock.NAME or (listed is not None and name in listed.files) or self._opening(path) == _HEADER

    def is_replaceable(self, path: str) -> bool:
        """Tell whether a generated file may take the path: it is ours, or empty as after a power cut."""
        return self.is_ours(path) or (self.entries.get(path) is Kind.FILE and self._opening(path) == b"")

    def _opening(self, path: str) -> bytes | None:
        return read(f"{self.root}/{path}", len(_HEADER))

    def _read_lock(self, path: str) -> Lock | None:
        if self.entries.get(path) is not Kind.FILE:
            return None
        content = read(f"{self.root}/{path}", _LOCK_LIMIT)
        return None if content is None else lock.parse(content.decode(errors="replace"))


def scan(root: str) -> Disk:
    """List all that is below `root`; an absent root is an empty one.

    Raises:
        FatalError: root is no folder or cannot be read.
    """
    entries: dict[str, Kind] = {}
    folders = [""]
    while folders:
        prefix = folders.pop()
        try:
            with os.scandir(f"{root}/{prefix}") as found:
                for entry in found:
                    kind = entries[prefix + entry.name] = _kind(entry)
                    if kind is Kind.FOLDER and prefix + entry.name != JOURNAL:
                        folders.append(f"{prefix}{entry.name}/")
        except OSError as problem:
            if prefix:
                entries[prefix[:-1]] = Kind.CLOSED
            elif not isinstance(problem, FileNotFoundError) or os.path.lexists(root):
                raise FatalError(
                    f"cannot read {root}: {problem.strerror}", "output/ must be a readable folder"
                ) from None
    entries.pop(JOURNAL, None)
    return Disk(root, entries)


def read(path: str, limit: int) -> bytes | None:
    """Return the first `limit` bytes of a file; None when it cannot be read. Never waits, never follows a link."""
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
    except OSError:
        return None
    try:
        return os.read(descriptor, limit)
    except OSError:
        return None
    finally:
        os.close(descriptor)


def _opened(path: str, flags: int) -> int:
    """Open without waiting for a pipe, or following a link, that has come since it was listed."""
    return os.open(path, flags | os.O_NOFOLLOW | os.O_NONBLOCK)


def parent(path: str) -> str:
    """Return the folder of a path; "" is output/ itself."""
    return path.rpartition("/")[0]


def folders_above(paths: Iterable[str]) -> list[str]:
    """Return every folder above the paths, parents first."""
    found: set[str] = set()
    for folder in set(map(parent, paths)):
        while folder and folder not in found:
            found.add(folder)
            folder = parent(folder)
    return sorted(found)


def inside(folder: str, name: str) -> str:
    """Return the path of a name in a folder; "" is output/ itself."""
    return f"{folder}/{name}" if folder else name


def shown(path: str) -> str:
    """Return a path below output/ as a message may print it: names can hold line ends and bytes that are no text."""
    whole = f"output/{path}" if path else "output"
    return whole if whole.isprintable() else whole.encode("unicode_escape", "surrogatepass").decode()


def _kind(entry: os.DirEntry[str]) -> Kind:
    if entry.is_symlink():
        return Kind.LINK
    if entry.is_dir(follow_symlinks=False):
        return Kind.FOLDER
    return Kind.FILE if entry.is_file(follow_symlinks=False) else Kind.OTHER
