"""Regular expressions that are compiled when they are first used, or were ahead of all runs: up to 2 ms each.

A run needs ninety, those of libraries among them: a tenth of its time. Python's compiler of them is written in Python
and cannot keep what it made, as it does with byte code; so `codes` takes what it hands to the matching engine, and
`recall` hands the engine the same again. Both use what `re` has for itself: where that is not as they know it, nothing
is kept, or nothing recalled, and expressions are compiled as ever.
"""

from __future__ import annotations

import re

from generator.kept import kept

TYPE_CHECKING = False  # importing it from typing would cost a tenth of the start
if TYPE_CHECKING:
    import re as _re
    from typing import Any

    pattern = _re.compile
else:

    class pattern:  # noqa: N801 - to type checkers it is the function re.compile
        """What `re.compile` returns, as far as it is used here; what is wrong with a text is raised at first use."""

        __slots__ = ("_flags", "_text", "findall", "finditer", "fullmatch", "match", "search", "split", "sub")

        def __init__(self, text: str, flags: int = 0) -> None:
            self._text, self._flags = text, flags

        def __getattr__(self, name: str) -> Any:
            """Compile, once: from then on each method is found before this one is asked."""
            compiled = re.compile(self._text, self._flags)
            for method in self.__slots__[2:]:
                setattr(self, method, getattr(compiled, method))
            return getattr(compiled, name)


def recall() -> None:
    """Put what is kept into the cache of `re`, for this program and all libraries that it imports."""
    own: Any = re
    try:
        compiled = {
            (str, text, flags): own._compiler._sre.compile(*code) for text, flags, code in kept("patterns")["codes"]
        }
        own._cache.update(compiled)
    except (LookupError, AttributeError, TypeError, ValueError, RuntimeError, OverflowError):
        return


def codes() -> list[tuple[str, int, tuple[Any, ...]]]:
    """Return text, flags, and what the engine is given, of all that this process has compiled so far."""
    own: Any = re
    compiler = own._compiler
    engine, recorder = compiler._sre, _Recorder(compiler._sre)
    compiler._sre = recorder
    try:
        for kind, text, flags in list(own._cache):
            if kind is str:
                compiler.compile(text, flags)
                recorder.keep(text, flags)
    finally:
        compiler._sre = engine
    return recorder.codes


class _Recorder:
    """The matching engine, noting what it is given."""

    def __init__(self, engine: Any) -> None:
        self._engine = engine
        self._last: tuple[Any, ...] = ()
        self.codes: list[tuple[str, int, tuple[Any, ...]]] = []

    def __getattr__(self, name: str) -> Any:
        return getattr(self._engine, name)

    def compile(self, *given: Any) -> Any:
        self._last = given
        return self._engine.compile(*given)

    def keep(self, text: str, flags: int) -> None:
        plain = (list(map(int, part)) if isinstance(part, list) else part for part in self._last)
        self.codes.append((text, flags, tuple(int(part) if isinstance(part, int) else part for part in plain)))
