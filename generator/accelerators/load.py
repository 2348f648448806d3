"""Read accelerator data: a vendor's file when one of its models is first asked for, and once."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

from generator import facts
from generator.accelerators.model import Accelerator, MigProfile, Vendor

_ROOT = Path(__file__).parent
_WHOLE: dict[str, Any] = {"slices": 0, "memory_slices": 0, "profiles": {}}


@cache
def vendor_ids() -> tuple[str, ...]:
    """Return the ids of the vendors, sorted."""
    return tuple(sorted(path.stem for path in _ROOT.glob("*.yaml")))


@cache
def vendor(name: str) -> Vendor:
    """Return a vendor ("nvidia").

    Raises:
        KeyError: no such vendor.
    """
    raw = {key: value for key, value in _document(name).items() if key not in ("models", "shapes")}
    return facts.record(Vendor, raw | {"id": name}, f"{name}.yaml")


@cache
def ids() -> tuple[str, ...]:
    """Return the ids of all models, by vendor and within a vendor in the order of its file."""
    return tuple(f"{name}-{model}" for name in vendor_ids() for model in _document(name)["models"])


@cache
def accelerator(name: str) -> Accelerator | None:
    """Return a model by its id ("nvidia-h100-80gb"), or None for one that is not known."""
    maker, _, model = name.partition("-")
    if maker not in vendor_ids() or model not in _document(maker)["models"]:
        return None
    file, raw, of = f"{maker}.yaml: {model}", dict(_document(maker)["models"][model]), vendor(maker)
    shape: Mapping[str, Any] = _document(maker)["shapes"].get(raw.pop("shape", None), _WHOLE)
    profiles = {key: _profile(key, shape["profiles"][value], file) for key, value in raw.pop("mig", {}).items()}
    shared = {key: getattr(of, key) for key in ("resource", "product_label", "taint_key", "operators")}
    mig = {"mig": profiles, "mig_slices": shape["slices"], "mig_memory_slices": shape["memory_slices"]}
    defaults = {"id": name, "vendor": maker, "products": [], "verified": of.verified, "notes": ""}
    return facts.record(Accelerator, defaults | shared | mig | raw, file)


def _profile(name: str, raw: Mapping[str, Any], where: str) -> MigProfile:
    values = {"media": False, "name": name, **raw, "starts": tuple(raw["starts"])}
    return facts.record(MigProfile, values, where)


@cache
def _document(name: str) -> Any:
    if name not in vendor_ids():
        raise KeyError(name)
    return facts.document(_ROOT / f"{name}.yaml")
