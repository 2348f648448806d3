"""A policy about single objects → what the API server enforces of it: the same predicate over `object`.

What cannot be carried over in the same words is refused, with the reason: nothing is left out or guessed.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from generator.emit.admission import CHANGES, MANAGED, Guard, break_glass, emit, literal, rule, way_out
from generator.finding import Finding, Location, Related, error
from generator.manifest import Manifest
from generator.plan.model import Plan
from generator.policy.items import MANIFESTS
from generator.policy.model import Policy
from generator.policy.translation import NotTranslatableError, predicate, text, variables
from generator.releases import load
from generator.source import at
from generator.spelling import remedy
from generator.validate.kinds import is_built_in, plural

PREFIX = "apportion-policy-"
Guards = tuple[list[Manifest], list[Finding]]


def guards(policies: Mapping[str, Policy], plan: Plan, values: Mapping[str, Mapping[str, Any]]) -> Guards:
    """Return the admission policies of `guardrails.policies`, and why there is none of a policy.

    `values` are the parameters of each policy in this environment.
    """
    manifests: list[Manifest] = []
    findings: list[Finding] = []
    given = plan.given.environment.get("guardrails") or {}
    for name, action in plan.guardrails.policies.items() if plan.has_admission_policies else ():
        place = at(given["policies"], name)
        if name not in policies:
            findings.append(_unknown(name, policies, place))
            continue
        try:
            manifests += emit(_guard(policies[name], plan, values[name]), action, plan, place)
        except NotTranslatableError as problem:
            findings.append(_refused(policies[name], problem, place))
    return manifests, findings


def _unknown(name: str, policies: Mapping[str, Policy], place: Location) -> Finding:
    said = f"guardrails.policies has {name}, which is no policy"
    about_objects = [id_ for id_, policy in policies.items() if policy.each.startswith(MANIFESTS)]
    return error("unknown-policy", said, place, remedy(name, about_objects, "those about objects are"))


def _refused(policy: Policy, problem: NotTranslatableError, place: Location) -> Finding:
    source = policy.places.get(problem.key, policy.origin)
    return error(
        "policy-not-for-admission",
        f"the API server cannot enforce policy {policy.id}: {problem}",
        place,
        f"{problem.fix}, or take the policy out of guardrails: check goes on to apply it",
        related=(Related(source, f"{problem.key or 'policy'} of {policy.id}"),),
    )


def _guard(policy: Policy, plan: Plan, values: Mapping[str, Any]) -> Guard:
    """Return the policy as a guardrail.

    An object that is being deleted is not judged: its finalizers have to go.

    Raises:
        NotTranslatableError: it cannot be carried over.
    """
    release = load.openshift(plan.openshift)
    kubernetes = release.kubernetes if release else None
    groups = _groups(policy)
    is_own = all(is_built_in(group) for group in groups)
    known = variables(policy, values)
    return Guard(
        f"{PREFIX}{policy.id}",
        [rule(group, "*", (plural(_kind(policy)),), CHANGES) for group in groups],
        predicate(policy, known, kubernetes),
        f"{text(policy, known, kubernetes)} + {literal(f'; {policy.fix}{way_out(plan)}')}",
        policy.title,
        conditions={
            "not-being-deleted": "request.operation != 'UPDATE' || !has(object.metadata.deletionTimestamp)",
            **break_glass(plan),
        },
        variables=known,
        # what every namespace of the cluster has, the platform's own included, is judged where teams are
        namespaces=MANAGED if is_own else {},
    )


def _kind(policy: Policy) -> str:
    return policy.each.removeprefix(MANIFESTS)


def _groups(policy: Policy) -> list[str]:
    """Return the API groups of the kind that a policy is about.

    Raises:
        NotTranslatableError: it is not about objects of the cluster, or about a kind that we know no group of.
    """
    kind = _kind(policy)
    if not policy.each.startswith(MANIFESTS):
        said = f"it judges {policy.each}, which no single object of the cluster holds"
        raise NotTranslatableError("", said, f"write one that judges {MANIFESTS}<Kind>")
    known = dict(_known())
    if kind not in known:
        raise NotTranslatableError("", f"kind {kind} is of no API group that is known", remedy(kind, sorted(known)))
    return known[kind]


def _known() -> Iterator[tuple[str, list[str]]]:
    from generator.schemas.builtin import KINDS
    from generator.schemas.load import index
    from generator.validate.kinds import WORKLOADS

    names = {name.partition("/")[::2] for name in index()["kinds"]} | set(WORKLOADS)
    names |= {(name.split("/")[0], name.split("/")[2]) for name in KINDS}
    for kind in sorted({kind for _, kind in names}):
        yield kind, sorted(group for group, of in names if of == kind)
