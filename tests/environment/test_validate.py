"""The shape of documents: one full document of each kind, with one thing wrong at every place of it in turn."""

from __future__ import annotations

import json
from collections.abc import Iterator
from decimal import Decimal
from typing import Any

import pytest
from syrupy.assertion import SnapshotAssertion

from generator.environment.explain import shown, spelled
from generator.environment.validate import KINDS, envelope, validate
from generator.source import Document, parse
from tests.builders import document, rules, whole

Path = tuple[str | int, ...]
SHARE = {"accelerators": 1, "cpu": 1, "memory": "1Gi", "ephemeral-storage": "1Gi", "borrow": 1, "lend": 1}
AMOUNTS = {"accelerators": 1, "slices": {"1g.10gb": 1}, "cpu": 1, "memory": "1Gi", "ephemeral-storage": "1Gi"}
RANGE = {"min": 1, "default": 1, "max": 1}
SIZES = {"min": "1Gi", "default": "1Gi", "max": "1Gi"}
NODE = {"accelerators": 1, "cpu": 1, "memory": "1Gi", "ephemeral-storage": "1Gi"}
FULL: dict[str, dict[str, Any]] = {
    "Fleet": {
        "priorities": [{"name": "a", "value": 1, "description": "x"}],
        "profiles": [
            {
                "name": "a",
                "displayName": "x",
                "description": "x",
                "pool": "a",
                "queue": "a",
                "visibleTo": ["workbench"],
                "scope": "auto",
                "priorityClass": "a",
                "disabled": True,
                "cpu": RANGE,
                "memory": SIZES,
                "accelerators": {"slice": "1g.10gb", **RANGE},
            }
        ],
        "runtimes": [
            {
                "name": "a",
                "framework": "torch",
                "accelerator": "nvidia",
                "image": "r.example.com/a:1",
                "pool": "a",
                "nodes": 1,
                "perNode": {**NODE, "slices": {"1g.10gb": 1}},
                "scope": "global",
                "command": ["x"],
                "args": ["x"],
                "env": [{"name": "A", "value": "x"}],
                "description": "x",
            }
        ],
        "policyParameters": {"a": 1},
    },
    "Team": {
        "name": "a",
        "displayName": "x",
        "contact": "x",
        "costCenter": "x",
        "admins": {"groups": ["a"], "users": ["a"]},
        "members": {"groups": ["a"]},
        "viewers": {"users": ["a"]},
    },
    "Environment": {
        "name": "a",
        "cluster": {"server": "https://x"},
        "platform": {"openshift": "4.20", "openshiftAI": "3.4", "kueue": "1.3", "gitops": "1.18"},
        "components": {"dashboard": {}},
        "operators": {
            "kueue": {"channel": "a", "approval": "Manual", "startingCSV": "a", "source": "a", "external": True}
        },
        "kueue": {
            "preemptionPolicy": "Classical",
            "labelPolicy": "None",
            "gangScheduling": "None",
            "frameworks": ["Pod"],
            "defaultQueue": {"a": {**SHARE, "slices": {"1g.10gb": 1}}},
        },
        "repository": {"url": "https://x", "revision": "main", "path": "a"},
        "argocd": {
            "namespace": "a",
            "instance": "a",
            "account": "system:serviceaccount:a:b",
            "preflight": {"image": f"registry.example.com/a@sha256:{'0' * 64}", "namespace": "a"},
        },
        "guardrails": {
            **dict.fromkeys(("queues", "localQueues", "workloads", "profiles"), "Deny"),
            "policies": {"a": "Warn"},
            "breakGlass": {"groups": ["a"], "users": ["b"]},
        },
        "accelerators": [
            {
                "id": "a",
                "vendor": "nvidia",
                "title": "x",
                "memoryGB": 1,
                "resource": "a/b",
                "products": ["x"],
                "mig": {"1g.10gb": {"compute": 1, "memory": 1, "max": 1, "starts": [0]}},
                "migSlices": 7,
                "migMemorySlices": 8,
            }
        ],
        "policyParameters": {"a": 1},
    },
    "Inventory": {
        "pools": [
            {
                "name": "a",
                "accelerator": "a",
                "nodes": 1,
                "perNode": NODE,
                "reserve": {"nodes": 1, "perNode": NODE},
                "nodeLabels": {"a": "b"},
                "taints": [{"key": "a", "value": "b", "effect": "NoSchedule"}],
                "topology": ["a"],
                "mig": {"strategy": "mixed", "layout": {"1g.10gb": 1}},
                "timeSlicing": {"replicas": 1, "rename": True, "failRequestsGreaterThanOne": True},
                "mps": {"replicas": 1, "rename": True},
                "overcommit": {"ratio": 1, "reason": "x"},
            }
        ]
    },
    "Quotas": {
        "cohorts": [{"name": "a", "parent": "b", "fairShareWeight": 1, "quota": {"a": SHARE}}],
        "teams": [
            {
                "team": "a",
                "cohort": "a",
                "namespaces": [
                    {
                        "name": "a",
                        "defaultQueue": "a",
                        "displayName": "x",
                        "limitRange": {"persistentVolumeClaim": {"min": "1Gi", "max": "1Gi"}},
                        "resourceQuota": {"pods": 1},
                    }
                ],
                "queues": [
                    {
                        "name": "a",
                        "use": "batch",
                        "namespaces": ["a"],
                        "quota": {"a": {**SHARE, "slices": {"1g.10gb": 1}}},
                        "preemption": {
                            "withinClusterQueue": "Never",
                            "reclaimWithinCohort": "Any",
                            "borrowWithinCohort": {"policy": "Never", "maxPriorityThreshold": 1},
                        },
                        "queueingStrategy": "StrictFIFO",
                        "flavorFungibility": {
                            "whenCanBorrow": "Borrow",
                            "whenCanPreempt": "Preempt",
                            "preference": "BorrowingOverPreemption",
                        },
                        "fairShareWeight": 1,
                        "stopPolicy": "None",
                        "admissionChecks": ["a"],
                    }
                ],
            }
        ],
        "overrides": [
            {
                "team": "a",
                "queue": "a",
                "pool": "a",
                "add": AMOUNTS,
                "set": AMOUNTS,
                "from": "2026-01-01",
                "until": "2026-01-02",
                "reason": "x",
                "ticket": "x",
            }
        ],
    },
    "Waivers": {"waivers": [{"rule": "a", "object": "x", "reason": "x", "owner": "x", "expires": "2026-01-01"}]},
}
FREE = {("Fleet", "policyParameters"), ("Environment", "policyParameters"), ("Environment", "components")}
NAMED = {"quota", "defaultQueue", "operators", "nodeLabels", "resourceQuota", "layout", "slices", "policies"}  # by name


def read(kind: str, body: Any) -> Document:
    text = json.dumps({"apiVersion": "apportion.dev/v1", "kind": kind, **body})
    (found,), problems = parse(text, "x.yaml")
    assert problems == []
    return found


def nodes(value: Any, path: Path = ()) -> Iterator[tuple[Path, Any]]:
    yield path, value
    pairs = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, inner in pairs:
        yield from nodes(inner, (*path, key))


def judged(kind: str) -> list[tuple[str, Path, Any]]:
    """Return the places of a kind's full document that are not free for anything."""
    return [(kind, path, value) for path, value in nodes(FULL[kind]) if (kind, *path[:1]) not in FREE]


PLACES = [place for kind in KINDS for place in judged(kind)]
MAPPINGS = [(kind, path) for kind, path, value in PLACES if isinstance(value, dict)]
RECORDS = [
    (kind, path)
    for kind, path in MAPPINGS
    if not (path and (path[-1] in NAMED or (kind, path[-1]) == ("Environment", "mig")))
]
SCALARS = [(kind, path) for kind, path, value in PLACES if not isinstance(value, dict | list)]
NESTED = [(kind, path) for kind, path, value in PLACES if isinstance(value, dict | list) and path]


def changed(kind: str, path: Path, value: Any) -> Document:
    body = json.loads(json.dumps(FULL[kind]))  # not deepcopy: parts stand in several places
    node: Any = body
    for step in path[:-1]:
        node = node[step]
    node[path[-1]] = value
    return read(kind, body)


@pytest.mark.parametrize("kind", KINDS)
def test_full_documents_pass(kind: str) -> None:
    assert validate(read(kind, FULL[kind])) == []


@pytest.mark.parametrize("kind", KINDS)
def test_full_documents_are_full(kind: str) -> None:
    """Every key that a kind knows stands in its document, so that the cases below reach all of them."""
    from generator.environment.schema import schema

    known: set[str] = set()
    for part in (schema(kind), *schema(kind)["$defs"].values()):
        known |= part.get("properties", {}).keys()
    written = {step for path, _ in nodes(FULL[kind]) for step in path if isinstance(step, str)}
    assert known - written == {"apiVersion", "kind"}


@pytest.mark.parametrize(("kind", "path"), RECORDS)
def test_unknown_key_at_every_level(kind: str, path: Path) -> None:
    document = changed(kind, (*path, "bogusKey"), 1)
    (found,) = validate(document)
    owner = spelled(path) or f"kind {kind}"
    assert (found.rule, found.message) == ("unknown-key", f"{owner} has no key 'bogusKey'")
    assert found.location == document.locate((*path, "bogusKey"), key=True)


@pytest.mark.parametrize(("kind", "path"), SCALARS)
def test_mapping_for_a_scalar(kind: str, path: Path) -> None:
    document = changed(kind, path, {"a": 1})
    (found,) = validate(document)
    assert found.rule in ("invalid-value", "invalid-type")
    assert found.message.startswith(f"{spelled(path)} is a mapping")
    assert found.location == document.locate(path)


@pytest.mark.parametrize(("kind", "path"), SCALARS)
def test_nothing_for_a_scalar(kind: str, path: Path) -> None:
    document = changed(kind, path, None)
    (found,) = validate(document)
    assert found.message == f"{spelled(path)} is empty"
    assert found.location == document.locate(path)


@pytest.mark.parametrize(("kind", "path"), NESTED)
def test_text_for_what_has_parts(kind: str, path: Path) -> None:
    document = changed(kind, path, "text")
    (found,) = validate(document)
    assert (found.rule, found.message) == ("invalid-type", f"{spelled(path)} is 'text'")
    assert found.location == document.locate(path)


@pytest.mark.parametrize(("kind", "path"), NESTED)
def test_nothing_for_what_has_parts_is_an_empty_one(kind: str, path: Path) -> None:
    document = changed(kind, path, None)
    assert {found.rule for found in validate(document)} <= {"missing-key"}


@pytest.mark.parametrize(
    ("kind", "body", "expected"),
    [
        ("Team", "nam: vision", ["x.yaml:3:1 unknown-key"]),
        ("Team", "displayName: x", ["x.yaml:1:1 missing-key"]),
        ("Team", "name: vision\nmembers: {group: [a]}", ["x.yaml:4:11 unknown-key"]),
        ("Team", "name: vision\ncost_center: x", ["x.yaml:4:1 unknown-key"]),
        ("Team", "name: vision\ncostCenter: 4711", ["x.yaml:4:13 invalid-value"]),
        ("Team", "name: vision\nmembers: {groups: vision}", ["x.yaml:4:19 invalid-type"]),
        ("Team", "name: vision\nmembers: {groups: [a, ]}", []),
        ("Team", "name: vision\nmembers:", []),
        ("Team", "name: vision\nmembers: {groups: [true]}", ["x.yaml:4:20 invalid-value"]),
        ("Team", "name:", ["x.yaml:3:6 invalid-value"]),
        ("Inventory", "pools:\n- {name: a}", ["x.yaml:4:3 missing-key"]),
        (
            "Inventory",
            "pools:\n- name: a\n  nodes: 1\n  perNode: {cpu: 1}\n  nodeLabels: {}",
            ["x.yaml:6:12 missing-key"],
        ),
        ("Inventory", "pools:\n-", ["x.yaml:4:2 missing-key"]),
        ("Inventory", "pools: {}", ["x.yaml:3:8 invalid-type"]),
        (
            "Inventory",
            "pools:\n- {name: a, nodes: 1, perNode: {cpu: 1, memory: 1Gi}, nodeLabels: {'a b': x, c: 1}}",
            ["x.yaml:4:68 invalid-value", "x.yaml:4:81 invalid-value"],
        ),
        ("Quotas", "teams:\n- {team: a, queues: [{name: b, use: trainin}]}", ["x.yaml:4:37 invalid-value"]),
        ("Quotas", "teams:\n- {team: a, queues: [{name: b, quota: {p: {cpus: 1}}}]}", ["x.yaml:4:44 unknown-key"]),
        ("Quotas", "teams:\n- {team: a, overrides: []}", ["x.yaml:4:13 unknown-key"]),
        ("Quotas", "teams:\n- {team: a, queues: [{name: b, fairShareWeight: -1}]}", ["x.yaml:4:49 invalid-value"]),
        ("Waivers", "waivers:\n- {rule: a}", ["x.yaml:4:3 missing-key"]),
        ("Fleet", "runtimes:\n- {name: a, perNod: {cpu: 1}}", ["x.yaml:4:13 unknown-key", "x.yaml:4:3 missing-key"]),
    ],
)
def test_what_is_said(kind: str, body: str, expected: list[str], snapshot: SnapshotAssertion) -> None:
    (read_,), problems = parse(document(kind, body), "x.yaml")
    assert problems == []
    found = validate(read_)
    assert rules(found) == expected
    assert whole(found) == snapshot


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("apiVersion: apportion.dev/v1\nkind: Team\n", []),
        ("name: a\n", ["x.yaml:1:1 not-an-input"]),
        ("apiVersion: v1\nkind: ConfigMap\n", ["x.yaml:1:13 not-an-input"]),
        ("apiVersion: apportion.dev/v2\nkind: Team\n", ["x.yaml:1:13 unknown-api-version"]),
        ("apiVersion: v1\nkind: Team\n", ["x.yaml:1:13 unknown-api-version"]),
        ("kind: Team\n", ["x.yaml:1:1 unknown-api-version"]),
        ("apiVersion: apportion.dev/v1\n", ["x.yaml:1:1 unknown-kind"]),
        ("apiVersion: apportion.dev/v1\nkind: teams\n", ["x.yaml:2:7 unknown-kind"]),
        ("apiVersion: apportion.dev/v1\nkind: Namespace\n", ["x.yaml:2:7 unknown-kind"]),
        ("apiVersion: apportion.dev/v1\nkind: [Team]\n", ["x.yaml:2:7 unknown-kind"]),
        ("kind: Tema\n", ["x.yaml:1:1 unknown-api-version", "x.yaml:1:7 unknown-kind"]),
    ],
)
def test_envelope(text: str, expected: list[str], snapshot: SnapshotAssertion) -> None:
    (read_,), problems = parse(text, "x.yaml")
    assert problems == []
    found = list(envelope(read_))
    assert rules(found) == expected
    assert whole(found) == snapshot


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (None, "empty"),
        ({}, "a mapping"),
        ([], "a list"),
        (True, "true"),
        (Decimal("1.50"), "1.50"),
        ("a\nb", r"'a\nb'"),
        ("x" * 78, "'" + "x" * 78 + "'"),
        ("x" * 79, "'" + "x" * 76 + "..."),
    ],
)
def test_shown(value: Any, text: str) -> None:
    assert shown(value) == text


@pytest.mark.parametrize(
    ("path", "text"), [((), ""), (("a",), "a"), (("pools", 0, "perNode", "cpu"), "pools[0].perNode.cpu")]
)
def test_spelled(path: Path, text: str) -> None:
    assert spelled(path) == text
