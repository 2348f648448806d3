"""One environment's overlay as the cluster that it would make."""

from __future__ import annotations

from collections.abc import Iterator

from generator.kustomize import Overlay
from generator.plan.model import Plan
from generator.releases.load import operator
from generator.validate.cluster import Cluster, Target
from generator.validate.nodes import of_plan


def cluster(overlay: Overlay) -> Cluster:
    """Return all objects of an environment, each once, with its inventory; nothing else exists there."""
    plan = overlay.plan
    prefix = "/".join(part for part in (plan.repository.path, "output") if part)
    folders = {f"{prefix}/{leaf.path}": list(leaf.objects()) for leaf in overlay.leaves}
    objects = [manifest for manifests in folders.values() for manifest in manifests]
    target = Target(plan.openshift_ai, plan.kueue, plan.gitops, plan.openshift)
    return Cluster(
        objects,
        target,
        of_plan(plan),
        external=frozenset(_external(plan)),
        whole=True,
        environment=plan.name,
        folders=folders,
    )


def _external(plan: Plan) -> Iterator[str]:
    """Yield the Subscriptions of operators that somebody else installs, however they do it."""
    for id_, choice in (plan.given.environment.get("operators") or {}).items():
        if choice.get("external"):
            yield f"Subscription/{operator(id_).package}"
