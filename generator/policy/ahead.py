"""`python -m generator.policy.ahead`: make ahead of all runs what `generator.kept` has."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from generator import facts, kept, package
from generator.policy import cel, rows, shipped
from generator.policy.model import Policy
from generator.schemas import load
from generator.validate.cel import ahead, engine
from generator.validate.cel.rewrite import rewrite
from generator.validate.rule_tree import RuleNode, rule_tree


def everything() -> dict[str, dict[str, Any]]:
    """Return what is kept for all runs: expressions, shipped policies, and facts."""
    policies, _ = shipped.policies(None, thorough=True)
    return {
        "programs": programs(policies),
        "shipped": rows.rows(policies, package.policies()),
        "facts": facts.all_documents(),
    }


def programs(policies: Mapping[str, Policy]) -> dict[str, Any]:
    """Return the serialized programs of every run: of all items of a policy, and of all rules at one place."""
    texts = {rewrite(policy.with_params(policy.of_all)) for policy in policies.values()}
    rules = {rewrite(node.together, node.times) for node in _places() if node.state_rules}
    return {
        "made_for": ahead.made_for(),
        "policy": {text: cel.runtime().compile(text).serialize() for text in sorted(texts)},
        "rule": {text: engine.environment()[0].compile(text).serialize() for text in sorted(rules)},
    }


def _places() -> Iterator[RuleNode]:
    """Yield every place with rules in any schema."""
    waiting = [rule_tree(schema.structure, {}, creating=True) for schema in load.every()]
    while waiting:
        node = waiting.pop()
        if node is not None:
            yield node
            waiting += [below for _, below in node.fields] + [node.values, node.items]


if __name__ == "__main__":
    kept.keep(everything())
