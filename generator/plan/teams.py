"""Teams' quotas → who they are, their namespaces, ClusterQueues and LocalQueues."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from generator.environment import quotas as given
from generator.environment import team as given_team
from generator.environment.load import Inputs
from generator.finding import Finding, Layer, Location, error
from generator.plan import local_queues, queues
from generator.plan.model import Pool, Subjects, Team
from generator.plan.namespaces import namespaces
from generator.plan.overrides import Overrides
from generator.releases.model import Kueue
from generator.source import at, value_at
from generator.spelling import or_else


def resolve(
    inputs: Inputs, pools: Mapping[str, Pool], kueue: Kueue, overrides: Overrides
) -> tuple[tuple[Team, ...], list[Finding]]:
    """Return the teams that have a quota here, by name, and what is wrong with them."""
    teams: list[Team] = []
    findings: list[Finding] = []
    for quota in inputs.quotas:
        findings += _defects(quota, inputs)
        spaces, found = namespaces(quota, quota["team"])
        findings += found
        own, found = queues.resolve(quota, spaces, pools, kueue, overrides)
        findings += found
        local, found = local_queues.resolve(quota, spaces, own)
        findings += found
        who = inputs.teams.get(quota["team"]) or given_team.Team(name=quota["team"])
        team = Team(
            name=quota["team"],
            display_name=who.get("displayName"),
            contact=who.get("contact"),
            cost_center=who.get("costCenter"),
            admins=_subjects(who.get("admins")),
            members=_subjects(who.get("members")),
            viewers=_subjects(who.get("viewers")),
            namespaces=spaces,
            queues=own,
            local_queues=local,
            as_of=overrides.since(quota["team"]),
            origin=at(quota),
        )
        teams.append(team)
    findings += queues.same_name([queue for team in teams for queue in team.queues])
    return tuple(sorted(teams, key=lambda team: team.name)), findings


def _subjects(who: given_team.Subjects | None) -> Subjects:
    who = who or {}
    return Subjects(tuple(sorted(set(who.get("groups") or ()))), tuple(sorted(set(who.get("users") or ()))))


def _defects(quota: given.TeamQuota, inputs: Inputs) -> Iterator[Finding]:
    name, cohort = quota["team"], quota.get("cohort")
    if name not in inputs.teams:
        fix = or_else(name, inputs.teams, "add a document of kind Team")
        yield _unknown("team", name, fix, value_at(quota, "team"))
    cohorts = [item["name"] for item in inputs.cohorts]
    if cohort is not None and cohort not in cohorts:
        fix = or_else(cohort, cohorts, "declare it under cohorts")
        yield _unknown("cohort", cohort, fix, value_at(quota, "cohort"))


def _unknown(kind: str, name: str, fix: str, place: Location) -> Finding:
    return error(
        f"unknown-{kind}", f"the quotas name the {kind} {name}, which does not exist", place, fix, layer=Layer.REFERENCE
    )
