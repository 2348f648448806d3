"""The schema of one version of a CustomResourceDefinition: is it structural, and do its parts agree?

Source: k8s.io/apiextensions-apiserver v0.33.4 pkg/apiserver/schema/validation.go (ValidateStructural), defaulting
(ValidateDefaults), pkg/apis/apiextensions/validation/validation.go (ValidateCustomResourceDefinitionOpenAPISchema).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache
from typing import Any

from generator.finding import Layer
from generator.frozen import dataclass, replace
from generator.schemas.schema import Schema, compact
from generator.spelling import hint
from generator.validate.definition_rules import rule_defects
from generator.validate.explain import objections
from generator.validate.objects import validate_object
from generator.validate.paths import Path
from generator.validate.patterns import re2
from generator.validate.structural import Judge
from generator.validate.violation import Violation

RULE = "definition-broken"
_FIX = "correct it: the API server takes no such definition"
_UNKNOWN_FIX = "remove it: the server drops it, or refuses the definition"
Node = Mapping[str, Any]
Defects = Iterator[tuple[Path, str]]

_TEXT, _FLAG, _NUMBER, _COUNT = {"type": "string"}, {"type": "boolean"}, {"type": "number"}, {"type": "integer"}
_TEXTS = {"type": "array", "items": _TEXT}
_SUB = {"type": "object"}
_MANY = {"type": "array", "items": _SUB}
_RULES: dict[str, Any] = {
    "type": "object",
    "required": ["rule"],
    "additionalProperties": False,
    "properties": {
        **dict.fromkeys(("rule", "message", "messageExpression", "fieldPath"), _TEXT),
        "reason": {"enum": [f"FieldValue{reason}" for reason in ("Invalid", "Forbidden", "Required", "Duplicate")]},
        "optionalOldSelf": _FLAG,
    },
}
_UNSUPPORTED = ("id", "$schema", "$ref", "additionalItems", "patternProperties", "definitions", "dependencies")
_FIELDS: dict[str, Any] = {
    **dict.fromkeys(("default", "example", "externalDocs", *_UNSUPPORTED), True),
    **dict.fromkeys(("description", "format", "title", "pattern"), _TEXT),
    **dict.fromkeys(("minimum", "maximum", "multipleOf"), _NUMBER),
    **dict.fromkeys(("minLength", "maxLength", "minItems", "maxItems", "minProperties", "maxProperties"), _COUNT),
    **dict.fromkeys(("nullable", "exclusiveMinimum", "exclusiveMaximum", "uniqueItems"), _FLAG),
    **dict.fromkeys(("allOf", "anyOf", "oneOf"), _MANY),
    **dict.fromkeys(("not", "items"), _SUB),
    **dict.fromkeys(("required", "x-kubernetes-list-map-keys"), _TEXTS),
    "type": {"enum": ["object", "array", "string", "integer", "number", "boolean"]},
    "enum": {"type": "array"},
    "properties": {"type": "object", "additionalProperties": _SUB},
    "additionalProperties": {"type": ["boolean", "object"]},
    "x-kubernetes-list-type": {"enum": ["atomic", "set", "map"]},
    "x-kubernetes-map-type": {"enum": ["atomic", "granular"]},
    "x-kubernetes-validations": {"type": "array", "items": _RULES},
    "x-kubernetes-int-or-string": _FLAG,
    "x-kubernetes-embedded-resource": _FLAG,
    "x-kubernetes-preserve-unknown-fields": {"enum": [True]},
}
_FORM = {"type": "object", "additionalProperties": False, "properties": _FIELDS}
# below allOf, anyOf, oneOf and not a schema judges values only
_VALUES_ONLY = (
    *("type", "title", "description", "default", "nullable", "additionalProperties"),
    *(name for name in _FIELDS if name.startswith("x-kubernetes-")),
)
# what may stand at the root where status is a subresource: allowedFieldsAtRootSchema
_AT_ROOT = frozenset(
    (
        *("description", "type", "format", "title", "maximum", "exclusiveMaximum", "minimum", "exclusiveMinimum"),
        *(
            "maxLength",
            "minLength",
            "pattern",
            "maxItems",
            "minItems",
            "uniqueItems",
            "multipleOf",
            "required",
            "items",
        ),
        *("properties", "externalDocs", "example", "x-kubernetes-preserve-unknown-fields", "x-kubernetes-validations"),
    )
)
_INT_OR_STRING = [{"type": "integer"}, {"type": "string"}]
_META = ("apiVersion", "kind", "metadata")


@dataclass(frozen=True, slots=True)
class Place:
    """A schema, where it stands in the definition, and which field it is of: "spec.items[]".

    `is_root` is of a whole object, `uncorrelated` names a field above in which an item has no old self.
    """

    node: Node
    path: Path
    field: str
    is_root: bool = False
    uncorrelated: str = ""
    judges_default: bool = True

    @property
    def holds_object(self) -> bool:
        """Whether a whole object stands here, with a type and metadata of its own."""
        return self.is_root or bool(self.node.get("x-kubernetes-embedded-resource"))


def printed(path: Path) -> str:
    """Return a path as findings print it; a name that is more than a word stands in brackets."""
    plain = (
        step if isinstance(step, str) and step.replace("-", "").replace("$", "").isalnum() else f"[{step}]"
        for step in path
    )
    return "".join(step if step.startswith("[") else f".{step}" for step in plain).removeprefix(".")


def violation_at(path: Path, message: str, layer: Layer = Layer.SCHEMA) -> Violation:
    """Return the violation of a definition at a path."""
    return Violation(RULE, layer, printed(path), message, _FIX)


def schema_defects(root: Node, path: Path, has_status: bool) -> Iterator[Violation]:
    """Yield what a server has against a schema, which stands at a path of its definition."""
    places = list(_places(Place(root, path, "", is_root=True)))
    found = [violation for place in places for violation in _malformed(place.node, place.path, place.field)]
    yield from found
    if any(violation.rule == RULE for violation in found):
        return
    is_sound = True
    for place in places:
        for below, message in _structural(place, has_status):
            is_sound = False
            yield violation_at((*place.path, *below), _told(place.field, message))
    if not is_sound:
        return
    for place in places:
        yield from _defaults(place)
        for below, message in rule_defects(place.node, place.is_root, place.uncorrelated):
            at = (*place.path, "x-kubernetes-validations", *below)
            yield violation_at(at, _told(place.field, message), Layer.CEL)


def of_schema(node: Any) -> Any:
    """Return a schema as Go reads it: a null is nothing, but a field that is null is one without a type."""
    if not isinstance(node, dict):
        return node
    kept = {key: value for key, value in node.items() if value is not None}
    if isinstance(fields := kept.get("properties"), dict):
        kept["properties"] = {name: {} if child is None else of_schema(child) for name, child in fields.items()}
    for key in ("items", "additionalProperties", "not"):
        if key in kept:
            kept[key] = of_schema(kept[key])
    for key in ("allOf", "anyOf", "oneOf"):
        if isinstance(kept.get(key), list):
            kept[key] = [of_schema(child) for child in kept[key]]
    return kept


def _told(field: str, message: str) -> str:
    return f"{field or 'the object'}: {message}"


def _places(top: Place) -> Iterator[Place]:
    """Yield a place and those below it, but for those in allOf, anyOf, oneOf and not."""
    todo = [top]
    while todo:
        place = todo.pop()
        yield place
        todo += reversed(list(_below(place)))


def _below(place: Place) -> Iterator[Place]:
    node, path, field = place.node, place.path, place.field
    fields = node.get("properties")
    if isinstance(fields, dict):
        blocked = place.uncorrelated or (field or "the object" if node.get("x-kubernetes-map-type") == "atomic" else "")
        for name, child in fields.items():
            if isinstance(child, dict):
                yield replace(
                    place,
                    node=child,
                    path=(*path, "properties", name),
                    field=f"{field}.{name}".removeprefix("."),
                    is_root=False,
                    uncorrelated=blocked,
                    judges_default=place.judges_default and not (place.is_root and name in _META),
                )
    if isinstance(items := node.get("items"), dict):
        blocked = place.uncorrelated or ("" if node.get("x-kubernetes-list-type") == "map" else field)
        yield Place(items, (*path, "items"), f"{field}[]", uncorrelated=blocked, judges_default=place.judges_default)
    if isinstance(more := node.get("additionalProperties"), dict):
        at = (*path, "additionalProperties")
        yield Place(more, at, f"{field}.*", uncorrelated=place.uncorrelated, judges_default=False)


@cache
def _judge() -> Judge:
    import jsonschema_rs

    return Judge(_FORM, jsonschema_rs.Draft7Validator(_FORM))


def _malformed(node: Any, path: Path, field: str) -> Iterator[Violation]:
    """Yield what is no field of a schema, or of a wrong form, in a schema and in those that judge its values."""
    judge = _judge()
    if not judge.validator.is_valid(node):
        for found in objections(judge, node):
            at = f"{printed(path)}.{found.path}" if found.path else printed(path)
            if found.rule == "field-unknown":
                within, _, name = found.path.rpartition(".")
                told = f"{name} is no field of {'a rule' if within else 'a schema'}"
                fix = f"{hint(name, _RULES['properties'] if within else _FIELDS)}{_UNKNOWN_FIX}"
                yield Violation(found.rule, Layer.SCHEMA, at, _told(field, told), fix)
            else:
                yield Violation(RULE, Layer.SCHEMA, at, _told(field, f"{found.path}: {found.message}"), found.fix)
    for value, step in _values(node):
        yield from _malformed(value, (*path, *step), field)


def _values(node: Any) -> Iterator[tuple[Any, Path]]:
    """Yield the schemas directly below allOf, anyOf, oneOf and not."""
    if not isinstance(node, dict):
        return
    for key in ("allOf", "anyOf", "oneOf"):
        if isinstance(many := node.get(key), list):
            yield from ((child, (key, index)) for index, child in enumerate(many) if isinstance(child, dict))
    if isinstance(node.get("not"), dict):
        yield node["not"], ("not",)


def _structural(place: Place, has_status: bool) -> Defects:
    node = place.node
    yield from _of_every_schema(node)
    yield from _types(place)
    yield from _objects(place)
    yield from _lists(node)
    if place.is_root:
        yield from _of_root(node, has_status)
    for value, step in _values(node):
        if not _is_int_or_string(node, step):
            of = node if place.is_root else None
            yield from _value_defects(value, of, step, is_first=step == ("allOf", 0))


def _is_int_or_string(node: Node, step: Path) -> bool:
    return step[0] == "anyOf" and node["anyOf"] == _INT_OR_STRING


def _of_every_schema(node: Node) -> Defects:
    for name in _UNSUPPORTED:
        if node.get(name) not in (None, "", [], {}):
            yield (name,), f"{name} is not supported in a CustomResourceDefinition"
    if node.get("uniqueItems"):
        yield ("uniqueItems",), "uniqueItems may not be true: write x-kubernetes-list-type: set"
    if "pattern" in node:
        try:
            re2(node["pattern"])
        except ValueError as problem:
            yield ("pattern",), str(problem)


def _types(place: Place) -> Defects:
    node, kind = place.node, place.node.get("type")
    either = node.get("x-kubernetes-int-or-string")
    is_whole = node.get("x-kubernetes-embedded-resource")
    if place.is_root and kind not in (None, "object"):
        yield ("type",), "the type of a whole object is object"
    if is_whole and kind != "object":
        yield ("type",), "x-kubernetes-embedded-resource stands beside type: object only"
    elif kind is None and not either and not node.get("x-kubernetes-preserve-unknown-fields"):
        yield (), "type is missing"
    for name in ("x-kubernetes-preserve-unknown-fields", "x-kubernetes-embedded-resource"):
        if either and node.get(name):
            yield (name,), f"{name} and x-kubernetes-int-or-string exclude each other"
    for name, wanted in (("x-kubernetes-map-type", "object"), ("x-kubernetes-list-type", "array")):
        if name in node and kind != wanted:
            yield (name,), f"{name} stands beside type: {wanted} only"


def _objects(place: Place) -> Defects:
    node = place.node
    fields, more = node.get("properties", {}), node.get("additionalProperties")
    if fields and more is not None and more is not True:
        yield ("additionalProperties",), "properties and additionalProperties exclude each other"
    if place.holds_object and more is not None:
        yield ("additionalProperties",), "additionalProperties may not stand at the root of an object"
    if (
        node.get("x-kubernetes-embedded-resource")
        and node.get("type") == "object"
        and not fields
        and not node.get("x-kubernetes-preserve-unknown-fields")
    ):
        yield (), "an embedded resource needs properties, or x-kubernetes-preserve-unknown-fields: true"
    for name, wanted in zip(_META, ("string", "string", "object"), strict=True):
        if place.holds_object and name in fields and fields[name].get("type", wanted) != wanted:
            yield ("properties", name, "type"), f"the type of {name} is {wanted}"


def _of_root(node: Node, has_status: bool) -> Defects:
    if node.get("nullable"):
        yield ("nullable",), "a whole object may not be nullable"
    for name in node if has_status else ():
        if name not in _AT_ROOT and node[name] not in (None, False, "", [], {}):
            yield (name,), f"{name} may not stand at the root where status is a subresource"
    fields = node.get("properties", {})
    for name in _META:
        if "default" in fields.get(name, ()):
            yield ("properties", name, "default"), f"{name} may have no default"
    meta = fields.get("metadata", {})
    own = {key for key, value in meta.items() if value not in (None, False, "", [], {})}
    own -= {"type", "default", "properties", "example", "externalDocs"}
    for name in sorted(own):
        yield (
            ("properties", "metadata", name),
            f"of metadata a schema may only say what name and generateName are, not {name}",
        )
    for name in meta.get("properties", {}):
        if name not in ("name", "generateName"):
            at = ("properties", "metadata", "properties", name)
            yield at, f"of metadata a schema may only say what name and generateName are, not {name}"


def _lists(node: Node) -> Defects:
    kind, items, keys = node.get("x-kubernetes-list-type"), node.get("items"), node.get("x-kubernetes-list-map-keys")
    if node.get("type") == "array" and items is None:
        yield (), "items is missing: of what is the list?"
    if keys and kind != "map":
        yield (
            ("x-kubernetes-list-map-keys",),
            "x-kubernetes-list-map-keys stands beside x-kubernetes-list-type: map only",
        )
    if items is None or kind not in ("set", "map"):
        return
    if items.get("nullable"):
        yield ("items", "nullable"), f"an item of a {kind} may not be nullable"
    if kind == "map":
        yield from _keys(items, keys or ())
    elif items.get("type") == "object" and items.get("x-kubernetes-map-type") != "atomic":
        yield ("items",), "objects of a set need x-kubernetes-map-type: atomic"
    elif items.get("type") == "array" and items.get("x-kubernetes-list-type", "atomic") != "atomic":
        yield ("items", "x-kubernetes-list-type"), "lists in a set are atomic"


def _keys(items: Node, keys: tuple[str, ...] | list[str]) -> Defects:
    at = ("x-kubernetes-list-map-keys",)
    if not keys:
        yield (), "x-kubernetes-list-map-keys is missing: by what are items told apart?"
    if items.get("type") != "object":
        yield ("items", "type"), "items of a map are of type object"
        return
    if len(set(keys)) < len(keys):
        yield at, "a key stands here twice"
    for key in dict.fromkeys(keys):
        child = items.get("properties", {}).get(key)
        if child is None:
            yield at, f"{key} is no field of its items"
            continue
        below = ("items", "properties", key)
        if child.get("type") in ("array", "object"):
            yield (*below, "type"), f"{key} is a key, which cannot be of type {child['type']}"
        if key not in items.get("required", ()) and child.get("default") is None:
            yield below, f"{key} is a key, and has to be required or have a default"
        if child.get("nullable"):
            yield (*below, "nullable"), f"{key} is a key, and may not be nullable"


def _value_defects(value: Node, of: Node | None, path: Path, *, is_first: bool = False) -> Defects:
    """Yield what may not stand in a schema that judges values.

    What it names has to be a field of `of` as well; None: the server does not look, which it does at the root only.
    """
    for below, message in _of_every_schema(value):
        yield (*path, *below), message
    for name in _VALUES_ONLY:
        if value.get(name) not in (None, False, "", [], {}):
            yield (*path, name), f"{name} may not stand below {path[0]}: say it beside it"
    for name, child in value.get("properties", {}).items():
        at = (*path, "properties", name)
        known = of is None or name in of.get("properties", {})
        if name == "metadata":
            yield at, f"metadata may not stand below {path[0]}"
        elif not known:
            yield at, f"{name} is a field below {path[0]} only: declare it in properties beside it, too"
        else:
            yield from _value_defects(child, of and of["properties"][name], at)
    if isinstance(items := value.get("items"), dict):
        if of is not None and "items" not in of:
            yield (*path, "items"), f"items stands below {path[0]} only: declare it beside it, too"
        else:
            yield from _value_defects(items, of and of["items"], (*path, "items"))
    for child, step in _values(value):
        if not (is_first and _is_int_or_string(value, step)):
            yield from _value_defects(child, of, (*path, *step))


def _defaults(place: Place) -> Iterator[Violation]:
    """Yield what is wrong with a default by its own schema, without the defaults further down."""
    value = place.node.get("default")
    if value is None or not place.judges_default:
        return
    structure = {"type": "object", "properties": {"default": _without_defaults(compact(place.node))}}
    schema = Schema("example.com", "Default", "v1", True, False, structure)
    body = {"apiVersion": schema.api_version, "kind": schema.kind, "metadata": {"name": "x"}, "default": value}
    for found in validate_object(body, schema, is_one_of_few=True):
        at = f"{printed(place.path)}.{found.path}"
        yield Violation(RULE, found.layer, at, _told(place.field, f"{found.path}: {found.message}"), _FIX)


def _without_defaults(node: Node) -> dict[str, Any]:
    from generator.schemas.sharing import with_children

    kept = with_children(node, _without_defaults)
    kept.pop("default", None)
    return kept
