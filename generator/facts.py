"""Read the package's own data: a small, strict part of YAML, and records made from it.

Straight from libyaml's events, because this is read at every start: half the time of PyYAML's loader, which also takes
3.10 for a number. A plain scalar is true, false, null, a whole number, or a string; all else must be quoted.
A malformed file is a bug of ours, so it raises ValueError with the file's name.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any, TypeVar

import yaml

from generator.frozen import fields
from generator.kept import dumped, kept, loaded, stamp

_FOLDERS = ("releases", "accelerators")
_PLAIN: dict[str, Any] = {"true": True, "false": False, "null": None}
_Record = TypeVar("_Record")


def document(path: Path) -> Any:
    """Return the data of a file that holds one document without anchors, aliases or tags.

    Raises:
        ValueError: malformed, or a key stands twice.
    """
    known = kept("facts").get(path.as_posix())
    if known and known[0] == stamp(str(path)):
        return loaded(known[1])
    events = yaml.parse(path.read_bytes(), yaml.CSafeLoader)
    try:
        next(events), next(events, None)
        data = _node(next(events, None), events)
        next(events)
        if not isinstance(next(events), yaml.StreamEndEvent):
            raise ValueError("a second document")
        return data
    except (yaml.YAMLError, ValueError) as error:
        raise ValueError(f"{path.name}: {error}") from error


def all_documents() -> dict[str, Any]:
    """Return all of the package's files that `document` reads, with their stamps, by path."""
    paths = [path for folder in _FOLDERS for path in sorted(Path(__file__).with_name(folder).rglob("*.yaml"))]
    return {path.as_posix(): (stamp(str(path)), dumped(document(path))) for path in paths}


def texts(folder: str) -> dict[str, str]:
    """Return the text of each file of a folder of the package, by the file's name, sorted."""
    return {path.name: path.read_text("utf-8") for path in sorted(Path(__file__).with_name(folder).iterdir())}


def record(cls: type[_Record], raw: Mapping[str, Any], where: str) -> _Record:
    """Return a dataclass made of plain data: exactly its fields, lists turned into what the field holds.

    Raises:
        ValueError: a field is missing, unknown or of another type; the message begins with `where`.
    """
    declared: Mapping[str, str] = _declared(cls)  # type: ignore[arg-type]  # mypy does not see that a class is hashable
    if odd := sorted(declared.keys() ^ raw.keys()):
        raise ValueError(f"{where}: {cls.__name__} has missing or unknown fields: {', '.join(odd)}")
    return cls(**{name: _value(raw[name], kind, f"{where}: {cls.__name__}.{name}") for name, kind in declared.items()})


@cache
def _declared(cls: Any) -> Mapping[str, str]:
    return {field.name: str(field.type) for field in fields(cls)}


def _node(event: Any, events: Iterator[Any]) -> Any:
    if getattr(event, "anchor", None) or getattr(event, "tag", None):
        raise ValueError(f"anchor, alias or tag in line {event.start_mark.line + 1}")
    if isinstance(event, yaml.ScalarEvent):
        return _plain(event.value) if event.implicit[0] else event.value
    if isinstance(event, yaml.SequenceStartEvent):
        items = []
        while not isinstance(event := next(events), yaml.SequenceEndEvent):
            items.append(_node(event, events))
        return items
    if isinstance(event, yaml.MappingStartEvent):
        return _mapping(events)
    raise ValueError("the file holds no document")


def _mapping(events: Iterator[Any]) -> dict[str, Any]:
    pairs: dict[str, Any] = {}
    while not isinstance(key := next(events), yaml.MappingEndEvent):
        if key.value in pairs:
            raise ValueError(f"{key.value} stands twice, in line {key.start_mark.line + 1}")
        pairs[key.value] = _node(next(events), events)
    return pairs


def _plain(value: str) -> Any:
    return int(value) if value.isdecimal() else _PLAIN.get(value, value)


def _value(value: Any, kind: str, where: str) -> Any:
    if kind in _CONTAINERS:
        if isinstance(value, str):
            raise ValueError(f"{where} is a string, not a list: {value!r}")
        return _CONTAINERS[kind](value)
    if kind in _KINDS and not isinstance(value, _KINDS[kind]):
        raise ValueError(f"{where} is not {kind}: {value!r}")
    return value


_KINDS: dict[str, type | tuple[type, ...]] = {"str": str, "bool": bool, "int": int, "str | None": (str, type(None))}
_CONTAINERS: dict[str, Callable[[Any], Any]] = {
    "tuple[str, ...]": tuple,
    "tuple[str, ...] | None": lambda value: None if value is None else tuple(value),
    "frozenset[str]": frozenset,
    "Mapping[str, tuple[str, ...]]": lambda value: {key: tuple(items) for key, items in value.items()},
}
