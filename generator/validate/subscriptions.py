"""Subscriptions and their OperatorGroups: would OLM find the channel and version, and install it for all namespaces.

Source: openshift/kueue-fbc catalogs and red-hat-data-services/RHOAI-Build-Config (channels, versions); installModes of
the bundles' CSVs; facts of Kueue, section 1, and of OpenShift AI, section 1.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence, Set

from generator.finding import Finding, Layer, Severity
from generator.frozen import replace
from generator.manifest import Manifest
from generator.releases import load
from generator.releases.installable import Wanted, channels, csv_doubt
from generator.releases.model import Operator
from generator.spelling import remedy
from generator.validate import kinds
from generator.validate.cluster import Cluster, namespace_of, related
from generator.validate.effects import is_written
from generator.validate.operators import subscribed
from generator.validate.shape import get, text, texts

_ALL = "AllNamespaces"
_SOME = frozenset(("OwnNamespace", "SingleNamespace", "MultiNamespace"))


def check(cluster: Cluster) -> Iterator[Finding]:
    """Yield what OLM would not find, or not install so; the plan's own Subscriptions are judged with their input."""
    target = cluster.target
    wanted = Wanted(target.openshift_ai, target.kueue, target.openshift)
    for name, subscription in subscribed(cluster).items():
        operator = load.operator(name)
        if is_written(cluster, subscription):
            yield from unknown_channel(cluster, operator, subscription, wanted)
            yield from unknown_csv(cluster, operator, subscription, wanted)
        if operator.install_modes:
            yield from operator_group_targets(cluster, operator, subscription)


def unknown_channel(cluster: Cluster, operator: Operator, subscription: Manifest, wanted: Wanted) -> Iterator[Finding]:
    """A channel holds the release. Of operators whose channels are no release's, a vendor may have added some."""
    channel, (_, known) = text(subscription.body, "spec", "channel"), channels(operator, wanted)
    if not channel or not operator.channels_by or channel in known:
        return
    of_target = " that holds the target release" if channel in operator.channels else ""
    yield cluster.finding(
        subscription,
        "unknown-channel",
        Layer.READINESS,
        f"{operator.title} has no channel {channel}{of_target}",
        remedy(channel, known, "known channels are"),
        "spec.channel",
    )


def unknown_csv(cluster: Cluster, operator: Operator, subscription: Manifest, wanted: Wanted) -> Iterator[Finding]:
    """A startingCSV is in the channel's catalog; of a channel of one release that release counts, not the target."""
    csv = text(subscription.body, "spec", "startingCSV")
    doubt = csv_doubt(operator, csv, _of_channel(operator, subscription, wanted)) if csv else None
    if doubt:
        yield cluster.finding(
            subscription,
            "unknown-csv",
            Layer.READINESS,
            doubt.message,
            doubt.fix,
            "spec.startingCSV",
            severity=Severity.ERROR if doubt.is_certain else Severity.WARNING,
        )


def _of_channel(operator: Operator, subscription: Manifest, wanted: Wanted) -> Wanted:
    """Return the releases with that of the channel, where the channel is of one alone."""
    channel = text(subscription.body, "spec", "channel")
    held = [v for v, names in operator.channels_by.get(operator.id, {}).items() if channel in names]
    if len(held) != 1:
        return wanted
    if operator.id == "kueue":
        return replace(wanted, kueue=load.kueue(held[0]))
    return replace(wanted, openshift_ai=load.openshift_ai(held[0]))


def operator_group_targets(cluster: Cluster, operator: Operator, subscription: Manifest) -> Iterator[Finding]:
    """An operator fails in a group of namespaces for which its CSV cannot be installed."""
    for group in cluster.of(kinds.OPERATOR_GROUP):
        named = [space for space in texts(group.body, "spec", "targetNamespaces") if space]
        is_its_own = namespace_of(group) == namespace_of(subscription)
        if is_its_own and _modes(group, named).isdisjoint(operator.install_modes):
            yield cluster.finding(
                group,
                "operator-group-targets",
                Layer.READINESS,
                f"the OperatorGroup is for {_targets(group, named)}, and {operator.title} supports "
                f"{' and '.join(operator.install_modes)} alone: OLM never installs it (UnsupportedOperatorGroup)",
                "remove targetNamespaces and selector: leave spec empty"
                if _ALL in operator.install_modes
                else f"write targetNamespaces: [{namespace_of(group)}]",
                _path(group, named),
                related=[related(subscription, "spec.name", f"Subscription {operator.package}")],
            )


def _modes(group: Manifest, named: Sequence[str]) -> Set[str]:
    """Return the install modes of which a CSV has to support one. Source: OLM docs/design/operatorgroups.md."""
    if len(named) > 1:
        return {"MultiNamespace"}
    if named:
        return {"OwnNamespace"} if named[0] == namespace_of(group) else {"SingleNamespace"}
    return _SOME if get(group.body, "spec", "selector") else {_ALL}


def _targets(group: Manifest, named: Sequence[str]) -> str:
    if named:
        return ", ".join(named)
    return "selected namespaces" if get(group.body, "spec", "selector") else "all namespaces"


def _path(group: Manifest, named: Sequence[str]) -> str:
    if named:
        return "spec.targetNamespaces"
    return "spec.selector" if get(group.body, "spec", "selector") else "spec"
