"""Whether each sync is preceded by a Job that holds the cluster against the tree, and where that Job runs."""

from __future__ import annotations

from collections.abc import Iterable

from generator.environment.load import Inputs
from generator.finding import Finding, error
from generator.plan.model import Preflight, Subscription, Team
from generator.source import value_at

NAMESPACE = "apportion-preflight"


def resolve(
    inputs: Inputs, teams: Iterable[Team], subscriptions: Iterable[Subscription], argocd_namespace: str
) -> tuple[Preflight | None, list[Finding]]:
    """Return the check that an environment asks for, or None; its namespace has to be its own.

    Kueue governs the namespaces of teams, and there the Job that looks at the queues could wait in one; in that of
    Argo CD its account would stand beside those that may write.
    """
    given = (inputs.environment.get("argocd") or {}).get("preflight")
    if given is None:
        return None, []
    namespace = given.get("namespace", NAMESPACE)
    owners = {space.name: f"team {team.name}" for team in teams for space in team.namespaces}
    owners |= {s.operator.namespace: s.operator.title for s in subscriptions}
    owner = {**owners, argocd_namespace: "Argo CD"}.get(namespace)
    findings = []
    if owner is not None:
        message = f"the preflight Job cannot run in {namespace}, the namespace of {owner}"
        place = value_at(given, "namespace" if "namespace" in given else "image")
        findings.append(error("preflight-namespace-taken", message, place, f"remove namespace: it is {NAMESPACE} then"))
    return Preflight(given["image"], namespace), findings
