"""What libyaml (or PyYAML, where it is missing) objects to, in words that help."""

from __future__ import annotations

import re
from typing import TypeAlias

import yaml

from generator.finding import Finding, Location, Related, error
from generator.pattern import pattern

Mark: TypeAlias = "yaml.error.Mark | yaml._yaml.Mark"

MAX_DEPTH = 64
TOO_DEEP = f"values are nested more than {MAX_DEPTH} deep"

_SPACELESS = pattern(r"""^\s*(?:- +)*[\w./-]+:[^\s/]""")
_CONFLICT = pattern(r"^<{7} .*$", re.MULTILINE)
_TAB = "a tab stands where only spaces may indent"
_USE_SPACES = "replace the tab by spaces"

# Part of the problem as libyaml and PyYAML word it -> rule, our words, the remedy.
_PROBLEMS: dict[str, tuple[str, str, str]] = {
    "tab character": ("yaml-syntax", _TAB, _USE_SPACES),
    "unexpected end of stream": ("yaml-syntax", "the quote that opens here is never closed", "close it"),
    "unexpected document": (
        "yaml-syntax",
        "the quote that opens here is not closed before the document ends",
        "close it",
    ),
    "expected ',' or ']'": (
        "yaml-syntax",
        "a list in [ ] lacks a comma or its closing ]",
        'write "," between items and "]" after the last one',
    ),
    "expected ',' or '}'": (
        "yaml-syntax",
        "a mapping in { } lacks a comma or its closing }",
        'write "," between entries and "}" after the last one; quote a value that contains : or braces',
    ),
    "node content": (
        "yaml-syntax",
        "a value is missing here",
        "write it, or remove the comma or bracket; quote a value that begins with , ] or }",
    ),
    "expected '-' indicator": (
        "yaml-syntax",
        "this line is indented as an item of the list above but does not begin with -",
        "begin it with -, or indent it as its neighbours are",
    ),
    "sequence entries are not allowed": (
        "yaml-syntax",
        "a list item may not begin here",
        "begin the list on its own line, or quote the value if it begins with -",
    ),
    "mapping keys are not allowed": (
        "yaml-syntax",
        "a key may not begin with ? here",
        "quote the value if it begins with ?",
    ),
    "escape c": (
        "yaml-syntax",
        "YAML has no such escape in double quotes",
        r"write \\ for a backslash, or use single quotes; write characters beyond U+FFFF as they are, not as two \u",
    ),
    "hexdecimal": (
        "yaml-syntax",
        "an escape in double quotes lacks hexadecimal digits",
        r"write \x and two, \u and four or \U and eight digits, or \\ for a backslash",
    ),
    "comment or line break": (
        "yaml-syntax",
        "text stands after | or > where the line must end",
        "begin the text on the next line, indented",
    ),
    "alphabetic or numeric": ("yaml-anchor", "& or * begins an anchor or alias, which has no name", "quote the value"),
    "document start>": (
        "yaml-syntax",
        "text follows where the document has already ended",
        "write --- before the next document, or indent or remove the text",
    ),
    "maximum nesting": ("too-deep", TOO_DEEP, "flatten them"),
    "incompatible YAML": ("yaml-directive", "the document asks for a YAML version other than 1.2", "remove the line"),
    "directive": ("yaml-directive", "a line that begins with % is a directive, and this one is not known", "remove it"),
    "tag": ("yaml-tag", "a tag cannot be read", "remove it, or quote the value if it begins with !"),
    "expected '!'": ("yaml-tag", "a tag cannot be read", "remove it, or quote the value if it begins with !"),
    "URI": ("yaml-tag", "a tag cannot be read", "remove it, or quote the value if it begins with !"),
}


def explain(problem: yaml.YAMLError, text: str, file: str) -> Finding:
    """Return the finding for an error that ended a file."""
    if not isinstance(problem, yaml.error.MarkedYAMLError) or problem.problem_mark is None:
        return error("yaml-syntax", f"the file is not YAML: {problem}", Location(file), "correct it")
    words, context = problem.problem or "", problem.context or ""
    if conflict := _CONFLICT.search(text):
        return _of_conflict(conflict, file)
    mark, opened = problem.problem_mark, problem.context_mark
    if opened and (("quoted scalar" in context and "found unexpected" in words) or "simple key" in context):
        mark, opened = opened, None
    before, after = _around(text, mark)
    if before and before[-1] in "'\"" and (start := _quote_above(text, mark.line, before[-1], before)):
        message = f"the quote that opens here is closed only by the one in line {mark.line + 1}"
        return error("yaml-syntax", message, Location(file, *start), "close it in its own line")
    rule, message, fix = _judge(words, context, before, after)
    related = (Related(_place(opened, file), "it begins here"),) if opened and _opens(context, opened, mark) else ()
    return error(rule, message, _place(mark, file), fix, related=related)


def _of_conflict(found: re.Match[str], file: str) -> Finding:
    line = found.string.count("\n", 0, found.start()) + 1
    fix = "keep one side, and remove the lines that begin with <<<<<<<, ======= and >>>>>>>"
    return error("merge-conflict", "a merge conflict stands in the file", Location(file, line, 1), fix)


def _quote_above(text: str, line: int, quote: str, before: str) -> tuple[int, int] | None:
    """Return where the quoted text that `before` ends in line `line` (from 0) began, if that was in an earlier line."""
    if before.count(quote) % 2 == 0:
        return None
    lines = text.split("\n", line)
    above = next((n for n in range(line - 1, -1, -1) if lines[n].count(quote) % 2), None)
    return None if above is None else (above + 1, lines[above].rfind(quote) + 1)


def _judge(words: str, context: str, before: str, after: str) -> tuple[str, str, str]:
    if "cannot start any token" in words:
        return _token(after[:1])
    if "mapping values are not allowed" in words or "expected ':'" in words:
        return "yaml-syntax", *_colon(before, after)
    if "expected key" in words or "expected <block end>" in words:
        return "yaml-syntax", *_misplaced(before, after)
    if "node content" in words and not after.strip():
        return (
            "yaml-syntax",
            "a value is missing where this line ends, or a bracket is never closed",
            "write or close it",
        )
    found = next((answer for part, answer in _PROBLEMS.items() if part in words or part in context), None)
    return found or (
        "yaml-syntax",
        f"the file is not YAML: {words}",
        "check indentation, brackets and quotes of this line",
    )


def _token(character: str) -> tuple[str, str, str]:
    if character == "\t":
        return "yaml-syntax", _TAB, _USE_SPACES
    return "yaml-syntax", f"a value may not begin with {character}", "quote the value"


def _colon(before: str, after: str) -> tuple[str, str]:
    if re.search(r":\s", before):
        return 'a second ": " stands in this line', "quote the value, or put the inner key on a line of its own"
    if _SPACELESS.match(before + after):
        return 'a space is missing after ":"', 'write "key: value"'
    if after.startswith(":"):
        fix = 'indent it as its neighbours are, and look for a missing space after ":" in the line before'
        return "a key is indented deeper than the keys it belongs to, or the line before is no entry", fix
    return (
        'this line is neither "key: value" nor part of the value before it',
        'write ": " after the key, or indent the line',
    )


def _misplaced(before: str, after: str) -> tuple[str, str]:
    if before.strip():
        fix = "quote the whole value; inside single quotes double a ', inside double quotes write \\\""
        return "text follows a value that has already ended", fix
    if after[:1] in tuple("]},:-"):
        return f"an entry of a mapping may not begin with {after[0]}", 'write "key: value", or remove it'
    return "this line's indentation fits no line above it", "indent it as its neighbours are"


def _opens(context: str, opened: Mark, mark: Mark) -> bool:
    return ("block" in context or "flow" in context) and (opened.line, opened.column) != (mark.line, mark.column)


def _around(text: str, mark: Mark) -> tuple[str, str]:
    lines = text.replace("\r\n", "\n").replace("\r", "\n").split("\n", mark.line + 1)
    line = lines[mark.line] if mark.line < len(lines) else ""
    return line[: mark.column], line[mark.column :]


def _place(mark: Mark, file: str) -> Location:
    return Location(file, mark.line + 1, mark.column + 1)
