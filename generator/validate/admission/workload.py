"""Workloads: which webhook looks at which kind."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from generator.validate import kinds
from generator.validate.admission import inference, notebook, pytorch_job, queue_label, ray, train_job
from generator.validate.cluster import Target
from generator.validate.effective_queue import effective_queue
from generator.validate.kinds import Kind, kind_of
from generator.validate.violation import Violation

_RUNTIMES = (kinds.CLUSTER_RUNTIME, kinds.RUNTIME)


def validate(
    kind: Kind, body: Mapping[str, Any], target: Target, existing: Sequence[Mapping[str, Any]]
) -> Iterator[Violation]:
    """Yield what the webhooks say of a workload."""
    yield from queue_label.validate(body, target, existing)
    if kind == kinds.TRAIN_JOB:
        yield from train_job.validate(body, target, next((o for o in existing if kind_of(o) in _RUNTIMES), None))
    elif kind == kinds.PYTORCH_JOB:
        yield from pytorch_job.validate(body)
    elif kind == kinds.NOTEBOOK:
        yield from notebook.validate(body, target)
    elif kind == kinds.INFERENCE_SERVICE:
        yield from inference.validate_service(body, target, existing)
    elif kind == kinds.LLM_INFERENCE_SERVICE:
        yield from inference.validate_llm(body, target)
    elif kind[0] == ray.GROUP:
        yield from ray.validate(kind, body, target, effective_queue(body, target, existing))
