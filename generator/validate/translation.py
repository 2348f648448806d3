"""A structural schema in the words of JSON Schema (draft 7), as strict as field validation that kubectl asks for."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from generator.frozen import dataclass
from generator.validate import formats, metadata
from generator.validate.patterns import portable, re2

Node = Mapping[str, Any]

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
_COMBINATIONS = ("allOf", "anyOf", "oneOf")
_INT_OR_STRING = [{"type": "integer"}, {"type": "string"}]
_STRING = {"type": "string"}
_RE2 = "re2:"
QUANTITY = "quantity"
"""A format of ours for quantities of built-in kinds, which may be fractions: the server reads them by code."""


def pattern_of(form: str) -> str | None:
    """Return the pattern that a format stands for, or None for a real format."""
    return form.removeprefix(_RE2) if form.startswith(_RE2) else None


@dataclass(frozen=True, slots=True)
class Translator:
    """`checks` takes the patterns that only RE2 understands, as formats; `references` names shared nodes by id.

    `builtin` kinds the server reads into Go, so that it knows the bounds of an int32 by itself.
    """

    checks: dict[str, Callable[[str], bool]]
    references: Mapping[int, str]
    builtin: bool = False

    def below(self, node: Node) -> dict[str, Any]:
        """Return the JSON Schema of a node that stands in another: a reference where it is shared."""
        reference = self.references.get(id(node))
        return {"$ref": reference} if reference else self.translate(node)

    def translate(self, node: Node) -> dict[str, Any]:
        """Return the JSON Schema of a node; a field that it does not have is refused."""
        if node == _STRING:
            return {"type": "string"}  # as most say no more
        out = _limits(node, _PASSED_ON)
        _type(node, out)
        _bounds(node, out, self.builtin)
        self._text(node, out)
        if "properties" in node or node.get("type") == "object":
            self._object(node, out)
        if "items" in node:
            out["items"] = self.below(node["items"])
        self._combinations(node, out)
        return out

    def _object(self, node: Node, out: dict[str, Any]) -> None:
        out["properties"] = {name: self.below(child) for name, child in node.get("properties", {}).items()}
        if "required" in node:
            out["required"] = list(node["required"])
        if node.get("x-kubernetes-embedded-resource"):
            _embedded(out)
        more = node.get("additionalProperties")
        if isinstance(more, Mapping) and more:
            out["additionalProperties"] = self.below(more)
        elif not more and more != {} and not node.get("x-kubernetes-preserve-unknown-fields"):
            out["additionalProperties"] = False

    def _combinations(self, node: Node, out: dict[str, Any]) -> None:
        either = node.get("x-kubernetes-int-or-string")
        for key in _COMBINATIONS:
            if node.get(key) and not (either and node[key] == _INT_OR_STRING):
                out[key] = [*out.get(key, ()), *map(self._value_rule, node[key])]
        if "not" in node:
            out["not"] = self._value_rule(node["not"])

    def _value_rule(self, node: Node) -> dict[str, Any]:
        """A schema below allOf, anyOf, oneOf or not: it judges values and declares no fields."""
        out = _limits(node, (*_PASSED_ON, "type", "required"))
        _bounds(node, out, self.builtin)
        self._text(node, out)
        if "properties" in node:
            out["properties"] = {name: self._value_rule(child) for name, child in node["properties"].items()}
        for key in ("items", "additionalProperties"):
            if isinstance(node.get(key), Mapping):
                out[key] = self._value_rule(node[key])
        self._combinations(node, out)
        return out

    def _text(self, node: Node, out: dict[str, Any]) -> None:
        pattern = node.get("pattern")
        if form := formats.enforced(node):
            out["format"] = form
        if pattern is None:
            return
        if portable(pattern):
            out["pattern"] = pattern
        else:
            self.checks[_RE2 + pattern] = re2(pattern)
            out["allOf"] = [*out.get("allOf", ()), {"format": _RE2 + pattern}]


def _limits(node: Node, keys: Iterable[str]) -> dict[str, Any]:
    """Return what both languages say alike; the server takes a count below 0 and a list of no values for nothing."""
    kept = {key: node[key] for key in keys if key in node and node[key] != []}
    return {key: max(value, 0) if key.startswith(("min", "max")) else value for key, value in kept.items()}


def _type(node: Node, out: dict[str, Any]) -> None:
    kinds = [node["type"]] if "type" in node else []
    if node.get("x-kubernetes-int-or-string"):
        kinds = ["integer", "string"]
    elif node.get("format") == QUANTITY:
        kinds = ["number", "string"]
    if kinds and node.get("nullable"):
        kinds = [*kinds, "null"]
        if "enum" in out:  # which no null passes, not even one that is named there: validate/validator.go
            out["enum"] = [value for value in out["enum"] if value is not None]
    if kinds:
        out["type"] = kinds if len(kinds) > 1 else kinds[0]


def _bounds(node: Node, out: dict[str, Any], builtin: bool) -> None:
    for bound, exclusive in (("minimum", "exclusiveMinimum"), ("maximum", "exclusiveMaximum")):
        if bound in node:
            out[exclusive if node.get(exclusive) is True else bound] = node[bound]
    form = node.get("format") or ("int64" if _is_integer(node) else "")
    if (limits := formats.BOUNDS.get(form)) is None:
        return
    low, high = limits
    if not builtin and form != "int64":
        out["allOf"] = [*out.get("allOf", ()), {"minimum": low, "maximum": high, "$comment": form}]
    elif out.setdefault("minimum", low) < low or out.setdefault("maximum", high) > high:
        out["allOf"] = [{"minimum": low, "maximum": high}]


def _is_integer(node: Node) -> bool:
    """Go reads a whole number beyond 64 bits as a float, which no integer field takes."""
    return node.get("type") == "integer" or bool(node.get("x-kubernetes-int-or-string"))


def _embedded(out: dict[str, Any]) -> None:
    """A whole object inside another. Source: apiextensions-apiserver pkg/apiserver/schema/objectmeta/validation.go."""
    version = {"type": "string", "minLength": 1, "pattern": "^([^/]*(/[^/]*)?)$"}
    kind = {"type": "string", "minLength": 1, "maxLength": 63, "pattern": "^[A-Za-z]([-A-Za-z0-9]*[A-Za-z0-9])?$"}
    meta = metadata.embedded_meta()
    out["properties"] |= {"apiVersion": version, "kind": kind, "metadata": meta | {"type": ["object", "null"]}}
    out["required"] = sorted({*out.get("required", ()), "apiVersion", "kind"})
