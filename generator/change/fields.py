"""Two objects → the fields in which they differ."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from generator.change.model import ABSENT, FieldChange
from generator.validate.shape import get

SECRET = ("", "Secret")


def differences(old: Any, new: Any, path: str = "") -> Iterator[FieldChange]:
    """Yield the smallest parts that differ, in the order of the new object.

    Items that have a name are compared with those of the same name, `flavors[name=h100]`; a list of others as a whole
    where its length changes, else item by item.
    """
    if old == new:
        return
    if isinstance(old, Mapping) and isinstance(new, Mapping):
        for key in [*new, *(key for key in old if key not in new)]:
            yield from differences(old.get(key, ABSENT), new.get(key, ABSENT), _joined(path, str(key)))
        return
    before, after = _named(old), _named(new)
    if before is not None and after is not None:
        yield from _of_named(before, after, path)
    elif isinstance(old, list) and isinstance(new, list) and len(old) == len(new):
        for index, (was, now) in enumerate(zip(old, new, strict=True)):
            yield from differences(was, now, f"{path}[{index}]")
    else:
        yield FieldChange(path, old, new)


def _of_named(before: dict[str, Any], after: dict[str, Any], path: str) -> Iterator[FieldChange]:
    for name in [*after, *(name for name in before if name not in after)]:
        yield from differences(before.get(name, ABSENT), after.get(name, ABSENT), f"{path}[name={name}]")
    common = [name for name in before if name in after]
    if common != [name for name in after if name in before]:
        yield FieldChange(path, list(before), list(after))  # their order has a meaning, as that of flavors


def _named(node: Any) -> dict[str, Any] | None:
    """Return the items of a list by their names; None where one has none, or two have the same."""
    if not isinstance(node, list) or not node:
        return None
    items = {name: item for item in node if isinstance(name := get(item, "name"), str)}
    return items if len(items) == len(node) else None


def _joined(path: str, key: str) -> str:
    if key.replace("-", "").replace("_", "").isalnum():
        return f"{path}.{key}" if path else key
    return f'{path}["{key}"]'
