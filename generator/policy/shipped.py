"""The policies that ship with Apportion: inside the installed package, or policies/ of the checkout."""

from __future__ import annotations

from pathlib import Path

from generator.finding import FatalError, Finding
from generator.policy.load import FOLDER, load
from generator.policy.model import Policy
from generator.source.text import MAX_SIZE

_PACKAGE = Path(__file__).parents[1]


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

    A file beyond the limit on its size is cut one byte after it: whoever parses it says so.

    Raises:
        FatalError: one cannot be read, or is a link to a place outside of the folder.
    """
    inside = folder.resolve()
    files = {}
    for path in sorted(folder.rglob("*")):
        if path.suffix not in (".yaml", ".yml") or not path.is_file():
            continue
        name = f"{FOLDER}/{path.relative_to(folder).as_posix()}"
        if not path.resolve().is_relative_to(inside):
            raise FatalError(f"{name} is a link to a place outside of {FOLDER}/", "make it a file of the repository")
        try:
            with path.open("rb") as file:
                files[name] = file.read(MAX_SIZE + 1)
        except OSError as problem:
            raise FatalError(f"cannot read {name}: {problem.strerror}", "make it readable, or move it away") from None
    return files


def _shipped() -> Path:
    installed = _PACKAGE / "_policies"
    return installed if installed.is_dir() else _PACKAGE.parent / FOLDER
