from __future__ import annotations

import pytest
from syrupy.assertion import SnapshotAssertion

from generator.environment.load import load
from generator.finding import Finding
from generator.plan.model import Plugin, Priority, Repository
from generator.plan.resolve import fleet_wide, resolve
from generator.releases.load import known, openshift_ai
from tests.builders import files, findings, inputs, plan, quotas, rules, whole


def test_smallest_environment() -> None:
    found = plan(pools=[])
    assert (found.name, found.as_of, found.server, found.argocd_namespace, found.argocd_instance) == (
        "prod",
        None,
        "https://kubernetes.default.svc",
        "openshift-gitops",
        "openshift-gitops",
    )
    assert found.repository == Repository("https://git.example.com/gitops.git", "main", "")
    assert (found.pools, found.topologies, found.cohorts, found.teams, found.profiles, found.runtimes) == (
        {},
        (),
        (),
        (),
        (),
        (),
    )
    assert (found.priorities, found.parameters, found.openshift, found.has_admission_policies) == ((), {}, "4.20", True)
    assert (found.openshift_ai.version, found.kueue.version, found.gitops.version) == ("3.4", "1.3", "1.18")
    assert str(found.origin) == "environments/prod/environment.yaml:1:1"


def test_all_that_an_environment_says() -> None:
    written = (
        "cluster: {server: 'https://api.example.com:6443'}\nargocd: {namespace: argo}\npolicyParameters: {b: 2, c: 3}\n"
    )
    found = plan("2026-12-01", environment=written, fleet="policyParameters: {a: 1, b: 1}")
    assert (found.as_of, found.server, found.argocd_namespace, found.argocd_instance, found.parameters) == (
        "2026-12-01",
        "https://api.example.com:6443",
        "argo",
        "argo",
        {"a": 1, "b": 2, "c": 3},
    )
    assert plan(environment="argocd: {instance: mine}").argocd_instance == "mine"


def test_plugin() -> None:
    image = f"registry.example.com/platform/apportion@sha256:{'0' * 64}"
    assert plan().plugin is None
    assert plan(environment=f"argocd: {{plugin: {{image: '{image}'}}}}").plugin == Plugin("apportion", image)
    assert plan(environment=f"argocd: {{plugin: {{image: '{image}', name: a}}}}").plugin == Plugin("a", image)


def test_repository() -> None:
    given = files()
    path = "environments/prod/environment.yaml"
    given[path] = given[path].replace(b"gitops.git}", b"gitops.git, revision: v1, path: clusters/}")
    repository, _ = load(given)
    found, _ = resolve(repository.environments["prod"], None)
    assert found is not None
    assert found.repository == Repository("https://git.example.com/gitops.git", "v1", "clusters")


def test_priorities_by_name() -> None:
    found = plan(fleet="priorities: [{name: b, value: 1, description: text}, {name: a, value: -1}]").priorities
    assert [(p.name, p.value, p.description) for p in found] == [("a", -1, None), ("b", 1, "text")]
    assert isinstance(found[0], Priority)


def priorities(fleet: str, queue: str) -> list[Finding]:
    _, found = resolve(inputs(fleet=fleet, quotas=quotas(queue=queue)), None)
    return [f for f in found if f.rule == "preset-without-priority"]


@pytest.mark.parametrize(
    ("fleet", "queue", "expected"),
    [
        ("", "name: batch", ["environment.yaml:1:1 preset-without-priority (warning)"]),
        ("priorities: []", "name: batch", ["fleet.yaml:3:1 preset-without-priority (warning)"]),
        (
            "priorities: [{name: training, value: 1}]",
            "name: batch",
            ["fleet.yaml:3:1 preset-without-priority (warning)"],
        ),
        ("priorities: [{name: batch, value: 1}]", "name: batch", []),
    ],
)
def test_presets_without_a_class(fleet: str, queue: str, expected: list[str], snapshot: SnapshotAssertion) -> None:
    found = priorities(fleet, queue)
    assert rules(found) == expected
    assert whole(found) == snapshot


@pytest.mark.parametrize(
    ("openshift", "openshift_ai", "kueue", "gitops", "expected"),
    [
        ("4.20", "3.4", "1.3", "1.18", []),
        ("4.99", "3.4", "1.3", "1.18", ["environment.yaml:4:23 unknown-release"]),
        ("4.20", "3.1", "1.3", "1.18", ["environment.yaml:4:44 unknown-release"]),
        ("4.20", "3.4", "0.9", "1.18", ["environment.yaml:4:58 unknown-release"]),
        ("4.20", "3.4", "1.3", "1.10", ["environment.yaml:4:73 unknown-release"]),
        (
            "3.11",
            "9.9",
            "9.9",
            "9.9",
            [
                "environment.yaml:4:23 unknown-release",
                "environment.yaml:4:44 unknown-release",
                "environment.yaml:4:58 unknown-release",
                "environment.yaml:4:73 unknown-release",
            ],
        ),
        ("4.18", "3.4", "1.3", "1.18", ["environment.yaml:4:44 unknown-combination"]),
        ("4.20", "3.4", "1.0", "1.18", ["environment.yaml:4:58 unknown-combination"]),
        (
            "4.22",
            "3.0",
            "1.0",
            "1.18",
            [
                "environment.yaml:4:44 unknown-combination",
                "environment.yaml:4:58 unknown-combination",
                "environment.yaml:4:1 no-channel-stays-on-release (warning)",
            ],
        ),
        ("4.16", "2.25", "1.2", "1.16", ["environment.yaml:4:59 unknown-combination"]),
    ],
)
def test_releases(
    openshift: str, openshift_ai: str, kueue: str, gitops: str, expected: list[str], snapshot: SnapshotAssertion
) -> None:
    found = findings(openshift=openshift, openshift_ai=openshift_ai, kueue=kueue, gitops=gitops)
    assert rules(found) == expected
    assert whole(found) == snapshot


@pytest.mark.parametrize("release", known("openshift-ai"))
@pytest.mark.parametrize("kueue", known("kueue"))
def test_every_known_pair_resolves_on_a_common_openshift(release: str, kueue: str) -> None:
    known_release = openshift_ai(release)
    assert known_release is not None
    found = findings(openshift="4.19", openshift_ai=release, kueue=kueue)
    milder = {f.rule for f in found}
    assert milder <= {"no-channel-stays-on-release"}


@pytest.mark.parametrize(
    ("release", "kueue", "components", "expected"),
    [
        ("3.4", "1.4", "trainer: {}", ["environment.yaml:4:1 trainjob-never-resumed"]),
        ("3.4", "1.3", "trainer: {}", []),
        ("3.4", "1.1", "trainer: {}", ["environment.yaml:4:1 trainjob-framework-missing"]),
        ("3.4", "1.4", "trainer: {managementState: Removed}", []),
        ("3.4", "1.3", "sparkoperator: {}", ["environment.yaml:4:1 sparkapplication-framework-missing (warning)"]),
        ("3.5", "1.4", "sparkoperator: {}", []),
        ("3.4", "1.3", "trainingoperator: {}", ["environment.yaml:4:1 training-operator-deprecated (info)"]),
        (
            "3.4",
            "1.3",
            "trainer: {}, trainingoperator: {}",
            [
                "environment.yaml:4:1 training-operator-deprecated (info)",
                "environment.yaml:4:1 training-roles-collide (info)",
            ],
        ),
        ("3.2", "1.3", "", ["environment.yaml:4:1 no-channel-stays-on-release (warning)"]),
        ("2.25", "1.4", "trainingoperator: {}", ["environment.yaml:4:1 training-operator-deprecated (info)"]),
    ],
)
def test_advisories(
    release: str, kueue: str, components: str, expected: list[str], snapshot: SnapshotAssertion
) -> None:
    found = findings(openshift="4.19", openshift_ai=release, kueue=kueue, environment=f"components: {{{components}}}")
    assert rules(found) == expected
    assert whole(found) == snapshot


def test_broken_pools_are_said_alone() -> None:
    pool = "{name: gpu, accelerator: tpu, nodes: 1, perNode: {cpu: 1, memory: 1Gi}, nodeLabels: {}}"
    given = inputs(pools=[pool], quotas=quotas("{gpu: {cpu: 1}}"))
    found, said = resolve(given, None)
    assert (found, rules(said)) == (None, ["inventory.yaml:4:28 unknown-accelerator"])


def fleet_findings(**parts: str) -> list[Finding]:
    repository, found = load(files(**parts))
    assert found == []
    resolved = [resolve(given, None)[0] for given in repository.environments.values()]
    return list(fleet_wide(repository, [p for p in resolved if p is not None]))


PROFILE = "profiles: [{name: one, pool: %s, queue: %s, cpu: {default: 1}, memory: {default: 1Gi}}]"
RUNTIME = "runtimes: [{name: mine, framework: torch, image: r.example.com/a:1, perNode: {cpu: 1, memory: 1Gi}, %s}]"


@pytest.mark.parametrize(
    ("fleet", "environment", "expected"),
    [
        (PROFILE % ("h100", "training"), "", []),
        (PROFILE % ("h10", "training"), "", ["fleet.yaml:3:24 unused-profile (warning)"]),
        (PROFILE % ("h100", "batch"), "", ["fleet.yaml:3:36 profile-queue-missing"]),
        (PROFILE % ("cores", "training"), "", ["fleet.yaml:3:37 profile-queue-missing"]),
        (RUNTIME % "pool: h100", "components: {trainer: {}}", []),
        (RUNTIME % "pool: h10", "components: {trainer: {}}", ["fleet.yaml:3:12 unused-runtime (warning)"]),
        (RUNTIME % "accelerator: amd", "components: {trainer: {}}", ["fleet.yaml:3:12 unused-runtime (warning)"]),
        (RUNTIME % "pool: h100", "", ["fleet.yaml:3:12 unused-runtime (warning)"]),
    ],
)
def test_what_no_environment_can_have(
    fleet: str, environment: str, expected: list[str], snapshot: SnapshotAssertion
) -> None:
    found = fleet_findings(fleet=fleet, environment=environment, quotas=quotas("{h100: {accelerators: 1}}"))
    assert rules(found) == expected
    assert whole(found) == snapshot
