"""A second opinion: a CRD's schema as plain JSON Schema, for python-jsonschema. It shares no code with the engine.

It knows structure only: no CEL, no list types, and metadata is left open.
"""

from __future__ import annotations

import base64
import binascii
from collections.abc import Iterator, Mapping
from datetime import datetime
from typing import Any

import jsonschema

_KEYWORDS = ("enum", "minLength", "maxLength", "pattern", "minItems", "maxItems", "minProperties", "maxProperties")
_BOUNDS = {"int32": 2**31, "int64": 2**63}


def validator(crd: Mapping[str, Any], version: str) -> jsonschema.Draft7Validator:
    """Return the validator of one version of a CRD."""
    served = next(v for v in crd["spec"]["versions"] if v["name"] == version)
    schema = translate(structure(crd, version))
    schema["properties"] |= {
        "apiVersion": {"type": "string"},
        "kind": {"type": "string"},
        "metadata": {"type": "object"},
    }
    if "status" in (served.get("subresources") or {}):
        schema["properties"]["status"] = {}
    return jsonschema.Draft7Validator(schema, format_checker=_checker())


def structure(crd: Mapping[str, Any], version: str) -> Mapping[str, Any]:
    """Return the structural schema of one version of a CRD."""
    found: Mapping[str, Any] = next(v for v in crd["spec"]["versions"] if v["name"] == version)["schema"][
        "openAPIV3Schema"
    ]
    return found


def _checker() -> jsonschema.FormatChecker:
    checker = jsonschema.FormatChecker(formats=())
    checker.checks("date-time", ValueError)(lambda text: bool(datetime.fromisoformat(text)))
    checker.checks("byte", binascii.Error)(lambda text: base64.b64decode(text, validate=True) is not None)
    return checker


def translate(node: Mapping[str, Any]) -> dict[str, Any]:
    """Return the JSON Schema of a structural schema."""
    either = node.get("x-kubernetes-int-or-string", False)
    types = ["integer", "string"] if either else [node["type"]] if "type" in node else []
    out = {**_rules(node, either)}
    if types:
        out["type"] = [*types, "null"] if node.get("nullable") else types
    if node.get("nullable") and "enum" in out:
        out["enum"] = [*out["enum"], None]
    if "integer" in types:
        bound = _BOUNDS.get(node.get("format", "int64"), 2**63)
        out["allOf"] = [*out.get("allOf", []), {"minimum": -bound, "maximum": bound - 1}]
    if node.get("type") == "object" or "properties" in node:
        out["properties"] = {name: translate(child) for name, child in node.get("properties", {}).items()}
        out["required"] = node.get("required", [])
        more = node.get("additionalProperties")
        open_to_all = node.get("x-kubernetes-preserve-unknown-fields", False)
        out["additionalProperties"] = translate(more) if isinstance(more, dict) else bool(more) or open_to_all
    if "items" in node:
        out["items"] = translate(node["items"])
    return out


def _rules(node: Mapping[str, Any], either: bool = False) -> dict[str, Any]:
    out = {key: node[key] for key in _KEYWORDS if key in node}
    for bound in ("minimum", "maximum"):
        if bound in node:
            strict = f"exclusive{bound.capitalize()}"
            out[strict if node.get(strict) else bound] = node[bound]
    if node.get("format") in ("date-time", "byte"):
        out["format"] = node["format"]
    for key in ("allOf", "anyOf", "oneOf"):
        if key in node and not either:
            out[key] = [_nested(child) for child in node[key]]
    if "not" in node:
        out["not"] = _nested(node["not"])
    return out


def _nested(node: Mapping[str, Any]) -> dict[str, Any]:
    out = _rules(node) | {key: node[key] for key in ("type", "required") if key in node}
    if "properties" in node:
        out["properties"] = {name: _nested(child) for name, child in node["properties"].items()}
    if "items" in node:
        out["items"] = _nested(node["items"])
    return out


def read(node: Mapping[str, Any], value: Any) -> Any:
    """Return a value as the server reads it: nulls without meaning dropped, then defaults filled in."""
    if isinstance(value, list):
        return [read(node.get("items", {}), item) for item in value]
    if not isinstance(value, dict):
        return value
    properties = node.get("properties", {})
    more = node.get("additionalProperties")
    kept = dict(_kept(properties, more if isinstance(more, dict) else {}, value))
    for name, child in properties.items():
        if name not in kept and "default" in child:
            kept[name] = read(child, child["default"])
    return kept


def _kept(
    properties: Mapping[str, Any], more: Mapping[str, Any], value: Mapping[str, Any]
) -> Iterator[tuple[str, Any]]:
    for name, item in value.items():
        child = properties.get(name, more)
        if item is None and child and not child.get("nullable"):
            continue
        yield name, read(child, item)
