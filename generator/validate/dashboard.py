"""The dashboard's configuration, and what it does with hardware profiles.

Source: red-hat-data-services/odh-dashboard backend/src/utils/constants.ts and
frontend/src/concepts/hardwareProfiles/kueueUtils.ts by release; facts of OpenShift AI, sections 4.2 and 5.
"""

from __future__ import annotations

from collections.abc import Iterator

from generator.finding import Finding, Layer, Severity
from generator.manifest import Manifest
from generator.releases.model import OpenShiftAI
from generator.validate import kinds
from generator.validate.cluster import Cluster, annotations_of, labels_of, name_of, namespace_of, related
from generator.validate.profiles import Profile, applications_namespaces, read_profiles
from generator.validate.queues import Queues
from generator.validate.shape import get, text

_NAME = "odh-dashboard-config"
_FLAGS = "spec.dashboardConfig"
_KUEUE = "disableKueue"  # which is told by itself, of namespaces
_PRIORITY = "spec.scheduling.kueue.priorityClass"


def check(cluster: Cluster, queues: Queues) -> Iterator[Finding]:
    """Yield configuration that is refused, not read or hides profiles, and profiles that are not offered."""
    release = cluster.target.openshift_ai
    profiles = read_profiles(cluster)
    for manifest in cluster.of(kinds.DASHBOARD_CONFIG):
        yield from not_read(cluster, manifest)
        if release is not None:
            yield from refused_on_update(cluster, release, manifest)
            yield from hidden(cluster, release, manifest, profiles[0] if profiles else None)
    for profile in profiles:
        if not profile.local_queue and not profile.is_shared and profile.namespace in queues.managed_namespaces:
            yield from not_offered(cluster, profile)
    if release is not None:
        yield from priority_not_applied(cluster, release)


def not_read(cluster: Cluster, manifest: Manifest) -> Iterator[Finding]:
    """The dashboard reads one object of one namespace."""
    spaces = applications_namespaces(cluster)
    right_space = namespace_of(manifest) in spaces or not namespace_of(manifest)
    if name_of(manifest) != _NAME or not right_space:
        yield cluster.finding(
            manifest,
            "dashboard-config-not-read",
            Layer.READINESS,
            f"OdhDashboardConfig {namespace_of(manifest)}/{name_of(manifest)} is read by nobody: the dashboard reads "
            f"{_NAME} in {' or '.join(sorted(spaces))}",
            f"call it {_NAME}, in namespace {min(spaces)}",
            "metadata.namespace" if name_of(manifest) == _NAME else "metadata.name",
            severity=Severity.WARNING,
        )


def refused_on_update(cluster: Cluster, release: OpenShiftAI, manifest: Manifest) -> Iterator[Finding]:
    """The operator makes the object, so that whatever is applied is an update, which may not add these fields."""
    for key in release.dashboard_deprecated:
        if get(manifest.body, *_FLAGS.split("."), key) is not None:
            yield cluster.finding(
                manifest,
                "dashboard-field-deprecated",
                Layer.CEL,
                f"{key} is deprecated on OpenShift AI {release.version}: the operator makes the object without it, "
                "and an update that adds it is refused",
                "remove it",
                f"{_FLAGS}.{key}",
                severity=Severity.WARNING,
            )


def hidden(cluster: Cluster, release: OpenShiftAI, manifest: Manifest, profile: Profile | None) -> Iterator[Finding]:
    """Some releases show no hardware profile unless they are told to."""
    for key, wanted in release.dashboard_flags.items():
        written = get(manifest.body, *_FLAGS.split("."), key)
        if key == _KUEUE or profile is None or written is wanted:
            continue
        yield cluster.finding(
            manifest,
            "dashboard-without-profiles",
            Layer.READINESS,
            f"{key} is {'true by default' if written is None else str(written).lower()}: the dashboard of OpenShift AI "
            f"{release.version} offers no hardware profile",
            f"set {_FLAGS}.{key} to {str(wanted).lower()}",
            _FLAGS if written is None else f"{_FLAGS}.{key}",
            severity=Severity.WARNING,
            related=[related(profile.manifest, "metadata.name", f"profile {profile.name}")],
        )


def not_offered(cluster: Cluster, profile: Profile) -> Iterator[Finding]:
    """A project that Kueue manages is offered Queue profiles, or with disableKueue none at all."""
    yield cluster.finding(
        profile.manifest,
        "profile-not-offered",
        Layer.READINESS,
        f"profile {profile.name} names no queue, and Kueue manages its namespace {profile.namespace}: the dashboard "
        "offers it nowhere",
        "give it scheduling type Queue with a LocalQueue of the namespace, or put it into another namespace",
        "spec.scheduling" if get(profile.manifest.body, "spec", "scheduling") else "spec",
        severity=Severity.WARNING,
    )


def priority_not_applied(cluster: Cluster, release: OpenShiftAI) -> Iterator[Finding]:
    """A profile's priority class is shown and never given to what uses the profile.

    Source: rhods-operator internal/webhook/hardwareprofile of every release.
    """
    for kind in kinds.WORKLOADS:
        for manifest in cluster.of(kind) if kind[1] in release.profile_webhook else ():
            notes = annotations_of(manifest)
            space = text(notes, kinds.PROFILE_NAMESPACE) or namespace_of(manifest)
            profile = cluster.find(kinds.HARDWARE_PROFILE, text(notes, kinds.PROFILE_NAME), space)
            priority = text(profile.body, *_PRIORITY.split(".")) if profile else ""
            if profile and priority and not labels_of(manifest).get(kinds.PRIORITY_LABEL):
                yield cluster.finding(
                    manifest,
                    "priority-not-applied",
                    Layer.READINESS,
                    f"{kind[1]} {name_of(manifest)} uses profile {name_of(profile)}, whose priority class {priority} "
                    "is never given to a workload",
                    f"label it {kinds.PRIORITY_LABEL}: {priority}",
                    f"metadata.annotations[{kinds.PROFILE_NAME}]",
                    severity=Severity.WARNING,
                    related=[related(profile, _PRIORITY, f"profile {name_of(profile)}")],
                )
