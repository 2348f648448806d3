"""Queues, cohorts and profiles of the Plan → the items that policies judge."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cached_property
from typing import Any

from generator.finding import ObjectRef
from generator.plan.amounts import is_percentage
from generator.plan.ledger import Ledger
from generator.plan.model import CPU, MEMORY, ClusterQueue, FlavorQuota, Offer, Plan, Pool
from generator.plan.model import Cohort as PlanCohort
from generator.policy import items as i
from generator.policy.model import Item
from generator.policy.sharing import Sharing, borrows, lends, may_borrow, may_lend, owns, queues
from generator.quantity import UNIT, parse

_EVERYWHERE = ("workbench", "model-serving")


class QueueItems:
    """The collections of one plan that are about sharing; `makers` makes each by its name."""

    def __init__(self, plan: Plan, ledger: Ledger) -> None:
        self._plan, self._ledger = plan, ledger
        self.makers: Mapping[str, Callable[[], Iterable[Item]]] = {
            "shares": self._shares,
            "queues": self._queues,
            "cohorts": self._cohorts,
            "profiles": self._profiles,
        }

    @property
    def workbench_profiles(self) -> list[str]:
        """The profiles that the dashboard offers for workbenches."""
        return [o.name for o in self._offers if _seen_by(o, "workbench") and not o.disabled]

    @cached_property
    def _sharing(self) -> Sharing:
        return Sharing(self._plan, self._ledger)

    @cached_property
    def _evicts(self) -> Mapping[str, list[str]]:
        return {queue.name: self._sharing.evicts(queue) for queue in queues(self._plan)}

    @cached_property
    def _offers(self) -> list[Offer]:
        """Hardware profiles, each once."""
        return list({profile.offer.name: profile.offer for profile in self._plan.profiles}.values())

    def _ref(self, kind: str, name: str, api: str) -> ObjectRef:
        return ObjectRef(self._plan.name, kind, name, None, api)

    def _shares(self) -> Iterator[Item]:
        plan = self._plan
        written = {
            f"{team['team']}-{queue['name']}": queue.get("quota") or {}
            for team in plan.given.quotas
            for queue in team.get("queues") or ()
        }
        for queue in queues(plan):
            for flavor in queue.flavors:
                share = written.get(queue.name, {}).get(flavor.flavor) or {}
                yield self._share("ClusterQueue", queue, flavor, share)
        cohorts = {cohort["name"]: cohort.get("quota") or {} for cohort in plan.given.cohorts}
        for cohort in plan.cohorts:
            for flavor in cohort.flavors:
                yield self._share("Cohort", cohort, flavor, cohorts[cohort.name].get(flavor.flavor) or {})

    def _share(self, kind: str, owner: ClusterQueue | PlanCohort, flavor: FlavorQuota, written: Any) -> Item:
        pool = self._plan.pools[flavor.flavor]
        is_queue = isinstance(owner, ClusterQueue)
        nominal = {quota.resource: quota.nominal for quota in flavor.resources}
        in_tree = (owner.cohort if isinstance(owner, ClusterQueue) else owner.parent) is not None
        data: i.Share = {
            "owner": owner.name,
            "kind": "queue" if is_queue else "cohort",
            "team": owner.team or "" if isinstance(owner, ClusterQueue) else "",
            "pool": pool.name,
            "accelerators": sum(nominal[resource] // UNIT for resource in pool.offers),
            "cpu": nominal.get(CPU, 0) / UNIT,
            "memory": nominal.get(MEMORY, 0) // UNIT,
            "hasAccelerators": bool(pool.offers),
            "borrows": in_tree and borrows(flavor),
            "lends": in_tree and lends(flavor),
            "zeros": list(_zeros(written, nominal, pool)),
        }
        return Item(data, flavor.origin, self._ref(kind, owner.name, self._plan.kueue.api))

    def _queues(self) -> Iterator[Item]:
        pools = self._plan.pools
        profiles: dict[str, list[str]] = {}
        for offer, led in self._led_to.items():
            for queue in led:
                profiles.setdefault(queue.name, []).append(offer)
        for queue in queues(self._plan):
            shares: list[i.QueueShare] = [
                {
                    "pool": flavor.flavor,
                    "vendor": pools[flavor.flavor].vendor,
                    "topology": pools[flavor.flavor].topology is not None,
                    "accelerators": _units(flavor, pools[flavor.flavor]),
                    "borrows": queue.cohort is not None and borrows(flavor),
                    "lends": queue.cohort is not None and lends(flavor),
                }
                for flavor in queue.flavors
            ]
            data: i.Queue = {
                "name": queue.name,
                "team": queue.team or "",
                "queue": queue.queue,
                "use": queue.use,
                "cohort": queue.cohort or "",
                "namespaces": list(queue.namespaces or ()),
                "shares": shares,
                "owns": any(map(owns, queue.flavors)),
                "borrows": may_borrow(queue),
                "lends": may_lend(queue),
                "evictedBy": self._evicts[queue.name],
                "profiles": profiles.get(queue.name, []),
                "preemption": {
                    "withinClusterQueue": queue.preemption.within_cluster_queue,
                    "reclaimWithinCohort": queue.preemption.reclaim_within_cohort,
                    "borrowWithinCohort": queue.preemption.borrow_within_cohort,
                },
                "strategy": queue.strategy,
                "stopPolicy": queue.stop_policy,
                "weighted": queue.weight is not None,
                "admissionChecks": list(queue.admission_checks),
            }
            yield Item(data, queue.origin, self._ref("ClusterQueue", queue.name, self._plan.kueue.api))

    def _cohorts(self) -> Iterator[Item]:
        for cohort in self._plan.cohorts:
            below = self._sharing.below(cohort)
            usable = {flavor.flavor for queue in below for flavor in queue.flavors}
            own = [flavor.flavor for flavor in cohort.flavors if owns(flavor)]
            data: i.Cohort = {
                "name": cohort.name,
                "parent": cohort.parent or "",
                "pools": own,
                "queues": [queue.name for queue in below],
                "unusable": [name for name in own if name not in usable],
                "weighted": cohort.weight is not None,
            }
            yield Item(data, cohort.origin, self._ref("Cohort", cohort.name, self._plan.kueue.api))

    @cached_property
    def _led_to(self) -> Mapping[str, list[ClusterQueue]]:
        """The queues to which each hardware profile may lead: of the LocalQueue's name, with the profile's pool."""
        known = {queue.name: queue for team in self._plan.teams for queue in team.queues}
        by_local: dict[str, dict[str, None]] = {}
        for team in self._plan.teams:
            for local in team.local_queues:
                by_local.setdefault(local.name, {})[local.cluster_queue] = None
        return {
            offer.name: [
                known[name]
                for name in by_local.get(offer.local_queue, ())
                if any(flavor.flavor == offer.pool for flavor in known[name].flavors)
            ]
            for offer in self._offers
        }

    def _profiles(self) -> Iterator[Item]:
        plan = self._plan
        for offer in self._offers:
            pool = plan.pools[offer.pool]
            data: i.Profile = {
                "name": offer.name,
                "pool": offer.pool,
                "vendor": pool.vendor,
                "topology": pool.topology is not None,
                "queue": offer.local_queue,
                "workbench": _seen_by(offer, "workbench"),
                "serving": _seen_by(offer, "model-serving"),
                "disabled": offer.disabled,
                "accelerators": accelerators(offer.requests),
                "mostAccelerators": accelerators(offer.limits),
                "unlimited": [part.identifier for part in offer.identifiers if part.max is None],
                "replicas": pool.sharing.replicas,
                "queues": [self._profile_queue(queue) for queue in self._led_to[offer.name]],
            }
            api = plan.openshift_ai.hardware_profile_api
            yield Item(data, offer.origin, self._ref("HardwareProfile", offer.name, api))

    def _profile_queue(self, queue: ClusterQueue) -> i.ProfileQueue:
        topologies = {self._plan.pools[flavor.flavor].topology is None for flavor in queue.flavors}
        return {
            "name": queue.name,
            "use": queue.use,
            "mixesTopology": len(topologies) > 1,
            "evictedBy": self._evicts[queue.name],
        }


def accelerators(amounts: Mapping[str, int]) -> int:
    """Return how many accelerators a pod asks for, whatever their resource is called."""
    return sum(amount // UNIT for resource, amount in amounts.items() if "/" in resource)


def _seen_by(offer: Offer, area: str) -> bool:
    """Whether the dashboard offers a profile there; one that names no area is offered everywhere."""
    return area in (offer.visible_to or _EVERYWHERE)


def _units(flavor: FlavorQuota, pool: Pool) -> int:
    return sum(flavor.nominal(resource) // UNIT for resource in pool.offers)


def _zeros(written: Mapping[str, Any], nominal: Mapping[str, int], pool: Pool) -> Iterator[str]:
    """Yield the percentages of a share that are more than nothing and round down to it."""
    for key, value in written.items():
        if key == "slices":
            offered = dict(zip(pool.sharing.layout, pool.offers, strict=True))
            parts = [(offered[profile], part) for profile, part in value.items()]
        else:
            parts = [(name, value) for name in (pool.offers if key == "accelerators" else (key,))]
        for resource, part in parts:
            if is_percentage(part) and parse(part[:-1]) and nominal.get(resource) == 0:
                yield f"{part} of {resource}"
