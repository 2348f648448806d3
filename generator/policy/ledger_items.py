"""The capacity ledger → the items that policies judge."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cached_property

from generator.finding import ObjectRef, Related
from generator.plan.amounts import counted_by
from generator.plan.ledger import Ledger
from generator.plan.ledger.lines import DayLine, Demand, Fit, Holding, PoolLine, QueueLine
from generator.plan.model import CPU, Plan
from generator.policy import items as i
from generator.policy.cel import shown
from generator.policy.model import Item
from generator.policy.sharing import Sharing, lends, queues
from generator.quantity import UNIT, Amount

RELATED = 20  # places that a finding names besides its own

_GANGS = ("training", "batch")  # uses of queues to which jobs of several pods go
_KINDS = {"profile": "HardwareProfile", "runtime": "ClusterTrainingRuntime"}


class LedgerItems:
    """The collections of one ledger by name."""

    def __init__(self, plan: Plan, ledger: Ledger) -> None:
        self._plan, self._ledger = plan, ledger
        self._queue = {queue.name: queue for queue in queues(plan)}
        self._makers: Mapping[str, Callable[[], Iterable[Item]]] = {
            "pools": self._pools,
            "days": self._days,
            "queues": self._queues,
            "demands": self._demands,
            "shortages": self._shortages,
        }

    def of(self, name: str) -> list[Item]:
        """Return the items of a collection such as pools."""
        return list(self._makers[name]())

    @cached_property
    def _sharing(self) -> Sharing:
        return Sharing(self._plan, self._ledger)

    def _ref(self, kind: str, name: str) -> ObjectRef:
        api = self._plan.kueue.api if kind == "ClusterQueue" else None
        return ObjectRef(self._plan.name, kind, name, None, api)

    def _ratio(self, pool: str) -> tuple[float, str]:
        """Return a pool's own over-commitment and its reason; 0 and "" where it says nothing."""
        ratio, reason = self._plan.pools[pool].overcommit or ("0", "")
        return float(ratio), reason

    def _pools(self) -> Iterator[Item]:
        given = {pool["name"]: pool for pool in self._plan.given.pools}
        loads = _loads(self._ledger.pools)
        counted = {pool.name: counted_by(pool) for pool in self._plan.pools.values()}
        for line in self._ledger.pools:
            ratio, reason = self._ratio(line.pool)
            data: i.LedgerPool = {
                "pool": line.pool,
                "resource": line.resource,
                "isAccelerator": line.is_accelerator,
                "isMain": line.resource in counted[line.pool],
                "installed": _whole(line.installed),
                "reserved": _whole(line.reserved),
                "schedulable": _whole(line.schedulable),
                "guaranteed": _whole(line.guaranteed),
                "stranded": _whole(line.stranded),
                "borrowable": _whole(line.borrowable),
                "perNode": _whole(line.per_node),
                "hasPerNodeReserve": line.resource in (given[line.pool].get("reserve") or {}).get("perNode", {}),
                "followsAccelerators": _follows(line, loads.get((line.pool, ""), (0, 1))),
                "ratio": ratio,
                "reason": reason,
                "passedBy": line.passed_by.name if line.passed_by else "",
                "holders": [_holding(holding) for holding in line.holders],
            }
            place = line.passed_by.origin if line.passed_by else line.origin
            related = (Related(line.origin, f"pool {line.pool}"), *_held(line)) if line.passed_by else _held(line)
            yield Item(data, place, self._ref("pool", line.pool), related)

    def _days(self) -> Iterator[Item]:
        loads = _loads(self._ledger.days)
        for line in self._ledger.days:
            data: i.LedgerDay = {
                "pool": line.pool,
                "resource": line.resource,
                "isAccelerator": line.is_accelerator,
                "day": line.day,
                "schedulable": _whole(line.schedulable),
                "usual": _whole(line.usual),
                "guaranteed": _whole(line.guaranteed),
                "followsAccelerators": _follows(line, loads.get((line.pool, line.day), (0, 1))),
                "ratio": self._ratio(line.pool)[0],
                "overrides": list(line.overrides),
            }
            yield Item(data, line.origin, self._ref("pool", line.pool))

    def _queues(self) -> Iterator[Item]:
        counted = {pool.name: counted_by(pool) for pool in self._plan.pools.values()}
        shares: dict[tuple[str, str], list[QueueLine]] = {}
        for line in self._ledger.queues:
            if line.resource in counted[line.pool]:
                shares.setdefault((line.cluster_queue, line.pool), []).append(line)
        for (name, pool), lines in shares.items():
            first = lines[0]
            data: i.LedgerQueue = {
                "queue": name,
                "team": first.team or "",
                "use": self._queue[name].use if name in self._queue else "",
                "cohort": first.cohort or "",
                "pool": pool,
                "units": [_unit(line) for line in lines],
            }
            yield Item(data, first.origin, self._ref("ClusterQueue", name))

    def _demands(self) -> Iterator[Item]:
        for demand in self._ledger.demands:
            best = _closest(demand)
            data: i.Demand = {
                "kind": demand.kind,
                "name": demand.name,
                "part": demand.part,
                "pods": demand.pods,
                "main": demand.main,
                "perPod": _whole(demand.requests[demand.main]),
                "total": _whole(demand.total),
                "queues": len(demand.fits),
                "queue": best.cluster_queue if best else "",
                "pool": best.pool if best else demand.pool or "",
                "fits": best.fits if best else False,
                "resource": best.refused or demand.main if best else demand.main,
                "requested": _whole(best.asked if best and best.refused else demand.total),
                "largest": _whole(best.limit if best.refused else best.largest) if best else 0.0,
                "perNode": _whole(best.per_node) if best else 0.0,
                "podsPerNode": best.pods_per_node if best else 0,
                "rest": _whole(best.rest) if best else 0.0,
                "refusing": [fit.cluster_queue for fit in demand.fits if not fit.fits],
                "storms": [fit.cluster_queue for fit in demand.fits if demand.pods > 1 and self._storms(fit)],
            }
            yield Item(data, demand.origin, self._ref(_KINDS[demand.kind], demand.name))

    def _storms(self, fit: Fit) -> bool:
        """Whether a queue would evict workloads of several others to get back what it has lent."""
        queue = self._queue[fit.cluster_queue]
        if queue.preemption.reclaim_within_cohort != "Any" or queue.use not in _GANGS:
            return False
        flavor = next(flavor for flavor in queue.flavors if flavor.flavor == fit.pool)
        return lends(flavor) and self._sharing.borrowers(queue, fit.pool) > 1

    def _shortages(self) -> Iterator[Item]:
        worst: dict[tuple[str, str], tuple[Demand, Fit]] = {}
        for demand in self._ledger.demands:
            for fit in demand.fits:
                if fit.runs_out is None or demand.part == "maximum" or demand.main == CPU:
                    continue
                before = worst.get((fit.cluster_queue, fit.pool))
                if before is None or fit.unused > before[1].unused:
                    worst[fit.cluster_queue, fit.pool] = (demand, fit)
        for demand, fit in worst.values():
            data: i.Shortage = {
                "queue": fit.cluster_queue,
                "pool": fit.pool,
                "kind": demand.kind,
                "name": demand.name,
                "resource": fit.runs_out or "",
                "accelerators": _whole(fit.guaranteed),
                "unused": _whole(fit.unused),
                "needed": _whole(fit.needed),
            }
            related = (Related(demand.origin, f"{demand.kind} {demand.name} asks for more of it"),)
            yield Item(data, fit.origin, self._ref("ClusterQueue", fit.cluster_queue), related)


Load = tuple[Amount, Amount]
"""What is guaranteed, of what can be scheduled."""


def _loads(lines: Sequence[PoolLine] | Sequence[DayLine]) -> dict[tuple[str, str], Load]:
    """Return the heaviest load of accelerators by pool and day ("": of no day)."""
    loads: dict[tuple[str, str], Load] = {}
    for line in lines:
        if line.is_accelerator:
            key = (line.pool, line.day if isinstance(line, DayLine) else "")
            before = loads.get(key, (0, 1))
            if line.guaranteed * before[1] > before[0] * line.schedulable:
                loads[key] = (line.guaranteed, line.schedulable)
    return loads


def _follows(line: PoolLine | DayLine, load: Load) -> bool:
    """Whether an over-commitment goes no further than that of the pool's accelerators."""
    return line.schedulable < line.guaranteed and line.guaranteed * load[1] <= load[0] * line.schedulable


def _closest(demand: Demand) -> Fit | None:
    """Return the queue in which a demand fits, else that in which it comes closest; None: it may be sent to none."""
    return max(demand.fits, key=lambda fit: (fit.fits, fit.fits_quota, fit.pods_per_node, fit.largest), default=None)


def _whole(amount: Amount) -> float:
    """Return an amount in whole units, always as a float: CEL does not multiply what is now one and now the other."""
    return amount / UNIT


def _unit(line: QueueLine) -> i.Unit:
    return {
        "resource": line.resource,
        "guaranteed": _whole(line.guaranteed),
        "potential": _whole(line.potential),
        "lentForGood": _whole(line.lent_for_good),
    }


def _holding(holding: Holding) -> i.Holding:
    return {"name": holding.name, "kind": holding.kind, "amount": _whole(holding.amount)}


def _held(line: PoolLine) -> tuple[Related, ...]:
    """Return the places of the largest holdings of a pool."""
    holders: Sequence[Holding] = sorted(line.holders, key=lambda holding: -holding.amount)
    return tuple(
        Related(holding.origin, f"{holding.name}: {shown(holding.amount / UNIT, line.resource)} {line.resource}")
        for holding in holders[:RELATED]
        if holding.amount
    )
