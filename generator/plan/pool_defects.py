"""What cannot be of one pool: its sharing, labels, reserve, topology."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from generator.accelerators.load import accelerator, ids, vendor
from generator.accelerators.model import Accelerator, Vendor, invalid_geometry, label_text
from generator.environment import inventory as given
from generator.finding import Finding, Layer, error
from generator.quantity import parse
from generator.source import at, value_at

HOSTNAME = "kubernetes.io/hostname"


def defects(item: given.Pool, model: Accelerator | None) -> Iterator[Finding]:
    """Yield what is wrong with a pool whose accelerator is known, or (None) that has none."""
    if model is None:
        yield from _defects_without_accelerator(item)
    elif not parse(item["perNode"].get("accelerators", 0)):
        yield error(
            "missing-key",
            f"pool {item['name']} has the accelerator {model.id} and perNode does not say how many",
            at(item, "perNode"),
            "add perNode.accelerators: <cards a node>",
        )
    else:
        found = list(_sharing_defects(item, model)) or list(_label_defects(item, model))
        yield from found or _product_defects(item, model)
    yield from _reserve_defects(item)
    yield from _topology_defects(item)


def _defects_without_accelerator(item: given.Pool) -> Iterator[Finding]:
    name, per_node = item["name"], item["perNode"]
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


def _product_defects(item: given.Pool, model: Accelerator) -> Iterator[Finding]:
    """Yield a product label that nodes of another model carry: the quota would guard those."""
    facts = vendor(model.vendor)
    key, label = facts.product_label, item["nodeLabels"].get(facts.product_label or "")
    if key is None or label is None:
        return
    product = label.removesuffix(facts.shared_product_suffix or "").split(facts.mig_product_infix or "\n")[0]
    others = (accelerator(name) for name in ids() if name != model.id)
    other = next((o for o in others if o and o.vendor == model.vendor and product in o.products), None)
    if product not in model.products and other is not None:
        yield error(
            "product-of-another-model",
            f"pool {item['name']} holds {model.title}, and its label {label} is what nodes with {other.title} carry",
            value_at(item["nodeLabels"], key),
            f"correct the label ({', '.join(model.products) or 'see oc get nodes --show-labels'}), or write {other.id}",
            layer=Layer.READINESS,
        )


def _label_defects(item: given.Pool, model: Accelerator) -> Iterator[Finding]:
    """Yield a product label that nodes shared like this do not carry: the device plugin appends a suffix."""
    facts = vendor(model.vendor)
    key, label = facts.product_label, item["nodeLabels"].get(facts.product_label or "")
    if key is None or label is None or facts.shared_product_suffix is None or facts.mig_product_infix is None:
        return
    expected = _product_suffix(item, facts)
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


def _product_suffix(item: given.Pool, facts: Vendor) -> str:
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
