"""DataScienceCluster components: what is listed is Managed, what is not is Removed, Kueue is Unmanaged."""

from __future__ import annotations

import copy
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from generator.environment.explain import shown
from generator.environment.load import Inputs
from generator.finding import Finding, Layer, Location, Severity, error
from generator.plan import component_fields
from generator.plan.model import ComponentState
from generator.releases.model import Component, OpenShiftAI
from generator.source import at, value_at
from generator.spelling import remedy

KUEUE = "kueue"
STATE = "managementState"
PLATFORM_QUEUE = "platform-default"


def resolve(inputs: Inputs, release: OpenShiftAI) -> tuple[tuple[ComponentState, ...], str, list[Finding]]:
    """Return the state of each component of the release, Kueue's own state, and what is wrong."""
    written = inputs.environment.get("components") or {}
    findings = [f for name in written for f in _defects(name, written, release)]
    kueue = (written.get(KUEUE) or {}).get(STATE, "Unmanaged")
    states = tuple(
        _state(component, written.get(component.name), written)
        for component in release.components.values()
        if component.name != KUEUE
    )
    for state in states:
        if state.state == "Managed":
            findings += _conflicts(state, written[state.component.name])
    return states, str(kueue), findings


def dsci_spec(states: Iterable[ComponentState], release: OpenShiftAI) -> Mapping[str, Any]:
    """Return the DSCInitialization spec: the release's, with what Managed components require of it."""
    spec: Mapping[str, Any] = release.dsci_spec
    for state in states:
        if state.state == "Managed":
            for requirement in state.component.requirements:
                if requirement.holds(state.fields):
                    spec = _merged(spec, requirement.dsci_spec)
    return spec


def kueue_fields(release: OpenShiftAI) -> Mapping[str, Any]:
    """Return the fields of the kueue component.

    Where the operator makes a LocalQueue in every managed namespace, it gets a name of its own: called `default` like
    ours it could come first, and `spec.clusterQueue` of a LocalQueue is immutable.
    """
    own = {"defaultLocalQueueName": PLATFORM_QUEUE} if release.default_queue == "always" else {}
    return {**release.kueue_component, **own}


def _state(component: Component, written: Mapping[str, Any] | None, all_: Mapping[str, Any]) -> ComponentState:
    if written is None:
        return ComponentState(component, "Removed", {}, {})
    fields = {key: value for key, value in written.items() if key != STATE}
    state = str(written.get(STATE, "Managed"))
    path = f"spec.components.{component.key}"
    origins = {path: at(all_, component.name), **dict(_places(written, path))}
    return ComponentState(component, state, _merged(component.defaults, fields) if state == "Managed" else {}, origins)


def _places(written: Mapping[str, Any], path: str) -> Iterator[tuple[str, Location]]:
    for key, value in written.items():
        yield f"{path}.{key}", value_at(written, key)
        if isinstance(value, Mapping):
            yield from _places(value, f"{path}.{key}")


def _conflicts(state: ComponentState, written: Mapping[str, Any]) -> Iterator[Finding]:
    for conflict in state.component.conflicts:
        if conflict.holds(state.fields):
            key = conflict.path[0]
            yield Finding(
                "component-conflict",
                Severity(conflict.severity),
                Layer.READINESS,
                f"component {state.component.name}: {conflict.message}",
                value_at(written, key) if key in written else at(written),
                conflict.fix,
            )


def _merged(defaults: Mapping[str, Any], fields: Mapping[str, Any]) -> dict[str, Any]:
    merged = copy.deepcopy(dict(defaults))
    for key, value in fields.items():
        both = isinstance(value, Mapping) and isinstance(merged.get(key), Mapping)
        merged[key] = _merged(merged[key], value) if both else value
    return merged


def _defects(name: str, written: Mapping[str, Mapping[str, Any]], release: OpenShiftAI) -> Iterator[Finding]:
    place = at(written, name)
    if name == KUEUE:
        yield from _kueue_defects(written[name], release)
    elif name in release.renamed:
        new = release.renamed[name]
        yield error(
            "unknown-component",
            f"component {name} is called {new} in OpenShift AI {release.version}",
            place,
            f"write {new} in its place",
            layer=Layer.SCHEMA,
        )
    elif name in release.removed:
        yield error(
            "unknown-component",
            f"OpenShift AI {release.version} has no component {name}",
            place,
            release.removed[name],
            layer=Layer.SCHEMA,
        )
    elif name not in release.components:
        yield error(
            "unknown-component",
            f"OpenShift AI {release.version} has no component {name}",
            place,
            remedy(name, release.components, "components are"),
            layer=Layer.SCHEMA,
        )
    elif written[name]:
        yield from component_fields.defects(release.components[name], written[name])


def _kueue_defects(written: Mapping[str, Any], release: OpenShiftAI) -> Iterator[Finding]:
    for key, value in written.items():
        if key != STATE:
            yield error(
                "unknown-key",
                f"components.kueue has no key {key!r}",
                at(written, key),
                "write queue settings under kueue:",
            )
        elif value == "Managed":
            yield error(
                "kueue-managed",
                "the embedded Kueue is not supported by Apportion; "
                f"on OpenShift AI {release.version} {release.kueue_managed_reason}",
                value_at(written, key),
                "write Unmanaged: save the queue objects, set Removed, "
                "install the Red Hat build of Kueue, then set Unmanaged",
                layer=Layer.WEBHOOK,
            )
        elif value not in release.kueue_states:
            yield error(
                "invalid-value",
                f"components.kueue.{key} is {shown(value)}",
                value_at(written, key),
                f"write {' or '.join(release.kueue_states)}",
            )
