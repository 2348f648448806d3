"""The Plan → the items that policies judge. Only what a policy reads is made, a collection at a time."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from datetime import date
from functools import cached_property

from generator.finding import Location, ObjectRef
from generator.plan.ledger import Ledger
from generator.plan.model import Plan, Pool, Runtime
from generator.policy import items as i
from generator.policy.model import Item
from generator.policy.queue_items import QueueItems, accelerators
from generator.policy.sharing import queues
from generator.quantity import UNIT, parse
from generator.releases.images import vendor_of_image
from generator.source import at


class PlanItems:
    """The collections of one plan by name."""

    def __init__(self, plan: Plan, ledger: Ledger) -> None:
        self._plan, self._queues = plan, QueueItems(plan, ledger)
        self._makers: Mapping[str, Callable[[], Iterable[Item]]] = {
            "fleet": self._fleet,
            "environment": self._environment,
            "pools": self._pools,
            "runtimes": self._runtimes,
            "teams": self._teams,
            "operators": self._operators,
            "overrides": self._overrides,
            **self._queues.makers,
        }

    def of(self, name: str) -> list[Item]:
        """Return the items of a collection such as pools."""
        return list(self._makers[name]())

    @cached_property
    def environment(self) -> i.Environment:
        """The facts of the environment."""
        plan = self._plan
        return {
            "name": plan.name,
            "openshift": plan.openshift,
            "openshiftAI": plan.openshift_ai.version,
            "openshiftAIStatus": plan.openshift_ai.status,
            "trainer": plan.openshift_ai.trainer.version if plan.openshift_ai.trainer else "",
            "kueue": plan.kueue.version,
            "kueueUpstream": plan.kueue.upstream,
            "gitops": plan.gitops.version,
            "asOf": plan.as_of or "",
            "components": [c.component.name for c in plan.components if c.state == "Managed"],
            "frameworks": list(plan.settings.frameworks),
            "preemptionPolicy": plan.settings.preemption_policy,
            "labelPolicy": plan.settings.label_policy,
            "gangScheduling": plan.settings.gang_scheduling,
            "priorities": self._priorities,
            "weighted": [
                *(cohort.name for cohort in plan.cohorts if cohort.weight is not None),
                *(queue.name for queue in queues(plan) if queue.weight is not None),
            ],
            "runtimesWithAccelerators": sorted({r.name for r in plan.runtimes if accelerators(r.requests)}),
            "workbenchProfiles": self._queues.workbench_profiles,
        }

    def _ref(self, kind: str, name: str, api: str | None = None, namespace: str | None = None) -> ObjectRef:
        return ObjectRef(self._plan.name, kind, name, namespace, api)

    @cached_property
    def _priorities(self) -> list[i.PriorityClass]:
        return [{"name": priority.name, "value": priority.value} for priority in self._plan.priorities]

    def _fleet(self) -> Iterator[Item]:
        fleet = self._plan.given.fleet
        if fleet:
            data: i.Fleet = {"priorities": self._priorities}
            place = at(fleet, "priorities") if "priorities" in fleet else at(fleet)
            yield Item(data, place, self._ref("fleet", "fleet"))

    def _environment(self) -> Iterator[Item]:
        plan = self._plan
        yield Item(self.environment, plan.origin, self._ref("environment", plan.name))

    def _pools(self) -> Iterator[Item]:
        given = {pool["name"]: pool for pool in self._plan.given.pools}
        for pool in self._plan.pools.values():
            reserve = given[pool.name].get("reserve") or {}
            per_node = reserve.get("perNode") or {}
            data: i.Pool = {
                "name": pool.name,
                "vendor": pool.vendor,
                "accelerator": pool.accelerator.id if pool.accelerator else "",
                "verified": pool.accelerator is None or pool.accelerator.verified,
                "offers": list(pool.offers),
                "nodes": pool.nodes,
                "reserve": {
                    "nodes": reserve.get("nodes", 0),
                    "cpu": parse(per_node.get("cpu", 0)) / UNIT,
                    "memory": parse(per_node.get("memory", 0)) // UNIT,
                },
                "labels": dict(pool.node_labels),
                "taints": [taint.key for taint in pool.taints],
                "topology": pool.topology or "",
                "mig": pool.sharing.mig or "",
                "replicas": pool.sharing.replicas,
                "failsGreaterThanOne": pool.sharing.fail_greater_than_one,
            }
            yield Item(data, pool.origin, self._ref("pool", pool.name))

    def _runtimes(self) -> Iterator[Item]:
        plan = self._plan
        for runtime in {runtime.name: runtime for runtime in plan.runtimes}.values():
            name, digest = _part(runtime.image, "@")
            repository, tag = _part(name, ":") if ":" in name.rpartition("/")[2] else (name, "")
            data: i.Runtime = {
                "name": runtime.name,
                "framework": runtime.framework,
                "image": runtime.image,
                "imageVendor": vendor_of_image(runtime.image),
                "registry": repository.partition("/")[0],
                "tag": tag,
                "digest": digest,
                "vendor": runtime.vendor,
                "nodes": runtime.pods,
                "accelerators": accelerators(runtime.requests),
                "slices": any("/mig-" in resource for resource in runtime.requests),
                "pools": [_runtime_pool(pool, runtime) for pool in _pools_of(runtime, plan)],
            }
            yield Item(data, runtime.origin, self._ref("ClusterTrainingRuntime", runtime.name))

    def _teams(self) -> Iterator[Item]:
        for team in self._plan.teams:
            who = self._plan.given.teams.get(team.name)
            data: i.Team = {
                "name": team.name,
                "contact": team.contact or "",
                "costCenter": team.cost_center or "",
                "admins": [*team.admins.groups, *team.admins.users],
                "users": sorted({*team.admins.users, *team.members.users, *team.viewers.users}),
                "namespaces": [space.name for space in team.namespaces],
                "uses": sorted({queue.use for queue in team.queues}),
            }
            yield Item(data, at(who) if who is not None else team.origin, self._ref("team", team.name))

    def _operators(self) -> Iterator[Item]:
        plan = self._plan
        release = plan.openshift_ai
        # A release without any channel that stays on it is a known-bad combination, of which resolve() tells.
        rolling = {"openshift-ai": release.rolling_channels if release.channel not in release.rolling_channels else ()}
        for subscription in plan.subscriptions:
            operator = subscription.operator
            data: i.Operator = {
                "name": operator.id,
                "package": operator.package,
                "title": operator.title,
                "channel": subscription.channel,
                "approval": subscription.approval,
                "startingCSV": subscription.starting_csv or "",
                "source": subscription.source,
                "rolling": subscription.channel in rolling.get(operator.id, ()),
                "verified": operator.verified,
            }
            ref = self._ref("Subscription", operator.package, "operators.coreos.com/v1alpha1", operator.namespace)
            yield Item(data, subscription.origin, ref)

    def _overrides(self) -> Iterator[Item]:
        for override in self._plan.given.overrides:
            begins, until = override["from"], override["until"]
            name = f"{override['team']}-{override['queue']}"
            data: i.Override = {
                "queue": name,
                "team": override["team"],
                "pool": override["pool"],
                "begins": begins,
                "until": until,
                "days": (date.fromisoformat(until) - date.fromisoformat(begins)).days + 1,
                "ticket": override.get("ticket", ""),
            }
            yield Item(data, _place(override), self._ref("ClusterQueue", name, self._plan.kueue.api))


def _place(node: object) -> Location:
    return at(node)


def _part(text: str, mark: str) -> tuple[str, str]:
    head, found, tail = text.rpartition(mark)
    return (head, tail) if found else (text, "")


def _pools_of(runtime: Runtime, plan: Plan) -> list[Pool]:
    if runtime.pool is not None:
        return [plan.pools[runtime.pool]]
    asked = [resource for resource in runtime.requests if "/" in resource]
    return [pool for pool in plan.pools.values() if all(resource in pool.offers for resource in asked)]


def _runtime_pool(pool: Pool, runtime: Runtime) -> i.RuntimePool:
    units = sum(pool.node.get(resource, 0) // UNIT for resource in runtime.requests if "/" in resource)
    return {"name": pool.name, "vendor": pool.vendor, "accelerators": units}
