"""Priorities, runtimes and profiles that workloads of before still name.

Source: kubernetes-sigs/kueue#8322 (a priority is copied); kubeflow/trainer#2608 (the finalizer of a runtime); the
webhook of OpenShift AI that binds profiles, which refuses a workload whose profile is not where its annotation says.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator

from generator.change.model import TEAM, Identity, Step
from generator.finding import Finding, Severity
from generator.validate.cluster import labels_of
from generator.validate.kinds import CLUSTER_RUNTIME, HARDWARE_PROFILE, NAMESPACE, PRIORITY_CLASS, RUNTIME
from generator.validate.wording import some


def priorities(step: Step) -> Iterator[Finding]:
    """Yield priority classes whose value is edited."""
    for key, before, after in step.both(PRIORITY_CLASS):
        old, new = before.body.get("value"), after.body.get("value")
        if old != new:
            yield step.of_new(
                key,
                "priority-value-edited",
                Severity.WARNING,
                f"the priority {key.name} goes from {old} to {new}: workloads copy it when they are made, so those of "
                f"before keep {old} and rank otherwise than new ones of the same class",
                f"leave {key.name} at {old}, and add a class of another name",
                "value",
            )


def runtimes(step: Step, gone: Collection[str]) -> Iterator[Finding]:
    """Yield training runtimes that go, each once; those of teams and namespaces that go are told with these."""
    for (kind, name), keys in _going(step, (CLUSTER_RUNTIME, RUNTIME), gone).items():
        where = f" from {some(key.namespace for key in keys)}" if kind == RUNTIME[1] else ""
        yield step.of_removed(
            keys[0],
            "runtime-removed",
            Severity.WARNING,
            f"{kind} {name} is removed{where}: a finalizer keeps it while a TrainJob names it, and the sync waits",
            f"see that no TrainJob names {name}, or keep it under its name until none does",
        )


def profiles(step: Step, gone: Collection[str]) -> Iterator[Finding]:
    """Yield hardware profiles that are no longer where workloads of before look for them, each once."""
    for (_, name), keys in _going(step, (HARDWARE_PROFILE,), gone).items():
        left = sorted({key.namespace for key in step.new.objects if key.kind == HARDWARE_PROFILE and key.name == name})
        where = some(key.namespace for key in keys)
        refused = "a workbench or model that names it there is refused at its next edit"
        if step.new.plan.openshift_ai.applications_namespace in (keys[0].namespace, *left) and left:
            yield step.of_new(
                Identity(HARDWARE_PROFILE, left[0], name),
                "profile-scope-flipped",
                Severity.WARNING,
                f"hardware profile {name} moves from {where} to {some(left)}: {refused}",
                f"write scope: {_scope(step, keys[0])}, and give namespaces its queue and pool to match; or have it "
                "chosen anew in every workbench and model",
                related=(step.before(step.old.objects[keys[0]].origin),),
            )
        else:
            yield step.of_removed(
                keys[0],
                "profile-removed",
                Severity.WARNING,
                f"hardware profile {name} is removed from {where}: {refused}",
                "write disabled: true for it first, which hides it from new work, and remove it when nothing names it",
            )


def _scope(step: Step, key: Identity) -> str:
    return "global" if key.namespace == step.old.plan.openshift_ai.applications_namespace else "project"


def _going(
    step: Step, kinds: Collection[tuple[str, str]], gone: Collection[str]
) -> dict[tuple[str, str], list[Identity]]:
    """Return removed objects by kind and name, but those whose team or namespace goes as well."""
    found: dict[tuple[str, str], list[Identity]] = {}
    for key, manifest in step.removed.items():
        if key.kind not in kinds or labels_of(manifest).get(TEAM) in gone:
            continue
        if not key.namespace or Identity(NAMESPACE, "", key.namespace) not in step.removed:
            found.setdefault((key.kind[1], key.name), []).append(key)
    return found
