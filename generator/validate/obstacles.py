"""Why a queue could never admit given pods, whatever else runs: the scheduler's tests against an empty cluster.

Source: kubernetes-sigs/kueue pkg/scheduler/flavorassigner/flavorassigner.go and tas_flavorassigner.go
(checkPodSetAndFlavorMatchForTAS), pkg/cache/scheduler/tas_flavor_snapshot.go (HasLevel); facts of Kueue, sections 5, 6.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from generator.frozen import dataclass, replace
from generator.quantity import UNIT, Amount
from generator.validate.cluster import Cluster, NodePool
from generator.validate.placement import FlavorPlace, node_affinity_fits, topology_defect
from generator.validate.pods import Pods
from generator.validate.queues import Flavor, Group, Queue, Queues
from generator.validate.status import has_topologies
from generator.validate.wording import shown

NOT_COVERED, ABOVE_QUOTA, ABOVE_NODE = "resource-not-covered", "request-above-quota", "pod-above-node"
NOT_TOLERATED, NOT_SELECTED, TOPOLOGY = "flavor-taint-not-tolerated", "flavor-not-selected", "flavor-topology-mismatch"
_NO_QUOTA = "no quota"
_TELLING = (NOT_COVERED, NOT_TOLERATED, NOT_SELECTED, _NO_QUOTA, TOPOLOGY, ABOVE_QUOTA, ABOVE_NODE)
_PODS = "pods"
_NO_REQUEST: Mapping[str, str] = {}


@dataclass(frozen=True, slots=True)
class Obstacle:
    """What stands in the way: `asked` and `most` are amounts of the resource, 0 where it is no matter of size.

    `why` is what the pods' and the flavor's topology have against each other; `path` leads to the pods, or to those
    that ask for most.
    """

    rule: str
    queue: str
    resource: str
    asked: Amount = 0
    most: Amount = 0
    flavor: str = ""
    why: str = ""
    path: str = ""

    @property
    def is_of_place(self) -> bool:
        """Whether pods ask for other nodes than the flavor's, not for too much."""
        return self.rule in (NOT_TOLERATED, NOT_SELECTED)

    def rank(self) -> tuple[int, Amount]:
        """Return how far the scheduler came, and how much there was: the highest tells most."""
        has_none = self.rule == ABOVE_QUOTA and not self.most
        return _TELLING.index(_NO_QUOTA if has_none else self.rule), self.most

    def says(self) -> str:
        """Return the rest of a sentence that begins with who asks."""
        asked, most = shown(self.resource, self.asked), shown(self.resource, self.most)
        match self.rule:
            case "resource-not-covered":
                return f"asks for {self.resource}, which queue {self.queue} does not cover: it is never admitted"
            case "request-above-quota":
                return (
                    f"asks for {asked} of {self.resource}, and the largest request that queue {self.queue} can ever "
                    f"admit is {most}"
                )
            case "pod-above-node":
                return (
                    f"asks for {asked} of {self.resource} in one pod, and the largest node that flavor {self.flavor} "
                    f"leads to has {most}"
                )
            case "flavor-taint-not-tolerated":
                return f"does not tolerate the nodeTaints of flavor {self.flavor}, so queue {self.queue} never takes it"
            case "flavor-topology-mismatch":
                return f"{self.why}: queue {self.queue} never admits it"
        return f"selects nodes that no flavor of queue {self.queue} stands for"


class Judge:
    """Tells what keeps pods from ever being admitted."""

    def __init__(self, cluster: Cluster, queues: Queues, places: Mapping[str, FlavorPlace]) -> None:
        self.tree, self.places = queues.tree, places
        self.has_pools = bool(cluster.pools)
        kueue = cluster.target.kueue
        self.keys_of = kueue.affinity_labels if kueue else "flavor"
        self.zeros_count = kueue is not None and kueue.zero_requests_count
        self.has_topologies = has_topologies(cluster.target)
        self.mixed = {q.name for q in queues.all if len({bool(p.topology) for p in _places(q, places)}) > 1}
        self._of_profiles = None if cluster.whole else _NO_REQUEST  # of an environment a policy says so
        self.incomplete = {q.name for q in queues.all if any(name not in places for name in q.flavor_names)}
        self._single: dict[int, Asked] = {}

    def ask(self, pods: Sequence[Pods]) -> Asked:
        """Return pods that are to be admitted together, to be judged queue by queue."""
        return Asked(self, pods)

    def ask_one(self, amounts: Mapping[str, Amount]) -> Asked:
        """Return one pod that asks for amounts; a profile that stands in many namespaces shares its amounts."""
        if id(amounts) not in self._single:
            nonzero = {name: asked for name, asked in amounts.items() if asked}
            self._single[id(amounts)] = self.ask([Pods(1, nonzero, "", annotations=self._of_profiles)])
        return self._single[id(amounts)]


def _places(queue: Queue, places: Mapping[str, FlavorPlace]) -> Iterator[FlavorPlace]:
    return (places[name] for name in queue.flavor_names if name in places)


class Asked:
    """Pods that are to be admitted together; what holds of a flavor in every queue is found out once."""

    def __init__(self, judge: Judge, pods: Sequence[Pods]) -> None:
        self._judge = judge
        counted = [replace(each, amounts={**each.amounts, _PODS: UNIT}) for each in pods]
        self._wanted = [(each, _wanted(each), _Flavors(judge, each)) for each in counted]
        self._known: dict[int, Obstacle | None] = {}

    def obstacle(self, queue: Queue) -> Obstacle | None:
        """Return the most telling reason why a queue never admits the pods, or None where it might.

        A queue that names a missing flavor is left alone: it admits nobody, and that is said of the queue.
        """
        if id(queue) not in self._known:
            self._known[id(queue)] = self._obstacle(queue)
        return self._known[id(queue)]

    def _obstacle(self, queue: Queue) -> Obstacle | None:
        if queue.name in self._judge.incomplete:
            return None
        for pods, wanted, flavors in self._wanted:
            if self._judge.zeros_count and (zero := _uncovered_zero(pods, queue)):
                return Obstacle(NOT_COVERED, queue.name, zero, path=pods.path)
            groups: dict[int, tuple[Group, list[str]]] = {}
            for resource in (*wanted, _PODS) if _PODS in queue.by_resource else wanted:
                group = queue.by_resource.get(resource)
                if group is None:
                    return Obstacle(NOT_COVERED, queue.name, resource, pods.amounts[resource], path=pods.path)
                groups.setdefault(id(group), (group, []))[1].append(resource)
            for group, names in groups.values():
                if found := self._of_group(pods, flavors, queue, group, names):
                    return replace(found, path=_place(found, pods))
        return self._together(queue) if len(self._wanted) > 1 else None

    def _of_group(
        self, pods: Pods, flavors: _Flavors, queue: Queue, group: Group, wanted: Sequence[str]
    ) -> Obstacle | None:
        """Kueue takes one flavor for all resources of a group: one that lets the pods in is enough."""
        found: list[Obstacle] = []
        for flavor in group.flavors:
            obstacle = (
                flavors.bars(flavor, queue, group, wanted)
                or self._of_quota(pods, queue, flavor, wanted)
                or flavors.too_small(flavor, queue, wanted)
            )
            if obstacle is None:
                return None
            found.append(obstacle)
        return max(found, key=Obstacle.rank, default=None)

    def _of_quota(self, pods: Pods, queue: Queue, flavor: Flavor, wanted: Sequence[str]) -> Obstacle | None:
        for resource in wanted:
            asked, most = pods.total(resource), self._judge.tree.potential(queue.name, (flavor.name, resource))
            if asked > most:
                return Obstacle(ABOVE_QUOTA, queue.name, resource, asked, most, flavor.name)
        return None

    def _together(self, queue: Queue) -> Obstacle | None:
        """Pods of several kinds may take several flavors, yet together no more than all of these hold."""
        for group in queue.groups:
            for resource in group.resources:
                asked = sum(pods.total(resource) for pods, _, _ in self._wanted)
                most = sum(self._judge.tree.potential(queue.name, (f.name, resource)) for f in group.flavors)
                if asked > most:
                    path = max((pods for pods, _, _ in self._wanted), key=lambda pods: pods.total(resource)).path
                    return Obstacle(ABOVE_QUOTA, queue.name, resource, asked, most, path=path)
        return None


def _place(found: Obstacle, pods: Pods) -> str:
    """Return what of pods an obstacle is about: what they ask of a topology, what places them, or their resources."""
    template = pods.path.removesuffix(".spec.containers")
    if found.rule == TOPOLOGY and template != pods.path:
        return f"{template}.metadata.annotations"
    return (found.is_of_place and pods.chosen) or pods.path


def _wanted(pods: Pods) -> list[str]:
    return [name for name, asked in pods.amounts.items() if asked and name != _PODS]


def _uncovered_zero(pods: Pods, queue: Queue) -> str | None:
    zeros = (name for name, asked in pods.amounts.items() if not asked)
    return next((name for name in zeros if name not in queue.by_resource), None)


class _Flavors:
    """What of a pod's way through a flavor does not depend on the queue: taints, labels and the size of nodes."""

    def __init__(self, judge: Judge, pods: Pods) -> None:
        self._judge, self._pods = judge, pods
        self._selects = bool(pods.selector or pods.terms)
        self._untolerated: dict[str, bool] = {}
        self._short: dict[tuple[str, ...], tuple[str, Amount] | None] = {}

    def bars(self, flavor: Flavor, queue: Queue, group: Group, wanted: Sequence[str]) -> Obstacle | None:
        """Return that the pods do not tolerate or select what the flavor stands for, or not by its topology."""
        place = self._judge.places[flavor.name]
        if self._judge.has_topologies:
            is_mixed, is_counted = queue.name in self._judge.mixed, wanted != [_PODS]
            if why := topology_defect(place, self._pods, is_mixed=is_mixed, is_counted=is_counted):
                return Obstacle(TOPOLOGY, queue.name, wanted[0], flavor=flavor.name, why=why)
        if flavor.name not in self._untolerated:
            self._untolerated[flavor.name] = place.untolerated(self._pods) is not None
        if self._untolerated[flavor.name]:
            return Obstacle(NOT_TOLERATED, queue.name, wanted[0], flavor=flavor.name)
        if self._selects:
            siblings = [self._judge.places[f.name] for f in group.flavors]
            if not node_affinity_fits(place, siblings, self._pods, self._judge.keys_of):
                return Obstacle(NOT_SELECTED, queue.name, wanted[0], flavor=flavor.name)
        return None

    def too_small(self, flavor: Flavor, queue: Queue, wanted: Sequence[str]) -> Obstacle | None:
        """Return that one pod fits on no node that the flavor leads to."""
        pools = self._judge.places[flavor.name].reached if self._judge.has_pools else ()
        key = (flavor.name, *wanted)
        if key not in self._short:
            self._short[key] = _short_of(self._pods, pools, wanted)
        if (short := self._short[key]) is None:
            return None
        return Obstacle(ABOVE_NODE, queue.name, short[0], self._pods.amounts[short[0]], short[1], flavor.name)


def _short_of(pods: Pods, pools: Sequence[NodePool], wanted: Sequence[str]) -> tuple[str, Amount] | None:
    """Return the resource, and the most of it on a node, of which no node has enough for one pod.

    What no node offers at all is said of the quota, not of who asks for it.
    """
    offered = [name for name in wanted if any(name in pool.allocatable for pool in pools)]
    short = [_first_short(pods, pool, offered) for pool in pools]
    if not short or not all(short):
        return None
    name = max((found for found in short if found), key=lambda name: (name not in ("cpu", "memory"), name))
    return name, max(pool.allocatable.get(name, 0) for pool in pools)


def _first_short(pods: Pods, pool: NodePool, names: Sequence[str]) -> str | None:
    """Return the first resource that one node of the pool has too little of, accelerators before the rest."""
    order = sorted(names, key=lambda name: name in ("cpu", "memory", "ephemeral-storage"))
    return next((name for name in order if pods.amounts[name] > pool.allocatable.get(name, 0)), None)


def leftovers(pods: Pods, place: FlavorPlace) -> Iterator[tuple[str, Amount, Amount]]:
    """Yield accelerator, amount per pod and per node where pods of that size leave a part of every node unused."""
    for name, asked in pods.amounts.items():
        if name in ("cpu", "memory", "ephemeral-storage") or not asked:
            continue
        sizes = {pool.allocatable[name] for pool in place.reached if pool.allocatable.get(name)}
        if sizes and all(size >= asked and size % asked for size in sizes):
            yield name, asked, max(sizes)
