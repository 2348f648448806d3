"""Containers against their own limits and the LimitRanges of their namespace: pods beyond them are never made.

Source: k8s.io/kubernetes pkg/apis/core/validation (validateContainerResourceRequirements) and plugin limitranger;
kubernetes-sigs/kueue pkg/workload/resources.go (ValidateResources, ValidateLimitRange), which admits none of them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from generator.finding import Finding, Layer
from generator.manifest import Manifest
from generator.validate import kinds
from generator.validate.cluster import Cluster, name_of, namespace_of, related
from generator.validate.limit_ranges import Range, container_defect, pod_defect, ranges
from generator.validate.pods import Pods
from generator.validate.shape import exact, mapping, mappings, text
from generator.validate.submissions import pods_of
from generator.validate.train_jobs import of_runtime
from generator.validate.wording import some

_INIT, _MAIN = "initContainers", "containers"


def check(cluster: Cluster) -> Iterator[Finding]:
    """Yield what of the containers of pods is beyond their own limits, or those of their namespace."""
    for kind in kinds.QUEUED:
        for manifest in cluster.of(kind):
            pods = [each for together in pods_of(cluster, manifest) for each in together]
            found = list(_out_of_range(cluster, manifest, pods))
            yield from found[:1] if kind == kinds.TRAIN_JOB else found  # all at the place of one
            if kind == kinds.TRAIN_JOB:  # what else its containers ask for is said of the runtime
                node = {"name": "node", "resources": mapping(manifest.body, "spec", "trainer", "resourcesPerNode")}
                pods = [Pods(1, {}, "spec.trainer.resourcesPerNode", {_MAIN: [node]})]
            yield from _beyond_limits(cluster, manifest, pods)
    for kind in (kinds.CLUSTER_RUNTIME, kinds.RUNTIME):
        for manifest in cluster.of(kind):
            yield from _beyond_limits(cluster, manifest, of_runtime(manifest.body))


def _beyond_limits(cluster: Cluster, manifest: Manifest, pods: Iterable[Pods]) -> Iterator[Finding]:
    for path, container in (found for each in pods for found in _containers(each)):
        if defect := _request_defect(mapping(container, "resources")):
            yield cluster.finding(
                manifest,
                "request-beyond-limit",
                Layer.READINESS,
                f"{_called(manifest)}: container {text(container, 'name')} {defect}: its pods are refused",
                "write a limit that is at least the request; of accelerators the same number",
                path,
            )


def _out_of_range(cluster: Cluster, manifest: Manifest, pods: Iterable[Pods]) -> Iterator[Finding]:
    given = ranges(cluster).get(namespace_of(manifest))
    for each in pods if given else ():
        assert given is not None
        for path, container in _containers(each):
            if defect := container_defect(mapping(container, "resources"), given):
                who = f"{_called(manifest)}: container {text(container, 'name')}"
                yield _range_finding(cluster, who, defect, manifest, path, given)
        if mappings(each.spec, _MAIN) and (defect := pod_defect(each, given)):
            yield _range_finding(cluster, f"{_called(manifest)}: a pod", defect, manifest, each.path, given)


def _called(manifest: Manifest) -> str:
    return f"{text(manifest.body, 'kind')} {name_of(manifest)}"


def _containers(pods: Pods) -> Iterator[tuple[str, Mapping[str, Any]]]:
    is_there = pods.path.endswith(_MAIN)  # a TrainJob's containers are those of its runtime
    base = pods.path.removesuffix(_MAIN)
    for key in (_INIT, _MAIN):
        for index, container in mappings(pods.spec, key):
            yield f"{base}{key}[{index}].resources" if is_there else pods.path, container


def _request_defect(resources: Mapping[str, Any]) -> str | None:
    """Return which request is more than its limit, or unlike that of a resource that is given out once."""
    limits = mapping(resources, "limits")
    for name, written in mapping(resources, "requests").items():
        request, limit = exact(written), exact(limits.get(name))
        if request is None or limit is None or request == limit:
            continue
        if request > limit or is_exclusive(name):
            return f"requests {written} of {name} and has a limit of {limits[name]}"
    return None


def is_exclusive(name: str) -> bool:
    """Whether nobody else may use what is requested and idle. Source: pkg/apis/core/v1/helper, IsOvercommitAllowed."""
    return ("/" in name and "kubernetes.io/" not in name) or name.startswith("hugepages-")


def _range_finding(cluster: Cluster, who: str, defect: str, manifest: Manifest, path: str, given: Range) -> Finding:
    names = some(map(name_of, given.manifests))
    return cluster.finding(
        manifest,
        "limit-range-violated",
        Layer.READINESS,
        f"{who} {defect} in LimitRange {names} of namespace {namespace_of(manifest)}: its pods are refused, and Kueue "
        "never admits it",
        "ask for what the LimitRange allows, or widen that",
        path,
        related=[related(found, "spec.limits", f"LimitRange {name_of(found)}") for found in given.manifests[:1]],
    )
