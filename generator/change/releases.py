"""Steps from one release to another that OLM cannot take by itself."""

from __future__ import annotations

from collections.abc import Iterator
from enum import Enum, auto

from generator.change.model import Side, Step
from generator.finding import Finding, Location, Severity
from generator.plan.model import Subscription
from generator.releases.model import Operator
from generator.schemas.load import order
from generator.source import value_at

_KEYS = {"openshift-ai": "openshiftAI", "kueue": "kueue"}


class Way(Enum):
    """How OLM gets from one release of an operator to another: not at all for BACK and CLOSED."""

    OPEN = auto()
    BACK = auto()
    ELSEWHERE = auto()  # through other channels
    CLOSED = auto()


def way(operator: Operator, channel: str, old: str, new: str) -> Way:
    """Return whether a channel leads from a release to another one."""
    if order(new) < order(old):
        return Way.BACK
    ways = operator.upgrades.get(old)
    if new == old or ways is None or channel in ways.get(new, ()):
        return Way.OPEN
    return Way.ELSEWHERE if any(ways.values()) else Way.CLOSED


def upgrades(step: Step) -> Iterator[Finding]:
    """Yield operators that go back, or forward where their channels do not lead; of those that we install."""
    before = {subscription.operator.id for subscription in step.old.plan.subscriptions}
    for subscription in step.new.plan.subscriptions:
        id_ = subscription.operator.id
        if id_ not in _KEYS or id_ not in before:
            continue
        old, new = _version(step.old, id_), _version(step.new, id_)
        found = way(subscription.operator, subscription.channel, old, new)
        if found is Way.BACK:
            yield _back(step, subscription, old, new)
        elif found is Way.ELSEWHERE:
            yield _elsewhere(step, subscription, old, new)
        elif found is Way.CLOSED:
            yield _reinstalled(step, subscription, old, new)


def _version(side: Side, operator: str) -> str:
    return side.plan.kueue.version if operator == "kueue" else side.plan.openshift_ai.version


def _place(step: Step, id_: str) -> Location:
    return value_at(step.new.plan.given.environment["platform"], _KEYS[id_])


def _back(step: Step, subscription: Subscription, old: str, new: str) -> Finding:
    operator = subscription.operator
    return step.of_plan(
        ("Subscription", operator.package),
        "release-goes-back",
        Severity.ERROR,
        f"{operator.title} goes back from {old} to {new}: OLM never does, and what {old} stored {new} may not read",
        f"stay at {old}",
        _place(step, operator.id),
    )


def _elsewhere(step: Step, subscription: Subscription, old: str, new: str) -> Finding:
    operator, channel = subscription.operator, subscription.channel
    ways = {to: channels for to, channels in operator.upgrades[old].items() if channels}
    listed = ", or ".join(f"{', '.join(channels)} (to {to})" for to, channels in ways.items())
    return step.of_plan(
        ("Subscription", operator.package),
        "upgrade-without-channel",
        Severity.ERROR,
        f"{operator.title} {old} does not upgrade to {new} through the channel {channel}: it stays as it is, and "
        f"gets objects of {new}",
        f"write operators: {{{operator.id}: {{channel: …}}}} with {listed}",
        _place(step, operator.id),
    )


def _reinstalled(step: Step, subscription: Subscription, old: str, new: str) -> Finding:
    operator = subscription.operator
    apis = step.old.plan.kueue.api, step.new.plan.kueue.api
    is_unknown = apis[1] not in step.old.plan.kueue.served_apis
    objects = f", and gets objects of {apis[1].rpartition('/')[2]}" if is_unknown else ""
    return step.of_plan(
        ("Subscription", operator.package),
        "operator-needs-reinstalling",
        Severity.WARNING,
        f"{operator.title} goes from {old} to {new}, and OLM has no way from channel to channel: it stays at {old}"
        f"{objects}",
        f"in a window, have {new} synced, then delete its Subscription and ClusterServiceVersion, not its CRDs: "
        "Argo CD brings the Subscription back, and nothing is admitted in between",
        _place(step, operator.id),
    )
