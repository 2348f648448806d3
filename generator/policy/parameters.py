"""policyParameters: what an environment, or the fleet, sets instead of policies' own values."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from generator.environment.explain import shown
from generator.finding import Finding, Location, error
from generator.plan.model import Plan
from generator.policy.engine import Parameters
from generator.policy.model import Policy, plain
from generator.source import Map, at, value_at
from generator.spelling import remedy

KEY = "policyParameters"
_TYPES = {
    bool: "true or false",
    int: "a whole number",
    float: "a number",
    str: "text",
    list: "a list",
    dict: "a mapping",
}


def resolve(plan: Plan, policies: Sequence[Policy]) -> tuple[Parameters, list[Finding]]:
    """Return the parameters of each policy in an environment, and those that no policy has or whose type is wrong.

    What the environment says wins over what the fleet says.
    """
    known = {name: value for policy in policies for name, value in policy.params.items()}
    chosen: dict[str, Any] = {}
    findings: list[Finding] = []
    documents: tuple[Mapping[str, Any], ...] = (plan.given.fleet, plan.given.environment)
    for written in (document.get(KEY) or {} for document in documents):
        for name in written:
            found = _defect(name, written, known)
            findings += found
            if not found:
                chosen[name] = in_type_of(known[name], plain(written[name]))
    return {p.id: {name: chosen.get(name, value) for name, value in p.params.items()} for p in policies}, findings


def in_type_of(default: Any, value: Any) -> Any:
    """Return a value in the type of the default: CEL does not add 1 to 1.5."""
    return float(value) if isinstance(default, float) else value


def _defect(name: str, written: Mapping[str, Any], known: Mapping[str, Any]) -> list[Finding]:
    if name not in known:
        message = f"{KEY} has {name}, which no policy has"
        fix = remedy(name, sorted(known), "parameters are")
        return [error("unknown-policy-parameter", message, _at(written, name), fix)]
    default, value = known[name], plain(written[name])
    if _fits(default, value):
        return []
    wanted = _TYPES[type(default)]
    message = f"{KEY}.{name} is {shown(value)}"
    place = value_at(written, name) if isinstance(written, Map) else None
    return [error("invalid-policy-parameter", message, place, f"write {wanted}, such as {json.dumps(default)}")]


def _fits(default: Any, value: Any) -> bool:
    if isinstance(value, bool) or isinstance(default, bool):
        return isinstance(value, bool) and isinstance(default, bool)
    return isinstance(value, int | float) if isinstance(default, float) else isinstance(value, type(default))


def _at(written: Mapping[str, Any], name: str) -> Location | None:
    return at(written, name) if isinstance(written, Map) else None
