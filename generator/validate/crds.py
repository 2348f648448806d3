"""A schema that somebody else wrote: can objects be judged by it, or is it one that no server would take either.

Source: k8s.io/apiextensions-apiserver pkg/apis/apiextensions/validation/validation.go.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache
from typing import TYPE_CHECKING, Any

from generator.finding import Layer
from generator.schemas.sharing import children
from generator.validate.cel.engine import CelError, compile_expression
from generator.validate.cel.values import times
from generator.validate.explain import objections
from generator.validate.structural import Judge, root

if TYPE_CHECKING:
    from generator.schemas.schema import Schema

_DEEP = {"$ref": "#/definitions/deep"}
_TEXT, _FLAG, _NUMBER, _COUNT = {"type": "string"}, {"type": "boolean"}, {"type": "number"}, {"type": "integer"}
_TEXTS = {"type": "array", "items": _TEXT}
_MANY = {"type": "array", "items": _DEEP}
_RULE = {
    "type": "object",
    "required": ["rule"],
    "properties": {
        **dict.fromkeys(("rule", "message", "messageExpression", "reason", "fieldPath"), _TEXT),
        "optionalOldSelf": _FLAG,
    },
}
_FIELDS: dict[str, Any] = {
    "type": {"enum": ["object", "array", "string", "integer", "number", "boolean"]},
    "enum": {"type": "array"},
    "required": _TEXTS,
    "x-kubernetes-list-map-keys": _TEXTS,
    "x-kubernetes-list-type": {"enum": ["atomic", "set", "map"]},
    "x-kubernetes-validations": {"type": "array", "items": _RULE},
    "not": _DEEP,
    **dict.fromkeys(("allOf", "anyOf", "oneOf"), _MANY),
    **dict.fromkeys(("format", "pattern"), _TEXT),
    **dict.fromkeys(("minimum", "maximum", "multipleOf"), _NUMBER),
    **dict.fromkeys(("minLength", "maxLength", "minItems", "maxItems", "minProperties", "maxProperties"), _COUNT),
    **dict.fromkeys(("nullable", "exclusiveMinimum", "exclusiveMaximum", "uniqueItems"), _FLAG),
    "x-kubernetes-int-or-string": _FLAG,
    "x-kubernetes-embedded-resource": _FLAG,
    "x-kubernetes-preserve-unknown-fields": _FLAG,
}


def _node(below: Mapping[str, Any]) -> dict[str, Any]:
    more = {
        "properties": {"type": "object", "additionalProperties": below},
        "additionalProperties": {"anyOf": [_FLAG, below]},
        "items": below,
    }
    return {"type": "object", "properties": _FIELDS | more}


# A node is judged without those below it: parts that a schema shares would be judged once for every way to them.
_SHAPE = _node({"type": "object"}) | {"definitions": {"deep": _node(_DEEP)}}


def defects(schema: Schema) -> Iterator[tuple[Layer, str]]:
    """Yield why objects cannot be judged by a schema, with the layer that would say so; nothing: they can."""
    nodes = list(_nodes(schema.structure))
    malformed = [(Layer.SCHEMA, message) for path, node in nodes for message in _malformed(node, path)]
    if malformed:
        yield from malformed
        return
    try:
        root(schema)
    except (ValueError, RecursionError) as problem:
        yield Layer.SCHEMA, str(problem).split("\n", 1)[0]
        return
    for path, node in nodes:
        for rule in node.get("x-kubernetes-validations", ()):
            for expression in filter(None, (rule["rule"], rule.get("messageExpression"))):
                try:
                    compile_expression(expression, bool(rule.get("optionalOldSelf")), times(node))
                except CelError as problem:
                    yield Layer.CEL, f"the rule {expression.strip()!r} of {path} does not compile: {problem}"


def _malformed(node: Mapping[str, Any], path: str) -> Iterator[str]:
    judge = _judge()
    if not judge.validator.is_valid(node):
        for violation in objections(judge, node):
            yield f"{violation.path or 'the schema'} of {path}: {violation.message}"


def _nodes(root: Mapping[str, Any]) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """Yield every node once, with the first path to it; what is below a malformed one is left out."""
    seen: set[int] = set()
    todo: list[tuple[str, Any]] = [("", root)]
    while todo:
        path, node = todo.pop()
        if id(node) not in seen:
            seen.add(id(node))
            yield path or "the object", node
            if _judge().validator.is_valid(node):
                names = {id(child): f"{path}.{name}".lstrip(".") for name, child in node.get("properties", {}).items()}
                todo += ((names.get(id(child), f"{path}[]"), child) for child in children(node))


@cache
def _judge() -> Judge:
    import jsonschema_rs

    return Judge(_SHAPE, jsonschema_rs.Draft7Validator(_SHAPE))
