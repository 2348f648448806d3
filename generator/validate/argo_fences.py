"""Argo CD: a project lets through what the folders of its Applications hold.

Source: Argo CD docs/operator-manual/project.yaml, pkg/apis/application/v1alpha1/app_project_types.go;
facts of faults A45.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from fnmatch import fnmatchcase
from functools import cached_property
from typing import Any

from generator.finding import Finding, Layer
from generator.manifest import Manifest
from generator.validate.argo_folders import IN_CLUSTER, IN_CLUSTER_NAME, Folder, folders, sources
from generator.validate.cluster import Cluster, name_of, related
from generator.validate.kinds import Kind, kind_of
from generator.validate.shape import mapping, mappings, text, texts

DENY = "!"
_GLOB = frozenset("*?[")


class Fence:
    """What an AppProject lets through; what several Applications ask for is found out once."""

    def __init__(self, project: Manifest) -> None:
        self.project = project
        self.spec = mapping(project.body, "spec")
        self._spaces: dict[tuple[str, str], Spaces] = {}
        self._kinds: dict[tuple[Kind, bool], bool] = {}
        self._names: dict[Kind, Globs] = {}

    @cached_property
    def _repositories(self) -> tuple[Globs, Globs]:
        """Patterns that let a repository through, and those that take it out again, which begin with "!"."""
        patterns = texts(self.spec, "sourceRepos")
        denied = Globs(pattern[1:] for pattern in patterns if pattern.startswith(DENY))
        return Globs(pattern for pattern in patterns if not pattern.startswith(DENY)), denied

    def allows_repository(self, url: str) -> bool:
        allowed, denied = self._repositories
        return allowed.match(url) and not denied.match(url)

    def spaces(self, server: str, name: str) -> Spaces:
        """Return the namespaces that the project allows in the cluster of that address or name."""
        key = server, name
        if key not in self._spaces:
            entries = [entry for _, entry in mappings(self.spec, "destinations")]
            self._spaces[key] = Spaces(entries, server, name)
        return self._spaces[key]

    def allows_kind(self, kind: Kind, *, spaced: bool) -> bool:
        """Whether the project allows objects of a kind: all of them, or those of some names."""
        key = kind, spaced
        if key not in self._kinds:
            self._kinds[key] = _kind_allowed(self.spec, kind, spaced=spaced)
        return self._kinds[key]

    @cached_property
    def names_objects(self) -> bool:
        """Whether the project allows some kinds by the names of their objects."""
        return any(text(entry, "name") for _, entry in mappings(self.spec, "clusterResourceWhitelist"))

    def allows_name(self, kind: Kind, name: str) -> bool:
        """Whether the project allows an object without a namespace, of a kind that it allows, by its name."""
        if kind not in self._names:
            white = [entry for _, entry in mappings(self.spec, "clusterResourceWhitelist") if _is_listed(entry, kind)]
            self._names[kind] = Globs(text(entry, "name") or "*" for entry in white)
        return self._names[kind].match(name)


def matches(name: str, pattern: str) -> bool:
    """Whether a name fits a pattern; nearly all patterns are plain names, for which no expression is compiled."""
    return name == pattern if _GLOB.isdisjoint(pattern) else fnmatchcase(name, pattern)


class Globs:
    """Patterns of a name, of which a project of a large fleet has thousands: nearly all are plain names."""

    def __init__(self, patterns: Iterable[str]) -> None:
        self._names: set[str] = set()
        self._patterns: list[str] = []
        for pattern in patterns:
            if _GLOB.isdisjoint(pattern):
                self._names.add(pattern)
            else:
                self._patterns.append(pattern)

    def match(self, name: str) -> bool:
        return name in self._names or any(fnmatchcase(name, pattern) for pattern in self._patterns)


class Spaces:
    """The namespaces of one cluster that a project allows.

    An entry lets through what fits its cluster and namespace. A pattern with "!" fits all but what it names, which no
    other entry lets through again, whichever cluster the entry is for.
    Source: argo-cd pkg/apis/application/v1alpha1/app_project_types.go, isDestinationMatched and globMatch.
    """

    def __init__(self, entries: Iterable[Mapping[str, Any]], server: str, name: str) -> None:
        reaching = [text(entry, "namespace") for entry in entries if _reaches(entry, server, name)]
        self._is_shut = any(_denies(text(e, "server"), server) or _denies(text(e, "name"), name) for e in entries)
        self._denied = Globs(found[1:] for e in entries if (found := text(e, "namespace")).startswith(DENY))
        self._lets_rest_in = any(pattern.startswith(DENY) for pattern in reaching)
        self._allowed = Globs(pattern for pattern in reaching if not pattern.startswith(DENY))

    def match(self, space: str) -> bool:
        if self._is_shut or self._denied.match(space):
            return False
        return self._lets_rest_in or self._allowed.match(space)


def forbidden_by_project(cluster: Cluster, application: Manifest, fence: Fence) -> Iterator[Finding]:
    """The project's fence lets repository, namespaces and kinds of the Application through."""
    project = fence.project
    for path, source in sources(application):
        url = text(source, "repoURL")
        if url and not fence.allows_repository(url):
            yield _forbidden(cluster, application, project, f"repository {url}", "sourceRepos", f"{path}.repoURL")
    brought = folders(cluster, application)
    for (kind, spaced), manifest in _first(brought).items():
        if not fence.allows_kind(kind, spaced=spaced):
            yield _forbidden_kind(cluster, application, project, manifest, kind, spaced=spaced)
    for manifest in (m for folder in brought for m in folder.spaceless) if fence.names_objects else ():
        kind = kind_of(manifest.body)
        if fence.allows_kind(kind, spaced=False) and not fence.allows_name(kind, name_of(manifest)):
            what = f"{kind[1]} {name_of(manifest)}"
            yield _forbidden(cluster, application, project, what, "clusterResourceWhitelist", "spec.project")
    destination = mapping(application.body, "spec", "destination")
    allowed = fence.spaces(*_resolved(text(destination, "server"), text(destination, "name")))
    spaces = {space for folder in brought for space in folder.spaces}
    for space in sorted(spaces or {text(destination, "namespace")} - {""}):
        if not allowed.match(space):
            yield _forbidden(cluster, application, project, f"namespace {space}", "destinations", "spec.destination")


def _first(brought: Iterable[Folder]) -> Mapping[tuple[Kind, bool], Manifest]:
    found: dict[tuple[Kind, bool], Manifest] = {}
    for folder in brought:
        found = {**folder.first, **found}
    return found


def _resolved(server: str, name: str) -> tuple[str, str]:
    """Return address and name of a cluster; Argo CD knows both, and of its own so do we."""
    return server or (IN_CLUSTER if name == IN_CLUSTER_NAME else ""), name or (
        IN_CLUSTER_NAME if server == IN_CLUSTER else ""
    )


def _reaches(entry: Mapping[str, Any], server: str, name: str) -> bool:
    """Whether an allowed destination is the cluster of that address or name."""
    return _fits(server, text(entry, "server")) or _fits(name, text(entry, "name"))


def _fits(written: str, pattern: str) -> bool:
    if pattern.startswith(DENY):
        return bool(written) and not matches(written, pattern[1:])
    return bool(written) and matches(written, pattern)


def _denies(pattern: str, written: str) -> bool:
    """Whether a pattern keeps out what is written; of what is not known, none does."""
    return bool(written) and pattern.startswith(DENY) and matches(written, pattern[1:])


def _forbidden_kind(
    cluster: Cluster, application: Manifest, project: Manifest, manifest: Manifest, kind: Kind, *, spaced: bool
) -> Finding:
    field = "namespaceResourceWhitelist" if spaced else "clusterResourceWhitelist"
    return cluster.finding(
        project,
        "forbidden-by-project",
        Layer.REFERENCE,
        f"Application {name_of(application)} brings {kind[1]} {name_of(manifest)}, a kind that AppProject "
        f"{name_of(project)} does not allow: the whole sync fails",
        f"add {{group: {kind[0]!r}, kind: {kind[1]}}} to {field}, or remove it from the blacklist",
        "spec",
        related=[related(manifest, "kind", f"{kind[1]} {name_of(manifest)}")],
    )


def _forbidden(cluster: Cluster, application: Manifest, project: Manifest, what: str, field: str, path: str) -> Finding:
    return cluster.finding(
        application,
        "forbidden-by-project",
        Layer.REFERENCE,
        f"Application {name_of(application)} uses {what}, which AppProject {name_of(project)} does not allow",
        f"add it to spec.{field} of the project",
        path,
        related=[related(project, f"spec.{field}", f"AppProject {name_of(project)}")],
    )


def _kind_allowed(spec: Mapping[str, Any], kind: Kind, *, spaced: bool) -> bool:
    """Whether a project allows a kind: a cluster-scoped one if listed, every namespaced one unless a list is given.

    An empty list is one: it allows nothing. Source: argo-cd app_project_types.go, IsGroupKindPermitted.
    """
    prefix = "namespaceResource" if spaced else "clusterResource"
    if any(_is_listed(entry, kind) for _, entry in mappings(spec, f"{prefix}Blacklist")):
        return False
    white = [entry for _, entry in mappings(spec, f"{prefix}Whitelist")]
    if spaced and spec.get(f"{prefix}Whitelist") is None:
        return True
    return any(_is_listed(entry, kind) for entry in white)


def _is_listed(entry: Mapping[str, Any], kind: Kind) -> bool:
    return matches(kind[0], text(entry, "group")) and matches(kind[1], text(entry, "kind"))
