"""ObjectMeta as the server reads and checks it, in the words of JSON Schema.

Source: k8s.io/apimachinery pkg/apis/meta/v1/types.go and pkg/api/validation/objectmeta.go.
"""

from __future__ import annotations

from typing import Any

_LABEL = "[a-z0-9]([-a-z0-9]*[a-z0-9])?"
_SUBDOMAIN = rf"{_LABEL}(\.{_LABEL})*"
_LABEL_1035 = "[a-z]([-a-z0-9]*[a-z0-9])?"
_NAME_PART = "([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]"
_ANY_CASE = "[a-zA-Z0-9]([-a-zA-Z0-9]*[a-zA-Z0-9])?"
_PREFIX = r"([a-zA-Z0-9.-]{1,253}/)?"

MAX_ANNOTATIONS = 256 * 1024
"""Bytes that keys and values of all annotations of an object may have together."""

_STRING: dict[str, Any] = {"type": "string"}
_TIME: dict[str, Any] = {"type": ["string", "null"], "format": "date-time"}
_QUALIFIED = {
    "type": "string",
    "allOf": [{"pattern": f"^({_SUBDOMAIN}/)?{_NAME_PART}$"}, {"pattern": f"^{_PREFIX}[^/]{{1,63}}$"}],
}
# the server folds an annotation's key to lower case before it looks at it
_ANNOTATION_KEY = {
    "allOf": [
        {"pattern": rf"^({_ANY_CASE}(\.{_ANY_CASE})*/)?{_NAME_PART}$"},
        {"pattern": f"^{_PREFIX}[^/]{{1,63}}$"},
    ]
}
_OWNER: dict[str, Any] = {
    "type": "object",
    "additionalProperties": False,
    "required": ["apiVersion", "kind", "name", "uid"],
    "properties": {
        **{key: {"type": "string", "minLength": 1} for key in ("apiVersion", "kind", "name", "uid")},
        **{key: {"type": ["boolean", "null"]} for key in ("controller", "blockOwnerDeletion")},
    },
}

# kinds whose names are not DNS subdomains
# source: pkg/apis/core/validation/validation.go, ValidateNamespaceName and neighbours; pkg/apis/rbac/validation
_DNS_LABEL = frozenset({"/Namespace"})
_DNS_1035 = frozenset({"/Service"})
_PATH_SEGMENT = frozenset(
    f"rbac.authorization.k8s.io/{kind}" for kind in ("Role", "RoleBinding", "ClusterRole", "ClusterRoleBinding")
)


def object_meta(group: str, kind: str) -> dict[str, Any]:
    """Return the JSON Schema of `metadata` for a kind; it must have a name, or a prefix for one."""
    name = _name(f"{group}/{kind}")
    return {
        "type": "object",
        "additionalProperties": False,
        "anyOf": [{"required": ["name"]}, {"required": ["generateName"]}],
        "properties": {
            "name": name,
            "generateName": _STRING
            if "not" in name
            else {"type": "string", "maxLength": 253, "pattern": f"^{_SUBDOMAIN}[-.]*$"},
            "namespace": {"type": "string", "maxLength": 63, "pattern": f"^({_LABEL})?$"},
            "labels": {
                "type": ["object", "null"],
                "propertyNames": _QUALIFIED,
                "additionalProperties": {"type": "string", "maxLength": 63, "pattern": f"^({_NAME_PART})?$"},
            },
            "annotations": {
                "type": ["object", "null"],
                "propertyNames": _ANNOTATION_KEY,
                "additionalProperties": _STRING,
            },
            "finalizers": {"type": ["array", "null"], "items": _QUALIFIED},
            "ownerReferences": {"type": ["array", "null"], "items": _OWNER},
            **{key: {"type": ["string", "null"]} for key in ("uid", "resourceVersion", "selfLink")},
            "creationTimestamp": _TIME,
            "deletionTimestamp": _TIME,
            "generation": {"type": ["integer", "null"]},
            "deletionGracePeriodSeconds": {"type": ["integer", "null"]},
            "managedFields": {"type": ["array", "null"]},
        },
    }


def _name(kind: str) -> dict[str, Any]:
    if kind in _PATH_SEGMENT:
        return {"type": "string", "minLength": 1, "pattern": "^[^/%]*$", "not": {"enum": [".", ".."]}}
    if kind in _DNS_LABEL:
        return {"type": "string", "maxLength": 63, "pattern": f"^{_LABEL}$"}
    if kind in _DNS_1035:
        return {"type": "string", "maxLength": 63, "pattern": f"^{_LABEL_1035}$"}
    return {"type": "string", "maxLength": 253, "pattern": f"^{_SUBDOMAIN}$"}
