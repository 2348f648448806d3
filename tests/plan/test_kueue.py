from __future__ import annotations

import pytest
from syrupy.assertion import SnapshotAssertion

from generator.plan.model import Fungibility, Preemption
from tests.builders import findings, plan, quota, rules, whole


def frameworks(written: str, **parts: str) -> list[str]:
    return list(plan(environment=written, **parts).settings.frameworks)


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        ("", ["BatchJob"]),  # the CR demands one
        ("kueue: {frameworks: [RayJob]}", ["RayJob"]),
        ("components: {ray: {}}", ["RayJob", "RayCluster"]),
        ("components: {ray: {managementState: Removed}}", ["BatchJob"]),
        ("components: {ray: {}}\nkueue: {frameworks: [BatchJob, RayJob]}", ["BatchJob", "RayJob", "RayCluster"]),
        ("components: {workbenches: {}}", ["Pod", "StatefulSet"]),
        ("kueue: {frameworks: [Deployment]}", ["Pod", "Deployment"]),  # implied
        ("components: {trainer: {}}", ["TrainJob"]),
        ("components: {trainingoperator: {}}", ["PaddleJob", "PyTorchJob", "TFJob", "XGBoostJob"]),
    ],
)
def test_frameworks(written: str, expected: list[str]) -> None:
    assert frameworks(written) == expected


def test_settings() -> None:
    found = plan().settings
    assert (found.preemption_policy, found.label_policy, found.gang_scheduling) == ("Classical", "QueueName", "None")
    written = "kueue: {preemptionPolicy: FairSharing, labelPolicy: None, gangScheduling: ByWorkload}"
    found = plan(environment=written).settings
    assert (found.preemption_policy, found.label_policy, found.gang_scheduling) == ("FairSharing", "None", "ByWorkload")


@pytest.mark.parametrize(
    ("kueue", "written", "expected"),
    [
        ("1.3", "{frameworks: [RayJbo]}", ["environment.yaml:6:22 unknown-framework"]),
        ("1.3", "{frameworks: [BatchJob, Argo]}", ["environment.yaml:6:32 unknown-framework"]),
        ("1.3", "{frameworks: [JaxJob]}", ["environment.yaml:6:22 broken-framework"]),
        ("1.0", "{frameworks: [JaxJob]}", ["environment.yaml:6:22 unknown-framework"]),
        ("1.0", "{frameworks: [TrainJob]}", ["environment.yaml:6:22 unknown-framework"]),
        ("1.3", "{frameworks: [TrainJob]}", []),
        ("1.3", "{frameworks: [SparkApplication]}", ["environment.yaml:6:22 unknown-framework"]),
        ("1.4", "{frameworks: [SparkApplication]}", []),
    ],
)
def test_refused(kueue: str, written: str, expected: list[str], snapshot: SnapshotAssertion) -> None:
    found = findings(environment=f"kueue: {written}", kueue=kueue, openshift="4.19")
    assert rules(found) == expected
    assert whole(found) == snapshot


ALL_BUT_TWO = (
    "[BatchJob, RayJob, RayCluster, JobSet, MPIJob, PaddleJob, PyTorchJob, TFJob, TrainJob, XGBoostJob,"
    " AppWrapper, Pod, Deployment{}]"
)


@pytest.mark.parametrize(
    ("more", "expected"),
    [("", []), (", StatefulSet", []), (", LeaderWorkerSet, StatefulSet", ["environment.yaml:6:1 too-many-frameworks"])],
)
def test_most_frameworks(more: str, expected: list[str], snapshot: SnapshotAssertion) -> None:
    found = findings(environment=f"kueue: {{frameworks: {ALL_BUT_TWO.format(more)}}}")
    assert rules(found) == expected
    assert whole(found) == snapshot


def test_the_platforms_own_queue_admits_nothing() -> None:
    found = plan().default_queue
    assert found is not None
    assert (found.name, found.team, found.queue, found.cohort, found.namespaces, found.flavors) == (
        "default",
        None,
        "default",
        None,
        None,
        (),
    )
    assert (found.preemption, found.fungibility, found.strategy) == (
        Preemption("Never", "Never", "Never"),
        Fungibility("MayStopSearch", "TryNextFlavor"),
        "BestEffortFIFO",
    )
    assert str(found.origin) == "environments/prod/environment.yaml:4:1"


def test_the_platforms_own_queue_with_quota() -> None:
    found = plan(environment="kueue: {defaultQueue: {cores: {cpu: 10}}}").default_queue
    assert found is not None
    assert [quota(flavor) for flavor in found.flavors] == [
        {"cpu": ("10", None, None), "memory": ("100Gi", None, None), "ephemeral-storage": ("50Gi", None, None)}
    ]
    assert str(found.origin) == "environments/prod/environment.yaml:6:9"


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        ("{h10: {cpu: 1}}", ["environment.yaml:6:24 unknown-pool"]),
        ("{cores: {cpu: 1, borrow: 1}}", ["environment.yaml:6:40 borrow-without-cohort"]),
        ("{cores: {accelerators: 1}}", ["environment.yaml:6:32 accelerators-of-cpu-pool"]),
        ("{cores: {cpu: 1}}", []),
    ],
)
def test_quota_of_the_platforms_own_queue(written: str, expected: list[str], snapshot: SnapshotAssertion) -> None:
    found = findings(environment=f"kueue: {{defaultQueue: {written}}}")
    assert rules(found) == expected
    assert whole(found) == snapshot
