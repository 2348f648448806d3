"""Where in a sync each object stands: its Application, those above it, its phase and its wave.

Source: Argo CD gitops-engine/pkg/sync/sync_tasks.go; docs/user-guide/{sync-waves,resource_hooks}.md.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping
from itertools import takewhile
from typing import Any

from generator.frozen import dataclass, field
from generator.manifest import Manifest, sync_wave
from generator.validate import kinds
from generator.validate.argo_folders import folders
from generator.validate.argo_options import of_application
from generator.validate.cluster import Cluster, name_of, namespace_of, place
from generator.validate.kinds import kind_of
from generator.validate.shape import text

HOOK = "argocd.argoproj.io/hook"
_PHASES = {"PreSync": -1, "Sync": 0, "PostSync": 1}
_SYNC = 0


@dataclass(frozen=True, slots=True)
class Step:
    """When Argo CD applies an object: all of a phase and wave at once, and what comes later when that is healthy."""

    phase: int
    wave: int

    def __lt__(self, other: Step) -> bool:
        return (self.phase, self.wave) < (other.phase, other.wave)

    def __le__(self, other: Step) -> bool:
        return not other < self

    def __str__(self) -> str:
        names = {number: name for name, number in _PHASES.items()}
        return f"wave {self.wave}" if self.phase == _SYNC else f"{names[self.phase]} hooks"


_UNMARKED = Step(_SYNC, 0)


@dataclass(slots=True)
class Contents:
    """What one Application applies: what comes first of each namespace and API group, hooks, the last step."""

    title: str
    created: str = ""  # the namespace that Argo CD makes itself, before all else
    by_space: dict[str, tuple[Step, Manifest]] = field(default_factory=dict)
    by_group: dict[str, tuple[Step, Manifest]] = field(default_factory=dict)
    hooks: list[Manifest] = field(default_factory=list)
    last: Step | None = None

    def take(self, manifest: Manifest, group: str, space: str, step: Step) -> None:
        """Take an object in."""
        if space and (space not in self.by_space or step < self.by_space[space][0]):
            self.by_space[space] = step, manifest
        if group not in self.by_group or step < self.by_group[group][0]:
            self.by_group[group] = step, manifest
        if step.phase != _SYNC:
            self.hooks.append(manifest)
        if self.last is None or step > self.last:
            self.last = step


@dataclass(frozen=True, slots=True)
class Between:
    """Two objects in what orders them: one Application, or two below the same.

    `is_wrong`: the other comes later. `is_open`: they are in two Applications that nothing orders.
    """

    title: str
    one: Step
    other: Step
    is_wrong: bool
    is_open: bool


class Places:
    """The places of all objects whose Application is known.

    Where a PATH holds no Application, the objects in the files of one folder are taken for one Application's, unless
    they come from a cluster.
    """

    def __init__(self, cluster: Cluster) -> None:
        self.applications = cluster.of(kinds.APPLICATION)
        self.contents: list[Contents] = []
        # What is compiled is itself what Argo CD applies; a folder of other manifests was read once more.
        self._key = id if cluster.whole else _identity
        self._home: dict[Hashable, int | None] = {}
        self._steps: dict[int, Step | None] = {}  # by identity of the annotations, which many objects share
        self._ways: dict[int, list[int]] = {}
        self._known: dict[tuple[int, int], Between | None] = {}
        if self.applications:
            for application in self.applications:
                found = [m for folder in folders(cluster, application) for m in folder.manifests]
                self._add(Contents(f"Application {name_of(application)}", _created(application)), found)
        else:
            for folder, found in _by_folder(cluster).items():
                self._add(Contents(f"folder {folder or '.'}"), found)
        for manifest, kind, space, _ in cluster.identities:
            index = self._home.get(self._key(manifest))
            if index is not None and (step := self._step(manifest)) is not None:
                self.contents[index].take(manifest, kind[0], space, step)

    def _add(self, contents: Contents, manifests: Iterable[Manifest]) -> None:
        index = len(self.contents)
        self.contents.append(contents)
        for key in map(self._key, manifests):
            # what two Applications bring is there when the first of them is synced, and nobody knows which that is
            self._home[key] = index if self._home.get(key, index) == index else None

    def _step(self, manifest: Manifest) -> Step | None:
        metadata = manifest.body.get("metadata")
        notes = metadata.get("annotations") if isinstance(metadata, dict) else None
        if not isinstance(notes, dict):
            return _UNMARKED
        if id(notes) not in self._steps:
            self._steps[id(notes)] = step_of(notes)
        return self._steps[id(notes)]

    def home(self, manifest: Manifest) -> int | None:
        """Return the index of an object's Application; None: not known."""
        return self._home.get(self._key(manifest))

    def between(self, one: Manifest, other: Manifest) -> Between | None:
        """Return what orders two objects; None: nothing that is known, or well and in one Application."""
        mine, theirs = self._home.get(self._key(one)), self._home.get(self._key(other))
        if mine is None or theirs is None:
            return None
        if mine == theirs:
            step, needed = self._step(one), self._step(other)
            if step is needed or step is None or needed is None or needed <= step:
                return None
            return self._made(mine, step, needed, is_one=True)
        pair = mine, theirs
        if pair not in self._known:
            ours, others = self.way(mine), self.way(theirs)
            shared = len(list(takewhile(lambda pair: pair[0] == pair[1], zip(ours, others, strict=False))))
            if shared in (len(ours), len(others)):  # one of the objects stands beside the Application of the other
                left, right = ([*map(self._below, way[shared:]), last] for way, last in ((ours, one), (others, other)))
                return self._made(ours[shared - 1], self._step(left[0]), self._step(right[0]), is_one=False)
            steps = (self._step(self.applications[way[shared]]) for way in (ours, others))
            self._known[pair] = self._made(ours[shared - 1], *steps, is_one=False) if shared else None
        return self._known[pair]

    def _below(self, index: int) -> Manifest:
        return self.applications[index]

    def _made(self, above: int, one: Step | None, other: Step | None, *, is_one: bool) -> Between | None:
        if one is None or other is None:
            return None
        return Between(self.contents[above].title, one, other, other > one, not is_one and one == other)

    def held_up(self, manifest: Manifest, *, above: bool) -> Contents | None:
        """Return what has something later than an object: its Application, or with `above` one of those above it."""
        home = self.home(manifest)
        if home is None:
            return None
        way = self.way(home)
        below = [manifest, *map(self._below, way[:0:-1])]
        for index, item in zip(way[::-1] if above else [home], below, strict=False):
            step, contents = self._step(item), self.contents[index]
            if step is not None and contents.last is not None and step < contents.last:
                return contents
        return None

    def way(self, index: int) -> list[int]:
        """Return the Applications that lead to one, from the topmost to itself; one that brings itself is topmost."""
        if index not in self._ways:
            found = self._ways[index] = [index]
            while self.applications:
                above = self.home(self.applications[found[0]])
                if above is None or above in found:
                    break
                found.insert(0, above)
        return self._ways[index]


def step_of(notes: Mapping[str, Any]) -> Step | None:
    """Return phase and wave by the annotations; None for what no ordinary sync applies (Skip, SyncFail, deletion)."""
    wave = sync_wave(notes)
    if HOOK not in notes:
        return Step(_SYNC, wave)
    phases = [_PHASES[part.strip()] for part in str(notes[HOOK]).split(",") if part.strip() in _PHASES]
    return Step(min(phases), wave) if phases else None


def _created(application: Manifest) -> str:
    if "CreateNamespace=true" in of_application(application):
        return text(application.body, "spec", "destination", "namespace")
    return ""


def _by_folder(cluster: Cluster) -> Mapping[str, list[Manifest]]:
    found: dict[str, list[Manifest]] = {}
    for manifest in cluster.objects:
        if not text(manifest.body, "metadata", "uid"):
            found.setdefault(place(manifest).file.rpartition("/")[0], []).append(manifest)
    return found


def _identity(manifest: Manifest) -> Hashable:
    return kind_of(manifest.body), namespace_of(manifest), name_of(manifest)
