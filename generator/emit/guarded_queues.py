"""Guardrails of the queues: they change through Git, stand where Kueue works, and profiles lead to them.

Status is a subresource that no rule names, so Kueue reports as ever. What it does to metadata is let through.
"""

from __future__ import annotations

from generator.emit.admission import (
    CHANGES,
    Guard,
    break_glass,
    literal,
    literals,
    rule,
    way_out,
)
from generator.plan.model import MANAGED_LABEL, Plan

GROUP = "kueue.x-k8s.io"
KINDS = (
    "admissionchecks",
    "clusterqueues",
    "cohorts",
    "localqueues",
    "resourceflavors",
    "topologies",
    "workloadpriorityclasses",
)
# Who takes away what has lost its owner or its namespace: refused, a namespace would stay Terminating for ever.
# source: kubernetes cmd/kube-controller-manager, --use-service-account-credentials (the third is without it)
_CLEANERS = (
    "system:serviceaccount:kube-system:generic-garbage-collector",
    "system:serviceaccount:kube-system:namespace-controller",
    "system:kube-controller-manager",
)
# Takes finalizers off, and writes the whole object again while it does: quantities that were spelled otherwise change.
# source: openshift/kueue-operator bindata, kueue-controller-manager ServiceAccount
_KUEUE = "system:serviceaccount:openshift-kueue-operator:kueue-controller-manager"
_PROFILES = "infrastructure.opendatahub.io"


def through_git(plan: Plan) -> Guard:
    """Queue objects are created, changed and deleted by Argo CD alone.

    An owner counts as a change: the garbage collector deletes what names one that does not exist.
    """
    guards = plan.guardrails
    makers = [guards.argocd_account, *([guards.operator_account] if guards.operator_makes_queues else ())]
    home = f"{guards.home}/ of {plan.repository.url}"
    plainly = f"queues are kept in Git: change {home} and let Argo CD sync it{way_out(plan)}"
    return Guard(
        "apportion-queues-change-through-git",
        [rule(GROUP, "*", KINDS, (*CHANGES, "DELETE"))],
        "request.operation == 'UPDATE' && !variables.changed",
        f"request.kind.kind + ' ' + request.?name.orValue('') + {literal(f' is not changed here, {plainly}')}",
        plainly,
        conditions={
            "not-those-who-keep-queues": f"!(request.userInfo.username in {literals([*makers, *_CLEANERS])})",
            "not-kueue-itself": f"request.operation != 'UPDATE' || request.userInfo.username != {literal(_KUEUE)}",
            **break_glass(plan),
        },
        # a priority class has a value in place of a spec
        variables={
            "changed": "object.?spec != oldObject.?spec || object.?value != oldObject.?value || "
            "object.metadata.?ownerReferences != oldObject.metadata.?ownerReferences"
        },
    )


def in_managed_namespaces(plan: Plan) -> Guard:
    """A LocalQueue elsewhere admits nothing, or lets in work that its namespace's team has no quota for."""
    plainly = (
        f"Kueue works in namespaces with the label {MANAGED_LABEL}: true, which Apportion writes: "
        f"add the namespace to a team in {plan.guardrails.home}/"
    )
    return Guard(
        "apportion-local-queues-in-managed-namespaces",
        [rule(GROUP, "*", ("localqueues",), ("CREATE",))],
        f"namespaceObject.metadata.?labels['{MANAGED_LABEL}'].orValue('') == 'true'",
        f"'namespace ' + request.namespace + ' is not managed by Kueue. ' + {literal(plainly)}",
        plainly,
        # up to 3.4 the operator also makes one where only the older label stands
        conditions=(_not_the_operator(plan) if plan.guardrails.operator_makes_queues else {}) | {**break_glass(plan)},
    )


def profiles_lead_to_queues(plan: Plan, resources: list[str]) -> Guard:
    """A hardware profile of type Node, or of none, puts whoever picks it on the accelerators without a quota."""
    plainly = (
        "a hardware profile with accelerators needs spec.scheduling.type Queue and the name of a LocalQueue; "
        f"profiles of the platform are written in the Fleet{way_out(plan)}"
    )
    accelerated = f"i.?resourceType.orValue('') == 'Accelerator' || i.?identifier.orValue('') in {literals(resources)}"
    return Guard(
        "apportion-accelerator-profiles-lead-to-queues",
        [rule(_PROFILES, "*", ("hardwareprofiles",), CHANGES)],
        "!variables.accelerated || object.spec.?scheduling.?type.orValue('') == 'Queue'",
        f"'HardwareProfile ' + request.?name.orValue('') + {literal(f' is refused: {plainly}')}",
        plainly,
        conditions={
            # metadata of one that was there before stays free, or its finalizers could not go
            "spec-changes": "request.operation != 'UPDATE' || object.?spec != oldObject.?spec",
            # it turns the accelerator profiles of older releases into such ones
            **_not_the_operator(plan),
            **break_glass(plan),
        },
        variables={"accelerated": f"has(object.spec) && object.spec.?identifiers.orValue([]).exists(i, {accelerated})"},
    )


def _not_the_operator(plan: Plan) -> dict[str, str]:
    return {"not-openshift-ai": f"request.userInfo.username != {literal(plan.guardrails.operator_account)}"}
