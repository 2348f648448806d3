"""The kinds of Kubernetes itself that we emit or judge, by Kubernetes release.

`data/kubernetes.json` holds the definitions of the newest release; of older ones, `data/kubernetes-1.33.json` and so
on hold those that differ. What Kubernetes checks in code is in them too, as far as kubernetes-code.yaml says it.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

from generator.schemas.schema import Schema
from generator.schemas.sharing import with_children

_DATA = Path(__file__).parent / "data"


def builtin(group: str, kind: str, version: str, kubernetes: str | None) -> Schema | None:
    """Return the schema of a built-in kind in a release of Kubernetes ("1.33"; None: the newest), or None.

    A release that we do not know is judged by the nearest one.
    """
    name = f"{group}/{version}/{kind}"
    return _schema(name, _nearest(kubernetes)) if name in KINDS else None


def _nearest(kubernetes: str | None) -> str:
    newest = str(_newest()["release"])
    if kubernetes is None:
        return newest
    releases: list[str] = [*_newest()["older"], newest]
    return min(releases, key=lambda release: abs(_minor(release) - _minor(kubernetes)))


def _minor(release: str) -> int:
    return int(release.split(".")[1])


@cache
def _schema(name: str, kubernetes: str) -> Schema | None:
    group, version, kind = name.split("/")
    definition, namespaced = KINDS[name]
    definitions = _definitions(kubernetes)
    if definitions[definition] is None:
        return None
    made: dict[str, Any] = {}
    root = with_children(definitions[definition], lambda child: _resolved(child, definitions, made))
    root["properties"] = {name: child for name, child in root["properties"].items() if name not in _OWN}
    return Schema(group, kind, version, namespaced, True, root, builtin=True, shared=tuple(made.values()))


@cache
def _newest() -> dict[str, Any]:
    data: dict[str, Any] = json.loads((_DATA / "kubernetes.json").read_bytes())
    return data


@cache
def _definitions(kubernetes: str) -> Mapping[str, Any]:
    definitions: dict[str, Any] = _newest()["definitions"]
    if kubernetes == _newest()["release"]:
        return definitions
    older: dict[str, Any] = json.loads((_DATA / f"kubernetes-{kubernetes}.json").read_bytes())
    return definitions | older


def _resolved(node: Mapping[str, Any], definitions: Mapping[str, Any], made: dict[str, Any]) -> Mapping[str, Any]:
    """The structural schema with every definition in the place of its name, as one object however often it is used."""
    name = node.get("$ref")
    if name is None:
        return with_children(node, lambda child: _resolved(child, definitions, made))
    if name not in made:
        made[name] = with_children(definitions[name], lambda child: _resolved(child, definitions, made))
    found: Mapping[str, Any] = made[name]
    return found


# what is checked apart from the structure, or dropped on creation
_OWN = frozenset({"status", "metadata", "apiVersion", "kind"})

# group/version/kind -> its definition, and whether it lives in a namespace
KINDS: dict[str, tuple[str, bool]] = {
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
