"""Why a queue could never admit given pods, whatever else runs: the scheduler's tests against an empty cluster.

Source: kubernetes-sigs/kueue pkg/scheduler/flavorassigner/flavorassigner.go; facts of Kueue, sections 5 and 6.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from generator.quantity import Amount
from generator.validate.cluster import Cluster, NodePool
from generator.validate.placement import FlavorPlace, node_affinity_fits
from generator.validate.pods import Pods
from generator.validate.queues import Flavor, Group, Queue, Queues
from generator.validate.wording import shown

NOT_COVERED, ABOVE_QUOTA, ABOVE_NODE = "resource-not-covered", "request-above-quota", "pod-above-node"
NOT_TOLERATED, NOT_SELECTED = "flavor-taint-not-tolerated", "flavor-not-selected"
_TELLING = (NOT_COVERED, NOT_TOLERATED, NOT_SELECTED, ABOVE_QUOTA, ABOVE_NODE)


@dataclass(frozen=True, slots=True)
class Obstacle:
    """What stands in the way: `asked` and `most` are amounts of the resource, 0 where it is no matter of size."""

    rule: str
    queue: str
    resource: str
    asked: Amount = 0
    most: Amount = 0
    flavor: str = ""

    def rank(self) -> tuple[int, Amount]:
        """Return how far the scheduler came, and how much there was: the highest tells most."""
        return _TELLING.index(self.rule), self.most

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
        return f"selects nodes that no flavor of queue {self.queue} stands for"


class Judge:
    """Tells what keeps pods from ever being admitted; remembers what it has found out about flavors."""

    def __init__(self, cluster: Cluster, queues: Queues, places: Mapping[str, FlavorPlace]) -> None:
        self._queues, self._places = queues, places
        self._has_pools = bool(cluster.pools)
        self._keys_of = cluster.target.kueue.affinity_labels if cluster.target.kueue else "flavor"

    def obstacle(self, pods: Sequence[Pods], queue: Queue) -> Obstacle | None:
        """Return the most telling reason why a queue never admits the pods together, or None where it might.

        A queue that names a missing flavor is left alone: it admits nobody, and that is said of the queue.
        """
        if any(flavor.name not in self._places for flavor in queue.flavors):
            return None
        for each in pods:
            for resource, asked in each.amounts.items():
                if asked and queue.group_of(resource) is None:
                    return Obstacle(NOT_COVERED, queue.name, resource, asked)
            for group in queue.groups:
                if found := self._of_group(each, queue, group):
                    return found
        return self._of_all(pods, queue)

    def _of_group(self, pods: Pods, queue: Queue, group: Group) -> Obstacle | None:
        wanted = [name for name in group.resources if pods.amounts.get(name)]
        if not wanted:
            return None
        found: list[Obstacle] = []
        for flavor in group.flavors:
            obstacle = self._of_flavor(pods, queue, group, flavor, wanted)
            if obstacle is None:
                return None
            found.append(obstacle)
        return max(found, key=Obstacle.rank, default=None)

    def _of_flavor(
        self, pods: Pods, queue: Queue, group: Group, flavor: Flavor, wanted: Sequence[str]
    ) -> Obstacle | None:
        place = self._places[flavor.name]
        if place.untolerated(pods):
            return Obstacle(NOT_TOLERATED, queue.name, wanted[0], flavor=flavor.name)
        if pods.selector or pods.terms:
            siblings = [self._places[f.name] for f in group.flavors]
            if not node_affinity_fits(place, siblings, pods, self._keys_of):
                return Obstacle(NOT_SELECTED, queue.name, wanted[0], flavor=flavor.name)
        for resource in wanted:
            asked, most = pods.total(resource), self._queues.tree.potential(queue.name, (flavor.name, resource))
            if asked > most:
                return Obstacle(ABOVE_QUOTA, queue.name, resource, asked, most, flavor.name)
        if self._has_pools and place.reached:
            return _above_node(pods, queue, flavor, place.reached, wanted)
        return None

    def _of_all(self, pods: Sequence[Pods], queue: Queue) -> Obstacle | None:
        """Pods of several kinds may take several flavors, yet together no more than all of these hold."""
        if len(pods) < 2:
            return None
        for group in queue.groups:
            for resource in group.resources:
                asked = sum(each.total(resource) for each in pods)
                most = sum(self._queues.tree.potential(queue.name, (f.name, resource)) for f in group.flavors)
                if asked > most:
                    return Obstacle(ABOVE_QUOTA, queue.name, resource, asked, most)
        return None


def _above_node(
    pods: Pods, queue: Queue, flavor: Flavor, pools: Sequence[NodePool], wanted: Sequence[str]
) -> Obstacle | None:
    """Return what of a pod fits on no node; what no node offers at all is said of the quota, not of who asks for it."""
    offered = [name for name in wanted if any(name in pool.allocatable for pool in pools)]
    short = [_short(pods, pool, offered) for pool in pools]
    if not all(short):
        return None
    name = max((found for found in short if found), key=lambda name: (name not in ("cpu", "memory"), name))
    most = max(pool.allocatable.get(name, 0) for pool in pools)
    return Obstacle(ABOVE_NODE, queue.name, name, pods.amounts[name], most, flavor.name)


def _short(pods: Pods, pool: NodePool, names: Sequence[str]) -> str | None:
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
