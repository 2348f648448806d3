"""The kinds of Kubernetes itself that we emit or judge, by Kubernetes release.

`data/kubernetes.json` holds the definitions of the newest release, and of older ones those that differ.
`data/kubernetes-code.yaml` adds what Kubernetes checks in code.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

from generator.facts import document
from generator.schemas.schema import Schema

_DATA = Path(__file__).parent / "data"


def builtin(group: str, kind: str, version: str, kubernetes: str | None) -> Schema | None:
    """Return the schema of a built-in kind in a release of Kubernetes ("1.33"; None: the newest), or None.

    A release that we do not know is judged by the nearest one.
    """
    name = f"{group}/{version}/{kind}"
    return _schema(name, _nearest(kubernetes)) if name in _KINDS else None


def _nearest(kubernetes: str | None) -> str:
    newest = str(_data()["release"])
    if kubernetes is None:
        return newest
    releases: list[str] = [*_data()["older"], newest]
    return min(releases, key=lambda release: abs(_minor(release) - _minor(kubernetes)))


def _minor(release: str) -> int:
    return int(release.split(".")[1])


@cache
def _schema(name: str, kubernetes: str) -> Schema:
    group, version, kind = name.split("/")
    definition, namespaced = _KINDS[name]
    structure = _resolve({"$ref": definition}, _definitions(kubernetes))
    for dropped in ("status", "metadata", "apiVersion", "kind"):
        structure["properties"].pop(dropped, None)
    return Schema(group, kind, version, namespaced, True, structure, builtin=True)


@cache
def _data() -> dict[str, Any]:
    data: dict[str, Any] = json.loads((_DATA / "kubernetes.json").read_bytes())
    return data


@cache
def _definitions(kubernetes: str) -> Mapping[str, Any]:
    data = _data()
    definitions: dict[str, Any] = data["definitions"] | data["older"].get(kubernetes, {})
    checked: dict[str, Any] = document(_DATA / "kubernetes-code.yaml")
    return definitions | {
        name: _checked(definitions[name], more) for name, more in checked.items() if name in definitions
    }


def _checked(definition: Mapping[str, Any], more: Mapping[str, Any]) -> dict[str, Any]:
    properties = dict(definition["properties"])
    for name, facts in more.get("properties", {}).items():
        properties[name] = properties[name] | facts
    required = [*definition.get("required", ()), *more.get("required", ())]
    return {**definition, "properties": properties, "required": required}


def _resolve(node: Mapping[str, Any], definitions: Mapping[str, Any]) -> dict[str, Any]:
    """The structural schema with every definition written out where it is used."""
    out = dict(node)
    if "$ref" in out:
        out = {**_resolve(definitions[out.pop("$ref")], definitions), **out}
    if "properties" in out:
        out["properties"] = {name: _resolve(child, definitions) for name, child in out["properties"].items()}
    for key in ("items", "additionalProperties"):
        if isinstance(out.get(key), dict):
            out[key] = _resolve(out[key], definitions)
    return out


# group/version/kind -> its definition, and whether it lives in a namespace
_KINDS: dict[str, tuple[str, bool]] = {
    **{
        f"/v1/{kind}": (f"core.v1.{kind}", kind not in ("Namespace", "PersistentVolume", "Node"))
        for kind in (
            "Namespace",
            "ConfigMap",
            "Secret",
            "ServiceAccount",
            "LimitRange",
            "ResourceQuota",
            "Pod",
            "Service",
            "PersistentVolumeClaim",
        )
    },
    **{
        f"apps/v1/{kind}": (f"apps.v1.{kind}", True)
        for kind in ("Deployment", "StatefulSet", "DaemonSet", "ReplicaSet")
    },
    **{f"batch/v1/{kind}": (f"batch.v1.{kind}", True) for kind in ("Job", "CronJob")},
    "networking.k8s.io/v1/NetworkPolicy": ("networking.v1.NetworkPolicy", True),
    "scheduling.k8s.io/v1/PriorityClass": ("scheduling.v1.PriorityClass", False),
    **{
        f"rbac.authorization.k8s.io/v1/{kind}": (f"rbac.v1.{kind}", not kind.startswith("Cluster"))
        for kind in ("Role", "RoleBinding", "ClusterRole", "ClusterRoleBinding")
    },
    **{
        f"admissionregistration.k8s.io/v1/{kind}": (f"admissionregistration.v1.{kind}", False)
        for kind in ("ValidatingAdmissionPolicy", "ValidatingAdmissionPolicyBinding")
    },
}
