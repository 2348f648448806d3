"""Flavors against nodes: does each lead somewhere, tolerate what keeps pods away, and share no node with another.

Source: facts of faults A11, A13, A15 to A19.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from itertools import islice

from generator.finding import Finding, Layer, Related, Severity
from generator.quantity import Amount
from generator.spelling import near
from generator.validate import kinds
from generator.validate.cluster import Cluster, NodePool, related
from generator.validate.placement import FlavorPlace, first_untolerated
from generator.validate.profiles import read_profiles
from generator.validate.queues import Queues
from generator.validate.shape import mappings, text
from generator.validate.status import remote_flavors
from generator.validate.wording import MOST_NAMED, shown, some


def check(cluster: Cluster, queues: Queues, places: Mapping[str, FlavorPlace]) -> Iterator[Finding]:
    """Yield flavors that lead nowhere, overlap, or promise what nodes do not have."""
    nominal = _nominal(queues)
    by_flavor: dict[str, dict[str, Amount]] = {}
    for (flavor, resource), amount in nominal.items():
        by_flavor.setdefault(flavor, {})[resource] = amount
    profiled, remote = _profiled(cluster, queues, places), remote_flavors(cluster, queues)
    elastic = {name for queue in queues.all if queue.checks for name in queue.flavor_names}
    for place in places.values():
        if cluster.pools and place.name not in remote:
            yield from flavor_without_nodes(cluster, place)
            if any(by_flavor.get(place.name, {}).values()):
                yield from taint_not_tolerated(cluster, place)
            yield from topology_level_missing(cluster, place)
            yield from resource_not_on_nodes(cluster, queues, place)
            if not cluster.whole:
                promised = by_flavor.get(place.name, {})
                yield from quota_above_nodes(cluster, place, promised, is_firm=place.name not in elastic)
        if place.name in profiled:
            yield from node_taints_not_tolerated(cluster, place, profiled[place.name])
    yield from flavors_on_same_nodes(cluster, places, by_flavor, elastic)


def _nominal(queues: Queues) -> dict[tuple[str, str], Amount]:
    """Return what all queues and cohorts are promised, by flavor and resource."""
    total: dict[tuple[str, str], Amount] = {}
    for key, amount in queues.promised():
        total[key] = total.get(key, 0) + amount
    return total


def _profiled(cluster: Cluster, queues: Queues, places: Mapping[str, FlavorPlace]) -> dict[str, str]:
    """Return the flavors, each with a Queue profile, that its workloads cannot use for their nodeTaints."""
    found: dict[str, str] = {}
    for profile in read_profiles(cluster):
        for queue in queues.of_profile(profile.local_queue, None if profile.is_shared else profile.namespace):
            for group in queue.groups:
                names = [flavor.name for flavor in group.flavors if flavor.name in places]
                if all(first_untolerated(places[name].taints, places[name].tolerations) for name in names):
                    found |= {name: found.get(name, profile.name) for name in names}
    return found


def flavor_without_nodes(cluster: Cluster, place: FlavorPlace) -> Iterator[Finding]:
    """The labels of a flavor are on nodes."""
    if place.matched or cluster.is_external(kinds.RESOURCE_FLAVOR, place.name):
        return
    for key, value in place.labels.items():
        values = sorted({pool.labels[key] for pool in cluster.pools if key in pool.labels})
        if not any(pool.may_carry(key, value) for pool in cluster.pools):
            named = some(values) or ("other values" if any(pool.has_label(key) for pool in cluster.pools) else "")
            known = f"nodes carry {named}" if named else "no node carries that label"
            spelling = near(str(value), values)
            yield cluster.finding(
                place.manifest,
                "flavor-without-nodes",
                Layer.READINESS,
                f"flavor {place.name} selects no node: {key} is {value}, and {known}. What it admits stays pending",
                f"write {spelling}" if spelling else "write the labels as the nodes carry them",
                f"spec.nodeLabels[{key}]",
                related=_pools(cluster.pools),
            )
            return
    yield cluster.finding(
        place.manifest,
        "flavor-without-nodes",
        Layer.READINESS,
        f"flavor {place.name} selects no node: none carries all of {some(place.labels)} with these values",
        "write the labels as one pool's nodes carry them",
        "spec.nodeLabels",
        related=_pools(cluster.pools),
    )


def taint_not_tolerated(cluster: Cluster, place: FlavorPlace) -> Iterator[Finding]:
    """A flavor tolerates the taints of the nodes that it selects: Kueue gives its tolerations to the pods."""
    if place.reached or not place.matched:
        return
    pool = place.matched[0]
    taint = first_untolerated(pool.taints, place.tolerations)
    assert taint is not None
    yield cluster.finding(
        place.manifest,
        "taint-not-tolerated",
        Layer.READINESS,
        f"flavor {place.name} does not tolerate the taint {_shown(taint)} of the nodes that it selects ({pool.name}): "
        "what it admits stays pending",
        f"add {_toleration(taint)} to spec.tolerations",
        "spec",
        related=[Related(pool.origin, f"nodes of {pool.name}")],
    )


def node_taints_not_tolerated(cluster: Cluster, place: FlavorPlace, profile: str) -> Iterator[Finding]:
    """nodeTaints demand a toleration of every workload, and a Queue profile cannot give one."""
    taint = first_untolerated(place.taints, place.tolerations)
    if taint:
        index = list(place.taints).index(taint)
        yield cluster.finding(
            place.manifest,
            "node-taint-as-toleration",
            Layer.READINESS,
            f"flavor {place.name} lists {_shown(taint)} in nodeTaints and does not tolerate it: each workload would "
            f"have to, and those of profile {profile} cannot",
            f"write {_toleration(taint)} in spec.tolerations instead",
            f"spec.nodeTaints[{index}]",
        )


def topology_level_missing(cluster: Cluster, place: FlavorPlace) -> Iterator[Finding]:
    """Each level of a flavor's topology is a label of its nodes."""
    topology = cluster.find(kinds.TOPOLOGY, place.topology) if place.topology else None
    if topology is None or not place.matched:
        return
    for index, level in mappings(topology.body, "spec", "levels"):
        label = text(level, "nodeLabel")
        bare = [pool.name for pool in place.matched if not pool.has_label(label)]
        if label and bare:
            yield cluster.finding(
                topology,
                "topology-level-missing",
                Layer.READINESS,
                f"topology {place.topology} has level {label}, a label that the nodes of flavor {place.name} "
                f"({some(bare)}) do not carry: Kueue finds no domain and admits nothing there",
                "name a label that the nodes carry, or label the nodes",
                f"spec.levels[{index}].nodeLabel",
                related=[related(place.manifest, "spec.topologyName", f"flavor {place.name}")],
            )


def resource_not_on_nodes(cluster: Cluster, queues: Queues, place: FlavorPlace) -> Iterator[Finding]:
    """Nodes offer the accelerators that a queue has quota for: a mixed MIG pool offers slices, no whole cards."""
    if not place.reached:
        return
    offered = {name for pool in place.reached for name in pool.allocatable if name not in kinds.CORE_RESOURCES}
    absent: dict[str, list[str]] = {}
    for queue in queues.all:
        for flavor in queue.flavors if place.name in queue.flavor_names else ():
            for name, quota in flavor.quotas.items() if flavor.name == place.name else ():
                if quota.nominal and name not in offered and name not in kinds.CORE_RESOURCES:
                    absent.setdefault(name, []).append(queue.name)
    for name, names in absent.items():
        queue = queues.by_name[names[0]]
        flavor = next(f for f in queue.flavors if f.name == place.name)
        yield cluster.finding(
            queue.manifest,
            "resource-not-on-nodes",
            Layer.READINESS,
            f"queue {some(names)} has quota for {name} of flavor {place.name}, whose nodes offer "
            f"{some(sorted(offered)) or 'no accelerators'}: what asks for it is admitted and stays pending",
            f"give quota for {some(sorted(offered))}" if offered else "take another flavor",
            f"{flavor.path}.resources[{list(flavor.quotas).index(name)}]",
            related=_pools(place.reached),
        )


def quota_above_nodes(
    cluster: Cluster, place: FlavorPlace, nominal: Mapping[str, Amount], *, is_firm: bool
) -> Iterator[Finding]:
    """What queues are promised, the nodes that can be used have. A compiled environment has the ledger for this.

    Cards that no node has, lost ones among them, are given out twice, unless nodes are made for what is admitted.
    """
    for name, promised in nominal.items():
        have = sum(pool.count * pool.allocatable.get(name, 0) for pool in place.reached)
        most = sum(pool.total * pool.allocatable.get(name, 0) for pool in place.reached)
        if have and promised > have and name not in ("pods",):
            lost = sum(pool.total - pool.count for pool in place.reached)
            why = f" ({lost} of its nodes cannot be used)" if lost else ""
            yield cluster.finding(
                place.manifest,
                "quota-above-nodes",
                Layer.READINESS,
                f"flavor {place.name}: queues are promised {shown(name, promised)} of {name} and its nodes have "
                f"{shown(name, have)}{why}: what is admitted beyond that stays pending",
                "lower nominalQuota, or bring the nodes back" if lost else "lower nominalQuota, or add nodes",
                "metadata.name",
                severity=Severity.ERROR if is_firm and promised > most and _is_card(name) else Severity.WARNING,
                related=_pools(place.reached),
            )


def flavors_on_same_nodes(
    cluster: Cluster,
    places: Mapping[str, FlavorPlace],
    by_flavor: Mapping[str, Mapping[str, Amount]],
    elastic: Set[str],
) -> Iterator[Finding]:
    """Two flavors that lead to the same nodes give the same cards twice: an error once these have fewer."""
    owned = {name: {n for n, amount in by_flavor.get(name, {}).items() if amount} for name in places}
    used = [place for place in reversed(list(places.values())) if owned[place.name]]  # as they were written
    for wide, overlapping in _overlaps(used, has_pools=bool(cluster.pools)):
        others = (other for other in overlapping if owned[wide.name] & owned[other.name])
        narrow = list(islice(others, MOST_NAMED + 1))  # thousands that are alike are no thousands of findings
        if not narrow:
            continue
        both = owned[wide.name] & owned[narrow[0].name]
        names = some(other.name for other in narrow[:MOST_NAMED]) + (" and more" if len(narrow) > MOST_NAMED else "")
        yield cluster.finding(
            wide.manifest,
            "flavors-on-same-nodes",
            Layer.READINESS,
            f"flavors {wide.name} and {names} lead to the same nodes, and have quota for {some(sorted(both))}: it is "
            "given out twice",
            f"give {wide.name} a label that the nodes of {names} do not carry",
            "spec",
            severity=Severity.ERROR if _is_beyond([wide, *narrow], by_flavor, elastic, both) else Severity.WARNING,
            related=[related(other.manifest, "spec", f"flavor {other.name}") for other in narrow[:MOST_NAMED]],
        )


def _is_beyond(
    flavors: Sequence[FlavorPlace],
    by_flavor: Mapping[str, Mapping[str, Amount]],
    elastic: Set[str],
    resources: Iterable[str],
) -> bool:
    """Whether flavors are promised more cards together than all of their nodes have."""
    pools = {pool.name: pool for flavor in flavors for pool in flavor.reached}.values()
    return bool(pools) and any(
        sum(by_flavor[flavor.name].get(name, 0) for flavor in flavors)
        > sum(pool.total * pool.allocatable.get(name, 0) for pool in pools)
        for name in resources
        if _is_card(name) and elastic.isdisjoint(flavor.name for flavor in flavors)
    )


def _is_card(resource: str) -> bool:
    return resource not in kinds.CORE_RESOURCES


def _overlaps(used: Iterable[FlavorPlace], *, has_pools: bool) -> Iterator[tuple[FlavorPlace, Iterator[FlavorPlace]]]:
    """Yield each flavor with those of no fewer labels that lead to nodes of its own, to be read before the next.

    Only those that share a pool, or the label of it that fewest carry, are compared: there may be thousands.
    """
    ordered = sorted(used, key=lambda place: len(place.labels))
    rank = {place.name: number for number, place in enumerate(ordered)}
    marked: dict[object, list[FlavorPlace]] = {}
    for place in ordered:
        for mark in _marks(place, has_pools=has_pools):
            marked.setdefault(mark, []).append(place)
    for wide in ordered:
        groups = [marked[mark] for mark in _marks(wide, has_pools=has_pools)]
        if has_pools:
            near = list({place.name: place for group in groups for place in group}.values())
        else:
            near = min(groups, key=len) if groups else ordered
        own = rank[wide.name]
        yield wide, (o for o in near if rank[o.name] > own and (has_pools or _overlap(wide, o)))


def _marks(place: FlavorPlace, *, has_pools: bool) -> list[object]:
    if has_pools:
        return [pool.name for pool in place.reached]
    return [(key, str(value)) for key, value in place.labels.items()]


def _overlap(one: FlavorPlace, other: FlavorPlace) -> bool:
    return _contains(one, other) or _contains(other, one)


def _contains(wide: FlavorPlace, narrow: FlavorPlace) -> bool:
    """Whether a flavor selects, by its labels, all nodes of another, and tolerates what that one has to."""
    tolerated = all(toleration in wide.tolerations for toleration in narrow.tolerations)
    return wide.labels.items() <= narrow.labels.items() and tolerated


def _pools(pools: Sequence[NodePool]) -> list[Related]:
    return [Related(pool.origin, f"nodes of {pool.name}") for pool in pools[:1]]


def _toleration(taint: Mapping[str, str]) -> str:
    return f"{{key: {text(taint, 'key')}, operator: Exists, effect: {text(taint, 'effect')}}}"


def _shown(taint: Mapping[str, str]) -> str:
    value = f"={text(taint, 'value')}" if text(taint, "value") else ""
    return f"{text(taint, 'key')}{value}:{text(taint, 'effect')}"
