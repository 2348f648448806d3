"""Inventory → pools: what each offers, what a node and what the pool can schedule."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from generator.accelerators.load import accelerator, ids, vendor
from generator.accelerators.model import Accelerator
from generator.environment import inventory as given
from generator.environment.load import Inputs
from generator.finding import Finding, error
from generator.plan.accelerators import defined
from generator.plan.model import CPU, MEMORY, STORAGE, Pool, Sharing, Taint, Topology
from generator.plan.pool_conflicts import overlaps, strategies
from generator.plan.pool_defects import defects
from generator.quantity import Amount, parse
from generator.source import at, value_at
from generator.spelling import remedy


def resolve(inputs: Inputs, reserved: Sequence[str]) -> tuple[dict[str, Pool], list[Topology], list[Finding]]:
    """Return pools by name, a topology for each list of levels, and what is wrong; `reserved` names are taken."""
    findings: list[Finding] = []
    models = defined(inputs.environment.get("accelerators") or (), findings)
    topologies: dict[tuple[str, ...], Topology] = {}
    pools: dict[str, Pool] = {}
    for item in inputs.pools:
        if item["name"] in reserved:
            findings.append(_reserved(item))
        model = _model(item, models)
        found = list(defects(item, model)) if model or "accelerator" not in item else [_unknown(item, models)]
        findings += found
        if not found:
            pools[item["name"]] = _pool(item, model, topologies)
    findings += [*overlaps(pools), *strategies(pools)]
    return pools, sorted(topologies.values(), key=lambda t: t.name), findings


def _model(item: given.Pool, models: Mapping[str, Accelerator]) -> Accelerator | None:
    name = item.get("accelerator")
    return None if name is None else models.get(name) or accelerator(name)


def _reserved(item: given.Pool) -> Finding:
    message = f"the platform makes a ResourceFlavor {item['name']} itself"
    return error("reserved-name", message, at(item, "name"), "rename the pool")


def _unknown(item: given.Pool, models: Mapping[str, Accelerator]) -> Finding:
    return error(
        "unknown-accelerator",
        f"pool {item['name']} has the unknown accelerator {item['accelerator']}",
        value_at(item, "accelerator"),
        f"{remedy(item['accelerator'], (*models, *ids()))}; the environment may define more under accelerators",
    )


def _sharing(item: given.Pool) -> Sharing:
    mig = item.get("mig")
    mode = next((m for m in ("timeSlicing", "mps") if m in item), None)
    shared: Mapping[str, Any] = item.get("timeSlicing") or item.get("mps") or {"replicas": 1}
    return Sharing(
        mig=mig["strategy"] if mig else None,
        layout=dict(mig["layout"]) if mig else {},
        replicas=shared["replicas"],
        mode=mode,
        rename=bool(shared.get("rename", False)),
        fail_greater_than_one=bool(shared.get("failRequestsGreaterThanOne", False)),
    )


def _offers(model: Accelerator, sharing: Sharing) -> dict[str, tuple[int, int]]:
    """Return resource → (units a card, compute weight of a unit)."""
    facts = vendor(model.vendor)
    suffix = (facts.shared_suffix or "") if sharing.rename and sharing.replicas > 1 else ""
    if sharing.mig == "mixed":
        return {
            facts.mig_resource(profile) + suffix: (count * sharing.replicas, model.mig[profile].compute)
            for profile, count in sharing.layout.items()
        }
    slices = sum(sharing.layout.values()) if sharing.mig else 1
    return {model.resource + suffix: (slices * sharing.replicas, 1)}


def _pool(item: given.Pool, model: Accelerator | None, topologies: dict[tuple[str, ...], Topology]) -> Pool:
    sharing = _sharing(item)
    reserve = item.get("reserve") or {}
    kept = reserve.get("perNode") or {}
    per_node = item["perNode"]
    whole: dict[str, Amount] = {}
    node: dict[str, Amount] = {}
    for key in (CPU, MEMORY, STORAGE):
        if key in per_node:
            whole[key] = parse(per_node[key])  # type: ignore[literal-required]  # keys of PerNode
            node[key] = whole[key] - parse(kept.get(key, 0))
    offers: dict[str, int] = {}
    if model is not None:
        cards = parse(per_node["accelerators"])
        left = cards - parse(kept.get("accelerators", 0))
        for resource, (units, weight) in _offers(model, sharing).items():
            offers[resource] = weight
            whole[resource], node[resource] = cards * units, left * units
    nodes = item["nodes"] - reserve.get("nodes", 0)
    overcommit = item.get("overcommit")
    return Pool(
        name=item["name"],
        origin=at(item),
        accelerator=model,
        offers=offers,
        nodes=nodes,
        node=node,
        total={key: amount * nodes for key, amount in node.items()},
        installed={key: amount * item["nodes"] for key, amount in whole.items()},
        node_labels=dict(sorted(item["nodeLabels"].items())),
        taints=tuple(Taint(t["key"], t["effect"], t.get("value")) for t in item.get("taints") or ()),
        topology=_topology(item, topologies),
        sharing=sharing,
        overcommit=(str(overcommit["ratio"]), overcommit["reason"]) if overcommit else None,
    )


def _topology(item: given.Pool, topologies: dict[tuple[str, ...], Topology]) -> str | None:
    """Return the name of the pool's topology: one for each list of levels, named after its first pool."""
    levels = tuple(item.get("topology") or ())
    if not levels:
        return None
    return topologies.setdefault(levels, Topology(item["name"], levels, at(item, "topology"))).name
