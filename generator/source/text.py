"""Bytes → text: UTF-8 only, of bounded size, without characters that Kubernetes' tools cannot carry."""

from __future__ import annotations

import re
from itertools import islice

from generator.finding import Finding, Location, error
from generator.pattern import pattern

MAX_SIZE = 4 * 1024 * 1024
"""Bytes of a file (characters, of a text that is already decoded)."""

_REPORTED = 10
_CLIP = 60
_BOM = "\ufeff"
_WIDE_BOMS = {
    b"\xff\xfe\x00\x00": "UTF-32",  # before UTF-16, whose mark begins the same
    b"\x00\x00\xfe\xff": "UTF-32",
    b"\xff\xfe": "UTF-16",
    b"\xfe\xff": "UTF-16",
}
# kustomize loses U+007F, U+0085 and U+FFFE even from escapes; libyaml and Go refuse or lose the other controls.
UNCARRIABLE = pattern("[\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff\ufffe\uffff]")
# Less of a manifest, which kubectl may read alone: kustomize carries a CR and the escapes of colours.
LOST_BY_KUSTOMIZE = pattern("[\x7f-\x9f\ufffe\uffff]")
# Raw only: a CR ends a line, YAML 1.1 ends one at U+2028 and U+2029 and YAML 1.2 does not, and nobody sees U+FEFF.
_FORBIDDEN = pattern("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff\ufeff\ufffe\uffff]")
# source: kubectl 1.37, measured: it reads each document of a file by itself
_MARKED = pattern(rf"^(---[^\n]*\n(?:[ \t]*(?:#[^\n]*)?\r?\n)*){_BOM}", re.MULTILINE)


def decode(data: str | bytes, file: str, limit: int = MAX_SIZE, *, marked: bool = False) -> str | list[Finding]:
    """Return the text without its byte order mark, or what forbids to read it; `marked` says that each document may
    begin with one, as where files were joined."""
    if len(data) > limit:
        message = f"the file is larger than {limit // 1024 // 1024} MiB"
        return [error("too-large", message, Location(file), "split it into several files")]
    try:
        text = data if isinstance(data, str) else data.decode()
    except UnicodeDecodeError as problem:
        return [_not_utf_8(problem, file)]
    text = text.removeprefix(_BOM)
    if marked and _BOM in text:
        text = _MARKED.sub(r"\1", text)
    return [_forbidden(found, file) for found in islice(_FORBIDDEN.finditer(text), _REPORTED)] or text


def shown(text: str) -> str:
    """Return text as messages show it: in quotes, on one line, clipped."""
    line = "".join(c if c.isprintable() else code_point(c) for c in text[:_CLIP])
    return f'"{line}…"' if len(text) > _CLIP else f'"{line}"'


def code_point(character: str) -> str:
    """Return U+0085 and the like."""
    return f"U+{ord(character):04X}"


def _not_utf_8(problem: UnicodeDecodeError, file: str) -> Finding:
    data = problem.object
    wide = next((name for mark, name in _WIDE_BOMS.items() if data.startswith(mark)), None)
    if wide:
        message = f"the file is {wide}, as its byte order mark says, not UTF-8"
    else:
        message = f"byte 0x{data[problem.start]:02X} at offset {problem.start} is not UTF-8"
    before = data[: problem.start].decode().removeprefix(_BOM)
    return error("not-utf-8", message, _end_of(before, file), "save the file as UTF-8")


def _forbidden(found: re.Match[str], file: str) -> Finding:
    name = code_point(found[0])
    if found[0] == _BOM:
        message, fix = f"a byte order mark ({name}) stands inside the text", "delete it; it may only begin a file"
    elif found[0] in "\u2028\u2029":
        message = f"{name} ends a line for YAML 1.1 readers and not for YAML 1.2 readers"
        fix = f'end the line with a newline, or write "\\u{ord(found[0]):04x}" in double quotes'
    else:
        message, fix = f"control character {name} cannot pass through Kubernetes' tools", "delete it"
    return error("control-character", message, _end_of(found.string[: found.start()], file), fix)


def _end_of(before: str, file: str) -> Location:
    lines = before.replace("\r\n", "\n").replace("\r", "\n")
    return Location(file, lines.count("\n") + 1, len(lines) - lines.rfind("\n"))
