"""HardwareProfiles as the dashboard and the binding webhook read them.

Source: rhods-operator internal/webhook/hardwareprofile, odh-dashboard hardwareProfiles; facts, section 4.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from generator.frozen import dataclass
from generator.manifest import Manifest
from generator.quantity import Amount
from generator.validate import kinds
from generator.validate.admission.hardware_profile import is_enabled, visibility
from generator.validate.cluster import Cluster, name_of, namespace_of
from generator.validate.queues import amount
from generator.validate.shape import get, mappings, text

QUEUE_PATH = "spec.scheduling.kueue.localQueueName"
_QUEUE_STEPS = QUEUE_PATH.split(".")
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


def read_profiles(cluster: Cluster) -> Sequence[Profile]:
    """Return the profiles that are enabled, read once for all checks."""
    return cluster.once(_read_all)


def _read_all(cluster: Cluster) -> list[Profile]:
    shared = applications_namespaces(cluster)
    known: dict[int, _Amounts] = {}  # by identity: a profile offered in many namespaces is one spec in many objects
    found = []
    for manifest in cluster.of(kinds.HARDWARE_PROFILE):
        if is_enabled(manifest.body):
            spec = manifest.body.get("spec")
            if id(spec) not in known:
                known[id(spec)] = _amounts(spec)
            found.append(_read(manifest, shared, known[id(spec)]))
    return found


@dataclass(frozen=True, slots=True)
class _Amounts:
    default: Mapping[str, Amount]
    most: Mapping[str, Amount]
    paths: Mapping[str, str]


def _amounts(spec: object) -> _Amounts:
    default: dict[str, Amount] = {}
    most: dict[str, Amount] = {}
    paths: dict[str, str] = {}
    for index, identifier in mappings(spec, "identifiers"):
        name = text(identifier, "identifier")
        asked = amount(name, get(identifier, "defaultCount")) or 0
        largest = amount(name, get(identifier, "maxCount"))
        default[name], most[name] = asked, asked if largest is None else largest
        paths[name] = f"spec.identifiers[{index}]"
    return _Amounts(default, most, paths)


def _read(manifest: Manifest, shared: frozenset[str], amounts: _Amounts) -> Profile:
    space = namespace_of(manifest)
    return Profile(
        manifest,
        name_of(manifest),
        space,
        space in shared or not space,
        text(manifest.body, *_QUEUE_STEPS),
        tuple(visibility(manifest.body) or ()),
        amounts.default,
        amounts.most,
        amounts.paths,
    )
