"""`environments/` on the disk → path and bytes of every input file. Names are judged here, contents nowhere."""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Iterator
from pathlib import Path

from generator.difference import steers
from generator.environment.load import EXTRA, FOLDER, is_stored
from generator.finding import FatalError, Finding, Location, error, in_order
from generator.source.text import MAX_SIZE

_SUFFIXES = (".yaml", ".yml")
_TEMPLATES = tuple(f"{suffix}.j2" for suffix in _SUFFIXES)
_Entry = tuple[str, str]
"""Path below the root, path to open."""


def find_root(given: str | None) -> Path:
    """Return the folder given, or the nearest one from the working directory up, that holds `environments/`.

    Raises:
        FatalError: there is none.
    """
    start = Path(given) if given is not None else Path.cwd()
    for folder in [start] if given is not None else [start, *start.parents]:
        if (folder / FOLDER).is_dir():
            return folder
    where = f"{start} has" if given is not None else f"neither {start} nor a folder above it has"
    raise FatalError(
        f"{where} a folder {FOLDER}/" if given is None else f"{where} no folder {FOLDER}/",
        "name the repository with --root, or begin one: apportion init DIR",
    )


def read(root: Path) -> tuple[dict[str, bytes], list[Finding]]:
    """Return every input file, by path from the root and in its order, and what stands there that is no such file.

    A file beyond the limit on its size is cut one byte after it: whoever parses it says so.

    Raises:
        FatalError: files or folders cannot be read, all of which it names, or `environments/` leads out of the root.
    """
    inside = os.path.realpath(root)
    if not _is_below(os.path.realpath(root / FOLDER), inside):
        raise FatalError(f"{FOLDER}/ is a link to a place outside of {root}", "make it a folder of the repository")
    walk = _Walk(inside)
    entries = sorted(walk.below(os.fspath(root)))
    files = {path: data for path, source in entries if (data := walk.bytes_of(path, source)) is not None}
    if walk.unreadable:
        raise FatalError(f"cannot read {', '.join(sorted(walk.unreadable))}", "make them readable, or move them away")
    return files, in_order(walk.findings)


def source_overrides(root: Path) -> list[Finding]:
    """Return what Argo CD would merge into the `source` of Applications whose path is the repository itself.

    Source: argo-cd reposerver/repository, mergeSourceParameters.
    """
    names = sorted(path.name for path in root.iterdir() if steers(path.name) and path.name.startswith("."))
    fix = "remove it: it can change what the plug-in is asked for, or take the plug-in away"
    said = "Argo CD merges this file into the source of every Application that the plug-in renders"
    return [error("application-overridden", said, Location(_shown(name)), fix) for name in names]


class _Walk:
    def __init__(self, inside: str) -> None:
        self.inside = inside
        self.findings: list[Finding] = []
        self.unreadable: list[str] = []

    def below(self, root: str) -> Iterator[_Entry]:
        folders = [(FOLDER, f"{root}/{FOLDER}")]
        while folders:
            folder, source = folders.pop()
            try:
                with os.scandir(source) as found:
                    entries = list(found)
            except OSError as problem:
                self._cannot(folder, problem)
                continue
            for entry in entries:
                # as UTF-8, so that no locale changes what a file is called
                path = f"{folder}/{os.fsencode(entry.name).decode(errors='surrogateescape')}"
                if entry.name.startswith("."):
                    continue
                if entry.is_symlink():
                    yield from self._linked(path, entry.path)
                elif entry.is_dir(follow_symlinks=False):
                    if self._has_name(path):
                        folders.append((path, entry.path))
                elif is_input(path) and self._has_name(path):
                    if entry.is_file(follow_symlinks=False):
                        yield path, entry.path
                    else:
                        self._not_a_file(path)

    def bytes_of(self, path: str, source: str) -> bytes | None:
        """Return at most one byte more than a file may have; None for what cannot be read."""
        try:
            # O_NONBLOCK: what became a FIFO since it was listed must not hold us; O_NOFOLLOW: nor a link lead us away
            handle = os.open(source, os.O_RDONLY | os.O_NONBLOCK | os.O_NOFOLLOW | os.O_CLOEXEC)
        except OSError as problem:
            self._cannot(path, problem)
            return None
        try:
            if not stat.S_ISREG(os.fstat(handle).st_mode):
                self._not_a_file(path)
                return None
            return _bytes(handle)
        except OSError as problem:
            self._cannot(path, problem)
            return None
        finally:
            os.close(handle)

    def _linked(self, path: str, source: str) -> Iterator[_Entry]:
        try:
            target = os.path.realpath(source, strict=True)
            mode = Path(target).stat().st_mode
        except OSError as problem:
            if is_input(path) or problem.errno == errno.ELOOP:
                why = "leads back to itself" if problem.errno == errno.ELOOP else "leads to nothing that can be read"
                self._link(path, why)
            return
        if not (is_input(path) or stat.S_ISDIR(mode)) or not self._has_name(path):
            return
        if not _is_below(target, self.inside):
            self._link(path, "leads out of the repository")
        elif stat.S_ISDIR(mode):
            self._link(path, "leads to a folder; only links to files are followed")
        elif stat.S_ISREG(mode):
            yield path, target
        else:
            self._not_a_file(path)

    def _has_name(self, path: str) -> bool:
        try:
            path.encode()
        except UnicodeEncodeError:
            self._report("file-name", path, "the name is not UTF-8", "rename it")
            return False
        return True

    def _link(self, path: str, why: str) -> None:
        self._report("input-link", path, f"the link {why}", "put the file itself here, or remove the link")

    def _not_a_file(self, path: str) -> None:
        self._report("not-a-file", path, "this is a pipe, socket or device, not a file", "remove it")

    def _report(self, rule: str, path: str, message: str, fix: str) -> None:
        self.findings.append(error(rule, message, Location(_shown(path)), fix))

    def _cannot(self, path: str, problem: OSError) -> None:
        self.unreadable.append(f"{_shown(path)} ({problem.strerror})")


def _bytes(handle: int) -> bytes:
    parts, left = [], MAX_SIZE + 1
    while left and (part := os.read(handle, min(left, max(os.fstat(handle).st_size + 1, 4096)))):
        parts.append(part)
        left -= len(part)
    return b"".join(parts)


def is_input(path: str) -> bool:
    """Tell whether a path below the root is one of an input: YAML, in `extra/` a template of some, or a stored CRD."""
    if is_stored(path):
        return path.endswith((".json", *_SUFFIXES))
    if path.endswith(_TEMPLATES):
        parts = path.split("/")
        return len(parts) > 3 and parts[2] == EXTRA
    return path.endswith(_SUFFIXES)


def _is_below(path: str, folder: str) -> bool:
    return path == folder or path.startswith(folder.rstrip("/") + "/")


def _shown(path: str) -> str:
    return path.encode(errors="surrogateescape").decode(errors="backslashreplace")
