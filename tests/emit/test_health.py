"""The health checks, run as Argo CD runs them: Lua, given an object, gives a status."""

from typing import Any

import lupa  # type: ignore[import-untyped]  # ships no types
import pytest
import yaml

from generator import facts
from generator.emit.health import SCRIPTS, checks


def status(kind: str, found: dict[str, Any]) -> tuple[str, str]:
    lua = lupa.LuaRuntime()
    name = next(name for (_, scripted), name in SCRIPTS.items() if scripted == kind)
    script = facts.texts("health")[f"{name}.lua"]
    result = lua.execute(f"return function(obj)\n{script}\nend")(_table(lua, {"metadata": {"generation": 2}, **found}))
    return result["status"], result["message"]


def _table(lua: Any, value: Any) -> Any:
    if isinstance(value, dict):
        return lua.table_from({key: _table(lua, item) for key, item in value.items()})
    return lua.table_from([_table(lua, item) for item in value]) if isinstance(value, list) else value


def condition(**given: Any) -> dict[str, Any]:
    return {"status": {"conditions": [given]}}


@pytest.mark.parametrize(
    ("kind", "found", "expected"),
    [
        ("ClusterQueue", {}, ("Progressing", "waiting for Kueue")),
        ("ClusterQueue", condition(type="Active", status="True", observedGeneration=2), ("Healthy", "")),
        (
            "LocalQueue",
            condition(type="Active", status="True", observedGeneration=1),
            ("Progressing", "waiting for Kueue to see the change"),
        ),
        ("LocalQueue", condition(type="Active", status="False", reason="Stopped", message="m"), ("Suspended", "m")),
        (
            "ClusterQueue",
            condition(type="Active", status="False", reason="FlavorNotFound"),
            ("Degraded", "FlavorNotFound"),
        ),
        ("AdmissionCheck", condition(type="Active", status="False", message="bad"), ("Degraded", "bad")),
        ("DataScienceCluster", {}, ("Progressing", "waiting for the operator")),
        ("DataScienceCluster", condition(type="Ready", status="False", message="x"), ("Progressing", "x")),
        ("DataScienceCluster", condition(type="Ready", status="True"), ("Healthy", "")),
        ("DSCInitialization", {"status": {"phase": "Ready"}}, ("Healthy", "")),
        ("DSCInitialization", {"status": {"phase": "Error"}}, ("Degraded", "phase Error")),
        (
            "DSCInitialization",
            {"status": {"observedGeneration": 1}},
            ("Progressing", "waiting for the operator to see the change"),
        ),
        (
            "Kueue",
            condition(type="Degraded", status="True", reason="MissingDependency", message="m"),
            ("Degraded", "m"),
        ),
        (
            "Kueue",
            condition(type="Degraded", status="True", reason="NoReplicasReady"),
            ("Progressing", "waiting for the operator"),
        ),
        ("Kueue", condition(type="Available", status="True"), ("Healthy", "")),
        ("Application", {}, ("Progressing", "waiting for the first sync")),
        ("Application", {"status": {"health": {"status": "Degraded", "message": "m"}}}, ("Degraded", "m")),
        ("TrainJob", condition(type="Suspended", status="True"), ("Suspended", "waiting for quota")),
        ("TrainJob", condition(type="Complete", status="True"), ("Healthy", "complete")),
        ("JobSet", condition(type="Failed", status="True", message="m"), ("Degraded", "m")),
        ("JobSet", {}, ("Progressing", "running")),
        ("JobSet", condition(type="Completed", status="True"), ("Healthy", "complete")),
        ("RayCluster", {"status": {"state": "suspended"}}, ("Suspended", "waiting for quota")),
        ("RayCluster", {"status": {"state": "ready"}}, ("Healthy", "")),
        ("Notebook", {"metadata": {"annotations": {"kubeflow-resource-stopped": "t"}}}, ("Suspended", "stopped")),
        ("Notebook", {"status": {"readyReplicas": 1}}, ("Healthy", "")),
        (
            "Notebook",
            {"status": {"containerState": {"waiting": {"reason": "ImagePullBackOff"}}}},
            ("Degraded", "ImagePullBackOff"),
        ),
    ],
)
def test_status(kind: str, found: dict[str, Any], expected: tuple[str, str]) -> None:
    assert status(kind, found) == expected


def test_the_patch_holds_every_script() -> None:
    listed = yaml.safe_load(checks())["spec"]["resourceHealthChecks"]
    assert [(check["group"], check["kind"]) for check in listed] == sorted(SCRIPTS)
    assert {check["check"] for check in listed} == set(facts.texts("health").values())
