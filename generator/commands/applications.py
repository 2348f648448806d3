"""Applications of several environments in one Argo CD: each name is one object, and two would fight over it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from generator.finding import Finding, Layer, ObjectRef, Related, error
from generator.plan.model import Plan
from generator.plan.resolve import IN_CLUSTER

_FILE = "/kustomization.yaml"


def of_one_name(plans: Sequence[Plan], tree: Iterable[str]) -> Iterator[Finding]:
    """Yield one finding for each two environments of which folders give Applications the same name.

    Two that are each their own cluster's have two Argo CDs; one that is reached from elsewhere shares that one's.
    """
    by_name = {plan.name: plan for plan in plans}
    if not any(other.name.startswith(f"{one.name}-") for one in plans for other in plans):
        return
    told = set()
    for name, environments in _applications(tree).items():
        if len(environments) < 2:
            continue
        one, other, *_ = (by_name[environment] for environment in environments)
        if (one.name, other.name) in told or not _share_argo_cd(one, other):
            continue
        told.add((one.name, other.name))
        yield error(
            "application-of-two-environments",
            f"environments {one.name} and {other.name} both give an Application the name {name}",
            other.origin,
            "rename one of the environments, or the team",
            layer=Layer.REFERENCE,
            object=ObjectRef(other.name, "Application", name, other.argocd_namespace),
            related=(Related(one.origin, f"environment {one.name}"),),
        )


def _applications(paths: Iterable[str]) -> Mapping[str, list[str]]:
    """Return the environments that make an Application of each name."""
    found: dict[str, list[str]] = {}
    for path in paths:
        _, environment, *folder = path.removesuffix(_FILE).split("/")
        if path.endswith(_FILE) and folder:
            name = "root" if folder == ["argocd"] else "-".join(folder)
            found.setdefault(f"{environment}-{name}", []).append(environment)
    return found


def _share_argo_cd(one: Plan, other: Plan) -> bool:
    is_elsewhere = IN_CLUSTER not in (one.server, other.server) or one.server != other.server
    return is_elsewhere and one.argocd_namespace == other.argocd_namespace
