"""Training runtimes that OpenShift AI itself keeps on the cluster: they exist without a manifest, and stay as they are.

Source: facts of runtimes, section 1.6; opendatahub-io/architecture-decision-records ODH-ADR-Operator-0008 for the
annotation that takes an object out of the operator's hands.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator

from generator.finding import Finding, Layer
from generator.manifest import Manifest
from generator.releases import load as releases
from generator.validate import kinds
from generator.validate.cluster import Cluster, name_of
from generator.validate.kinds import Kind
from generator.validate.shape import get, items, mapping, text

_STATE = ("spec", "components", "trainer", "managementState")
_HANDED_OVER = "opendatahub.io/managed"
_OF_THE_SERVER = ("uid", "resourceVersion", "managedFields")


def names(cluster: Cluster) -> Collection[str]:
    """Return the names of the ClusterTrainingRuntimes that the operator made; any release's where none is named."""
    states = [text(m.body, *_STATE) for m in cluster.of(kinds.DATA_SCIENCE_CLUSTER)]
    if states and "Managed" not in states:
        return ()
    release = cluster.target.openshift_ai
    return release.shipped_runtimes if release else [name for made in _by_release().values() for name in made]


def ships(cluster: Cluster, kind: Kind, name: str) -> bool:
    """Whether the operator made an object."""
    return kind == kinds.CLUSTER_RUNTIME and name in names(cluster)


def elsewhere(cluster: Cluster, kind: Kind, name: str) -> str:
    """Return the rest of a sentence about a name that other releases than the target ship, "" for no such name."""
    release = cluster.target.openshift_ai
    if kind != kinds.CLUSTER_RUNTIME or release is None:
        return ""
    of = [version for version, shipped in _by_release().items() if name in shipped]
    if not of or release.version in of:
        return ""
    return f": OpenShift AI {' and '.join(of)} ship{'s' if len(of) == 1 else ''} it, {release.version} does not"


def _by_release() -> dict[str, tuple[str, ...]]:
    found = (releases.openshift_ai(version) for version in releases.known("openshift-ai"))
    return {release.version: release.shipped_runtimes for release in found if release}


def redefined(cluster: Cluster) -> Iterator[Finding]:
    """Yield runtimes of a name that the target ships: the operator changes them back, Argo CD again, without end.

    The operator's own, as a dump shows them, is none, nor one that is taken out of its hands.
    """
    release = cluster.target.openshift_ai
    for manifest in cluster.of(kinds.CLUSTER_RUNTIME) if release else ():
        name = name_of(manifest)
        if release and ships(cluster, kinds.CLUSTER_RUNTIME, name) and not _is_left_alone(manifest):
            yield cluster.finding(
                manifest,
                "reserved-name",
                Layer.DRIFT,
                f"OpenShift AI {release.version} ships a runtime {name} and would change it back",
                f'choose another name, or annotate it with {_HANDED_OVER}: "false"',
                "metadata.name",
            )


def _is_left_alone(manifest: Manifest) -> bool:
    metadata = mapping(manifest.body, "metadata")
    is_live = any(key in metadata for key in _OF_THE_SERVER) or bool(items(metadata, "ownerReferences"))
    labels = mapping(metadata, "labels")
    is_own = labels.get("platform.opendatahub.io/part-of") == "trainer"
    return is_live or is_own or get(metadata, "annotations", _HANDED_OVER) == "false"
