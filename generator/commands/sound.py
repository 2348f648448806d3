"""What was judged by schemas and CEL rules, and found sound: it need not be judged so again while it is as it was."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from generator import lock
from generator.frozen import dataclass

if TYPE_CHECKING:
    from generator.kustomize import Overlay
    from generator.plan.model import Plan


@dataclass(frozen=True, slots=True)
class Sound:
    """What an earlier run of this very program found nothing wrong with.

    `locks` are digests of the locks of folders, by their path, and `grounds` by environment what their objects were
    judged by (`ground`).
    """

    locks: Mapping[str, str]
    grounds: Mapping[str, str]


def ground(plan: Plan) -> str:
    """Return the digest of what decides about schemas: the releases of an environment, and users' own CRDs."""
    crds = [sorted(scope.items()) for scope in plan.given.crds]
    return lock.digest(repr((sorted(plan.given.environment["platform"].items()), crds)))


def known(overlay: Overlay, tree: Mapping[str, str], sound: Sound) -> frozenset[int]:
    """Return the ids of the objects that stand, as they are, in folders whose objects are sound."""
    plan = overlay.plan
    if not tree or sound.grounds.get(plan.name) != ground(plan):
        return frozenset()
    folders = {leaf.path: leaf.manifests for leaf in overlay.leaves}
    for leaf in overlay.leaves:
        folders |= leaf.bases
    found: set[int] = set()
    for folder, manifests in folders.items():
        path = f"{folder}/{lock.NAME}"
        if path in sound.locks and sound.locks[path] == lock.digest(tree[path]):
            found.update(map(id, manifests))
    return frozenset(found)
