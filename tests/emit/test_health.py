"""The health checks, run as Argo CD runs them: Lua 5.1 without most libraries, given an object, gives a status."""

from __future__ import annotations

from functools import cache
from typing import Any

import pytest
import yaml
from lupa import lua51  # type: ignore[import-untyped]  # ships no types

from generator import facts
from generator.emit.health import SCRIPTS, settings

CONFIG = yaml.safe_load(settings())["spec"]["extraConfig"]
# Argo CD opens the base and table libraries alone, and a few functions of `os`. Source: util/lua/lua.go, runLua.
CLOSED = ("io", "os", "string", "math", "debug", "package", "require", "dofile", "loadfile", "load", "loadstring")
STATES = {"Healthy", "Progressing", "Suspended", "Degraded", "Missing", "Unknown"}


@cache
def machine(kind: str) -> tuple[Any, Any]:
    """Return Lua and the script of a kind, as the patch of the ArgoCD resource brings it."""
    lua = lua51.LuaRuntime(register_eval=False, register_builtins=False)
    lua.execute("\n".join(f"{name} = nil" for name in CLOSED))
    group = next(group for group, scripted in SCRIPTS if scripted == kind)
    script = CONFIG[f"resource.customizations.health.{group}_{kind}"]
    return lua, lua.execute(f"return function(obj)\n{script}\nend")


def status(kind: str, found: dict[str, Any]) -> tuple[str, str]:
    lua, script = machine(kind)
    result = script(_table(lua, {"metadata": {"generation": 2}, **found}))
    return result["status"], result["message"]


def _table(lua: Any, value: Any) -> Any:
    if isinstance(value, dict):
        return lua.table_from({key: _table(lua, item) for key, item in value.items()})
    return lua.table_from([_table(lua, item) for item in value]) if isinstance(value, list) else value


def condition(**given: Any) -> dict[str, Any]:
    return {"status": {"conditions": [given]}}


def conditions(*types: str) -> dict[str, Any]:
    return {"status": {"conditions": [{"type": name, "status": "True"} for name in types]}}


def active(status_: str, reason: str = "", message: str | None = None, seen: int = 2) -> dict[str, Any]:
    return condition(type="Active", status=status_, reason=reason, message=message, observedGeneration=seen)


STOPPED = {"metadata": {"annotations": {"kubeflow-resource-stopped": "t"}}}
WAITING = ("Progressing", "waiting for Kueue")
OPERATOR = ("Progressing", "waiting for the operator")
UNSEEN = ("Progressing", "waiting for the operator to see the change")
STALE = {"status": {"observedGeneration": 1, "state": "ready", "phase": "Ready"}}
MISSING = {"type": "Degraded", "status": "True", "reason": "MissingDependency", "message": "cert-manager"}


def waits(reason: str) -> dict[str, Any]:
    return {"status": {"containerState": {"waiting": {"reason": reason}}}}


@pytest.mark.parametrize(
    ("kind", "found", "expected"),
    [
        ("ClusterQueue", {}, WAITING),
        ("ClusterQueue", active("True"), ("Healthy", "")),
        ("ClusterQueue", active("True", seen=1), ("Progressing", "waiting for Kueue to see the change")),
        ("ClusterQueue", active("False", "FlavorNotFound", "no a100"), ("Degraded", "no a100")),
        ("ClusterQueue", active("False", "FlavorNotFound"), ("Degraded", "FlavorNotFound")),
        ("ClusterQueue", active("False", "Stopped", "it is stopped"), ("Healthy", "stopped")),
        ("ClusterQueue", active("Unknown", "Stopped"), WAITING),
        ("ClusterQueue", conditions("Other"), WAITING),
        ("LocalQueue", {}, WAITING),
        ("LocalQueue", active("True"), ("Healthy", "")),
        ("LocalQueue", active("True", seen=1), ("Progressing", "waiting for Kueue to see the change")),
        ("LocalQueue", active("False", "Stopped"), ("Healthy", "stopped")),
        (
            "LocalQueue",
            active("False", "ClusterQueueIsInactive", "cannot submit"),
            ("Healthy", "its ClusterQueue is stopped or inactive"),
        ),
        ("LocalQueue", active("False", "ClusterQueueDoesNotExist", "no such"), ("Degraded", "no such")),
        ("AdmissionCheck", {}, WAITING),
        ("AdmissionCheck", condition(type="Active", status="True"), ("Healthy", "")),
        ("AdmissionCheck", active("False", message="bad"), ("Degraded", "bad")),
        ("AdmissionCheck", condition(type="Active", status="False"), ("Degraded", "inactive")),
        ("DataScienceCluster", {}, OPERATOR),
        ("DataScienceCluster", condition(type="Ready", status="False", message="x"), ("Progressing", "x")),
        ("DataScienceCluster", condition(type="Ready", status="False", reason="r"), ("Progressing", "r")),
        ("DataScienceCluster", condition(type="Ready", status="True"), ("Healthy", "")),
        ("DataScienceCluster", {"status": {"phase": "Error", "errorMessage": "e"}}, ("Degraded", "e")),
        ("DataScienceCluster", STALE, UNSEEN),
        ("DSCInitialization", {}, OPERATOR),
        ("DSCInitialization", {"status": {"phase": "Ready"}}, ("Healthy", "")),
        ("DSCInitialization", {"status": {"phase": "Error"}}, ("Degraded", "phase Error")),
        ("DSCInitialization", {"status": {"phase": "Progressing"}}, OPERATOR),
        ("DSCInitialization", STALE, UNSEEN),
        ("Kueue", {}, OPERATOR),
        (
            "Kueue",
            {"status": {"conditions": [{"type": "Available", "status": "True"}, MISSING]}},
            ("Degraded", "cert-manager"),
        ),
        ("Kueue", condition(type="Degraded", status="True", reason="NoReplicasReady"), OPERATOR),
        ("Kueue", condition(type="Available", status="False", reason="starting"), ("Progressing", "starting")),
        ("Kueue", condition(type="Available", status="True"), ("Healthy", "")),
        ("Kueue", {"status": {"observedGeneration": 1, "conditions": [MISSING]}}, UNSEEN),
        ("Application", {}, ("Progressing", "waiting for the first sync")),
        ("Application", {"status": {"health": {"status": "Degraded", "message": "m"}}}, ("Degraded", "m")),
        ("Application", {"status": {"health": {"status": "Healthy"}}}, ("Healthy", "")),
        ("Application", {"status": {"health": {"status": "Suspended"}}}, ("Suspended", "")),
        ("Application", {"status": {"health": {}}}, ("Progressing", "waiting for the first sync")),
        ("TrainJob", {}, ("Progressing", "running")),
        ("TrainJob", conditions("Suspended"), ("Suspended", "waiting for quota")),
        ("TrainJob", conditions("Suspended", "Complete"), ("Healthy", "complete")),
        ("TrainJob", conditions("Suspended", "Failed"), ("Degraded", "failed")),
        ("JobSet", {}, ("Progressing", "running")),
        ("JobSet", condition(type="Suspended", status="False"), ("Progressing", "running")),
        ("JobSet", conditions("Suspended"), ("Suspended", "waiting for quota")),
        ("JobSet", conditions("Completed"), ("Healthy", "complete")),
        ("JobSet", condition(type="Failed", status="True", message="m"), ("Degraded", "m")),
        ("RayCluster", {}, ("Progressing", "starting")),
        ("RayCluster", {"status": {"state": "ready"}}, ("Healthy", "")),
        ("RayCluster", {"status": {"state": "suspended"}}, ("Suspended", "waiting for quota")),
        ("RayCluster", {"status": {"state": "failed", "reason": "r"}}, ("Degraded", "r")),
        ("RayCluster", {"status": {"state": "failed"}}, ("Degraded", "failed")),
        ("RayCluster", STALE, UNSEEN),
        ("Notebook", {}, ("Progressing", "starting")),
        ("Notebook", STOPPED, ("Suspended", "stopped")),
        ("Notebook", {"status": {"readyReplicas": 1}}, ("Healthy", "")),
        ("Notebook", {"status": {"readyReplicas": 0}}, ("Progressing", "starting")),
        ("Notebook", waits("ContainerCreating"), ("Progressing", "ContainerCreating")),
        ("Notebook", waits("ImagePullBackOff"), ("Degraded", "ImagePullBackOff")),
    ],
)
def test_status(kind: str, found: dict[str, Any], expected: tuple[str, str]) -> None:
    assert status(kind, found) == expected


ODD: list[Any] = [
    None,
    "text",
    7,
    [],
    {},
    {"conditions": None},
    {"conditions": "text"},
    {"conditions": []},
    {"conditions": ["text", 7, None]},
    {"conditions": [{}]},
    {"conditions": [{"type": "Active", "status": "Unknown", "observedGeneration": "1"}]},
    {"observedGeneration": "1", "phase": 3, "state": 3, "health": "text", "containerState": "text"},
    {"readyReplicas": "1", "containerState": {"waiting": "text"}, "health": {"status": None}},
]


@pytest.mark.parametrize("kind", [kind for _, kind in SCRIPTS])
def test_an_odd_status_is_waited_for(kind: str) -> None:
    """A script that fails gives Unknown, which hides why; one that says healthy lets the next wave begin."""
    found = [
        status(kind, {"metadata": metadata, "status": odd})[0] for odd in ODD for metadata in ({}, {"annotations": 1})
    ]
    assert set(found) == {"Progressing"}


@pytest.mark.parametrize("kind", [kind for _, kind in SCRIPTS])
def test_an_object_without_a_generation_is_judged(kind: str) -> None:
    found = {
        "metadata": {},
        "status": {"observedGeneration": 1, "conditions": [{"type": "Active", "observedGeneration": 1}]},
    }
    assert status(kind, found)[0] in STATES


def test_the_patch_holds_every_script() -> None:
    prefix = "resource.customizations.health."
    found = {key.removeprefix(prefix): script for key, script in CONFIG.items() if key.startswith(prefix)}
    assert sorted(found) == sorted(f"{group}_{kind}" for group, kind in SCRIPTS)
    assert set(found.values()) == set(facts.texts("health").values())


def test_the_patch_knows_quantities_and_how_objects_are_tracked() -> None:
    prefix = "resource.customizations.knownTypeFields."
    fields = {key.removeprefix(prefix): yaml.safe_load(text) for key, text in CONFIG.items() if key.startswith(prefix)}
    paths = [
        f"spec.resourceGroups.flavors.resources.{key}" for key in ("nominalQuota", "borrowingLimit", "lendingLimit")
    ]
    amounts = [{"field": path, "type": "core/Quantity"} for path in paths]
    assert fields == {"kueue.x-k8s.io_ClusterQueue": amounts, "kueue.x-k8s.io_Cohort": amounts}
    spec = yaml.safe_load(settings())["spec"]
    assert (sorted(spec), spec["resourceTrackingMethod"]) == (["extraConfig", "resourceTrackingMethod"], "annotation")
    assert "installationID" not in CONFIG
    assert yaml.safe_load(settings("ai"))["spec"]["extraConfig"] == {**CONFIG, "installationID": "ai"}


def test_keys_are_those_that_a_config_map_takes() -> None:
    assert all(len(key) <= 253 and key.replace("-", "").replace(".", "").replace("_", "").isalnum() for key in CONFIG)
    assert all(isinstance(value, str) for value in CONFIG.values())
