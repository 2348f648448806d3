"""What pydantic objects to in a document → findings: each at its place, with the value and what to write instead."""

from __future__ import annotations

import typing
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from generator.environment.gate import bare, required
from generator.finding import Finding, error
from generator.shapes import hints, is_shape
from generator.source import Document
from generator.spelling import near, remedy

Path = tuple[str | int, ...]
Problem = Mapping[str, Any]
_TYPES = {
    "dict_type": "key: value pairs below it, or {} for none",
    "list_type": "a list, each item on a line that begins with -",
    "bool_type": "true or false, without quotes",
    "string_type": "text",
}


def explain(document: Document, shape: type, problems: Iterable[Problem]) -> list[Finding]:
    """Return one finding a cause: a misspelt key is not missing besides, and what one place lacks is said at once."""
    unknown: dict[Path, list[str]] = {}
    lacking: dict[Path, list[str]] = {}
    findings = []
    for problem in problems:
        *parent, last = problem["loc"]
        if problem["type"] == "missing":
            lacking.setdefault(tuple(parent), []).append(last)
            continue
        if problem["type"] == "extra_forbidden":
            unknown.setdefault(tuple(parent), []).append(str(last))
        findings.append(_finding(document, shape, problem))
    for path, keys in lacking.items():
        misspelt = {near(word, _keys(shape, path)) for word in unknown.get(path, ())}
        findings += _missing(document, shape, path, [key for key in keys if key not in misspelt])
    return findings


def spelled(path: Sequence[str | int]) -> str:
    """Return a path as people write it: pools[0].perNode.cpu."""
    text = ""
    for step in path:
        text += f"[{step}]" if isinstance(step, int) else f".{step}" if text else step
    return text


def shown(value: object) -> str:
    """Return a value as messages have it, on one line and clipped: text in quotes, a collection by its kind."""
    if value is None:
        return "empty"
    if isinstance(value, Mapping):
        return "a mapping"
    if isinstance(value, list):
        return "a list"
    if isinstance(value, bool):
        return str(value).lower()
    text = repr(value) if isinstance(value, str) else str(value)
    return text if len(text) <= 80 else text[:77] + "..."


def _missing(document: Document, shape: type, path: Path, keys: list[str]) -> Iterator[Finding]:
    if keys:
        owner = spelled(path) or f"this {document.root['kind']}"
        wanted = ", ".join(f"{key}: {_wanted(_step(shape, (*path, key)))}" for key in keys)
        yield error("missing-key", f"{owner} lacks {', '.join(keys)}", document.locate(path), f"add {wanted}")


def _finding(document: Document, shape: type, problem: Problem) -> Finding:
    path: Path = tuple(step for step in problem["loc"] if step != "[key]")
    is_key = "[key]" in problem["loc"]
    kind, value = problem["type"], problem["input"]
    if kind == "extra_forbidden":
        return _unknown_key(document, shape, path)
    where = document.locate(path, key=is_key)
    said = f"{spelled(path)} is {shown(value)}"
    if kind == "refused":
        found = problem["ctx"]
        if is_key:
            said = f"{spelled(path[:-1])} has the key {path[-1]!r}"
        fix = _instead(path, found["what"], None if is_key else found["value"])
        if value is not None or is_key:
            return error("invalid-value", f"{said}, which {found['why']}", where, fix)
        may_go = isinstance(path[-1], int) or path[-1] not in _required(_step(shape, path[:-1]))
        return error("invalid-value", said, where, f"{fix}, or remove it" if may_go else fix)
    if kind == "literal_error":
        allowed = [str(word) for word in typing.get_args(_step(shape, path))]
        return error("invalid-value", said, where, remedy(str(value), allowed, "write one of"))
    wanted = _TYPES.get(kind, problem["msg"].removeprefix("Input should be "))
    listed = f"[{value}]" if kind == "list_type" and isinstance(value, str) else None
    return error("invalid-type", said, where, _instead(path, wanted, listed))


def _unknown_key(document: Document, shape: type, path: Path) -> Finding:
    *parent, key = path
    known = _keys(shape, parent)
    owner = spelled(parent) or f"kind {document.root['kind']}"
    if parent and key in _keys(shape, ()):
        fix = f"{key} is a key of the document itself: indent it less"
    else:
        fix = remedy(str(key), known)
    return error("unknown-key", f"{owner} has no key {key!r}", document.locate(path, key=True), fix)


def _instead(path: Path, what: str, value: str | None) -> str:
    if value is None:
        return f"write {what}"
    return f"write {path[-1]}: {value}" if isinstance(path[-1], str) else f"write {value}"


def _wanted(inner: Any) -> str:
    """Return a placeholder for a value of a type."""
    if typing.get_origin(inner) is typing.Literal:
        return " | ".join(map(str, typing.get_args(inner)))
    for marker in getattr(inner, "__metadata__", ()):
        return f"<{marker.what.partition(': ')[0]}>"
    if is_shape(inner):
        return f"{{{', '.join(f'{key}: …' for key in _required(inner))}}}"
    return "[…]" if typing.get_origin(inner) is list else "{key: value, …}"


def _required(shape: Any) -> Iterator[str]:
    """Return the required keys of a TypedDict, and of another type none."""
    return required(shape) if is_shape(shape) else iter(())


def _keys(shape: Any, path: Sequence[str | int]) -> list[str]:
    inner = _step(shape, path)
    return list(inner.__annotations__) if is_shape(inner) else []


def _step(shape: Any, path: Sequence[str | int]) -> Any:
    """Follow a path through the types of a kind."""
    for step in path:
        if is_shape(shape):
            shape = bare(hints(shape).get(str(step)))
        else:
            arguments = typing.get_args(shape)
            shape = arguments[-1] if arguments else None
    return shape
