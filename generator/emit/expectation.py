"""What `preflight` holds a live cluster against: the part of an environment that depends on the cluster's state.

The command makes it of a whole environment; a PreSync Job gets that of its own Application as JSON in a ConfigMap, so
that neither the repository nor the objects of other teams have to be in the Job's reach.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from generator.emit.leaves import Leaf, group
from generator.emit.marks import TEAM
from generator.manifest import Manifest
from generator.plan.model import BYTES, Plan, Pool
from generator.plan.resolve import IN_CLUSTER
from generator.quantity import Amount, canonical, canonical_bytes

VERSION = 1
OF_TEAMS = "*"  # whatever the team; those of operators are never pruned
KUEUE_GROUP = "kueue.x-k8s.io"
# Kinds of which live objects are compared, with the fields of their spec that matter; None: all.
COMPARED: Mapping[tuple[str, str], Sequence[str] | None] = {
    (KUEUE_GROUP, "ResourceFlavor"): None,
    (KUEUE_GROUP, "Topology"): None,
    (KUEUE_GROUP, "Cohort"): ("parent", "parentName", "resourceGroups"),
    (KUEUE_GROUP, "ClusterQueue"): ("cohort", "cohortName", "resourceGroups"),
    (KUEUE_GROUP, "LocalQueue"): ("clusterQueue",),
    ("infrastructure.opendatahub.io", "HardwareProfile"): (),
    ("", "Namespace"): (),
}
_PRUNED_BY_LAYER: Mapping[str, Sequence[str]] = {
    "queues/shared": ("ResourceFlavor", "Cohort", "Topology", "ClusterQueue"),
    "queues": ("ClusterQueue",),
    "tenants": ("Namespace", "LocalQueue", "HardwareProfile"),
    "profiles": ("HardwareProfile",),
}


def whole(plan: Plan, leaves: Iterable[Leaf]) -> dict[str, Any]:
    """Return what a whole environment expects."""
    found = list(leaves)
    expected = _expected(plan, [m for leaf in found for m in leaf.objects()])
    expected |= _of_operators(plan)
    expected["whole"] = True
    expected["server"] = None if plan.server == IN_CLUSTER else plan.server
    expected["pools"] = [_pool(plan, pool) for pool in plan.pools.values()]
    expected["prunes"] = [[kind, OF_TEAMS if kind == "Namespace" else None] for _, kind in COMPARED]
    return expected


def part(plan: Plan, layer: str, team: str | None, leaves: Sequence[Leaf]) -> dict[str, Any]:
    """Return what the folders of one layer, or of one team in it, expect; nothing of another team."""
    objects = [m for leaf in leaves for m in leaf.objects()]
    expected = _expected(plan, objects)
    if layer == "operators":
        expected |= _of_operators(plan)
    used = {m.name for m in objects if m.kind == "ResourceFlavor"} | set(_flavors(objects))
    expected["pools"] = [_pool(plan, pool) for name, pool in plan.pools.items() if name in used]
    expected["prunes"] = [[kind, team or ""] for kind in _PRUNED_BY_LAYER.get(layer, ())]
    return expected


def dumped(expected: Mapping[str, Any]) -> str:
    """Return an expectation as JSON with a line for each object, so that Git shows and merges what changes."""
    parts = []
    for key, value in sorted(expected.items()):
        lines = ",\n".join(map(_line, value)) if isinstance(value, list) else ""
        parts.append(f'"{key}": ' + (f"[\n{lines}\n]" if lines else _line(value)))
    return "{\n" + ",\n".join(parts) + "\n}\n"


def _line(value: Any) -> str:
    return json.dumps(value, sort_keys=True, default=str)


def _expected(plan: Plan, objects: Sequence[Manifest]) -> dict[str, Any]:
    brought = _brought(plan)
    kinds = sorted({(m.api_version, m.kind) for m in objects})
    defined = {_defined(m) for m in objects if m.kind == "CustomResourceDefinition"}
    return {
        "version": VERSION,
        "environment": plan.name,
        "releases": {"kueue": plan.kueue.version, "openshiftAI": plan.openshift_ai.version},
        "kinds": [
            [api, kind, "own" if (group(api), kind) in defined else _operator(brought, api, kind)]
            for api, kind in kinds
        ],
        "platform": _platform(plan),
        "objects": [_trimmed(m) for m in sorted(objects, key=_order) if (group(m.api_version), m.kind) in COMPARED],
    }


def _of_operators(plan: Plan) -> dict[str, Any]:
    return {
        "applicationsNamespace": plan.openshift_ai.applications_namespace,
        "operators": [
            {"id": s.operator.id, "channel": s.channel, "approval": s.approval, "namespace": s.operator.namespace}
            for s in plan.subscriptions
        ],
    }


def _order(found: Manifest) -> tuple[str, str, str]:
    return found.kind, found.namespace or "", found.name


def _defined(found: Manifest) -> tuple[str, str]:
    spec = _mapping(found.body.get("spec"))
    return str(spec.get("group")), str(_mapping(spec.get("names")).get("kind"))


def _mapping(value: object) -> Mapping[str, Any]:
    """Return a mapping of the user's own manifests, which nobody has vouched for yet; of anything else none."""
    return value if isinstance(value, Mapping) else {}


def _brought(plan: Plan) -> dict[tuple[str, str], str]:
    """Return which operator brings a kind, or ("group", "") all kinds of a group."""
    found = {
        (group(operand.api_version), operand.kind): s.operator.id
        for s in plan.subscriptions
        for operand in s.operator.operands
    }
    release = plan.openshift_ai
    apis = [release.dsc_api, release.dsci_api, release.hardware_profile_api, release.dashboard_api]
    apis += [release.trainer.api] if release.trainer else []
    installed = {s.operator.id for s in plan.subscriptions}
    for id_, served in (("kueue", (plan.kueue.api, plan.kueue.operator_api)), ("openshift-ai", apis)):
        found |= {(group(api), ""): id_ for api in served if id_ in installed}
    return found


def _operator(brought: Mapping[tuple[str, str], str], api: str, kind: str) -> str:
    return brought.get((group(api), kind)) or brought.get((group(api), "")) or ""


def _platform(plan: Plan) -> list[str]:
    """Return what OpenShift AI makes by itself, as KIND/NAME."""
    release = plan.openshift_ai
    names = {**release.kueue_component, **plan.kueue_fields}
    if release.default_queue != "always" and names.get("autoCreateQueues") is not True:
        return []
    return [
        *(f"ResourceFlavor/{name}" for name in release.default_flavors),
        f"ClusterQueue/{names.get('defaultClusterQueueName', 'default')}",
        f"LocalQueue/{names.get('defaultLocalQueueName', 'default')}",
    ]


def _trimmed(found: Manifest) -> dict[str, Any]:
    body = found.body
    metadata = {key: body["metadata"][key] for key in ("name", "namespace") if key in body["metadata"]}
    labels = body["metadata"].get("labels") or {}
    if TEAM in labels:
        metadata["labels"] = {TEAM: labels[TEAM]}
    trimmed = {"apiVersion": found.api_version, "kind": found.kind, "metadata": metadata}
    kept, spec = COMPARED[(group(found.api_version), found.kind)], _mapping(body.get("spec"))
    fields = dict(spec) if kept is None else {key: spec[key] for key in kept if key in spec}
    return trimmed | ({"spec": fields} if fields else {})


def _flavors(objects: Iterable[Manifest]) -> Iterator[str]:
    for found in objects:
        if found.kind in ("ClusterQueue", "Cohort"):
            for item in (found.body.get("spec") or {}).get("resourceGroups") or ():
                yield from (flavor["name"] for flavor in item["flavors"])


def _pool(plan: Plan, pool: Pool) -> dict[str, Any]:
    nodes = next(p["nodes"] for p in plan.given.pools if p["name"] == pool.name)
    per_node = {key: amount // nodes if nodes else pool.node[key] for key, amount in pool.installed.items()}
    ratio = pool.overcommit[0] if pool.overcommit else str(plan.parameters.get("maxOvercommit", 1))
    return {
        "name": pool.name,
        "nodes": nodes,
        "perNode": {key: _quantity(key, amount) for key, amount in per_node.items()},
        "schedulable": {key: _quantity(key, amount) for key, amount in pool.node.items()},
        "accelerators": sorted(pool.offers),
        "overcommit": ratio,
        "labels": dict(pool.node_labels),
        "taints": [
            {"key": taint.key, "effect": taint.effect, **({"value": taint.value} if taint.value else {})}
            for taint in pool.taints
        ],
    }


def _quantity(resource: str, amount: Amount) -> str:
    return canonical_bytes(amount) if resource in BYTES else canonical(amount)
