"""Whether an object fits its schema beyond doubt, told by walking both: most do, and the engine takes 25 ms to come.

What says yes is right; whatever it is not sure of is no, and the engine decides. For many objects of a kind the engine
is faster.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from functools import cache, lru_cache
from typing import Any

from generator.validate import formats
from generator.validate.patterns import portable
from generator.validate.translation import QUANTITY

Node = Mapping[str, Any]

_INT_OR_STRING = [{"type": "integer"}, {"type": "string"}]
_KNOWN = frozenset(
    (
        *("default", "nullable", "type", "properties", "required", "items", "additionalProperties", "enum"),
        *("minLength", "maxLength", "minimum", "maximum", "minItems", "maxItems", "minProperties", "maxProperties"),
        *("format", "pattern", "anyOf", "x-kubernetes-int-or-string", "x-kubernetes-preserve-unknown-fields"),
        *("x-kubernetes-list-type", "x-kubernetes-list-map-keys", "x-kubernetes-validations"),
    )
)
_METADATA = frozenset(("name", "namespace", "labels", "annotations"))
_OBJECT = frozenset(("apiVersion", "kind", "metadata"))
_TYPE_ONLY = {"type": "string"}


def fits(body: Mapping[str, Any], structure: Node, api_version: str, kind: str) -> bool:
    """Whether a whole object, with its defaults, fits; its metadata is left out."""
    inner = {key: value for key, value in body.items() if key not in _OBJECT}
    named = body.get("apiVersion") == api_version and body.get("kind") == kind
    return named and _fits_names(body.get("metadata"), structure) and _fits_object(inner, structure, _OBJECT)


def _fits_names(meta: Any, structure: Node) -> bool:
    """Whether metadata fits what a schema says about its name, which is all that it can say."""
    if not isinstance(meta, dict):
        return False
    limits = structure.get("properties", {}).get("metadata", {}).get("properties", {})
    return all(_fits(meta[key], node) for key, node in limits.items() if key in meta)


def fits_metadata(meta: Mapping[str, Any], schema: Node) -> bool:
    """Whether metadata of no more than name, namespace, labels and annotations fits `metadata.object_meta`."""
    fields = schema["properties"]
    if "name" not in meta or not meta.keys() <= _METADATA:
        return False
    texts = all(_fits_text(meta[key], fields[key]) for key in ("name", "namespace") if key in meta)
    return texts and all(_fits_texts(meta[key], fields[key]) for key in ("labels", "annotations") if key in meta)


def _fits_texts(value: Any, node: Node) -> bool:
    keys, values = node["propertyNames"], node["additionalProperties"]
    return isinstance(value, dict) and all(_fits_text(k, keys) and _fits_text(v, values) for k, v in value.items())


def _fits_text(value: Any, node: Node) -> bool:
    if not isinstance(value, str) or len(value) > node.get("maxLength", len(value)):
        return False
    patterns = [node, *node.get("allOf", ())]
    return all("pattern" not in each or _matches(each["pattern"], value) for each in patterns)


def _fits(value: Any, node: Node) -> bool:
    if node == _TYPE_ONLY:
        return isinstance(value, str)
    if not node.keys() <= _KNOWN or ("enum" in node and value not in node["enum"]):
        return False
    if "anyOf" in node and (node["anyOf"] != _INT_OR_STRING or not node.get("x-kubernetes-int-or-string")):
        return False
    kind = node.get("type", "")
    if node.get("x-kubernetes-int-or-string"):
        kind = "string" if isinstance(value, str) else "integer"
    elif node.get("format") == QUANTITY:
        kind = "string"  # a number may be one, too, of which the engine knows more
    check = _CHECKS.get(kind)
    return check is not None and check(value, node)


def _fits_list(value: Any, node: Node) -> bool:
    if not isinstance(value, list) or not node.get("minItems", 0) <= len(value) <= node.get("maxItems", len(value)):
        return False
    items = node.get("items", {})
    return all(_fits(item, items) for item in value)


def _fits_integer(value: Any, node: Node) -> bool:
    if not isinstance(value, int) or isinstance(value, bool):
        return False
    low, high = formats.BOUNDS.get(node.get("format") or "int64", (0, -1))
    return bool(max(low, node.get("minimum", low)) <= value <= min(high, node.get("maximum", high)))


def _fits_string(value: Any, node: Node) -> bool:
    if not isinstance(value, str) or not node.get("minLength", 0) <= len(value) <= node.get("maxLength", len(value)):
        return False
    form = formats.enforced(node)
    if form is not None and not formats.CHECKS[form](value):
        return False
    return "pattern" not in node or _matches(node["pattern"], value)


def _fits_object(value: Any, node: Node, besides: frozenset[str] = frozenset()) -> bool:
    if not isinstance(value, dict) or not set(node.get("required", ())) - besides <= value.keys():
        return False
    if not node.get("minProperties", 0) <= len(value) + len(besides) <= node.get("maxProperties", 2**31):
        return False
    fields, more = node.get("properties", {}), node.get("additionalProperties")
    for key, inner in value.items():
        if key in fields:
            if not _fits(inner, fields[key]):
                return False
        elif not isinstance(more, Mapping) or not more or not isinstance(key, str) or not _fits(inner, more):
            return False
    return True


_CHECKS: Mapping[str, Callable[[Any, Node], bool]] = {
    "object": _fits_object,
    "array": _fits_list,
    "string": _fits_string,
    "integer": _fits_integer,
    "boolean": lambda value, _: isinstance(value, bool),
}


@lru_cache(maxsize=8192)
def _matches(pattern: str, text: str) -> bool:
    """Whether a pattern is found in a text, where all dialects agree on both: printable ASCII, and `portable`."""
    compiled = _compiled(pattern)
    return compiled is not None and text.isascii() and text.isprintable() and compiled.search(text) is not None


@cache
def _compiled(pattern: str) -> re.Pattern[str] | None:
    return re.compile(pattern, re.ASCII) if portable(pattern) else None
