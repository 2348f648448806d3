"""TrainJob: the rules of Trainer's webhook, which looks at the job's runtime too.

Source: kubeflow/trainer@v2.1.0 pkg/runtime/framework/plugins/{torch,mpi,jobset} (Validate);
red-hat-data-services/trainer pkg/webhooks/trainjob_webhook.go for what OpenShift AI refuses besides.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from generator.finding import Layer, Severity
from generator.validate import train_jobs
from generator.validate.admission.training_runtime import CONTAINERS
from generator.validate.admission.words import FORBIDDEN, refusal
from generator.validate.cluster import Target
from generator.validate.pods import control_plane_tolerations, host_volumes
from generator.validate.shape import get, items, mapping, mappings, text, whole
from generator.validate.train_jobs import LAUNCHER, NODE, OVERRIDES, containers_of, overrides
from generator.validate.violation import Violation

RESERVED = ("PET_NNODES", "PET_NPROC_PER_NODE", "PET_NODE_RANK", "PET_MASTER_ADDR", "PET_MASTER_PORT")
PROCESSES = ("auto", "cpu", "gpu")
_ENV, _PROCESSES, _NODES = "spec.trainer.env", "spec.trainer.numProcPerNode", "spec.trainer.numNodes"
_Runtime = Mapping[str, Any]


def validate(body: Mapping[str, Any], target: Target, runtime: _Runtime | None = None) -> Iterator[Violation]:
    """Yield what the webhook refuses; `runtime` is the one that the job names, None where it is not known."""
    yield from reserved_variables(body, runtime)
    for index, override, _ in overrides(body):
        yield from of_the_host(override, f"{OVERRIDES}[{index}].spec", target)
    if runtime is not None:
        yield from processes(body, runtime)
        yield from launcher(body, runtime)
        jobs = {text(job, "name"): containers_of(job) for _, job in mappings(runtime, *train_jobs.JOBS)}
        yield from initializers(body, jobs)
        yield from override_targets(body, jobs)


def _is_torch(runtime: _Runtime) -> bool:
    return get(runtime, "spec", "mlPolicy", "torch") is not None


def reserved_variables(body: Mapping[str, Any], runtime: _Runtime | None) -> Iterator[Violation]:
    """Trainer sets these for torch, which an unknown runtime is taken to be.

    Up to 2.1 its webhook looks at them only where the job says numProcPerNode; else they are overwritten.
    """
    named = [name for _, variable in mappings(body, *_ENV.split(".")) if (name := text(variable, "name")) in RESERVED]
    if not named or (runtime is not None and not _is_torch(runtime)):
        return
    names, fix = ", ".join(sorted(set(named))), "remove it" if len(named) == 1 else "remove them"
    if get(body, *_PROCESSES.split(".")) is not None:
        yield refusal("reserved-variable", _ENV, f"Trainer itself sets {names} for torch", fix)
    else:
        message = f"Trainer itself sets {names} for torch: what stands here is overwritten"
        yield Violation("reserved-variable", Layer.READINESS, _ENV, message, fix, Severity.WARNING)


def processes(body: Mapping[str, Any], runtime: _Runtime) -> Iterator[Violation]:
    """A word in place of a number of processes is one that torch knows; MPI knows none."""
    word = get(body, *_PROCESSES.split("."))
    if not isinstance(word, str):
        return
    if train_jobs.is_mpi(runtime):
        yield refusal("processes-per-node", _PROCESSES, f"{word!r} is no number, as MPI needs", "write a number from 1")
    elif _is_torch(runtime) and word not in PROCESSES:
        fix = f"write {', '.join(PROCESSES)} or a number from 1, without quotes"
        yield refusal("processes-per-node", _PROCESSES, f"{word!r} is neither a number nor known to torch", fix)


def launcher(body: Mapping[str, Any], runtime: _Runtime) -> Iterator[Violation]:
    """Several nodes of an MPI runtime whose launcher trains too are those of the jobs launcher and node."""
    if whole(body, *_NODES.split(".")) < 2 or not train_jobs.launcher_is_node(runtime):
        return
    names = [text(job, "name") for _, job in mappings(runtime, *train_jobs.JOBS)]
    if lacking := [name for name in (LAUNCHER, NODE) if name not in names]:
        message = f"the runtime runs its launcher as a node and has no job {' or '.join(lacking)}: one node is the most"
        yield refusal("mpi-without-launcher", _NODES, message, "take 1, or a runtime with the jobs launcher and node")


def initializers(body: Mapping[str, Any], jobs: Mapping[str, set[str]]) -> Iterator[Violation]:
    """What fetches a dataset or a model is a job of the runtime, and a container of it, of a certain name."""
    for what in ("dataset", "model"):
        name = f"{what}-initializer"
        if get(body, "spec", "initializer", what) is None or name in jobs.get(name, ()):
            continue
        lacking = f"container {name} in its job {name}" if name in jobs else f"job {name}"
        message = f"initializer.{what} is set, and the runtime has no {lacking}"
        fix = f"name a runtime that has it, or remove spec.initializer.{what}"
        yield refusal("initializer-missing", "spec.runtimeRef", message, fix)


def override_targets(body: Mapping[str, Any], jobs: Mapping[str, set[str]]) -> Iterator[Violation]:
    """Overrides are for jobs and containers that the runtime has; those of a step get their variables elsewhere."""
    for index, override, targets in overrides(body):
        which = f"podTemplateOverrides[{index}]"
        for name in targets:
            if name in jobs:
                yield from _containers(override, which, name, jobs[name])
            else:
                message = f"{which} is for job {name}, which the runtime does not have"
                fix = f"known are {', '.join(jobs) or 'none'}"
                yield refusal("override-job-unknown", OVERRIDES, message, fix)


def _containers(override: Mapping[str, Any], which: str, job: str, known: set[str]) -> Iterator[Violation]:
    for key in ("initContainers", "containers"):
        for _, container in mappings(override, "spec", key):
            name = text(container, "name")
            if name not in known:
                message = f"{which} is for container {name}, which job {job} of the runtime does not have"
                fix = f"known are {', '.join(sorted(known))}"
                yield refusal("override-container-unknown", OVERRIDES, message, fix)
            elif key == "containers" and name in CONTAINERS.values() and items(container, "env"):
                message = f"{which} sets variables of container {name}"
                fix = "write them in spec.trainer.env or spec.initializer"
                yield refusal("override-env", OVERRIDES, message, fix)


def of_the_host(override: Mapping[str, Any], path: str, target: Target) -> Iterator[Violation]:
    """Some releases refuse what leads a pod to the host or to the control plane."""
    trainer = target.openshift_ai.trainer if target.openshift_ai else None
    refused = trainer.refused_in_overrides if trainer else ()
    spec = mapping(override, "spec")
    for place in host_volumes(spec) if "host-path" in refused else ():
        message = "a volume of the host is not allowed in an override"
        yield refusal("host-path", f"{path}.{place}", message, "use a claim", FORBIDDEN)
    for place, key in control_plane_tolerations(spec) if "control-plane-toleration" in refused else ():
        message = f"{key} may not be tolerated in an override"
        yield refusal("control-plane-toleration", f"{path}.{place}", message, "remove the toleration", FORBIDDEN)
