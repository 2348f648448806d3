"""Judge one object by its schema, in the order of the API server: defaults, schema, lists, then CEL."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from generator.validate import metadata
from generator.validate.cel.engine import ABSENT
from generator.validate.defaults import fill, holds_null, without_nulls
from generator.validate.explain import (
    BLOCKING_RULES,
    annotations_too_large,
    duplicate,
    namespace_ignored,
    not_json,
    objections,
)
from generator.validate.lists import distinct, duplicates
from generator.validate.plain_fit import fits, fits_metadata
from generator.validate.rules import all_pass, broken_rules
from generator.validate.structural import Compiled, accepts_null, compiled, of_metadata, root, update_rules
from generator.validate.violation import Violation

if TYPE_CHECKING:
    from generator.schemas.schema import Schema


def defaults(schema: Schema, body: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return an object as the server stores it: nulls that mean nothing dropped, defaults in their place.

    The result shares with `body` what did not change; `body` is left alone. A status is dropped where the server does.
    """
    return _fill(schema, compiled(schema), without_nulls(body, schema.structure) if holds_null(body) else body)


def validate_object(
    body: Mapping[str, Any],
    schema: Schema,
    old: Mapping[str, Any] | None = None,
    *,
    is_one_of_few: bool = False,
) -> list[Violation]:
    """Return what the API server objects to in an object that is created, or that replaces `old`.

    A rule that compares with the old object is judged only when there is one. Old errors that an update leaves as they
    are count all the same; from Kubernetes 1.33 the server lets most of them pass. `is_one_of_few` asks the engine only
    where the object does not plainly fit.
    """
    parts = compiled(schema)
    filled = _fill(schema, parts, body)
    try:
        found: list[Violation] = []
        if not (is_one_of_few and fits(filled, schema.structure, schema.api_version, schema.kind)):
            filled, found = _judged(schema, parts, filled)  # what fits holds no null
        found += _metadata(filled.get("metadata"), schema, parts, is_one_of_few)
    except ValueError as error:
        return [not_json(error)]
    if parts.lists and not distinct(filled, parts.lists):
        found += [duplicate(path, shown) for path, shown in duplicates(filled, parts.lists)]
    if not any(violation.rule in BLOCKING_RULES for violation in found):
        found += _broken_rules(schema, parts, filled, old)
    return found


def _judged(schema: Schema, parts: Compiled, filled: Mapping[str, Any]) -> tuple[Mapping[str, Any], list[Violation]]:
    """Return an object without the nulls that the server drops, and what its schema objects to in it.

    A null that may not stand where it does is an error to the engine, so that most objects need not be searched.
    """
    judge = root(schema)
    is_valid = judge.validator.is_valid(filled)
    if (not is_valid or accepts_null(schema)) and holds_null(filled):
        filled = _fill(schema, parts, without_nulls(filled, schema.structure))
        is_valid = judge.validator.is_valid(filled)
    found = [] if is_valid else [*objections(judge, filled)]
    return filled, found


def _broken_rules(
    schema: Schema, parts: Compiled, body: Mapping[str, Any], old: Mapping[str, Any] | None
) -> Iterable[Violation]:
    if old is not None:
        return broken_rules(_in_rules(schema, body), _in_rules(schema, defaults(schema, old)), update_rules(schema))
    if parts.rules is None:
        return ()
    seen = _in_rules(schema, body)
    return () if all_pass(seen, parts.rules) else broken_rules(seen, ABSENT, parts.rules)


def _in_rules(schema: Schema, body: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return an object as rules see it: a field that is null is absent, also where it may be null."""
    if not (accepts_null(schema) and holds_null(body)):
        return body
    seen: Mapping[str, Any] = without_nulls(body, schema.structure, even_nullable=True)
    return seen


def _fill(schema: Schema, parts: Compiled, body: Mapping[str, Any]) -> Mapping[str, Any]:
    if schema.drops_status and "status" in body:
        body = {key: value for key, value in body.items() if key != "status"}
    filled: Mapping[str, Any] = fill(body, parts.filler)
    return filled


def _metadata(meta: Any, schema: Schema, parts: Compiled, is_one_of_few: bool) -> list[Violation]:
    if not isinstance(meta, dict):
        return []  # which the root has objected to
    found = []
    if not (is_one_of_few and fits_metadata(meta, parts.metadata)):
        judge = of_metadata(metadata.name_form(schema.group, schema.kind))
        if not judge.validator.is_valid(meta):
            found = [*objections(judge, _without_nulls(meta), ("metadata",))]
    if not schema.namespaced and meta.get("namespace"):
        found.append(namespace_ignored())
    annotations = meta.get("annotations")
    if isinstance(annotations, dict) and (size := _size(annotations)) > metadata.MAX_ANNOTATIONS:
        found.append(annotations_too_large(size, metadata.MAX_ANNOTATIONS))
    return found


def _without_nulls(meta: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return metadata as Go reads it: a null is a field that is absent, and the empty text in a map of texts."""
    kept = {key: value for key, value in meta.items() if value is not None}
    for name in ("labels", "annotations"):
        if isinstance(kept.get(name), dict):
            kept[name] = {key: "" if value is None else value for key, value in kept[name].items()}
    return kept


def _size(annotations: Mapping[str, Any]) -> int:
    """Bytes of all keys and values; no character of UTF-8 has more than four, so that most need no encoding."""
    characters = sum(map(len, annotations)) + sum(map(len, map(str, annotations.values())))
    if characters * 4 <= metadata.MAX_ANNOTATIONS:
        return characters
    return sum(len(key.encode()) + len(str(value).encode()) for key, value in annotations.items())
