"""Defaults and nulls, as the server treats them when it reads a custom resource.

A null in a field that is not nullable is taken for absent; a field that is absent gets its default; within what a
default brings, defaults apply again. Source: k8s.io/apiextensions-apiserver pkg/apiserver/schema/defaulting.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from generator.frozen import dataclass
from generator.schemas.sharing import children
from generator.validate.translation import QUANTITY

_NONE: Any = object()
# without any of these a node has no default in it; most have none
_HOLDING = frozenset(("properties", "items", "additionalProperties"))


@dataclass(frozen=True, slots=True)
class Field:
    """One field with a default, or with defaults further down."""

    name: str
    default: Any
    nullable: bool
    below: Filler | None


@dataclass(frozen=True, slots=True)
class Filler:
    """Where in a schema defaults are: by field, in each value of a map, in each item of a list."""

    fields: tuple[Field, ...]
    values: Filler | None
    items: Filler | None


def filler(node: Mapping[str, Any], made: dict[int, Filler | None]) -> Filler | None:
    """Return where a structural schema has defaults, or None: nowhere. `made` keeps what was found for shared nodes."""
    if node.keys().isdisjoint(_HOLDING):
        return None
    if id(node) not in made:
        made[id(node)] = _filler(node, made)
    return made[id(node)]


def _filler(node: Mapping[str, Any], made: dict[int, Filler | None]) -> Filler | None:
    fields = tuple(
        Field(name, child.get("default", _NONE), bool(child.get("nullable")), below)
        for name, child in node.get("properties", {}).items()
        if (below := filler(child, made)) or "default" in child
    )
    more = node.get("additionalProperties")
    values = filler(more, made) if isinstance(more, Mapping) else None
    items = filler(node["items"], made) if "items" in node else None
    return Filler(fields, values, items) if fields or values or items else None


def fill(value: Any, at: Filler | None) -> Any:
    """Return a value with its defaults; what needs none is the same object, and nothing is changed in place."""
    if at is None:
        return value
    if isinstance(value, dict):
        filled = _fill_fields(value, at)
        return filled if at.values is None else _fill_all(filled, at.values, {field.name for field in at.fields})
    if isinstance(value, list) and at.items:
        done = [fill(item, at.items) for item in value]
        return done if any(new is not old for new, old in zip(done, value, strict=True)) else value
    return value


def _fill_fields(value: Mapping[str, Any], at: Filler) -> Mapping[str, Any]:
    changed: dict[str, Any] | None = None
    for field in at.fields:
        present = value.get(field.name, _NONE)
        if present is _NONE or (present is None and not field.nullable and field.default is not _NONE):
            if field.default is _NONE:
                continue
            new = fill(field.default, field.below)
        else:
            new = fill(present, field.below)
        if new is not present:
            changed = changed or dict(value)
            changed[field.name] = new
    return value if changed is None else changed


def _fill_all(value: Mapping[str, Any], at: Filler, but: set[str]) -> Mapping[str, Any]:
    done = {key: item if key in but else fill(item, at) for key, item in value.items()}
    return done if any(done[key] is not value[key] for key in done) else value


def holds_null(value: Any) -> bool:
    """Whether a null stands anywhere in a value."""
    if isinstance(value, dict):
        return any(map(holds_null, value.values()))
    return any(map(holds_null, value)) if isinstance(value, list) else value is None


def without_nulls(value: Any, node: Mapping[str, Any], *, even_nullable: bool = False) -> Any:
    """Return a value without the fields that are null, have a schema, are not nullable and have no default.

    `even_nullable` drops the declared fields that are nullable, too, of which a CEL rule sees as little.
    Source: pkg/apiserver/schema/defaulting/algorithm.go; k8s.io/apiserver pkg/cel/common/values.go, Find.
    """
    if isinstance(value, list):
        return [without_nulls(item, node.get("items", {}), even_nullable=even_nullable) for item in value]
    if not isinstance(value, dict):
        return value
    properties, more = node.get("properties", {}), node.get("additionalProperties")
    kept = {}
    for key, item in value.items():
        child = properties.get(key, more if isinstance(more, Mapping) else None)
        is_kept = child is None or child.get("nullable") or "default" in child
        if item is not None or (is_kept and not (even_nullable and key in properties)):
            kept[key] = without_nulls(item, child or {}, even_nullable=even_nullable)
    return kept


def takes_null(node: Mapping[str, Any], made: dict[int, bool]) -> bool:
    """Whether a null may stand in any field that a schema declares; `made` keeps what was found for shared nodes."""
    if id(node) not in made:
        made[id(node)] = (
            bool(node.get("nullable"))
            or not ("type" in node or node.get("x-kubernetes-int-or-string") or node.get("format") == QUANTITY)
            or any(takes_null(child, made) for child in children(node))
        )
    return made[id(node)]
