"""What Argo CD applies: the folders that Applications lead to, as far as they are known."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from generator.frozen import dataclass
from generator.manifest import Manifest
from generator.validate.cluster import Cluster, namespace_of
from generator.validate.kinds import APPLICATION, Kind, kind_of
from generator.validate.shape import mapping, mappings, text

IN_CLUSTER = "https://kubernetes.default.svc"
IN_CLUSTER_NAME = "in-cluster"


def destination(application: Manifest) -> str:
    """Return the cluster of an Application, by its address or else its name; "" where it names none."""
    written = mapping(application.body, "spec", "destination")
    server, name = text(written, "server"), text(written, "name")
    return IN_CLUSTER if name == IN_CLUSTER_NAME and not server else server or name


def sources(application: Manifest) -> list[tuple[str, Mapping[str, Any]]]:
    """Return the sources of an Application, each with its path in the manifest."""
    spec = mapping(application.body, "spec")
    one = mapping(spec, "source")
    several = [(f"spec.sources[{index}]", source) for index, source in mappings(spec, "sources")]
    return [("spec.source", one), *several] if one else several


def folder_of(source: Mapping[str, Any]) -> str:
    """Return the folder that a source brings, "" for what cannot be known.

    Apportion's plug-in brings what the folder of its parameters would hold, whether or not it is committed.
    """
    path = text(source, "path").strip("/")
    if "plugin" not in source:
        return path
    given = {text(item, "name"): text(item, "string") for _, item in mappings(source, "plugin", "parameters")}
    if not (given.get("env") and given.get("part")):
        return ""
    home = "" if path == "." else f"{path}/"
    return f"{home}output/overlays/{given['env']}/{given['part']}"


def content(cluster: Cluster, application: Manifest) -> Sequence[Manifest]:
    """Return what an Application would apply, as far as its folders are known."""
    return [manifest for folder in folders(cluster, application) for manifest in folder.manifests]


@dataclass(frozen=True, slots=True)
class Folder:
    """What Argo CD applies from a folder; `first` is the first object of each kind, without and with a namespace.

    `spaceless` are all objects without one.
    """

    manifests: Sequence[Manifest]
    spaceless: Sequence[Manifest]
    first: Mapping[tuple[Kind, bool], Manifest]
    spaces: frozenset[str]


def folders(cluster: Cluster, application: Manifest) -> list[Folder]:
    """Return the folders of an Application, as far as they are known and hold anything."""
    return cluster.once(_by_application).get(id(application), [])


def _by_application(cluster: Cluster) -> Mapping[int, list[Folder]]:
    known = _read_folders(cluster)
    paths = {id(a): [folder_of(source) for _, source in sources(a)] for a in cluster.of(APPLICATION)}
    return {id_: [known[path] for path in several if path in known] for id_, several in paths.items()}


def _read_folders(cluster: Cluster) -> Mapping[str, Folder]:
    return {path: _folder(manifests) for path, manifests in cluster.folders.items() if manifests}


def _folder(manifests: Sequence[Manifest]) -> Folder:
    first: dict[tuple[Kind, bool], Manifest] = {}
    spaces = set()
    spaceless = []
    for manifest in manifests:
        space = namespace_of(manifest)
        if space:
            spaces.add(space)
        else:
            spaceless.append(manifest)
        first.setdefault((kind_of(manifest.body), bool(space)), manifest)
    return Folder(manifests, spaceless, first, frozenset(spaces))
