"""OpenShift AI's own objects beside each other: what its controllers refuse, drop or never look at.

Source: facts of OpenShift AI, sections 1.3, 2.4, 2b, 3, 4.2, 5, 7; opendatahub-io/opendatahub-operator
internal/controller/dscinitialization/utils.go and internal/controller/components/kserve, as of b6c4250b2d.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from generator.finding import Finding, Layer, Severity
from generator.manifest import Manifest
from generator.releases.load import operator
from generator.releases.model import Component, OpenShiftAI, Operator
from generator.validate import kinds
from generator.validate.admission.data_science_cluster import STATE
from generator.validate.cluster import Cluster, labels_of, name_of, related
from generator.validate.effects import is_written
from generator.validate.operators import managed_components, stored_component, subscribed
from generator.validate.shape import get, items, mappings, text
from generator.validate.wording import some

_USUAL_NAME = "default-dsci"
_SWITCH = "DISABLE_DSC_CONFIG"
_APPLICATIONS = "spec.applicationsNamespace"
_APPLICATIONS_LABEL = "opendatahub.io/application-namespace"
_PARTS = "components.platform.opendatahub.io"
_DERIVED = (
    (kinds.CLUSTER_ROLE_BINDING, "kueue-admin-rolebinding"),
    (("services.platform.opendatahub.io", "Monitoring"), "default-monitoring"),
)
_KUEUE_STATE = STATE.split(".")
_MULTIKUEUE = ("multikueueconfigs.kueue.x-k8s.io", "multikueueclusters.kueue.x-k8s.io")


def check(cluster: Cluster) -> Iterator[Finding]:
    """Yield what contradicts itself among the objects of one platform, and what OpenShift AI makes by itself."""
    release = cluster.target.openshift_ai
    if release is None:
        return
    for manifest in cluster.of(kinds.DSC_INITIALIZATION):
        yield from beside_the_default(cluster, manifest)
        yield from applications_namespace(cluster, release, manifest)
        yield from dropped(cluster, release, manifest, release.dsci_api)
    for manifest in cluster.of(kinds.DATA_SCIENCE_CLUSTER):
        yield from never_initialized(cluster, manifest)
        yield from alpha_multikueue(cluster, release, manifest)
        yield from dropped(cluster, release, manifest, release.dsc_api)
    for component, path, manifest in managed_components(cluster):
        yield from conflicts(cluster, component, path, manifest)
    for id_, subscription in subscribed(cluster).items():
        yield from subscriptions(cluster, release, operator(id_), subscription)
    yield from derived(cluster)


def _switch(cluster: Cluster) -> bool | None:
    """Whether the operator is told to make no DSCInitialization; None where its Subscription is not known."""
    subscription = subscribed(cluster).get("openshift-ai")
    if subscription is None:
        return None
    env = mappings(subscription.body, "spec", "config", "env")
    return any(text(entry, "name") == _SWITCH and text(entry, "value") != "false" for _, entry in env)


def beside_the_default(cluster: Cluster, manifest: Manifest) -> Iterator[Finding]:
    """The operator makes default-dsci when it starts, and its webhook denies a second one of another name."""
    switch, name = _switch(cluster), name_of(manifest)
    if switch or name == _USUAL_NAME or cluster.find(kinds.DSC_INITIALIZATION, _USUAL_NAME):
        return
    yield cluster.finding(
        manifest,
        "second-dsc-initialization",
        Layer.WEBHOOK,
        f"the operator makes the DSCInitialization {_USUAL_NAME} when it starts, and one called {name} is denied "
        "beside it",
        f'call it {_USUAL_NAME}, or set {_SWITCH} to "true" in spec.config.env of the Subscription',
        "metadata.name",
        severity=Severity.ERROR if switch is False else Severity.WARNING,
    )


def never_initialized(cluster: Cluster, manifest: Manifest) -> Iterator[Finding]:
    """A DataScienceCluster waits for a DSCInitialization, and nobody makes one."""
    has_one = cluster.of(kinds.DSC_INITIALIZATION) or cluster.is_external(kinds.DSC_INITIALIZATION, _USUAL_NAME)
    if _switch(cluster) and not has_one:
        yield cluster.finding(
            manifest,
            "no-dsc-initialization",
            Layer.READINESS,
            f"{_SWITCH} keeps the operator from making a DSCInitialization, and there is none here: without one the "
            "DataScienceCluster is never ready",
            f"add the DSCInitialization {_USUAL_NAME}, or declare it with --external",
            "metadata.name",
            severity=Severity.WARNING,
        )


def applications_namespace(cluster: Cluster, release: OpenShiftAI, manifest: Manifest) -> Iterator[Finding]:
    """A namespace of one's own for the applications is labelled before, and no other is.

    Unlabelled, the operator makes it all the same, and then looks for what it runs in the usual namespace alone.
    """
    name = text(manifest.body, *_APPLICATIONS.split(".")) or release.applications_namespace
    labelled = [m for m in cluster.of(kinds.NAMESPACE) if labels_of(m).get(_APPLICATIONS_LABEL) == "true"]
    others = [m for m in labelled if name_of(m) != name]
    if others:
        yield cluster.finding(
            manifest,
            "applications-namespace",
            Layer.READINESS,
            f"applicationsNamespace is {name}, and {some(map(name_of, others))} carries the label "
            f"{_APPLICATIONS_LABEL}: the operator wants it on that one alone, and stops",
            f"take the label off {some(map(name_of, others))}",
            _APPLICATIONS,
            related=[related(m, f"metadata.labels[{_APPLICATIONS_LABEL}]", f"namespace {name_of(m)}") for m in others],
        )
    elif name != release.applications_namespace and not labelled and (space := cluster.find(kinds.NAMESPACE, name)):
        yield cluster.finding(
            space,
            "applications-namespace",
            Layer.READINESS,
            f"namespace {name} is applicationsNamespace and lacks the label {_APPLICATIONS_LABEL}: the operator looks "
            f"for what it runs in {release.applications_namespace}",
            f'label it {_APPLICATIONS_LABEL}: "true" before the operator is installed',
            "metadata.labels",
            severity=Severity.WARNING,
        )


def conflicts(cluster: Cluster, component: Component, path: str, manifest: Manifest) -> Iterator[Finding]:
    """Values of a component that its controller refuses, and what it needs of the DSCInitialization."""
    spec = stored_component(cluster, component, manifest)
    for conflict in component.conflicts if is_written(cluster, manifest) else ():  # of a plan its inputs say so
        if conflict.holds(spec):
            yield cluster.finding(
                manifest,
                "component-conflict",
                Layer.READINESS,
                f"component {component.key}: {conflict.message}",
                conflict.fix,
                ".".join((path, *conflict.path)),
                severity=Severity(conflict.severity),
            )
    for need in component.requirements:
        for other in cluster.of(kinds.DSC_INITIALIZATION) if need.dsci_spec and need.holds(spec) else ():
            for place, wanted in _leaves(need.dsci_spec, "spec"):
                written = get(other.body, *place.split("."))
                if written != wanted:
                    cause = ".".join((component.key, *need.path))
                    yield cluster.finding(
                        other,
                        "component-against-initialization",
                        Layer.READINESS,
                        f"{cause} is {need.equals}, which needs {place} {wanted}, and it is {written or 'not set'}: "
                        "the DataScienceCluster is never ready",
                        f"set {place} to {wanted}, or {cause} to Removed",
                        place,
                        related=[related(manifest, ".".join((path, *need.path)), cause)],
                    )


def _leaves(spec: Mapping[str, Any], path: str) -> Iterator[tuple[str, Any]]:
    for key, value in spec.items():
        if isinstance(value, Mapping):
            yield from _leaves(value, f"{path}.{key}")
        else:
            yield f"{path}.{key}", value


def dropped(cluster: Cluster, release: OpenShiftAI, manifest: Manifest, stored: str) -> Iterator[Finding]:
    """Fields of the old API version that the conversion to the stored one leaves out; what is Removed loses nothing."""
    if text(manifest.body, "apiVersion") == stored:
        return
    for path in release.dropped.get(text(manifest.body, "kind"), ()):
        written = get(manifest.body, *path.split("."))
        if written is None or (isinstance(written, dict) and written.get("managementState", "") in ("Removed", "")):
            continue
        yield cluster.finding(
            manifest,
            "field-lost",
            Layer.DRIFT,
            f"{path} is left out when OpenShift AI {release.version} converts this to {stored.rpartition('/')[2]}: it "
            "has no effect",
            "remove it",
            path,
            severity=Severity.WARNING,
        )


def alpha_multikueue(cluster: Cluster, release: OpenShiftAI, manifest: Manifest) -> Iterator[Finding]:
    """Where both Kueues are possible, the component stops as long as the old CRDs of MultiKueue are there."""
    if release.kueue_managed != "legal" or get(manifest.body, *_KUEUE_STATE) != "Unmanaged":
        return
    for definition in cluster.of(kinds.DEFINITION):
        versions = [text(version, "name") for _, version in mappings(definition.body, "spec", "versions")]
        if name_of(definition) in _MULTIKUEUE and "v1alpha1" in versions:
            yield cluster.finding(
                definition,
                "alpha-multikueue",
                Layer.READINESS,
                f"{name_of(definition)} has v1alpha1, and component kueue is Unmanaged: OpenShift AI {release.version} "
                "stops reconciling the component as long as it exists",
                "remove the CRDs of MultiKueue v1alpha1 before the component is set to Unmanaged",
                "spec.versions",
                related=[related(manifest, ".".join(_KUEUE_STATE), "component kueue")],
            )
            return


def subscriptions(cluster: Cluster, release: OpenShiftAI, found: Operator, subscription: Manifest) -> Iterator[Finding]:
    """OpenShift AI finds some operators by the name of their Subscription, and does not go with others."""
    name = name_of(subscription)
    if found.looked_up and name != found.package:
        yield cluster.finding(
            subscription,
            "subscription-not-found",
            Layer.READINESS,
            f"Subscription {name} installs {found.package}: OpenShift AI looks for one of that name, and takes "
            f"{found.title} for absent",
            f"call it {found.package}",
            "metadata.name",
            severity=Severity.WARNING,
        )
    is_foreign = found.openshift_ai is not None and release.version not in found.openshift_ai
    if is_foreign and is_written(cluster, subscription):  # of a plan its input says so
        yield cluster.finding(
            subscription,
            "unknown-combination",
            Layer.READINESS,
            f"{found.title} does not go with OpenShift AI {release.version}",
            f"remove it; it goes with {', '.join(found.openshift_ai or ())}",
            "spec.name",
            severity=Severity.WARNING,
        )


def derived(cluster: Cluster) -> Iterator[Finding]:
    """What OpenShift AI makes of the DataScienceCluster and the DSCInitialization is not written by hand.

    An object with an owner was read from a cluster, where the operator made it.
    """
    made = [m for kind in cluster.kinds if kind[0] == _PARTS for m in cluster.of(kind)]
    made += [m for kind, name in _DERIVED if (m := cluster.find(kind, name))]
    for manifest in made:
        if not items(manifest.body, "metadata", "ownerReferences"):
            yield cluster.finding(
                manifest,
                "object-of-operator",
                Layer.DRIFT,
                f"{text(manifest.body, 'kind')} {name_of(manifest)} is made by OpenShift AI's operator, which writes "
                "over what is applied",
                "remove it, and set what it should say in the DataScienceCluster or the DSCInitialization",
                "metadata.name",
                severity=Severity.WARNING,
            )
