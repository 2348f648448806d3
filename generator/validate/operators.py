"""Operators: is what others rely on installed, before them, and can OLM install it at all.

Source: facts of OpenShift AI, section 1.3; facts of faults A35, A39, A40, A56.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from typing import Any

from generator.finding import Finding, Layer, Severity
from generator.manifest import SYNC_WAVE, Manifest, sync_wave
from generator.releases.load import operator, operator_ids
from generator.releases.model import Component, Operator
from generator.schemas import load
from generator.validate import kinds
from generator.validate.cluster import Cluster, annotations_of, name_of, namespace_of, related
from generator.validate.kinds import kind_of
from generator.validate.objects import defaults
from generator.validate.schema_check import target
from generator.validate.shape import get, mapping, text
from generator.validate.wording import some

GLOBAL_NAMESPACE = "openshift-operators"


def check(cluster: Cluster) -> Iterator[Finding]:
    """Yield operators that are missing, late or without their OperatorGroup."""
    installed = subscribed(cluster)
    if cluster.is_known(kinds.SUBSCRIPTION):
        for component, place, manifest in managed_components(cluster):
            yield from component_without_operator(cluster, installed, component, place, manifest)
        for name, subscription in installed.items():
            yield from operator_without_requirement(cluster, installed, name, subscription)
    yield from operator_twice(cluster)
    yield from operator_groups(cluster)


def package_of(subscription: Manifest) -> str:
    """Return the package that a Subscription installs."""
    return text(subscription.body, "spec", "name") or name_of(subscription)


def subscribed(cluster: Cluster) -> dict[str, Manifest]:
    """Return the Subscriptions by the id of their operator; those of other operators are left out."""
    found: dict[str, Manifest] = {}
    for subscription in cluster.of(kinds.SUBSCRIPTION):
        if known := _by_package().get(package_of(subscription)):
            found.setdefault(known.id, subscription)
    return found


@cache
def _by_package() -> Mapping[str, Operator]:
    return {operator(name).package: operator(name) for name in operator_ids()}


def is_installed(cluster: Cluster, name: str) -> bool:
    """Whether an operator is installed, or nothing is known about Subscriptions."""
    package = operator(name).package
    declared = cluster.is_external(kinds.SUBSCRIPTION, package, operator(name).namespace)
    return name in subscribed(cluster) or declared or not cluster.is_known(kinds.SUBSCRIPTION)


def managed_components(cluster: Cluster) -> Iterator[tuple[Component, str, Manifest]]:
    """Yield the components that a DataScienceCluster has Managed, with their path."""
    release = cluster.target.openshift_ai
    for manifest in cluster.of(kinds.DATA_SCIENCE_CLUSTER) if release else ():
        for component in release.components.values() if release else ():
            if get(manifest.body, "spec", "components", component.key, "managementState") == "Managed":
                yield component, f"spec.components.{component.key}", manifest


def component_without_operator(
    cluster: Cluster, installed: Mapping[str, Manifest], component: Component, path: str, manifest: Manifest
) -> Iterator[Finding]:
    """A Managed component stays unready without the operators that it relies on; without some, a part stays off."""
    needs = [need for need in component.requirements if need.holds(stored_component(cluster, component, manifest))]
    hard = [*component.operators, *(o for need in needs if need.hard for o in need.operators)]
    if missing := _lacking(cluster, installed, hard):
        yield cluster.finding(
            manifest,
            "component-without-operator",
            Layer.READINESS,
            f"component {component.key} is Managed and relies on {missing}, which no Subscription installs: the "
            "DataScienceCluster never becomes ready",
            "add a Subscription for it, or declare it with --external",
            f"{path}.managementState",
        )
    for need in needs:
        if not need.hard and (missing := _lacking(cluster, installed, need.operators)):
            yield cluster.finding(
                manifest,
                "component-without-operator",
                Layer.READINESS,
                f"{'.'.join((component.key, *need.path))} is {need.equals} and relies on {missing}, which no "
                "Subscription installs: the component is ready, and this part of it does not work",
                "add a Subscription for it, or declare it with --external",
                ".".join((path, *need.path)),
                severity=Severity.WARNING,
            )


def _lacking(cluster: Cluster, installed: Mapping[str, Manifest], names: Iterable[str]) -> str:
    """Return the titles of the operators that are not installed, "" for none."""
    missing = [name for name in dict.fromkeys(names) if name not in installed and not is_installed(cluster, name)]
    return some(f"{operator(name).title} ({operator(name).package})" for name in missing)


def stored_component(cluster: Cluster, component: Component, manifest: Manifest) -> Mapping[str, Any]:
    """Return a component of a DataScienceCluster as the server stores it, its defaults included."""
    schema = load.schema(*kind_of(manifest.body), manifest.api_version.rpartition("/")[2], target(cluster.target))
    body = manifest.body if schema is None else defaults(schema, manifest.body)
    return mapping(body, "spec", "components", component.key)


def operator_without_requirement(
    cluster: Cluster, installed: Mapping[str, Manifest], name: str, subscription: Manifest
) -> Iterator[Finding]:
    """An operator's own prerequisites are installed, and not later than it."""
    for required in operator(name).requires:
        what = f"{operator(required).title} ({operator(required).package})"
        if not is_installed(cluster, required):
            yield cluster.finding(
                subscription,
                "operator-without-requirement",
                Layer.READINESS,
                f"{operator(name).title} needs {what}, which no Subscription installs: its webhooks get no "
                "certificates and every object that they guard fails to apply",
                "add a Subscription for it, or declare it with --external",
                "spec.name",
            )
        elif required in installed and _wave(installed[required]) > _wave(subscription):
            yield cluster.finding(
                installed[required],
                "requirement-too-late",
                Layer.READINESS,
                f"{what} is installed in wave {_wave(installed[required])}, after {operator(name).title} in wave "
                f"{_wave(subscription)}, which needs it",
                "give it an earlier sync wave",
                f"metadata.annotations[{SYNC_WAVE}]",
                related=[related(subscription, "metadata.name", operator(name).title)],
            )


def _wave(manifest: Manifest) -> int:
    return sync_wave(annotations_of(manifest))


def operator_twice(cluster: Cluster) -> Iterator[Finding]:
    """OLM takes a package once in a namespace; one that serves all namespaces, once in the cluster.

    Source: operator-lifecycle-manager pkg/controller/registry/resolver (a package is at most one of its bundles);
    docs/design/operatorgroups.md, InterOperatorGroupOwnerConflict (groups that meet provide no API twice).
    """
    seen: dict[tuple[str, str], Manifest] = {}
    for subscription in cluster.of(kinds.SUBSCRIPTION):
        package, space = package_of(subscription), namespace_of(subscription)
        known = _by_package().get(package)
        reach = "" if known is not None and known.group != "own" else space
        first = seen.setdefault((package, reach), subscription)
        if (namespace_of(first), name_of(first)) == (space, name_of(subscription)):
            continue  # the same object, or one object twice, which is told as that
        title = known.title if known else package
        there = "" if namespace_of(first) == space else f" in namespace {namespace_of(first)}"
        yield cluster.finding(
            subscription,
            "operator-twice",
            Layer.READINESS,
            f"{title} ({package}) has another Subscription, {name_of(first)}{there}: OLM installs at most one of them",
            "keep one of them",
            "spec.name",
            related=[related(first, "spec.name", f"Subscription {name_of(first)}")],
        )


def operator_groups(cluster: Cluster) -> Iterator[Finding]:
    """OLM wants one OperatorGroup in a namespace with operators, no more; the global one brings its own."""
    groups: dict[str, list[Manifest]] = {}
    for group in cluster.of(kinds.OPERATOR_GROUP):
        groups.setdefault(namespace_of(group), []).append(group)
    for space, found in groups.items():
        yield from _too_many_groups(cluster, space, found)
    seen: set[str] = set()
    for subscription in cluster.of(kinds.SUBSCRIPTION):
        space = namespace_of(subscription)
        is_complete = cluster.whole or cluster.find(kinds.NAMESPACE, space) is not None
        if space in seen or space in groups or space == GLOBAL_NAMESPACE or not is_complete:
            continue
        seen.add(space)
        if not any(entry.startswith("operatorgroup/") and f"/{space}" in entry for entry in cluster.external):
            yield cluster.finding(
                subscription,
                "operator-group-missing",
                Layer.READINESS,
                f"namespace {space} has a Subscription ({name_of(subscription)}) and no OperatorGroup: OLM never "
                "installs the operator",
                f"add an OperatorGroup to {space}",
                "metadata.namespace",
            )


def _too_many_groups(cluster: Cluster, space: str, groups: list[Manifest]) -> Iterator[Finding]:
    names = some(name_of(group) for group in groups)
    if space == GLOBAL_NAMESPACE:
        message = f"OperatorGroup {names} stands in {space}, which already has the global one"
        fix = "remove it"
    elif len(groups) > 1:
        message = f"namespace {space} has {len(groups)} OperatorGroups ({names})"
        fix = "keep one of them"
    else:
        return
    yield cluster.finding(
        groups[-1],
        "second-operator-group",
        Layer.READINESS,
        f"{message}: with two OLM installs nothing there, without a word",
        fix,
        "metadata.namespace",
        related=[related(group, "metadata.name", f"OperatorGroup {name_of(group)}") for group in groups[:-1]],
    )
