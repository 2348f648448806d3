"""Argo CD: every Application leads to a folder and a project that exist.

Source: Argo CD docs/operator-manual/application.yaml; facts of faults A45, A57.
"""

from __future__ import annotations

from collections.abc import Iterator

from generator.finding import Finding, Layer
from generator.manifest import Manifest
from generator.spelling import hint
from generator.validate import kinds
from generator.validate.argo_fences import Fence, forbidden_by_project
from generator.validate.argo_folders import folder_of, folders, sources
from generator.validate.cluster import Cluster, name_of, namespace_of
from generator.validate.shape import text

DEFAULT_PROJECT = "default"


def check_argo(cluster: Cluster) -> Iterator[Finding]:
    """Yield what an Application names and does not exist, and what its project would not let through."""
    homes = {text(s, "repoURL") for a in cluster.of(kinds.APPLICATION) if folders(cluster, a) for _, s in sources(a)}
    fences = {name_of(project): Fence(project) for project in reversed(cluster.of(kinds.APP_PROJECT))}
    for application in cluster.of(kinds.APPLICATION):
        yield from missing_folder(cluster, application, homes)
        project = text(application.body, "spec", "project") or DEFAULT_PROJECT
        if project in fences:
            yield from forbidden_by_project(cluster, application, fences[project])
        elif project != DEFAULT_PROJECT and cluster.is_known(kinds.APP_PROJECT):
            yield from missing_project(cluster, application, project)


def missing_folder(cluster: Cluster, application: Manifest, homes: set[str]) -> Iterator[Finding]:
    """A path in the repository whose other folders are known leads to one of them."""
    for path, source in sources(application):
        folder = folder_of(source)
        is_rendered = "plugin" in source
        # of a cluster read from files, what the plug-in renders need not be among them
        is_ours = cluster.whole or (not is_rendered and text(source, "repoURL") in homes)
        if folder and cluster.folders and is_ours and folder not in cluster.folders:
            yield cluster.finding(
                application,
                "missing-folder",
                Layer.REFERENCE,
                f"Application {name_of(application)} syncs folder {folder}, which does not exist",
                f"{hint(folder, cluster.folders)}set {'its part' if is_rendered else 'source.path'} to a folder of the "
                "repository",
                f"{path}.{'plugin' if is_rendered else 'path'}",
            )


def missing_project(cluster: Cluster, application: Manifest, project: str) -> Iterator[Finding]:
    """An Application's project exists."""
    if cluster.is_external(kinds.APP_PROJECT, project, namespace_of(application)):
        return
    names = [name_of(p) for p in cluster.of(kinds.APP_PROJECT)]
    yield cluster.finding(
        application,
        "missing-app-project",
        Layer.REFERENCE,
        f"Application {name_of(application)} names AppProject {project}, which does not exist",
        f"{hint(project, names)}known are {', '.join((*names, DEFAULT_PROJECT))}",
        "spec.project",
    )
