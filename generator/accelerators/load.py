"""Read accelerator data: a vendor's file when one of its models is first asked for, and once."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

from generator import facts
from generator.accelerators.model import Accelerator, MigProfile, Vendor

_ROOT = Path(__file__).parent


@cache
def vendor_ids() -> tuple[str, ...]:
    """Return the ids of the vendors, sorted."""
    return tuple(sorted(path.stem for path in _ROOT.glob("*.yaml")))


@cache
def vendor(id: str) -> Vendor:  # noqa: A002 - the field's own word
    """Return a vendor ("nvidia").

    Raises:
        KeyError: no such vendor.
    """
    raw = {key: value for key, value in _document(id).items() if key not in ("models", "shapes")}
    return facts.record(Vendor, raw | {"id": id}, f"{id}.yaml")


@cache
def ids() -> tuple[str, ...]:
    """Return the ids of all models, by vendor and within a vendor in the order of its file."""
    return tuple(f"{name}-{model}" for name in vendor_ids() for model in _document(name)["models"])


@cache
def accelerator(id: str) -> Accelerator | None:  # noqa: A002 - the field's own word
    """Return a model ("nvidia-h100-80gb"), or None for one that is not known."""
    name, _, model = id.partition("-")
    if name not in vendor_ids() or model not in _document(name)["models"]:
        return None
    maker, raw = vendor(name), _document(name)["models"][model]
    shapes = _document(name)["shapes"]
    shape = shapes.get(raw.get("shape"), {"slices": 0, "memory_slices": 0})
    profiles = {key: _profile(key, shape["profiles"][value], id) for key, value in raw.get("mig", {}).items()}
    values = {"products": [], "verified": maker.verified, "notes": ""} | raw
    values |= {"id": id, "vendor": name, "operators": maker.operators, "mig": profiles}
    values |= {key: getattr(maker, key) for key in ("resource", "product_label", "taint_key")}
    values |= {"mig_slices": shape["slices"], "mig_memory_slices": shape["memory_slices"]}
    values.pop("shape", None)
    return facts.record(Accelerator, values, f"{name}.yaml: {model}")


def _profile(name: str, raw: Mapping[str, Any], where: str) -> MigProfile:
    values = {"media": False, "name": name, **raw, "starts": tuple(raw["starts"])}
    return facts.record(MigProfile, values, where)


@cache
def _document(name: str) -> Any:
    if name not in vendor_ids():
        raise KeyError(name)
    return facts.document(_ROOT / f"{name}.yaml")
