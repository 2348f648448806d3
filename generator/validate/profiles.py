"""HardwareProfiles as the dashboard and the binding webhook read them.

Source: rhods-operator internal/webhook/hardwareprofile, odh-dashboard hardwareProfiles; facts, section 4.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from generator.manifest import Manifest
from generator.quantity import Amount
from generator.validate import kinds
from generator.validate.admission.hardware_profile import is_enabled, visibility
from generator.validate.cluster import Cluster, name_of, namespace_of
from generator.validate.queues import amount
from generator.validate.shape import get, mappings, text

QUEUE_PATH = "spec.scheduling.kueue.localQueueName"
_USUAL = ("redhat-ods-applications", "opendatahub")


@dataclass(frozen=True, slots=True)
class Profile:
    """A profile; `visible_to` is empty where it is offered everywhere. Amounts are what its workloads ask for."""

    manifest: Manifest
    name: str
    namespace: str
    is_shared: bool
    local_queue: str
    visible_to: tuple[str, ...]
    default: Mapping[str, Amount]
    most: Mapping[str, Amount]
    paths: Mapping[str, str]

    def is_for(self, feature: str) -> bool:
        """Whether the dashboard offers it for "workbench" or "model-serving"."""
        return not self.visible_to or feature in self.visible_to


def applications_namespaces(cluster: Cluster) -> frozenset[str]:
    """Return the namespaces whose profiles are offered in every project."""
    release = cluster.target.openshift_ai
    named = {text(m.body, "spec", "applicationsNamespace") for m in cluster.of(kinds.DSC_INITIALIZATION)} - {""}
    return frozenset(named or {release.applications_namespace} if release else {*named, *_USUAL})


def read_profiles(cluster: Cluster) -> Iterator[Profile]:
    """Yield the profiles that are enabled."""
    shared = applications_namespaces(cluster)
    for manifest in cluster.of(kinds.HARDWARE_PROFILE):
        if is_enabled(manifest.body):
            yield _read(manifest, shared)


def _read(manifest: Manifest, shared: frozenset[str]) -> Profile:
    default: dict[str, Amount] = {}
    most: dict[str, Amount] = {}
    paths: dict[str, str] = {}
    for index, identifier in mappings(manifest.body, "spec", "identifiers"):
        name = text(identifier, "identifier")
        asked = amount(name, get(identifier, "defaultCount")) or 0
        largest = amount(name, get(identifier, "maxCount"))
        default[name], most[name] = asked, asked if largest is None else largest
        paths[name] = f"spec.identifiers[{index}]"
    return Profile(
        manifest,
        name_of(manifest),
        namespace_of(manifest),
        namespace_of(manifest) in shared or not namespace_of(manifest),
        text(manifest.body, *QUEUE_PATH.split(".")),
        tuple(visibility(manifest.body) or ()),
        default,
        most,
        paths,
    )
