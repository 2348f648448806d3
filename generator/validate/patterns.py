"""Regular expressions as Go's RE2 reads them, for a JSON Schema engine that reads ECMA 262."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

from generator.pattern import pattern

# what both dialects read alike: literals, classes without [:name:], \d \w \D \W (ASCII in both), anchors, (?:groups)
_PORTABLE = pattern(r"(?:[^\\(\[]|\((?!\?)|\(\?:|\\[dDwWnrtf.\-/+*?()\[\]{}|^$\\]|\[(?!\[?:|\^?\[:))*")


def portable(pattern: str) -> bool:
    """Whether ECMA 262 and RE2 accept the same strings by this pattern."""
    return _PORTABLE.fullmatch(pattern) is not None and "[:" not in pattern


@cache
def re2(pattern: str) -> Callable[[str], bool]:
    """Return the test whether a string contains a match of an RE2 pattern, by RE2 itself.

    Raises:
        ValueError: not an RE2 pattern.
    """
    from generator.validate.cel.engine import CelError, compile_expression

    program = compile_expression("self.matches(oldSelf)")
    try:
        program("", pattern)
    except CelError as error:
        raise ValueError(f"{pattern!r} is not a regular expression of RE2: {error}") from error
    return lambda text: program(text, pattern) is True
