"""Which guardrails an environment asks for, who passes them, and what of it its cluster or Argo CD cannot do."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from generator.environment.cluster import ArgoCD
from generator.environment.cluster import Guardrails as Given
from generator.environment.load import Inputs
from generator.finding import Finding, Layer, Severity, error
from generator.plan.model import Guardrails, Pool, Subjects
from generator.plan.releases import Releases
from generator.releases import load
from generator.source import at, value_at

NAMES = ("queues", "localQueues", "workloads", "profiles")
# Everybody who has logged in, every pod: who is in one of these is no exception.
_EVERYBODY = frozenset(
    ("system:authenticated", "system:authenticated:oauth", "system:unauthenticated", "system:serviceaccounts")
)
# source: opendatahub-operator pkg/feature, determineSvcAccountName for RHOAI; bundle CSV of rhods-operator
_OPERATOR_ACCOUNT = "redhat-ods-operator-controller-manager"


def resolve(
    inputs: Inputs, targets: Releases, pools: Mapping[str, Pool], argocd: tuple[str, str], *, remote: bool
) -> tuple[Guardrails, list[Finding]]:
    """Return the guardrails; `argocd` is the namespace and name of its instance, `remote` that it runs elsewhere."""
    environment = inputs.environment
    given, of_argocd = environment.get("guardrails") or Given(), environment.get("argocd") or ArgoCD()
    people = given.get("breakGlass") or {}
    namespace, instance = argocd
    guardrails = Guardrails(
        actions={name: given[name] for name in NAMES if name in given},  # type: ignore[literal-required]  # its keys
        policies=dict(sorted((given.get("policies") or {}).items())),
        break_glass=Subjects(tuple(people.get("groups") or ()), tuple(people.get("users") or ())),
        argocd_account=of_argocd.get("account")
        or f"system:serviceaccount:{namespace}:{instance}-argocd-application-controller",
        operator_account=f"system:serviceaccount:{load.operator('openshift-ai').namespace}:{_OPERATOR_ACCOUNT}",
        operator_makes_queues=targets.openshift_ai.default_queue == "always",
        home=_home(inputs),
        origin=at(environment, "guardrails") if "guardrails" in environment else at(environment, "platform"),
    )
    unknown = remote and "account" not in of_argocd
    return guardrails, [*_defects(inputs, guardrails, targets, unknown=unknown), *_in_vain(guardrails, pools)]


def _home(inputs: Inputs) -> str:
    """Return the environment's folder as the Git repository has it, such as clusters/environments/prod."""
    path = (inputs.environment["repository"].get("path") or "").strip("/")
    folder = at(inputs.environment).file.rpartition("/")[0]
    return "/".join(part for part in (path, folder) if part)


def _defects(inputs: Inputs, asked: Guardrails, targets: Releases, *, unknown: bool) -> Iterator[Finding]:
    given = inputs.environment.get("guardrails") or Given()
    if (asked.actions or asked.policies) and not targets.has_admission_policies:
        first = next(v for v in load.known("openshift") if (r := load.openshift(v)) and r.admission_policies)
        yield error(
            "guardrails-need-openshift",
            f"OpenShift {targets.openshift} has no ValidatingAdmissionPolicy v1, which guardrails are made of",
            asked.origin,
            f"remove guardrails until the cluster runs OpenShift {first} or later",
            layer=Layer.SCHEMA,
        )
    for name in asked.break_glass.groups:
        if name in _EVERYBODY:
            groups = (given.get("breakGlass") or {}).get("groups") or []
            yield error(
                "break-glass-for-all",
                f"everybody is in {name}: guardrails with it under breakGlass stop nobody",
                at(groups, asked.break_glass.groups.index(name)),
                "name a group that people join for an emergency",
            )
    if "queues" not in asked.actions:
        return
    if not asked.break_glass:
        yield error(
            "guardrail-without-break-glass",
            "guardrails.queues lets nobody but Argo CD change a queue, and breakGlass names nobody for an emergency",
            value_at(given, "queues"),
            "add breakGlass: {groups: […]} beside it",
        )
    if unknown:
        yield error(
            "guardrail-without-account",
            "guardrails.queues lets Argo CD alone change queues, and it comes to this cluster from another one: "
            "as which user is not known",
            value_at(given, "queues"),
            "add argocd: {account: …}, the user of its cluster secret, "
            "such as system:serviceaccount:kube-system:argocd-manager",
        )


def _in_vain(asked: Guardrails, pools: Mapping[str, Pool]) -> Iterator[Finding]:
    if "workloads" in asked.actions and not any(pool.offers for pool in pools.values()):
        yield Finding(
            "guardrail-in-vain",
            Severity.WARNING,
            Layer.POLICY,
            "guardrails.workloads guards accelerators, and no pool has any: nothing is written for it",
            asked.origin,
            "remove it, or add the pool",
        )
