"""Operators as OLM has them, against the Subscriptions of the tree; and Kueue embedded beside the operator's."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from generator.change.releases import Way, way
from generator.finding import Finding, Layer, Location, Severity
from generator.manifest import Manifest
from generator.preflight.expected import Expected, ExpectedOperator
from generator.preflight.live import SUBSCRIPTION, VERSION_OF_OPERATOR, Live, finding, ours
from generator.releases.load import operator
from generator.releases.model import Operator
from generator.validate.cluster import name_of, namespace_of
from generator.validate.kinds import DATA_SCIENCE_CLUSTER
from generator.validate.shape import text

DEPLOYMENT = ("apps", "Deployment")
EMBEDDED = "kueue-controller-manager"
_RELEASE_OF = {"kueue": "kueue", "openshift-ai": "openshiftAI"}
_MIGRATION = (
    "first the migration: save the queue objects (oc get -o yaml), set DataScienceCluster spec.components.kueue to "
    f"Removed, wait until the Deployment {EMBEDDED} is gone, and only then sync the operator, in a window: nothing is "
    "admitted in between"
)


def check(expected: Expected, live: Live) -> Iterator[Finding]:
    """Yield what stands between the tree's operators and the installed ones."""
    if SUBSCRIPTION not in live.unread and VERSION_OF_OPERATOR not in live.unread:
        for wanted in expected.operators:
            yield from _Comparison(expected, live, wanted).findings()
    if any(wanted.id == "kueue" for wanted in expected.operators):
        yield from _embedded(expected, live)


def installed_version(live: Live, id_: str) -> str | None:
    """Return the name of the ClusterServiceVersion of an operator that succeeded; None: there is none."""
    prefix = operator(id_).csv_prefix
    names = (name_of(m) for m in _versions(live, prefix) if text(m.body, "status", "phase") == "Succeeded")
    return next(names, None)


def _versions(live: Live, prefix: str) -> list[Manifest]:
    return [m for m in live.of(VERSION_OF_OPERATOR) if name_of(m).startswith(prefix)]


def comes_with_the_upgrade(expected: Expected, id_: str, installed: str) -> bool:
    """Whether OLM gets from the installed version to the tree's release by itself, so that its kinds are to come."""
    found = operator(id_)
    channel = next((wanted.channel for wanted in expected.operators if wanted.id == id_), found.channel)
    old, new = _step(expected, found, installed)
    return bool(old and new) and old != new and way(found, channel, old or "", new or "") is Way.OPEN


def _step(expected: Expected, found: Operator, installed: str) -> tuple[str | None, str | None]:
    """Return the installed minor release ("kueue-operator.v1.3.1" is 1.3) and the tree's; None: not known."""
    parts = installed.removeprefix(found.csv_prefix).split(".")
    is_version = len(parts) > 2 and all(part.isdigit() for part in parts[:2])
    return ".".join(parts[:2]) if is_version else None, expected.releases.get(_RELEASE_OF.get(found.id, ""))


class _Comparison:
    """One operator of the tree, and what the cluster has of it."""

    def __init__(self, expected: Expected, live: Live, wanted: ExpectedOperator) -> None:
        self._expected, self._live, self._wanted = expected, live, wanted
        self._operator: Operator = operator(wanted.id)
        package = self._operator.package
        found = [m for m in live.of(SUBSCRIPTION) if text(m.body, "spec", "name") == package]
        self._same = [m for m in found if (namespace_of(m), name_of(m)) == (wanted.namespace, package)]
        self._others = [m for m in found if m not in self._same]

    def findings(self) -> Iterator[Finding]:
        versions = _versions(self._live, self._operator.csv_prefix)
        for other in self._others:
            yield self._elsewhere(f"Subscription {namespace_of(other)}/{name_of(other)}")
        if not self._same and not self._others:
            for found in versions:
                yield self._elsewhere(f"{name_of(found)} in {namespace_of(found)}, without a Subscription,")
        for found in versions:
            if text(found.body, "status", "phase") == "Failed":
                yield self._failed(found)
        for subscription in self._same:
            yield from self._of(subscription)

    def _finding(self, rule: str, severity: Severity, message: str, fix: str, **more: Any) -> Finding:
        wanted, package = self._wanted, self._operator.package
        reference = self._expected.reference("Subscription", package, wanted.namespace, "operators.coreos.com/v1alpha1")
        place: Location | None = self._expected.place("Subscription", package)
        return finding(rule, severity, message, fix, location=place, object=reference, **more)

    def _elsewhere(self, what: str) -> Finding:
        title, place = self._operator.title, f"{self._wanted.namespace}/{self._operator.package}"
        return self._finding(
            "operator-installed-elsewhere",
            Severity.ERROR,
            f"{title} is installed already: {what} is not the tree's {place}, and OLM installs no operator twice",
            f"remove that one (its CRDs stay), or say operators: {{{self._wanted.id}: {{external: true}}}}",
            layer=Layer.READINESS,
        )

    def _failed(self, found: Manifest) -> Finding:
        why = text(found.body, "status", "message") or text(found.body, "status", "reason") or "no reason given"
        return self._finding(
            "operator-failed",
            Severity.ERROR,
            f"{self._operator.title}: {name_of(found)} has failed: {why[:200]}",
            f"oc describe csv {name_of(found)} -n {namespace_of(found)}; a sync on top of it waits for ever",
            layer=Layer.READINESS,
        )

    def _of(self, subscription: Manifest) -> Iterator[Finding]:
        title = self._operator.title
        if not ours(subscription, self._expected):
            yield self._finding(
                "operator-of-somebody-else",
                Severity.WARNING,
                f"{title}: the Subscription exists and was not made from this tree; a sync takes it over",
                "have whoever made it stop, or say external: true",
            )
        installed = text(subscription.body, "status", "installedCSV")
        current = text(subscription.body, "status", "currentCSV")
        if text(subscription.body, "spec", "installPlanApproval") == "Manual" and current != installed:
            yield self._finding(
                "approval-pending",
                Severity.WARNING,
                f"{title}: {current or 'an InstallPlan'} waits for somebody's approval"
                + (f"; {installed} is installed" if installed else ", and nothing is installed"),
                f"oc get installplan -n {self._wanted.namespace}, then approve it or correct startingCSV",
                layer=Layer.READINESS,
            )
        yield from self._channel(text(subscription.body, "spec", "channel"), installed)

    def _channel(self, channel: str, installed: str) -> Iterator[Finding]:
        wanted, title = self._wanted, self._operator.title
        old, new = _step(self._expected, self._operator, installed)
        found = way(self._operator, wanted.channel, old, new) if old and new else Way.OPEN
        if found is Way.BACK:
            message = f"{title} goes back from {installed} to {new}: OLM never does, and it stays as it is"
            fix = f"name the installed release, {old}, in platform"
            yield self._finding("release-goes-back", Severity.ERROR, message, fix)
        elif found is Way.CLOSED:
            message = f"{title}: no channel leads from the installed {installed} to {new}, not {wanted.channel} either"
            fix = "reinstall in a window: once the tree is synced, delete the Subscription and the "
            fix += "ClusterServiceVersion, not the CRDs; or stay at the installed release"
            yield self._finding("channel-without-way", Severity.ERROR, message, fix)
        elif found is Way.ELSEWHERE:
            message = f"{title}: {wanted.channel} does not lead from the installed {installed} to {new}"
            ways = self._operator.upgrades[old or ""]
            fix = "; ".join(f"{', '.join(channels)} leads to {to}" for to, channels in ways.items() if channels)
            yield self._finding("channel-without-way", Severity.ERROR, message, fix)
        elif channel and channel != wanted.channel:
            message = f"{title}: the channel changes from {channel} to {wanted.channel}"
            fix = "nothing, if that is meant: what is in the new channel is installed"
            yield self._finding("channel-changes", Severity.INFO, message, fix)


def _embedded(expected: Expected, live: Live) -> Iterator[Finding]:
    for found in live.of(DATA_SCIENCE_CLUSTER):
        if text(found.body, "spec", "components", "kueue", "managementState") == "Managed":
            yield _beside(expected, f"DataScienceCluster {name_of(found)} has kueue Managed", live.of(DEPLOYMENT))
            return
    for found in live.of(DEPLOYMENT):
        yield _beside(expected, f"Deployment {namespace_of(found)}/{name_of(found)} runs", ())


def _beside(expected: Expected, what: str, deployments: Iterable[Manifest]) -> Finding:
    runs = "".join(f", and Deployment {namespace_of(m)}/{name_of(m)} runs" for m in deployments)
    return finding(
        "embedded-kueue",
        Severity.ERROR,
        f"{what}{runs}: OpenShift AI's own Kueue, and the tree brings the Red Hat build of Kueue beside it; two Kueues "
        "would fight over one set of queues",
        _MIGRATION,
        layer=Layer.READINESS,
        location=expected.place("Subscription", operator("kueue").package),
        object=expected.reference("Subscription", operator("kueue").package, operator("kueue").namespace),
    )
