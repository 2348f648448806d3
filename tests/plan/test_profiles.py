from __future__ import annotations

import pytest
from syrupy.assertion import SnapshotAssertion

from generator.plan.model import Identifier, Offer, Profile
from tests.builders import TEAM, amounts, findings, plan, quotas, rules, whole

BASE = {"name": "one", "pool": "h100", "queue": "training", "cpu": "{default: 8}", "memory": "{default: 64Gi}"}
EVERYWHERE = quotas("{h100: {accelerators: 4}, mixed: {slices: {1g.10gb: 7}}, cores: {cpu: 10}}")


def fleet(more: str = "", priorities: str = "[]") -> str:
    """Return a fleet with one profile in its fourth line; `more` are further keys, or others for the usual ones."""
    own = {pair.split(":")[0] for pair in more.split("; ")}
    usual = [f"{key}: {value}" for key, value in BASE.items() if key not in own]
    return f"profiles:\n- {{{', '.join([*usual, *filter(None, more.split('; '))])}}}\npriorities: {priorities}"


def profiles(more: str = "", priorities: str = "[]", quotas: str = EVERYWHERE) -> tuple[Profile, ...]:
    return plan(fleet=fleet(more, priorities), quotas=quotas).profiles


def offer(more: str = "", **parts: str) -> Offer:
    (profile,) = profiles(more, **parts)
    return profile.offer


CPU, MEMORY = (
    Identifier("CPU", "cpu", "CPU", 8, 8, None),
    Identifier("Memory", "memory", "Memory", "64Gi", "64Gi", None),
)


def test_smallest_profile() -> None:
    (found,) = profiles()
    assert (found.namespace, found.team) == ("redhat-ods-applications", None)
    assert (found.offer.name, found.offer.display_name, found.offer.description, found.offer.visible_to) == (
        "one",
        "one",
        None,
        (),
    )
    assert (found.offer.local_queue, found.offer.priority_class, found.offer.disabled, found.offer.pool) == (
        "training",
        None,
        False,
        "h100",
    )
    assert found.offer.identifiers == (CPU, MEMORY)
    assert amounts(found.offer.requests) == amounts(found.offer.limits) == {"cpu": "8", "memory": "64Gi"}


def test_all_that_a_profile_says() -> None:
    found = offer("displayName: One H100; description: fast; visibleTo: [workbench]; disabled: true")
    assert (found.display_name, found.description, found.visible_to, found.disabled) == (
        "One H100",
        "fast",
        ("workbench",),
        True,
    )


@pytest.mark.parametrize(
    ("key", "written", "expected"),
    [
        ("cpu", "{min: 1, default: 2, max: 4}", (1, 2, 4)),
        ("cpu", "{min: 0, default: 500m, max: 1.5}", (0, "500m", "1500m")),
        ("memory", "{min: 1Gi, default: 1024Mi, max: 1.5Gi}", ("1Gi", "1Gi", "1536Mi")),
        ("memory", "{min: 0, default: 2Gi}", ("0Gi", "2Gi", None)),
        ("memory", "{default: 4096Mi, max: 1Ti}", ("4Gi", "4Gi", "1024Gi")),
        ("accelerators", "{min: 0, default: 1, max: 8}", (0, 1, 8)),
        ("accelerators", "{}", (1, 1, 1)),
        ("accelerators", "{default: 2}", (2, 2, 2)),
        ("accelerators", "{max: 4}", (1, 1, 4)),
        ("accelerators", "{min: 0}", (0, 1, 1)),
        ("accelerators", "{min: 2}", (2, 2, 2)),
        ("accelerators", "{min: 2, max: 8}", (2, 2, 8)),
    ],
)
def test_ranges(key: str, written: str, expected: tuple[int | str | None, ...]) -> None:
    resource = "nvidia.com/gpu" if key == "accelerators" else key
    (found,) = (i for i in offer(f"{key}: {written}").identifiers if i.identifier == resource)
    assert (found.min, found.default, found.max) == expected


def test_requests_are_the_default_and_limits_the_most() -> None:
    found = offer("cpu: {min: 1, default: 2, max: 4}; accelerators: {default: 1, max: 2}")
    assert amounts(found.requests) == {"cpu": "2", "memory": "64Gi", "nvidia.com/gpu": "1"}
    assert amounts(found.limits) == {"cpu": "4", "memory": "64Gi", "nvidia.com/gpu": "2"}


@pytest.mark.parametrize(
    ("more", "expected"),
    [
        ("accelerators: {}", Identifier("NVIDIA H100 80 GB", "nvidia.com/gpu", "Accelerator", 1, 1, 1)),
        (
            "pool: mixed; accelerators: {slice: 1g.10gb, max: 2}",
            Identifier("NVIDIA A100 80 GB (mig-1g.10gb)", "nvidia.com/mig-1g.10gb", "Accelerator", 1, 1, 2),
        ),
    ],
)
def test_accelerators(more: str, expected: Identifier) -> None:
    assert offer(more).identifiers == (CPU, MEMORY, expected)


TWO = "[{name: dev}, {name: train}]"
ONE_OF_TWO = quotas("{h100: {accelerators: 4}}", queue="name: training, namespaces: [train]", namespaces=TWO)


@pytest.mark.parametrize(
    ("scope", "written", "expected"),
    [
        ("", quotas("{h100: {}}", namespaces=TWO), [("redhat-ods-applications", None)]),
        ("scope: auto", quotas("{h100: {}}", namespaces=TWO), [("redhat-ods-applications", None)]),
        ("scope: global", quotas("{h100: {}}", namespaces=TWO), [("redhat-ods-applications", None)]),
        ("scope: project", quotas("{h100: {}}", namespaces=TWO), [("dev", "vision"), ("train", "vision")]),
        ("", ONE_OF_TWO, [("train", "vision")]),
        ("scope: project", ONE_OF_TWO, [("train", "vision")]),
        # a queue of another name, or without the pool, is none
        ("", quotas("{cores: {}}", namespaces=TWO), []),
        ("", quotas("{h100: {}}", queue="name: batch", namespaces=TWO), []),
        ("pool: elsewhere", quotas("{h100: {}}", namespaces=TWO), []),
        # every namespace has a queue `default`
        ("queue: default", quotas("{h100: {}}", queue="name: batch"), [("redhat-ods-applications", None)]),
    ],
)
def test_scope(scope: str, written: str, expected: list[tuple[str, str | None]]) -> None:
    assert [(p.namespace, p.team) for p in profiles(scope, quotas=written)] == expected


def test_objects_by_namespace_and_name() -> None:
    two = fleet("scope: project") + "\n"
    two = two.replace("priorities", two.splitlines()[1].replace("name: one", "name: a") + "\npriorities")
    found = plan(fleet=two, quotas=quotas("{h100: {}}", namespaces=TWO)).profiles
    assert [(p.namespace, p.offer.name) for p in found] == [
        ("dev", "a"),
        ("dev", "one"),
        ("train", "a"),
        ("train", "one"),
    ]


def test_global_where_some_namespaces_lack_the_queue(snapshot: SnapshotAssertion) -> None:
    many = "[" + ", ".join(f"{{name: ns-{n}}}" for n in range(7)) + "]"
    written = quotas("{h100: {}}", queue="name: training, namespaces: [ns-0]", namespaces=many)
    found = findings(fleet=fleet("scope: global"), quotas=written)
    assert rules(found) == ["fleet.yaml:4:95 profile-queue-missing"]
    assert whole(found) == snapshot


@pytest.mark.parametrize(
    ("more", "priorities", "expected"),
    [
        ("", "[]", None),
        ("", "[{name: training, value: 1}]", "training"),
        ("priorityClass: urgent", "[{name: training, value: 1}, {name: urgent, value: 2}]", "urgent"),
    ],
)
def test_priority_class(more: str, priorities: str, expected: str | None) -> None:
    assert offer(more, priorities=priorities).priority_class == expected


def test_no_priority_class_where_queues_of_one_name_differ() -> None:
    teams = [TEAM, TEAM.replace("name: vision", "name: speech")]
    written = (
        "teams: [{team: vision, namespaces: [{name: a}], queues: [{name: q, use: batch, quota: {h100: {}}}]},"
        " {team: speech, namespaces: [{name: b}], queues: [{name: q, use: training, quota: {h100: {}}}]}]"
    )
    classes = "[{name: training, value: 1}, {name: batch, value: 2}]"
    (found,) = plan(fleet=fleet("queue: q", classes), teams=teams, quotas=written).profiles
    assert found.offer.priority_class is None


@pytest.mark.parametrize(
    ("more", "expected"),
    [
        ("name: default-profile", ["fleet.yaml:4:77 reserved-name"]),
        ("name: containersize-small", ["fleet.yaml:4:77 reserved-name"]),
        ("name: my-notebooks", ["fleet.yaml:4:77 reserved-name"]),
        ("name: a-serving", ["fleet.yaml:4:77 reserved-name"]),
        ("name: notebooks", []),
        ("cpu: {min: 9, default: 8}", ["fleet.yaml:4:92 invalid-range"]),
        ("cpu: {min: 8, default: 8, max: 8}", []),
        ("memory: {default: 2Gi, max: 1Gi}", ["fleet.yaml:4:91 invalid-range"]),
        ("cpu: {min: 3, default: 2, max: 1}", ["fleet.yaml:4:92 invalid-range", "fleet.yaml:4:100 invalid-range"]),
        ("accelerators: {min: 2, default: 1}", ["fleet.yaml:4:120 invalid-range"]),
        ("accelerators: {max: 0}", ["fleet.yaml:4:108 invalid-range"]),
        ("accelerators: {min: 2, max: 1}", ["fleet.yaml:4:116 invalid-range"]),
        ("priorityClass: urgent", ["fleet.yaml:4:103 unknown-priority"]),
        ("pool: cores; accelerators: {}", ["fleet.yaml:4:89 accelerators-of-cpu-pool"]),
        ("pool: mixed; accelerators: {}", ["fleet.yaml:4:89 accelerators-of-mig-pool"]),
        ("pool: mixed; accelerators: {slice: 3g.40gb}", ["fleet.yaml:4:111 unknown-slice"]),
        ("accelerators: {slice: 1g.10gb}", ["fleet.yaml:4:103 slices-of-whole-pool"]),
    ],
)
def test_refused(more: str, expected: list[str], snapshot: SnapshotAssertion) -> None:
    found = findings(fleet=fleet(more), quotas=EVERYWHERE)
    assert rules(found) == expected
    assert whole(found) == snapshot
