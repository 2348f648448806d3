"""Files of anywhere, read with care: never a pipe, no more than so much of one and of all, and how they are called."""

# ruff: noqa: PTH100, PTH109  # os.path takes any name, where pathlib raises for one that is too long

from __future__ import annotations

import os
import stat

from generator.commands.documents import MAX_BYTES, Text, built_text, read_text
from generator.finding import Finding, Location, error
from generator.manifest import Manifest

MAX_TOTAL = 128 * 2**20
"""Bytes of all files of one PATH: objects take some sixteen times their text."""


class Reader:
    """Reads the files of one PATH, each once; `findings` tells what could not be read, `unread` whose text that was."""

    def __init__(self) -> None:
        self.findings: list[Finding] = []
        self.unread: list[str] = []
        self._left = MAX_TOTAL
        self._objects: dict[str, list[Manifest]] = {}
        self._sources: dict[str, list[Manifest]] = {}

    def objects(self, path: str, *, named: bool = False) -> list[Manifest]:
        """Return the objects of a file; `named` as in `read_text`."""
        key = os.path.realpath(path)
        if key not in self._objects:
            data = self.bytes_of(path)
            found = read_text(data, self.shown(path), named=named) if data is not None else Text()
            self.findings += found.findings
            self.unread += found.unread
            self._objects[key] = found.objects
        return self._objects[key]

    def sources(self, path: str) -> list[Manifest]:
        """Return the objects of a file that a build has read: what is wrong with it the build has told, or mended."""
        key = os.path.realpath(path)
        if key not in self._sources:
            data = self.bytes_of(path)
            self._sources[key] = built_text(data, self.shown(path))[0] if data is not None else []
        return self._sources[key]

    def bytes_of(self, path: str) -> bytes | None:
        """Return at most one byte more than a file may have; None, and a finding, for what cannot be read."""
        try:
            # O_NONBLOCK: a pipe that nobody writes into must not hold us
            handle = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
        except OSError as problem:
            self._unreadable(path, problem)
            return None
        try:
            if not stat.S_ISREG(os.fstat(handle).st_mode):
                self._report("not-a-file", path, "this is a pipe, socket or device, not a file", "remove it")
                return None
            return self._within_total(path, _read(handle))
        except OSError as problem:
            self._unreadable(path, problem)
            return None
        finally:
            os.close(handle)

    def _within_total(self, path: str, data: bytes) -> bytes | None:
        self._left -= len(data)
        if self._left >= 0:
            return data
        if self._left + len(data) >= 0:  # the first that is too much speaks for the rest
            message = f"with this file there are more than {MAX_TOTAL // 2**20} MiB: it and later ones are not read"
            self._report("too-large", path, message, "lint parts of it, each as a PATH of its own")
        return None

    def unreadable_folder(self, problem: OSError) -> None:
        """Take note of a folder that cannot be listed."""
        self._unreadable(str(problem.filename), problem)

    def _unreadable(self, path: str, problem: OSError) -> None:
        self._report("unreadable", path, f"cannot be read: {problem.strerror}", "make it readable")

    def _report(self, rule: str, path: str, message: str, fix: str) -> None:
        self.findings.append(error(rule, message, Location(self.shown(path)), fix))

    @staticmethod
    def shown(path: str) -> str:
        """Return a path as findings name it: from the working directory, where it lies below that."""
        whole, here = os.path.abspath(path), os.getcwd()
        name = whole.removeprefix(here.rstrip("/") + "/")
        return name.encode(errors="surrogateescape").decode(errors="backslashreplace")


def _read(handle: int) -> bytes:
    parts, left = [], MAX_BYTES + 1
    while left and (part := os.read(handle, left)):
        parts.append(part)
        left -= len(part)
    return b"".join(parts)
