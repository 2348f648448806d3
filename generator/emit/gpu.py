"""How NVIDIA cards are divided: MIG layouts and time-slicing for the GPU operator, from the inventory.

A node chooses its configuration by label (nvidia.com/mig.config, nvidia.com/device-plugin.config: the pool's name).
Source: NVIDIA/gpu-operator api/nvidia/v1/clusterpolicy_types.go; NVIDIA/mig-parted; NVIDIA/k8s-device-plugin README.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from generator.emit.flavors import toleration
from generator.emit.marks import CONFIRM, labels
from generator.manifest import Manifest, dump, manifest
from generator.plan.model import Plan, Pool
from generator.releases.model import Operand

CLUSTER_POLICY = "ClusterPolicy"
DEVICE_PLUGIN = "apportion-device-plugin"
MIG_LAYOUTS = "apportion-mig"
OPERATOR = "nvidia-gpu"


def adjusted(operand: Operand, plan: Plan) -> dict[str, Any]:
    """Return an operand's spec; a ClusterPolicy's has the pools' MIG strategy, layouts and device plugin settings."""
    spec: dict[str, Any] = dict(operand.spec)  # of which nothing below is changed in place
    if operand.kind != CLUSTER_POLICY:
        return spec
    spec["daemonsets"] = {**spec.get("daemonsets", {}), "tolerations": _tolerations(spec, plan)}
    if sliced := _sliced(plan):
        spec["mig"] = {"strategy": sliced[0].sharing.mig}
        spec["migManager"] = {**spec.get("migManager", {}), "config": {"name": MIG_LAYOUTS}}
    if _shared(plan):
        spec["devicePlugin"] = {**spec.get("devicePlugin", {}), "config": {"name": DEVICE_PLUGIN, "default": ""}}
    return spec


def _tolerations(spec: Mapping[str, Any], plan: Plan) -> list[Mapping[str, str]]:
    """Return the daemon sets' tolerations with those for every taint of the NVIDIA pools."""
    tolerations = list(spec.get("daemonsets", {}).get("tolerations", []))
    for pool in plan.pools.values():
        if pool.vendor == "nvidia":
            tolerations += [t for taint in pool.taints if (t := toleration(taint)) not in tolerations]
    return tolerations


def emit(plan: Plan) -> Iterator[Manifest]:
    """Yield the ConfigMaps that the ClusterPolicy names."""
    operator = next((s.operator for s in plan.subscriptions if s.operator.id == OPERATOR), None)
    if operator is None:
        return
    for name, data in ((DEVICE_PLUGIN, _sharing_data(plan)), (MIG_LAYOUTS, _layout_data(plan))):
        if data:
            origin = next(p.origin for p in plan.pools.values() if p.sharing.mig or p.sharing.mode)
            yield manifest(
                "v1",
                "ConfigMap",
                name,
                namespace=operator.namespace,
                labels=labels(plan.name),
                annotations=CONFIRM,
                origin=origin,
                data=data,
            )


def _sliced(plan: Plan) -> list[Pool]:
    return [p for p in plan.pools.values() if p.sharing.mig and p.vendor == "nvidia"]


def _shared(plan: Plan) -> list[Pool]:
    return [p for p in plan.pools.values() if p.sharing.mode and p.vendor == "nvidia"]


def _sharing_data(plan: Plan) -> dict[str, str]:
    return {p.name: dump(_device_plugin(p)) for p in sorted(_shared(plan), key=lambda p: p.name)}


def _device_plugin(pool: Pool) -> dict[str, Any]:
    sharing = pool.sharing
    plain = [name.removesuffix(".shared") for name in pool.offers]
    section: dict[str, Any] = {"renameByDefault": sharing.rename}
    if sharing.mode == "timeSlicing":
        section["failRequestsGreaterThanOne"] = sharing.fail_greater_than_one
    section["resources"] = [{"name": name, "replicas": sharing.replicas} for name in plain]
    flags = {"flags": {"migStrategy": sharing.mig}} if sharing.mig else {}
    return {"version": "v1", **flags, "sharing": {str(sharing.mode): section}}


def _layout_data(plan: Plan) -> dict[str, str]:
    layouts = {
        p.name: [{"devices": "all", "mig-enabled": True, "mig-devices": dict(p.sharing.layout)}]
        for p in sorted(_sliced(plan), key=lambda p: p.name)
    }
    if not layouts:
        return {}
    off = {"all-disabled": [{"devices": "all", "mig-enabled": False}]}
    return {"config.yaml": dump({"version": "v1", "mig-configs": {**off, **layouts}})}
