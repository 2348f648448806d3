"""Is every emitted kind served in the version in which it is emitted?"""

from __future__ import annotations

from collections.abc import Iterator

from generator.finding import Finding, Layer, Severity
from generator.preflight.expected import Expected, ExpectedKind
from generator.preflight.live import ANY, Live, finding
from generator.preflight.operators import installed_version
from generator.releases.load import operator


def check(expected: Expected, live: Live) -> Iterator[Finding]:
    """Yield kinds that the cluster does not serve; one finding for each group and reason."""
    for kind in expected.kinds:
        is_known = (kind.api_version, ANY) not in live.unread
        if is_known and kind.kind not in live.served.get(kind.api_version, ()):
            yield _not_served(expected, live, kind)


def _not_served(expected: Expected, live: Live, kind: ExpectedKind) -> Finding:
    group, _, version = kind.api_version.rpartition("/")
    versions = live.groups.get(group, ())
    reference = expected.reference(kind.kind, "*", api_version=kind.api_version)
    what = f"{kind.kind} of {kind.api_version} is not served"
    if kind.operator == "own":
        return finding(
            "kind-not-yet-served",
            Severity.INFO,
            f"{what} yet: a CustomResourceDefinition of the tree brings it",
            "nothing: Argo CD tries again until it is there",
            layer=Layer.SCHEMA,
            object=reference,
        )
    found = installed_version(live, kind.operator) if kind.operator else None
    title = operator(kind.operator).title if kind.operator else ""
    if versions and version not in versions and _by_other_version(live, group, kind.kind):
        by = f", as {found} installed it" if found else ""
        fix = f"have {title} brought to the release that the environment names, or name the installed one in platform"
        return finding(
            "version-not-served",
            Severity.ERROR,
            f"{what}: the cluster serves {group} as {', '.join(versions)}{by}",
            fix if title else f"emit it as {' or '.join(versions)}",
            layer=Layer.SCHEMA,
            object=reference,
        )
    if kind.operator and (found is None or not versions):
        why = f"{title} is not installed" if found is None else f"{found} has not made its kinds"
        return finding(
            "kind-not-yet-served",
            Severity.INFO,
            f"{what} yet: {why}, and the tree brings it",
            "nothing on a first installation: Argo CD tries again until it is there; else see the operator's log",
            layer=Layer.SCHEMA,
            object=reference,
        )
    why = f"{found} is installed and does not bring it" if found else "nothing in the tree brings it"
    return finding(
        "kind-not-served",
        Severity.ERROR,
        f"{what}: {why}",
        "install what brings it before the sync, or remove the objects of this kind",
        layer=Layer.SCHEMA,
        object=reference,
    )


def _by_other_version(live: Live, group: str, kind: str) -> bool:
    """Whether the kind itself is served in another version, as far as that was asked for."""
    return any(kind in live.served.get(f"{group}/{version}", ()) for version in live.groups[group])
