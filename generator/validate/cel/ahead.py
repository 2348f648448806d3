"""CEL expressions compiled ahead of the run, as Python does with its own code: in a seventh of the time."""

from __future__ import annotations

from functools import cache
from typing import Any

from generator.kept import PACKAGE, kept, stamp

_MADE_OF = ("engine.py", "library.py", "names.py", "quantities.py", "rewrite.py", "../../policy/cel.py")


def compiled(environment: Any, variables: str, text: str) -> Any:
    """Return the program of an expression in an environment, which `variables` names: "policy" or "rule".

    Raises:
        RuntimeError: it does not compile.
    """
    program = _programs().get(variables, {}).get(text)
    if program is not None:
        try:
            return environment.deserialize(program)
        except RuntimeError:
            pass  # whatever is wrong with it, compiling is right
    return environment.compile(text)


def made_for() -> list[tuple[int, int]]:
    """Return the stamps of all that decides what a program means: our functions, and the runtime."""
    from cel_expr_python import cel

    return [stamp(f"{PACKAGE}/validate/cel/{name}") for name in _MADE_OF] + [stamp(cel.__file__)]


@cache
def _programs() -> dict[str, dict[str, bytes]]:
    found = kept("programs")
    return found if found.get("made_for") == made_for() else {}
