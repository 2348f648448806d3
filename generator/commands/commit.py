"""What a commit is about to change and lacks, as the index of Git says: for hooks.

pre-commit passes the names of changed files, but of deleted ones none, and files that Git does not know stay in place:
a check would read them, and the commit would be made without them.
"""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterable, Sequence
from pathlib import Path

from generator.commands.read import is_input
from generator.environment.load import FOLDER
from generator.finding import FatalError, Finding, Layer, Location, error
from generator.report.text import amount, plain

INPUTS, OUTPUT = (FOLDER, "policies"), "output"
SECONDS = 60
_NAMED = 3
# Git's hooks name a repository from the folder that they run in; ours is found from the root. GIT_INDEX_FILE stays: of
# `git commit -a` and `git commit FILE` it is an index of their own.
_NOT_OURS = ("GIT_DIR", "GIT_WORK_TREE", "GIT_PREFIX")
_ALWAYS = {"LC_ALL": "C", "GIT_OPTIONAL_LOCKS": "0", "GIT_ALLOW_PROTOCOL": "none", "GIT_TERMINAL_PROMPT": "0"}


def changed(root: Path, names: Iterable[str]) -> list[str]:
    """Return the paths from the root of inputs and output among the files named, and of those that Git has deleted.

    A folder named stands for what is in it.

    Raises:
        FatalError: Git cannot tell what is deleted.
    """
    base = os.path.realpath(root)
    paths = (os.path.join(os.path.realpath(os.path.dirname(name)), os.path.basename(name)) for name in names)  # noqa: PTH118, PTH119, PTH120 - any name, also of a file that is gone
    given = [os.path.relpath(path, base) for path in paths]
    folders = {path for path in given if path.split("/")[0] in (*INPUTS, OUTPUT) and (root / path).is_dir()}
    return sorted(folders.union(path for path in (*given, *_deleted(root)) if _concerns(path)))


def unknown(root: Path, *folders: str) -> list[str]:
    """Return the paths from the root of files that Git does not know, or ignores, and a compile reads or writes.

    Raises:
        FatalError: Git cannot tell.
    """
    listed = _git(root, "ls-files", "--others", "-z", "--", *folders)
    return sorted(path for path in _names(listed) if _concerns(path))


def left_out(paths: Sequence[str]) -> list[Finding]:
    """Return one finding for inputs or output that the commit lacks: it would be judged with them."""
    if not paths:
        return []
    is_output = paths[0].startswith(f"{OUTPUT}/")
    named = ", ".join(paths[:_NAMED]) + (", …" if len(paths) > _NAMED else "")
    message = f"{amount(len(paths), 'file')} would be missing from the commit, for Git does not know of it: {named}"
    what = OUTPUT if is_output else "what belongs to it, and move away what does not"
    fix = f"git add {what}; --force where Git ignores it"
    rule = "output-untracked" if is_output else "input-untracked"
    return [error(rule, plain(message), Location(plain(paths[0])), fix, layer=Layer.OUTPUT)]


def _concerns(path: str) -> bool:
    folder, _, rest = path.partition("/")
    if folder == OUTPUT:
        return bool(rest)
    return folder in INPUTS and is_input(path) and not any(part.startswith(".") for part in rest.split("/"))


def _deleted(root: Path) -> list[str]:
    """Return what is deleted, or renamed, since HEAD, or between the revisions that pre-commit was told to compare."""
    head = _git(root, "rev-parse", "--verify", "--quiet", "HEAD")  # outside of a repository diff does something else
    if head.returncode == 1:
        return []  # the first commit
    _names(head)
    diff = ("diff", "--name-only", "--no-renames", "--diff-filter=D", "--relative", "--no-ext-diff", "-z")
    start, end = (os.environ.get(f"PRE_COMMIT_{which}_REF", "") for which in ("FROM", "TO"))
    if not (start and end):
        return _names(_git(root, *diff, "--cached", "HEAD", "--"))
    done = _git(root, *diff, f"{start}...{end}", "--")
    if done.returncode:  # they have no commit in common
        done = _git(root, *diff, start, end, "--")
    return _names(done)


def _names(done: subprocess.CompletedProcess[bytes]) -> list[str]:
    if done.returncode:
        said = done.stderr.decode(errors="replace").strip().partition("\n")[0].removeprefix("fatal: ")
        raise FatalError(
            f"Git cannot say what the commit holds: {said}",
            "run it in a clone of the repository, which you may read, or check without --changed",
        )
    return [os.fsdecode(name) for name in done.stdout.split(b"\0") if name]


def _git(root: Path, *arguments: str) -> subprocess.CompletedProcess[bytes]:
    try:
        return subprocess.run(  # noqa: S603 - a fixed program, and no shell
            ["git", "-C", os.fspath(root), *arguments],  # noqa: S607 - the one that runs the hook
            capture_output=True,
            timeout=SECONDS,
            check=False,
            env={key: value for key, value in os.environ.items() if key not in _NOT_OURS} | _ALWAYS,
        )
    except OSError as problem:
        raise FatalError(f"git, which knows the commit, cannot be run: {problem.strerror}", "install it") from None
    except subprocess.TimeoutExpired:
        raise FatalError(f"git {arguments[0]} did not end within {SECONDS} s", "run it by hand to see why") from None
