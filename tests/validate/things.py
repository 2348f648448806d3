"""A made-up kind, so that a test shows only the schema that it is about."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from generator.schemas.schema import Schema
from generator.validate.objects import validate_object

OMITTED: Any = object()


def thing(spec: Mapping[str, Any], **root: Any) -> Schema:
    """Return the schema of example.com/v1 Thing whose spec is a structural schema."""
    structure = {"type": "object", "properties": {"spec": spec}, **root}
    return Schema("example.com", "Thing", "v1", True, True, structure)


def body(spec: Any = OMITTED, **metadata: Any) -> dict[str, Any]:
    """Return a Thing called x."""
    whole = {"apiVersion": "example.com/v1", "kind": "Thing", "metadata": {"name": "x", **metadata}}
    return whole if spec is OMITTED else {**whole, "spec": spec}


def objections(schema: Schema, spec: Any = OMITTED, old: Any = OMITTED) -> list[tuple[str, str, str]]:
    """Return rule, path and kind of error of each objection to a Thing with this spec, however it is judged."""
    given, before = body(spec), None if old is OMITTED else body(old)
    found = validate_object(given, schema, before)
    assert validate_object(given, schema, before, is_one_of_few=True) == found
    return [(violation.rule, violation.path, violation.kind_of_error) for violation in found]
