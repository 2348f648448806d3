"""Structural schemas of CRDs, as the API server applies them: strict validation, keys of list maps, defaults.

Source: Kubernetes documentation, "Extend the Kubernetes API with CustomResourceDefinitions", structural schemas.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

Schema = Mapping[str, Any]
_FREE = ("x-kubernetes-preserve-unknown-fields", "x-kubernetes-embedded-resource")


def strict(schema: Schema) -> dict[str, Any]:
    """Return the schema as JSON Schema, draft 4, in which a field that the server would drop is an error."""
    made = dict(schema)
    if "properties" in schema:
        made["properties"] = {key: strict(child) for key, child in schema["properties"].items()}
        if "additionalProperties" not in schema and not any(schema.get(key) for key in _FREE):
            made["additionalProperties"] = False
    if isinstance(schema.get("additionalProperties"), Mapping):
        made["additionalProperties"] = strict(schema["additionalProperties"])
    if "items" in schema:
        made["items"] = strict(schema["items"])
    if schema.get("x-kubernetes-int-or-string"):
        made.pop("type", None)
        made["anyOf"] = [{"type": "integer"}, {"type": "string"}]
    if schema.get("nullable") and "type" in made:
        made["type"] = [made["type"], "null"]
    return made


def of_object(schema: Schema) -> dict[str, Any]:
    """Return the strict schema of a whole object; its type and metadata the server knows by itself."""
    own = {"apiVersion": {"type": "string"}, "kind": {"type": "string"}, "metadata": {"type": "object"}}
    return strict({**schema, "properties": {**schema["properties"], **own}})


def repeated(schema: Schema, value: Any, path: str = "") -> Iterator[str]:
    """Yield the path of each list in which two items have the same keys."""
    if isinstance(value, list):
        if schema.get("x-kubernetes-list-type") == "map":
            keys = [tuple(item.get(key) for key in schema["x-kubernetes-list-map-keys"]) for item in value]
            if len(set(keys)) < len(keys):
                yield path
        if schema.get("x-kubernetes-list-type") == "set" and len(set(value)) < len(value):
            yield path
    for child, inner, below in _children(schema, value, path):
        yield from repeated(child, inner, below)


def defaulted(schema: Schema, value: Any, path: str = "") -> Iterator[str]:
    """Yield the path of each field that the server would fill in; items of lists count as `[]`."""
    if isinstance(value, Mapping):
        for key, child in schema.get("properties", {}).items():
            if key not in value and "default" in child:
                yield f"{path}.{key}"
    for child, inner, below in _children(schema, value, path):
        yield from defaulted(child, inner, below)


def _children(schema: Schema, value: Any, path: str) -> Iterator[tuple[Schema, Any, str]]:
    if isinstance(value, list) and "items" in schema:
        yield from ((schema["items"], item, f"{path}[]") for item in value)
    if isinstance(value, Mapping):
        others = schema.get("additionalProperties")
        for key, inner in value.items():
            child = schema.get("properties", {}).get(key, others)
            if isinstance(child, Mapping):
                yield child, inner, f"{path}.{key}"
