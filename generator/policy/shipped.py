"""The policies that ship with Apportion: inside the installed package, or policies/ of the checkout.

What reads policies is imported where some are to be read: those that ship are kept beside the byte code.
"""

from __future__ import annotations

import os
from pathlib import Path

from generator import package
from generator.finding import FatalError, Finding
from generator.policy.model import FOLDER, Policy
from generator.policy.rows import recall
from generator.source.text import MAX_SIZE

_SUFFIXES = (".yaml", ".yml")


def policies(root: Path | None, *, thorough: bool = False) -> tuple[dict[str, Policy], list[Finding]]:
    """Return the shipped policies with those of a repository, which replace shipped ones of their id, and defects.

    `thorough`: shipped ones are checked too, and have their examples. One of the repository always is.

    Raises:
        FatalError: a file of the repository cannot be read.
    """
    place = Path(package.policies())
    found, findings = _found(place, thorough)
    own = root / FOLDER if root is not None else None
    if own is None or not own.is_dir() or own.resolve() == place.resolve():
        return found, findings
    from generator.policy.load import load

    added, problems = load(read(own))
    return dict(sorted((found | added).items())), findings + problems


def _found(place: Path, thorough: bool) -> tuple[dict[str, Policy], list[Finding]]:
    kept = None if thorough else recall(str(place))
    if kept is not None:
        return kept, []
    from generator.policy.load import load

    return load(read(place), thorough=thorough)


def read(folder: Path) -> dict[str, bytes]:
    """Return the YAML files of a folder and of its folders, by path from the folder that holds it.

    A file beyond the limit on its size is cut one byte after it: whoever parses it says so.

    Raises:
        FatalError: one cannot be read, or is a link to a place outside of the folder.
    """
    inside = os.path.realpath(folder)
    files = {}
    for place, _, names in os.walk(folder, onerror=_cannot_read):
        for name in names:
            path = os.path.join(place, name)  # noqa: PTH118 - a Path for each of a hundred files costs 5 ms of each start
            if name.endswith(_SUFFIXES) and os.path.isfile(path):  # noqa: PTH113 - as above
                shown = FOLDER + path.removeprefix(os.fspath(folder)).replace(os.sep, "/")
                if os.path.islink(path) and not os.path.realpath(path).startswith(inside + os.sep):  # noqa: PTH114
                    fix = "make it a file of the repository"
                    raise FatalError(f"{shown} is a link to a place outside of {FOLDER}/", fix)
                files[shown] = _bytes(path, shown)
    return files


def _bytes(path: str, shown: str) -> bytes:
    try:
        with open(path, "rb") as file:  # noqa: PTH123 - as above
            return file.read(MAX_SIZE + 1)
    except OSError as problem:
        raise FatalError(f"cannot read {shown}: {problem.strerror}", "make it readable, or move it away") from None


def _cannot_read(problem: OSError) -> None:
    fix = "make it readable, or move it away"
    raise FatalError(f"cannot read {problem.filename}: {problem.strerror}", fix) from None
