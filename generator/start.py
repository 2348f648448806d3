"""The first lines of the program: what is kept of regular expressions is there before a library compiles its own."""

from __future__ import annotations

from generator.pattern import recall


def entry() -> None:
    """Run the command line of this process and end it with the exit status."""
    recall()
    from generator import cli

    cli.entry()
