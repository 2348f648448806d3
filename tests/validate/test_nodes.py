"""Nodes against what is promised of them: given out twice, lost, made on demand, and named one by one."""

from __future__ import annotations

from typing import Any

import pytest

from tests.validate.builders import KUEUE, Body, body, flavor, local_queue, namespace, node, queue, rules, sound

HOST = "kubernetes.io/hostname"
ABOVE, SAME, NOWHERE = "quota-above-nodes", "flavors-on-same-nodes", "flavor-without-nodes"
PROVISIONED: dict[str, Any] = {"admissionChecksStrategy": {"admissionChecks": [{"name": "p"}]}}
CHECK = body(KUEUE, "AdmissionCheck", "p", spec={"controllerName": "kueue.x-k8s.io/provisioning-request"})
LOST: dict[str, Any] = {"unschedulable": True}


def on_host(name: str) -> Body:
    return flavor(name, nodeLabels={HOST: name})


def of(*flavors: Body, gpus: str = "8", **spec: Any) -> list[Body]:
    names = [made["metadata"]["name"] for made in flavors]
    return [namespace(), *flavors, queue(flavors=names, gpus=gpus, **spec), local_queue()]


WIDE = flavor("all", nodeLabels={})
CASES: list[tuple[str, list[Body], list[str]]] = [
    ("as many as promised", [*sound(), node("n", 8)], []),
    ("fewer than promised", [*sound(), node("n", 4)], [f"error {ABOVE}"]),
    ("one lost, and all there are", [*sound(), node("n", 4), node("m", 4, **LOST)], [f"warning {ABOVE}"]),
    ("one lost, and fewer", [*sound(), node("n", 4), node("m", 3, **LOST)], [f"error {ABOVE}"]),
    ("made on demand", [*of(flavor(), **PROVISIONED), CHECK, node("n", 4)], [f"warning {ABOVE}"]),
    (
        "cpu alone",
        [*of(flavor()), node("n", 8) | {"status": {"allocatable": {"cpu": "32", "nvidia.com/gpu": "8"}}}],
        [f"warning {ABOVE}"],
    ),
    ("two flavors, twice", [*of(flavor(), WIDE), node("n"), node("m", labels={"model": "x"})], [f"warning {SAME}"]),
    ("two flavors of few", [*of(flavor(), WIDE), node("n")], [f"error {SAME}"]),
    ("two flavors, no Nodes", of(flavor(), WIDE), [f"warning {SAME}"]),
    ("two hosts", [*of(on_host("n1"), on_host("n2"), gpus="4"), node("n1", 4), node("n2", 4)], []),
    ("one host of two", [*of(on_host("n1"), gpus="8"), node("n1"), node("n2")], []),
    ("one host, both of two", [*of(on_host("n1"), gpus="16"), node("n1"), node("n2")], [f"error {ABOVE}"]),
    ("no such host", [*of(on_host("n9")), node("n1"), node("n2")], [f"error {NOWHERE}"]),
]


@pytest.mark.parametrize(("bodies", "want"), [row[1:] for row in CASES], ids=[row[0] for row in CASES])
def test_nodes(bodies: list[Body], want: list[str]) -> None:
    ours = (ABOVE, SAME, NOWHERE)
    assert sorted({said for said in rules(bodies) if said.split()[1] in ours}) == want
