"""Resource groups, which ClusterQueues and Cohorts share.

Source: kubernetes-sigs/kueue pkg/webhooks/clusterqueue_webhook.go and cohort_webhook.go; the ids are those of
validateResourceGroups, validateFlavorQuotas, validateLimit and validateFairSharing.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from fractions import Fraction
from typing import Any

from generator.validate.admission.words import DUPLICATE, refusal
from generator.validate.shape import exact, get, items, mappings, text
from generator.validate.syntax import name_defect
from generator.validate.violation import Violation

LIMITS = ("borrowingLimit", "lendingLimit")
AMOUNTS = ("nominalQuota", *LIMITS)
Place = tuple[int, int, int]
"""Index of a resource group, of a flavor in it, of a resource in that."""

_NANO = Fraction(1, 10**9)


def group_violations(spec: Mapping[str, Any]) -> Iterator[Violation]:
    """Yield what is wrong with names and amounts in spec.resourceGroups."""
    resources: set[str] = set()
    flavors: set[str] = set()
    for index, group in mappings(spec, "resourceGroups"):
        path = f"spec.resourceGroups[{index}]"
        yield from _covered(group, resources, path)
        for number, flavor in mappings(group, "flavors"):
            place = f"{path}.flavors[{number}]"
            yield from resources_out_of_order(group, flavor, place)
            yield from flavor_in_two_groups(flavor, flavors, place)
    yield from negative_amount(spec)


def _covered(group: Mapping[str, Any], seen: set[str], path: str) -> Iterator[Violation]:
    for index, name in enumerate(items(group, "coveredResources")):
        if isinstance(name, str):
            place = f"{path}.coveredResources[{index}]"
            yield from resource_name(name, place)
            yield from resource_in_two_groups(name, seen, place)
            seen.add(name)


def resource_name(name: str, path: str) -> Iterator[Violation]:
    """A covered resource is called like a resource of a pod: cpu, nvidia.com/gpu."""
    if defect := name_defect(name):
        yield refusal("resource-name", path, f"{name!r} is no resource name: {defect}", "write it as pods ask for it")


def resource_in_two_groups(name: str, seen: set[str], path: str) -> Iterator[Violation]:
    """A resource is counted in one group only, and once there."""
    if name in seen:
        yield refusal(
            "resource-in-two-groups",
            path,
            f"resource {name} is covered a second time",
            "put all flavors of a resource into one resource group",
            DUPLICATE,
        )


def flavor_in_two_groups(flavor: Mapping[str, Any], seen: set[str], path: str) -> Iterator[Violation]:
    """A flavor stands in one group only, and once there."""
    name = text(flavor, "name")
    if name in seen:
        yield refusal(
            "flavor-in-two-groups",
            f"{path}.name",
            f"flavor {name} stands a second time",
            "give all resources of the flavor in one resource group",
            DUPLICATE,
        )
    seen.add(name)


def resources_out_of_order(group: Mapping[str, Any], flavor: Mapping[str, Any], path: str) -> Iterator[Violation]:
    """Each flavor lists the covered resources in their order; that the numbers agree is CEL's affair."""
    covered = items(group, "coveredResources")
    for index, resource in mappings(flavor, "resources"):
        name = text(resource, "name")
        if index < len(covered) and name != covered[index]:
            yield refusal(
                "resources-out-of-order",
                f"{path}.resources[{index}].name",
                f"{name} stands where coveredResources has {covered[index]}: they must match one by one",
                f"list {', '.join(map(str, covered))} in this order in each flavor",
            )


def negative_amount(spec: Mapping[str, Any]) -> Iterator[Violation]:
    """Quotas and limits are not negative."""
    for place, resource in amounts(spec):
        for key in AMOUNTS:
            amount = exact(resource.get(key))
            if amount is not None and amount.numerator < 0:
                yield refusal(
                    "negative-quota",
                    printed(place, key),
                    f"{key} {resource[key]} of {text(resource, 'name')} is below 0",
                    "write 0 or more",
                )


def limit_without_group(spec: Mapping[str, Any], group: str, keys: tuple[str, ...]) -> Iterator[Violation]:
    """Without a group to share with there is nothing to limit; `group` is "cohort" or "parent"."""
    for place, resource in amounts(spec):
        for key in keys:
            if resource.get(key) is not None:
                yield refusal(
                    f"{'borrowing' if key == 'borrowingLimit' else 'lending'}-limit-without-{group}",
                    printed(place, key),
                    f"{key} of {text(resource, 'name')} is set and there is no {group}: it must be empty",
                    f"name a {group}, or remove {key}",
                )


def lending_limit_above_nominal(spec: Mapping[str, Any]) -> Iterator[Violation]:
    """A ClusterQueue may not lend more than it owns (a Cohort may). Source: validateLendingLimit; from 0.6."""
    for place, resource in amounts(spec):
        lent, owned = exact(resource.get("lendingLimit")), exact(resource.get("nominalQuota"))
        if lent is not None and owned is not None and lent is not owned and lent > owned:
            yield refusal(
                "lending-limit-above-nominal",
                printed(place, "lendingLimit"),
                f"lendingLimit {resource['lendingLimit']} of {text(resource, 'name')} is more than its "
                f"nominalQuota {resource['nominalQuota']}",
                f"lower lendingLimit to {resource['nominalQuota']} or less",
            )


def fair_sharing_weight(spec: Mapping[str, Any], *, threshold: bool) -> Iterator[Violation]:
    """A weight is 0 or more; with `threshold` (from 0.12) one of at most 1n, other than 0, is refused as well."""
    written = get(spec, "fairSharing", "weight")
    weight = exact(written)
    if weight is None:
        return
    path, fix = "spec.fairSharing.weight", "write 0, 1 or another weight from 1m up"
    if weight < 0:
        yield refusal("fair-sharing-weight", path, f"the weight {written} is below 0", fix)
    elif threshold and 0 < weight <= _NANO:
        yield refusal("fair-sharing-weight", path, f"the weight {written} is too small: it must exceed 1n", fix)


def amounts(spec: Mapping[str, Any]) -> Iterator[tuple[Place, Mapping[str, Any]]]:
    """Yield place and resource quota for every amount in spec.resourceGroups."""
    for index, group in mappings(spec, "resourceGroups"):
        for number, flavor in mappings(group, "flavors"):
            for position, resource in mappings(flavor, "resources"):
                yield (index, number, position), resource


def printed(place: Place, key: str) -> str:
    """Return the path of a field of an amount as the server prints it."""
    index, number, position = place
    return f"spec.resourceGroups[{index}].flavors[{number}].resources[{position}].{key}"
