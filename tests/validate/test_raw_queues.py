"""Queues that somebody wrote, in lint or in extra/, are judged as policies judge those of a plan."""

from __future__ import annotations

from typing import Any

import pytest

from generator.source import parse
from tests.validate.builders import (
    GPU,
    KUEUE,
    Body,
    body,
    cluster,
    flavor,
    judged,
    local_queue,
    namespace,
    profile,
    queue,
    rules,
    runtime,
    sound,
)
from tests.validate.test_boundaries import operator

STRICT, OUTLAST, GANG = (
    "warning strict-fifo-over-several-pools",
    "warning accelerators-outlast-host",
    "warning gang-timeout",
)
FIFO: dict[str, Any] = {"queueingStrategy": "StrictFIFO"}
TWO = [namespace(), flavor(), flavor("h100"), local_queue()]


def with_memory(amount: str, cohort: str = "") -> Body:
    amounts = {"cpu": "64", "memory": amount, GPU: "8"}
    resources = [{"name": key, "nominalQuota": value} for key, value in amounts.items()]
    groups = [{"coveredResources": list(amounts), "flavors": [{"name": "a100", "resources": resources}]}]
    return queue(resourceGroups=groups, **({"cohortName": cohort} if cohort else {}))


def apart() -> Body:
    groups = [
        {"coveredResources": [name], "flavors": [{"name": of, "resources": [{"name": name, "nominalQuota": "8"}]}]}
        for name, of in (("cpu", "a100"), (GPU, "h100"))
    ]
    return queue(resourceGroups=groups, **FIFO)


def service(gpus: int, queued: bool = True) -> Body:
    labels = {"labels": {"kueue.x-k8s.io/queue-name": "default"}} if queued else {}
    model = {"resources": {"limits": {"cpu": "1", "memory": "1Gi", GPU: gpus}}, "modelFormat": {"name": "x"}}
    spec = {"predictor": {"model": model}}
    return body("serving.kserve.io/v1beta1", "InferenceService", "s", "vision", metadata=labels, spec=spec)


BASE = [namespace(), flavor(), local_queue()]
CASES: list[tuple[str, str, list[Body], bool]] = [
    ("strict over two", STRICT, [*TWO, queue(flavors=["a100", "h100"], **FIFO)], True),
    ("strict over one", STRICT, [*TWO, queue(**FIFO)], False),
    ("strict over one of each group", STRICT, [*TWO, apart()], False),
    ("best effort over two", STRICT, [*TWO, queue(flavors=["a100", "h100"])], False),
    ("memory for one", OUTLAST, [*BASE, with_memory("1Gi"), profile()], True),
    ("memory for seven of eight", OUTLAST, [*BASE, with_memory("7Gi"), profile()], True),
    ("memory for all", OUTLAST, [*BASE, with_memory("8Gi"), profile()], False),
    ("memory for none, which is another's to say", OUTLAST, [*BASE, with_memory("512Mi"), profile()], False),
    (
        "memory that it may borrow",
        OUTLAST,
        [*BASE, with_memory("1Gi", "org"), queue("nlp", cohortName="org"), profile()],
        False,
    ),
    ("gang with a runtime", GANG, [*sound(), runtime(), operator("Pod", gang="ByWorkload")], True),
    ("gang with a service", GANG, [*sound(), service(1), operator("Pod", gang="ByWorkload")], True),
    ("gang with a service without cards", GANG, [*sound(), service(0), operator("Pod", gang="ByWorkload")], False),
    ("gang with a service in no queue", GANG, [*sound(), service(1, False), operator("Pod", gang="ByWorkload")], False),
    ("no gang", GANG, [*sound(), service(1), operator("Pod", gang="None")], False),
]


@pytest.mark.parametrize(("rule", "bodies", "is_raised"), [row[1:] for row in CASES], ids=[row[0] for row in CASES])
def test_what_policies_say_of_plans(rule: str, bodies: list[Body], is_raised: bool) -> None:
    assert (rule in rules(bodies)) is is_raised


def written(made: Body) -> Any:
    """Return a body as it is read from a file in extra/."""
    documents, _ = parse(repr(made), "extra/queue.yaml", kubernetes=True)
    return documents[0].root


@pytest.mark.parametrize(
    "rule", ["strict-fifo-over-several-pools", "priorities-without-preemption", "lent-and-never-reclaimed"]
)
@pytest.mark.parametrize("is_extra", [True, False])
def test_of_a_whole_environment_only_what_stands_in_extra(rule: str, is_extra: bool) -> None:
    mine = queue(flavors=["a100", "h100"], cohortName="org", **FIFO)
    other = queue(
        "nlp",
        ["a100", "h100"],
        cohortName="org",
        preemption={"reclaimWithinCohort": "Any", "withinClusterQueue": "LowerPriority"},
    )
    classes = [body(KUEUE, "WorkloadPriorityClass", f"p{value}", value=value) for value in (1, 2)]
    bodies = [*TWO, written(mine) if is_extra else mine, other, *classes]
    found = [f.rule for f in judged(cluster(bodies, whole=True)) if f.rule == rule]
    assert found == ([rule] if is_extra else [])


def test_a_patch_that_loses_an_identifier() -> None:
    before, after = profile(), profile()
    after["spec"]["identifiers"] = after["spec"]["identifiers"][:2]
    bases = cluster([before]).objects
    assert [f.rule for f in judged(cluster([*sound(), after], bases=bases))].count("patch-replaces-list") == 1
    assert "patch-replaces-list" not in [f.rule for f in judged(cluster([*sound(), profile()], bases=bases))]
