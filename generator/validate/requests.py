"""Can what profiles, runtimes, LimitRanges and workloads ask for ever be admitted.

Source: facts of faults A05, A06, A08, A12; facts of Kueue, section 5.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from generator.finding import Finding, Layer, Related, Severity
from generator.frozen import dataclass, field
from generator.manifest import Manifest
from generator.quantity import Amount
from generator.validate import kinds, limit_ranges
from generator.validate.cluster import Cluster, labels_of, name_of, namespace_of, related
from generator.validate.effective_queue import queue_of
from generator.validate.obstacles import (
    ABOVE_NODE,
    ABOVE_QUOTA,
    NOT_COVERED,
    NOT_TOLERATED,
    TOPOLOGY,
    Judge,
    Obstacle,
    leftovers,
)
from generator.validate.placement import FlavorPlace
from generator.validate.pods import Pods
from generator.validate.profiles import Profile, read_profiles
from generator.validate.queues import Queue, Queues, amount
from generator.validate.shape import mapping, mappings, text
from generator.validate.submissions import pods_of
from generator.validate.train_jobs import of_runtime
from generator.validate.wording import shown, some

_FIXES = {
    NOT_COVERED: "add the resource to coveredResources and to each flavor of that group, with a quota",
    ABOVE_QUOTA: "ask for less, or raise nominalQuota or borrowingLimit",
    ABOVE_NODE: "ask for less in a pod and take more pods, or give the queue a flavor with larger nodes",
    TOPOLOGY: "ask for a level that the topology of a flavor of the queue has, and for none where its flavors have no "
    "topology; or give the pools with a topology a queue of their own",
    NOT_TOLERATED: "write the taint into the flavor's tolerations, or into those of the pods",
}
_SELECT = "select nodes by the labels of a flavor, or leave the selector to Kueue"


def check(cluster: Cluster, queues: Queues, places: Mapping[str, FlavorPlace]) -> Iterator[Finding]:
    """Yield what can never be admitted, and pods of a size that wastes nodes."""
    judge = Judge(cluster, queues, places)
    narrow = {queue.name for queue in queues.all if accelerators_alone(queue)}
    for queue in queues.all:
        if queue.name in narrow:
            yield _accelerators_alone(cluster, queue)
    for profile in read_profiles(cluster):
        if profile.local_queue:
            yield from _of_profile(cluster, judge, queues, profile, narrow)
    for manifest in (*cluster.of(kinds.CLUSTER_RUNTIME), *cluster.of(kinds.RUNTIME)):
        yield from _of_runtime(cluster, judge, queues, places, manifest, narrow)
    for kind in kinds.QUEUED:
        for manifest in cluster.of(kind):
            yield from _of_workload(cluster, judge, queues, kind, manifest)
    for manifest in cluster.of(kinds.LIMIT_RANGE):
        yield from _limit_range(cluster, queues, manifest)


def accelerators_alone(queue: Queue) -> list[str]:
    """Return what an accelerator queue does not cover of cpu and memory, which nearly every pod asks for."""
    if not any(name not in kinds.CORE_RESOURCES for name in queue.resources):
        return []
    return [name for name in ("cpu", "memory") if name not in queue.resources]


def _accelerators_alone(cluster: Cluster, queue: Queue) -> Finding:
    lacking = accelerators_alone(queue)
    missing = " and ".join(lacking)
    return cluster.finding(
        queue.manifest,
        "accelerator-only-queue",
        Layer.READINESS,
        f"queue {queue.name} does not cover {missing}, which nearly every pod asks for: Kueue then finds {missing} "
        "unavailable and admits nothing",
        "cover cpu, memory and ephemeral-storage beside the accelerators, with their share of the nodes",
        "spec.resourceGroups",
        severity=Severity.ERROR if len(lacking) > 1 else Severity.WARNING,
    )


@dataclass(frozen=True, slots=True)
class _Asker:
    """Who asks: `what` begins the message, `paths` lead to a resource in its manifest, `path` to what has no pods."""

    what: str
    manifest: Manifest
    paths: Mapping[str, str] = field(default_factory=dict)
    path: str = ""

    def finding(
        self, cluster: Cluster, obstacle: Obstacle, severity: Severity, rest: str = "", also: Iterable[Related] = ()
    ) -> Finding:
        return cluster.finding(
            self.manifest,
            obstacle.rule,
            Layer.READINESS,
            f"{self.what} {obstacle.says()}{rest}",
            _FIXES.get(obstacle.rule, _SELECT),
            obstacle.path or self.paths.get(obstacle.resource, self.path),
            severity=severity,
            related=also,
        )


def _of_profile(
    cluster: Cluster, judge: Judge, queues: Queues, profile: Profile, narrow: set[str]
) -> Iterator[Finding]:
    """A default that no queue admits is an error; one that some do not, or a maximum, a warning."""
    space = None if profile.is_shared else profile.namespace
    behind = [queue for queue in queues.of_profile(profile.local_queue, space) if queue.name not in narrow]
    kinds_of_request = (("", profile.default), ("'s maximum", profile.most))
    said: set[str] = set()
    for level, amounts in kinds_of_request:
        found = _obstacles(judge, amounts, (q for q in behind if q.name not in said))
        if not found:
            continue
        said |= {obstacle.queue for obstacle in found}
        asker = _Asker(f"profile {profile.name}{level}", profile.manifest, profile.paths, "spec.identifiers")
        is_lost = not level and len(found) == len(behind)
        yield from _grouped(cluster, asker, queues, found, Severity.ERROR if is_lost else Severity.WARNING)


def _obstacles(judge: Judge, amounts: Mapping[str, Amount], behind: Iterable[Queue]) -> list[Obstacle]:
    """Return what keeps each queue from admitting one pod; taints are said of the flavor."""
    found = map(judge.ask_one(amounts).obstacle, behind)
    return [obstacle for obstacle in found if obstacle and obstacle.rule != NOT_TOLERATED]


def _grouped(
    cluster: Cluster, asker: _Asker, queues: Queues, found: Sequence[Obstacle], severity: Severity
) -> Iterator[Finding]:
    """Yield one finding per rule and resource: the widest queue speaks, the others are named."""
    by_cause: dict[tuple[str, str], list[Obstacle]] = {}
    for obstacle in found:
        by_cause.setdefault((obstacle.rule, obstacle.resource), []).append(obstacle)
    for obstacles in by_cause.values():
        widest = max(obstacles, key=lambda obstacle: obstacle.most)
        others = [obstacle.queue for obstacle in obstacles if obstacle is not widest]
        rest = f"; the same holds for {some(others)}" if others else ""
        place = related(queues.by_name[widest.queue].manifest, "spec.resourceGroups", f"queue {widest.queue}")
        yield asker.finding(cluster, widest, severity, rest, [place])


def _of_runtime(
    cluster: Cluster,
    judge: Judge,
    queues: Queues,
    places: Mapping[str, FlavorPlace],
    manifest: Manifest,
    narrow: set[str],
) -> Iterator[Finding]:
    """A runtime is for whoever can run it: it needs one queue that does."""
    pods = [each for each in of_runtime(manifest.body) if any(each.amounts.values())]
    space = namespace_of(manifest)
    spaces = (space,) if space else tuple(queues.by_namespace)
    names = {local.queue for s in spaces for local in queues.by_namespace.get(s, ())}
    behind = [q for name in sorted(names) if (q := queues.by_name.get(name)) and name not in narrow]
    if not pods or not behind:
        return
    found: list[Obstacle] = []
    asked = judge.ask(pods)
    for queue in behind:
        if (obstacle := asked.obstacle(queue)) is None:
            yield from _leftovers(cluster, places, manifest, pods, queue)
            return
        found.append(obstacle)
    widest = max(found, key=Obstacle.rank)
    asker = _Asker(f"runtime {name_of(manifest)}", manifest)
    rest = "; no other queue can do more" if len(found) > 1 else ""
    yield asker.finding(cluster, widest, Severity.ERROR, rest)


def _leftovers(
    cluster: Cluster, places: Mapping[str, FlavorPlace], manifest: Manifest, pods: Sequence[Pods], queue: Queue
) -> Iterator[Finding]:
    """Pods whose size does not divide a node leave a rest on each."""
    for each in pods:
        for flavor in (flavor for flavor in queue.flavors if flavor.name in places):
            for resource, asked, size in leftovers(each, places[flavor.name]):
                yield cluster.finding(
                    manifest,
                    "pod-size-leaves-rest",
                    Layer.READINESS,
                    f"runtime {name_of(manifest)} takes {shown(resource, asked)} of {resource} in a pod and nodes of "
                    f"flavor {flavor.name} have {shown(resource, size)}: on each {shown(resource, size % asked)} stay "
                    "unused",
                    "take a number that divides the node, or accept the rest for smaller work",
                    each.path,
                    severity=Severity.INFO,
                )
                return


def _of_workload(
    cluster: Cluster, judge: Judge, queues: Queues, kind: kinds.Kind, manifest: Manifest
) -> Iterator[Finding]:
    local = queue_of(cluster, manifest) or ""
    queue = queues.behind(namespace_of(manifest), local)
    if queue is None:
        return
    given = limit_ranges.ranges(cluster).get(namespace_of(manifest))
    is_written = labels_of(manifest).get(kinds.QUEUE_NAME) == local
    for pods in pods_of(cluster, manifest):
        if given:
            pods = [limit_ranges.filled(each, given, queue.by_resource) for each in pods]
        if obstacle := judge.ask(pods).obstacle(queue):
            asker = _Asker(f"{kind[1]} {name_of(manifest)}", manifest)
            rest = "" if is_written else f"; it ends up there through LocalQueue {local}"
            yield asker.finding(cluster, obstacle, Severity.ERROR, rest)


def _limit_range(cluster: Cluster, queues: Queues, manifest: Manifest) -> Iterator[Finding]:
    """What a LimitRange gives to every pod, each queue of the namespace has to cover: its most, if nothing less."""
    given: dict[str, str] = {}
    release = cluster.target.kueue
    zeros_count = release is not None and release.zero_requests_count
    for index, limit in mappings(manifest.body, "spec", "limits"):
        if text(limit, "type") == "Container":
            for name, value in limit_ranges.defaults_of(limit)["requests"].items():
                key = next(key for key in limit_ranges.GIVING if name in mapping(limit, key))
                if zeros_count or amount(name, value):
                    given.setdefault(name, f"spec.limits[{index}].{key}")
    locals_ = queues.by_namespace.get(namespace_of(manifest), ())
    behind = {local.queue: queues.by_name[local.queue] for local in locals_ if local.queue in queues.by_name}
    for name, path in given.items():
        lacking = sorted(queue for queue, found in behind.items() if name not in found.resources)
        lacking = [queue for queue in lacking if name not in accelerators_alone(behind[queue])]
        if lacking:
            yield cluster.finding(
                manifest,
                "limit-range-not-covered",
                Layer.READINESS,
                f"LimitRange {name_of(manifest)} of namespace {namespace_of(manifest)} gives every pod {name}, which "
                f"queue {some(lacking)} does not cover: nothing there is admitted",
                f"cover {name} in the queue, or take it out of the LimitRange",
                path,
                related=[related(behind[q].manifest, "spec.resourceGroups", f"queue {q}") for q in lacking[:1]],
            )
