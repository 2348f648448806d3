"""Does a profile's or a runtime's request fit: into each queue that it may be sent to, and onto the nodes of a pool."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from generator.frozen import dataclass
from generator.plan.capacity import Node, QuotaTree
from generator.plan.ledger.lines import Demand, Fit
from generator.plan.ledger.placing import largest, pods_per_node
from generator.plan.model import CPU, Amounts, ClusterQueue, FlavorQuota, Plan, Pool, Profile, Runtime
from generator.quantity import Amount

_Pools = Mapping[str, Pool]


@dataclass(frozen=True, slots=True)
class _Request:
    """`pods` alike, each of which asks `amounts`; `total` is what all ask together. None of it is 0."""

    pods: int
    amounts: Amounts
    total: Amounts
    main: str


def demands(plan: Plan, tree: QuotaTree) -> Iterator[Demand]:
    """Yield the requests of the plan's profiles and runtimes, each judged in every queue that it may be sent to."""
    behind = _queues_behind(plan)
    for profile in {p.offer.name: p for p in plan.profiles}.values():
        yield from _of_profile(profile, plan.pools, behind.get(profile.offer.local_queue, ()), tree)
    queues = [queue for team in plan.teams for queue in team.queues]
    for runtime in {r.name: r for r in plan.runtimes}.values():
        yield from _of_runtime(runtime, plan.pools, queues, tree)


def _queues_behind(plan: Plan) -> dict[str, list[ClusterQueue]]:
    """Return name of a LocalQueue → the ClusterQueues that LocalQueues of this name lead to."""
    found: dict[str, dict[str, ClusterQueue]] = {}
    for team in plan.teams:
        queues = {queue.name: queue for queue in team.queues}
        for local in team.local_queues:
            found.setdefault(local.name, {})[local.cluster_queue] = queues[local.cluster_queue]
    return {name: list(queues.values()) for name, queues in found.items()}


def _of_profile(profile: Profile, pools: _Pools, queues: Iterable[ClusterQueue], tree: QuotaTree) -> Iterator[Demand]:
    offer = profile.offer
    parts = {"default": offer.requests} | ({"maximum": offer.limits} if offer.limits != offer.requests else {})
    for part, amounts in parts.items():
        if request := _request(1, amounts):
            fits = _fits(queues, [pools[offer.pool]], request, tree)
            yield Demand("profile", offer.name, part, 1, amounts, request.main, offer.pool, fits, offer.origin)


def _of_runtime(runtime: Runtime, pools: _Pools, queues: Iterable[ClusterQueue], tree: QuotaTree) -> Iterator[Demand]:
    candidates = (
        [pools[runtime.pool]]
        if runtime.pool is not None
        else [pool for pool in pools.values() if runtime.vendor in ("none", pool.vendor)]
    )
    if request := _request(runtime.pods, runtime.requests):
        amounts, fits = runtime.requests, _fits(queues, candidates, request, tree)
        yield Demand(
            "runtime", runtime.name, "job", runtime.pods, amounts, request.main, runtime.pool, fits, runtime.origin
        )


def _request(pods: int, amounts: Amounts) -> _Request | None:
    """Return a request that asks for something, its main resource (the accelerator, else cpu) first."""
    asked = {name: amount for name, amount in amounts.items() if amount}
    ranked = sorted(asked, key=lambda name: ("/" not in name, name != CPU))
    if not ranked:
        return None
    total = {name: pods * asked[name] for name in ranked}
    return _Request(pods, {name: asked[name] for name in ranked}, total, ranked[0])


def _fits(queues: Iterable[ClusterQueue], pools: Iterable[Pool], request: _Request, tree: QuotaTree) -> tuple[Fit, ...]:
    """Return how a request fits into each queue with the pool that suits it best; without queues of other pools."""
    judges = {pool.name: _Judge(pool, request) for pool in pools}
    found = []
    for queue in queues:
        node = tree.queues[queue.name]
        fits = [judges[f.flavor].fit(queue, f, node) for f in queue.flavors if f.flavor in judges]
        if fits:
            found.append(max(fits, key=lambda fit: (fit.fits, fit.fits_quota, fit.largest)))
    return tuple(found)


class _Judge:
    """One request on one pool: what does not depend on the queue is found out once."""

    def __init__(self, pool: Pool, request: _Request) -> None:
        self._pool, self._request = pool, request
        self._asked = [((pool.name, name), name, amount) for name, amount in request.total.items()]
        self._held, self._scarce = pods_per_node(pool, request.amounts)
        self._is_placed = self._held * pool.nodes >= request.pods
        self._per_node = pool.node.get(request.main, 0)
        is_accelerator = request.main in pool.offers
        self._rest = self._per_node - self._held * request.amounts[request.main] if self._held and is_accelerator else 0

    def fit(self, queue: ClusterQueue, flavor: FlavorQuota, node: Node) -> Fit:
        """Return how the request fits into a queue, with its flavor of this pool."""
        (main_key, main, all_of_main), *_ = self._asked
        beyond, runs_out = None, main
        main_quota = node.quotas.get(main_key)
        owned = main_quota.nominal if main_quota else 0
        instances = wanted = owned // all_of_main
        most = node.potential.get(main_key, 0) // all_of_main
        for key, name, amount in self._asked:
            reach, quota = node.potential.get(key, 0), node.quotas.get(key)
            if amount > reach and beyond is None:
                beyond = name
            if (times := quota.nominal // amount if quota else 0) < instances:
                instances, runs_out = times, name
            most = min(most, reach // amount)
        refused = beyond or (None if self._is_placed else self._scarce)
        is_short = runs_out != main
        return Fit(
            team=str(queue.team),
            queue=queue.queue,
            cluster_queue=queue.name,
            pool=flavor.flavor,
            fits_quota=beyond is None,
            fits_node=self._is_placed,
            refused=refused,
            asked=self._request.total[refused] if refused else 0,
            limit=self._largest(refused, node) if refused else 0,
            largest=self._largest(main, node),
            guaranteed=owned,
            instances=instances,
            most_instances=most,
            runs_out=runs_out if is_short else None,
            unused=owned - instances * all_of_main if is_short else 0,
            needed=wanted * self._request.total[runs_out] if is_short else 0,
            per_node=self._per_node,
            pods_per_node=self._held,
            rest=self._rest,
            origin=flavor.origin,
        )

    def _largest(self, resource: str, node: Node) -> Amount:
        quota = node.potential.get((self._pool.name, resource), 0)
        return largest(self._pool, resource, self._request.pods, quota)
