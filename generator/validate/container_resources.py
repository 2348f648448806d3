"""Amounts that no pod may ask for: the pod is refused, whoever makes it.

Source: kubernetes pkg/apis/core/validation/validation.go, ValidateResourceQuantityValue;
pkg/apis/core/helper/helpers.go, IsExtendedResourceName.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from generator.finding import Finding, Layer
from generator.validate import kinds
from generator.validate.cluster import Cluster, name_of
from generator.validate.kinds import Kind
from generator.validate.pods import of_workload
from generator.validate.shape import exact, mapping, mappings
from generator.validate.train_jobs import of_runtime

_RUNTIMES = (kinds.CLUSTER_RUNTIME, kinds.RUNTIME)
_SERVING = (kinds.SERVING_RUNTIME, kinds.CLUSTER_SERVING_RUNTIME)
_PREDICTOR = "spec.predictor"


def check(cluster: Cluster) -> Iterator[Finding]:
    """Yield each amount of each container once, in what a workload or runtime itself writes."""
    for kind in (*kinds.QUEUED, *_RUNTIMES, *_SERVING):
        layer = Layer.SCHEMA if kinds.is_built_in(kind[0]) else Layer.READINESS
        so = "" if layer is Layer.SCHEMA else ": it is accepted, and none of its pods is"
        for manifest in cluster.of(kind):
            for path, resources in places(kind, manifest.body):
                for place, says, fix in defects(resources):
                    message = f"{kind[1]} {name_of(manifest)} {says}{so}"
                    yield cluster.finding(manifest, "container-amount", layer, message, fix, f"{path}.{place}")


def places(kind: Kind, body: Mapping[str, Any]) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """Yield requests and limits of the containers that an object holds, with the path that leads to them."""
    if kind == kinds.TRAIN_JOB:
        yield "spec.trainer.resourcesPerNode", mapping(body, "spec", "trainer", "resourcesPerNode")
        return
    if kind in _SERVING:
        yield from _of_pod(mapping(body, "spec"), "spec")
        return
    yield f"{_PREDICTOR}.model.resources", mapping(body, *_PREDICTOR.split("."), "model", "resources")
    groups = [of_runtime(body)] if kind in _RUNTIMES else of_workload(kind, body)
    for pods in (each for group in groups for each in group):
        is_predictor = kind == kinds.INFERENCE_SERVICE and pods.path.startswith(_PREDICTOR)
        yield from _of_pod(pods.spec, _PREDICTOR if is_predictor else pods.path.removesuffix(".containers"))


def _of_pod(spec: Mapping[str, Any], path: str) -> Iterator[tuple[str, Mapping[str, Any]]]:
    for key in ("initContainers", "containers"):
        for index, container in mappings(spec, key):
            yield f"{path}.{key}[{index}].resources", mapping(container, "resources")


def defects(resources: Mapping[str, Any]) -> Iterator[tuple[str, str, str]]:
    """Yield path below the resources, the rest of a sentence, and the remedy; one for a resource.

    Request against limit is the matter of `container_limits`.
    """
    said: set[str] = set()
    for key in ("limits", "requests"):
        for name, written in mapping(resources, key).items():
            if name not in said and (found := _defect(str(name), written)):
                said.add(name)
                yield f"{key}[{name}]", *found


def _defect(name: str, written: object) -> tuple[str, str] | None:
    number = exact(written)
    if number is not None and number < 0:
        return f"asks for {written} of {name}, less than nothing", "write an amount from 0"
    if number is not None and number.denominator != 1 and is_extended(name):
        return f"asks for {written} of {name}, which is given out whole", "write a whole number"
    return None


def is_extended(name: str) -> bool:
    """Whether a resource is a device's: neither Kubernetes' own nor a quota's name for one."""
    return "/" in name and "kubernetes.io/" not in name and not name.startswith("requests.")
