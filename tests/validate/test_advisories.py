"""Advisories in what lint reads: where the target and the manifests show the combination, and nowhere else."""

from __future__ import annotations

from typing import Any

import pytest

from tests.validate.builders import Body, body, cluster, judged, local_queue, namespace, subscription
from tests.validate.manifests import target
from tests.validate.test_boundaries import operator
from tests.validate.test_effective_queue import work

ODH = "datasciencecluster.opendatahub.io/v2"
SKEW, OLD = "openshiftAI=3.4,kueue=1.4", "openshiftAI=3.4,kueue=1.1"
NEVER, MISSING = "error trainjob-never-resumed", "error trainjob-framework-missing"
SPARK, CHANNEL = "warning sparkapplication-framework-missing", "warning no-channel-stays-on-release"
THERE = "spec.components.trainer.managementState"


def platform(kueue: str = "Unmanaged", **components: str) -> Body:
    states = {"kueue": kueue, **components}
    spec = {"components": {name: {"managementState": state} for name, state in states.items()}}
    return body(ODH, "DataScienceCluster", "default-dsc", spec=spec)


def train_job(label: str | None = None, name: str = "w") -> Body:
    made = work("TrainJob", label)
    made["metadata"]["name"] = name
    return made


def channel(approval: str | None) -> Body:
    made = subscription("rhods-operator")
    made["spec"] |= {"installPlanApproval": approval} if approval else {}
    return made


def found(bodies: list[Body], on: str, **more: Any) -> list[str]:
    names = {line.split()[1] for line in (NEVER, MISSING, SPARK, CHANNEL)}
    return [f"{f.severity} {f.rule} {f.path}" for f in judged(cluster(bodies, target(on), **more)) if f.rule in names]


HERE = [namespace(), local_queue()]
SPARKS = body("sparkoperator.k8s.io/v1beta2", "SparkApplication", "s", "vision", spec={})


@pytest.mark.parametrize(
    ("bodies", "on", "want"),
    [
        ([platform(trainer="Managed")], SKEW, [f"{NEVER} {THERE}"]),
        ([platform(trainer="Managed")], "openshiftAI=3.4,kueue=1.3", []),
        ([platform(trainer="Managed")], "kueue=1.4", []),
        ([platform(trainer="Managed")], "openshiftAI=3.4", []),
        ([platform(trainer="Removed")], SKEW, []),
        ([platform("Removed", trainer="Managed")], SKEW, []),
        ([platform("Removed", trainer="Managed"), operator("TrainJob")], SKEW, [f"{NEVER} {THERE}"]),
        ([platform(trainer="Managed"), operator("TrainJob", "Pod")], SKEW, [f"{NEVER} {THERE}"]),
        ([platform(trainer="Managed"), operator("Pod")], SKEW, []),
        ([platform(trainer="Managed"), train_job("q")], SKEW, [f"{NEVER} {THERE}"]),
        ([platform(trainer="Managed")], OLD, [f"{MISSING} {THERE}"]),
        ([platform(trainer="Managed")], "openshiftAI=3.4,kueue=1.2", []),
        ([train_job("q")], SKEW, [f"{NEVER} metadata.name"]),
        ([*HERE, train_job()], SKEW, [f"{NEVER} metadata.name"]),
        ([train_job()], SKEW, []),
        ([train_job("q"), operator("Pod")], SKEW, []),
        ([work(label="q")], SKEW, []),
        ([train_job("q")], OLD, [f"{MISSING} metadata.name"]),
        ([*HERE, train_job()], OLD, [f"{MISSING} metadata.name"]),
        ([train_job()], OLD, []),
        ([platform(sparkoperator="Managed")], "openshiftAI=3.4,kueue=1.3",
         [f"{SPARK} spec.components.sparkoperator.managementState"]),
        ([namespace(), SPARKS], "openshiftAI=3.4,kueue=1.3", [f"{SPARK} metadata.name"]),
        ([namespace(), SPARKS], SKEW, []),
        ([channel(None)], "openshiftAI=3.2", [f"{CHANNEL} spec"]),
        ([channel("Automatic")], "openshiftAI=3.2", [f"{CHANNEL} spec"]),
        ([channel("Manual")], "openshiftAI=3.2", []),
        ([channel(None)], "openshiftAI=3.3", []),
        ([namespace()], "openshiftAI=3.2", []),
    ],
)  # fmt: skip
def test_an_advisory_is_said_where_it_holds(bodies: list[Body], on: str, want: list[str]) -> None:
    assert found(bodies, on) == want


def test_of_an_environment_its_platform_says_so() -> None:
    assert found([platform(trainer="Managed")], SKEW, whole=True) == []


def test_one_cause_is_said_once_for_many_jobs() -> None:
    jobs = [train_job("q", name) for name in ("a", "b", "c")]
    said = [f for f in judged(cluster(jobs, target(SKEW))) if f.rule == "trainjob-never-resumed"]
    assert [(f.object and f.object.name, [also.message for also in f.related]) for f in said] == [
        ("a", ["TrainJob b", "TrainJob c"])
    ]
