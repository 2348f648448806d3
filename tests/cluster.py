"""A cluster with the built objects of one environment: where a workload is sent, and what could be admitted there.

Source of the arithmetic: kueue pkg/cache/scheduler/resource_node.go (potentialAvailable), v0.18.5.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NamedTuple

from generator.quantity import parse
from tests.samples import Object, of_kind

APPLICATIONS = "redhat-ods-applications"
Amounts = Mapping[str, int]
"""Resource → thousandths."""


class Route(NamedTuple):
    """Where a workload ends up: its queues, and the first flavor that could ever hold it."""

    local_queue: str
    cluster_queue: str
    flavor: str | None


class Cluster:
    """Built objects, by kind and name."""

    def __init__(self, objects: Iterable[Object]) -> None:
        found = list(objects)
        self.local_queues = of_kind(found, "LocalQueue")
        self.cluster_queues = of_kind(found, "ClusterQueue")
        self.profiles = of_kind(found, "HardwareProfile")
        self.runtimes = of_kind(found, "ClusterTrainingRuntime")
        self.flavors = of_kind(found, "ResourceFlavor")
        self.namespaces = of_kind(found, "Namespace")
        self._cohorts = of_kind(found, "Cohort")

    def offered(self) -> Iterator[tuple[str, Object]]:
        """Yield each namespace with each profile that it can use: its own, and the global ones."""
        managed = {local.partition("/")[0] for local in self.local_queues}
        for key, profile in self.profiles.items():
            namespace = key.partition("/")[0]
            yield from ((space, profile) for space in (sorted(managed) if namespace == APPLICATIONS else [namespace]))

    def profile(self, namespace: str, name: str) -> Object | None:
        """Return the profile of a name that a namespace can use."""
        return self.profiles.get(f"{namespace}/{name}") or self.profiles.get(f"{APPLICATIONS}/{name}")

    def route(self, namespace: str, local_queue: str, requests: Amounts) -> Route:
        """Return where a workload of a namespace goes that is sent to a LocalQueue."""
        queue = self.local_queues[f"{namespace}/{local_queue}"]["spec"]["clusterQueue"]
        selector = self.cluster_queues[queue]["spec"]["namespaceSelector"]["matchExpressions"][0]
        assert namespace in selector["values"], f"{queue} does not let {namespace} in"
        return Route(local_queue, queue, self.admits(queue, requests))

    def admits(self, queue: str, requests: Amounts) -> str | None:
        """Return the first flavor that could ever hold all the requests of a workload; Kueue takes one for all."""
        [group] = self.cluster_queues[queue]["spec"]["resourceGroups"]
        if not requests.keys() <= set(group["coveredResources"]):
            return None
        fitting = (
            flavor["name"]
            for flavor in group["flavors"]
            if all(self.most(queue, flavor["name"], resource) >= amount for resource, amount in requests.items())
        )
        return next(fitting, None)

    def guaranteed(self, queue: str, flavor: str) -> dict[str, int]:
        """Return the nominal quota of a queue in a flavor, without what is zero."""
        quotas = _quotas(self.cluster_queues[queue], flavor).items()
        return {name: amount for name, quota in quotas if (amount := parse(quota["nominalQuota"]))}

    def most(self, queue: str, flavor: str, resource: str) -> int:
        """Return what a queue could get at most, with all that others lend and it may borrow."""
        return self._potential(self.cluster_queues[queue], flavor, resource)

    def promised(self) -> dict[tuple[str, str], int]:
        """Return the sum of all nominal quota by flavor and resource, of queues and cohorts."""
        sums: dict[tuple[str, str], int] = {}
        for holder in [*self.cluster_queues.values(), *self._cohorts.values()]:
            for flavor in self.flavors:
                for resource, quota in _quotas(holder, flavor).items():
                    key = (flavor, resource)
                    sums[key] = sums.get(key, 0) + parse(quota["nominalQuota"])
        return {key: amount for key, amount in sums.items() if amount}

    def _potential(self, holder: Object, flavor: str, resource: str) -> int:
        own = self._subtree(holder, flavor, resource)
        parent = self._parent(holder)
        if parent is None:
            return own
        most = self._kept(holder, flavor, resource) + self._potential(parent, flavor, resource)
        limit = _quotas(holder, flavor).get(resource, {}).get("borrowingLimit")
        return most if limit is None else min(most, own + parse(limit))

    def _subtree(self, holder: Object, flavor: str, resource: str) -> int:
        own = parse(_quotas(holder, flavor).get(resource, {}).get("nominalQuota", 0))
        if holder["kind"] == "ClusterQueue":
            return own
        below = [h for h in [*self.cluster_queues.values(), *self._cohorts.values()] if self._parent(h) is holder]
        lent = (self._subtree(h, flavor, resource) - self._kept(h, flavor, resource) for h in below)
        return own + sum(lent)

    def _kept(self, holder: Object, flavor: str, resource: str) -> int:
        """Return what a holder lends to nobody."""
        limit = _quotas(holder, flavor).get(resource, {}).get("lendingLimit")
        return 0 if limit is None else max(0, self._subtree(holder, flavor, resource) - parse(limit))

    def _parent(self, holder: Object) -> Object | None:
        spec = holder["spec"]
        return self._cohorts.get(spec.get("cohortName") or spec.get("cohort") or spec.get("parentName") or "")


def _quotas(holder: Object, flavor: str) -> dict[str, Mapping[str, Any]]:
    groups = holder["spec"].get("resourceGroups", ())
    flavors = (f for group in groups for f in group["flavors"] if f["name"] == flavor)
    return {resource["name"]: resource for found in flavors for resource in found["resources"]}


def wanted(profile: Object, count: str) -> dict[str, int]:
    """Return what a workload with a profile asks for; `count` is minCount, defaultCount or maxCount."""
    return {item["identifier"]: parse(item[count]) for item in profile["spec"]["identifiers"]}


def pod(runtime: Object) -> dict[str, int]:
    """Return what one pod of a runtime asks for."""
    [job] = runtime["spec"]["template"]["spec"]["replicatedJobs"]
    [container] = job["template"]["spec"]["template"]["spec"]["containers"]
    return {name: parse(amount) for name, amount in container["resources"]["requests"].items()}
