"""What the LimitRanges of a namespace give to containers and demand of them, as Kueue and the API server see it.

Source: k8s.io/kubernetes pkg/apis/core/v1/defaults.go (SetDefaults_LimitRangeItem); kubernetes-sigs/kueue
pkg/workload/resources.go (handlePodLimitRange) and pkg/util/limitrange.
"""

from __future__ import annotations

from collections.abc import Container, Iterator, Mapping, Sequence
from fractions import Fraction
from typing import Any

from generator.frozen import dataclass, replace
from generator.manifest import Manifest
from generator.validate import kinds
from generator.validate.cluster import Cluster, namespace_of
from generator.validate.pods import Pods, asked_of
from generator.validate.queues import amount
from generator.validate.shape import exact, mapping, mappings, text
from generator.validate.wording import shown

GIVING = ("defaultRequest", "default", "max", "min")
"""Where the request stands that a container gets, the first of them that names the resource."""

_BEYOND = {"max": "more than the max of", "min": "less than the min of"}
_CONTAINERS = "containers"
_Amounts = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Range:
    """What the LimitRanges of a namespace say together: of containers the defaults, of both the least and the most."""

    manifests: Sequence[Manifest]
    defaults: Mapping[str, _Amounts]
    container: Mapping[str, _Amounts]
    pod: Mapping[str, _Amounts]


def ranges(cluster: Cluster) -> Mapping[str, Range]:
    """Return the LimitRanges by namespace, read once for all checks."""
    return cluster.once(_read_all)


def _read_all(cluster: Cluster) -> dict[str, Range]:
    by_space: dict[str, list[Manifest]] = {}
    for manifest in cluster.of(kinds.LIMIT_RANGE):
        by_space.setdefault(namespace_of(manifest), []).append(manifest)
    return {space: _read(found) for space, found in by_space.items()}


def _read(manifests: Sequence[Manifest]) -> Range:
    limits = [limit for manifest in manifests for _, limit in mappings(manifest.body, "spec", "limits")]
    of_containers = [limit for limit in limits if text(limit, "type") == "Container"]
    of_pods = [limit for limit in limits if text(limit, "type") == "Pod"]
    given = [defaults_of(limit) for limit in reversed(of_containers)]
    defaults = {key: {k: v for found in given for k, v in found[key].items()} for key in ("limits", "requests")}
    return Range(manifests, defaults, _bounds(of_containers), _bounds(of_pods))


def defaults_of(limit: Mapping[str, Any]) -> Mapping[str, _Amounts]:
    """Return the limits and requests that a LimitRange gives to containers: its most and its least, if no others."""
    most, least = mapping(limit, "max"), mapping(limit, "min")
    limits = {**most, **mapping(limit, "default")}
    return {"limits": limits, "requests": {**least, **limits, **mapping(limit, "defaultRequest")}}


def _bounds(limits: Sequence[Mapping[str, Any]]) -> Mapping[str, _Amounts]:
    """Return the least `max` and the greatest `min` of each resource."""
    found: dict[str, dict[str, Any]] = {"max": {}, "min": {}}
    for limit in limits:
        for key, kept in found.items():
            for name, value in mapping(limit, key).items():
                known, new = exact(kept.get(name)), exact(value)
                if known is None or (new is not None and _is_beyond("min" if key == "max" else "max", new, known)):
                    kept[name] = value
    return found


def filled(pods: Pods, given: Range, covered: Container[str]) -> Pods:
    """Return pods with what their namespace gives to containers, as far as a queue covers it."""
    if not mappings(pods.spec, _CONTAINERS) or asked_of(pods.spec) != pods.amounts:
        return pods  # what they ask for does not stand in their spec alone
    kept = {key: {k: v for k, v in found.items() if k in covered} for key, found in given.defaults.items()}
    return replace(pods, amounts=asked_of(pods.spec, kept))


def container_defect(resources: Mapping[str, Any], given: Range) -> str | None:
    """Return what a container asks for beyond its LimitRange, in words that end with the bound, or None."""
    limits = {**given.defaults["limits"], **mapping(resources, "limits")}
    requests = {**limits, **given.defaults["requests"], **mapping(resources, "requests")}
    for key, name, bound in _each(given.container):
        for written in (requests.get(name), limits.get(name)):
            value, limit = exact(written), exact(bound)
            if value is not None and limit is not None and _is_beyond(key, value, limit):
                return f"asks for {written} of {name}, {_BEYOND[key]} {bound}"
    return None


def pod_defect(pods: Pods, given: Range) -> str | None:
    """Return the same of a pod as a whole."""
    asked = asked_of(pods.spec, given.defaults)
    for key, name, bound in _each(given.pod):
        total, limit = asked.get(name), amount(name, bound)
        if total is not None and limit is not None and _is_beyond(key, total, limit):
            return f"asks for {shown(name, total)} of {name}, {_BEYOND[key]} {bound}"
    return None


def _each(bounds: Mapping[str, _Amounts]) -> Iterator[tuple[str, str, Any]]:
    return ((key, name, bound) for key, found in bounds.items() for name, bound in found.items())


def _is_beyond(key: str, value: Fraction | int, bound: Fraction | int) -> bool:
    return value > bound if key == "max" else value < bound
