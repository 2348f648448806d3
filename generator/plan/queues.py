"""Teams' quotas → namespaces, ClusterQueues and LocalQueues."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from generator.environment import quotas as given
from generator.environment import team as given_team
from generator.environment.load import Inputs
from generator.environment.validate import near
from generator.finding import Finding, Layer, Location, Related, error
from generator.plan import shares
from generator.plan.cohorts import unknown_pool
from generator.plan.components import PLATFORM_QUEUE
from generator.plan.model import (
    ClusterQueue,
    FlavorQuota,
    Fungibility,
    LocalQueue,
    Namespace,
    Pool,
    Preemption,
    Subjects,
    Team,
)
from generator.plan.namespaces import namespaces
from generator.plan.overrides import Overrides
from generator.plan.presets import FALLBACK, PRESETS, Preset
from generator.quantity import parse
from generator.releases.model import Kueue
from generator.source import at, value_at

DEFAULT = "default"


class Queues:
    """Resolves the teams of one environment; `findings` gathers what is wrong."""

    def __init__(self, inputs: Inputs, pools: Mapping[str, Pool], kueue: Kueue, overrides: Overrides) -> None:
        self.inputs, self.pools, self.kueue, self.overrides = inputs, pools, kueue, overrides
        self.cohorts = [c["name"] for c in inputs.cohorts]
        self.findings: list[Finding] = []

    def teams(self) -> tuple[Team, ...]:
        """Return the teams that have a quota here, by name."""
        teams = [self._team(quota) for quota in self.inputs.quotas]
        self.findings += _same_name([queue for team in teams for queue in team.queues])
        return tuple(sorted(teams, key=lambda t: t.name))

    def _team(self, quota: given.TeamQuota) -> Team:
        name = quota["team"]
        who = self.inputs.teams.get(name)
        if who is None:
            self.findings.append(
                _unknown("team", name, value_at(quota, "team"), list(self.inputs.teams), "add a document of kind Team")
            )
            who = given_team.Team(name=name)
        elif not any(map(_subjects, (who.get("admins"), who.get("members"), who.get("viewers")))):
            self.findings.append(
                error(
                    "team-without-people",
                    f"team {name} has no group and no user",
                    at(who),
                    "add admins, members or viewers with a group or user",
                )
            )
        cohort = quota.get("cohort")
        if cohort is not None and cohort not in self.cohorts:
            self.findings.append(
                _unknown("cohort", cohort, value_at(quota, "cohort"), self.cohorts, "declare it under cohorts")
            )
        spaces, found = namespaces(quota, name)
        self.findings += found
        queues = tuple(self._queue(q, quota, spaces) for q in quota.get("queues") or ())
        local = tuple(self._local_queues(quota, queues, spaces))
        return Team(
            name,
            who.get("displayName"),
            who.get("contact"),
            who.get("costCenter"),
            _subjects(who.get("admins")),
            _subjects(who.get("members")),
            _subjects(who.get("viewers")),
            spaces,
            queues,
            local,
            self.overrides.since(name),
            at(quota),
        )

    def _queue(self, item: given.Queue, quota: given.TeamQuota, spaces: tuple[Namespace, ...]) -> ClusterQueue:
        name = f"{quota['team']}-{item['name']}"
        if item["name"] in (DEFAULT, PLATFORM_QUEUE):
            self.findings.append(
                error(
                    "reserved-name",
                    f"team {quota['team']}: a queue cannot be called {item['name']}",
                    at(item, "name"),
                    "rename it; every namespace gets a LocalQueue default that leads to its defaultQueue",
                )
            )
        if len(name) > 63:
            self.findings.append(
                error(
                    "name-too-long",
                    f"ClusterQueue {name} has {len(name)} characters",
                    at(item, "name"),
                    "shorten the team or the queue to 62 together",
                )
            )
        use = item.get("use") or (item["name"] if item["name"] in PRESETS else FALLBACK)
        self._check_namespaces(item, quota, spaces)
        where = item["namespaces"] if "namespaces" in item else [s.name for s in spaces]
        preset = PRESETS[use]
        return ClusterQueue(
            name=name,
            team=quota["team"],
            queue=item["name"],
            use=use,
            cohort=quota.get("cohort"),
            flavors=self._flavors(item, quota, preset),
            namespaces=tuple(sorted(set(where))),
            preemption=self._preemption(item, preset),
            fungibility=self._fungibility(item),
            strategy=item.get("queueingStrategy", "BestEffortFIFO"),
            stop_policy=item.get("stopPolicy", "None"),
            weight=parse(item["fairShareWeight"]) if "fairShareWeight" in item else None,
            admission_checks=tuple(item.get("admissionChecks") or ()),
            origin=at(item),
        )

    def _check_namespaces(self, item: given.Queue, quota: given.TeamQuota, spaces: tuple[Namespace, ...]) -> None:
        names = [s.name for s in spaces]
        for index, name in enumerate(item.get("namespaces") or ()):
            if name not in names:
                owner = f"queue {item['name']} of team {quota['team']}"
                spelling = near(name, names)
                self.findings.append(
                    error(
                        "unknown-namespace",
                        f"{owner} names the namespace {name}, which the team does not have",
                        at(item.get("namespaces"), index),
                        (f"did you mean {spelling}? " if spelling else "") + "add it to the team's namespaces",
                        layer=Layer.REFERENCE,
                    )
                )

    def _flavors(self, item: given.Queue, quota: given.TeamQuota, preset: Preset) -> tuple[FlavorQuota, ...]:
        owner = shares.Owner(f"queue {quota['team']}-{item['name']}", "cohort" in quota, preset.borrow, preset.lend)
        flavors: list[FlavorQuota] = []
        written = item.get("quota") or {}
        for pool, share in written.items():
            if pool not in self.pools:
                self.findings.append(unknown_pool(owner.name, written, pool, self.pools))
                continue
            changes = self.overrides.of(quota["team"], item["name"], pool)
            flavor, found = shares.resolve(share, self.pools[pool], owner, changes, at(written, pool))
            self.findings += found
            if not found:
                flavors.append(flavor)
        covering = shares.covering(flavors)
        self.findings += _too_many(owner.name, covering, self.kueue, at(item))
        return covering

    def _preemption(self, item: given.Queue, preset: Preset) -> Preemption:
        own = item.get("preemption") or {}
        borrow = own.get("borrowWithinCohort") or {}
        return Preemption(
            own.get("withinClusterQueue", preset.within_cluster_queue),
            own.get("reclaimWithinCohort", preset.reclaim_within_cohort),
            borrow.get("policy", "Never"),
            borrow.get("maxPriorityThreshold"),
        )

    def _fungibility(self, item: given.Queue) -> Fungibility:
        own = item.get("flavorFungibility") or {}
        allowed = self.kueue.fungibility
        for key, value in own.items():
            values = allowed.get(key, ())
            if value not in values:
                self.findings.append(
                    error(
                        "unsupported-by-release",
                        f"flavorFungibility.{key} {value} does not exist in Red Hat build of Kueue {self.kueue.version}",
                        value_at(own, key),
                        f"write one of {', '.join(values)}" if values else f"remove {key}",
                        layer=Layer.SCHEMA,
                    )
                )
        return Fungibility(
            own.get("whenCanBorrow", allowed["whenCanBorrow"][0]),
            own.get("whenCanPreempt", allowed["whenCanPreempt"][0]),
            own.get("preference"),
        )

    def _local_queues(
        self, quota: given.TeamQuota, queues: tuple[ClusterQueue, ...], spaces: tuple[Namespace, ...]
    ) -> Iterator[LocalQueue]:
        by_name = {q.queue: q for q in queues}
        wanted = {n["name"]: n for n in quota.get("namespaces") or ()}
        for space in spaces:
            here = [q for q in queues if space.name in (q.namespaces or ())]
            for queue in here:
                yield LocalQueue(queue.queue, space.name, queue.name, space.team, False, queue.origin)
            written = wanted[space.name]
            name = written.get("defaultQueue")
            if name is None:
                chosen = here[0] if here else None
            else:
                chosen = by_name.get(name)
                if chosen is None:
                    self.findings.append(
                        _unknown(
                            "queue",
                            name,
                            value_at(written, "defaultQueue"),
                            list(by_name),
                            "add it to the team's queues",
                        )
                    )
                elif chosen not in here:
                    self.findings.append(
                        error(
                            "default-queue-elsewhere",
                            f"namespace {space.name} has the default queue {name}, which does not serve it",
                            value_at(written, "defaultQueue"),
                            f"add {space.name} to the namespaces of queue {name}",
                            layer=Layer.READINESS,
                        )
                    )
            if chosen is not None:
                yield LocalQueue(DEFAULT, space.name, chosen.name, space.team, True, space.origin)


def _subjects(who: given_team.Subjects | None) -> Subjects:
    who = who or {}
    return Subjects(tuple(sorted(set(who.get("groups") or ()))), tuple(sorted(set(who.get("users") or ()))))


def _unknown(kind: str, name: str, place: Location, known: list[str], remedy: str) -> Finding:
    spelling = near(name, known)
    hint = f"did you mean {spelling}? " if spelling else ""
    return error(
        f"unknown-{kind}", f"the {kind} {name} does not exist", place, f"{hint}{remedy}", layer=Layer.REFERENCE
    )


def _same_name(queues: list[ClusterQueue]) -> Iterator[Finding]:
    first: dict[str, ClusterQueue] = {}
    for queue in queues:
        before = first.setdefault(queue.name, queue)
        if before is not queue and before.team != queue.team:
            yield error(
                "defined-twice",
                f"team {queue.team}'s queue {queue.queue} and team {before.team}'s queue {before.queue} would both be ClusterQueue {queue.name}",
                queue.origin,
                "rename one of them",
                related=(Related(before.origin, f"queue {before.queue} of team {before.team}"),),
            )


def _too_many(owner: str, flavors: tuple[FlavorQuota, ...], kueue: Kueue, place: Location) -> Iterator[Finding]:
    resources = len(flavors[0].resources) if flavors else 0
    for count, key, what in ((len(flavors), "flavors", "pools"), (resources, "coveredResources", "resources")):
        if count > (limit := kueue.limits[key]):
            yield error(
                "too-many-flavors",
                f"{owner} has {count} {what}, and Red Hat build of Kueue {kueue.version} allows {limit}",
                place,
                "split the queue",
                layer=Layer.SCHEMA,
            )
