"""Reading YAML: values, positions, and what is refused."""

from __future__ import annotations

import sys
from decimal import Decimal
from typing import Any

import pytest

from generator.finding import Finding, Layer, Location, Severity
from generator.source import Document, Map, Seq, at, parse, value_at
from generator.source.reader import MAX_DOCUMENTS, MAX_DUMPED_DOCUMENTS, MAX_FINDINGS
from generator.source.syntax import MAX_DEPTH
from generator.source.text import MAX_SIZE

FILE = "environments/prod/quotas.yaml"


def read(text: str | bytes) -> Map:
    documents, findings = parse(text, FILE)
    assert findings == []
    assert len(documents) == 1
    return documents[0].root


def said(text: str | bytes) -> list[tuple[str, int, int, str, str | None]]:
    findings = parse(text, FILE)[1]
    assert {(f.severity, f.layer) for f in findings} <= {(Severity.ERROR, Layer.INPUT)}
    return [(f.rule, *_place(f), f.message, f.fix) for f in findings]


def _place(finding: Finding) -> tuple[int, int]:
    assert finding.location is not None
    assert finding.location.file == FILE
    return finding.location.line, finding.location.column


SCALARS: list[tuple[str, Any]] = [
    ("", None), ("~", None), ("null", None), ("Null", None), ("NULL", None), ("nULL", "nULL"),
    ("true", True), ("True", True), ("TRUE", True), ("tRUE", "tRUE"), ("false", False), ("False", False),
    ("FALSE", False),
    ("0", 0), ("-0", 0), ("12", 12), ("+12", 12), ("-12", -12),
    ("9223372036854775807", 2**63 - 1), ("-9223372036854775808", -(2**63)),
    ("0.5", Decimal("0.5")), (".5", Decimal("0.5")), ("1.", Decimal(1)), ("4.20", Decimal("4.20")),
    ("-1.5e-3", Decimal("-0.0015")),
    ("1e3", Decimal(1000)), ("12e03", Decimal(12000)), ("1E3", Decimal(1000)), ("01.5", Decimal("1.5")),
    ("1e300", Decimal("1e300")),
    ("on", "on"), ("off", "off"), ("yes", "yes"), ("no", "no"), ("y", "y"), ("N", "N"), ("1:30", "1:30"),
    ("12:30:45.5", "12:30:45.5"),
    ("1_000", "1_000"), ("1_0.5", "1_0.5"), ("0b11", "0b11"), ("0_7", "0_7"), ("0x1_F", "0x1_F"), ("+0o7", "+0o7"),
    ("2026-12-01", "2026-12-01"), ("2001-12-14T21:59:43Z", "2001-12-14T21:59:43Z"), ("=", "="), ("<<", "<<"),
    ("25%", "25%"), ("1g.10gb", "1g.10gb"), ("64Gi", "64Gi"), ("500m", "500m"), ("1.2.3", "1.2.3"),
    ("v25.10", "v25.10"), ("-x", "-x"), ("+", "+"),
    (".", "."), ("..", ".."), (".inf2", ".inf2"), ("+.nan", "+.nan"), ("1e", "1e"), ("0x", "0x"), ("0o8", "0o8"),
    ("\uff11", "\uff11"),
    ("'12'", "12"), ('"12"', "12"), ("''", ""), ('"~"', "~"), ("'0777'", "0777"), ("\".inf\"", ".inf"),
    ("'it''s'", "it's"),
    ('"\\u00e9\\U0001F600"', "é😀"), ('"a\\tb\\nc"', "a\tb\nc"), ('"\\u2028"', "\u2028"), ("a b  c", "a b  c"),
    ("a\tb", "a\tb"), ("a#b", "a#b"),
    ("a # b", "a"), ("http://x:80/y", "http://x:80/y"), ("registry/ai@sha256:ab", "registry/ai@sha256:ab"),
    ("|\n  a\n  b\n", "a\nb\n"), ("|-\n  12\n", "12"), (">\n  a\n  b\n", "a b\n"), ("\t1", 1), ("[]", []), ("{}", {}),
    ("[1, no, ~]", [1, "no", None]),
]  # fmt: skip


@pytest.mark.parametrize(("text", "value"), SCALARS)
def test_scalar(text: str, value: object) -> None:
    got = read(f"a: {text}")["a"]
    assert got == value
    assert got is value or type(got) in (type(value), Map, Seq)


def test_decimal_keeps_how_it_was_written() -> None:
    assert str(read("openshift: 4.20")["openshift"]) == "4.20"


REFUSED = [
    ("0777", "0777 is 511 to YAML 1.1 readers and 777 to YAML 1.2 readers", 'write 777, or "0777" if it is text'),
    ("-017", "-017 is -15 to YAML 1.1 readers and -17 to YAML 1.2 readers", 'write -17, or "-017" if it is text'),
    ("08", "08 is text to YAML 1.1 readers and 8 to YAML 1.2 readers", 'write 8, or "08" if it is text'),
    ("007", "007 is 7 to YAML readers, which drop how it is written", 'write 7, or "007" if it is text'),
    ("0o17", "0o17 is text to YAML 1.1 readers and 15 to YAML 1.2 readers", 'write 15, or "0o17" if it is text'),
    ("0x1F", "0x1F is 31 to YAML readers, which drop how it is written", 'write 31, or "0x1F" if it is text'),
    ("-0x1F", "-0x1F is -31 to YAML 1.1 readers and text to YAML 1.2 readers", 'write -31, or "-0x1F" if it is text'),
    *(
        (
            text,
            f"{text} is no finite number, so neither JSON nor Kubernetes can hold it",
            f'write a number, or "{text}" if it is text',
        )
        for text in (".inf", "-.Inf", "+.INF", ".nan", ".NaN", ".NAN")
    ),
]


@pytest.mark.parametrize(("text", "message", "fix"), REFUSED)
def test_ambiguous_scalar(text: str, message: str, fix: str) -> None:
    assert said(f"a: {text}") == [("ambiguous-scalar", 1, 4, message, fix)]


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("9223372036854775808", "9223372036854775808 does not fit in 64 bits"),
        ("-9223372036854775809", "-9223372036854775809 does not fit in 64 bits"),
        ("9" * 5000, "9" * 60 + "… does not fit in 64 bits"),
        ("0" * 5000, "0" * 60 + "… does not fit in 64 bits"),
        ("0x" + "f" * 5000, "0x" + "f" * 58 + "… does not fit in 64 bits"),
        ("1e301", "1e301 is beyond 1e300 or 1e-300"),
        ("1e999999999", "1e999999999 is beyond 1e300 or 1e-300"),
        ("1e-301", "1e-301 is beyond 1e300 or 1e-300"),
        ("0." + "1" * 63, "0." + "1" * 58 + "… has more than 64 characters"),
    ],
)
def test_number_out_of_range(text: str, why: str) -> None:
    fix = "write a number that fits, or quote it if it is text"
    assert said(f"a: {text}") == [("number-out-of-range", 1, 4, f"the number {why}", fix)]


@pytest.mark.parametrize(
    ("text", "line", "column", "closed"),
    [
        ('a: "1\nb: "2"\n', 1, 4, 2),
        ("a:\n  b: '1\n  c: 3\n  d: '2'\n", 2, 6, 4),
    ],
)
def test_quote_closed_by_the_next_one(text: str, line: int, column: int, closed: int) -> None:
    message = f"the quote that opens here is closed only by the one in line {closed}"
    assert said(text) == [("yaml-syntax", line, column, message, "close it in its own line")]


def test_merge_conflict() -> None:
    fix = "keep one side, and remove the lines that begin with <<<<<<<, ======= and >>>>>>>"
    text = "a: 1\n<<<<<<< HEAD\nb: 1\n=======\nb: 2\n>>>>>>> other\n"
    assert said(text) == [("merge-conflict", 2, 1, "a merge conflict stands in the file", fix)]


def test_longest_decimal_is_exact() -> None:
    text = "0." + "1" * 62
    assert read(f"a: {text}")["a"] == Decimal(text)


POSITIONED = """\
# comment
apiVersion: apportion.dev/v1
teams:
- team: vision
  namespaces:
    - {name: vision-train, "defaultQueue": training}
  quota:
      h100: {accelerators: 16,
             lend:   8}
  note: |
    text
"é 😀": [é, 😀, {é: x}]
empty:
last: 'é' # é
"""


@pytest.mark.parametrize(
    "data", [POSITIONED, "\ufeff" + POSITIONED, POSITIONED.replace("\n", "\r\n"), POSITIONED.replace("\n", "\r")]
)
@pytest.mark.parametrize("encoded", [False, True])
def test_positions(data: str, encoded: bool) -> None:
    root = read(data.encode() if encoded else data)
    team = root["teams"][0]
    place = {
        "root": at(root),
        "key": at(root, "teams"),
        "list": at(root["teams"]),
        "item": at(root["teams"], 0),
        "value of item": value_at(root["teams"], 0),
        "namespace": at(team["namespaces"], 0),
        "quoted key": at(team["namespaces"][0], "defaultQueue"),
        "after quoted key": value_at(team["namespaces"][0], "defaultQueue"),
        "flow mapping": at(team["quota"]["h100"]),
        "second line of flow": at(team["quota"]["h100"], "lend"),
        "aligned": value_at(team["quota"]["h100"], "lend"),
        "block scalar": value_at(team, "note"),
        "wide key": at(root, "é 😀"),
        "after wide key": value_at(root, "é 😀"),
        "after wide item": at(root["é 😀"], 1),
        "in flow": value_at(root["é 😀"][2], "é"),
        "empty": value_at(root, "empty"),
        "quoted": value_at(root, "last"),
    }
    assert {name: (where.line, where.column) for name, where in place.items()} == {
        "root": (2, 1),
        "key": (3, 1),
        "list": (4, 1),
        "item": (4, 3),
        "value of item": (4, 3),
        "namespace": (6, 7),
        "quoted key": (6, 28),
        "after quoted key": (6, 44),
        "flow mapping": (8, 13),
        "second line of flow": (9, 14),
        "aligned": (9, 22),
        "block scalar": (10, 9),
        "wide key": (12, 1),
        "after wide key": (12, 8),
        "after wide item": (12, 12),
        "in flow": (12, 19),
        "empty": (13, 7),
        "quoted": (14, 7),
    }
    assert {where.file for where in place.values()} == {FILE}
    assert team["note"] == "text\n"


@pytest.mark.parametrize(
    ("path", "value", "key"),
    [
        ((), (2, 1), (2, 1)),
        (("apiVersion",), (2, 13), (2, 1)),
        (("teams", 0, "quota", "h100", "lend"), (9, 22), (9, 14)),
        (("teams", 0, "quota", "h100", "borrow"), (8, 13), (8, 7)),
        (("teams", 0), (4, 3), (4, 3)),
        (("teams", 1), (4, 1), (3, 1)),
        (("teams", -1), (4, 1), (3, 1)),
        (("teams", "team"), (4, 1), (3, 1)),
        (("apiVersion", "x", 0), (2, 13), (2, 1)),
        ((0,), (2, 1), (2, 1)),
    ],
)
def test_locate_finds_the_deepest_node(
    path: tuple[str | int, ...], value: tuple[int, int], key: tuple[int, int]
) -> None:
    document = parse(POSITIONED, FILE)[0][0]
    assert (document.locate(path), document.locate(path, key=True)) == (Location(FILE, *value), Location(FILE, *key))


@pytest.mark.parametrize(
    ("node", "key"), [("text", None), (None, 0), ({}, "a"), ([1], 0), (Map("f", 1, 1), 0), (Seq("f", 1, 1), "a")]
)
def test_place_of_what_has_none(node: object, key: str | int | None) -> None:
    with pytest.raises(TypeError, match="no position is known for"):
        at(node, key)
    with pytest.raises(TypeError, match="no position is known for"):
        value_at(node, "" if key is None else key)


def test_place_of_an_absent_entry() -> None:
    root = read("a: [1]")
    with pytest.raises(KeyError):
        at(root, "b")
    with pytest.raises(IndexError):
        at(root["a"], 1)


def test_documents_stand_where_they_begin_and_empty_ones_are_left_out() -> None:
    documents, findings = parse("# only a comment\n---\na: 1\n---\n# nothing\n---\n  b: 2\n...\n---\n", FILE)
    assert findings == []
    assert [(d.root, d.file, d.line, d.column) for d in documents] == [({"a": 1}, FILE, 3, 1), ({"b": 2}, FILE, 7, 3)]


@pytest.mark.parametrize("text", ["", "\n", "# c\n", "---\n", "\ufeff", "%YAML 1.2\n---\n", b"", "\r\r\n"])
def test_nothing_is_no_document(text: str | bytes) -> None:
    assert parse(text, FILE) == ([], [])


ROOT_FIX = 'begin it with "apiVersion: apportion.dev/v1"; a key is followed by ":" and a space'
QUOTE_ALL = "quote the whole value; inside single quotes double a ', inside double quotes write \\\""
DEEPER = "a key is indented deeper than the keys it belongs to, or the line before is no entry"
DEEPER_FIX = 'indent it as its neighbours are, and look for a missing space after ":" in the line before'
TAB = ("a tab stands where only spaces may indent", "replace the tab by spaces")
CURLY_FIX = 'write "," between entries and "}" after the last one; quote a value that contains : or braces'
MISSING_FIX = "write it, or remove the comma or bracket; quote a value that begins with , ] or }"
NO_ESCAPE = "YAML has no such escape in double quotes"
ESCAPE_FIX = (
    r"write \\ for a backslash, or use single quotes; write characters beyond U+FFFF as they are, not as two \u"
)
NO_TAG = ("a tag cannot be read", "remove it, or quote the value if it begins with !")
MERGE = (
    "<< merges another mapping into this one for some readers, and is a plain key for others",
    "write the entries out",
)
UTF_8 = "save the file as UTF-8"
UTF_16 = "the file is UTF-16, as its byte order mark says, not UTF-8"
UNTAG = "remove the tag; quote the value if it must be text"
TEXT_KEY = "write a text as key; quote a value that begins with { or ["
TAGS = [("!!str", "!!str"), ("!!binary", "!!binary"), ("!", "!"), ("!foo", "!foo"), ("!<tag:x>", "tag:x")]
TAGS += [("!!python/name:os.system", "!!python/name:os.system")]
DIRECTIVE = ("%YAML and %TAG lines change how a file is read", "remove them")
UNKNOWN_DIRECTIVE = ("a line that begins with % is a directive, and this one is not known", "remove it")
ENDED = (
    "text follows where the document has already ended",
    "write --- before the next document, or indent or remove the text",
)

SYNTAX = [
    (
        "a: b: c",
        1,
        5,
        'a second ": " stands in this line',
        "quote the value, or put the inner key on a line of its own",
    ),
    ("a: 1\nb:2\nc: 3\n", 2, 1, 'a space is missing after ":"', 'write "key: value"'),
    (
        "a: 1\nb\nc: 3\n",
        2,
        1,
        'this line is neither "key: value" nor part of the value before it',
        'write ": " after the key, or indent the line',
    ),
    ("b:2\nc: 3\n", 2, 2, DEEPER, DEEPER_FIX),
    ("a: 1\n b: 2\n", 2, 3, DEEPER, DEEPER_FIX),
    ("a:\n  b: 1\n c: 2\n", 3, 2, "this line's indentation fits no line above it", "indent it as its neighbours are"),
    ("a: 1\n- b\n", 2, 1, "an entry of a mapping may not begin with -", 'write "key: value", or remove it'),
    ("a: 1\n]\n", 2, 1, "an entry of a mapping may not begin with ]", 'write "key: value", or remove it'),
    ("a: 'it's'", 1, 8, "text follows a value that has already ended", QUOTE_ALL),
    ("a: 'x\nb: 1\n", 1, 4, "the quote that opens here is never closed", "close it"),
    ('a: 1\nb: "x\nc: 1\n', 2, 4, "the quote that opens here is never closed", "close it"),
    ("a: 'x\n---\nb: '", 1, 4, "the quote that opens here is not closed before the document ends", "close it"),
    ("a:\n\tb: 1\n", 2, 1, *TAB),
    ("\ta: 1\n", 1, 1, *TAB),
    ("a: x\n\tb: 2\n", 2, 1, *TAB),
    ("a: |\n\tb\n", 2, 1, *TAB),
    (
        "a: [1, 2\nb: 1\n",
        2,
        2,
        "a list in [ ] lacks a comma or its closing ]",
        'write "," between items and "]" after the last one',
    ),
    ("a: {b: 1\nc: 2\n", 2, 2, "a mapping in { } lacks a comma or its closing }", CURLY_FIX),
    ("a: [1,\n", 2, 1, "a value is missing where this line ends, or a bracket is never closed", "write or close it"),
    ("a: [1,,2]", 1, 7, "a value is missing here", MISSING_FIX),
    ("a:\n- b\n  c: d\n", 3, 4, DEEPER, DEEPER_FIX),
    ("a:\n- b: 1\n c: d\n", 3, 2, "this line's indentation fits no line above it", "indent it as its neighbours are"),
    (
        "a:\n  - b\n  c: d\n",
        3,
        3,
        "this line is indented as an item of the list above but does not begin with -",
        "begin it with -, or indent it as its neighbours are",
    ),
    (
        "a: - b",
        1,
        4,
        "a list item may not begin here",
        "begin the list on its own line, or quote the value if it begins with -",
    ),
    ("a: ? b", 1, 4, "a key may not begin with ? here", "quote the value if it begins with ?"),
    ("a: @b", 1, 4, "a value may not begin with @", "quote the value"),
    ("a: `b`", 1, 4, "a value may not begin with `", "quote the value"),
    ("a: %b", 1, 4, "a value may not begin with %", "quote the value"),
    ('a: "\\q"', 1, 5, NO_ESCAPE, ESCAPE_FIX),
    ('a: "\\ud83d\\ude00"', 1, 7, NO_ESCAPE, ESCAPE_FIX),
    (
        'a: "\\u12"',
        1,
        7,
        "an escape in double quotes lacks hexadecimal digits",
        r"write \x and two, \u and four or \U and eight digits, or \\ for a backslash",
    ),
    ("a: | b", 1, 6, "text stands after | or > where the line must end", "begin the text on the next line, indented"),
    ("{a: 1} b", 1, 8, *ENDED),
    ("a: 1\n...\nb: 2\n", 3, 1, *ENDED),
    (
        "a: |0\n  b\n",
        1,
        5,
        "the file is not YAML: found an indentation indicator equal to 0",
        "check indentation, brackets and quotes of this line",
    ),
]


@pytest.mark.parametrize(("text", "line", "column", "message", "fix"), SYNTAX)
def test_syntax_error(text: str, line: int, column: int, message: str, fix: str) -> None:
    assert said(text) == [("yaml-syntax", line, column, message, fix)]


REFUSALS = [
    ("a: &x 1", "yaml-anchor", 1, 4, "&x names a value for reuse; anchors are not read", "remove it"),
    ("&x a: 1", "yaml-anchor", 1, 1, "&x names a value for reuse; anchors are not read", "remove it"),
    ("--- &x\na: 1", "yaml-anchor", 1, 5, "&x names a value for reuse; anchors are not read", "remove it"),
    ("a: [*x]", "yaml-anchor", 1, 5, "*x repeats a value from elsewhere; aliases are not read", "write the value out"),
    ("*x : 1", "yaml-anchor", 1, 1, "*x repeats a value from elsewhere; aliases are not read", "write the value out"),
    ("a: & b", "yaml-anchor", 1, 5, "& or * begins an anchor or alias, which has no name", "quote the value"),
    *(
        (f"a: {tag} b", "yaml-tag", 1, 4, f"the tag {name} asks for a type of its own; tags are not read", UNTAG)
        for tag, name in TAGS
    ),
    ("a: !!set {b: 1}", "yaml-tag", 1, 4, "the tag !!set asks for a type of its own; tags are not read", UNTAG),
    ("a: !x!y b", "yaml-tag", 1, 4, *NO_TAG),
    ("a: !x%zz b", "yaml-tag", 1, 6, *NO_TAG),
    ("a: !<x b", "yaml-tag", 1, 7, *NO_TAG),
    ("a: !%ed%a0%80 b", "yaml-tag", 0, 0, "a tag cannot be read", "remove the tag"),
    ("<<: {a: 1}", "yaml-merge-key", 1, 1, *MERGE),
    ('a: <<\n"<<": b', "yaml-merge-key", 2, 1, *MERGE),
    ("1: x", "yaml-key", 1, 1, "the key 1 is a number, not text", 'quote it: "1"'),
    ("1.5: x", "yaml-key", 1, 1, "the key 1.5 is a number, not text", 'quote it: "1.5"'),
    ("true: x", "yaml-key", 1, 1, "the key true is a boolean, not text", 'quote it: "true"'),
    ("null: x", "yaml-key", 1, 1, "the key null is null, not text", 'quote it: "null"'),
    ("? # c\n: x", "yaml-key", 1, 2, 'a key is missing before ":"', "write the key"),
    (
        "0777: x",
        "yaml-key",
        1,
        1,
        "a key is no text: 0777 is 511 to YAML 1.1 readers and 777 to YAML 1.2 readers",
        'quote it: "0777"',
    ),
    ("a: {[b]: x}", "yaml-key", 1, 5, "a key is a list, not text", TEXT_KEY),
    ("a: {{ b }}", "yaml-key", 1, 5, "a key is a mapping, not text", TEXT_KEY),
    ("%YAML 1.1\n---\na: 1", "yaml-directive", 1, 1, *DIRECTIVE),
    ("%TAG ! tag:x:\n---\na: 1", "yaml-directive", 1, 1, *DIRECTIVE),
    ("a: 1\n...\n%YAML 1.1\n---\nb: 1", "yaml-directive", 3, 1, *DIRECTIVE),
    (
        "%YAML 1.3\n---\na: 1",
        "yaml-directive",
        1,
        1,
        "the document asks for a YAML version other than 1.2",
        "remove the line",
    ),
    ("%FOO\n---\na: 1", "yaml-directive", 1, 5, *UNKNOWN_DIRECTIVE),
    ("- a", "yaml-root", 1, 1, "the document is a list, not a mapping of keys", ROOT_FIX),
    ("key:value", "yaml-root", 1, 1, 'the document is the value "key:value", not a mapping of keys', ROOT_FIX),
    ("a: 1\n--- ~", "yaml-root", 2, 5, 'the document is the value "~", not a mapping of keys', ROOT_FIX),
    ("''", "yaml-root", 1, 1, 'the document is the value "", not a mapping of keys', ROOT_FIX),
    (
        'a: "x\\x85\\n"',
        "control-character",
        1,
        4,
        '"xU+0085U+000A" holds control character U+0085, which Kubernetes\' tools cannot carry',
        "remove the escape",
    ),
    (
        '"\\r": 1',
        "control-character",
        1,
        1,
        '"U+000D" holds control character U+000D, which Kubernetes\' tools cannot carry',
        "remove the escape",
    ),
    *(
        (
            f"a: é{c}",
            "control-character",
            1,
            5,
            f"control character U+{ord(c):04X} cannot pass through Kubernetes' tools",
            "delete it",
        )
        for c in "\0\x08\x0b\x0c\x1f\x7f\x80\x85\x9f\ud800\udfff\ufffe\uffff"
    ),
    (
        "# a\r\nb: \u2028",
        "control-character",
        2,
        4,
        "U+2028 ends a line for YAML 1.1 readers and not for YAML 1.2 readers",
        'end the line with a newline, or write "\\u2028" in double quotes',
    ),
    (
        "a: 1\r\ufeffb: 2",
        "control-character",
        2,
        1,
        "a byte order mark (U+FEFF) stands inside the text",
        "delete it; it may only begin a file",
    ),
    (b"a: 1\nb: \xc3\xa9\xff", "not-utf-8", 2, 5, "byte 0xFF at offset 10 is not UTF-8", UTF_8),
    (b"\xef\xbb\xbfa: \xe9", "not-utf-8", 1, 4, "byte 0xE9 at offset 6 is not UTF-8", UTF_8),
    (b"a: \xed\xa0\x80", "not-utf-8", 1, 4, "byte 0xED at offset 3 is not UTF-8", UTF_8),
    ("a: é".encode("utf-16"), "not-utf-8", 1, 1, UTF_16, UTF_8),
    ("\ufeffa: é".encode("utf-16-be"), "not-utf-8", 1, 1, UTF_16, UTF_8),
    ("a: é".encode("utf-32"), "not-utf-8", 1, 1, "the file is UTF-32, as its byte order mark says, not UTF-8", UTF_8),
]


@pytest.mark.parametrize(("text", "rule", "line", "column", "message", "fix"), REFUSALS)
def test_refused(text: str | bytes, rule: str, line: int, column: int, message: str, fix: str) -> None:
    assert said(text) == [(rule, line, column, message, fix)]


def test_duplicate_key_names_both_places() -> None:
    documents, [finding] = parse("teams:\n- a: 1\n  b: 2\n  'a': 3\n", FILE)
    assert (finding.rule, finding.location) == ("duplicate-key", Location(FILE, 4, 3))
    assert finding.message == 'key "a" is given twice in one mapping, first in line 2'
    assert finding.fix == "remove one of the two, or rename it"
    assert [(r.location, r.message) for r in finding.related] == [(Location(FILE, 2, 3), "first given here")]
    assert documents[0].root == {"teams": [{"a": 1, "b": 2}]}


def test_opening_of_what_is_not_closed_is_related() -> None:
    [finding] = parse("a: [1, 2\nb: 1\n", FILE)[1]
    assert [(r.location, r.message) for r in finding.related] == [(Location(FILE, 1, 4), "it begins here")]


def test_same_key_in_two_mappings_is_no_duplicate() -> None:
    assert read("a: {k: 1}\nb: {k: 2}\nk: 3") == {"a": {"k": 1}, "b": {"k": 2}, "k": 3}


def test_all_errors_of_a_file_come_out_in_one_run() -> None:
    text = "name: vision\nname: x\na: &x !!int 3\nb: *x\n1: 0o17\n---\n- c\n---\nname: nlp\nd: 'x\n"
    documents, findings = parse(text, FILE)
    assert [(f.rule, _place(f)[0]) for f in findings] == [
        ("duplicate-key", 2),
        ("yaml-anchor", 3),
        ("yaml-tag", 3),
        ("yaml-anchor", 4),
        ("yaml-key", 5),
        ("ambiguous-scalar", 5),
        ("yaml-root", 7),
        ("yaml-syntax", 10),
    ]
    assert [d.root["name"] for d in documents] == ["vision", "nlp"]


FLATTEN = ("values are nested more than 64 deep", "flatten them")


@pytest.mark.parametrize(("opened", "closed"), [("[", "]"), ("{a: ", "}")])
def test_depth(opened: str, closed: str) -> None:
    inner = MAX_DEPTH - 1
    read("a: " + opened * inner + closed * inner)
    assert said("a: " + opened * (inner + 1) + closed * (inner + 1)) == [
        ("too-deep", 1, 4 + inner * len(opened), *FLATTEN)
    ]


def test_size() -> None:
    line = "a: b\n#"
    read(line + "x" * (MAX_SIZE - len(line)))
    message = ("too-large", 0, 0, "the file is larger than 4 MiB", "split it into several files")
    assert said(line + "x" * (MAX_SIZE - len(line) + 1)) == [message]
    assert said(b"\xff" * (MAX_SIZE + 1)) == [message]


def test_documents_of_a_file() -> None:
    assert parse("---\n" * MAX_DOCUMENTS, FILE) == ([], [])
    message = "the file holds more than 10,000 documents"
    assert said("---\n" * 100_000) == [("too-large", MAX_DOCUMENTS + 1, 1, message, "split it into several files")]


def test_a_dump_may_be_larger() -> None:
    assert parse("---\n" * MAX_DUMPED_DOCUMENTS, FILE, kubernetes=True) == ([], [])
    (found,) = parse("---\n" * (MAX_DUMPED_DOCUMENTS + 1), FILE, kubernetes=True)[1]
    assert (found.rule, found.message) == ("too-large", "the file holds more than 100,000 documents")


# as kubectl 1.37 prints them, measured with kubectl annotate --local
TO_KUBECTL: list[tuple[str, Any]] = [
    ("0400", 256), ("-017", -15), ("08", 8), ("007", 7), ("0", 0), ("00", 0), ("0o17", 15), ("+0o17", 15),
    ("-0O17", -15), ("0x1F", 31), ("0X1F", 31), ("-0x1F", -31), ("0x1_F", 31),
    ("0b11", 3), ("-0B11", -3), ("0b1_1", 3), ("0x1e1", 481),
    ("1_000", 1000), ("1_", 1), ("0_7", 7), ("-_1", -1), ("1_0.5", Decimal("10.5")), ("1e_3", 1000), ("1e1_0", 10**10),
    ("1e3_0", Decimal("1e30")), ("1e3", 1000), ("1.0", 1), ("1.50", Decimal("1.50")), ("0777.5", Decimal("777.5")),
    ("1e-3", Decimal("0.001")),
    ("0o8", "0o8"), ("0b2", "0b2"), ("0b", "0b"), ("0x", "0x"), ("0x_", "0x_"), ("_1", "_1"), ("1e", "1e"),
    ("0b1e1", "0b1e1"), ("0x1p3", "0x1p3"), ("0xFFFFFFFFFFFFFFFFF", "0xFFFFFFFFFFFFFFFFF"),
    ("123e4567", "123e4567"), ("1e400", "1e400"), ("-1E400", "-1E400"), ("12e345", "12e345"), ("1:30", "1:30"),
    ("2001-12-14", "2001-12-14"), ("yEs", "yEs"), ('"a\\r\\n\\e[1m"', "a\r\n\x1b[1m"),
]  # fmt: skip


@pytest.mark.parametrize(("text", "value"), TO_KUBECTL)
def test_scalar_of_a_manifest(text: str, value: object) -> None:
    [document], findings = parse(f"a: {text}", FILE, kubernetes=True)
    got = document.root["a"]
    assert (got, type(got), findings) == (value, type(value), [])


@pytest.mark.parametrize(
    ("text", "rule"),
    [
        ("on", "ambiguous-scalar"),
        ("N", "ambiguous-scalar"),
        (".inf", "ambiguous-scalar"),
        ("0x8000000000000000", "number-out-of-range"),
        ("07777777777777777777777", "number-out-of-range"),
        ("9223372036854775808", "number-out-of-range"),
        ('"\\x7f"', "control-character"),
        ('"\\uffff"', "control-character"),
        ('"\\ud83d\\ude00"', "yaml-syntax"),
    ],
)
def test_scalar_that_a_manifest_may_not_hold(text: str, rule: str) -> None:
    assert [f.rule for f in parse(f"a: {text}", FILE, kubernetes=True)[1]] == [rule]


@pytest.mark.parametrize("key", ["9000", "-1", "1.5", "true", "1e400", "2001-12-14"])
def test_a_key_that_kubectl_takes_as_it_is_written(key: str) -> None:
    [document], findings = parse(f"{key}: x", FILE, kubernetes=True)
    assert (document.root, findings) == ({key: "x"}, [])


@pytest.mark.parametrize("key", ["0777", "1.50", "4.20", "1e3", "True", "null", "1_000", "3.14159265", "on", ".inf"])
def test_a_key_that_kubectl_changes(key: str) -> None:
    [finding] = parse(f"{key}: x", FILE, kubernetes=True)[1]
    assert finding.rule in ("yaml-key", "ambiguous-scalar")


@pytest.mark.parametrize("between", ["---\n", "---\n\n", "--- \r\n# c\n"])
def test_each_document_of_a_manifest_may_begin_with_a_byte_order_mark(between: str) -> None:
    documents, findings = parse(f"\ufeffa: 1\n{between}\ufeffb: 2\n", FILE, kubernetes=True)
    assert ([d.root for d in documents], findings) == ([{"a": 1}, {"b": 2}], [])


@pytest.mark.parametrize("text", ["a: 1\n\ufeffb: 2\n", "a: 1\n\ufeff---\nb: 2\n", "---\na: x\ufeff\n"])
def test_a_byte_order_mark_may_stand_nowhere_else(text: str) -> None:
    assert {f.rule for f in parse(text, FILE, kubernetes=True)[1]} == {"control-character"}


def test_a_document_within_which_reading_ended_is_not_whole() -> None:
    documents, _ = parse("a: 1\n---\nb: 2\nc: d: e\n", FILE)
    assert [(d.root, d.whole) for d in documents] == [({"a": 1}, True), ({"b": 2, "c": "d"}, False)]


def test_json_as_kubectl_takes_it() -> None:
    text = '\n{"a": "\\ud83d\\ude00\\\\ud83d\\ud83d",\n "b": [1]}{"c": {"d": 2}}\n {"e": 1}'
    documents, findings = parse(text, FILE, kubernetes=True)
    assert findings == []
    assert [d.root for d in documents] == [{"a": "😀\\ud83d\ufffd", "b": [1]}, {"c": {"d": 2}}, {"e": 1}]
    assert [(d.line, d.column) for d in documents] == [(2, 1), (3, 11), (4, 2)]
    assert value_at(documents[0].root["b"], 0) == Location(FILE, 3, 8)
    assert value_at(documents[1].root["c"], "d") == Location(FILE, 3, 23)
    assert [f.rule for f in parse(text, FILE)[1]] == ["yaml-syntax"]


@pytest.mark.parametrize(
    ("text", "rule", "place"),
    [
        ('{"a": 1}\n{"a": 1, "a": 2}', "duplicate-key", (2, 10)),
        ('{"a": 1}\n{"a": 1', "yaml-syntax", (2, 1)),
        ('{"a": 1}\nb: 2', "yaml-syntax", (2, 1)),
        ('{"a": 1} []', "yaml-root", (1, 10)),
    ],
)
def test_what_is_wrong_with_json(text: str, rule: str, place: tuple[int, int]) -> None:
    assert [(f.rule, _place(f)) for f in parse(text, FILE, kubernetes=True)[1]] == [(rule, place)]


@pytest.mark.parametrize("nothing", ["null", "~", "--- null\n--- ~\n---\n# c"])
def test_kubectl_passes_over_null(nothing: str) -> None:
    assert parse(nothing, FILE, kubernetes=True) == ([], [])
    assert {rule for rule, *_ in said(nothing)} == {"yaml-root"}


def test_a_manifest_without_keys_is_told_to_begin_as_one() -> None:
    (found,) = parse("- a", FILE, kubernetes=True)[1]
    assert found.fix == 'begin it with "apiVersion: v1"; a key is followed by ":" and a space'


def test_entries_of_a_file(monkeypatch: pytest.MonkeyPatch) -> None:
    events = 2 + 2 + 2 + 2  # begin and end of stream, document and mapping; key and value
    monkeypatch.setattr("generator.source.reader.MAX_EVENTS", events)
    assert read("a: b\n") == {"a": "b"}
    message = f"the file holds more than {events} keys, values and brackets"
    assert said("a: b\nc: d\n") == [("too-large", 0, 0, message, "split it into several files")]


def test_errors_of_a_file() -> None:
    found = said("a: b\n" * (MAX_FINDINGS + 100))
    assert len(found) == MAX_FINDINGS + 1
    message = "the file has 200 errors up to here; the rest of it is not read"
    assert found[-1] == ("too-many-errors", MAX_FINDINGS + 1, 1, message, "correct these first")


BOMB = "a: &a [x]\n" + "".join(f"{n}: &{n} [*{o}, *{o}]\n" for o, n in zip("abcdefgh", "bcdefghi", strict=True))
HOSTILE: dict[str, tuple[str | bytes, str]] = {
    "alias bomb": (BOMB, "yaml-anchor"),
    "self reference": ("a: &a [*a]", "yaml-anchor"),
    "100k lists": ("[" * 100_000, "too-deep"),
    "100k lists in a mapping": ("a: " + "[" * 100_000, "too-deep"),
    "100k mappings": ("{a: " * 100_000, "too-deep"),
    "100k items": ("- " * 100_000, "too-deep"),
    "100k explicit keys": ("? " * 100_000, "too-deep"),
    "1000 blocks": ("".join(" " * i + "a:\n" for i in range(1000)), "too-deep"),
    "unterminated": ("a: " + "{x: [" * 30, "yaml-syntax"),
    "control characters": ("\x01" * MAX_SIZE, "control-character"),
    "quotes": ('"' * 1_000_001, "yaml-syntax"),
    "10 MB": (b"\x00" * 10_000_000, "too-large"),
    "version": ("%YAML 1." + "9" * 5000 + "\n---\na: 1", "yaml-directive"),
}


@pytest.mark.parametrize("case", HOSTILE)
def test_hostile_text_is_refused(case: str) -> None:
    text, rule = HOSTILE[case]
    assert parse(text, FILE)[1][-1].rule == rule


@pytest.mark.parametrize("case", [case for case in HOSTILE if case != "version"])
def test_hostile_text_is_refused_without_libyaml(case: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "yaml._yaml", None)
    test_hostile_text_is_refused(case)


def test_endless_version_without_libyaml(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "yaml._yaml", None)
    [(rule, line, column, message, _)] = said(HOSTILE["version"][0])
    assert (rule, line, column) == ("yaml-syntax", 0, 0)
    assert message.startswith("the file is not YAML: Exceeds the limit (4300 digits)")


def test_long_scalar() -> None:
    assert len(read("a: '" + "x" * 3_000_000 + "'")["a"]) == 3_000_000


def test_without_libyaml(monkeypatch: pytest.MonkeyPatch) -> None:
    expected = parse(POSITIONED, FILE)
    texts = [
        "a: b: c",
        "a: 'x\nb: 1\n",
        "a:\n\tb: 1\n",
        "a: &x 1\n1: x\na: 0777",
        '"<<": "\\x07"',
        "a: [1, 2\nb: 1\n",
        "--- ~",
        "a: 1\n- b\n",
        "a: @b",
    ]
    with_libyaml = [parse(text, FILE) for text in texts]
    monkeypatch.setitem(sys.modules, "yaml._yaml", None)
    documents, findings = parse(POSITIONED, FILE)
    assert (documents, findings) == expected
    assert documents[0].root.values_at == expected[0][0].root.values_at
    assert [[(f.rule, f.message, f.location) for f in parse(text, FILE)[1]] for text in texts] == [
        [(f.rule, f.message, f.location) for f in findings] for _, findings in with_libyaml
    ]


def test_document_is_a_value() -> None:
    root = read("a: 1")
    assert parse("a: 1", FILE)[0] == [Document(root, FILE, 1, 1)]
