"""A team's own namespaces: Namespace, RoleBindings, LimitRange, ResourceQuota."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache
from typing import Any

from generator.emit.marks import CONFIRM, labels, wave
from generator.manifest import Fragment, Manifest, manifest
from generator.plan.model import MANAGED_LABEL, Namespace, Plan, Subjects, Team
from generator.quantity import canonical, canonical_bytes

NAMESPACE_WAVE, ACCESS_WAVE = -5, -4
RBAC_API = "rbac.authorization.k8s.io/v1"
RBAC_GROUP = "rbac.authorization.k8s.io"
IN_BYTES = ("storage", "memory")


def emit(team: Team, plan: Plan) -> Iterator[Manifest]:
    """Yield the objects of each namespace of a team but its queues."""
    marks = labels(plan.name, team.name)
    bindings = list(_access(team, plan))
    for space in team.namespaces:
        yield _namespace(space, team, plan, marks)
        for name, role, subjects in bindings:
            yield manifest(
                RBAC_API,
                "RoleBinding",
                name,
                namespace=space.name,
                labels=marks,
                annotations=wave(ACCESS_WAVE),
                origin=team.origin,
                roleRef=_role(role),
                subjects=subjects,
            )
        yield from _limits(space, marks)


@cache
def _role(name: str) -> Fragment:
    return Fragment({"apiGroup": RBAC_GROUP, "kind": "ClusterRole", "name": name})


def _namespace(space: Namespace, team: Team, plan: Plan, marks: Mapping[str, str]) -> Manifest:
    """Return the Namespace with the labels that the operator would add: a missing one comes back as drift."""
    managed = plan.openshift_ai.namespace_labels or {MANAGED_LABEL: "true"}
    shown = space.display_name or team.display_name
    about = {
        "openshift.io/display-name": f"{shown} ({space.name})" if shown and not space.display_name else shown,
        "apportion.dev/contact": team.contact,
        "apportion.dev/cost-center": team.cost_center,
    }
    annotations = {key: value for key, value in about.items() if value}
    return manifest(
        "v1",
        "Namespace",
        space.name,
        labels={**marks, **managed, "opendatahub.io/dashboard": "true"},
        annotations={**annotations, **CONFIRM, **wave(NAMESPACE_WAVE)},
        origin=space.origin,
    )


def _access(team: Team, plan: Plan) -> Iterator[tuple[str, str, list[dict[str, str]]]]:
    """Yield name, ClusterRole and subjects of each binding.

    Kueue's user role is bound where its operator does not aggregate it into edit and admin (up to 1.3).
    """
    for name, role, who in (
        ("admins", "admin", team.admins),
        ("members", "edit", team.members),
        ("viewers", "view", team.viewers),
    ):
        if who:
            yield f"apportion-{name}", role, _subjects(who)
    users = _subjects(
        Subjects(_union(team.admins.groups, team.members.groups), _union(team.admins.users, team.members.users))
    )
    if users and not plan.kueue.roles_aggregated:
        yield "apportion-kueue-users", plan.kueue.user_role, users


def _union(one: tuple[str, ...], other: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(sorted({*one, *other}))


def _subjects(who: Subjects) -> list[dict[str, str]]:
    groups = [{"apiGroup": RBAC_GROUP, "kind": "Group", "name": name} for name in who.groups]
    return groups + [{"apiGroup": RBAC_GROUP, "kind": "User", "name": name} for name in who.users]


def _limits(space: Namespace, marks: Mapping[str, str]) -> Iterator[Manifest]:
    sizes = {edge: {"storage": canonical_bytes(amount)} for edge, amount in sorted(space.claim_sizes.items())}
    if sizes:
        limit: dict[str, Any] = {
            **{edge: sizes[edge] for edge in ("max", "min") if edge in sizes},
            "type": "PersistentVolumeClaim",
        }
        yield manifest(
            "v1",
            "LimitRange",
            "apportion",
            namespace=space.name,
            labels=marks,
            annotations=wave(ACCESS_WAVE),
            origin=space.origin,
            spec={"limits": [limit]},
        )
    if space.resource_quota:
        hard = {
            k: canonical_bytes(v) if k.endswith(IN_BYTES) else canonical(v) for k, v in space.resource_quota.items()
        }
        yield manifest(
            "v1",
            "ResourceQuota",
            "apportion",
            namespace=space.name,
            labels=marks,
            annotations=wave(ACCESS_WAVE),
            origin=space.origin,
            spec={"hard": hard},
        )
