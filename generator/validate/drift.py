"""What a controller or conversion would rewrite, so that Argo CD would never be in sync.

Source: facts of Kueue, sections 3 and 9; facts of faults A41, A42, A58, A60.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from generator.finding import Finding, Layer, Severity
from generator.manifest import Manifest
from generator.validate import kinds, shipped
from generator.validate.admission.quotas import AMOUNTS, amounts, printed
from generator.validate.canonical import canonical_form
from generator.validate.cluster import Cluster, name_of
from generator.validate.kinds import Kind
from generator.validate.shape import get, mapping, text
from generator.validate.wording import some

_QUANTITIES = (kinds.CLUSTER_QUEUE, kinds.COHORT)
_WEIGHED = (*_QUANTITIES, kinds.LOCAL_QUEUE)
_INGRESS = "spec.headGroupSpec.enableIngress"
_RENAMED = {"whenCanBorrow": ("Borrow", "MayStopSearch"), "whenCanPreempt": ("Preempt", "MayStopSearch")}


def check(cluster: Cluster) -> Iterator[Finding]:
    """Yield values that come back otherwise than they were written, and API versions on their way out."""
    for kind in _WEIGHED:
        for manifest in cluster.of(kind):
            yield from quantities(cluster, kind, manifest)
    for manifest in cluster.of(kinds.CLUSTER_QUEUE):
        yield from converted_values(cluster, manifest)
    for manifest in cluster.of(kinds.DSC_INITIALIZATION):
        yield from old_platform_api(cluster, manifest)
    for manifest in cluster.of(kinds.DATA_SCIENCE_CLUSTER):
        yield from old_platform_api(cluster, manifest)
    yield from shipped.redefined(cluster)
    for manifest in cluster.of(kinds.RAY_CLUSTER):
        yield from ray_ingress(cluster, manifest)
    for kind in cluster.kinds:
        if kind[0] == "kueue.x-k8s.io":
            for manifest in cluster.of(kind):
                yield from kueue_api(cluster, kind, manifest)


def quantities(cluster: Cluster, kind: Kind, manifest: Manifest) -> Iterator[Finding]:
    """Kueue reads the whole queue and writes it back: quantities come back canonical, and as strings."""
    spec = mapping(manifest.body, "spec")
    odd: dict[str, tuple[object, str]] = {}
    for place, resource in amounts(spec) if kind in _QUANTITIES else ():
        for key in AMOUNTS:
            if (form := _otherwise(resource.get(key))) is not None:
                odd[printed(place, key)] = resource[key], form
    if (form := _otherwise(get(spec, "fairSharing", "weight"))) is not None:
        odd["spec.fairSharing.weight"] = get(spec, "fairSharing", "weight"), form
    if odd:
        said = some(
            f"{written!r} as {form!r}" if isinstance(written, int) else f"{written} as {form}"
            for written, form in odd.values()
        )
        first = next(iter(odd))
        yield cluster.finding(
            manifest,
            "quantity-not-canonical",
            Layer.DRIFT,
            f"{kind[1]} {name_of(manifest)}: quantities are stored in canonical form, as strings: {said}",
            f"write {first} as {odd[first][1]!r}, and the others likewise",
            first,
            severity=Severity.WARNING,
        )


def _otherwise(written: object) -> str | None:
    """Return the form in which a quantity comes back where that is another one."""
    if isinstance(written, bool) or not isinstance(written, str | int):
        return None
    form = canonical_form(written)
    return form if form is not None and form != written else None


def converted_values(cluster: Cluster, manifest: Manifest) -> Iterator[Finding]:
    """From 1.3 objects are stored as v1beta2, and what only v1beta1 had comes back under its new name."""
    release = cluster.target.kueue
    if release is None or "MayStopSearch" not in release.fungibility.get("whenCanBorrow", ()):
        return
    spec = mapping(manifest.body, "spec")
    for key, (old, new) in _RENAMED.items():
        if get(spec, "flavorFungibility", key) == old:
            yield _converted(
                cluster, manifest, f"spec.flavorFungibility.{key}", f"{key} {old} comes back as {new}", f"write {new}"
            )
    if spec.get("admissionChecks") and release.admission_checks_field != "admissionChecks":
        says = f"admissionChecks comes back as {release.admission_checks_field}"
        yield _converted(cluster, manifest, "spec.admissionChecks", says, f"write {release.admission_checks_field}")


def _converted(cluster: Cluster, manifest: Manifest, path: str, says: str, fix: str) -> Finding:
    release = cluster.target.kueue
    assert release is not None
    return cluster.finding(
        manifest,
        "value-converted",
        Layer.DRIFT,
        f"queue {name_of(manifest)}: {says} from Kueue {release.version}, so Argo CD never sees it in sync",
        fix,
        path,
        severity=Severity.WARNING,
    )


def kueue_api(cluster: Cluster, kind: Kind, manifest: Manifest) -> Iterator[Finding]:
    """The API version is one that the target serves, and the newest of these."""
    release = cluster.target.kueue
    written = text(manifest.body, "apiVersion")
    if release is None or kind[1] not in release.kinds:
        if release is not None and kind[1] in ("Cohort", "Topology"):
            yield cluster.finding(
                manifest,
                "kind-not-served",
                Layer.SCHEMA,
                f"Kueue {release.version} has no kind {kind[1]}: no match for it in version {written}",
                "target a later Kueue, or leave it out",
                "apiVersion",
            )
        return
    if written not in release.served_apis:
        yield cluster.finding(
            manifest,
            "api-version-not-served",
            Layer.SCHEMA,
            f"{kind[1]} {name_of(manifest)} is written in {written}, which Kueue {release.version} does not serve: it "
            f"serves {', '.join(release.served_apis)}",
            f"write it as {release.api}",
            "apiVersion",
        )
    elif written != release.api:
        yield cluster.finding(
            manifest,
            "api-version-deprecated",
            Layer.DRIFT,
            f"{kind[1]} {name_of(manifest)} is written in {written}, which is deprecated: Kueue {release.version} "
            f"stores {release.api}",
            f"write it as {release.api}",
            "apiVersion",
            severity=Severity.WARNING,
        )


def ray_ingress(cluster: Cluster, manifest: Manifest) -> Iterator[Finding]:
    """A webhook turns the ingress of every RayCluster off and serves it through the platform's gateway.

    Source: red-hat-data-services/kuberay ray-operator, webhook mraycluster.kb.io; facts of runtimes, section 4.
    """
    release = cluster.target.openshift_ai
    if release is None or not release.ray_ingress_rewritten or get(manifest.body, *_INGRESS.split(".")) is not True:
        return
    yield cluster.finding(
        manifest,
        "ray-ingress-rewritten",
        Layer.DRIFT,
        f"RayCluster {name_of(manifest)}: OpenShift AI {release.version} sets enableIngress to false and serves it "
        "through its own gateway, so Argo CD never sees it in sync",
        "write false",
        _INGRESS,
        severity=Severity.WARNING,
    )


def old_platform_api(cluster: Cluster, manifest: Manifest) -> Iterator[Finding]:
    """On 3.x both versions are served and v2 is stored: v1 loses fields, and is always out of sync."""
    release = cluster.target.openshift_ai
    if release is None:
        return
    wanted: Mapping[str, str] = {"DSCInitialization": release.dsci_api, "DataScienceCluster": release.dsc_api}
    written, kind = text(manifest.body, "apiVersion"), text(manifest.body, "kind")
    if written == wanted[kind]:
        return
    is_newer = written.endswith("/v2")
    yield cluster.finding(
        manifest,
        "api-version-not-served" if is_newer else "api-version-deprecated",
        Layer.SCHEMA if is_newer else Layer.DRIFT,
        f"{kind} {name_of(manifest)} is written in {written}; OpenShift AI {release.version} "
        f"{'serves' if is_newer else 'converts it to'} {wanted[kind].rpartition('/')[2]}"
        f"{' alone' if is_newer else ', which Argo CD sees as drift'}",
        f"write it as {wanted[kind]}",
        "apiVersion",
        severity=Severity.ERROR if is_newer else Severity.WARNING,
    )
