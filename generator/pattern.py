"""Regular expressions that are compiled when they are first used: up to 2 ms each, of which a run needs a third."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import re as _re

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
