"""PyTorchJob: the webhook of Training Operator v1.

Source: kubeflow/training-operator@v1.9.0 pkg/webhooks/pytorch/pytorchjob_webhook.go; pkg/common/util/webhooks.go.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from generator.validate.admission.words import FORBIDDEN, REQUIRED, UNSUPPORTED, refusal
from generator.validate.shape import get, mapping, mappings, text
from generator.validate.syntax import dns1035_defect
from generator.validate.violation import Violation

CONTAINER = "pytorch"
ROLES = ("Master", "Worker")
MANAGERS = ("kubeflow.org/training-operator", "kueue.x-k8s.io/multikueue")
_REPLICAS, _MANAGER = "spec.pytorchReplicaSpecs", "spec.runPolicy.managedBy"


def validate(body: Mapping[str, Any]) -> Iterator[Violation]:
    """Yield what the webhook refuses."""
    name = text(body, "metadata", "name")
    if name and (defect := dns1035_defect(name)):
        yield refusal("pytorch-name", "metadata.name", f"{name!r} {defect}", "rename it: its services bear that name")
    spec = mapping(body, "spec")
    manager = get(spec, "runPolicy", "managedBy")
    if isinstance(manager, str) and manager not in MANAGERS:
        message = f"managedBy {manager!r} is nobody that runs PyTorchJobs"
        yield refusal("pytorch-manager", _MANAGER, message, f"remove it, or write {MANAGERS[1]}", UNSUPPORTED)
    yield from elastic_policy(spec)
    for role, replica in mapping(spec, "pytorchReplicaSpecs").items():
        yield from _of_role(str(role), replica, f"{_REPLICAS}[{role}]")


def elastic_policy(spec: Mapping[str, Any]) -> Iterator[Violation]:
    """An elastic job scales its workers, and says once how many processes a node runs."""
    policy = get(spec, "elasticPolicy")
    if policy is None:
        return
    if "Worker" not in mapping(spec, "pytorchReplicaSpecs"):
        message = "elasticPolicy scales the replica Worker, which the job does not have"
        yield refusal("pytorch-elastic", "spec.elasticPolicy", message, "add Worker, or remove elasticPolicy", REQUIRED)
    if get(policy, "nProcPerNode") is not None and get(spec, "nprocPerNode") is not None:
        path, message = "spec.elasticPolicy.nProcPerNode", "nProcPerNode and spec.nprocPerNode are both set"
        yield refusal("pytorch-processes", path, message, "keep spec.nprocPerNode", FORBIDDEN)


def _of_role(role: str, replica: object, path: str) -> Iterator[Violation]:
    if role not in ROLES:
        message, fix = f"a PyTorchJob has no replica {role}", f"call it {' or '.join(ROLES)}"
        yield refusal("pytorch-role", path, message, fix, UNSUPPORTED)
        return
    count = get(replica, "replicas")
    if role == "Master" and count != 1:
        written = "none" if count is None else count
        message = f"replicas of Master is {written}: it must be written, and be 1"
        yield refusal("pytorch-replicas", f"{path}.replicas", message, "write replicas: 1", FORBIDDEN)
    elif isinstance(count, int) and count < 1:
        message = f"replicas of {role} is {count}: it must be at least 1"
        yield refusal("pytorch-replicas", f"{path}.replicas", message, f"write 1, or remove {role}", FORBIDDEN)
    yield from _containers(role, replica, f"{path}.template.spec.containers")


def _containers(role: str, replica: object, path: str) -> Iterator[Violation]:
    containers = mappings(replica, "template", "spec", "containers")
    names = [text(container, "name") for _, container in containers]
    if CONTAINER not in names:
        message = f"{role} must have a container called {CONTAINER}; it has {', '.join(names) or 'none'}"
        yield refusal("pytorch-container", path, message, f"rename its main container to {CONTAINER}", REQUIRED)
    for index, container in containers:
        if not text(container, "image"):
            message = f"container {text(container, 'name')} of {role} has no image"
            yield refusal("pytorch-image", f"{path}[{index}].image", message, "name one", REQUIRED)
