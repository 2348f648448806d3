"""Namespaces that go, with all that is in them, and those that Kueue begins to govern.

Source: openshift-ai facts, queue-name label webhook; opendatahub-io/odh-dashboard#8240.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator

from generator.change.model import TEAM, Step
from generator.change.queues import DRAINING, may_hold
from generator.finding import Finding, Severity
from generator.validate.cluster import labels_of
from generator.validate.kinds import MANAGED_LABEL, NAMESPACE, QUEUE_NAME
from generator.validate.wording import some

_OF_PEOPLE = ("tenants/", "extra")  # the others hold operators, whose Application prunes nothing


def is_drained(step: Step, namespace: str) -> bool:
    """Whether every queue that the old revision let the namespace use was drained, or there was none."""
    queues = step.old.queues
    behind = (queues.by_name.get(local.queue) for local in queues.by_namespace.get(namespace, ()))
    return not any(may_hold(queue) for queue in behind if queue is not None)


def removed(step: Step, gone: Collection[str]) -> Iterator[Finding]:
    """Yield namespaces that go; those of teams that are `gone` are told with the team."""
    for key, manifest in step.removed.items():
        if (
            key.kind != NAMESPACE
            or labels_of(manifest).get(TEAM) in gone
            or not step.old.homes[key].startswith(_OF_PEOPLE)
        ):
            continue
        drained = is_drained(step, key.name)
        yield step.of_removed(
            key,
            "namespace-removed",
            Severity.WARNING if drained else Severity.ERROR,
            f"namespace {key.name} is removed, and with it all that is in it, volumes and models too"
            + ("" if drained else f"; its queues were not drained in {step.revision}"),
            "save what is on the volumes before this is synced"
            if drained
            else f"put it back, and first drain its queues (stopPolicy: {DRAINING}) or take it out of them; then "
            "remove it, in a revision of its own",
        )


def managed(step: Step) -> Iterator[Finding]:
    """Yield namespaces that exist and get the label by which Kueue governs them."""
    for key, before, after in step.both(NAMESPACE):
        if labels_of(after).get(MANAGED_LABEL) == "true" != labels_of(before).get(MANAGED_LABEL):
            guarded = step.new.plan.openshift_ai.queue_name_webhook
            refused = f", and the next edit of a {some(guarded)} without {QUEUE_NAME} is refused" if guarded else ""
            yield step.of_new(
                key,
                "namespace-becomes-managed",
                Severity.WARNING,
                f"namespace {key.name} exists and becomes managed by Kueue: what runs there goes on, counted by no "
                f"quota{refused}",
                f"stop what runs there, label it {QUEUE_NAME} and start it again when this is synced",
                f"metadata.labels[{MANAGED_LABEL}]",
            )
