"""What a run is at, on the last line of a terminal, once it has taken longer than a second."""

from __future__ import annotations

import time
from collections.abc import Callable
from types import TracebackType
from typing import TextIO

_PATIENCE_S = 1.0
_ERASE = "\r\x1b[K"


class Progress:
    """A line that each step replaces and the end of the `with` block takes away."""

    def __init__(self, stream: TextIO, *, quiet: bool = False, clock: Callable[[], float] = time.monotonic) -> None:
        self._stream, self._clock = stream, clock
        self._begun = clock()
        self._is_wanted = stream.isatty() and not quiet
        self._is_shown = False

    def step(self, text: str) -> None:
        """Say what begins now."""
        if self._is_wanted and self._clock() - self._begun > _PATIENCE_S:
            self._stream.write(f"{_ERASE}{text} ...")
            self._stream.flush()
            self._is_shown = True

    def __enter__(self) -> Progress:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, problem: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._is_shown:
            self._stream.write(_ERASE)
            self._stream.flush()
