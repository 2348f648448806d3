"""Inventory → pools: what each offers, what a node and what the pool can schedule."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from generator.accelerators.load import accelerator, ids, vendor
from generator.accelerators.model import Accelerator, Vendor, invalid_geometry, label_text
from generator.environment import inventory as given
from generator.environment.load import Inputs
from generator.finding import Finding, Layer, Related, Severity, error
from generator.plan.accelerators import defined
from generator.plan.model import CPU, MEMORY, STORAGE, Pool, Sharing, Taint, Topology
from generator.quantity import Amount, parse
from generator.source import at, value_at
from generator.spelling import remedy

HOSTNAME = "kubernetes.io/hostname"


def resolve(inputs: Inputs, reserved: Sequence[str]) -> tuple[dict[str, Pool], list[Topology], list[Finding]]:
    """Return pools by name, a topology for each list of levels, and what is wrong; `reserved` names are taken."""
    findings: list[Finding] = []
    models = defined(inputs.environment.get("accelerators") or (), findings)
    topologies: dict[tuple[str, ...], Topology] = {}
    pools: dict[str, Pool] = {}
    for item in inputs.pools:
        if item["name"] in reserved:
            findings.append(
                error(
                    "reserved-name",
                    f"the platform makes a ResourceFlavor {item['name']} itself",
                    at(item, "name"),
                    "rename the pool",
                )
            )
        found = list(_defects(item, models))
        findings += found
        if not any(f.severity is Severity.ERROR for f in found):
            pools[item["name"]] = _pool(item, models, topologies)
    findings += [*_overlaps(pools), *_strategies(pools)]
    return pools, sorted(topologies.values(), key=lambda t: t.name), findings


def _model(item: given.Pool, models: Mapping[str, Accelerator]) -> Accelerator | None:
    name = item.get("accelerator")
    return None if name is None else models.get(name) or accelerator(name)


def _defects(item: given.Pool, models: Mapping[str, Accelerator]) -> Iterator[Finding]:
    name, model = item["name"], _model(item, models)
    if "accelerator" in item and model is None:
        known = (*models, *ids())
        yield error(
            "unknown-accelerator",
            f"pool {name} has the unknown accelerator {item['accelerator']}",
            value_at(item, "accelerator"),
            f"{remedy(item['accelerator'], known)}; the environment may define more under accelerators",
        )
        return
    per_node = item["perNode"]
    if model is None:
        for key in ("mig", "timeSlicing", "mps"):
            if key in item:
                yield error(
                    "sharing-without-accelerator",
                    f"pool {name} has {key} and no accelerator",
                    at(item, key),
                    "name its accelerator, or remove it",
                )
        if parse(per_node.get("accelerators", 0)):
            yield error(
                "accelerators-without-model",
                f"pool {name} counts accelerators and does not say which",
                at(per_node, "accelerators"),
                "add accelerator: <model>, such as nvidia-h100-80gb",
            )
    elif not parse(per_node.get("accelerators", 0)):
        yield error(
            "missing-key",
            f"pool {name} has the accelerator {model.id} and perNode does not say how many",
            at(item, "perNode"),
            "add perNode.accelerators: <cards a node>",
        )
    else:
        found = list(_sharing_defects(item, model))
        yield from found or _label_defects(item, model)
    yield from _reserve_defects(item)
    yield from _topology_defects(item)


def _sharing_defects(item: given.Pool, model: Accelerator) -> Iterator[Finding]:
    name, maker = item["name"], vendor(model.vendor)
    for key in ("timeSlicing", "mps"):
        if key in item and maker.shared_suffix is None:
            yield error(
                "sharing-not-supported",
                f"pool {name}: {maker.title} accelerators have no {key}",
                at(item, key),
                f"remove {key}",
            )
    if "timeSlicing" in item and "mps" in item:
        yield error(
            "two-sharing-modes", f"pool {name} has both timeSlicing and mps", at(item, "mps"), "keep one of them"
        )
    mig = item.get("mig")
    if mig is None:
        return
    if not model.mig:
        yield error(
            "invalid-mig",
            f"pool {name}: {model.title} cannot be divided into MIG slices",
            at(item, "mig"),
            "remove mig",
        )
        return
    if reason := invalid_geometry(model, mig["layout"]):
        yield error(
            "invalid-mig",
            f"pool {name}: {reason}",
            at(mig, "layout"),
            f"choose a layout that one {model.title} can hold",
        )
    elif mig["strategy"] == "single" and len(mig["layout"]) != 1:
        yield error(
            "invalid-mig",
            f"pool {name}: with strategy single all slices are alike and the layout has {len(mig['layout'])} kinds",
            at(mig, "layout"),
            "name one kind, or use strategy: mixed",
        )


def _label_defects(item: given.Pool, model: Accelerator) -> Iterator[Finding]:
    """Yield a product label that nodes shared like this do not carry: the device plugin appends a suffix."""
    facts = vendor(model.vendor)
    key, label = facts.product_label, item["nodeLabels"].get(facts.product_label or "")
    if key is None or label is None or facts.shared_product_suffix is None or facts.mig_product_infix is None:
        return
    expected = product_suffix(item, facts)
    ending = facts.shared_product_suffix
    has_mig = facts.mig_product_infix in label
    if expected and not label.endswith(expected):
        yield error(
            "impossible-label",
            f"pool {item['name']}: nodes shared like this carry a product label that ends in {expected}, not {label}",
            value_at(item["nodeLabels"], key),
            f"write {key}: {label.removesuffix(ending).split(facts.mig_product_infix)[0]}{expected}",
        )
    elif not expected and (label.endswith(ending) or has_mig):
        yield error(
            "impossible-label",
            f"pool {item['name']}: a product label such as {label} needs sharing that the pool does not have",
            value_at(item["nodeLabels"], key),
            "describe the sharing (mig, timeSlicing, mps), or correct the label",
        )


def product_suffix(item: given.Pool, facts: Vendor) -> str:
    """Return what the device plugin appends to the product label of such nodes.

    Source: k8s-device-plugin, docs on resource naming with time-slicing and MIG.
    """
    mig, slicing = item.get("mig"), item.get("timeSlicing") or item.get("mps")
    suffix = ""
    if mig and mig["strategy"] == "single":
        suffix = f"{facts.mig_product_infix}{label_text(next(iter(mig['layout']), ''))}"
    if (
        slicing
        and slicing["replicas"] > 1
        and not slicing.get("rename", False)
        and not (mig and mig["strategy"] == "mixed")
    ):
        suffix += facts.shared_product_suffix or ""
    return suffix


def _reserve_defects(item: given.Pool) -> Iterator[Finding]:
    reserve = item.get("reserve") or {}
    if reserve.get("nodes", 0) > item["nodes"]:
        yield error(
            "reserve-above-pool",
            f"pool {item['name']} reserves {reserve['nodes']} of {item['nodes']} nodes",
            at(reserve, "nodes"),
            "reserve at most as many nodes as there are",
        )
    kept: Mapping[str, Any] = reserve.get("perNode") or {}
    per_node: Mapping[str, Any] = item["perNode"]
    for key, amount in kept.items():
        there = per_node.get(key, 0)
        if parse(amount) > parse(there):
            yield error(
                "reserve-above-pool",
                f"pool {item['name']} reserves {key} {amount} of {there} a node",
                at(kept, key),
                "reserve at most what a node has",
            )


def _topology_defects(item: given.Pool) -> Iterator[Finding]:
    levels = item.get("topology")
    if levels is None:
        return
    place = at(item, "topology")
    if not levels:
        yield error(
            "invalid-topology",
            f"pool {item['name']}: topology has no levels",
            place,
            "name its levels, widest first, or remove it",
        )
    if len(set(levels)) != len(levels):
        yield error(
            "invalid-topology", f"pool {item['name']}: topology names a level twice", place, "name each level once"
        )
    if HOSTNAME in levels[:-1]:
        yield error(
            "invalid-topology",
            f"pool {item['name']}: {HOSTNAME} can only be the last level",
            place,
            f"move {HOSTNAME} to the end",
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


def _pool(item: given.Pool, models: Mapping[str, Accelerator], topologies: dict[tuple[str, ...], Topology]) -> Pool:
    model, sharing = _model(item, models), _sharing(item)
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


def _overlaps(pools: Mapping[str, Pool]) -> Iterator[Finding]:
    """Yield each pool whose labels are a subset of others': its flavor would take their nodes."""
    for pool in pools.values():
        others = [other for other in pools.values() if _takes(pool, other)]
        if others:
            named = f"pool {others[0].name}" if len(others) == 1 else f"pools {', '.join(o.name for o in others)}"
            yield error(
                "pools-overlap",
                f"the labels of pool {pool.name} also select the nodes of {named}: the same nodes would be given twice",
                pool.origin,
                f"add a label to {pool.name} that only its nodes carry",
                layer=Layer.READINESS,
                related=tuple(Related(other.origin, f"pool {other.name}") for other in others),
            )


def _takes(pool: Pool, other: Pool) -> bool:
    """Tell whether a pool's labels select another's nodes; of two with the same labels only the first does."""
    if pool is other or not pool.node_labels.items() <= other.node_labels.items():
        return False
    return pool.node_labels != other.node_labels or pool.origin < other.origin


def _strategies(pools: Mapping[str, Pool]) -> Iterator[Finding]:
    """Yield a second MIG strategy: the GPU operator has one for the whole cluster.

    Source: NVIDIA/gpu-operator api/nvidia/v1/clusterpolicy_types.go, spec.mig.strategy.
    """
    sliced = sorted((p for p in pools.values() if p.sharing.mig), key=lambda pool: pool.origin)
    for pool in sliced[1:]:
        if pool.sharing.mig != sliced[0].sharing.mig:
            yield error(
                "two-mig-strategies",
                f"pool {pool.name} has MIG strategy {pool.sharing.mig} and pool {sliced[0].name} has "
                f"{sliced[0].sharing.mig}: the GPU operator knows one for the whole cluster",
                pool.origin,
                "give both the same strategy; mixed also fits a card with one kind of slice",
                layer=Layer.READINESS,
                related=(Related(sliced[0].origin, f"pool {sliced[0].name}"),),
            )
