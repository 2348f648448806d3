"""Everyone who owns quota: queues and cohorts of the plan, and those that stand as manifests in `extra/`.

A manifest is read as far as it can be: what is wrong with it is another check's to say.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from decimal import Decimal
from typing import Any

from generator.finding import Location
from generator.frozen import dataclass
from generator.manifest import Manifest
from generator.plan.capacity import Key, Member, Quota, QuotaTree
from generator.plan.model import CPU, ClusterQueue, FlavorQuota, Plan
from generator.quantity import UNIT, Amount, parse

QUEUE, COHORT, PLATFORM, EXTRA = "queue", "cohort", "platform", "extra"
NEVER = "Never"
_GROUP = "kueue.x-k8s.io/"


@dataclass(frozen=True, slots=True)
class Owner:
    """A ClusterQueue or a Cohort. `origins` has the line of each flavor; `reclaims`: it takes back what it lends."""

    kind: str
    is_cohort: bool
    name: str
    team: str | None
    queue: str
    member: Member
    reclaims: bool
    origins: Mapping[str, Location]


def owners(plan: Plan, extra: Iterable[Manifest]) -> list[Owner]:
    """Return every owner, queues of teams first; of two with one name the first."""
    found = [_queue(QUEUE, queue) for team in plan.teams for queue in team.queues]
    if plan.default_queue is not None:
        found.append(_queue(PLATFORM, plan.default_queue))
    for cohort in plan.cohorts:
        member = Member(cohort.parent, _quotas(cohort.flavors), UNIT if cohort.weight is None else cohort.weight)
        origins = {flavor.flavor: flavor.origin for flavor in cohort.flavors}
        found.append(Owner(COHORT, True, cohort.name, None, "", member, False, origins))
    found += [
        _of_manifest(m) for m in extra if m.api_version.startswith(_GROUP) and m.kind in ("ClusterQueue", "Cohort")
    ]
    return list({(owner.is_cohort, owner.name): owner for owner in reversed(found)}.values())[::-1]


def tree(of: Sequence[Owner]) -> QuotaTree:
    """Return the quota tree of all owners."""
    return QuotaTree(
        {owner.name: owner.member for owner in of if not owner.is_cohort},
        {owner.name: owner.member for owner in of if owner.is_cohort},
    )


def _queue(kind: str, queue: ClusterQueue) -> Owner:
    weight = UNIT if queue.weight is None else queue.weight
    return Owner(
        kind,
        False,
        queue.name,
        queue.team,
        queue.queue,
        Member(queue.cohort, _quotas(queue.flavors), weight),
        queue.preemption.reclaim_within_cohort != NEVER,
        {flavor.flavor: flavor.origin for flavor in queue.flavors},
    )


def _quotas(flavors: Sequence[FlavorQuota]) -> dict[Key, Quota]:
    return {
        (flavor.flavor, r.resource): Quota(r.nominal, r.borrowing_limit, r.lending_limit)
        for flavor in flavors
        for r in flavor.resources
    }


def _of_manifest(manifest: Manifest) -> Owner:
    spec = _mapping(manifest.body.get("spec"))
    quotas = dict(_written_quotas(spec))
    parent = next(
        (v for k in ("cohortName", "cohort", "parentName", "parent") if isinstance(v := spec.get(k), str)), ""
    )
    reclaim = _mapping(spec.get("preemption")).get("reclaimWithinCohort", NEVER)
    weight = _amount("", _mapping(spec.get("fairSharing")).get("weight"))
    return Owner(
        EXTRA,
        manifest.kind == "Cohort",
        manifest.name,
        None,
        manifest.name,
        Member(parent or None, quotas, UNIT if weight is None else weight),
        manifest.kind == "ClusterQueue" and reclaim != NEVER,
        dict.fromkeys((flavor for flavor, _ in quotas), manifest.origin),
    )


def _written_quotas(spec: Mapping[str, Any]) -> Iterator[tuple[Key, Quota]]:
    for group in _mappings(spec.get("resourceGroups")):
        for flavor in _mappings(group.get("flavors")):
            for item in _mappings(flavor.get("resources")):
                resource = str(item.get("name"))
                limits = [_amount(resource, item.get(key)) for key in ("borrowingLimit", "lendingLimit")]
                yield (
                    (str(flavor.get("name")), resource),
                    Quota(_amount(resource, item.get("nominalQuota")) or 0, *limits),
                )


def _amount(resource: str, written: Any) -> Amount | None:
    """Return a quantity as Kueue counts it: thousandths of cores, of all else whole units, rounded up."""
    if isinstance(written, bool) or not isinstance(written, str | int | Decimal):
        return None
    try:
        amount = parse(written)
    except ValueError:
        return None
    return amount if resource in (CPU, "") else -(-amount // UNIT) * UNIT


def _mapping(node: Any) -> Mapping[str, Any]:
    return node if isinstance(node, Mapping) else {}


def _mappings(node: Any) -> list[Mapping[str, Any]]:
    return [item for item in node if isinstance(item, Mapping)] if isinstance(node, list) else []
