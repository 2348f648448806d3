"""Which operators an environment installs, from which channel, with which approval."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Set

from generator.environment.cluster import OperatorChoice
from generator.environment.load import Inputs
from generator.finding import Finding, Layer, Location, Severity, error
from generator.plan.model import ComponentState, KueueSettings, Pool, Subscription
from generator.plan.releases import Releases
from generator.releases import load
from generator.releases.installable import Wanted, channels, csv_doubt
from generator.releases.model import Operator
from generator.source import at, value_at
from generator.spelling import remedy


def resolve(
    inputs: Inputs,
    releases: Releases,
    components: tuple[ComponentState, ...],
    settings: KueueSettings,
    pools: Mapping[str, Pool],
) -> tuple[tuple[Subscription, ...], list[Finding]]:
    """Return the subscriptions by package, and what is wrong with what the environment says of operators."""
    choices = inputs.environment.get("operators") or {}
    findings = list(_unknown(choices))
    external = {id_ for id_, choice in choices.items() if choice.get("external")}
    asked = [*_needed(releases, components, settings, pools), *(c for c in choices if c in load.operator_ids())]
    subscriptions = []
    for id_ in _closure(asked, external):
        operator, choice = load.operator(id_), choices.get(id_) or OperatorChoice()
        place = at(choices, id_) if id_ in choices else at(inputs.environment, "platform")
        subscription = _subscription(operator, choice, releases, place)
        findings += _defects(operator, choice, subscription, releases)
        subscriptions.append(subscription)
    return tuple(sorted(subscriptions, key=lambda s: s.operator.package)), findings


def _needed(
    releases: Releases, components: Iterable[ComponentState], settings: KueueSettings, pools: Mapping[str, Pool]
) -> Iterator[str]:
    yield from releases.openshift_ai.operators
    yield "kueue"
    for state in components:
        if state.state == "Managed":
            yield from state.component.operators
            for requirement in state.component.requirements:
                if requirement.holds(state.fields):
                    yield from requirement.operators
    for framework in settings.frameworks:
        yield from releases.kueue.framework_operators.get(framework, ())
    for pool in pools.values():
        yield from pool.accelerator.operators if pool.accelerator else ()


def _closure(ids: Iterable[str], external: Set[str]) -> list[str]:
    """Return the operators with what they require, less those that exist already: theirs do, too."""
    wanted: dict[str, None] = {}
    todo = list(ids)
    while todo:
        id_ = todo.pop()
        if id_ not in wanted and id_ not in external:
            wanted[id_] = None
            todo += load.operator(id_).requires
    return sorted(wanted)


def _wanted(releases: Releases) -> Wanted:
    return Wanted(releases.openshift_ai, releases.kueue, releases.openshift)


def _subscription(operator: Operator, choice: OperatorChoice, releases: Releases, place: Location) -> Subscription:
    return Subscription(
        operator,
        choice.get("channel", channels(operator, _wanted(releases))[0]),
        choice.get("approval", "Automatic"),
        choice.get("startingCSV"),
        choice.get("source", operator.source),
        place,
    )


def _unknown(choices: Mapping[str, OperatorChoice]) -> Iterator[Finding]:
    known = load.operator_ids()
    for id_ in choices:
        if id_ not in known:
            yield error(
                "unknown-operator",
                f"operator {id_} is not known",
                at(choices, id_),
                f"{remedy(id_, known)}; others go to extra/ as manifests",
            )


def _defects(
    operator: Operator, choice: OperatorChoice, subscription: Subscription, releases: Releases
) -> Iterator[Finding]:
    release = releases.openshift_ai.version
    if operator.openshift_ai is not None and release not in operator.openshift_ai:
        yield error(
            "unknown-combination",
            f"{operator.title} does not go with OpenShift AI {release}",
            subscription.origin,
            f"remove it; it goes with {', '.join(operator.openshift_ai)}",
            layer=Layer.READINESS,
        )
    _, known = channels(operator, _wanted(releases))
    if known and subscription.channel not in known:
        yield error(
            "unknown-channel",
            f"{operator.title} has no channel {subscription.channel} that holds the target release",
            value_at(choice, "channel"),
            remedy(subscription.channel, known, "known channels are"),
            layer=Layer.READINESS,
        )
    csv = choice.get("startingCSV")
    if csv is not None and (doubt := csv_doubt(operator, csv, _wanted(releases))):
        severity, place = Severity.ERROR if doubt.is_certain else Severity.WARNING, value_at(choice, "startingCSV")
        yield Finding("unknown-csv", severity, Layer.READINESS, doubt.message, place, doubt.fix)
