"""A policy's own examples: what it must accept and what it must refuse."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from generator.finding import Finding, Layer, Location, ObjectRef, error
from generator.policy.engine import CRASHED, judge
from generator.policy.model import Example, Item, Policy
from generator.policy.parameters import in_type_of

_TODAY = "9999-12-31"  # every policy is in force


def test(policy: Policy) -> Iterator[Finding]:
    """Yield an error for each example that a policy does not judge as it should, at the example's line."""
    for example in policy.passing:
        for finding in outcome(policy, example):
            yield _wrong(policy, example, f"refuses the example {example.name!r}, which must pass: {finding.message}")
    for example in policy.failing:
        found = outcome(policy, example)
        for finding in found:
            if finding.rule == CRASHED:
                yield _wrong(policy, example, f"fails on the example {example.name!r}: {finding.message}")
        if not found:
            yield _wrong(policy, example, f"accepts the example {example.name!r}, which must fail")


def outcome(policy: Policy, example: Example) -> list[Finding]:
    """Return what a policy says about an example."""
    items = [_item(policy, data, example.origin) for data in example.items]
    environment = {"asOf": _TODAY, **example.environment}
    chosen = {name: in_type_of(policy.params[name], value) for name, value in example.params.items()}
    return judge([policy], lambda _: items, environment, {policy.id: {**policy.params, **chosen}})


def _item(policy: Policy, data: Mapping[str, Any], origin: Location) -> Item:
    known = {**data, **(data.get("metadata") or {})}
    name = next((known[key] for key in ("name", "owner", "queue", "pool") if known.get(key)), "item")
    return Item(data, origin, ObjectRef(None, policy.each, str(name)))


def _wrong(policy: Policy, example: Example, said: str) -> Finding:
    return error(
        "policy-example-failed",
        f"policy {policy.id} {said}",
        example.origin,
        "correct the rule, or the example",
        layer=Layer.POLICY,
    )
