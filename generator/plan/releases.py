"""The target releases of an environment, and the combinations of them that are unknown or known to be bad."""

from __future__ import annotations

from collections.abc import Iterator, Set

from generator.environment.load import Inputs
from generator.finding import Finding, Layer, Location, Severity, error
from generator.frozen import dataclass
from generator.releases import load
from generator.releases.model import GitOps, Kueue, OpenShiftAI
from generator.source import value_at


@dataclass(frozen=True, slots=True)
class Releases:
    openshift: str
    has_admission_policies: bool
    openshift_ai: OpenShiftAI
    kueue: Kueue
    gitops: GitOps


def resolve(inputs: Inputs) -> tuple[Releases | None, list[Finding]]:
    """Return the releases, or None and what is unknown about them."""
    platform = inputs.environment["platform"]
    openshift, gitops = load.openshift(platform["openshift"]), load.gitops(platform["gitops"])
    openshift_ai, kueue = load.openshift_ai(platform["openshiftAI"]), load.kueue(platform["kueue"])
    if openshift is None or openshift_ai is None or kueue is None or gitops is None:
        found = (
            ("openshift", "OpenShift", "openshift", openshift),
            ("openshiftAI", "OpenShift AI", "openshift-ai", openshift_ai),
            ("kueue", "Red Hat build of Kueue", "kueue", kueue),
            ("gitops", "OpenShift GitOps", "gitops", gitops),
        )
        unknown = [_unknown(platform, key, title, product) for key, title, product, release in found if release is None]
        return None, unknown
    releases = Releases(platform["openshift"], openshift.admission_policies, openshift_ai, kueue, gitops)
    return releases, list(_unsupported(platform, releases))


def _unknown(platform: object, key: str, title: str, product: str) -> Finding:
    version = platform[key]  # type: ignore[index]  # a Platform
    known = ", ".join(load.known(product))
    return error(
        "unknown-release",
        f"{title} {version} is not a known release",
        value_at(platform, key),
        f"known releases are {known}",
    )


def _unsupported(platform: object, releases: Releases) -> Iterator[Finding]:
    for key, title, release in (
        ("openshiftAI", "OpenShift AI", releases.openshift_ai),
        ("kueue", "Red Hat build of Kueue", releases.kueue),
    ):
        if releases.openshift not in release.openshift:
            yield error(
                "unknown-combination",
                f"{title} {release.version} is not in the catalog of OpenShift {releases.openshift}",
                value_at(platform, key),
                f"it is in the catalogs of OpenShift {', '.join(release.openshift)}",
            )


def advisories(releases: Releases, managed: frozenset[str], manual: Set[str], place: Location) -> Iterator[Finding]:
    """Yield the known-bad combinations that an environment is; `manual` operators wait for approval."""
    for advisory in load.advisories():
        if advisory.matches(
            components=managed,
            manual=manual,
            openshift_ai=releases.openshift_ai.version,
            kueue=releases.kueue.version,
            openshift=releases.openshift,
        ):
            yield Finding(
                advisory.id,
                Severity(advisory.severity),
                Layer.READINESS,
                advisory.message,
                place,
                f"{advisory.fix} (source: {advisory.source})",
            )
