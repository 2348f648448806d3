"""Does a profile's or a runtime's request fit: into each queue that it may be sent to, and onto the nodes of a pool."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from generator.plan.capacity import QuotaTree
from generator.plan.ledger.lines import Demand, Fit
from generator.plan.ledger.placing import largest, pods_per_node
from generator.plan.model import CPU, Amounts, ClusterQueue, FlavorQuota, Plan, Pool, Profile, Runtime

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
    pool = {offer.pool: pools[offer.pool]}
    parts = {"default": offer.requests} | ({"maximum": offer.limits} if offer.limits != offer.requests else {})
    for part, amounts in parts.items():
        if request := _request(1, amounts):
            fits = _fits(queues, pool, request, tree)
            yield Demand("profile", offer.name, part, 1, amounts, request.main, offer.pool, fits, offer.origin)


def _of_runtime(runtime: Runtime, pools: _Pools, queues: Iterable[ClusterQueue], tree: QuotaTree) -> Iterator[Demand]:
    candidates = {
        name: pool
        for name, pool in pools.items()
        if (runtime.vendor in ("none", pool.vendor) if runtime.pool is None else name == runtime.pool)
    }
    if request := _request(runtime.nodes, runtime.requests):
        amounts, fits = runtime.requests, _fits(queues, candidates, request, tree)
        yield Demand(
            "runtime", runtime.name, "job", runtime.nodes, amounts, request.main, runtime.pool, fits, runtime.origin
        )


def _request(pods: int, amounts: Amounts) -> _Request | None:
    """Return a request that asks for something, its main resource (the accelerator, else cpu) first."""
    asked = {name: amount for name, amount in amounts.items() if amount}
    ranked = sorted(asked, key=lambda name: (not _is_extended(name), name != CPU))
    if not ranked:
        return None
    return _Request(
        pods, {name: asked[name] for name in ranked}, {name: pods * asked[name] for name in ranked}, ranked[0]
    )


def _is_extended(resource: str) -> bool:
    return "/" in resource


def _fits(queues: Iterable[ClusterQueue], pools: _Pools, request: _Request, tree: QuotaTree) -> tuple[Fit, ...]:
    return tuple(fit for queue in queues if (fit := _best(queue, pools, request, tree)))


def _best(queue: ClusterQueue, pools: _Pools, request: _Request, tree: QuotaTree) -> Fit | None:
    """Return how a request fits into a queue with the pool that suits it best; None: the queue has none of them."""
    fits = [
        _fit(queue, flavor, pools[flavor.flavor], request, tree) for flavor in queue.flavors if flavor.flavor in pools
    ]
    return max(fits, key=lambda fit: (fit.fits, fit.fits_quota, fit.largest), default=None)


def _fit(queue: ClusterQueue, flavor: FlavorQuota, pool: Pool, request: _Request, tree: QuotaTree) -> Fit:
    total, pods, main = request.total, request.pods, request.main
    reach = {name: tree.potential(queue.name, (pool.name, name)) for name in total}
    owned = {r.resource: r.nominal for r in flavor.resources}
    beyond = next((name for name, amount in total.items() if amount > reach[name]), None)
    held, scarce = pods_per_node(pool, request.amounts)
    is_placed = held * pool.nodes >= pods
    refused = beyond or (None if is_placed else scarce)
    times = {name: owned.get(name, 0) // amount for name, amount in total.items()}
    instances = min(times.values())
    runs_out = next((name for name, count in times.items() if count == instances < times[main]), None)
    return Fit(
        team=str(queue.team),
        queue=queue.queue,
        cluster_queue=queue.name,
        pool=pool.name,
        fits_quota=beyond is None,
        fits_node=is_placed,
        refused=refused,
        asked=total[refused] if refused else 0,
        limit=largest(pool, refused, pods, reach[refused]) if refused else 0,
        largest=largest(pool, main, pods, reach[main]),
        guaranteed=owned.get(main, 0),
        instances=instances,
        most_instances=min(reach[name] // amount for name, amount in total.items()),
        runs_out=runs_out,
        unused=owned.get(main, 0) - instances * total[main] if runs_out else 0,
        needed=times[main] * total[runs_out] if runs_out else 0,
        per_node=pool.node.get(main, 0),
        pods_per_node=held,
        rest=pool.node.get(main, 0) - held * request.amounts[main] if held and main in pool.offers else 0,
        origin=flavor.origin,
    )
