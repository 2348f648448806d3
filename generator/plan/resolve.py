"""An environment's inputs and the facts of its releases → the Plan. Pure: no files, clock, environment variables."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from generator.environment import fleet
from generator.environment.load import Inputs
from generator.environment.load import Repository as Given
from generator.finding import Finding, Layer, Severity, error
from generator.plan import (
    cohorts,
    components,
    guardrails,
    kueue,
    operators,
    pools,
    preflight,
    profiles,
    releases,
    runtimes,
    teams,
    topologies,
)
from generator.plan.model import Plan, Priority, Repository
from generator.plan.overrides import Overrides
from generator.source import at

IN_CLUSTER = "https://kubernetes.default.svc"
GITOPS_NAMESPACE = "openshift-gitops"


def resolve(inputs: Inputs, as_of: str | None) -> tuple[Plan | None, list[Finding]]:
    """Return the plan of one environment, and all that is wrong; None when its releases are unknown.

    `as_of` is the day (YYYY-MM-DD) whose overrides apply; None: none does.
    """
    targets, findings = releases.resolve(inputs)
    if targets is None:
        return None, findings
    environment, release = inputs.environment, targets.openshift_ai
    states, kueue_state, found = components.resolve(inputs, release)
    findings += found
    settings, found = kueue.resolve(inputs, states, targets.kueue)
    findings += found
    reserved = release.default_flavors if release.default_queue == "always" else ()
    pool, levels, found = pools.resolve(inputs, reserved)
    findings += found + list(topologies.defects(pool, levels, targets.kueue))
    if any(f.severity is Severity.ERROR for f in found):
        return None, findings  # what refers to a broken pool would be reported as unknown
    tree, found = cohorts.resolve(inputs, pool, targets.kueue)
    findings += found
    overrides = Overrides(inputs, pool, as_of)
    findings += overrides.findings
    team, found = teams.resolve(inputs, pool, targets.kueue, overrides)
    findings += found
    subscriptions, found = operators.resolve(inputs, targets, states, settings, pool)
    findings += found
    managed = frozenset(s.component.name for s in states if s.state == "Managed")
    manual = {s.operator.id for s in subscriptions if s.approval == "Manual"}
    findings += releases.advisories(targets, managed, manual, at(environment, "platform"))
    priorities = _priorities(inputs)
    findings += _classes(inputs, {q.use for t in team for q in t.queues}, priorities)
    profile, found = profiles.resolve(inputs, pool, team, priorities, release)
    findings += found
    runtime, found = runtimes.resolve(inputs, pool, team, release, trainer="trainer" in managed)
    findings += found
    default, found = kueue.default_queue(inputs, pool, release, targets.kueue, kueue_state)
    findings += found
    repository, argocd = environment["repository"], environment.get("argocd") or {}
    server = (environment.get("cluster") or {}).get("server", IN_CLUSTER)
    namespace = argocd.get("namespace", GITOPS_NAMESPACE)
    instance = argocd.get("instance", namespace)
    guards, found = guardrails.resolve(inputs, targets, pool, (namespace, instance), remote=server != IN_CLUSTER)
    findings += found
    check, found = preflight.resolve(inputs, team, subscriptions, namespace)
    findings += found
    plan = Plan(
        name=inputs.name,
        given=inputs,
        as_of=as_of,
        openshift=targets.openshift,
        has_admission_policies=targets.has_admission_policies,
        openshift_ai=release,
        kueue=targets.kueue,
        gitops=targets.gitops,
        server=server,
        argocd_namespace=namespace,
        argocd_instance=instance,
        preflight=check,
        repository=Repository(
            repository["url"], repository.get("revision", "main"), repository.get("path", "").strip("/")
        ),
        guardrails=guards,
        components=states,
        kueue_state=kueue_state,
        kueue_fields=components.kueue_fields(release),
        dsci_spec=components.dsci_spec(states, release),
        settings=settings,
        subscriptions=subscriptions,
        priorities=priorities,
        pools=pool,
        topologies=tuple(levels),
        cohorts=tree,
        default_queue=default,
        teams=team,
        profiles=profile,
        runtimes=runtime,
        parameters={**(inputs.fleet.get("policyParameters") or {}), **(environment.get("policyParameters") or {})},
        origin=at(environment),
    )
    return plan, findings


def _priorities(inputs: Inputs) -> tuple[Priority, ...]:
    written = inputs.fleet.get("priorities") or ()
    return tuple(
        sorted((Priority(p["name"], p["value"], p.get("description"), at(p)) for p in written), key=lambda p: p.name)
    )


def _classes(inputs: Inputs, uses: set[str], priorities: tuple[Priority, ...]) -> Iterator[Finding]:
    """Yield one finding for the presets in use whose priority class the fleet lacks."""
    lacking = sorted(uses - {p.name for p in priorities})
    if lacking:
        place = at(inputs.fleet, "priorities") if "priorities" in inputs.fleet else at(inputs.environment)
        yield Finding(
            "preset-without-priority",
            Severity.WARNING,
            Layer.POLICY,
            f"queues use the presets {', '.join(lacking)}, and the fleet has no priorities of these names: "
            "their workloads rank alike",
            place,
            "add them under priorities in the Fleet",
        )


def fleet_wide(given: Given, plans: Sequence[Plan]) -> Iterator[Finding]:
    """Yield profiles and runtimes that no environment at all can have; meaningful only when all are resolved."""
    for profile in given.fleet.get("profiles") or ():
        yield from _unused_profile(profile, plans)
    able = [plan for plan in plans if plan.state("trainer") == "Managed"]
    for runtime in given.fleet.get("runtimes") or ():
        if not any(runtimes.is_possible(runtime, plan.pools) for plan in able):
            yield _unused_runtime(runtime, able)


def _unused_profile(profile: fleet.Profile, plans: Sequence[Plan]) -> Iterator[Finding]:
    name, pool = profile["name"], profile["pool"]
    with_pool = [plan for plan in plans if pool in plan.pools]
    if not with_pool:
        yield Finding(
            "unused-profile",
            Severity.WARNING,
            Layer.REFERENCE,
            f"profile {name}: no environment has a pool {pool}",
            at(profile, "pool"),
            "correct the pool, or remove the profile",
        )
    elif not any(profiles.is_usable(profile, plan.pools, plan.teams) for plan in with_pool):
        yield error(
            "profile-queue-missing",
            f"profile {name} submits to the queue {profile['queue']} with pool {pool}, "
            "and no namespace has such a LocalQueue",
            at(profile, "queue"),
            "give a team's queue of that name a share of the pool, or name another queue",
            layer=Layer.REFERENCE,
        )


def _unused_runtime(runtime: fleet.Runtime, able: Sequence[Plan]) -> Finding:
    reason = "has a pool for it" if able else "has the component trainer"
    way_out = "correct its pool or accelerator" if able else "add trainer to an environment's components"
    return Finding(
        "unused-runtime",
        Severity.WARNING,
        Layer.REFERENCE,
        f"runtime {runtime['name']}: no environment {reason}",
        at(runtime),
        f"{way_out}, or remove the runtime",
    )
