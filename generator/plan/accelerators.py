"""Accelerators that an environment defines itself, with the fields of the shipped ones."""

from __future__ import annotations

from collections.abc import Sequence

from generator.accelerators.load import ids, vendor
from generator.accelerators.model import Accelerator, MigProfile
from generator.environment.cluster import AcceleratorModel, MigShape
from generator.finding import Finding, error
from generator.source import at

# Of every card with MIG but the A30; source: NVIDIA MIG user guide.
COMPUTE_SLICES, MEMORY_SLICES = 7, 8


def defined(items: Sequence[AcceleratorModel], findings: list[Finding]) -> dict[str, Accelerator]:
    """Return the environment's own models by id; a shipped id may not be redefined."""
    models: dict[str, Accelerator] = {}
    for item in items:
        if item["id"] in ids() or item["id"] in models:
            before = "ships with Apportion" if item["id"] in ids() else "is defined above"
            message = f"accelerator {item['id']} {before} already"
            findings.append(error("defined-twice", message, at(item, "id"), "remove it, or choose another id"))
            continue
        models[item["id"]] = _model(item)
    return models


def _model(item: AcceleratorModel) -> Accelerator:
    maker = vendor(item["vendor"])
    profiles = {
        name: _profile(name, shape, item.get("migMemorySlices", MEMORY_SLICES))
        for name, shape in (item.get("mig") or {}).items()
    }
    return Accelerator(
        id=item["id"],
        vendor=maker.id,
        title=item.get("title", item["id"]),
        memory_gb=item["memoryGB"],
        resource=item.get("resource", maker.resource),
        product_label=maker.product_label,
        products=tuple(item.get("products") or ()),
        taint_key=maker.taint_key,
        mig_slices=item.get("migSlices", COMPUTE_SLICES) if profiles else 0,
        mig_memory_slices=item.get("migMemorySlices", MEMORY_SLICES) if profiles else 0,
        mig=profiles,
        operators=maker.operators,
        verified=False,
        notes="defined by the environment",
    )


def _profile(name: str, shape: MigShape, memory_slices: int) -> MigProfile:
    starts = shape.get("starts") or range(memory_slices - shape["memory"] + 1)
    return MigProfile(name, shape["compute"], shape["memory"], tuple(starts), shape["max"], "+me" in name)
