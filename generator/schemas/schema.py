"""Schema: one served version of one kind, in the structural OpenAPI form that a CustomResourceDefinition uses."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from generator.frozen import dataclass
from generator.pattern import pattern
from generator.schemas.sharing import fold, referring, resolved

# annotations that say nothing about what is accepted
_PROSE = frozenset(
    {"description", "title", "example", "externalDocs", "x-kubernetes-map-type", "x-kubernetes-patch-strategy"}
)
# of keys named here the values are plain data or lists, not schemas
_PLAIN = frozenset({"default", "enum", "required", "x-kubernetes-validations", "x-kubernetes-list-map-keys"})
_SCHEMAS = frozenset({"allOf", "anyOf", "oneOf"})
_WIDTH = 100
_NAME = pattern(r"[A-Za-z0-9]([-A-Za-z0-9.]{0,251}[A-Za-z0-9])?")


@dataclass(frozen=True, slots=True, eq=False)
class Schema:
    """One served version of one kind.

    `structure` is a structural schema (apiextensions.k8s.io/v1, openAPIV3Schema) without prose. Where the kind has a
    status subresource, `structure` has no `status`: the server drops it from what is created.
    `shared` are the nodes that stand in `structure` more than once, as the same object, each after those within it.
    `builtin` kinds belong to Kubernetes itself, which checks them in code beside the schema.
    Two schemas are equal only if they are the same object, so that what is compiled from one can be kept.
    """

    group: str
    kind: str
    version: str
    namespaced: bool
    drops_status: bool
    structure: Mapping[str, Any]
    builtin: bool = False
    shared: tuple[Mapping[str, Any], ...] = ()

    @property
    def api_version(self) -> str:
        """The manifest's apiVersion: "v1" or "kueue.x-k8s.io/v1beta2"."""
        return f"{self.group}/{self.version}" if self.group else self.version


def from_crd(crd: Mapping[str, Any]) -> list[Schema]:
    """Return a CustomResourceDefinition's served versions.

    Raises:
        ValueError: not a CustomResourceDefinition of apiextensions.k8s.io/v1 with a schema per version.
    """
    try:
        spec = crd["spec"]
        names, versions = spec["names"], spec["versions"]
        return [_version(spec, names["kind"], version) for version in versions if version.get("served")]
    except (KeyError, TypeError, AttributeError) as error:
        raise ValueError(f"is not a CustomResourceDefinition of apiextensions.k8s.io/v1: {error}") from error


def _version(spec: Mapping[str, Any], kind: str, version: Mapping[str, Any]) -> Schema:
    for name in (spec["group"], kind, version["name"]):
        if not (isinstance(name, str) and _NAME.fullmatch(name)):  # it will be part of a file's name
            raise TypeError(f"{name!r} can be no group, kind or version")
    structure = compact(version["schema"]["openAPIV3Schema"])
    if structure.get("type") != "object":
        raise TypeError("its schema is not of type object")
    drops_status = "status" in (version.get("subresources") or {})
    if drops_status:
        _without_status(structure)
    return Schema(spec["group"], kind, version["name"], spec["scope"] == "Namespaced", drops_status, structure)


def _without_status(structure: dict[str, Any]) -> None:
    structure.get("properties", {}).pop("status", None)
    if "status" in structure.get("required", ()):
        structure["required"] = [name for name in structure["required"] if name != "status"]


def compact(node: Any) -> dict[str, Any]:
    """Return a structural schema without its prose; fields may be called `description` all the same."""
    kept: dict[str, Any] = {}
    for key, value in node.items():
        if key in _PROSE:
            continue
        if key == "properties":
            kept[key] = {name: compact(child) for name, child in value.items()}
        elif key in _SCHEMAS:
            kept[key] = [compact(child) for child in value]
        elif isinstance(value, dict) and key not in _PLAIN:
            kept[key] = compact(value)
        else:
            kept[key] = value
    return kept


def dump(schema: Schema) -> str:
    """Return the compact JSON text of a schema, which `parse` reads; what stands in it twice is written once."""
    structure, shared = fold(schema.structure)
    names = {id(node): str(number) for number, node in enumerate(shared)}
    head = {
        "group": schema.group,
        "kind": schema.kind,
        "version": schema.version,
        "namespaced": schema.namespaced,
        "dropsStatus": schema.drops_status,
    }
    definitions = {names[id(node)]: referring(node, names) for node in shared}
    return _lines({**head, "definitions": definitions, "schema": referring(structure, names)}) + "\n"


def parse(text: str | bytes) -> Schema:
    """Return the schema in a compact JSON text.

    Raises:
        ValueError: not such a text.
    """
    try:
        data = json.loads(text)
        shared: dict[str, Any] = {}
        for name, node in data["definitions"].items():  # each refers to earlier ones only
            shared[name] = resolved(node, shared)
        return Schema(
            data["group"],
            data["kind"],
            data["version"],
            data["namespaced"],
            data["dropsStatus"],
            resolved(data["schema"], shared),
            shared=tuple(shared.values()),
        )
    except (KeyError, TypeError, AttributeError) as error:
        raise ValueError(f"is not a compact schema: {error}") from error


def _lines(value: Any) -> str:
    """JSON with an object on one line where it fits, so that a change of one field is a change of one line."""
    flat = json.dumps(value, separators=(",", ":"))
    if len(flat) <= _WIDTH or not isinstance(value, dict):
        return flat
    inner = ",\n".join(f"{json.dumps(key)}:{_lines(child)}" for key, child in value.items())
    return f"{{\n{inner}\n}}"
