"""Plain data that is made once a release and kept beside the byte code: facts, policies, compiled expressions.

`python -m generator.policy.ahead`, which `make compile` runs beside compileall, writes it. Whoever reads it compares
the stamp of what it was made of; what is not there, or of other sources, is made as it is needed.
"""

from __future__ import annotations

import marshal
import os
from functools import cache
from typing import Any

PACKAGE = os.path.dirname(__file__)  # noqa: PTH120 - pathlib is not worth its price in what is about a few milliseconds
FILE = f"{PACKAGE}/__pycache__/kept"


def kept(name: str) -> dict[str, Any]:
    """Return what is kept under a name; nothing where nothing is."""
    found: dict[str, Any] = _all().get(name, {})
    return found


def keep(everything: dict[str, dict[str, Any]]) -> None:
    """Write plain data by name."""
    os.makedirs(os.path.dirname(FILE), exist_ok=True)  # noqa: PTH103, PTH120 - as above
    new = f"{FILE}.{os.getpid()}"
    with open(new, "wb") as file:  # noqa: PTH123 - as above
        marshal.dump(everything, file)
    os.replace(new, FILE)  # noqa: PTH105 - as above


def stamp(path: str) -> tuple[int, int]:
    """Return time and size of a file.

    Raises:
        OSError: there is none.
    """
    found = os.stat(path)  # noqa: PTH116 - as above
    return found.st_mtime_ns, found.st_size


@cache
def _all() -> dict[str, dict[str, Any]]:
    try:
        with open(FILE, "rb") as file:  # noqa: PTH123 - as above
            found = marshal.load(file)  # noqa: S302 - our own, beside the byte code
    except (OSError, EOFError, ValueError, TypeError):
        return {}
    return found if isinstance(found, dict) else {}
