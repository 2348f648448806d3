"""Guardrails: ValidatingAdmissionPolicies against what people do past Git; one of them is always there.

Kueue suspends what it knows by its queue name; with labelPolicy QueueName all else in a managed namespace just runs.
Source: Kubernetes documentation, ValidatingAdmissionPolicy; Kueue documentation, setup_job_admission_policy.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from generator.emit.marks import labels
from generator.manifest import Manifest, manifest
from generator.plan.model import MANAGED_LABEL, Plan

if TYPE_CHECKING:
    from generator.emit.admission import Guard

API = "admissionregistration.k8s.io/v1"
QUEUE_NAME = "kueue.x-k8s.io/queue-name"
NAME = "apportion-accelerators-need-a-queue"
RULES = (("", "v1", "pods"), ("apps", "v1", "deployments"), ("apps", "v1", "statefulsets"), ("batch", "v1", "jobs"))


def emit(plan: Plan) -> Iterator[Manifest]:
    """Yield the policies, each with its binding: those that are asked for, and the one that is always there.

    That one goes where `guardrails.workloads` refuses all that it does and more.
    """
    if not plan.has_admission_policies:
        return
    resources = sorted({name for pool in plan.pools.values() for name in pool.offers})
    actions = plan.guardrails.actions
    if actions.get("workloads") != "Deny":
        yield from _always(plan, resources)
    if actions:
        from generator.emit.admission import emit as written

        for name, action in actions.items():
            for guard in _guards(name, plan, resources):
                yield from written(guard, action, plan)


def _guards(name: str, plan: Plan, resources: list[str]) -> Iterator[Guard]:
    from generator.emit import guarded_queues, guarded_workloads

    if name == "queues":
        yield guarded_queues.through_git(plan)
    elif name == "localQueues":
        yield guarded_queues.in_managed_namespaces(plan)
    elif name == "profiles":
        yield guarded_queues.profiles_lead_to_queues(plan, resources)
    elif resources:
        yield from guarded_workloads.need_a_queue(plan, resources)


def _always(plan: Plan, resources: list[str]) -> Iterator[Manifest]:
    """Yield the policy where unlabelled work would run and the cluster has accelerators."""
    if plan.settings.label_policy != "QueueName" or not resources:
        return
    marks, origin = labels(plan.name), plan.settings.origin
    rules = [
        {"apiGroups": [group], "apiVersions": [version], "operations": ["CREATE"], "resources": [resource]}
        for group, version, resource in RULES
    ]
    spec: dict[str, Any] = {
        "failurePolicy": "Fail",
        "matchConstraints": {
            "matchPolicy": "Equivalent",
            "namespaceSelector": {"matchLabels": {MANAGED_LABEL: "true"}},
            "objectSelector": {},
            "resourceRules": [{**rule, "scope": "*"} for rule in rules],
        },
        "variables": [
            {"name": "pod", "expression": "object.kind == 'Pod' ? object.spec : object.spec.template.spec"},
            {
                "name": "containers",
                "expression": "variables.pod.containers + variables.pod.?initContainers.orValue([])",
            },
            {"name": "accelerated", "expression": _accelerated(resources)},
            {
                "name": "owned",
                "expression": "object.metadata.?ownerReferences.orValue([]).exists(o, o.?controller.orValue(false))",
            },
            {"name": "queue", "expression": f"object.metadata.?labels['{QUEUE_NAME}'].orValue('')"},
        ],
        "validations": [
            {
                "expression": "!variables.accelerated || variables.owned || variables.queue != ''",
                "message": "what asks for accelerators in this namespace needs the label "
                f"{QUEUE_NAME}: the name of a LocalQueue",
                "reason": "Forbidden",
            }
        ],
    }
    yield manifest(API, "ValidatingAdmissionPolicy", NAME, labels=marks, origin=origin, spec=spec)
    binding = {"policyName": NAME, "validationActions": ["Deny"]}
    yield manifest(API, "ValidatingAdmissionPolicyBinding", NAME, labels=marks, origin=origin, spec=binding)


def _accelerated(resources: list[str]) -> str:
    names = "[" + ", ".join(f"'{name}'" for name in resources) + "]"
    asked = " || ".join(f"r in c.?resources.{part}.orValue({{}})" for part in ("limits", "requests"))
    return f"variables.containers.exists(c, {names}.exists(r, {asked}))"
