"""Is a document of its kind's shape: told by the types alone, because pydantic, which says why not, starts slowly.

Both ask the same constraints, so they agree; a test holds them to it.
"""

from __future__ import annotations

import typing
from collections.abc import Callable, Iterable, Iterator
from functools import cache
from typing import Any

from generator.environment.constraint import Constraint, RefusedError
from generator.frozen import dataclass
from generator.shapes import hints, is_shape
from generator.source.nodes import Map, Seq, value_at

ENVELOPE = ("apiVersion", "kind")


def fits(root: Map, kind: type) -> bool:
    """Whether a document has the shape of a kind (a TypedDict); what its envelope says is left to others.

    A key that stands empty where a mapping or list is wanted becomes an empty one: people leave keys so while editing.
    """
    return _record(root, _shape(kind), ENVELOPE)


@dataclass(frozen=True, slots=True)
class _Shape:
    """What a value has to be: a scalar that `accepts` takes, a list of `items`, or a mapping with those `fields`.

    A mapping without `fields` has any keys that `keys` takes, and `items` as values.
    """

    accepts: Callable[[Any], bool] | None = None
    keys: Callable[[Any], bool] | None = None
    items: _Shape | None = None
    fields: dict[str, _Shape] | None = None
    required: frozenset[str] = frozenset()

    @property
    def empty(self) -> type[Map | Seq] | None:
        if self.accepts is not None:
            return None
        return Seq if self.fields is None and self.keys is None else Map


def _holds(value: Any, shape: _Shape) -> bool:
    if shape.accepts is not None:
        return shape.accepts(value)
    if shape.fields is not None:
        return isinstance(value, dict) and _record(value, shape)
    assert shape.items is not None
    if shape.keys is None:
        return isinstance(value, list) and _all(value, enumerate(value), shape.items)
    return isinstance(value, dict) and _all(value, value.items(), shape.items) and all(map(shape.keys, value))


def _all(parent: Any, entries: Iterable[tuple[Any, Any]], shape: _Shape) -> bool:
    """Whether all values fit; each is looked at, so that none that could be filled stays empty."""
    sound = True
    for key, value in entries:
        sound = _holds(_filled(parent, key, value, shape), shape) and sound
    return sound


def _record(value: dict[str, Any], shape: _Shape, besides: tuple[str, ...] = ()) -> bool:
    assert shape.fields is not None
    sound = shape.required <= value.keys()
    for key, child in value.items():
        known = shape.fields.get(key)
        if known is not None:
            sound = _holds(_filled(value, key, child, known), known) and sound
        elif key not in besides:
            sound = False
    return sound


def _filled(parent: Any, key: str | int, value: Any, shape: _Shape) -> Any:
    """Return a value, or the empty mapping or list that was put where there is nothing."""
    if value is not None or (empty := shape.empty) is None:
        return value
    place = value_at(parent, key)
    parent[key] = empty(place.file, place.line, place.column)
    return parent[key]


@cache
def _shape(hint: Any) -> _Shape:
    """Return what an annotation asks for.

    Raises:
        TypeError: an annotation that nothing here stands for.
    """
    if is_shape(hint):
        fields = {key: _shape(bare(inner)) for key, inner in hints(hint).items()}
        return _Shape(fields=fields, required=frozenset(required(hint)))
    match typing.get_origin(hint), typing.get_args(hint):
        case (origin, (item,)) if origin is list:
            return _Shape(items=_shape(item))
        case (origin, (key, item)) if origin is dict:
            return _Shape(keys=_scalar(key), items=_shape(item))
    return _Shape(accepts=_scalar(hint))


def required(kind: Any) -> Iterator[str]:
    """Yield the required keys of a shape."""
    for key, inner in hints(kind).items():
        origin = typing.get_origin(inner)
        if origin is typing.Required or (kind.__total__ and origin is not typing.NotRequired):
            yield key


def bare(hint: Any) -> Any:
    """Return an annotation without Required or NotRequired."""
    return typing.get_args(hint)[0] if typing.get_origin(hint) in (typing.Required, typing.NotRequired) else hint


def _scalar(hint: Any) -> Callable[[Any], bool]:
    for marker in getattr(hint, "__metadata__", ()):
        if isinstance(marker, Constraint):
            return _judge(marker)
    if typing.get_origin(hint) is typing.Literal:
        words = frozenset(typing.get_args(hint))
        return lambda value: isinstance(value, str) and value in words
    if hint in (Any, str, bool):
        wanted = object if hint is Any else hint
        return lambda value: isinstance(value, wanted)
    raise TypeError(f"no check for {hint!r}")


def _judge(marker: Constraint) -> Callable[[Any], bool]:
    def accepts(value: Any) -> bool:
        try:
            marker.check(value)
        except RefusedError:
            return False
        return True

    return accepts
