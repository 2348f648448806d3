"""The live cluster as it was read: objects by kind, the kinds it serves, and what could not be read."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from generator.finding import Finding, Layer, Location, Severity
from generator.frozen import dataclass, field
from generator.manifest import Manifest
from generator.preflight.expected import Expected
from generator.validate.cluster import labels_of, name_of, namespace_of
from generator.validate.kinds import CLUSTER_QUEUE, HARDWARE_PROFILE, LOCAL_QUEUE, NAMESPACE, RESOURCE_FLAVOR, Kind

SUBSCRIPTION: Kind = ("operators.coreos.com", "Subscription")
VERSION_OF_OPERATOR: Kind = ("operators.coreos.com", "ClusterServiceVersion")
MANAGED_BY, ENVIRONMENT, TEAM = "app.kubernetes.io/managed-by", "apportion.dev/environment", "apportion.dev/team"
OF_TEAMS = "*"  # in `prunes`: of any team, but of one
ANY = "*"  # in `unread`: which kinds an apiVersion has
IN_USE_KINDS = (CLUSTER_QUEUE, LOCAL_QUEUE, RESOURCE_FLAVOR, NAMESPACE, HARDWARE_PROFILE)
LIVE = Location("<live cluster>")


@dataclass(slots=True, eq=False)
class Live:
    """What was read. `groups` maps an API group to its served versions, `served` an apiVersion to its kinds.

    `contents` are the pods, claims and workloads in namespaces that would go, by namespace; `unread` says why a kind
    could not be read. `is_online` is False where only nodes were given.
    """

    objects: dict[Kind, list[Manifest]] = field(default_factory=dict)
    groups: Mapping[str, Sequence[str]] = field(default_factory=dict)
    served: Mapping[str, frozenset[str]] = field(default_factory=dict)
    contents: dict[str, dict[str, int]] = field(default_factory=dict)
    unread: dict[Kind, str] = field(default_factory=dict)
    is_online: bool = True
    server: str | None = None

    def of(self, kind: Kind) -> Sequence[Manifest]:
        return self.objects.get(kind, ())

    def by_name(self, kind: Kind) -> dict[tuple[str, str], Manifest]:
        """Return the objects of a kind by namespace and name."""
        return {(namespace_of(m), name_of(m)): m for m in self.of(kind)}


def ours(found: Manifest, expected: Expected) -> bool:
    """Whether an object carries the labels of the environment, so that Argo CD has it from the tree."""
    labels = labels_of(found)
    return labels.get(MANAGED_BY) == "apportion" and labels.get(ENVIRONMENT) == expected.environment


def pruned(expected: Expected, live: Live, kind: Kind) -> Iterator[Manifest]:
    """Yield the live objects of a kind that a sync would remove: ours, and no longer in the tree."""
    teams = {team for name, team in expected.prunes if name == kind[1]}
    for found in live.of(kind):
        if ours(found, expected) and (kind, namespace_of(found), name_of(found)) not in expected.objects:
            team = labels_of(found).get(TEAM, "")
            if None in teams or team in teams or (OF_TEAMS in teams and team):
                yield found


def finding(
    rule: str,
    severity: Severity,
    message: str,
    fix: str,
    *,
    layer: Layer = Layer.CHANGE,
    location: Location | None = None,
    **more: Any,
) -> Finding:
    """Return what the cluster says to the tree; without an input line it stands in the live cluster."""
    return Finding(rule, severity, layer, message, location or LIVE, fix, **more)
