"""The gate: what policies object to in every environment that is sound enough to be judged, and in a step of one."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from generator.finding import Finding, Layer
from generator.manifest import Manifest
from generator.plan.ledger import Ledger
from generator.plan.model import Plan
from generator.policy import engine, parameters
from generator.policy.model import Item, Policy
from generator.policy.plan_items import PlanItems
from generator.policy.world import World

Environment = tuple[Plan, Ledger, Sequence[Manifest]]
"""All that is judged of one environment."""


def guards(policies: Mapping[str, Policy], plan: Plan) -> tuple[list[Manifest], list[Finding]]:
    """Return what an environment's cluster is to enforce of policies, as admission policies, and what it cannot."""
    if not plan.guardrails.policies:
        return [], []
    from generator.policy import live

    values, _ = parameters.resolve(plan, list(policies.values()))
    return live.guards(policies, plan, values)


def judge(policies: Mapping[str, Policy], environments: Iterable[Environment]) -> list[Finding]:
    """Return the objections of all policies to all environments, and what is wrong with their policyParameters.

    Those about changes are for `judge_changes`.
    """
    known = list(policies.values())
    chosen = [policy for policy in known if not policy.is_about_changes]
    findings: list[Finding] = []
    for plan, ledger, manifests in environments:
        values, found = parameters.resolve(plan, known)
        world = World(plan, ledger, manifests)
        findings += found + engine.judge(chosen, world, world.plan.environment, values)
    return findings


def judge_changes(policies: Mapping[str, Policy], plan: Plan, changes: Mapping[str, Sequence[Item]]) -> list[Finding]:
    """Return the objections to what a step changes in one environment, whose plan after it is given.

    `changes` are the items by collection. What is wrong with policyParameters, `judge` says.
    """
    values, _ = parameters.resolve(plan, list(policies.values()))
    chosen = [policy for policy in policies.values() if policy.is_about_changes]
    return engine.judge(chosen, changes.__getitem__, PlanItems(plan, Ledger(plan)).environment, values)


def once(findings: Sequence[Finding]) -> list[Finding]:
    """Return of findings that several environments share, such as about a team, the first: the cause is one."""
    seen: set[tuple[object, ...]] = set()
    left = []
    for finding in findings:
        key = (finding.rule, finding.severity, finding.location, finding.message)
        if finding.layer is not Layer.POLICY or key not in seen:
            left.append(finding)
        seen.add(key)
    return left
