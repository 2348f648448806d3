"""`apportion policy list|show ID|test`: the policies, one policy's page, their own examples as tests."""

from __future__ import annotations

import json
import sys
from argparse import ArgumentParser, Namespace
from pathlib import Path

from generator.commands.answer import answer
from generator.commands.read import find_root
from generator.finding import FatalError, in_order
from generator.policy import page, selftest, shipped
from generator.policy.model import Policy
from generator.report.text import amount, counted
from generator.spelling import hint

ACTIONS = ("list", "show", "test")


def arguments(parser: ArgumentParser) -> None:
    """Declare what to do, with which policy, and `--markdown`."""
    parser.add_argument("action", choices=ACTIONS, metavar="|".join(ACTIONS), help="what to do")
    parser.add_argument("id", nargs="?", metavar="ID", help="of the policy to show, or the only one to test")
    parser.add_argument("--markdown", action="store_true", help="list them as a page: what policies/README.md holds")


def run(options: Namespace) -> int:
    """Print policies, or test them: those that ship and those of the repository, if one is around."""
    policies, findings = shipped.policies(_root(options.root), thorough=True)
    if options.id is not None and options.id not in policies:
        raise FatalError(
            f"unknown policy {options.id}", f"{hint(options.id, policies)}apportion policy list names them"
        )
    chosen = [policies[options.id]] if options.id is not None else list(policies.values())
    if options.action == "test":
        findings = in_order(findings + [finding for policy in chosen for finding in selftest.test(policy)])
        return answer(options, findings, sys.stdout, f"{_tested(chosen)}: {counted(findings)}")
    if options.action == "show" and options.id is None:
        raise FatalError("which policy?", "apportion policy show ID; apportion policy list names them")
    sys.stdout.write(_shown(options, chosen))
    return 0


def _root(given: str | None) -> Path | None:
    try:
        return find_root(given)
    except FatalError:
        if given is not None:
            raise
        return None  # outside of any repository there are still those that ship


def _shown(options: Namespace, policies: list[Policy]) -> str:
    if options.format == "json":
        return json.dumps({"version": 1, "policies": [page.record(policy) for policy in policies]}, indent=2) + "\n"
    if options.markdown:
        return page.markdown(policies)
    return page.text(policies[0]) if options.action == "show" else page.table(policies)


def _tested(policies: list[Policy]) -> str:
    examples = sum(len(policy.passing) + len(policy.failing) for policy in policies)
    count = "1 policy" if len(policies) == 1 else f"{len(policies)} policies"
    return f"{count}, {amount(examples, 'example')}"
