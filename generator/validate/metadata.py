"""ObjectMeta as the server reads and checks it, in the words of JSON Schema.

Source: k8s.io/apimachinery pkg/apis/meta/v1/types.go and pkg/api/validation/objectmeta.go.
"""

from __future__ import annotations

from typing import Any

NameForm = tuple[str, int | None]

_LABEL = "[a-z0-9]([-a-z0-9]*[a-z0-9])?"
_SUBDOMAIN = rf"{_LABEL}(\.{_LABEL})*"
_LABEL_1035 = "[a-z]([-a-z0-9]*[a-z0-9])?"
_NAME_PART = "([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]"
_SEGMENT = r"[^/%.][^/%]*|\.[^/%.][^/%]*|\.\.[^/%]+"  # neither . nor ..
_ANY_CASE = "[a-zA-Z0-9]([-a-zA-Z0-9]*[a-zA-Z0-9])?"
_KEY_NAME = "([A-Za-z0-9][-A-Za-z0-9_.]{0,61})?[A-Za-z0-9]"
# a prefix of more than 253 characters, told apart from a prefix that is malformed; to count any character of Unicode
# 253 times would take a validator 1.4 ms to compile, and one beyond ASCII is malformed in any case
_SHORT_PREFIX = {"pattern": "^([ -.0-~]{0,253}/|[^/]*$|[^/]*[^ -~][^/]*/)"}

MAX_ANNOTATIONS = 256 * 1024
"""Bytes that keys and values of all annotations of an object may have together."""

_STRING: dict[str, Any] = {"type": "string"}
_TIME: dict[str, Any] = {"type": ["string", "null"], "format": "date-time"}
_QUALIFIED = {"type": "string", "pattern": f"^({_SUBDOMAIN}/)?{_KEY_NAME}$", "allOf": [_SHORT_PREFIX]}
# the server folds an annotation's key to lower case before it looks at it
_ANNOTATION_KEY = {"pattern": rf"^({_ANY_CASE}(\.{_ANY_CASE})*/)?{_KEY_NAME}$", "allOf": [_SHORT_PREFIX]}
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


_SHARED: dict[str, Any] = {
    "namespace": {"type": "string", "maxLength": 63, "pattern": f"^({_LABEL})?$"},
    "labels": {
        "type": ["object", "null"],
        "propertyNames": _QUALIFIED,
        "additionalProperties": {"type": "string", "maxLength": 63, "pattern": f"^({_NAME_PART})?$"},
    },
    "annotations": {"type": ["object", "null"], "propertyNames": _ANNOTATION_KEY, "additionalProperties": _STRING},
    "finalizers": {"type": ["array", "null"], "items": _QUALIFIED},
    "ownerReferences": {"type": ["array", "null"], "items": _OWNER},
    **{key: {"type": ["string", "null"]} for key in ("uid", "resourceVersion", "selfLink")},
    "creationTimestamp": _TIME,
    "deletionTimestamp": _TIME,
    "generation": {"type": ["integer", "null"]},
    "deletionGracePeriodSeconds": {"type": ["integer", "null"]},
    "managedFields": {"type": ["array", "null"]},
}


def object_meta(form: NameForm) -> dict[str, Any]:
    """Return the JSON Schema of `metadata`; the object must have a name of this form, or a prefix for one."""
    pattern, longest = form
    limits = {"type": "string", **({"maxLength": longest} if longest else {})}
    return {
        "type": "object",
        "additionalProperties": False,
        "anyOf": [{"required": ["name"]}, {"required": ["generateName"]}],
        "properties": {
            "name": {**limits, "pattern": f"^({pattern})$"},
            "generateName": {**limits, "pattern": f"^({pattern})-*$"},
            **_SHARED,
        },
    }


def embedded_meta() -> dict[str, Any]:
    """Return the JSON Schema of the `metadata` of an object inside another, which needs no name.

    Source: k8s.io/apiextensions-apiserver pkg/apiserver/schema/objectmeta/validation.go.
    """
    name = {"type": "string", "pattern": f"^({_SEGMENT})?$"}
    return {
        "type": "object",
        "additionalProperties": False,
        "properties": {"name": name, "generateName": name, **_SHARED},
    }


def name_form(group: str, kind: str) -> NameForm:
    """Return pattern and greatest length of a kind's names; a path segment may be of any length."""
    name = f"{group}/{kind}"
    if name in _PATH_SEGMENT:
        return _SEGMENT, None
    if name in _DNS_LABEL:
        return _LABEL, 63
    return (_LABEL_1035, 63) if name in _DNS_1035 else (_SUBDOMAIN, 253)
