"""Argo CD: settings that undo what was checked, and those that do nothing.

Source: Argo CD docs/user-guide/{sync-options,diffing,kustomize,app_deletion,compare-options}.md, docs/operator-manual/
project-specification.md; pkg/apis/application/v1alpha1/types.go.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from generator.finding import Finding, Layer, Severity
from generator.manifest import Manifest
from generator.validate import kinds
from generator.validate.argo import CONTROLLER
from generator.validate.argo_folders import content, sources
from generator.validate.argo_options import OPTIONS_PATH, SYNC_OPTIONS, of_application, of_object
from generator.validate.cluster import Cluster, annotations_of, name_of
from generator.validate.kinds import Kind, kind_of
from generator.validate.shape import get, items, mapping, mappings, text, texts
from generator.validate.wording import some

RESPECT = "RespectIgnoreDifferences=true"
_FINALIZER = "resources-finalizer.argocd.argoproj.io"
_CONFIRMED = frozenset(("Delete=confirm", "Delete=false"))
# What a build of the folder does not show: the objects that Argo CD applies are others than those that were checked.
_INLINE = ("patches", "namePrefix", "nameSuffix")
_TOO_WIDE = frozenset(("/spec", "/metadata/annotations"))
# With one of these go workloads, quota, or all that an operator has made.
_PRECIOUS = frozenset(
    (
        kinds.CLUSTER_QUEUE,
        kinds.COHORT,
        kinds.RESOURCE_FLAVOR,
        kinds.TOPOLOGY,
        kinds.NAMESPACE,
        kinds.KUEUE,
        kinds.DATA_SCIENCE_CLUSTER,
        kinds.DSC_INITIALIZATION,
    )
)


def check(cluster: Cluster) -> Iterator[Finding]:
    """Yield settings of Applications and projects that somebody would regret."""
    for application in cluster.of(kinds.APPLICATION):
        yield from inline_patches(cluster, application)
        yield from cascading_deletion(cluster, application)
        yield from pruned_to_nothing(cluster, application)
        yield from ignored_too_much(cluster, application)
    for project in cluster.of(kinds.APP_PROJECT):
        yield from project_without_fence(cluster, project)
    for binding in cluster.of(kinds.CLUSTER_ROLE_BINDING):
        yield from controller_may_do_anything(cluster, binding)


def inline_patches(cluster: Cluster, application: Manifest) -> Iterator[Finding]:
    """What an Application patches itself is in no folder, so no check of the folder sees it."""
    for path, source in sources(application):
        for key in _INLINE:
            if get(source, "kustomize", key):
                yield cluster.finding(
                    application,
                    "inline-patches",
                    Layer.POLICY,
                    f"Application {name_of(application)} changes what its folder builds by kustomize.{key}: what is "
                    "applied is not what was checked",
                    "move it into the kustomization of the folder",
                    f"{path}.kustomize.{key}",
                    severity=Severity.WARNING,
                )


def cascading_deletion(cluster: Cluster, application: Manifest) -> Iterator[Finding]:
    """With the finalizer, who deletes an Application deletes all that it brought."""
    finalizers = [f for f in items(application.body, "metadata", "finalizers") if str(f).startswith(_FINALIZER)]
    if not finalizers:
        return
    lost = [m for m in content(cluster, application) if kind_of(m.body) in _PRECIOUS and not _is_confirmed(m)]
    if lost:
        names = some(f"{kind_of(m.body)[1]} {name_of(m)}" for m in lost)
        yield cluster.finding(
            application,
            "cascading-deletion",
            Layer.READINESS,
            f"whoever deletes Application {name_of(application)} deletes {names}: it has finalizer {finalizers[0]}",
            f"remove the finalizer, or annotate them with {SYNC_OPTIONS}: Delete=confirm",
            "metadata.finalizers",
            severity=Severity.WARNING,
        )


def _is_confirmed(manifest: Manifest) -> bool:
    return not _CONFIRMED.isdisjoint(of_object(annotations_of(manifest)))


def pruned_to_nothing(cluster: Cluster, application: Manifest) -> Iterator[Finding]:
    """allowEmpty takes away the last guard against a render that yields nothing."""
    automated = mapping(application.body, "spec", "syncPolicy", "automated")
    if automated.get("prune") is True and automated.get("allowEmpty") is True:
        yield cluster.finding(
            application,
            "pruned-to-nothing",
            Layer.READINESS,
            f"Application {name_of(application)} prunes by itself and may end up empty: a folder that builds to "
            "nothing deletes everything",
            "remove allowEmpty",
            "spec.syncPolicy.automated.allowEmpty",
            severity=Severity.WARNING,
        )


def ignored_too_much(cluster: Cluster, application: Manifest) -> Iterator[Finding]:
    """Differences that are ignored as a whole hide every edit; those that a sync does not respect come back."""
    ignored = mappings(application.body, "spec", "ignoreDifferences")
    for index, entry in ignored:
        for number, pointer in enumerate(items(entry, "jsonPointers")):
            if pointer in _TOO_WIDE or (pointer == "/data" and text(entry, "kind") == "Secret"):
                what = text(entry, "kind") or "every kind"
                yield cluster.finding(
                    application,
                    "ignored-too-much",
                    Layer.DRIFT,
                    f"Application {name_of(application)} ignores {pointer} of {what} as a whole: an edit on the "
                    "cluster is neither shown nor undone",
                    "name the fields that somebody else owns",
                    f"spec.ignoreDifferences[{index}].jsonPointers[{number}]",
                    severity=Severity.WARNING,
                )
    if ignored and RESPECT not in of_application(application):
        yield cluster.finding(
            application,
            "ignored-and-overwritten",
            Layer.DRIFT,
            f"Application {name_of(application)} ignores differences without {RESPECT}: the next sync for another "
            "reason overwrites the fields all the same",
            f"add {RESPECT} to {OPTIONS_PATH}",
            "spec.ignoreDifferences",
            severity=Severity.INFO,
        )


def project_without_fence(cluster: Cluster, project: Manifest) -> Iterator[Finding]:
    """A project with more than one gate wide open is none: whoever may write to a repository owns the cluster."""
    spec = mapping(project.body, "spec")
    wide = [name for name, is_wide in _gates(spec) if is_wide]
    if wide:
        yield cluster.finding(
            project,
            "project-without-fence",
            Layer.POLICY,
            f"AppProject {name_of(project)} lets through any {some(wide)}, so that much less holds back whoever can "
            "write to a repository that it allows",
            "list what its Applications use",
            "spec",
            severity=Severity.WARNING if len(wide) > 1 else Severity.INFO,
        )


def controller_may_do_anything(cluster: Cluster, binding: Manifest) -> Iterator[Finding]:
    """A controller that is cluster-admin leaves projects as the only fence."""
    names = [text(subject, "name") for _, subject in mappings(binding.body, "subjects")]
    found = [name for name in names if name.endswith(CONTROLLER)]
    if found and text(binding.body, "roleRef", "name") == "cluster-admin":
        yield cluster.finding(
            binding,
            "controller-may-do-anything",
            Layer.POLICY,
            f"{some(found)} is cluster-admin: whatever gets past the AppProjects can do anything in the cluster",
            "bind it to a ClusterRole with the kinds that it syncs",
            "roleRef.name",
            severity=Severity.INFO,
        )


def _gates(spec: Mapping[str, Any]) -> Iterator[tuple[str, bool]]:
    repositories = texts(spec, "sourceRepos")
    yield "repository", "*" in repositories and not any(pattern.startswith("!") for pattern in repositories)
    spaces = [text(entry, "namespace") for _, entry in mappings(spec, "destinations")]
    yield "namespace", "*" in spaces and not any(space.startswith("!") for space in spaces)
    white: list[Kind] = [(text(e, "group"), text(e, "kind")) for _, e in mappings(spec, "clusterResourceWhitelist")]
    yield "kind without a namespace", ("*", "*") in white
