"""All that a live cluster says to an expectation."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from generator.finding import Finding, Layer, Severity, in_order
from generator.preflight import foreign, nodes, operators, quotas, removed
from generator.preflight import kinds as served
from generator.preflight.expected import Expected
from generator.preflight.live import ANY, SUBSCRIPTION, VERSION_OF_OPERATOR, Live, finding
from generator.preflight.quotas import After
from generator.validate import kinds
from generator.validate.kinds import Kind

CLAIM: Kind = ("", "PersistentVolumeClaim")
POD: Kind = ("", "Pod")
WORKLOAD: Kind = ("kueue.x-k8s.io", "Workload")
UNCHECKED: Mapping[Kind, str] = {
    kinds.NODE: "whether the nodes carry what is guaranteed on them",
    SUBSCRIPTION: "which operators are installed, and from which channel",
    VERSION_OF_OPERATOR: "which operators are installed, and whether they have failed",
    kinds.CLUSTER_QUEUE: "what is admitted, and whether a queue that would go is in use",
    kinds.COHORT: "what queues can borrow",
    kinds.LOCAL_QUEUE: "whether a LocalQueue that would go is in use, or would have to change its ClusterQueue",
    kinds.RESOURCE_FLAVOR: "whether a flavor that would go is in use, or cannot be changed",
    kinds.TOPOLOGY: "whether a topology cannot be changed",
    kinds.NAMESPACE: "whether a namespace that would go is in use",
    kinds.HARDWARE_PROFILE: "whether a hardware profile that would go is in use",
    kinds.NOTEBOOK: "whether a hardware profile that would go is in use",
    kinds.INFERENCE_SERVICE: "whether a hardware profile that would go is in use",
    kinds.LLM_INFERENCE_SERVICE: "whether a hardware profile that would go is in use",
    kinds.DATA_SCIENCE_CLUSTER: "whether OpenShift AI runs a Kueue of its own",
    operators.DEPLOYMENT: "whether OpenShift AI runs a Kueue of its own",
    POD: "whether a namespace that would go still runs pods",
    CLAIM: "whether a namespace that would go still has volumes",
    WORKLOAD: "whether a namespace that would go still has workloads",
}


def compare(expected: Expected, live: Live, *, allow_unread: bool = False) -> list[Finding]:
    """Return the findings in order; where only nodes were given, only what they tell.

    What could not be read is an error, for a gate that did not look must not open; with `allow_unread` a warning.
    """
    after = After(expected, live)
    found = list(quotas.promises(expected, live, after))
    short = {f.object.name for f in found if f.object}
    found += nodes.check(expected, live, short)
    if live.is_online:
        found += [
            *served.check(expected, live),
            *operators.check(expected, live),
            *quotas.shrinks(expected, live, after),
            *removed.check(expected, live),
            *removed.unchangeable(expected, live),
            *foreign.check(expected, live, after),
            *_unread(live, allow_unread),
            *_elsewhere(expected, live),
        ]
    return in_order(found)


def _elsewhere(expected: Expected, live: Live) -> Iterator[Finding]:
    """Yield whether another address was asked than the environment names: a wrong cluster looks like a broken one."""
    if expected.server and live.server and expected.server.rstrip("/").lower() != live.server.rstrip("/").lower():
        yield finding(
            "another-server",
            Severity.WARNING,
            f"this is {live.server}, and environment {expected.environment} is on {expected.server}",
            "see that it is the same cluster: --kubeconfig and --context choose it",
            layer=Layer.INPUT,
            location=expected.place("Environment", expected.environment),
        )


def _unread(live: Live, allow_unread: bool) -> list[Finding]:
    by_reason: dict[tuple[str, str], list[str]] = {}
    for kind, why in sorted(live.unread.items()):
        unchecked = UNCHECKED.get(kind, "whether what the tree has of them is served")
        name = f"the kinds of {kind[0]}" if kind[1] == ANY else kind[1]
        by_reason.setdefault((unchecked, why), []).append(name)
    return [
        finding(
            "not-read",
            Severity.WARNING if allow_unread else Severity.ERROR,
            f"could not read {', '.join(names)}: {why}; so it was not checked {unchecked}",
            "give the account get and list on it (docs/preflight.md has the ClusterRole), or say --allow-unread",
            layer=Layer.READINESS,
        )
        for (unchecked, why), names in by_reason.items()
    ]
