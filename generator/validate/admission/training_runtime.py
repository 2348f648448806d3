"""ClusterTrainingRuntime and TrainingRuntime: Trainer's webhook, and JobSet's for what Trainer builds of them.

Source: kubeflow/trainer@v2.1.0 pkg/webhooks/trainingruntime_webhook.go (validateReplicatedJobs) and pkg/constants;
kubernetes-sigs/jobset pkg/webhooks/jobset_webhook.go.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from generator.finding import Layer, Severity
from generator.validate.admission.words import refusal
from generator.validate.shape import get, mapping, mappings, text, texts
from generator.validate.syntax import dns1035_defect
from generator.validate.train_jobs import ANCESTOR, step_of
from generator.validate.violation import Violation

CONTAINERS = {"trainer": "node", "model-initializer": "model-initializer", "dataset-initializer": "dataset-initializer"}
SUPPORT = "trainer.kubeflow.org/support"
_JOBS = "spec.template.spec.replicatedJobs"


def validate(body: Mapping[str, Any]) -> Iterator[Violation]:
    """Yield what the webhooks refuse, the step nobody would find, and a runtime that is on its way out."""
    jobs = mappings(body, *_JOBS.split("."))
    for index, job in jobs:
        path = f"{_JOBS}[{index}]"
        yield from replicas_of_a_step(job, path)
        yield from container_of_a_step(job, path)
        yield from job_name(job, path)
    yield from no_trainer_step(jobs)
    yield from job_set_policies(mapping(body, "spec", "template", "spec"), jobs)
    yield from deprecated(body)


def replicas_of_a_step(job: Mapping[str, Any], path: str) -> Iterator[Violation]:
    """A step is one replicated job: its nodes are counted by mlPolicy."""
    replicas = get(job, "replicas")
    if step_of(job) in CONTAINERS and replicas not in (None, 1):
        yield refusal(
            "runtime-step-replicas",
            f"{path}.replicas",
            f"step {step_of(job)} has {replicas} replicas: it always must be 1",
            "remove replicas, and set spec.mlPolicy.numNodes",
        )


def container_of_a_step(job: Mapping[str, Any], path: str) -> Iterator[Violation]:
    """Trainer finds the container of a step by its name."""
    step = step_of(job)
    want = CONTAINERS.get(step)
    place = "template.spec.template.spec.containers"
    names = [text(container, "name") for _, container in mappings(job, *place.split("."))]
    if want and want not in names:
        yield refusal(
            "runtime-step-container",
            f"{path}.{place}",
            f"step {step} must have a container called {want}; it has {', '.join(names) or 'none'}",
            f"rename its main container to {want}",
        )


def no_trainer_step(jobs: list[tuple[int, Mapping[str, Any]]]) -> Iterator[Violation]:
    """Without a step labelled trainer, image, nodes and resources of a TrainJob have no effect, and nobody says so.

    Source: kubeflow/trainer pkg/constants; kubeflow/website#4167.
    """
    if jobs and not any(step_of(job) == "trainer" for _, job in jobs):
        yield Violation(
            "runtime-without-trainer-step",
            Layer.READINESS,
            f"{_JOBS}[0].template",
            f"no replicated job carries the label {ANCESTOR}: trainer, so what a TrainJob says about image, nodes and "
            "resources is ignored",
            f"label template.metadata.labels of the training job with {ANCESTOR}: trainer and call its container node",
        )


def job_name(job: Mapping[str, Any], path: str) -> Iterator[Violation]:
    """Jobs and services are named after it."""
    name = text(job, "name")
    if name and (defect := dns1035_defect(name)):
        message = f"replicated job {name!r} {defect}: JobSet refuses what Trainer makes of it"
        yield refusal("runtime-job-name", f"{path}.name", message, "call it node")


def job_set_policies(spec: Mapping[str, Any], jobs: list[tuple[int, Mapping[str, Any]]]) -> Iterator[Violation]:
    """Policies and dependencies name replicated jobs that exist, and in order."""
    names = [text(job, "name") for _, job in jobs]
    targets = [("successPolicy", texts(spec, "successPolicy", "targetReplicatedJobs"))]
    for index, rule in mappings(spec, "failurePolicy", "rules"):
        targets.append((f"failurePolicy.rules[{index}]", texts(rule, "targetReplicatedJobs")))
    for place, wanted in targets:
        for position, name in enumerate(wanted):
            if name not in names:
                path = f"spec.template.spec.{place}.targetReplicatedJobs[{position}]"
                message = f"{place} names replicated job {name}, which the runtime does not have: JobSet refuses it"
                yield refusal("runtime-job-unknown", path, message, f"known are {', '.join(names)}")
    for index, job in jobs:
        for position, dependency in mappings(job, "dependsOn"):
            if (name := text(dependency, "name")) not in names[:index]:
                path = f"{_JOBS}[{index}].dependsOn[{position}].name"
                message = f"{text(job, 'name')} depends on {name}, which does not come before it: JobSet refuses it"
                yield refusal("runtime-job-order", path, message, "put the job it depends on before it")


def deprecated(body: Mapping[str, Any]) -> Iterator[Violation]:
    """The server warns about a runtime that is labelled as deprecated."""
    if get(body, "metadata", "labels", SUPPORT) == "deprecated":
        yield Violation(
            "runtime-deprecated",
            Layer.WEBHOOK,
            f"metadata.labels[{SUPPORT}]",
            "the runtime is marked as deprecated and will be removed",
            "offer its successor beside it",
            Severity.INFO,
        )
