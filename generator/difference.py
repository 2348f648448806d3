"""The steps from what lies in output/ to the tree that the inputs yield, and what stands in their way."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping

from generator.disk import Disk, Kind, folders_above, parent, shown
from generator.finding import Finding, Layer, Location, error
from generator.frozen import dataclass

Tree = Mapping[str, str]
"""Path below output/, with forward slashes, to text."""

Scope = Callable[[str], bool]
"""Tells whether a run is responsible for a path below output/."""


_STEERING = ("kustomization.yml", "Kustomization", ".argocd-source.yaml")


def steers(path: str) -> bool:
    """Tell whether a file changes what kustomize builds, or Argo CD applies, of the folder that it stands in.

    Source: kustomize api/konfig, RecognizedKustomizationFileNames; argo-cd reposerver/repository,
    mergeSourceParameters.
    """
    name = path.rpartition("/")[2]
    return name in _STEERING or (name.startswith(".argocd-source-") and name.endswith(".yaml"))


@dataclass(frozen=True, slots=True)
class Difference:
    """What a write does, each list in order; with an obstacle it does nothing."""

    write: list[str]
    remove: list[str]
    emptied: list[str]  # folders that lose their last entry, the deepest first
    obstacles: dict[str, Kind]  # foreign entries where a file or folder of ours must go


def between(disk: Disk, tree: Tree, scope: Scope) -> Difference:
    """Compare the disk with a tree within the scope; files that are not ours are never removed."""
    wanted = sorted(filter(scope, tree))
    entries = disk.entries
    remove = [path for path in sorted(entries) if path not in tree and scope(path) and disk.is_ours(path)]
    emptied = _emptied(entries, remove, folders_above(wanted))
    vacated = {*remove, *emptied}
    blocked = _blocked_folders(entries, folders_above(wanted), vacated)
    write, obstacles = [], dict(blocked.values())
    ours = set(map(parent, wanted))
    obstacles |= {path: kind for path, kind in entries.items() if steers(path) and parent(path) in ours}
    for path in wanted:
        kind = entries.get(path)
        if parent(path) in blocked or (kind is Kind.FILE and disk.holds(path, tree[path])):
            continue
        if kind is None or path in vacated or disk.is_replaceable(path):
            write.append(path)
        else:
            obstacles[path] = kind
    return Difference(write, remove, emptied, obstacles)


def in_the_way(obstacles: Mapping[str, Kind]) -> list[Finding]:
    """Return one error per obstacle: nothing is written while one stands."""
    return [
        error(
            "output-foreign-file",
            f"{shown(path)} is {kind} that Apportion did not write, and {_harm(path)}",
            Location(shown(path)),
            f"move {shown(path)} out of output/, then run apportion compile",
            layer=Layer.OUTPUT,
        )
        for path, kind in sorted(obstacles.items())
    ]


def _harm(path: str) -> str:
    return "it changes what is applied of the folder" if steers(path) else "generated files must go there"


def _emptied(entries: Mapping[str, Kind], removed: list[str], kept: list[str]) -> list[str]:
    left = Counter(map(parent, entries))
    needed = {"", *kept}
    gone = list(removed)
    for path in gone:  # grows: an emptied folder is one entry less in its own parent
        folder = parent(path)
        left[folder] -= 1
        if not left[folder] and folder not in needed:
            gone.append(folder)
    return gone[len(removed) :]


def _blocked_folders(entries: Mapping[str, Kind], folders: list[str], vacated: set[str]) -> dict[str, tuple[str, Kind]]:
    """Map each folder that cannot be made or entered to the entry that prevents it."""
    blocked: dict[str, tuple[str, Kind]] = {}
    for folder in folders:
        kind = entries.get(folder)
        if parent(folder) in blocked:
            blocked[folder] = blocked[parent(folder)]
        elif kind not in (None, Kind.FOLDER) and folder not in vacated:
            blocked[folder] = folder, kind
    return blocked
