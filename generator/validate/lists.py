"""Lists that are sets or maps: no item, and no key, may stand twice.

Source: k8s.io/apiextensions-apiserver pkg/apiserver/schema/listtype/validation.go.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from generator.frozen import dataclass
from generator.validate.cel.values import plain
from generator.validate.paths import Path

# without any of these a node has no such list in it; most have none
_HOLDING = frozenset(("properties", "items", "additionalProperties", "x-kubernetes-list-type"))


@dataclass(frozen=True, slots=True)
class ListNode:
    """Where in a schema such lists are. `keys` is None for a list of no such type, () for a set."""

    fields: tuple[tuple[str, ListNode], ...] = ()
    values: ListNode | None = None
    items: ListNode | None = None
    keys: tuple[str, ...] | None = None


def list_tree(node: Mapping[str, Any], made: dict[int, ListNode | None]) -> ListNode | None:
    """Return where a schema has sets and list maps, or None: nowhere. `made` keeps what was found for shared nodes."""
    if node.keys().isdisjoint(_HOLDING):
        return None
    if id(node) not in made:
        made[id(node)] = _list_tree(node, made)
    return made[id(node)]


def _list_tree(node: Mapping[str, Any], made: dict[int, ListNode | None]) -> ListNode | None:
    fields = tuple(
        (name, below) for name, child in node.get("properties", {}).items() if (below := list_tree(child, made))
    )
    more = node.get("additionalProperties")
    values = list_tree(more, made) if isinstance(more, Mapping) else None
    items = list_tree(node["items"], made) if "items" in node else None
    keys = {"set": (), "map": tuple(node.get("x-kubernetes-list-map-keys", ()))}.get(
        node.get("x-kubernetes-list-type", "")
    )
    return ListNode(fields, values, items, keys) if fields or values or items or keys is not None else None


def distinct(value: Any, at: ListNode) -> bool:
    """Whether `duplicates` would find nothing, told faster; False may be said of lists that only look strange."""
    if isinstance(value, dict):
        for name, below in at.fields:
            if name in value and not distinct(value[name], below):
                return False
        return at.values is None or all(distinct(item, at.values) for item in value.values())
    if isinstance(value, list):
        if at.keys is not None and not _all_differ(value, at.keys):
            return False
        if at.items is not None:
            for item in value:
                if not distinct(item, at.items):
                    return False
    return True


def _all_differ(items: Sequence[Any], keys: tuple[str, ...]) -> bool:
    if len(items) < 2:
        return True
    try:
        if len(keys) == 1:
            return len({item[keys[0]] for item in items}) == len(items)
        return len({tuple(item[key] for key in keys) for item in items} if keys else set(items)) == len(items)
    except (TypeError, KeyError):
        return False


def duplicates(value: Any, at: ListNode | None, path: Path = ()) -> Iterator[tuple[Path, Any]]:
    """Yield path and item (of a set) or keys (of a map) of each item that stands for the second time."""
    if at is None:
        return
    if isinstance(value, list):
        if at.keys is not None:
            yield from _repeated(value, at.keys, path)
        if at.items:
            for index, item in enumerate(value):
                yield from duplicates(item, at.items, (*path, index))
    elif isinstance(value, Mapping):
        for name, below in at.fields:
            if name in value:
                yield from duplicates(value[name], below, (*path, name))
        if at.values:
            for name, item in value.items():
                yield from duplicates(item, at.values, (*path, name))


def _repeated(items: Sequence[Any], keys: tuple[str, ...], path: Path) -> Iterator[tuple[Path, Any]]:
    seen = set()
    for index, item in enumerate(items):
        if keys and not isinstance(item, Mapping):
            continue
        shown = {key: item[key] for key in keys if key in item} if keys else item
        identity = shown if isinstance(shown, str) else json.dumps(plain(shown), sort_keys=True)
        if identity in seen:
            yield (*path, index), shown
        seen.add(identity)
