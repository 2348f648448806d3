from __future__ import annotations

import pytest
from syrupy.assertion import SnapshotAssertion

from generator.plan.model import Plan
from tests.builders import CORES, findings, plan, rules, whole


def pool(accelerator: str) -> str:
    return (
        f"{{name: gpu, accelerator: {accelerator}, nodes: 1, perNode: {{accelerators: 1, cpu: 1, memory: 1Gi}},"
        " nodeLabels: {node: gpu}}"
    )


def resolved(environment: str = "", pool: str = CORES, **releases: str) -> Plan:
    return plan(environment=environment, pools=[pool], **releases)


def operators(environment: str = "", **releases: str) -> list[str]:
    return [s.operator.id for s in resolved(environment, **releases).subscriptions]


# OpenShift AI needs the first two, these need the third; Kueue needs cert-manager
ALWAYS = {"openshift-ai", "cluster-observability", "opentelemetry", "kueue", "cert-manager"}


def test_without_components_and_accelerators() -> None:
    assert set(operators()) == ALWAYS


@pytest.mark.parametrize(
    ("written", "added"),
    [
        ("components: {dashboard: {}}", set()),
        ("components: {ray: {}}", set()),  # cert-manager is there already
        ("components: {trainer: {}}", {"jobset"}),
        ("components: {trainer: {managementState: Removed}}", set()),
        ("components: {kserve: {}}", set()),
        ("components: {kserve: {wva: {managementState: Managed}}}", {"custom-metrics-autoscaler"}),
        ("components: {kserve: {modelsAsService: {managementState: Managed}}}", {"connectivity-link"}),
        ("kueue: {frameworks: [LeaderWorkerSet]}", {"leader-worker-set"}),
        ("kueue: {frameworks: [JobSet]}", {"jobset"}),
        ("operators: {tempo: {}}", {"tempo"}),
        ("operators: {nvidia-gpu: {}}", {"nvidia-gpu", "nfd"}),
    ],
)
def test_what_needs_an_operator_brings_it(written: str, added: set[str]) -> None:
    assert set(operators(written)) == ALWAYS | added


def test_service_mesh_on_2_25() -> None:
    written = "components: {kserve: {serving: {managementState: Managed}}}"
    assert set(operators(written, openshift_ai="2.25")) == ALWAYS | {"service-mesh", "serverless"}


@pytest.mark.parametrize(
    ("accelerator", "added"),
    [
        ("nvidia-h100-80gb", {"nvidia-gpu", "nfd"}),
        ("amd-mi300x-192gb", {"amd-gpu", "nfd", "kmm"}),
        ("intel-gaudi3-128gb", {"intel-gaudi", "nfd", "kmm"}),
    ],
)
def test_accelerators_bring_their_operators(accelerator: str, added: set[str]) -> None:
    found = resolved(pool=pool(accelerator))
    assert {s.operator.id for s in found.subscriptions} == ALWAYS | added


def test_external_ones_are_left_alone() -> None:
    assert set(operators("operators: {cert-manager: {external: true}}")) == ALWAYS - {"cert-manager"}


def test_subscriptions_by_package() -> None:
    packages = [s.operator.package for s in resolved().subscriptions]
    assert packages == sorted(packages)


@pytest.mark.parametrize(
    ("operator", "releases", "channel"),
    [
        ("openshift-ai", {"openshift_ai": "2.25"}, "stable-2.25"),
        ("openshift-ai", {"openshift_ai": "3.5"}, "stable-3.5"),
        ("kueue", {"kueue": "1.1"}, "stable-v1.1"),
        ("kueue", {"kueue": "1.4"}, "stable-v1.4"),
        ("cert-manager", {}, "stable-v1"),
    ],
)
def test_channel_of_the_target_release(operator: str, releases: dict[str, str], channel: str) -> None:
    (found,) = (s for s in resolved(**releases).subscriptions if s.operator.id == operator)
    assert (found.channel, found.approval, found.starting_csv, found.source) == (
        channel,
        "Automatic",
        None,
        "redhat-operators",
    )


def test_what_is_written_wins() -> None:
    written = (
        "operators: {nvidia-gpu: {channel: v24.9, approval: Manual,"
        " startingCSV: gpu-operator-certified.v24.9.2, source: mirror}}"
    )
    (found,) = (s for s in resolved(written).subscriptions if s.operator.id == "nvidia-gpu")
    assert (found.channel, found.approval, found.starting_csv, found.source) == (
        "v24.9",
        "Manual",
        "gpu-operator-certified.v24.9.2",
        "mirror",
    )


@pytest.mark.parametrize(
    ("release", "written", "expected"),
    [
        ("3.4", "{nvidia: {}}", ["environment.yaml:6:13 unknown-operator"]),
        ("3.4", "{vault: {}}", ["environment.yaml:6:13 unknown-operator"]),
        ("3.4", "{openshift-ai: {channel: stable-3.5}}", ["environment.yaml:6:37 unknown-channel"]),
        ("3.4", "{openshift-ai: {channel: stable-3.x}}", []),
        ("3.4", "{kueue: {channel: stable-v1.4}}", ["environment.yaml:6:30 unknown-channel"]),
        ("3.4", "{nvidia-gpu: {channel: v99.9}}", []),
        ("3.4", "{nfd: {startingCSV: nfd.4.20.0}}", []),
        ("3.4", "{nfd: {startingCSV: node-feature-discovery.v4}}", ["environment.yaml:6:32 unknown-csv"]),
        ("3.4", "{service-mesh: {}}", ["environment.yaml:6:13 unknown-combination"]),
        ("2.25", "{service-mesh: {}}", []),
        ("2.25", "{connectivity-link: {}}", ["environment.yaml:6:13 unknown-combination"]),
        ("3.4", "{service-mesh: {external: true}}", []),
    ],
)
def test_refused(release: str, written: str, expected: list[str], snapshot: SnapshotAssertion) -> None:
    found = findings(environment=f"operators: {written}", openshift_ai=release)
    assert rules(found) == expected
    assert whole(found) == snapshot
