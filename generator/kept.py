"""What is made once and kept beside the byte code: facts, policies, compiled expressions and constructors.

`python -m generator.ahead`, which `make compile` runs beside compileall, writes it. Whoever reads it compares what it
was made of; what is not there, or of other sources, is made as it is needed. Some of it is byte code, so that all of it
is for one build of Python, as `__pycache__` is.
"""

from __future__ import annotations

import marshal
import os
import sys
from functools import cache

TYPE_CHECKING = False  # importing it from typing would cost a tenth of the start
if TYPE_CHECKING:
    from typing import Any

PACKAGE = os.path.dirname(__file__)  # noqa: PTH120 - pathlib is not worth its price in what is about a few milliseconds
FOLDER = f"{PACKAGE}/__pycache__"


@cache
def kept(name: str) -> dict[str, Any]:
    """Return what is kept under a name; nothing where nothing is, or it is another Python's."""
    try:
        with open(f"{FOLDER}/kept.{name}", "rb") as file:  # noqa: PTH123 - as above
            python, found = loaded(file.read())
    except (OSError, EOFError, ValueError, TypeError):
        return {}
    return found if python == sys.version and isinstance(found, dict) else {}


def keep(name: str, data: dict[str, Any]) -> None:
    """Write data that `marshal` can write."""
    os.makedirs(FOLDER, exist_ok=True)  # noqa: PTH103 - as above
    new = f"{FOLDER}/kept.{name}.{os.getpid()}"
    with open(new, "wb") as file:  # noqa: PTH123 - as above
        file.write(dumped((sys.version, data)))
    os.replace(new, f"{FOLDER}/kept.{name}")  # noqa: PTH105 - as above


def dumped(data: Any) -> bytes:
    """Return data as bytes: such as of a part that few of the runs need, so that the others need not make it."""
    return marshal.dumps(data)


def loaded(data: bytes) -> Any:
    """Return the data that `dumped` was given.

    Raises:
        EOFError, ValueError, TypeError: these are not its bytes.
    """
    return marshal.loads(data)  # noqa: S302 - our own, beside the byte code


def stamp(path: str) -> tuple[int, int]:
    """Return time and size of a file.

    Raises:
        OSError: there is none.
    """
    found = os.stat(path)  # noqa: PTH116 - as above
    return found.st_mtime_ns, found.st_size
