"""A structural schema compiled: the strict JSON Schema of what the server accepts, defaults, lists and CEL rules."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any

from generator.validate import formats, metadata
from generator.validate.defaults import Filler, filler
from generator.validate.lists import ListNode, list_tree
from generator.validate.patterns import portable, re2
from generator.validate.rules import RuleNode, rule_tree

if TYPE_CHECKING:
    import jsonschema_rs

    from generator.schemas.schema import Schema

_PASSED_ON = (
    "enum",
    "minLength",
    "maxLength",
    "minItems",
    "maxItems",
    "minProperties",
    "maxProperties",
    "multipleOf",
    "uniqueItems",
)
_NESTED = ("allOf", "anyOf", "oneOf")
_RE2 = "re2:"
QUANTITY = "quantity"


@dataclass(frozen=True, slots=True)
class Compiled:
    """A schema ready to judge: each part is None or empty where the schema has nothing of the kind."""

    json_schema: Mapping[str, Any]
    validator: jsonschema_rs.Validator
    filler: Filler | None
    lists: ListNode | None
    rules: RuleNode | None
    creation_rules: RuleNode | None


@cache
def compiled(schema: Schema) -> Compiled:
    """Return what is compiled from a schema, once per process: about 1 ms for a ClusterQueue, 10 ms for a runtime."""
    import jsonschema_rs

    checks: dict[str, Callable[[str], bool]] = dict(formats.CHECKS)
    json_schema = root_schema(schema, checks)
    validator = jsonschema_rs.Draft7Validator(
        json_schema,
        formats=checks,
        validate_formats=True,
        retriever=_never,
        pattern_options=jsonschema_rs.RegexOptions(),
    )
    node = schema.structure
    return Compiled(
        json_schema, validator, filler(node), list_tree(node), rule_tree(node), rule_tree(node, creating=True)
    )


def _never(uri: str) -> Any:
    raise LookupError(f"a schema refers to {uri}; nothing is ever fetched")


def root_schema(schema: Schema, checks: dict[str, Callable[[str], bool]]) -> dict[str, Any]:
    """Return the JSON Schema (draft 7) of a whole object; patterns of RE2 alone go to `checks` as formats."""
    root = json_schema(schema.structure, checks)
    root["properties"] |= {
        "apiVersion": {"const": schema.api_version},
        "kind": {"const": schema.kind},
        "metadata": metadata.object_meta(schema.group, schema.kind),
    }
    root["required"] = sorted({*root.get("required", ()), "apiVersion", "kind", "metadata"})
    return root


def json_schema(node: Mapping[str, Any], checks: dict[str, Callable[[str], bool]]) -> dict[str, Any]:
    """Return the JSON Schema of one node of a structural schema and all below it.

    A field that the schema does not have is refused, as strict field validation does, which kubectl asks for.
    """
    out: dict[str, Any] = {key: node[key] for key in _PASSED_ON if key in node}
    _type(node, out)
    _bounds(node, out)
    _text(node, out, checks)
    if "properties" in node or node.get("type") == "object":
        _object(node, out, checks)
    if "items" in node:
        out["items"] = json_schema(node["items"], checks)
    for key in _NESTED:
        if key in node and not _says_int_or_string(node, key):
            out[key] = [_value_rule(child, checks) for child in node[key]]
    if "not" in node:
        out["not"] = _value_rule(node["not"], checks)
    return out


def _type(node: Mapping[str, Any], out: dict[str, Any]) -> None:
    kind: Any = node.get("type")
    if node.get("x-kubernetes-int-or-string"):
        kind = ["integer", "string"]
    elif node.get("format") == QUANTITY:
        kind = ["number", "string"]
    if kind and node.get("nullable"):
        kind = [*([kind] if isinstance(kind, str) else kind), "null"]
        if "enum" in out:
            out["enum"] = [*out["enum"], None]
    if kind:
        out["type"] = kind


def _says_int_or_string(node: Mapping[str, Any], key: str) -> bool:
    """Whether a combination only repeats x-kubernetes-int-or-string in OpenAPI's words."""
    return bool(node.get("x-kubernetes-int-or-string")) and [*map(dict, node[key])] == [
        {"type": "integer"},
        {"type": "string"},
    ]


def _bounds(node: Mapping[str, Any], out: dict[str, Any]) -> None:
    for bound, exclusive in (("minimum", "exclusiveMinimum"), ("maximum", "exclusiveMaximum")):
        if bound in node:
            out[exclusive if node.get(exclusive) is True else bound] = node[bound]
    form = node.get("format") or ("int64" if _is_integer(node) else "")
    if limits := formats.BOUNDS.get(form):
        low, high = limits
        out.setdefault("minimum", low)
        out.setdefault("maximum", high)
        if out["minimum"] < low or out["maximum"] > high:
            out["allOf"] = [{"minimum": low, "maximum": high}]


def _is_integer(node: Mapping[str, Any]) -> bool:
    """Go reads a whole number beyond 64 bits as a float, which no integer field takes."""
    return node.get("type") == "integer" or bool(node.get("x-kubernetes-int-or-string"))


def _text(node: Mapping[str, Any], out: dict[str, Any], checks: dict[str, Callable[[str], bool]]) -> None:
    form = node.get("format")
    if form in formats.CHECKS and node.get("type") == "string":
        out["format"] = form
    pattern = node.get("pattern")
    if pattern is None:
        return
    if portable(pattern):
        out["pattern"] = pattern
        return
    checks[_RE2 + pattern] = re2(pattern)
    if "format" in out:
        out["allOf"] = [*out.get("allOf", ()), {"format": _RE2 + pattern}]
    else:
        out["format"] = _RE2 + pattern


def pattern_of(form: str) -> str | None:
    """Return the pattern that a format stands for, or None for a real format."""
    return form.removeprefix(_RE2) if form.startswith(_RE2) else None


def _object(node: Mapping[str, Any], out: dict[str, Any], checks: dict[str, Callable[[str], bool]]) -> None:
    out["properties"] = {name: json_schema(child, checks) for name, child in node.get("properties", {}).items()}
    if "required" in node:
        out["required"] = list(node["required"])
    if node.get("x-kubernetes-embedded-resource"):
        _embedded(out)
    more = node.get("additionalProperties")
    if isinstance(more, Mapping) and more:
        out["additionalProperties"] = json_schema(more, checks)
    elif not more and more != {} and not node.get("x-kubernetes-preserve-unknown-fields"):
        out["additionalProperties"] = False


def _embedded(out: dict[str, Any]) -> None:
    """A whole object inside another. Source: apiextensions-apiserver pkg/apiserver/schema/objectmeta/validation.go."""
    text = {"type": "string", "minLength": 1}
    out["properties"] |= {"apiVersion": text, "kind": text, "metadata": metadata.object_meta("", "")}
    out["required"] = sorted({*out.get("required", ()), "apiVersion", "kind"})


def _value_rule(node: Mapping[str, Any], checks: dict[str, Callable[[str], bool]]) -> dict[str, Any]:
    """A schema below allOf, anyOf, oneOf or not: it judges values and declares no fields."""
    out: dict[str, Any] = {key: node[key] for key in (*_PASSED_ON, "type", "required") if key in node}
    _bounds(node, out)
    _text(node, out, checks)
    if "properties" in node:
        out["properties"] = {name: _value_rule(child, checks) for name, child in node["properties"].items()}
    for key in ("items", "not", "additionalProperties"):
        if isinstance(node.get(key), Mapping):
            out[key] = _value_rule(node[key], checks)
    for key in _NESTED:
        if key in node:
            out[key] = [_value_rule(child, checks) for child in node[key]]
    return out
