"""Text for people: `file:line:column: error[rule] message`, the remedy and related places below it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from generator.finding import Finding, Severity
from generator.report import counts

_COLOURS = {Severity.ERROR: "1;31", Severity.WARNING: "1;33", Severity.INFO: "1;36"}
_NOUNS = {"errors": "error", "warnings": "warning", "infos": "info"}


def render(findings: Sequence[Finding], more: Mapping[str, int], *, colour: bool = False) -> str:  # noqa: ARG001 - every format's signature
    """Return the findings, one to a few lines each, without a summary."""
    return "".join(f"{line}\n" for finding in findings for line in _lines(finding, colour))


def plain(text: str) -> str:
    """Return text on one line without control and bidirectional characters: no input may drive a terminal."""
    return text if text.isprintable() else "".join(c if c.isprintable() else _escaped(c) for c in text)


def counted(findings: Sequence[Finding]) -> str:
    """Return "2 errors, 1 warning", or "no findings"."""
    named = [(count, _NOUNS[plural]) for plural, count in counts(findings).items() if count]
    return ", ".join(amount(count, noun) for count, noun in named) or "no findings"


def accepted(waived: int) -> str:
    """Return what a last line says of findings that waivers accept: "; 1 finding waived", or nothing."""
    return f"; {amount(waived, 'finding')} waived" if waived else ""


def amount(count: int, noun: str) -> str:
    """Return "1 file" or "2 files"."""
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"


def _lines(finding: Finding, colour: bool) -> Iterator[str]:
    place = f"{plain(str(finding.location))}: " if finding.location else ""
    head = _painted(f"{finding.severity}[{finding.rule}]", _COLOURS[finding.severity], colour)
    yield f"{_painted(place, '1', colour)}{head} {plain(finding.message)}"
    if finding.fix:
        yield f"  {_painted('fix:', '32', colour)} {plain(finding.fix)}"
    for related in finding.related:
        yield f"  {_painted('see:', '2', colour)} {plain(str(related.location))} {plain(related.message)}"


def _painted(text: str, code: str, colour: bool) -> str:
    return f"\x1b[{code}m{text}\x1b[0m" if colour and text else text


def _escaped(character: str) -> str:
    return character.encode("unicode_escape").decode() if character != "\xa0" else " "
