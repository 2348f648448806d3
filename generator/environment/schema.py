"""JSON Schema (draft 2020-12) of what people write, for editors: pydantic's, with the words that editors show."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from generator import facts
from generator.environment.gate import ENVELOPE
from generator.environment.validate import API_VERSION, KINDS, adapter

DIALECT = "https://json-schema.org/draft/2020-12/schema"
Schema = dict[str, Any]


def schema(kind: str) -> Schema:
    """Return the schema of one kind; parts of it are in `$defs`.

    Raises:
        KeyError: no such kind.
    """
    own = adapter(kind).json_schema()
    parts = own.pop("$defs", {})
    words = facts.document(Path(__file__).with_name("descriptions.yaml"))
    for name, part in {**parts, kind: own}.items():
        _describe(part, words[name])
    for node in _nodes([own, parts]):
        if "patternProperties" in node:
            node["additionalProperties"] = False  # pydantic leaves open what its own check refuses
    own["properties"] = {"apiVersion": {"const": API_VERSION}, "kind": {"const": kind}, **own["properties"]}
    own["required"] = [*ENVELOPE, *own.get("required", [])]
    return {"$schema": DIALECT, "$id": _id(kind), "title": kind, **own, "$defs": parts}


def schema_of_all() -> Schema:
    """Return the schema of a document of any kind."""
    kinds = [schema(kind) for kind in KINDS]
    parts = {name: part for one in kinds for name, part in one.pop("$defs").items()}
    for one in kinds:
        del one["$schema"], one["$id"]
    return {
        "$schema": DIALECT,
        "$id": _id("all"),
        "title": "Apportion input",
        "oneOf": [{"$ref": f"#/$defs/{kind}"} for kind in KINDS],
        "$defs": {**dict(zip(KINDS, kinds, strict=True)), **parts},
    }


def _id(name: str) -> str:
    return f"https://{API_VERSION.split('/')[0]}/schema/v1/{name}.json"


def _describe(part: Schema, words: dict[str, str]) -> None:
    part["description"] = words["_"]
    for key, value in part["properties"].items():
        value.pop("title", None)  # pydantic's guess, such as "Memorygb"
        form = f" ({value['description']})" if "description" in value else ""
        value["description"] = words[key] + form


def _nodes(node: Any) -> Iterator[Schema]:
    if isinstance(node, dict):
        yield node
    for child in node.values() if isinstance(node, dict) else node if isinstance(node, list) else ():
        yield from _nodes(child)
