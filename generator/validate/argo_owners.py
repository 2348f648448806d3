"""Argo CD: each object has one owner in its cluster. Two undo each other's changes, and one prunes what is the other's.

Source: facts of faults A57; https://github.com/argoproj/argo-cd/issues/2600.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping, Sequence
from itertools import product
from typing import Any

from generator.finding import Finding, Layer, Severity
from generator.manifest import Manifest
from generator.validate.argo_folders import destination, folder_of, folders, sources
from generator.validate.cluster import Cluster, name_of, namespace_of, related
from generator.validate.kinds import APPLICATION, CLUSTER_SCOPED, Kind, kind_of
from generator.validate.shape import text

_REVISION = "targetRevision"


def check(cluster: Cluster) -> Iterator[Finding]:
    """Yield objects that stand twice."""
    yield from folder_applied_twice(cluster)
    yield from object_twice(cluster)


def folder_applied_twice(cluster: Cluster) -> Iterator[Finding]:
    """Two Applications that apply one folder to one cluster own the same objects."""
    seen: dict[Hashable, Manifest] = {}
    for application in cluster.of(APPLICATION):
        for path, source in sources(application):
            folder = folder_of(source)
            first = seen.setdefault((destination(application), _frozen(source)), application)
            is_another = _identity(first) != _identity(application)
            held = cluster.folders.get(folder, ()) if is_another and destination(application) else ()
            both = [m for m in held if _is_one(m, first, application)]
            if both:
                yield cluster.finding(
                    application,
                    "object-twice",
                    Layer.DRIFT,
                    f"Applications {name_of(first)} and {name_of(application)} both apply folder {folder} to the same "
                    f"cluster, and so {_shown(both)}: each undoes the other, and one prunes what is the other's",
                    "remove one of them, or give each a folder of its own",
                    f"{path}.path",
                    related=[related(first, "spec", f"Application {name_of(first)}")],
                )


def _frozen(source: Any) -> Hashable:
    """Return what two sources have to have in common to bring the same objects, of whichever revision."""
    if isinstance(source, Mapping):
        return tuple(sorted((key, _frozen(value)) for key, value in source.items() if key != _REVISION))
    return tuple(map(_frozen, source)) if isinstance(source, list) else repr(source)


def _identity(application: Manifest) -> tuple[str, str]:
    return namespace_of(application), name_of(application)


def _is_one(manifest: Manifest, one: Manifest, other: Manifest) -> bool:
    """Whether two Applications, of one cluster, mean one object: what names no namespace goes to that of each."""
    fixed = namespace_of(manifest) or kind_of(manifest.body) in CLUSTER_SCOPED
    return bool(fixed) or _space(one) == _space(other)


def _space(application: Manifest) -> str:
    return text(application.body, "spec", "destination", "namespace")


def _shown(manifests: Sequence[Manifest]) -> str:
    more = f" and {len(manifests) - 1} more" if len(manifests) > 1 else ""
    return f"{kind_of(manifests[0].body)[1]} {name_of(manifests[0])}{more}"


def object_twice(cluster: Cluster) -> Iterator[Finding]:
    """An object stands once; in two Applications it may, if they are of different clusters."""
    seen: dict[tuple[Kind, str, str], Manifest] = {}
    for manifest, kind, space, name in cluster.identities:
        if not (kind[1] and name):
            continue
        first = seen.setdefault((kind, space, name), manifest)
        if first is manifest:
            continue
        pairs = list(product(*(cluster.once(_owners).get(id(m), ()) for m in (first, manifest))))
        owners = [(one, two) for one, two in pairs if _meet(manifest, one, two)]
        if owners or not pairs:
            yield _twice(cluster, first, manifest, [pair for pair in owners if pair[0] is not pair[1]][:1])


def _owners(cluster: Cluster) -> Mapping[int, list[Manifest]]:
    """Return the Applications of each object, by its id."""
    found: dict[int, list[Manifest]] = {}
    for application in cluster.of(APPLICATION):
        for folder in folders(cluster, application):
            for manifest in folder.manifests:
                found.setdefault(id(manifest), []).append(application)
    return found


def _meet(manifest: Manifest, one: Manifest, other: Manifest) -> bool:
    """Whether two Applications bring an object of that name to the same place, as far as it is known."""
    places = {destination(one), destination(other)}
    return one is other or "" in places or (len(places) == 1 and _is_one(manifest, one, other))


def _twice(
    cluster: Cluster, first: Manifest, manifest: Manifest, owners: Sequence[tuple[Manifest, Manifest]]
) -> Finding:
    (_, kind), space = kind_of(manifest.body), namespace_of(manifest)
    same = first.body == manifest.body
    where = f" in namespace {space}" if space else ""
    by = "".join(f", by Applications {name_of(one)} and {name_of(two)}" for one, two in owners)
    so = "each undoes the other, and one prunes what is the other's" if owners else "whoever applies it last wins"
    return cluster.finding(
        manifest,
        "object-twice",
        Layer.DRIFT,
        f"{kind} {name_of(manifest)}{where} is defined twice{by}{'' if same else ', and differently'}: {so}"
        f"{'' if owners else ', again and again'}",
        "keep one of them",
        "metadata.name",
        severity=Severity.WARNING if same and not owners else Severity.ERROR,
        related=[
            related(first, "metadata.name", "also here"),
            *(related(found, "metadata.name", f"Application {name_of(found)}") for pair in owners for found in pair),
        ],
    )
