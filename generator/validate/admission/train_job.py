"""TrainJob: the rules of Trainer's webhook that a manifest alone decides.

Source: kubeflow/trainer@v2.1.0 pkg/runtime/framework/plugins/{torch,mpi}; red-hat-data-services/trainer rhoai-3.3 and
later for host paths and control plane tolerations.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from generator.validate.admission.words import FORBIDDEN, refusal
from generator.validate.shape import mappings, text
from generator.validate.violation import Violation

RESERVED = ("PET_NNODES", "PET_NPROC_PER_NODE", "PET_NODE_RANK", "PET_MASTER_ADDR", "PET_MASTER_PORT")
CONTROL_PLANE = tuple(f"node-role.kubernetes.io/{role}" for role in ("control-plane", "master", "infra"))


def validate(body: Mapping[str, Any]) -> Iterator[Violation]:
    """Yield what the webhook refuses."""
    for index, variable in mappings(body, "spec", "trainer", "env"):
        if (name := text(variable, "name")) in RESERVED:
            path, message = f"spec.trainer.env[{index}]", f"{name} is set by Trainer itself for torch"
            yield refusal("reserved-variable", path, message, "remove it")
    for index, override in mappings(body, "spec", "podTemplateOverrides"):
        yield from _of_the_host(override, f"spec.podTemplateOverrides[{index}].spec")


def _of_the_host(override: Mapping[str, Any], path: str) -> Iterator[Violation]:
    for index, volume in mappings(override, "spec", "volumes"):
        if "hostPath" in volume:
            message = "a volume of the host is not allowed in an override"
            yield refusal("host-path", f"{path}.volumes[{index}].hostPath", message, "use a claim", FORBIDDEN)
    for index, toleration in mappings(override, "spec", "tolerations"):
        if (key := text(toleration, "key")) in CONTROL_PLANE:
            place, message = f"{path}.tolerations[{index}].key", f"{key} may not be tolerated in an override"
            yield refusal("control-plane-toleration", place, message, "remove the toleration", FORBIDDEN)
