"""What a YAML document is read into: mappings and sequences that know where they and their entries stand."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from generator.finding import Location
from generator.frozen import dataclass

Place = tuple[int, int]


class Map(dict[str, Any]):
    """A mapping; `line` and `column` count from 1, `keys_at` and `values_at` hold the (line, column) of its entries."""

    __slots__ = ("column", "file", "keys_at", "line", "values_at")

    def __init__(self, file: str, line: int, column: int) -> None:
        self.file, self.line, self.column = file, line, column
        self.keys_at: dict[str, Place] = {}
        self.values_at: dict[str, Place] = {}


class Seq(list[Any]):
    """A sequence; `line` and `column` count from 1, `items_at` holds the (line, column) of its items."""

    __slots__ = ("column", "file", "items_at", "line")

    def __init__(self, file: str, line: int, column: int) -> None:
        self.file, self.line, self.column = file, line, column
        self.items_at: list[Place] = []


@dataclass(frozen=True, slots=True)
class Document:
    """One document of a file: its root mapping and where that begins; not `whole` where reading ended within it."""

    root: Map
    file: str
    line: int
    column: int
    whole: bool = True

    def locate(self, path: Sequence[str | int], *, key: bool = False) -> Location:
        """Return the place of the deepest node of `path` that exists; `key` asks for an entry's key, not its value."""
        node: Any = self.root
        place = (self.line, self.column)
        for step in path:
            if isinstance(node, Map) and step in node:
                place = (node.keys_at if key else node.values_at)[str(step)]
            elif isinstance(node, Seq) and isinstance(step, int) and 0 <= step < len(node):
                place = node.items_at[step]
            else:
                break
            node = node[step]
        return Location(self.file, *place)


def moved(node: Any, place: Callable[[Place], Place]) -> None:
    """Move a node, and all that is below it, to where `place` says."""
    if isinstance(node, Map):
        node.keys_at = {key: place(found) for key, found in node.keys_at.items()}
        node.values_at = {key: place(found) for key, found in node.values_at.items()}
    elif isinstance(node, Seq):
        node.items_at = [place(found) for found in node.items_at]
    else:
        return
    node.line, node.column = place((node.line, node.column))
    for child in node.values() if isinstance(node, Map) else node:
        moved(child, place)


def at(node: object, key: str | int | None = None) -> Location:
    """Return the place of a Map or Seq, or of the key of its entry, or of its item.

    Raises:
        TypeError: neither a Map nor a Seq, or a key of the wrong type.
        LookupError: no such entry.
    """
    if isinstance(node, Map | Seq) and key is None:
        return Location(node.file, node.line, node.column)
    if isinstance(node, Map) and isinstance(key, str):
        return Location(node.file, *node.keys_at[key])
    return _item_at(node, key)


def value_at(node: object, key: str | int) -> Location:
    """Return the place of an entry's value, or of an item; raises as `at` does."""
    if isinstance(node, Map) and isinstance(key, str):
        return Location(node.file, *node.values_at[key])
    return _item_at(node, key)


def _item_at(node: object, key: object) -> Location:
    if isinstance(node, Seq) and isinstance(key, int):
        return Location(node.file, *node.items_at[key])
    raise TypeError(f"no position is known for {key!r} in a {type(node).__name__}")
