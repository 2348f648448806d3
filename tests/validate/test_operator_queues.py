"""Queues that the operator makes by itself exist, although Git does not hold them."""

from __future__ import annotations

from typing import Any

import pytest

from tests.validate.builders import Body, body, local_queue, namespace, profile, queue, rules, sound
from tests.validate.manifests import target
from tests.validate.test_boundaries import platform

ALWAYS, SWITCH = "openshiftAI=3.4,kueue=1.3", "openshiftAI=3.5,kueue=1.4"
DOUBLE = "error default-queue-double-books"
UNMANAGED = {"managementState": "Unmanaged"}


def notebook(space: str, to: str = "default") -> Body:
    return body("kubeflow.org/v1", "Notebook", "n", space, metadata={"labels": {"kueue.x-k8s.io/queue-name": to}})


def to_default(name: str = "default") -> list[Body]:
    return [*sound(), local_queue("other", to=name, marked=False)]


@pytest.mark.parametrize(
    ("bodies", "kueue", "on", "want"),
    [
        (to_default(), UNMANAGED, ALWAYS, [DOUBLE]),
        (to_default("own"), {**UNMANAGED, "defaultClusterQueueName": "own"}, ALWAYS, [DOUBLE]),
        (
            to_default(),
            {**UNMANAGED, "defaultClusterQueueName": "own"},
            ALWAYS,
            [DOUBLE, "error missing-cluster-queue"],
        ),
        (to_default(), {"managementState": "Removed"}, ALWAYS, ["error missing-cluster-queue"]),
        (to_default(), UNMANAGED, SWITCH, ["error missing-cluster-queue"]),
        (to_default(), {**UNMANAGED, "autoCreateQueues": True}, SWITCH, [DOUBLE]),
        ([*sound(), queue("default", ["nvidia-gpu-flavor"], "0")], UNMANAGED, ALWAYS, []),
        ([*sound(), queue("default", ["amd-gpus"], "0")], UNMANAGED, ALWAYS, ["error missing-resource-flavor"]),
        ([*sound(), namespace("b"), queue("default", gpus="0"), notebook("b")], UNMANAGED, ALWAYS, []),
        (
            [*sound(), namespace("b"), queue("default", gpus="0"), notebook("b", "gpus")],
            UNMANAGED,
            ALWAYS,
            ["error missing-local-queue"],
        ),
        ([*sound(), namespace("b"), queue("default"), profile()], UNMANAGED, ALWAYS, []),
        (
            [*sound(), namespace("b"), queue("default"), profile()],
            UNMANAGED,
            SWITCH,
            ["warning local-queue-missing-in-namespace"],
        ),
    ],
)
def test_what_the_operator_makes(bodies: list[Body], kueue: dict[str, Any], on: str, want: list[str]) -> None:
    assert rules([*bodies, platform(**kueue)], target(on)) == want


def test_work_behind_a_made_local_queue_is_that_of_its_queue() -> None:
    preempting = queue("default", gpus="0", preemption={"withinClusterQueue": "LowerPriority"})
    bodies = [namespace("b"), *sound(), preempting, profile(space="b", feature="workbench")]
    assert "error workbench-evictable" in rules([*bodies, platform(**UNMANAGED)])
    assert "error workbench-evictable" not in rules([*bodies, platform(managementState="Removed")])
