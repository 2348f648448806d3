"""Files that are written beside what a command prints: reports of its findings, and a page of Markdown for a forge."""

from __future__ import annotations

from argparse import ArgumentTypeError
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from generator.finding import FatalError, Finding
from generator.report import FORMATS, render

MOST_OF_A_COMMENT = 60_000
"""Bytes: a comment on GitHub may have 65,536 characters, and in base64 a variable of Linux 131,072 bytes."""
MOST_OF_A_SUMMARY = 900_000
"""Bytes: the summary of a step on GitHub may have 1 MiB."""
_TEMPLATES = Path(__file__).parent.parent / "templates" / "pages"


def report(text: str) -> tuple[str, str]:
    """Return format and file of `--report`."""
    name, _, file = text.partition("=")
    if name not in FORMATS or not file:
        raise ArgumentTypeError(f"{text!r} is not FORMAT=FILE with a format of {', '.join(FORMATS)}")
    return name, file


def write_reports(
    files: Iterable[tuple[str, str]], findings: Sequence[Finding], more: Mapping[str, int] | None = None
) -> None:
    """Write the findings to files, given as format and file, whatever the exit status will be.

    Raises:
        FatalError: one cannot be written.
    """
    for name, file in files:
        _write(file, render(name, findings, more))


def write_page(file: str, name: str, most: int, **values: Any) -> None:
    """Write a page of Markdown with at most so many bytes.

    Raises:
        FatalError: it cannot be written.
    """
    import jinja2

    from generator.report.page import code, cut

    templates = jinja2.Environment(
        loader=jinja2.FileSystemLoader(_TEMPLATES),
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        keep_trailing_newline=True,
        autoescape=False,  # noqa: S701 - Markdown: `code` makes words of inputs harmless, HTML's escapes would show
    )
    templates.filters["code"] = code
    _write(file, cut(templates.get_template(f"{name}.md.j2").render(values), most))


def write_nothing(file: str) -> None:
    """Write an empty page: there is nothing to tell.

    Raises:
        FatalError: it cannot be written.
    """
    _write(file, "")


def _write(file: str, text: str) -> None:
    try:
        with Path(file).open("w", encoding="utf-8", errors="backslashreplace", newline="\n") as target:
            target.write(text)
    except (OSError, ValueError) as problem:
        why = problem.strerror if isinstance(problem, OSError) else "the name is no path"
        raise FatalError(f"cannot write {file}: {why}", "name a file in a folder that is there") from None
