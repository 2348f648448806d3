"""Who is governed by Kueue: kinds that its operator lists, work without a queue, selectors of everybody."""

from __future__ import annotations

from typing import Any

import pytest

from tests.validate.builders import Body, body, flavor, local_queue, namespace, queue, rules, sound
from tests.validate.manifests import target
from tests.validate.test_boundaries import operator, platform

ON = "openshiftAI=3.4,kueue=1.3"
MISSING = "error frameworks-missing"
JOB, NOTEBOOK, TRAIN_JOB, JAX = (
    ("batch/v1", "Job"),
    ("kubeflow.org/v1", "Notebook"),
    ("trainer.kubeflow.org/v1alpha1", "TrainJob"),
    ("kubeflow.org/v1", "JAXJob"),
)


def work(kind: tuple[str, str], to: str = "default", **metadata: Any) -> Body:
    labels = {"labels": {"kueue.x-k8s.io/queue-name": to}} if to else {}
    return body(*kind, "w", "vision", metadata={**labels, **metadata})


OWNED: Body = {
    "ownerReferences": [{"apiVersion": "jobset.x-k8s.io/v1alpha2", "kind": "JobSet", "name": "j", "uid": "u"}]
}
WORKBENCH_KINDS = ("Pod", "StatefulSet", "Deployment")


@pytest.mark.parametrize(
    ("made", "frameworks", "on", "is_missing"),
    [
        (work(NOTEBOOK), ("BatchJob",), ON, True),
        (work(NOTEBOOK), WORKBENCH_KINDS, ON, False),
        (work(NOTEBOOK), ("StatefulSet",), ON, False),
        (work(NOTEBOOK, to=""), ("BatchJob",), ON, False),
        (work(JOB), WORKBENCH_KINDS, ON, True),
        (work(JOB), ("BatchJob",), ON, False),
        (work(JOB, **OWNED), WORKBENCH_KINDS, ON, False),
        (work(TRAIN_JOB), WORKBENCH_KINDS, ON, True),
        (work(TRAIN_JOB), WORKBENCH_KINDS, "kueue=1.1", False),
        (work(JAX), ("BatchJob",), ON, False),
        (work(JOB), WORKBENCH_KINDS, "", True),
    ],
)
def test_frameworks_of_submitted_work(made: Body, frameworks: tuple[str, ...], on: str, is_missing: bool) -> None:
    found = rules([*sound(), made, operator(*frameworks, policy="None")], target(on))
    assert (MISSING in found) is is_missing


@pytest.mark.parametrize("release", ["2.25", "3.0", "3.2", "3.3", "3.4"])
def test_no_webhook_of_openshift_ai_guards_every_kind(release: str) -> None:
    on = target(f"openshiftAI={release},kueue=1.3")
    assert "warning nothing-enforces-the-queue" in rules([*sound(), operator("Pod")], on)
    assert "warning nothing-enforces-the-queue" not in rules([*sound(), operator("Pod", policy="None")], on)


@pytest.mark.parametrize(
    ("selector", "is_everybody"),
    [
        ({}, True),
        ({"matchLabels": {}}, True),
        ({"matchExpressions": []}, True),
        ({"matchLabels": {}, "matchExpressions": []}, True),
        ({"matchLabels": {"kubernetes.io/metadata.name": "vision"}, "matchExpressions": []}, False),
        (
            {
                "matchLabels": {},
                "matchExpressions": [{"key": "kubernetes.io/metadata.name", "operator": "In", "values": ["vision"]}],
            },
            False,
        ),
    ],
)
def test_a_selector_of_everybody(selector: Body, is_everybody: bool) -> None:
    bodies = [namespace(), flavor(), queue(namespaceSelector=selector), queue("nlp"), local_queue()]
    assert ("warning namespace-selector-of-everybody" in rules(bodies)) is is_everybody


@pytest.mark.parametrize(
    ("state", "release", "is_told"),
    [("Managed", "2.25", False), ("Unmanaged", "2.25", True), ("Removed", "2.25", True), ("Managed", "3.3", True)],
)
def test_the_embedded_kueue_looks_at_other_labels(state: str, release: str, is_told: bool) -> None:
    bare = body("v1", "Namespace", "vision")
    dsc = platform("datasciencecluster.opendatahub.io/v1", managementState=state)
    found = rules([bare, flavor(), queue(), local_queue(), dsc], target(f"openshiftAI={release}"))
    assert ("error namespace-not-managed" in found) is is_told
