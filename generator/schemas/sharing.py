"""Schemas repeat themselves: a pod template in every job, a source in every status. Here each part is kept once."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Mapping
from typing import Any

Node = Mapping[str, Any]
# a shorter part is not worth a reference
_WORTH = 100
_SINGLE = ("items", "additionalProperties")


def fold(structure: Node) -> tuple[Node, list[Node]]:
    """Return an equal structure whose equal parts are one object, and those parts, each after the parts within it."""
    made: dict[str, Node] = {}
    order: list[Node] = []
    uses: Counter[int] = Counter()

    def folded(node: Node) -> Node:
        small = with_children(node, folded)
        text = json.dumps(small, separators=(",", ":"))
        if text not in made:
            made[text] = small
            if len(text) >= _WORTH:
                order.append(small)
            for child in children(small):
                uses[id(child)] += 1
        return made[text]

    root = folded(structure)
    return root, [node for node in order if uses[id(node)] > 1]


def children(node: Node) -> list[Node]:
    """Return the schemas directly below a schema: of its fields, items and values."""
    below = [*node.get("properties", {}).values()]
    return below + [node[key] for key in _SINGLE if isinstance(node.get(key), Mapping)]


def with_children(node: Node, change: Callable[[Node], Node]) -> dict[str, Any]:
    """Return a copy of a schema with something else in place of each schema directly below it."""
    out = dict(node)
    if "properties" in out:
        out["properties"] = {name: change(child) for name, child in out["properties"].items()}
    for key in _SINGLE:
        if isinstance(out.get(key), Mapping):
            out[key] = change(out[key])
    return out


def referring(node: Node, names: Mapping[int, str]) -> dict[str, Any]:
    """Return a schema that names the shared parts below it: `{"$ref": "3"}`."""

    def reference(child: Node) -> Node:
        return {"$ref": names[id(child)]} if id(child) in names else referring(child, names)

    return with_children(node, reference)


def resolved(node: Node, shared: Mapping[str, Node]) -> Node:
    """Return a schema with the shared parts in place of their names.

    Raises:
        KeyError: a name is unknown.
    """
    return shared[node["$ref"]] if "$ref" in node else with_children(node, lambda child: resolved(child, shared))
