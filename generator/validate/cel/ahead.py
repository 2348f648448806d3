"""CEL expressions compiled ahead of the run, as Python does with its own code: a seventh of the time of compiling them.

`python -m generator.policy.ahead`, which `make compile` runs beside compileall, keeps those that we know in a file
beside the byte code. What is not in it, or is when it was made for other sources, is compiled as it is needed.
"""

from __future__ import annotations

import marshal
import os
from functools import cache
from typing import Any

_HERE = os.path.dirname(__file__)  # noqa: PTH120 - pathlib is not worth its price in what is about a few milliseconds
FILE = f"{_HERE}/__pycache__/expressions"
_MADE_OF = ("engine.py", "library.py", "names.py", "quantities.py", "rewrite.py", "../../policy/cel.py")


def compiled(environment: Any, variables: str, text: str) -> Any:
    """Return the program of an expression in an environment, which `variables` names: "policy" or "rule".

    Raises:
        RuntimeError: it does not compile.
    """
    program = kept(variables).get(text)
    if program is not None:
        try:
            return environment.deserialize(program)
        except RuntimeError:
            pass  # whatever is wrong with the file, compiling is right
    return environment.compile(text)


def kept(name: str) -> dict[str, Any]:
    """Return what is kept under a name; nothing where it was made for other sources."""
    return _all().get(name, {})


def keep(everything: dict[str, dict[str, Any]]) -> None:
    """Write plain data by name: serialized programs by the name of their variables and by their text, and more."""
    os.makedirs(os.path.dirname(FILE), exist_ok=True)  # noqa: PTH103, PTH120 - as above
    new = f"{FILE}.{os.getpid()}"
    with open(new, "wb") as file:  # noqa: PTH123 - as above
        marshal.dump((_made_for(), everything), file)
    os.replace(new, FILE)  # noqa: PTH105 - as above


@cache
def _all() -> dict[str, dict[str, Any]]:
    try:
        with open(FILE, "rb") as file:  # noqa: PTH123 - as above
            made_for, everything = marshal.load(file)  # noqa: S302 - our own, beside the byte code
    except (OSError, EOFError, ValueError, TypeError):
        return {}
    return everything if made_for == _made_for() else {}


def _made_for() -> list[int]:
    """Times and sizes of all that decides what a program means: our functions, and the runtime."""
    from cel_expr_python import cel

    found = [os.stat(f"{_HERE}/{name}") for name in _MADE_OF] + [os.stat(cel.__file__)]  # noqa: PTH116 - as above
    return [number for each in found for number in (each.st_mtime_ns, each.st_size)]
