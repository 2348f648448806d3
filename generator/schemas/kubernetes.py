"""Kubernetes' own definitions (strict JSON Schemas made of its OpenAPI document), read as structural schemas."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from generator.facts import document

_PREFIXES = ("io.k8s.apimachinery.pkg.apis.", "io.k8s.api.")
QUANTITY_PATTERN = r"^[+-]?([0-9]+(\.[0-9]*)?|\.[0-9]+)([KMGTPE]i|[numkMGTPE]|[eE][+-]?[0-9]+)?$"

# types that Kubernetes reads by a method of their own; source: k8s.io/apimachinery pkg/api/resource, pkg/util/intstr
_SPECIAL: dict[str, dict[str, Any]] = {
    "io.k8s.apimachinery.pkg.api.resource.Quantity": {"format": "quantity", "pattern": QUANTITY_PATTERN},
    "io.k8s.apimachinery.pkg.util.intstr.IntOrString": {"x-kubernetes-int-or-string": True},
    "io.k8s.apimachinery.pkg.apis.meta.v1.Time": {"type": "string", "format": "date-time"},
    "io.k8s.apimachinery.pkg.apis.meta.v1.MicroTime": {"type": "string", "format": "date-time"},
    "io.k8s.apimachinery.pkg.apis.meta.v1.FieldsV1": {"type": "object", "x-kubernetes-preserve-unknown-fields": True},
    "io.k8s.apimachinery.pkg.runtime.RawExtension": {"type": "object", "x-kubernetes-preserve-unknown-fields": True},
}
_KEPT = ("format", "required", "pattern", "minimum", "maximum", "enum")
_TOP = ("apiVersion", "kind")


def read_release(folder: Path, wanted: Iterable[str]) -> dict[str, Any]:
    """Return the definitions that `wanted` ones ("core.v1.Namespace") need, by short name."""
    definitions = json.loads((folder / "_definitions.json").read_bytes())["$defs"]
    by_short_name = {short(name): node for name, node in definitions.items()}
    made: dict[str, Any] = {}
    queue = list(wanted)
    while queue:
        name = queue.pop()
        if name in made or name not in by_short_name:
            continue
        made[name] = _structural(by_short_name[name], queue)
    checked: dict[str, Any] = document(Path(__file__).with_name("kubernetes-code.yaml"))
    return made | {name: _checked(made[name], more) for name, more in checked.items() if name in made}


def _checked(definition: Mapping[str, Any], more: Mapping[str, Any]) -> dict[str, Any]:
    """A definition with what Kubernetes checks of it in code."""
    properties = dict(definition["properties"])
    for name, facts in more.get("properties", {}).items():
        properties[name] = properties[name] | facts
    required = [*definition.get("required", ()), *more.get("required", ())]
    return {**definition, "properties": properties, **({"required": required} if required else {})}


def short(name: str) -> str:
    """Return `core.v1.Pod` for `io.k8s.api.core.v1.Pod`."""
    for prefix in _PREFIXES:
        name = name.removeprefix(prefix)
    return name


def _structural(node: Mapping[str, Any], queue: list[str]) -> dict[str, Any]:
    if "$ref" in node:
        target = node["$ref"].rpartition("/")[2]
        if target in _SPECIAL:
            return dict(_SPECIAL[target])
        queue.append(short(target))
        return {"$ref": short(target)}
    out: dict[str, Any] = {key: node[key] for key in _KEPT if key in node}
    kind = node.get("type")
    if kind:
        out["type"] = next(word for word in kind if word != "null") if isinstance(kind, list) else kind
    if "properties" in node:
        out["properties"] = {name: _structural(child, queue) for name, child in node["properties"].items()}
        out["properties"] |= {name: {"type": "string"} for name in _TOP if name in out["properties"]}
    if "items" in node:
        out["items"] = _structural(node["items"], queue)
    if isinstance(node.get("additionalProperties"), dict):
        out["additionalProperties"] = _structural(node["additionalProperties"], queue)
    if out.get("enum"):
        out["enum"] = [value for value in out["enum"] if value is not None]
    return out
