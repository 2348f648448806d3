"""JSON as kubectl takes it: objects one after the other, and characters beyond U+FFFF as two escapes.

Source: kubectl 1.37, measured; k8s.io/apimachinery pkg/util/yaml/decoder.go, NewYAMLOrJSONDecoder. What begins with a
brace and is no JSON is YAML to it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from json import JSONDecoder

from generator.finding import Finding, Location
from generator.frozen import replace
from generator.pattern import pattern
from generator.source.nodes import Document, Place, moved
from generator.source.reader import MAX_FINDINGS, read

_SPACE = pattern(r"[ \t\r\n]*")
_ESCAPE = pattern(r"\\(?:u([dD][89abAB][0-9a-fA-F]{2})\\u([dD][c-fC-F][0-9a-fA-F]{2})|u[dD][89a-fA-F][0-9a-fA-F]{2}|.)")


def read_json(text: str, file: str) -> tuple[list[Document], list[Finding]] | None:
    """Return documents and defects of a text that is JSON values and nothing else; None where it is not."""
    documents: list[Document] = []
    findings: list[Finding] = []
    try:
        values = list(_values(text))
    except (ValueError, RecursionError):
        return None
    line, before = 0, 0
    for start, end in values:
        line += text.count("\n", before, start)
        before = start
        found, wrong = read(_ESCAPE.sub(_character, text[start:end]), file, kubernetes=True)
        place = _from(line, start - text.rfind("\n", 0, start) - 1)
        documents += [_moved(document, place) for document in found]
        findings += [_told(finding, place) for finding in wrong]
        if len(findings) >= MAX_FINDINGS:
            break
    return documents, findings


def _values(text: str) -> Iterator[tuple[int, int]]:
    """Yield where each value begins and ends.

    Raises:
        ValueError: no JSON.
    """
    scan, end = JSONDecoder().raw_decode, _end_of_space(text, 0)
    while end < len(text):
        start = end
        _, end = scan(text, start)
        yield start, end
        end = _end_of_space(text, end)


def _end_of_space(text: str, start: int) -> int:
    found = _SPACE.match(text, start)
    return found.end() if found else start


def _character(escape: re.Match[str]) -> str:
    """Return two escapes as the one that YAML has; of one alone Go makes U+FFFD."""
    if escape[1]:
        return f"\\U{0x10000 + ((int(escape[1], 16) & 0x3FF) << 10) + (int(escape[2], 16) & 0x3FF):08x}"
    return r"\ufffd" if len(escape[0]) > 2 else escape[0]


def _from(line: int, column: int) -> Callable[[Place], Place]:
    return lambda place: (place[0] + line, place[1] + (column if place[0] == 1 else 0))


def _moved(document: Document, place: Callable[[Place], Place]) -> Document:
    moved(document.root, place)
    line, column = place((document.line, document.column))
    return replace(document, line=line, column=column)


def _told(finding: Finding, place: Callable[[Place], Place]) -> Finding:
    """Return a finding where it stands in the whole text."""
    related = tuple(replace(each, location=_at(each.location, place)) for each in finding.related)
    return replace(finding, location=finding.location and _at(finding.location, place), related=related)


def _at(location: Location, place: Callable[[Place], Place]) -> Location:
    return Location(location.file, *place((location.line, location.column))) if location.line else location
