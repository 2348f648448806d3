from __future__ import annotations

import pytest
from syrupy.assertion import SnapshotAssertion

from generator.plan.model import ClusterQueue, Fungibility, Preemption
from tests.builders import TEAM, findings, only_queue, plan, quotas, rules, whole

SPACES = "[{name: dev}, {name: train}]"


def resolved(queue: str, **parts: str) -> ClusterQueue:
    return only_queue(plan(quotas=quotas(queue=queue, namespaces=SPACES, **parts)))


@pytest.mark.parametrize(
    ("use", "within", "reclaim"),
    [
        ("interactive", "Never", "Any"),
        ("serving", "LowerPriority", "Any"),
        ("training", "LowerPriority", "Any"),
        ("batch", "LowerPriority", "LowerPriority"),
    ],
)
def test_presets(use: str, within: str, reclaim: str) -> None:
    queue = resolved(f"name: q, use: {use}")
    assert (queue.use, queue.preemption) == (use, Preemption(within, reclaim, "Never", None))


@pytest.mark.parametrize(
    ("queue", "use"),
    [
        ("name: batch", "batch"),
        ("name: interactive", "interactive"),
        ("name: nightly", "training"),
        ("name: batch, use: serving", "serving"),
    ],
)
def test_use_follows_the_name(queue: str, use: str) -> None:
    assert resolved(queue).use == use


def test_smallest_queue() -> None:
    queue = resolved("name: q", cohort="")
    assert (queue.name, queue.team, queue.queue, queue.cohort, queue.flavors) == ("vision-q", "vision", "q", None, ())
    assert (queue.strategy, queue.stop_policy, queue.weight, queue.admission_checks) == (
        "BestEffortFIFO",
        "None",
        None,
        (),
    )


def test_each_field_can_be_written() -> None:
    queue = resolved(
        "name: q, preemption: {withinClusterQueue: LowerOrNewerEqualPriority, reclaimWithinCohort: Never,"
        " borrowWithinCohort: {policy: LowerPriority, maxPriorityThreshold: 100}}, queueingStrategy: StrictFIFO,"
        " stopPolicy: Hold, fairShareWeight: 1.5, admissionChecks: [provision]"
    )
    assert queue.preemption == Preemption("LowerOrNewerEqualPriority", "Never", "LowerPriority", 100)
    assert (queue.cohort, queue.strategy, queue.stop_policy, queue.weight, queue.admission_checks) == (
        "org",
        "StrictFIFO",
        "Hold",
        1500,
        ("provision",),
    )


@pytest.mark.parametrize(
    ("kueue", "written", "expected"),
    [
        ("1.2", "{}", Fungibility("Borrow", "TryNextFlavor", None)),
        ("1.3", "{}", Fungibility("MayStopSearch", "TryNextFlavor", None)),
        ("1.2", "{whenCanPreempt: Preempt}", Fungibility("Borrow", "Preempt", None)),
        (
            "1.3",
            "{whenCanBorrow: TryNextFlavor, preference: PreemptionOverBorrowing}",
            Fungibility("TryNextFlavor", "TryNextFlavor", "PreemptionOverBorrowing"),
        ),
    ],
)
def test_fungibility(kueue: str, written: str, expected: Fungibility) -> None:
    queue = only_queue(plan(kueue=kueue, quotas=quotas(queue=f"name: q, flavorFungibility: {written}")))
    assert queue.fungibility == expected


@pytest.mark.parametrize(
    ("kueue", "written", "expected"),
    [
        ("1.3", "{whenCanBorrow: MayStopSearch}", []),
        (
            "1.3",
            "{whenCanBorrow: Borrow, whenCanPreempt: Preempt}",
            ["quotas.yaml:4:127 unsupported-by-release", "quotas.yaml:4:151 unsupported-by-release"],
        ),
        ("1.2", "{whenCanBorrow: MayStopSearch}", ["quotas.yaml:4:127 unsupported-by-release"]),
        ("1.2", "{preference: BorrowingOverPreemption}", ["quotas.yaml:4:124 unsupported-by-release"]),
    ],
)
def test_fungibility_that_the_release_lacks(
    kueue: str, written: str, expected: list[str], snapshot: SnapshotAssertion
) -> None:
    found = findings(kueue=kueue, quotas=quotas(queue=f"name: q, flavorFungibility: {written}"))
    assert rules(found) == expected
    assert whole(found) == snapshot


@pytest.mark.parametrize(
    ("written", "served"),
    [
        ("", ("dev", "train")),
        (", namespaces: [train]", ("train",)),
        (", namespaces: [train, dev, train]", ("dev", "train")),
        (", namespaces: []", ()),
    ],
)
def test_namespaces_default_to_all(written: str, served: tuple[str, ...]) -> None:
    assert resolved(f"name: q{written}").namespaces == served


@pytest.mark.parametrize(
    ("spaces", "queues", "expected"),
    [
        # the first queue that serves a namespace is its default
        ("[{name: dev}]", "[{name: a}, {name: b}]", ["dev/a -> v-a", "dev/b -> v-b", "dev/default -> v-a"]),
        (
            "[{name: dev, defaultQueue: b}]",
            "[{name: a}, {name: b}]",
            ["dev/a -> v-a", "dev/b -> v-b", "dev/default -> v-b"],
        ),
        (
            "[{name: train}, {name: dev}]",
            "[{name: a, namespaces: [train]}, {name: b, namespaces: [dev]}]",
            ["dev/b -> v-b", "dev/default -> v-b", "train/a -> v-a", "train/default -> v-a"],
        ),
        ("[{name: dev}]", "[{name: a, namespaces: []}]", []),
        ("[]", "[{name: a}]", []),
        ("[{name: dev}]", "[]", []),
    ],
)
def test_local_queues(spaces: str, queues: str, expected: list[str]) -> None:
    written = f"teams: [{{team: v, namespaces: {spaces}, queues: {queues}}}]"
    (team,) = plan(teams=[TEAM.replace("name: vision", "name: v")], quotas=written).teams
    assert [f"{q.namespace}/{q.name} -> {q.cluster_queue}" for q in team.local_queues] == expected
    assert all(q.default is (q.name == "default") for q in team.local_queues)


@pytest.mark.parametrize(
    ("queue", "namespaces", "expected"),
    [
        ("name: default", "[{name: dev}]", ["quotas.yaml:4:74 reserved-name"]),
        ("name: platform-default", "[{name: dev}]", ["quotas.yaml:4:74 reserved-name"]),
        ("name: default-1", "[{name: dev}]", []),
        (
            "name: q, namespaces: [dve, other]",
            "[{name: dev}]",
            ["quotas.yaml:4:96 unknown-namespace", "quotas.yaml:4:101 unknown-namespace"],
        ),
        ("name: q", "[{name: dev, defaultQueue: r}]", ["quotas.yaml:4:76 unknown-queue"]),
        (
            "name: q, namespaces: [dev]",
            "[{name: dev, defaultQueue: q}, {name: train, defaultQueue: q}]",
            ["quotas.yaml:4:108 default-queue-elsewhere"],
        ),
        ("name: q", "[{name: dev, defaultQueue: q}]", []),
    ],
)
def test_refused(queue: str, namespaces: str, expected: list[str], snapshot: SnapshotAssertion) -> None:
    found = findings(quotas=quotas(queue=queue, namespaces=namespaces))
    assert rules(found) == expected
    assert whole(found) == snapshot


@pytest.mark.parametrize(("team", "expected"), [("v" * 59, []), ("v" * 60, ["quotas.yaml:4:82 name-too-long"])])
def test_longest_name(team: str, expected: list[str]) -> None:
    written = f"teams:\n- {{team: {team}, queues: [{{name: abc}}]}}"
    assert rules(findings(teams=[TEAM.replace("name: vision", f"name: {team}")], quotas=written)) == expected


@pytest.mark.parametrize(
    ("one", "other", "expected"),
    [
        ("a-b: c", "a: b-c", ["quotas.yaml:5:22 defined-twice"]),
        ("a-b: c", "a: b-d", []),
        ("a: c", "b: c", []),
    ],
)
def test_cluster_queues_of_one_name(one: str, other: str, expected: list[str], snapshot: SnapshotAssertion) -> None:
    pairs = [item.split(": ") for item in (one, other)]
    teams = [TEAM.replace("name: vision", f"name: {team}") for team, _ in pairs]
    written = "teams:\n" + "".join(f"- {{team: {team}, queues: [{{name: {queue}}}]}}\n" for team, queue in pairs)
    found = findings(teams=teams, quotas=written)
    assert rules(found) == expected
    assert whole(found) == snapshot


def pools(count: int) -> list[str]:
    return [
        f"{{name: p{n}, nodes: 1, perNode: {{cpu: 1, memory: 1Gi}}, nodeLabels: {{node: p{n}}}}}" for n in range(count)
    ]


@pytest.mark.parametrize(
    ("kueue", "flavors", "expected"),
    [
        ("1.1", 16, []),
        ("1.1", 17, ["quotas.yaml:4:82 too-many-flavors"]),
        ("1.2", 17, []),
        ("1.2", 64, []),
        ("1.2", 65, ["quotas.yaml:4:82 too-many-flavors"]),
    ],
)
def test_flavors_of_one_queue(kueue: str, flavors: int, expected: list[str], snapshot: SnapshotAssertion) -> None:
    shares = ", ".join(f"p{n}: {{cpu: 1}}" for n in range(flavors))
    found = findings(
        kueue=kueue, openshift="4.19", openshift_ai="2.25", pools=pools(flavors), quotas=quotas(f"{{{shares}}}")
    )
    assert rules(found) == expected
    assert whole(found) == snapshot


@pytest.mark.parametrize(("resources", "expected"), [(14, []), (15, ["quotas.yaml:4:82 too-many-flavors"])])
def test_resources_of_one_queue(resources: int, expected: list[str]) -> None:
    """Kueue 1.1 covers 16 resources; cpu and memory are two of them."""
    vendors = [f"{{id: x-{n}, vendor: intel, memoryGB: 1, resource: example.com/x-{n}}}" for n in range(resources)]
    nodes = [
        f"{{name: p{n}, accelerator: x-{n}, nodes: 1, perNode: {{accelerators: 1, cpu: 1, memory: 1Gi}},"
        f" nodeLabels: {{node: p{n}}}}}"
        for n in range(resources)
    ]
    shares = ", ".join(f"p{n}: {{accelerators: 1}}" for n in range(resources))
    found = findings(
        kueue="1.1",
        openshift="4.19",
        openshift_ai="2.25",
        environment=f"accelerators: [{', '.join(vendors)}]",
        pools=nodes,
        quotas=quotas(f"{{{shares}}}"),
    )
    assert rules(found) == expected
