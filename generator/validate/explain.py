"""What the JSON Schema engine objects to, as violations in the server's terms.

Source of the kinds of error: k8s.io/apiextensions-apiserver pkg/apiserver/validation/validation.go.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

from generator.finding import Layer, Severity
from generator.spelling import hint
from generator.validate.paths import Path, render
from generator.validate.structural import Judge
from generator.validate.translation import pattern_of
from generator.validate.violation import Violation

if TYPE_CHECKING:
    from jsonschema_rs import ValidationError

INVALID, REQUIRED, TOO_LONG, TOO_MANY = "Invalid value", "Required value", "Too long", "Too many"
UNSUPPORTED, DUPLICATE, UNKNOWN = "Unsupported value", "Duplicate value", "unknown field"
# after one of these the server does not evaluate CEL rules: registry/customresource/strategy.go, hasBlockingErr
BLOCKING_RULES = frozenset(
    {"value-not-supported", "field-missing", "value-too-long", "too-many-entries", "value-of-wrong-type"}
)

_Told = tuple[str, str, str, str]


def objections(judge: Judge, body: Any, within: Path = ()) -> Iterator[Violation]:
    """Yield all that a JSON Schema has against a value, which stands at the path `within`."""
    for error in judge.validator.iter_errors(body):
        yield from _explain(error, judge.json_schema, (*within, *error.instance_path))


def _explain(error: ValidationError, json_schema: Mapping[str, Any], path: Path) -> Iterator[Violation]:
    """Yield the violations that one error of the engine stands for; it names several unknown fields at once."""
    keyword = error.kind.name
    if keyword == "additionalProperties":
        yield from _unknown(error, path, json_schema)
    elif keyword == "required":
        name = error.kind.value
        yield _violation(
            "field-missing", (*path, name), REQUIRED, f"{name} is missing", f"write {render((*path, name))}"
        )
    elif keyword == "anyOf" and path == ("metadata",):
        yield _violation(
            "field-missing", ("metadata", "name"), REQUIRED, "name or generateName is required", "name the object"
        )
    elif keyword == "propertyNames":
        yield _key(error, path)
    else:
        rule, kind, message, fix = _TOLD.get(keyword, _other)(error)
        if keyword in ("minimum", "maximum") and (form := _node(error, json_schema).get("$comment")):
            message += f", where {form} ends: the server stores it, and the controller cannot read it"
        kind = INVALID if path[0:1] == ("metadata",) else kind  # checked by code of its own, which has no other word
        yield _violation(rule, _place(path), kind, f"{_shown(error.instance)} {message}", fix)


def _violation(rule: str, path: Path, kind: str, message: str, fix: str) -> Violation:
    return Violation(rule, Layer.SCHEMA, render(path), message, fix, kind_of_error=kind)


def _place(path: Path) -> Path:
    """The server points at labels and annotations as a whole."""
    return path[:2] if path[:1] == ("metadata",) and path[1:2] in (("labels",), ("annotations",)) else path


def _shown(value: Any) -> str:
    text = json.dumps(value, ensure_ascii=False, default=float)
    return text if len(text) <= 100 else f"{text[:97]}..."


def _unknown(error: ValidationError, path: Path, json_schema: Mapping[str, Any]) -> Iterator[Violation]:
    known = _node(error, json_schema).get("properties", {})
    for name in error.kind.value:
        fix = f"{hint(name, known)}known are {', '.join(known)}" if known else "remove it: nothing may stand here"
        yield _violation(
            "field-unknown", (*path, name), UNKNOWN, f"{name} is no field of {render(path) or 'this kind'}", fix
        )


def _node(error: ValidationError, json_schema: Mapping[str, Any]) -> Mapping[str, Any]:
    node: Any = json_schema
    for step in error.schema_path[:-1]:
        node = node[step]
    return node  # type: ignore[no-any-return]  # whatever stands there, an error came of it


def _key(error: ValidationError, path: Path) -> Violation:
    cause: ValidationError = error.kind.error  # type: ignore[attr-defined]  # of PropertyNames
    return _violation(
        "name-malformed",
        path,
        INVALID,
        f"the key {_shown(cause.instance)} is not allowed",
        "a key is an optional DNS subdomain and a slash, then at most 63 letters, digits, '-', '_' and '.'",
    )


def _type(error: ValidationError) -> _Told:
    wanted = " or ".join(kind for kind in error.kind.value if kind != "null")
    return "value-of-wrong-type", INVALID, f"must be of type {wanted}", f"write {_A.get(wanted, wanted)}"


_A = {
    "string": "a string: quote it",
    "integer": "a whole number without quotes",
    "boolean": "true or false without quotes",
    "object": "a mapping",
    "array": "a list",
}


def _enum(error: ValidationError) -> _Told:
    options = ", ".join(map(_shown, error.kind.value))
    words = [option for option in error.kind.value if isinstance(option, str)]
    near = hint(error.instance, words) if isinstance(error.instance, str) else ""
    return "value-not-supported", UNSUPPORTED, f"is not supported: {options} are", f"{near}write one of {options}"


def _const(error: ValidationError) -> _Told:
    return (
        "value-not-supported",
        UNSUPPORTED,
        f"must be {_shown(error.kind.value)}",
        f"write {_shown(error.kind.value)}",
    )


def _pattern(error: ValidationError) -> _Told:
    return "value-malformed", INVALID, f"does not match {error.kind.value}", "write a value of this form"


def _format(error: ValidationError) -> _Told:
    pattern = pattern_of(error.kind.value)
    form = f"does not match {pattern}" if pattern else f"is not of the form {error.kind.value}"
    return "value-malformed", INVALID, form, "write a value of this form"


def _limit(rule: str, kind: str, words: str, fix: str) -> Callable[[ValidationError], _Told]:
    return lambda error: (rule, kind, words.format(error.kind.value), fix.format(error.kind.value))


def _one_of(_: ValidationError) -> _Told:
    return (
        "alternatives-not-met",
        INVALID,
        "must be valid by one of the alternatives in its schema",
        "write exactly one of them",
    )


def _other(error: ValidationError) -> _Told:
    return "value-not-allowed", INVALID, f"breaks {error.kind.name}", "change the value"


_TOLD: dict[str, Callable[[ValidationError], _Told]] = {
    "type": _type,
    "enum": _enum,
    "const": _const,
    "pattern": _pattern,
    "format": _format,
    "oneOf": _one_of,
    "anyOf": _one_of,
    "minimum": _limit("value-out-of-range", INVALID, "is less than {}", "write at least {}"),
    "maximum": _limit("value-out-of-range", INVALID, "is more than {}", "write at most {}"),
    "exclusiveMinimum": _limit("value-out-of-range", INVALID, "is not more than {}", "write more than {}"),
    "exclusiveMaximum": _limit("value-out-of-range", INVALID, "is not less than {}", "write less than {}"),
    "multipleOf": _limit("value-out-of-range", INVALID, "is no multiple of {}", "write a multiple of {}"),
    "minLength": _limit("value-too-short", INVALID, "has less than {} characters", "write at least {} characters"),
    "maxLength": _limit("value-too-long", TOO_LONG, "has more than {} characters", "write at most {} characters"),
    "minItems": _limit("too-few-entries", INVALID, "has less than {} items", "list at least {}"),
    "maxItems": _limit("too-many-entries", TOO_MANY, "has more than {} items", "list at most {}"),
    "minProperties": _limit("too-few-entries", INVALID, "has less than {} entries", "write at least {}"),
    "maxProperties": _limit("too-many-entries", TOO_MANY, "has more than {} entries", "write at most {}"),
    "uniqueItems": _limit("entry-duplicate", DUPLICATE, "holds an item twice", "remove the second"),
}


def duplicate(path: Path, shown: Any) -> Violation:
    """The violation of a set or list map that holds an item or its keys twice."""
    return _violation(
        "entry-duplicate",
        path,
        DUPLICATE,
        f"{_shown(shown)} stands here for the second time",
        "remove it, or change its key",
    )


def annotations_too_large(size: int, limit: int) -> Violation:
    """The violation of annotations that are too large together."""
    return _violation(
        "value-too-long",
        ("metadata", "annotations"),
        TOO_LONG,
        f"{size} bytes of annotations are more than {limit}",
        "shorten or remove some",
    )


def not_json(error: ValueError) -> Violation:
    """The violation of an object that holds what JSON cannot: a key that is no string, half a surrogate pair."""
    return _violation(
        "value-not-json", (), INVALID, f"cannot be sent to the server: {error}", "write it in plain JSON or YAML"
    )


def namespace_ignored() -> Violation:
    """What to say of a namespace on a kind that belongs to the cluster: the server drops it, and Git never matches."""
    return Violation(
        "namespace-ignored",
        Layer.SCHEMA,
        "metadata.namespace",
        "the kind belongs to the cluster: the server drops the namespace",
        "remove metadata.namespace",
        Severity.WARNING,
    )
