"""Regular expressions as Go's RE2 reads them, for a JSON Schema engine that reads ECMA 262."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache

from generator.pattern import pattern

# what both dialects read alike: literals, classes without [:name:], \d \w \D \W (ASCII in both), anchors, (?:groups)
_ESCAPE = r"\\[dDwWnrtf.\-/+*?()\[\]{}|^$\\]"
# the engine takes && -- ~~ in a class for set operations, which they are in neither dialect
_IN_CLASS = rf"(?:(?!&&|--|~~)[^\\\[\]]|{_ESCAPE})"
_CLASS = rf"\[(?:\^(?=.))?(?!\^){_IN_CLASS}+\]"
_PORTABLE = pattern(rf"(?:[^\\(\[\]{{}}]|\((?!\?)|\(\?:|{_ESCAPE}|{_CLASS}|\{{\d{{1,3}}(?:,\d{{0,3}})?\}})*")
# Go has no \C, by which RE2 means a byte
_ONE_BYTE = pattern(r"(?:[^\\]|\\[^C])*\\C.*", re.DOTALL)


def portable(pattern: str) -> bool:
    """Whether ECMA 262 and RE2 accept the same strings by this pattern."""
    return _PORTABLE.fullmatch(pattern) is not None


@cache
def re2(pattern: str) -> Callable[[str], bool]:
    """Return the test whether a string contains a match of an RE2 pattern, by RE2 itself.

    Raises:
        ValueError: not an RE2 pattern.
    """
    from generator.validate.cel.engine import CelError, compile_expression

    if _ONE_BYTE.fullmatch(pattern):
        raise ValueError(f"{pattern!r} is not a regular expression of Go: it has no \\C")
    program = compile_expression("self.matches(oldSelf)")
    try:
        program("", pattern)
    except CelError as error:
        raise ValueError(f"{pattern!r} is not a regular expression of RE2: {error}") from error
    return lambda text: program(text, pattern) is True
