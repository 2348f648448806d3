"""Progress is for people who wait at a terminal."""

import io
from collections.abc import Iterator

import pytest

from generator.commands.progress import Progress


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def ticking(*seconds: float) -> Iterator[float]:
    yield from seconds


@pytest.mark.parametrize(
    ("stream", "quiet", "seconds", "shown"),
    [
        (Terminal(), False, (0, 0.5, 1.0), ""),
        (Terminal(), False, (0, 0.5, 1.01), "\r\x1b[Kprod ...\r\x1b[K"),
        (Terminal(), False, (5, 6.5, 7.5), "\r\x1b[Kdev ...\r\x1b[Kprod ...\r\x1b[K"),
        (Terminal(), True, (0, 5, 9), ""),
        (io.StringIO(), False, (0, 5, 9), ""),
    ],
)
def test_a_line_appears_after_a_second_and_goes_at_the_end(
    stream: io.StringIO, quiet: bool, seconds: tuple[float, ...], shown: str
) -> None:
    with Progress(stream, quiet=quiet, clock=ticking(*seconds).__next__) as progress:
        progress.step("dev")
        progress.step("prod")
    assert stream.getvalue() == shown


def test_an_error_takes_the_line_away_too() -> None:
    stream = Terminal()

    def fail() -> None:
        with Progress(stream, clock=ticking(0, 2).__next__) as progress:
            progress.step("prod")
            raise KeyError

    with pytest.raises(KeyError):
        fail()
    assert stream.getvalue() == "\r\x1b[Kprod ...\r\x1b[K"
