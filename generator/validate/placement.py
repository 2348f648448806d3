"""Where flavors lead: which pools they select, and which pods Kueue lets through to them.

Source: kubernetes-sigs/kueue pkg/scheduler/flavorassigner/flavorassigner.go (checkFlavorForPodSets, flavorSelector) and
pkg/controller/jobframework/tas.go (NewPodSetTopologyRequest); facts of Kueue, section 5.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from generator.frozen import dataclass
from generator.manifest import Manifest
from generator.validate import kinds
from generator.validate.cluster import Cluster, NodePool, name_of
from generator.validate.pods import Pods
from generator.validate.shape import mapping, mappings, text
from generator.validate.syntax import expression_holds

BLOCKING = ("NoSchedule", "NoExecute")
_BY_LEVEL = tuple(f"kueue.x-k8s.io/podset-{how}-topology" for how in ("required", "preferred", "slice-required"))
_UNCONSTRAINED = "kueue.x-k8s.io/podset-unconstrained-topology"
Marks = Sequence[Mapping[str, Any]]


@dataclass(frozen=True, slots=True)
class FlavorPlace:
    """A ResourceFlavor: the pools whose labels it selects, and of these the ones whose taints it tolerates.

    `levels` are those of its topology, None where it has none or that is not known.
    """

    manifest: Manifest
    name: str
    labels: Mapping[str, Any]
    taints: Marks
    tolerations: Marks
    topology: str
    levels: Sequence[str] | None
    matched: tuple[NodePool, ...]
    reached: tuple[NodePool, ...]

    def untolerated(self, pods: Pods) -> Mapping[str, Any] | None:
        """Return a nodeTaint that neither the pod nor the flavor tolerates, or None."""
        return first_untolerated(self.taints, (*self.tolerations, *pods.tolerations))


def read_flavors(cluster: Cluster) -> dict[str, FlavorPlace]:
    """Return all flavors by name."""
    levels = {
        name_of(m): [text(level, "nodeLabel") for _, level in mappings(m.body, "spec", "levels")]
        for m in reversed(cluster.of(kinds.TOPOLOGY))
    }
    return {name_of(m): _read(m, cluster.pools, levels) for m in reversed(cluster.of(kinds.RESOURCE_FLAVOR))}


def _read(manifest: Manifest, pools: Iterable[NodePool], levels: Mapping[str, Sequence[str]]) -> FlavorPlace:
    spec = mapping(manifest.body, "spec")
    labels = mapping(spec, "nodeLabels")
    taints = [taint for _, taint in mappings(spec, "nodeTaints")]
    tolerations = [toleration for _, toleration in mappings(spec, "tolerations")]
    matched = tuple(pool for pool in pools if _selects(labels, pool))
    reached = tuple(pool for pool in matched if first_untolerated(pool.taints, tolerations) is None)
    topology = text(spec, "topologyName")
    name, known = name_of(manifest), levels.get(topology)
    return FlavorPlace(manifest, name, labels, taints, tolerations, topology, known, matched, reached)


def _selects(labels: Mapping[str, Any], pool: NodePool) -> bool:
    return all(pool.may_carry(key, value) for key, value in labels.items())


def first_untolerated(taints: Iterable[Mapping[str, Any]], tolerations: Marks) -> Mapping[str, Any] | None:
    """Return the first taint that keeps pods away and is not tolerated, or None; PreferNoSchedule keeps nobody away."""
    for taint in taints:
        if text(taint, "effect") in BLOCKING and not any(tolerates(t, taint) for t in tolerations):
            return taint
    return None


def tolerates(toleration: Mapping[str, Any], taint: Mapping[str, Any]) -> bool:
    """Whether a toleration covers a taint. Source: k8s.io/api/core/v1 toleration.go, ToleratesTaint."""
    effect, key = text(toleration, "effect"), text(toleration, "key")
    if (effect and effect != text(taint, "effect")) or (key and key != text(taint, "key")):
        return False
    operator = text(toleration, "operator") or "Equal"
    if operator == "Exists":
        return True
    return bool(key) and operator == "Equal" and text(toleration, "value") == text(taint, "value")


def node_affinity_fits(flavor: FlavorPlace, siblings: Iterable[FlavorPlace], pods: Pods, labels_of: str) -> bool:
    """Whether Kueue takes the flavor for pods with their node selector and required affinity.

    `labels_of` says whose label keys count: "group" (all flavors of the resource group) or "flavor" (its own).
    """
    keys = set(flavor.labels)
    if labels_of == "group":
        keys.update(*(sibling.labels for sibling in siblings))
    if any(key in keys and flavor.labels.get(key) != value for key, value in pods.selector.items()):
        return False
    terms = [[e for e in term if text(e, "key") in keys] for term in pods.terms]
    if not terms or not all(terms):
        return True
    return any(all(expression_holds(e, flavor.labels) for e in term) for term in terms)


def topology_defect(flavor: FlavorPlace, pods: Pods, *, is_mixed: bool, is_counted: bool) -> str | None:
    """Return why Kueue passes over the flavor for what the pods ask of a topology, or None.

    `is_mixed` tells that some flavors of the queue have a topology and some have none. Where no resource of the pods
    `is_counted` (all that is taken is their number), a flavor without one goes with any request.
    """
    if pods.annotations is None:
        return None
    asked = [str(pods.annotations[key]) for key in _BY_LEVEL if key in pods.annotations]
    if not asked and _UNCONSTRAINED not in pods.annotations:
        if flavor.topology and is_mixed:
            return f"asks for no topology, and flavor {flavor.name} takes only pods that do, beside others without one"
        return None
    if not flavor.topology:
        return f"asks for a topology, and flavor {flavor.name} has no topologyName" if is_counted else None
    lacking = [level for level in asked if flavor.levels is not None and level not in flavor.levels]
    if lacking:
        known = f"topology {flavor.topology} of flavor {flavor.name} has {', '.join(flavor.levels or ())}"
        return f"asks for topology level {lacking[0]}, and {known}"
    return None
