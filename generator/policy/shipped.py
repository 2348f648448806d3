"""The policies that ship with Apportion: inside the installed package, or policies/ of the checkout."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path

from generator.finding import FatalError, Finding
from generator.policy.load import FOLDER, load
from generator.policy.model import Policy

_PACKAGE = Path(__file__).parents[1]
_LARGEST = 1 << 20  # bytes of one file


def policies(root: Path | None, *, thorough: bool = False) -> tuple[dict[str, Policy], list[Finding]]:
    """Return the shipped policies with those of a repository, which replace shipped ones of their id, and defects.

    `thorough`: shipped ones are checked too, and have their examples. One of the repository always is.

    Raises:
        FatalError: a file of the repository cannot be read.
    """
    place = _shipped()
    found, findings = load(read(place), thorough=thorough)
    own = root / FOLDER if root is not None else None
    if own is None or not own.is_dir() or own.resolve() == place.resolve():
        return found, findings
    added, problems = load(read(own))
    return dict(sorted((found | added).items())), findings + problems


def read(folder: Path) -> dict[str, bytes]:
    """Return the YAML files of a folder and of its folders, by path from the folder that holds it.

    Raises:
        FatalError: one cannot be read.
    """
    files: Mapping[str, Path] = {
        f"{FOLDER}/{path.relative_to(folder).as_posix()}": path
        for path in sorted(folder.rglob("*"))
        if path.suffix in (".yaml", ".yml") and path.is_file()
    }
    try:
        return {name: path.open("rb").read(_LARGEST) for name, path in files.items()}
    except OSError as problem:
        message = f"cannot read {os.fspath(problem.filename or folder)}: {problem.strerror}"
        raise FatalError(message, "make it readable, or move it away") from None


def _shipped() -> Path:
    installed = _PACKAGE / "_policies"
    return installed if installed.is_dir() else _PACKAGE.parent / FOLDER
