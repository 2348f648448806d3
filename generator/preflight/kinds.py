"""Is every emitted kind served in the version in which it is emitted?"""

from __future__ import annotations

from collections.abc import Iterator

from generator.finding import Finding, Layer, Severity
from generator.preflight.expected import Expected, ExpectedKind
from generator.preflight.live import ANY, Live, finding
from generator.preflight.operators import comes_with_the_upgrade, installed_version
from generator.releases.load import operator

_RULES = {
    "kind-not-yet-served": (
        Severity.INFO,
        "nothing, if it is still to come: Argo CD tries again until it is there; else see the operator's log",
    ),
    "version-not-served": (
        Severity.ERROR,
        "have the operator brought to the release that the environment names, or name the installed one in platform",
    ),
    "kind-not-served": (
        Severity.ERROR,
        "install what brings it before the sync, or remove the objects of this kind",
    ),
}


def check(expected: Expected, live: Live) -> Iterator[Finding]:
    """Yield kinds that the cluster does not serve; one finding for each group and reason."""
    for kind in expected.kinds:
        is_known = (kind.api_version, ANY) not in live.unread
        if is_known and kind.kind not in live.served.get(kind.api_version, ()):
            yield _not_served(expected, live, kind)


def _not_served(expected: Expected, live: Live, kind: ExpectedKind) -> Finding:
    group, _, version = kind.api_version.rpartition("/")
    versions = live.groups.get(group, ())
    if kind.operator == "own":
        return _finding(expected, kind, "kind-not-yet-served", "a CustomResourceDefinition of the tree brings it")
    found = installed_version(live, kind.operator) if kind.operator else None
    title = operator(kind.operator).title if kind.operator else ""
    if found and comes_with_the_upgrade(expected, kind.operator, found):
        return _finding(expected, kind, "kind-not-yet-served", f"{found} is installed, and the tree upgrades it")
    if versions and version not in versions and _by_other_version(live, group, kind.kind):
        by = f", as {found} installed it" if found else ""
        return _finding(expected, kind, "version-not-served", f"the cluster serves {', '.join(versions)}{by}")
    if kind.operator and found is None:
        return _finding(expected, kind, "kind-not-yet-served", f"{title} is not installed, and the tree brings it")
    if kind.operator and not versions:
        return _finding(expected, kind, "kind-not-yet-served", f"{found} has not made its kinds yet")
    why = f"{found} is installed and does not bring it" if found else "nothing in the tree brings it"
    return _finding(expected, kind, "kind-not-served", why)


def _finding(expected: Expected, kind: ExpectedKind, rule: str, why: str) -> Finding:
    severity, fix = _RULES[rule]
    return finding(
        rule,
        severity,
        f"{kind.kind} of {kind.api_version} is not served: {why}",
        fix,
        layer=Layer.SCHEMA,
        object=expected.reference(kind.kind, "*", api_version=kind.api_version),
    )


def _by_other_version(live: Live, group: str, kind: str) -> bool:
    """Whether the kind itself is served in another version, as far as that was asked for."""
    return any(kind in live.served.get(f"{group}/{version}", ()) for version in live.groups[group])
