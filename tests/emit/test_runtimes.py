"""Training runtimes: what Trainer makes of them, and that the target's own rules take them."""

from __future__ import annotations

from typing import Any

import pytest

from generator.emit.runtimes import base
from generator.releases.load import openshift_ai
from generator.schemas import load
from generator.validate import admission
from generator.validate.cluster import Target
from generator.validate.objects import validate_object
from generator.validate.schema_check import target
from generator.validate.train_jobs import of_runtime
from tests.builders import H100, plan

RELEASES = ("3.2", "3.3", "3.4", "3.5")
GPU = "nvidia.com/gpu"
POD = {"command": ["mpirun"], "args": ["train.py"], "env": [{"name": "A", "value": "b"}]}


def emitted(framework: str, nodes: int, release: str = "3.4") -> dict[str, Any]:
    fleet = (
        f"runtimes: [{{name: r, framework: {framework}, image: 'registry.example.com/a:1', pool: h100, nodes: {nodes},"
        " perNode: {cpu: 1, memory: 1Gi, accelerators: 4}, command: [mpirun], args: [train.py],"
        " env: [{name: A, value: b}]}]\n"
    )
    of = plan(fleet=fleet, pools=(H100,), environment="components: {trainer: {}}\n")
    given = openshift_ai(release)
    assert given is not None
    assert given.trainer is not None
    return dict(base(of.runtimes[0], given.trainer).body)


def jobs(of: dict[str, Any]) -> dict[str, Any]:
    return {job["name"]: job for job in of["spec"]["template"]["spec"]["replicatedJobs"]}


def container(job: dict[str, Any]) -> dict[str, Any]:
    (found,) = job["template"]["spec"]["template"]["spec"]["containers"]
    return dict(found)


def pods(of: dict[str, Any], train_job: dict[str, Any] | None = None) -> list[tuple[int, int]]:
    return [(each.count, int(each.amounts[GPU] // 1000)) for each in of_runtime(of, train_job or {})]


@pytest.mark.parametrize(
    ("framework", "nodes", "of_itself", "of_three"),
    [
        ("torch", 1, [(1, 4)], [(3, 4)]),
        ("torch", 2, [(2, 4)], [(3, 4)]),
        ("deepspeed", 1, [(1, 4), (1, 4)], [(2, 4), (1, 4)]),
        ("deepspeed", 2, [(1, 4), (1, 4)], [(2, 4), (1, 4)]),
        ("mlx", 4, [(3, 4), (1, 4)], [(2, 4), (1, 4)]),
    ],
)
def test_its_pods(framework: str, nodes: int, of_itself: list[Any], of_three: list[Any]) -> None:
    made = emitted(framework, nodes)
    assert pods(made) == of_itself
    assert pods(made, {"spec": {"trainer": {"numNodes": 3}}}) == of_three


def test_an_mpi_launcher_trains_and_waits_for_nodes_that_run_sshd() -> None:
    made = emitted("deepspeed", 3)
    assert made["spec"]["mlPolicy"] == {
        "numNodes": 1,
        "mpi": {
            "mpiImplementation": "OpenMPI",
            "numProcPerNode": 1,
            "runLauncherAsNode": True,
            "sshAuthMountPath": "/home/mpiuser/.ssh",
        },
    }
    spec, found = made["spec"]["template"]["spec"], jobs(made)
    assert list(found) == ["node", "launcher"]
    assert spec["network"] == {"publishNotReadyAddresses": True}
    assert spec["successPolicy"] == {"operator": "All", "targetReplicatedJobs": ["launcher"]}
    assert found["launcher"]["dependsOn"] == [{"name": "node", "status": "Ready"}]
    assert [job["template"].get("metadata") for job in found.values()] == [
        None,
        {"labels": {"trainer.kubeflow.org/trainjob-ancestor-step": "trainer"}},
    ]
    assert {key: container(found["launcher"]).get(key) for key in POD} == POD
    node = container(found["node"])
    assert (node["command"], node["readinessProbe"]["tcpSocket"]) == (["/usr/sbin/sshd"], {"port": 2222})
    assert [c["name"] for c in map(container, found.values())] == ["node", "node"]
    assert node["resources"] == container(found["launcher"])["resources"]


def test_torch_stays_one_job() -> None:
    (job,) = jobs(emitted("torch", 2)).values()
    assert job == {
        "name": "node",
        "groupName": "default",
        "replicas": 1,
        "template": {
            "metadata": {"labels": {"trainer.kubeflow.org/trainjob-ancestor-step": "trainer"}},
            "spec": {"template": {"spec": {"containers": [container(job)]}}},
        },
    }


@pytest.mark.parametrize("release", RELEASES)
@pytest.mark.parametrize("framework", ["torch", "deepspeed", "mlx"])
def test_the_server_takes_it_and_several_nodes_of_it(framework: str, release: str) -> None:
    made, on = emitted(framework, 2, release), Target(openshift_ai(release))
    schema = load.schema("trainer.kubeflow.org", "ClusterTrainingRuntime", "v1alpha1", target(on))
    assert schema is not None
    job = {
        "apiVersion": "trainer.kubeflow.org/v1alpha1",
        "kind": "TrainJob",
        "metadata": {"name": "j", "namespace": "n"},
        "spec": {"runtimeRef": {"name": "r"}, "trainer": {"numNodes": 2}},
    }
    assert list(validate_object(made, schema)) == []
    assert [*admission.validate(made, on), *admission.validate(job, on, existing=[made])] == []
