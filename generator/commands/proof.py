"""What the last whole compile of a repository found, so that `check` need not compile or judge again what is as it was.

The input is what it was by its digest, output/ by the digests in each `apportion.lock`, and those by digests kept here.
After a change, the objects of a folder with the same lock need no second judgement by schemas. It is kept in the user's
cache and never in the repository, to which a pull request could bring one of its own making; on another machine, as in
CI, everything is compiled and judged.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from contextlib import suppress
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING

from generator import lock, package
from generator.commands.sound import Sound
from generator.finding import Finding
from generator.freshness import is_as_locked
from generator.frozen import dataclass
from generator.report.kept import read_finding, written_finding

if TYPE_CHECKING:
    from generator.commands.pipeline import Result

_FORM = "2"
Files = Mapping[str, bytes]


@dataclass(frozen=True, slots=True)
class Memory:
    """What is kept: a digest of all that was read, what was sound, the findings, and how many were waived."""

    digest: str
    sound: Sound
    findings: list[Finding]
    waived: int

    def holds(self, root: Path, files: Files, as_of: str | None) -> bool:
        """Tell whether inputs, policies and output/ are what they were then: compiling would find the same."""
        if self.digest != _digest(root, files, as_of):
            return False
        try:
            return is_as_locked(root / "output", self.sound.locks)
        except OSError:
            return False


def recall(root: Path) -> Memory | None:
    """Return what the last compile by this very program found; None: nobody knows."""
    try:
        with open(_file(root), "rb") as kept:  # noqa: PTH123 - pathlib is not worth its price here
            about = json.load(kept)
        if about["program"] != package.fingerprint():
            return None
        sound = Sound(dict(about["locks"]), dict(about["grounds"]))
        return Memory(about["digest"], sound, [read_finding(each) for each in about["findings"]], about["waived"])
    except (OSError, ValueError, KeyError, TypeError):
        return None


def keep(root: Path, files: Files, as_of: str | None, result: Result) -> None:
    """Keep what a compile of all environments found, which has made output/ its tree; do nothing where that fails."""
    locks = {path: lock.digest(text) for path, text in result.tree.items() if path.endswith(lock.NAME)}
    with suppress(OSError):
        about = {
            "program": package.fingerprint(),
            "digest": _digest(root, files, as_of),
            "locks": locks,
            "grounds": dict(result.grounds),
            "findings": [written_finding(finding) for finding in result.findings],
            "waived": result.waived,
        }
        path = _file(root)
        new = f"{path}.{os.getpid()}"
        os.makedirs(os.path.dirname(path), mode=0o700, exist_ok=True)  # noqa: PTH103, PTH120
        with open(new, "w", encoding="utf-8", opener=_private) as file:
            json.dump(about, file)
        os.replace(new, path)  # noqa: PTH105


def _private(path: str, flags: int) -> int:
    return os.open(path, flags | os.O_EXCL, 0o600)


def _file(root: Path) -> str:
    """Return the file of a repository in the user's cache.

    Raises:
        OSError: the user has none.
    """
    cache = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")  # noqa: PTH111
    if not os.path.isabs(cache):  # noqa: PTH117 - "~" where nobody has a home
        raise OSError("no cache")
    return f"{cache}/apportion/{sha256(os.fsencode(os.path.realpath(root))).hexdigest()[:32]}"


def _digest(root: Path, files: Files, as_of: str | None) -> str:
    """Return the digest of all that a compile reads of the repository, and of the day it is for."""
    digest = sha256(f"{_FORM}\0{as_of or ''}\0".encode())
    for path, data in [*files.items(), *_policies(root)]:
        digest.update(f"{path}\0{len(data)}\0".encode())
        digest.update(data)
    return digest.hexdigest()


def _policies(root: Path) -> list[tuple[str, bytes]]:
    """Return the repository's own policies; shipped ones are part of the program."""
    own = os.path.realpath(root / "policies")
    found = []
    if own != os.path.realpath(package.policies()):
        for folder, below, names in os.walk(own):
            below.sort()
            found += [f"{folder}/{name}" for name in sorted(names) if name.endswith((".yaml", ".yml"))]
    return [(path, Path(path).read_bytes()) for path in found]
