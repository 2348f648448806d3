"""Argo CD: can it apply what an Application brings.

Source: facts of faults A43, A46; redhat-developer/gitops-operator controllers/argocd/openshift/openshift.go.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from typing import Any

from generator.finding import Finding, Layer, Severity
from generator.manifest import Manifest
from generator.releases.load import operator, operator_ids
from generator.schemas.resources import plural
from generator.validate import kinds
from generator.validate.argo_folders import IN_CLUSTER, content, destination, folders
from generator.validate.argo_options import of_application, of_object
from generator.validate.cluster import Cluster, annotations_of, labels_of, name_of, related
from generator.validate.kinds import Kind, is_built_in, kind_of
from generator.validate.operators import package_of
from generator.validate.shape import mappings, text, texts
from generator.validate.wording import some

SKIP = "SkipDryRunOnMissingResource=true"
CONTROLLER = "-argocd-application-controller"
_AGGREGATED = "argocd/aggregate-to-controller"
_HELD = frozenset(("operators.coreos.com", "argoproj.io", "monitoring.coreos.com", "config.openshift.io"))
_VERBS = ("create", "patch")
_OWN_GROUPS = {
    "kueue": ("kueue.x-k8s.io", "kueue.openshift.io"),
    "openshift-ai": (
        "datasciencecluster.opendatahub.io",
        "dscinitialization.opendatahub.io",
        "infrastructure.opendatahub.io",
        "opendatahub.io",
        "trainer.kubeflow.org",
    ),
}


def check(cluster: Cluster) -> Iterator[Finding]:
    """Yield what Argo CD could not apply."""
    for application in cluster.of(kinds.APPLICATION):
        yield from kinds_unknown_at_dry_run(cluster, application)
    yield from controller_without_rights(cluster)


def kinds_unknown_at_dry_run(cluster: Cluster, application: Manifest) -> Iterator[Finding]:
    """An Application that brings an operator and objects of its kinds fails as a whole on a new cluster."""
    if SKIP in of_application(application):
        return
    brought = content(cluster, application)
    packages = {package_of(m) for m in brought if kind_of(m.body) == kinds.SUBSCRIPTION}
    late = [m for m in brought if brought_by(kind_of(m.body)[0]) & packages and not _skips(m)]
    if late:
        first = late[0]
        yield cluster.finding(
            application,
            "kinds-unknown-at-dry-run",
            Layer.READINESS,
            f"Application {name_of(application)} brings {some(sorted(packages))} and objects of kinds that only it "
            f"defines ({some(sorted({kind_of(m.body)[1] for m in late}))}): on a new cluster the whole sync fails",
            f"add {SKIP} to spec.syncPolicy.syncOptions",
            "spec.syncPolicy",
            severity=Severity.WARNING,
            related=[related(first, "kind", f"{kind_of(first.body)[1]} {name_of(first)}")],
        )


def _skips(manifest: Manifest) -> bool:
    return SKIP in of_object(annotations_of(manifest))


@cache
def brought_by(group: str) -> frozenset[str]:
    """Return the packages whose operators define the kinds of an API group."""
    found = {operator(name).package for name, groups in _OWN_GROUPS.items() if group in groups}
    for name in operator_ids():
        groups = {operand.api_version.rpartition("/")[0] for operand in operator(name).operands}
        if group in groups:
            found.add(operator(name).package)
    return frozenset(found)


def controller_without_rights(cluster: Cluster) -> Iterator[Finding]:
    """The default instance's controller may not touch the kinds of these operators unless a role says so."""
    wanted: dict[Kind, Manifest] = {}
    applications = [a for a in cluster.of(kinds.APPLICATION) if destination(a) == IN_CLUSTER]
    for application in applications:
        for folder in folders(cluster, application):
            for (kind, _), manifest in folder.first.items():
                if not is_built_in(kind[0]) and kind[0] not in _HELD:
                    wanted.setdefault(kind, manifest)
    if not wanted:
        return
    rules = list(_rules(cluster))
    lacking = {kind: manifest for kind, manifest in wanted.items() if not _may(rules, kind)}
    if lacking:
        names = sorted(f"{plural(kind)}.{group}" for group, kind in lacking)
        first = next(iter(lacking.values()))
        yield cluster.finding(
            applications[0],
            "controller-without-rights",
            Layer.READINESS,
            f"no ClusterRole here gives Argo CD's controller the right to create {some(names)}: unless one exists "
            "elsewhere, they are forbidden to it",
            "bind its service account to a ClusterRole with these resources and all verbs",
            "spec.destination",
            severity=Severity.WARNING if rules else Severity.INFO,
            related=[related(first, "kind", f"{kind_of(first.body)[1]} {name_of(first)}")],
        )


def _rules(cluster: Cluster) -> Iterator[Mapping[str, Any]]:
    """Yield the rules of all ClusterRoles that an application controller is bound to."""
    bound = set()
    for binding in cluster.of(kinds.CLUSTER_ROLE_BINDING):
        subjects = [text(subject, "name") for _, subject in mappings(binding.body, "subjects")]
        if any(name.endswith(CONTROLLER) for name in subjects):
            bound.add(text(binding.body, "roleRef", "name"))
    if "cluster-admin" in bound:
        yield {"apiGroups": ["*"], "resources": ["*"], "verbs": ["*"]}
    for role in cluster.of(kinds.CLUSTER_ROLE):
        if name_of(role) in bound or labels_of(role).get(_AGGREGATED) == "true":
            yield from (rule for _, rule in mappings(role.body, "rules"))


def _may(rules: Iterable[Mapping[str, Any]], kind: Kind) -> bool:
    granted: set[str] = set()
    for rule in rules:
        fits_group = {"*", kind[0]} & set(texts(rule, "apiGroups"))
        if fits_group and {"*", plural(kind[1])} & set(texts(rule, "resources")):
            granted.update(texts(rule, "verbs"))
    return "*" in granted or granted.issuperset(_VERBS)
