"""Amounts that no pod may ask for: the pod is refused, whoever makes it.

Source: kubernetes pkg/apis/core/validation/validation.go, ValidateResourceQuantityValue and
validateContainerResources ("Limit must be set for non overcommitable resources"); pkg/apis/core/helper/helpers.go.
"""

from __future__ import annotations

from collections.abc import Container, Iterator, Mapping
from typing import Any

from generator.finding import Finding, Layer
from generator.manifest import Manifest
from generator.validate import kinds
from generator.validate.cluster import Cluster, annotations_of, name_of, namespace_of
from generator.validate.container_limits import is_exclusive
from generator.validate.kinds import Kind
from generator.validate.limit_ranges import ranges
from generator.validate.pods import of_workload
from generator.validate.shape import exact, mapping, mappings
from generator.validate.submissions import pods_of
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
            for path, resources in _places(cluster, kind, manifest):
                others = _may_be_limited(cluster, kind, manifest)
                for place, says, fix in defects(resources, others):
                    message = f"{kind[1]} {name_of(manifest)} {says}{so}"
                    yield cluster.finding(manifest, "container-amount", layer, message, fix, f"{path}.{place}")


def _may_be_limited(cluster: Cluster, kind: Kind, manifest: Manifest) -> Container[str] | None:
    """Return what a LimitRange limits; None where a hardware profile or a ServingRuntime may limit anything."""
    if kind in (kinds.INFERENCE_SERVICE, *_SERVING):
        return None
    if kind in kinds.OWNERS and kinds.PROFILE_NAME in annotations_of(manifest):
        return None
    given = ranges(cluster).get(namespace_of(manifest))
    return given.defaults["limits"] if given else ()


def _places(cluster: Cluster, kind: Kind, manifest: Manifest) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """Yield requests and limits of the containers that an object holds, with the path that leads to them."""
    body = manifest.body
    if kind == kinds.TRAIN_JOB:
        yield "spec.trainer.resourcesPerNode", mapping(body, "spec", "trainer", "resourcesPerNode")
        return
    if kind in _SERVING:
        yield from _of_pod(mapping(body, "spec"), "spec")
        return
    yield f"{_PREDICTOR}.model.resources", mapping(body, *_PREDICTOR.split("."), "model", "resources")
    is_service = kind == kinds.INFERENCE_SERVICE  # whose pods, as they are made, hold what its ServingRuntime writes
    groups = of_workload(kind, body) if is_service else pods_of(cluster, manifest)
    for pods in (each for group in ([of_runtime(body)] if kind in _RUNTIMES else groups) for each in group):
        is_predictor = is_service and pods.path.startswith(_PREDICTOR)
        yield from _of_pod(pods.spec, _PREDICTOR if is_predictor else pods.path.removesuffix(".containers"))


def _of_pod(spec: Mapping[str, Any], path: str) -> Iterator[tuple[str, Mapping[str, Any]]]:
    for key in ("initContainers", "containers"):
        for index, container in mappings(spec, key):
            yield f"{path}.{key}[{index}].resources", mapping(container, "resources")


def defects(resources: Mapping[str, Any], others: Container[str] | None = ()) -> Iterator[tuple[str, str, str]]:
    """Yield path below the resources, the rest of a sentence, and the remedy; one for a resource.

    `others` are resources that somebody else limits, None: any. Requests beyond limits are for `container_limits`.
    """
    limits = mapping(resources, "limits")
    said: set[str] = set()
    for key, amounts in (("limits", limits), ("requests", mapping(resources, "requests"))):
        for name, written in amounts.items():
            found = _defect(str(name), written)
            if not found and key == "requests" and _lacks_limit(str(name), written, limits, others):
                says = f"asks for {written} of {name} without a limit, which what is given out once needs"
                found = says, "write it as limit, which is the request as well"
            if found and name not in said:
                said.add(name)
                yield f"{key}[{name}]", *found


def _defect(name: str, written: object) -> tuple[str, str] | None:
    number = exact(written)
    if number is not None and number < 0:
        return f"asks for {written} of {name}, less than nothing", "write an amount from 0"
    if number is not None and number.denominator != 1 and "/" in name and is_exclusive(name):
        return f"asks for {written} of {name}, which is given out whole", "write a whole number"
    return None


def _lacks_limit(name: str, written: object, limits: Mapping[str, Any], others: Container[str] | None) -> bool:
    is_limited = others is None or name in limits or name in others
    return bool(exact(written)) and is_exclusive(name) and not is_limited
