"""`python -m generator.ahead`: make ahead of all runs what `generator.kept` has."""

from __future__ import annotations

import io
import os
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import redirect_stdout
from importlib import import_module
from pkgutil import walk_packages
from typing import Any
from unittest.mock import patch

import generator
from generator import cli, facts, frozen, kept, package, pattern
from generator.policy import cel, rows, shipped
from generator.policy.model import Policy
from generator.schemas import load
from generator.validate.cel import ahead, engine
from generator.validate.cel.rewrite import rewrite
from generator.validate.rule_tree import RuleNode, rule_tree


def everything() -> dict[str, dict[str, Any]]:
    """Return what is kept for all runs: expressions of both kinds, shipped policies, facts, and constructors."""
    policies, _ = shipped.policies(None, thorough=True)
    return {
        "patterns": {"codes": pattern.codes()},
        "constructors": frozen.constructors(_frozen_classes()),
        "programs": programs(policies),
        "shipped": rows.rows(policies, package.policies()),
        "facts": facts.all_documents(),
    }


def programs(policies: Mapping[str, Policy]) -> dict[str, Any]:
    """Return the serialized programs of every run: all that policies ask and say, and all rules at one place."""
    asked = (
        policy.with_params(text)
        for policy in policies.values()
        for text in (policy.of_all, policy.predicate, policy.message)
    )
    rules = {rewrite(node.together, node.times) for node in _places() if node.state_rules}
    return {
        "made_for": ahead.made_for(),
        "policy": {text: cel.runtime().compile(text).serialize() for text in sorted(set(map(rewrite, asked)))},
        "rule": {text: engine.environment()[0].compile(text).serialize() for text in sorted(rules)},
    }


def run_once() -> None:
    """Compile and check a repository as `init` writes it: what that needs of patterns, nearly every run needs."""
    with tempfile.TemporaryDirectory() as folder, patch.dict(os.environ, {"XDG_CACHE_HOME": f"{folder}/cache"}):
        repository = f"{folder}/repository"
        for command in ("init", "compile", "check", "ledger"):
            given = [repository] if command == "init" else ["--root", repository]
            with redirect_stdout(io.StringIO()) as said:
                if status := cli.main([command, *given, "--quiet"]):
                    raise RuntimeError(f"{command} ends with {status}: {said.getvalue()}")


def _frozen_classes() -> Iterator[type]:
    for module in walk_packages(generator.__path__, "generator."):
        if module.name != "generator.__main__":
            for value in vars(import_module(module.name)).values():
                if isinstance(value, type) and "__fields__" in vars(value):
                    yield value


def _places() -> Iterator[RuleNode]:
    """Yield every place with rules in any schema."""
    waiting = [rule_tree(schema.structure, {}, creating=True) for schema in load.every()]
    while waiting:
        node = waiting.pop()
        if node is not None:
            yield node
            waiting += [below for _, below in node.fields] + [node.values, node.items]


def keep_everything() -> None:
    """Make all and write it."""
    run_once()
    for name, data in everything().items():
        kept.keep(name, data)


if __name__ == "__main__":
    keep_everything()
