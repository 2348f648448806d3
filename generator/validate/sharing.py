"""Sharing and preemption: settings that cancel each other out, and work that must not be evicted.

Source: facts of faults A04, A21 to A23, A37; facts of Kueue, sections 5 and 6.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import islice

from generator.finding import Finding, Layer, Severity
from generator.manifest import Manifest
from generator.plan.reclaims import Borrowers, Reclaimer, Reclaims
from generator.validate import kinds
from generator.validate.cluster import Cluster, name_of, related
from generator.validate.effects import is_written
from generator.validate.profiles import QUEUE_PATH, Profile, read_profiles
from generator.validate.queues import NEVER, Queue, Queues
from generator.validate.shape import get, mappings, text, whole
from generator.validate.status import CheckState, Surroundings, objections
from generator.validate.wording import MOST_NAMED, some

WORKBENCH = "workbench"
_ENOUGH = 100
_ONE_REMOTE = "use one MultiKueue check, for all flavors, and no ProvisioningRequest beside it"
_FIXES = {
    "AdmissionCheckInactive": "see the status of the AdmissionCheck: its controller refuses its parameters",
    "MultipleMultiKueueAdmissionChecks": _ONE_REMOTE,
    "MultiKueueAdmissionCheckAppliedPerFlavor": _ONE_REMOTE,
    "MultiKueueWithProvisioningRequest": _ONE_REMOTE,
    "NotSupportedWithTopologyAwareScheduling": "take topologyName off the flavors, or the check off the queue",
}


def check(cluster: Cluster, queues: Queues) -> Iterator[Finding]:
    """Yield loops, settings without effect, and workbenches that can be evicted."""
    yield from cohort_loop(cluster, queues)
    fair = _fair_sharing(cluster)
    priorities = {whole(m.body, "value") for m in cluster.of(kinds.PRIORITY_CLASS)}
    around = _surroundings(cluster)
    written = {queue.name for queue in queues.all if is_written(cluster, queue.manifest)}  # of others policies say so
    borrowers = Borrowers(queues.tree) if written else None
    for queue in queues.all:
        if queue.checks:
            yield from inactive(cluster, queue, around)
        if fair:
            yield from borrowing_preempts_under_fair_sharing(cluster, queue)
        if borrowers is not None and queue.name in written:
            yield from strict_over_several_flavors(cluster, queue)
            yield from lent_and_never_reclaimed(cluster, borrowers, queue)
            if len(priorities) > 1:
                yield from priorities_without_preemption(cluster, queues, queue)
    profiles = [found for found in read_profiles(cluster) if found.local_queue and found.is_for(WORKBENCH)]
    if profiles:
        yield from workbenches_evictable(cluster, queues, profiles, _reclaims(queues, fair=fair))


def cohort_loop(cluster: Cluster, queues: Queues) -> Iterator[Finding]:
    """Cohorts below themselves: every queue in them stays Active and is never looked at again."""
    for loop in queues.tree.loops:
        first = queues.cohorts[loop[0]]
        lost = queues.tree.queues_below(loop[0])
        chain = " -> ".join((*loop, loop[0]))
        what = f": {some(lost)} never admit anything" if lost else ""
        yield cluster.finding(
            first,
            "cohort-loop",
            Layer.READINESS,
            f"cohort {loop[0]} is its own ancestor, in the loop {chain}{what}, while Kueue calls them active",
            "take one parentName out",
            "spec.parentName",
            related=[related(queues.cohorts[name], "spec.parentName", f"cohort {name}") for name in loop[1:]],
        )


def inactive(cluster: Cluster, queue: Queue, around: Surroundings) -> Iterator[Finding]:
    """Admission checks that make a queue inactive. Names that lead nowhere are for the references."""
    for reason, message in objections(queue, around, cluster.target):
        if reason in _FIXES:
            yield cluster.finding(
                queue.manifest,
                "queue-inactive",
                Layer.READINESS,
                f"queue {queue.name} would be inactive ({reason}): {message}",
                _FIXES[reason],
                queue.checks[0].path,
            )


def _surroundings(cluster: Cluster) -> Surroundings:
    checks = {
        name_of(found): CheckState(text(found.body, "spec", "controllerName"), _is_active(found))
        for found in cluster.of(kinds.ADMISSION_CHECK)
    }
    flavors = {
        name_of(found): text(found.body, "spec", "topologyName") or None for found in cluster.of(kinds.RESOURCE_FLAVOR)
    }
    return Surroundings(flavors, frozenset(map(name_of, cluster.of(kinds.TOPOLOGY))), checks)


def _is_active(check_: Manifest) -> bool | None:
    """Return what a dump of the cluster says of an AdmissionCheck; None where there is no status."""
    states = {text(c, "type"): text(c, "status") for _, c in mappings(check_.body, "status", "conditions")}
    return {"True": True, "False": False}.get(states.get("Active", ""))


def _fair_sharing(cluster: Cluster) -> bool:
    policies = (text(m.body, "spec", "config", "preemption", "preemptionPolicy") for m in cluster.of(kinds.KUEUE))
    return "FairSharing" in policies


def borrowing_preempts_under_fair_sharing(cluster: Cluster, queue: Queue) -> Iterator[Finding]:
    """Fair sharing and borrowWithinCohort exclude each other, and no webhook says so."""
    if queue.borrow_within_cohort != NEVER:
        yield cluster.finding(
            queue.manifest,
            "borrow-within-cohort-under-fair-sharing",
            Layer.READINESS,
            f"queue {queue.name} preempts while borrowing (borrowWithinCohort {queue.borrow_within_cohort}) and Kueue "
            "runs with fair sharing: older versions evict in a loop, newer ones ignore it",
            "set borrowWithinCohort.policy to Never, or preemptionPolicy of the Kueue object to Classical",
            "spec.preemption.borrowWithinCohort.policy",
        )


def lent_and_never_reclaimed(cluster: Cluster, borrowers: Borrowers, queue: Queue) -> Iterator[Finding]:
    """Who lends and never reclaims waits for whoever borrowed."""
    if queue.reclaim_within_cohort != NEVER or not queue.cohort:
        return
    names = dict.fromkeys(islice(borrowers.of(queue.name), _ENOUGH))  # thousands that are alike need not be counted
    if names:
        more = " and more" if len(names) > MOST_NAMED else ""
        yield cluster.finding(
            queue.manifest,
            "lent-and-never-reclaimed",
            Layer.READINESS,
            f"queue {queue.name} lends to {some(list(names)[:MOST_NAMED])}{more} and cannot reclaim: "
            f"reclaimWithinCohort is {NEVER}"
            f"{'' if get(queue.manifest.body, 'spec', 'preemption', 'reclaimWithinCohort') else ' by default'}",
            "set preemption.reclaimWithinCohort to Any or LowerPriority, or lendingLimit to 0",
            "spec",
            severity=Severity.WARNING,
        )


def strict_over_several_flavors(cluster: Cluster, queue: Queue) -> Iterator[Finding]:
    """Only the head of a strict queue is tried, whichever flavor it waits for."""
    path = "spec.queueingStrategy"
    several = [group for group in queue.groups if len(group.flavors) > 1]
    if several and text(queue.manifest.body, *path.split(".")) == "StrictFIFO":
        names = some(flavor.name for flavor in several[0].flavors)
        yield cluster.finding(
            queue.manifest,
            "strict-fifo-over-several-pools",
            Layer.READINESS,
            f"queue {queue.name} is StrictFIFO over the flavors {names}: a job that waits for one of them blocks what "
            "is free of the others",
            "give each flavor a queue of its own, or use BestEffortFIFO",
            path,
            severity=Severity.WARNING,
        )


def priorities_without_preemption(cluster: Cluster, queues: Queues, queue: Queue) -> Iterator[Finding]:
    """Without preemption a higher priority only sorts first. Who guarantees that nothing is evicted does not borrow."""
    serves = queue.name in queues.by_queue and queue.owns
    is_guarantee = queue.reclaim_within_cohort != NEVER and not queue.may_borrow
    if queue.within_cluster_queue == NEVER and serves and not queue.is_stopped and not is_guarantee:
        yield cluster.finding(
            queue.manifest,
            "priorities-without-preemption",
            Layer.READINESS,
            f"there are several priority classes, and queue {queue.name} never preempts: a higher priority only sorts "
            "first",
            "set preemption.withinClusterQueue to LowerPriority, or leave it where nothing may be evicted",
            "spec",
            severity=Severity.WARNING,
        )


def workbenches_evictable(
    cluster: Cluster, queues: Queues, profiles: Iterable[Profile], reclaims: Reclaims
) -> Iterator[Finding]:
    """A workbench cannot be suspended: when it is evicted, its kernel and what was not saved are gone."""
    known: dict[str, list[str]] = {}
    for profile in profiles:
        yield from _workbench_evictable(cluster, queues, profile, reclaims, known)


def _workbench_evictable(
    cluster: Cluster, queues: Queues, profile: Profile, reclaims: Reclaims, known: dict[str, list[str]]
) -> Iterator[Finding]:
    space = None if profile.is_shared else profile.namespace
    for queue in queues.of_profile(profile.local_queue, space):
        if queue.name not in known:
            known[queue.name] = list(evictors(queue, reclaims))
        if causes := known[queue.name]:
            yield cluster.finding(
                profile.manifest,
                "workbench-evictable",
                Layer.READINESS,
                f"profile {profile.name} is offered to workbenches and submits to queue {queue.name}, where they can "
                f"be evicted by {'; and by '.join(causes)}",
                "give workbenches a queue that neither borrows nor preempts, or hide the profile from them",
                QUEUE_PATH,
                related=[related(queue.manifest, "spec.preemption", f"queue {queue.name}")],
            )
            return


def evictors(queue: Queue, reclaims: Reclaims) -> Iterator[str]:
    """Yield who may evict a workload of a queue."""
    if queue.within_cluster_queue != NEVER:
        yield f"a higher priority in the same queue (withinClusterQueue {queue.within_cluster_queue})"
    if owners := dict.fromkeys(reclaims.from_(queue.name)):
        yield f"{some(owners)}, which reclaim what it borrowed"


def _reclaims(queues: Queues, *, fair: bool) -> Reclaims:
    """Return what queues may take from others."""
    return Reclaims(
        queues.tree,
        (
            Reclaimer(queue.name, queue.borrow_within_cohort != NEVER, fair)
            for queue in queues.by_name.values()
            if queue.reclaim_within_cohort != NEVER and queue.cohort
        ),
    )
