"""Read release data: each file when it is first asked for, and once. A malformed one raises ValueError."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

from generator import facts
from generator.facts import record
from generator.releases.model import (
    Advisory,
    Component,
    Conflict,
    GitOps,
    Kueue,
    OpenShift,
    OpenShiftAI,
    Operand,
    Operator,
    Requirement,
    Trainer,
)

DATA_VERSION = "2026-11-30"  # the day on which the data was last compared with its sources

_ROOT = Path(__file__).parent
_STATES = ["Managed", "Removed"]


def known(product: str) -> tuple[str, ...]:
    """Return the known versions of "openshift", "openshift-ai", "kueue" or "gitops", oldest first.

    Raises:
        KeyError: no such product.
    """
    if product == "openshift":
        return tuple(_document("openshift.yaml"))
    if product not in ("openshift-ai", "kueue", "gitops"):
        raise KeyError(product)
    return _versions(product)


@cache
def openshift_ai(version: str) -> OpenShiftAI | None:
    """Return a release of OpenShift AI ("3.4"), or None for one that is not known."""
    if version not in _versions("openshift-ai"):
        return None
    name = f"openshift-ai/{version}.yaml"
    raw = _document(name)
    components = {key: _component(key, value, name) for key, value in raw["components"].items()}
    trainer = raw["trainer"] and record(Trainer, raw["trainer"], name)
    return record(OpenShiftAI, raw | {"components": components, "trainer": trainer}, name)


@cache
def kueue(version: str) -> Kueue | None:
    """Return a release of the Red Hat build of Kueue ("1.3"), or None for one that is not known."""
    if version not in _versions("kueue"):
        return None
    return record(Kueue, _document(f"kueue/{version}.yaml"), f"kueue/{version}.yaml")


@cache
def gitops(version: str) -> GitOps | None:
    """Return a release of OpenShift GitOps ("1.18"), or None for one that is not known."""
    if version not in _versions("gitops"):
        return None
    return record(GitOps, _document(f"gitops/{version}.yaml"), f"gitops/{version}.yaml")


@cache
def openshift(version: str) -> OpenShift | None:
    """Return a release of OpenShift ("4.20"), or None for one that is not known."""
    raw = _document("openshift.yaml").get(version)
    return raw and record(OpenShift, raw | {"version": version}, "openshift.yaml")


@cache
def operator_ids() -> tuple[str, ...]:
    """Return the ids of all operators, sorted."""
    return tuple(sorted(path.stem for path in (_ROOT / "operators").glob("*.yaml")))


@cache
def operator(name: str) -> Operator:
    """Return an operator by its id ("nvidia-gpu").

    Raises:
        KeyError: no such operator.
    """
    if name not in operator_ids():
        raise KeyError(name)
    file = f"operators/{name}.yaml"
    raw: dict[str, Any] = {"channels_by": {}, "channel_by": {}, "env": {}, "namespace_labels": {}, "requires": []}
    raw |= {"upgrades": {}, "install_modes": []}
    raw |= {"looked_up": False, "openshift_ai": None, "operands": [], "notes": "", "id": name} | _document(file)
    channels_by, upgrades = (
        {key: {version: tuple(channels) for version, channels in by.items()} for key, by in raw[field].items()}
        for field in ("channels_by", "upgrades")
    )
    operands = tuple(_operand(value, file) for value in raw["operands"])
    env = tuple(sorted(raw["env"].items()))
    return record(
        Operator,
        raw | {"channels_by": channels_by, "upgrades": upgrades, "operands": operands, "env": env},
        file,
    )


@cache
def advisories() -> tuple[Advisory, ...]:
    """Return the combinations that are known to be bad, in the order of the file."""
    lists = ("components", "workloads", "frameworks", "openshift_ai", "kueue", "openshift")
    anywhere: dict[str, Any] = {**{key: [] for key in lists}, "unless_manual": ""}
    return tuple(record(Advisory, anywhere | raw, "advisories.yaml") for raw in _document("advisories.yaml"))


def closed(fields_: Mapping[str, Any]) -> dict[str, Any]:
    """Return the JSON Schema of an object that has these properties and no others, at every depth."""
    schema: dict[str, Any] = _closed({"properties": dict(fields_)})
    return schema


def _closed(schema: Any) -> Any:
    if isinstance(schema, list):
        return [_closed(item) for item in schema]
    if not isinstance(schema, dict):
        return schema
    if "properties" not in schema:
        return {key: _closed(value) for key, value in schema.items()}
    properties = {key: _closed(value) for key, value in schema["properties"].items()}
    return schema | {"type": "object", "properties": properties, "additionalProperties": False}


def _component(name: str, raw: Mapping[str, Any], file: str) -> Component:
    own = dict(raw)
    schema = closed({"managementState": {"enum": _STATES}} | own.pop("fields", {}))
    requirements = tuple(
        record(Requirement, {"operators": [], "dsci_spec": {}, "hard": True} | value, file)
        for value in own.pop("requirements", [])
    )
    conflicts = tuple(record(Conflict, value, file) for value in own.pop("conflicts", []))
    empty: dict[str, Any] = {"defaults": {}, "operators": [], "suggested": [], "frameworks": []}
    fixed = {"name": name, "states": _STATES, "schema": schema, "requirements": requirements, "conflicts": conflicts}
    return record(Component, empty | {"key": name} | own | fixed, file)


def _operand(raw: Mapping[str, Any], file: str) -> Operand:
    return record(Operand, {"namespace": None, "spec": {}, "wave": 0, **raw}, file)


@cache
def _versions(product: str) -> tuple[str, ...]:
    stems = [path.stem for path in (_ROOT / product).glob("*.yaml")]
    return tuple(sorted(stems, key=lambda version: [int(part) for part in version.split(".")]))


def _document(name: str) -> Any:
    return facts.document(_ROOT / name)
