"""ValidatingAdmissionPolicy and its binding: what guardrails and users' own policies have in common.

Source: Kubernetes documentation, Validating Admission Policy; k8s.io/api admissionregistration/v1 types.go.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from generator.emit.guardrails import API
from generator.emit.marks import labels
from generator.finding import Location
from generator.frozen import dataclass, field
from generator.manifest import Manifest, manifest
from generator.plan.model import MANAGED_LABEL, Plan

MANAGED: Mapping[str, Any] = {"matchLabels": {MANAGED_LABEL: "true"}}
CHANGES = ("CREATE", "UPDATE")
BREAK_GLASS = "not-break-glass"
_NAMED = 3  # in a message, which the API server cuts off at 5 KiB

Rule = Mapping[str, Any]
Named = Mapping[str, str]
"""Names → expressions, in the order in which they are evaluated."""


@dataclass(frozen=True, slots=True)
class Guard:
    """One policy: it looks at requests that `rules`, `namespaces` and all `conditions` let through.

    `allowed` is a CEL predicate; `message` is CEL text about a request for which it does not hold, `plainly` the same
    in fixed words, for where that text cannot be made.
    """

    name: str
    rules: Sequence[Rule]
    allowed: str
    message: str
    plainly: str
    conditions: Named = field(default_factory=dict)
    variables: Named = field(default_factory=dict)
    namespaces: Mapping[str, Any] = field(default_factory=dict)


def rule(group: str, version: str, resources: Iterable[str], operations: Sequence[str]) -> Rule:
    """Return a rule about resources of a group; a version of "*" leaves none out that a later release adds."""
    return {
        "apiGroups": [group],
        "apiVersions": [version],
        "operations": list(operations),
        "resources": list(resources),
        "scope": "*",
    }


def literal(text: str) -> str:
    """Return text as a CEL string, whatever it holds: JSON's escapes are CEL's, without pairs of surrogates."""
    return json.dumps(text, ensure_ascii=False)


def literals(texts: Iterable[str]) -> str:
    """Return texts as a CEL list."""
    return f"[{', '.join(map(literal, texts))}]"


def break_glass(plan: Plan) -> Named:
    """Return the condition that leaves out whom the environment names for an emergency; none where it names nobody."""
    people = plan.guardrails.break_glass
    tests = [f"request.userInfo.username in {literals(people.users)}"] * bool(people.users)
    if people.groups:
        tests.append(f"request.userInfo.?groups.orValue([]).exists(g, g in {literals(people.groups)})")
    return {BREAK_GLASS: f"!({' || '.join(tests)})"} if tests else {}


def way_out(plan: Plan) -> str:
    """Return the end of messages to those who are in a hurry: who may pass."""
    people = plan.guardrails.break_glass
    names = [*(f"group {name}" for name in people.groups), *(f"user {name}" for name in people.users)]
    more = [f"{len(names) - _NAMED} more"] if len(names) > _NAMED else []
    return f"; in an emergency {' or '.join(names[:_NAMED] + more)} may" if names else ""


def emit(guard: Guard, action: str, plan: Plan, origin: Location | None = None) -> Iterator[Manifest]:
    """Yield the policy and its binding."""
    marks, place = labels(plan.name), origin or plan.guardrails.origin
    constraints: dict[str, Any] = {
        "matchPolicy": "Equivalent",
        "namespaceSelector": dict(guard.namespaces),
        "objectSelector": {},
        "resourceRules": list(guard.rules),
    }
    spec: dict[str, Any] = {"failurePolicy": "Fail", "matchConstraints": constraints}
    if guard.conditions:
        spec["matchConditions"] = _named(guard.conditions)
    if guard.variables:
        spec["variables"] = _named(guard.variables)
    spec["validations"] = [
        {
            "expression": guard.allowed,
            "message": guard.plainly,
            "messageExpression": guard.message,
            "reason": "Forbidden",
        }
    ]
    yield manifest(API, "ValidatingAdmissionPolicy", guard.name, labels=marks, origin=place, spec=spec)
    binding = {"policyName": guard.name, "validationActions": [action]}
    yield manifest(API, "ValidatingAdmissionPolicyBinding", guard.name, labels=marks, origin=place, spec=binding)


def _named(expressions: Named) -> list[dict[str, str]]:
    return [{"name": name, "expression": expression} for name, expression in expressions.items()]
