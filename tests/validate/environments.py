"""Environments of a folder as `check` resolves them, each as one whole cluster."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from generator.emit import argocd, extra
from generator.emit.leaves import leaves
from generator.environment.load import load
from generator.plan.model import Plan
from generator.plan.resolve import resolve
from generator.validate.cluster import Cluster, Target
from generator.validate.nodes import of_plan


def inputs(root: Path) -> dict[str, bytes]:
    folder = root / "environments"
    return {f.relative_to(root).as_posix(): f.read_bytes() for f in sorted(folder.rglob("*")) if f.is_file()}


def clusters(root: Path, as_of: str | None = None) -> Iterator[Cluster]:
    """Yield the environments that resolve."""
    given, _ = load(inputs(root))
    for environment in given.environments.values():
        plan, _ = resolve(environment, as_of)
        if plan is not None:
            yield cluster(plan)


def cluster(plan: Plan) -> Cluster:
    own, _ = extra.emit(plan)
    synced = leaves(plan, own)
    every = [*synced, *argocd.leaves(plan, synced)]
    objects = [m for leaf in every for m in leaf.objects()]
    prefix = "/".join(part for part in (plan.repository.path, "output") if part)
    folders = {f"{prefix}/{leaf.path}": list(leaf.objects()) for leaf in every}
    target = Target(plan.openshift_ai, plan.kueue, plan.gitops, plan.openshift)
    return Cluster(objects, target, of_plan(plan), whole=True, environment=plan.name, folders=folders)
