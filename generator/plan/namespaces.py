"""A team's namespaces, with the limits that may stand beside Kueue."""

from __future__ import annotations

from collections.abc import Iterator

from generator.environment import quotas as given
from generator.finding import Finding, Layer, error
from generator.pattern import pattern
from generator.plan.model import Namespace
from generator.quantity import parse
from generator.source import at

# What Kueue governs: a ResourceQuota on it would refuse pods that Kueue has admitted.
GOVERNED = pattern(r"(requests\.|limits\.)?(cpu|memory|ephemeral-storage|.*\.com/.*|.*\.ai/.*)")
COUNTED = pattern(
    r"pods|persistentvolumeclaims|services(\.loadbalancers|\.nodeports)?|configmaps|secrets|replicationcontrollers|resourcequotas"
    r"|requests\.storage|count/[a-z0-9.-]+|[a-z0-9.-]+\.storageclass\.storage\.k8s\.io/(requests\.storage|persistentvolumeclaims)"
)
RESERVED = pattern(
    r"(openshift|kube|redhat)-.*|default|openshift|rhods-notebooks|rhoai-model-registries|kuadrant-system|nvidia-gpu-operator"
)


def namespaces(quota: given.TeamQuota, team: str) -> tuple[tuple[Namespace, ...], list[Finding]]:
    """Return a team's namespaces by name, and what is wrong with them."""
    items = quota.get("namespaces") or []
    findings = [finding for item in items for finding in _defects(item, team)]
    spaces = [
        Namespace(
            item["name"],
            team,
            item.get("displayName"),
            {k: parse(v) for k, v in ((item.get("limitRange") or {}).get("persistentVolumeClaim") or {}).items()},
            {k: parse(v) for k, v in sorted((item.get("resourceQuota") or {}).items())},
            at(item),
        )
        for item in items
    ]
    return tuple(sorted(spaces, key=lambda s: s.name)), findings


def _defects(item: given.Namespace, team: str) -> Iterator[Finding]:
    name = item["name"]
    if RESERVED.fullmatch(name):
        yield error(
            "reserved-name",
            f"namespace {name} of team {team} belongs to the platform",
            at(item, "name"),
            "choose another name",
        )
    quota = item.get("resourceQuota") or {}
    for key in quota:
        if COUNTED.fullmatch(key):
            continue
        if GOVERNED.fullmatch(key):
            yield error(
                "quota-beside-kueue",
                f"namespace {name} has a ResourceQuota on {key}, which Kueue governs: "
                "it would refuse pods that Kueue has admitted",
                at(quota, key),
                f"remove {key}; the team's queue limits it",
                layer=Layer.POLICY,
            )
        else:
            yield error(
                "invalid-value",
                f"{key} is no resource that a ResourceQuota counts",
                at(quota, key),
                "write pods, requests.storage, count/<kind>, …",
            )
    sizes = (item.get("limitRange") or {}).get("persistentVolumeClaim") or {}
    if "min" in sizes and "max" in sizes and parse(sizes["min"]) > parse(sizes["max"]):
        yield error(
            "invalid-range",
            f"namespace {name}: min {sizes['min']} is above max {sizes['max']}",
            at(sizes, "min"),
            "swap them",
        )
