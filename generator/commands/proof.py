"""What the last whole compile of a repository found, so that `check` need not compile or judge again what is as it was.

The input is what it was by its digest, output/ by the digests in each `apportion.lock`, and those by digests kept here.
After a change, the objects of a folder with the same lock need no second judgement by schemas. It is kept in the user's
cache and never in the repository, to which a pull request could bring one of its own making; on another machine, as in
CI, everything is compiled and judged.
"""

from __future__ import annotations

import json
import os
import stat
from collections.abc import Mapping
from contextlib import suppress
from hashlib import sha256

from generator import lock, package
from generator.commands.sound import Sound
from generator.finding import Finding
from generator.freshness import is_as_locked
from generator.frozen import dataclass
from generator.report.kept import read_finding, written_finding
from generator.source.text import MAX_SIZE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from pathlib import Path

    from generator.commands.pipeline import Result

_FORM = "3"
_LARGEST = 1 << 26
Files = Mapping[str, bytes]


@dataclass(frozen=True, slots=True)
class Memory:
    """What is kept: the basis of the findings, what was sound, the findings, and how many were waived."""

    program: str
    basis: str
    sound: Sound
    findings: list[Finding]
    waived: int

    def holds(self, root: Path, files: Files, as_of: str | None) -> bool:
        """Tell whether inputs, policies and output/ are what they were then: compiling would find the same."""
        is_same = self.basis == basis(root, files, as_of, self.program)
        return is_same and is_as_locked(root / "output", self.sound.locks)


def basis(root: Path, files: Files, as_of: str | None, program: str | None = None) -> str | None:
    """Return a digest of all that findings come from: inputs, own policies, the day, this program (its fingerprint).

    None: some of it cannot be read.
    """
    digest = sha256(f"{program or package.fingerprint()}\0{as_of or ''}\0".encode())
    try:
        for path, data in [*files.items(), *_policies(root)]:
            digest.update(f"{path}\0{len(data)}\0".encode(errors="surrogateescape"))
            digest.update(data)
    except OSError:
        return None
    return digest.hexdigest()


def recall(root: Path) -> Memory | None:
    """Return what the last compile by this very program found; None: nobody knows."""
    try:
        head, _, body = _read(_file(root)).partition(b"\n")
    except OSError:
        return None
    program = package.fingerprint()
    if head != _head(program, body):
        return None
    about = json.loads(body)
    findings = [read_finding(each) for each in about["findings"]]
    return Memory(program, about["basis"], Sound(about["locks"], about["grounds"]), findings, about["waived"])


def keep(root: Path, files: Files, as_of: str | None, begun: str | None, result: Result) -> None:
    """Keep what a compile of all environments found, which has made output/ its tree; do nothing where that fails.

    `begun` is its basis before anything was compiled: had policies or the program changed since, nobody could tell
    which ones the findings come from.
    """
    if begun is None:
        return
    program = package.fingerprint()
    if basis(root, files, as_of, program) != begun:
        return
    about = {
        "basis": begun,
        "locks": {path: lock.digest(text) for path, text in result.tree.items() if path.endswith(lock.NAME)},
        "grounds": dict(result.grounds),
        "findings": [written_finding(finding) for finding in result.findings],
        "waived": result.waived,
    }
    body = json.dumps(about).encode()
    with suppress(OSError):
        _write(_file(root), _head(program, body) + b"\n" + body)


def _head(program: str, body: bytes) -> bytes:
    return f"{_FORM} {program} {sha256(body).hexdigest()}".encode()


def _read(path: str) -> bytes:
    """Return what is kept: by this user, in a file.

    Raises:
        OSError: nothing is.
    """
    handle = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    with os.fdopen(handle, "rb") as file:
        about = os.fstat(handle)
        if not stat.S_ISREG(about.st_mode) or about.st_uid != os.geteuid() or about.st_size > _LARGEST:
            raise OSError("not kept by this program")
        return file.read(_LARGEST)


def _write(path: str, data: bytes) -> None:
    new = f"{path}.{os.urandom(8).hex()}"
    os.makedirs(os.path.dirname(path), mode=0o700, exist_ok=True)  # noqa: PTH103, PTH120
    try:
        with open(new, "xb", opener=_private) as file:
            file.write(data)
        os.replace(new, path)  # noqa: PTH105
    except OSError:
        with suppress(OSError):
            os.unlink(new)  # noqa: PTH108
        raise


def _private(path: str, flags: int) -> int:
    return os.open(path, flags, 0o600)


def _file(root: Path) -> str:
    """Return the file of a repository in the user's cache.

    Raises:
        OSError: the user has none.
    """
    cache = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")  # noqa: PTH111
    if not os.path.isabs(cache):  # noqa: PTH117 - "~" where nobody has a home
        raise OSError("no cache")
    return f"{cache}/apportion/{sha256(os.fsencode(os.path.realpath(root))).hexdigest()[:32]}"


def _policies(root: Path) -> list[tuple[str, bytes]]:
    """Return the repository's own policies, as a compile reads them; shipped ones are part of the program.

    Raises:
        OSError: one cannot be read.
    """
    own = os.path.realpath(root / "policies")
    found = []
    if own != os.path.realpath(package.policies()):
        for folder, below, names in os.walk(own):
            below.sort()
            paths = (f"{folder}/{name}" for name in sorted(names) if name.endswith((".yaml", ".yml")))
            found += [(path, _policy(path)) for path in paths if os.path.isfile(path)]  # noqa: PTH113
    return found


def _policy(path: str) -> bytes:
    with open(path, "rb") as file:  # noqa: PTH123
        return file.read(MAX_SIZE + 1)
