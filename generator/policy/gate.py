"""The gate: what policies object to in every environment that is sound enough to be judged."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from generator.finding import Finding, Layer
from generator.manifest import Manifest
from generator.plan.ledger import Ledger
from generator.plan.model import Plan
from generator.policy import engine, parameters
from generator.policy.model import Policy
from generator.policy.world import World

Environment = tuple[Plan, Ledger, Sequence[Manifest]]
"""All that is judged of one environment."""


def judge(policies: Mapping[str, Policy], environments: Iterable[Environment]) -> list[Finding]:
    """Return the objections of all policies to all environments, and what is wrong with their policyParameters."""
    chosen = list(policies.values())
    findings: list[Finding] = []
    for plan, ledger, manifests in environments:
        values, found = parameters.resolve(plan, chosen)
        world = World(plan, ledger, manifests)
        findings += found + engine.judge(chosen, world, world.plan.environment, values)
    return findings


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
