"""A CustomResourceDefinition as the API server judges it when it is created: names, versions, and each one's schema.

Source: k8s.io/apiextensions-apiserver v0.33.4 pkg/apis/apiextensions/validation/validation.go and v1/defaults.go. Not
looked into: what a conversion webhook is asked, the estimated cost of rules, and status, which the server writes.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from functools import cache
from typing import Any

from generator.finding import Layer
from generator.validate import metadata
from generator.validate.definition_rules import led
from generator.validate.definition_schema import RULE, of_schema, schema_defects, violation_at
from generator.validate.explain import objections
from generator.validate.paths import Path
from generator.validate.structural import Judge, of_metadata
from generator.validate.syntax import dns1035_defect, subdomain_defect
from generator.validate.violation import Violation

_APPROVED = "api-approved.kubernetes.io"
_V1 = "apiextensions.k8s.io/v1"
_SCHEMA = "openAPIV3Schema"
_VERSIONS = ("spec", "versions")

_TEXT, _FLAG, _NUMBER, _ANY = {"type": "string"}, {"type": "boolean"}, {"type": "integer"}, {"type": "object"}
_TEXTS = {"type": "array", "items": _TEXT}


def _fields(required: str, **fields: Any) -> dict[str, Any]:
    return {"type": "object", "required": required.split(), "additionalProperties": False, "properties": fields}


_COLUMN = _fields(
    "name type jsonPath",
    type={"enum": ["integer", "number", "string", "boolean", "date"]},
    format={"enum": ["", "int32", "int64", "float", "double", "byte", "date", "date-time", "password"]},
    priority=_NUMBER,
    **dict.fromkeys(("name", "description", "jsonPath"), _TEXT),
)
_SCALE = _fields("specReplicasPath statusReplicasPath", specReplicasPath=_TEXT, statusReplicasPath=_TEXT)
_SCALE["properties"]["labelSelectorPath"] = _TEXT
_VERSION = _fields(
    "name schema",
    name=_TEXT,
    served=_FLAG,
    storage=_FLAG,
    deprecated=_FLAG,
    deprecationWarning={"type": "string", "minLength": 1, "maxLength": 256},
    schema=_fields(_SCHEMA, openAPIV3Schema=_ANY),
    subresources=_fields("", status=_fields(""), scale=_SCALE),
    additionalPrinterColumns={"type": "array", "items": _COLUMN},
    selectableFields={"type": "array", "items": _fields("jsonPath", jsonPath=_TEXT)},
)
_NAMES = _fields(
    "plural kind",
    **dict.fromkeys(("plural", "singular", "kind", "listKind"), _TEXT),
    **dict.fromkeys(("shortNames", "categories"), _TEXTS),
)
_CONVERSION = _fields("strategy", strategy={"enum": ["None", "Webhook"]}, webhook=_ANY)
_SPEC = _fields(
    "group names scope versions",
    group=_TEXT,
    names=_NAMES,
    scope={"enum": ["Cluster", "Namespaced"]},
    versions={"type": "array", "items": _VERSION},
    conversion=_CONVERSION,
    preserveUnknownFields={"enum": [False]},
)
_DEFINITION = _fields("spec", spec=_SPEC, status=_ANY, **dict.fromkeys(("apiVersion", "kind"), _TEXT), metadata=_ANY)


def judge(body: Mapping[str, Any]) -> Iterator[Violation]:
    """Yield what an API server has against a definition that is plain JSON; nothing: it takes it."""
    if body.get("apiVersion") != _V1:
        message = f"CustomResourceDefinition is not served as {body.get('apiVersion')}"
        fix = f"write {_V1}, and the schema of each version below it: Kubernetes has no other since 1.22"
        yield Violation("api-version-not-served", Layer.SCHEMA, "apiVersion", message, fix)
        return
    body = as_read(body)
    malformed = list(_malformed(_judge(), body))
    yield from malformed
    meta = body.get("metadata")
    if isinstance(meta, dict):
        judged = objections(of_metadata(metadata.name_form("apiextensions.k8s.io", "")), meta, ("metadata",))
        yield from (found for found in judged if found.path != "metadata.name")  # of which more is known below
    if any(violation.rule == RULE for violation in malformed):
        return
    for path, message in _misnamed(body["spec"], meta if isinstance(meta, dict) else {}):
        yield violation_at(path, message)
    for index, version in enumerate(body["spec"]["versions"]):
        for path, message in _version_defects(version):
            yield violation_at((*_VERSIONS, index, *path), message)
        below = (*_VERSIONS, index, "schema", _SCHEMA)
        yield from schema_defects(version["schema"][_SCHEMA], below, "status" in version.get("subresources", {}))


def _malformed(judge: Judge, body: Mapping[str, Any]) -> Iterator[Violation]:
    """Yield what the form of a definition breaks; unknown fields keep their own rule, for many servers drop them."""
    for found in objections(judge, body):
        if found.rule == "field-unknown":
            yield found
        else:
            yield Violation(RULE, Layer.SCHEMA, found.path, f"{found.path or 'it'}: {found.message}", found.fix)


@cache
def _judge() -> Judge:
    import jsonschema_rs

    return Judge(_DEFINITION, jsonschema_rs.Draft7Validator(_DEFINITION))


def as_read(node: Any) -> Any:
    """Return a definition, or a part of it, as Go reads it: a field that is null is absent."""
    if isinstance(node, dict):
        given = ((key, value) for key, value in node.items() if value is not None)
        return {key: of_schema(value) if key == _SCHEMA else as_read(value) for key, value in given}
    return [as_read(item) for item in node] if isinstance(node, list) else node


_Defects = Iterator[tuple[Path, str]]


def _misnamed(spec: Mapping[str, Any], meta: Mapping[str, Any]) -> _Defects:
    names, group = spec["names"], spec["group"]
    if (said := subdomain_defect(group)) or "." not in group:
        yield ("spec", "group"), f"{group!r} is no group: {said or 'it needs a dot, as example.com has'}"
    wanted = f"{names['plural']}.{group}"
    if meta.get("name") != wanted:
        yield ("metadata", "name"), f"the name is {meta.get('name')} and has to be {wanted}, plural and group"
    texts: list[tuple[Path, str]] = [((key,), names[key]) for key in ("plural", "singular") if key in names]
    texts += [((key,), names[key].lower()) for key in ("kind", "listKind") if key in names]
    texts += [((key, i), text) for key in ("shortNames", "categories") for i, text in enumerate(names.get(key, ()))]
    for path, text in texts:
        if said := dns1035_defect(text):
            yield ("spec", "names", *path), f"{text!r} is no {path[0]}: {said}"
    if names.get("listKind") == names["kind"]:
        yield ("spec", "names", "listKind"), f"kind and listKind are both {names['kind']}"
    yield from _versions(spec)
    yield from _approval(group, meta.get("annotations", {}))
    if "webhook" not in spec.get("conversion", {}) and spec.get("conversion", {}).get("strategy") == "Webhook":
        yield ("spec", "conversion"), "the strategy is Webhook, and no webhook is named"


def _versions(spec: Mapping[str, Any]) -> _Defects:
    versions = spec["versions"]
    for index, version in enumerate(versions):
        if said := dns1035_defect(version["name"]):
            yield (*_VERSIONS, index, "name"), f"{version['name']!r} is no version: {said}"
    for name, count in Counter(version["name"] for version in versions).items():
        if count > 1:
            yield _VERSIONS, f"version {name} stands here {count} times"
    stored = [version["name"] for version in versions if version.get("storage")]
    if len(stored) != 1:
        found = f"{' and '.join(stored)} are" if stored else "none is"
        yield _VERSIONS, f"one version has to be the storage version, and {found}"


def _approval(group: str, annotations: Any) -> _Defects:
    if not f".{group}".endswith((".k8s.io", ".kubernetes.io")):
        return
    said = annotations.get(_APPROVED) if isinstance(annotations, dict) else None
    if not said or not (str(said).startswith("unapproved") or "://" in str(said)):
        path = ("metadata", "annotations")
        yield path, f"{group} is Kubernetes' own: {_APPROVED} has to name the approval, or begin with unapproved"


def _version_defects(version: Mapping[str, Any]) -> _Defects:
    if "deprecationWarning" in version and not version.get("deprecated"):
        yield ("deprecationWarning",), "deprecationWarning stands beside deprecated: true only"
    for index, column in enumerate(version.get("additionalPrinterColumns", ())):
        if not column["jsonPath"].startswith("."):
            yield ("additionalPrinterColumns", index, "jsonPath"), f"{column['jsonPath']!r} does not begin with a dot"
    root = version["schema"][_SCHEMA]
    for index, field in enumerate(version.get("selectableFields", ())):
        found = None if "[" in field["jsonPath"] else led(field["jsonPath"], root)
        if found is None or found.get("type") not in ("string", "boolean", "integer"):
            at = ("selectableFields", index, "jsonPath")
            yield at, f"{field['jsonPath']!r} leads to no text, whole number or boolean of the schema"
    for name, path in version.get("subresources", {}).get("scale", {}).items():
        starts = {"specReplicasPath": (".spec.",), "statusReplicasPath": (".status.",)}.get(
            name, (".spec.", ".status.")
        )
        if not path.startswith(starts) and (path or name != "labelSelectorPath"):
            yield ("subresources", "scale", name), f"{path!r} has to lead below {' or '.join(starts)}"
