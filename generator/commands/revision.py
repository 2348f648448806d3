"""`environments/` as a commit of Git has it, read without touching the working tree, the index or the network."""

from __future__ import annotations

import os
import posixpath
import subprocess
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from generator.commands.read import is_input
from generator.environment.load import FOLDER
from generator.finding import FatalError
from generator.frozen import dataclass
from generator.source.text import MAX_SIZE

SECONDS = 120
# What a hook of Git sets says where its own repository is, and ours is found from the folder alone.
_OF_A_REPOSITORY = frozenset(
    f"GIT_{name}"
    for name in (
        "ALTERNATE_OBJECT_DIRECTORIES",
        "COMMON_DIR",
        "DIR",
        "GRAFT_FILE",
        "INDEX_FILE",
        "NAMESPACE",
        "OBJECT_DIRECTORY",
        "PREFIX",
        "REPLACE_REF_BASE",
        "SHALLOW_FILE",
        "WORK_TREE",
    )
)
# A partial clone would fetch what it lacks: no protocol is allowed.
_ALWAYS = {"LC_ALL": "C", "GIT_OPTIONAL_LOCKS": "0", "GIT_ALLOW_PROTOCOL": "none", "GIT_TERMINAL_PROMPT": "0"}
_LINK, _SUBMODULE = "120000", "160000"


@dataclass(frozen=True, slots=True)
class Revision:
    """The input files of a commit, by path from the root; `unread` are links, submodules and odd names beside them."""

    files: dict[str, bytes]
    unread: tuple[str, ...]


class _Entry(NamedTuple):
    mode: str
    identity: str
    path: str


def read(root: Path, reference: str) -> Revision:
    """Return the inputs as of a branch, tag or commit; a link within the repository is followed.

    Raises:
        FatalError: there is no Git or no repository, or it has no such commit, or not all of its files.
    """
    git = _Git(root)
    commit = git.commit(reference)
    found = [entry for entry in git.entries(commit) if _is_wanted(entry)]
    entries = [git.target(commit, entry) if entry.mode == _LINK else entry for entry in found]
    wanted = [entry for entry in entries if entry is not None and entry.mode != _SUBMODULE and _is_text(entry.path)]
    contents = git.contents([entry.identity for entry in wanted])
    files = {entry.path: data[: MAX_SIZE + 1] for entry, data in zip(wanted, contents, strict=True)}
    unread = (entry.path for entry in found if entry.path not in files)
    return Revision(dict(sorted(files.items())), tuple(sorted(map(_shown, unread))))


def _is_wanted(entry: _Entry) -> bool:
    """Tell whether the working tree would yield this, too; a submodule or a link may stand for a whole folder."""
    if any(part.startswith(".") for part in entry.path.split("/")):
        return False
    return is_input(entry.path) or entry.mode == _SUBMODULE or entry.path == FOLDER


def _is_text(path: str) -> bool:
    return _shown(path) == path


def _shown(path: str) -> str:
    """Return a path with what is no UTF-8 in it escaped."""
    return path.encode(errors="surrogateescape").decode(errors="backslashreplace")


class _Git:
    """Plumbing of Git only: it runs no hook, filter, pager or alias, whatever the repository's configuration says."""

    def __init__(self, root: Path) -> None:
        self._command = ["git", "-C", os.fspath(root)]
        outside = {key: value for key, value in os.environ.items() if key not in _OF_A_REPOSITORY}
        self._environment = outside | _ALWAYS
        done = self._run("rev-parse", "--show-prefix")
        if done.returncode:
            raise FatalError(
                f"cannot compare {root} with a revision: {_said(done)}",
                "run plan in a clone of the repository, which its owner may read",
            )
        self._prefix = os.fsdecode(done.stdout).removesuffix("\n")

    def commit(self, reference: str) -> str:
        """Return the id of the commit that a reference leads to."""
        name = reference
        for suffix in ("", "^{commit}"):  # two steps, for what stands behind :/text belongs to the text
            done = self._run("rev-parse", "--verify", "--quiet", "--end-of-options", f"{name}{suffix}")
            if done.returncode:
                raise FatalError(f"{reference!r} is no revision of this repository", self._remedy(reference))
            name = done.stdout.decode("ascii").strip()
        return name

    def _remedy(self, reference: str) -> str:
        if self._run("rev-parse", "--is-shallow-repository").stdout.strip() == b"true":
            return "this clone is shallow and may lack it: git fetch --unshallow, or fetch-depth: 0 in CI"
        if reference == "HEAD":
            return "nothing was committed yet: commit first, or name a revision with --against"
        return "name a branch, tag or commit; git fetch brings those of the remote"

    def entries(self, commit: str) -> Iterator[_Entry]:
        """Yield all that a commit has in `environments/`; a path is from the root."""
        listed = self._output("ls-tree", "-r", "-z", commit, "--", FOLDER)
        for line in filter(None, listed.split(b"\0")):
            about, _, path = line.partition(b"\t")
            mode, _, identity = about.decode("ascii").split(" ")
            yield _Entry(mode, identity, path.decode(errors="surrogateescape"))

    def target(self, commit: str, link: _Entry) -> _Entry | None:
        """Return the file that a link leads to, in one step and within the root, under the name of the link."""
        (text,) = self.contents([link.identity])
        target = posixpath.normpath(posixpath.join(posixpath.dirname(link.path), os.fsdecode(text)))
        if target.startswith(("/", "../")) or target in (".", "..") or "\0" in target:
            return None
        listed = self._output("ls-tree", "-z", "--full-tree", commit, "--", f"{self._prefix}{target}")
        mode, kind, identity = (*listed.partition(b"\t")[0].decode("ascii").split(" "), "", "", "")[:3]
        return _Entry(mode, identity, link.path) if kind == "blob" and mode != _LINK else None

    def contents(self, identities: Sequence[str]) -> list[bytes]:
        """Return the contents of blobs."""
        answer = self._output("cat-file", "--batch", given="".join(f"{name}\n" for name in identities).encode())
        found = []
        start = 0
        for identity in identities:
            end = answer.index(b"\n", start)
            words = answer[start:end].split(b" ")
            if words[-1] == b"missing":
                raise FatalError(
                    f"this clone lacks a file of the revision ({identity})",
                    "it is a partial clone: check the revision out once, or clone without --filter",
                )
            size = int(words[2])
            found.append(answer[end + 1 : end + 1 + size])
            start = end + size + 2
        return found

    def _output(self, *arguments: str, given: bytes = b"") -> bytes:
        done = self._run(*arguments, given=given)
        if done.returncode:
            raise FatalError(
                f"git {arguments[0]} failed: {_said(done)}", "see whether git fsck finds fault with the clone"
            )
        return done.stdout

    def _run(self, *arguments: str, given: bytes = b"") -> subprocess.CompletedProcess[bytes]:
        try:
            return subprocess.run(  # noqa: S603 - a fixed program, and no shell
                [*self._command, *arguments],
                input=given,
                capture_output=True,
                timeout=SECONDS,
                check=False,
                env=self._environment,
            )
        except OSError as problem:
            raise FatalError(
                f"git, which reads the revision, cannot be run: {problem.strerror}", "install it"
            ) from None
        except subprocess.TimeoutExpired:
            raise FatalError(
                f"git {arguments[0]} did not end within {SECONDS} s", "run it by hand to see why"
            ) from None


def _said(done: subprocess.CompletedProcess[bytes]) -> str:
    lines = done.stderr.decode(errors="replace").strip().splitlines()
    return lines[0].removeprefix("fatal: ") if lines else f"exit status {done.returncode}"
