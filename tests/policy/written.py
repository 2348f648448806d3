"""A policy as text, whole but for what a test changes; and what is said of it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from generator.finding import Finding, Location, ObjectRef
from generator.policy.engine import judge
from generator.policy.load import load
from generator.policy.model import Item, Policy

PATH = "policies/own/too-many.yaml"
LINES = {
    "apiVersion": "apportion.dev/v1",
    "kind": "Policy",
    "id": "too-many",
    "title": "Too many",
    "severity": "error",
    "each": "plan.shares",
    "rule": "item.accelerators <= params.most",
    "message": "'\"%s has %d\".format([item.owner, item.accelerators])'",
    "fix": "take fewer",
    "why": "there are no more",
    "source": "https://example.com/why",
    "params": "{most: 2}",
    "examples": "{pass: [{name: two, plan: {shares: {owner: a, accelerators: 2}}}],"
    " fail: [{name: three, plan: {shares: {owner: a, accelerators: 3}}}]}",
}
"""Each key stands in the line of its place here: `rule` in the seventh."""


def text(**changes: str | None) -> bytes:
    """Return the policy with keys changed or added, and those that are None left out."""
    lines = {**LINES, **changes}
    return "".join(f"{key}: {value}\n" for key, value in lines.items() if value is not None).encode()


def policy(**changes: str | None) -> Policy:
    """Return the policy, which is sound."""
    found, findings = load({PATH: text(**changes)})
    assert said(findings) == []
    (loaded,) = found.values()
    return loaded


def said(findings: Sequence[Finding]) -> list[str]:
    """Return findings as "policies/own/too-many.yaml:7:7 invalid-policy …", without remedies."""
    return [f"{finding.location} {finding.rule} {finding.message}" for finding in findings]


def item(**data: Any) -> Item:
    """Return an item at a line of its own, the number of accelerators."""
    place = Location("environments/prod/quotas.yaml", int(data.get("accelerators", 0)) + 1, 1)
    return Item(data, place, ObjectRef("prod", "ClusterQueue", str(data.get("owner", "?"))))


def judged(chosen: Policy, *items: Item, as_of: str = "") -> list[Finding]:
    """Return what a policy says of items, with its own parameters."""
    return judge([chosen], lambda _: items, {"asOf": as_of}, {chosen.id: chosen.params})
