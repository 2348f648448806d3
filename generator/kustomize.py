"""Plans → the tree below `output/`: bases, overlays, one lock a folder. Each builds with plain `kustomize build`."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain
from typing import Any

from generator import __version__, lock
from generator.emit import argocd, extra
from generator.emit.leaves import Leaf, group, leaves, position
from generator.finding import Finding, Layer, Location, ObjectRef, Related, error
from generator.frozen import dataclass, replace
from generator.lock import HEADER
from generator.manifest import Manifest, dump, dump_all, key
from generator.plan.model import Plan
from generator.releases.load import DATA_VERSION

HOOKS = 2  # objects that emit/preflight.py adds to a folder
MOST_OBJECTS = 500  # kustomize build is quadratic; source: kubernetes-sigs/kustomize#5084
KUSTOMIZATION, RESOURCES = "kustomization.yaml", "resources.yaml"
API = "kustomize.config.k8s.io/v1beta1"
_PLAIN = f"{HEADER}\n" + dump({"apiVersion": API, "kind": "Kustomization", "resources": [RESOURCES]})


@dataclass(frozen=True, slots=True)
class Overlay:
    """One environment's folders: those that are synced, and those of Argo CD that sync them."""

    plan: Plan
    synced: Sequence[Leaf]
    argocd: Sequence[Leaf]

    @property
    def leaves(self) -> Iterator[Leaf]:
        """Every folder with objects."""
        return chain(self.synced, self.argocd)


def build(plan: Plan, guards: Sequence[Manifest] = ()) -> tuple[Overlay, list[Finding]]:
    """Return the folders of one environment, and what is wrong with users' own manifests.

    `guards` are what users' policies add to the guardrails.
    """
    own, findings = extra.emit(plan)
    room = MOST_OBJECTS - (HOOKS if plan.preflight else 0)
    synced = [part for leaf in leaves(plan, own, guards) for part in _parts(leaf, room)]
    findings += _twice(plan, synced, own)
    if plan.preflight is not None:
        from generator.emit.preflight import gated, too_large

        synced = gated(plan, synced)
        findings += too_large(plan, synced)
    return Overlay(plan, synced, argocd.leaves(plan, synced)), findings


def layout(overlays: Sequence[Overlay]) -> dict[str, str]:
    """Return every file of the tree: path below `output/` → text."""
    tree: dict[str, str] = {}
    digests = _Digests()
    bases: dict[str, list[Manifest]] = {}
    for overlay in overlays:
        for leaf in overlay.leaves:
            bases.update(leaf.bases)
            _add(tree, leaf.path, _files(leaf), digests.of(leaf.inputs), leaf.as_of)
        root = f"overlays/{overlay.plan.name}"
        inputs = digests.of((overlay.plan.name, [leaf.path for leaf in overlay.synced]))
        _add(tree, root, {KUSTOMIZATION: _of_layers(root, overlay.synced)}, inputs, None)
    for path, manifests in sorted(bases.items()):
        files = _files(Leaf(path, "base", manifests))
        _add(tree, path, files, digests.of(tuple(m.body for m in manifests)), None)
    return dict(sorted(tree.items()))


class _Digests:
    """Digests of inputs; each part is serialised once, however many folders come from it."""

    def __init__(self) -> None:
        self._known: dict[int, tuple[Any, bytes]] = {}

    def of(self, parts: Iterable[Any]) -> str:
        whole = hashlib.sha256()
        for part in parts:
            whole.update(self._part(part))
        return f"sha256:{whole.hexdigest()}"

    def _part(self, part: Any) -> bytes:
        known = self._known.get(id(part))
        if known is None:
            text = json.dumps(part, sort_keys=True, default=str, separators=(",", ":"))
            known = (part, hashlib.sha256(text.encode()).digest())  # keeps the part alive, so that its id stays its own
            self._known[id(part)] = known
        return known[1]


def _add(tree: dict[str, str], path: str, files: Mapping[str, str], inputs: str, as_of: str | None) -> None:
    for name, text in files.items():
        tree[f"{path}/{name}"] = text
    tree[f"{path}/{lock.NAME}"] = lock.render(files, inputs=inputs, tool=__version__, data=DATA_VERSION, as_of=as_of)


def _files(leaf: Leaf) -> dict[str, str]:
    if not leaf.bases and not leaf.files:
        return {KUSTOMIZATION: _PLAIN, RESOURCES: _resources(leaf)}
    resources = [RESOURCES] if leaf.manifests else []
    up = "../" * (leaf.path.count("/") + 1)
    kustomization: dict[str, Any] = {
        "apiVersion": API,
        "kind": "Kustomization",
        "resources": [*resources, *(up + b for b in sorted(leaf.bases))],
    }
    if leaf.bases:
        kustomization["labels"] = [{"pairs": dict(leaf.labels)}]
    if leaf.patches:
        kustomization["patches"] = [{"patch": dump(patch)} for patch in leaf.patches]
    files = {KUSTOMIZATION: HEADER + "\n" + dump(kustomization)}
    if leaf.manifests:
        files[RESOURCES] = _resources(leaf)
    return files | {name: HEADER + "\n" + text for name, text in leaf.files.items()}


def _resources(leaf: Leaf) -> str:
    return HEADER + "\n" + dump_all(m.body for m in sorted(leaf.manifests, key=key))


def _of_layers(root: str, synced: Sequence[Leaf]) -> str:
    """Return the kustomization of a whole environment, for review and bootstrap; Argo CD points at its folders."""
    ordered = sorted(synced, key=lambda leaf: (position(leaf.layer), leaf.path))
    resources = [leaf.path.removeprefix(f"{root}/") for leaf in ordered]
    return HEADER + "\n" + dump({"apiVersion": API, "kind": "Kustomization", "resources": resources})


def _parts(leaf: Leaf, most: int = MOST_OBJECTS) -> list[Leaf]:
    """Split a folder of too many objects by namespace or name, so that one more object moves no other."""
    count = len(leaf.manifests) + sum(map(len, leaf.bases.values()))
    if count <= most:
        return [leaf]
    digits = 1
    buckets = _buckets(leaf.manifests, digits)
    while max(map(len, buckets.values())) > most and digits < 8:
        digits += 1
        buckets = _buckets(leaf.manifests, digits)
    parts = [
        replace(leaf, path=f"{leaf.path}/{n}", manifests=m, bases={}, patches=[], files={})
        for n, m in sorted(buckets.items())
    ]
    if leaf.bases:
        parts.insert(0, replace(leaf, path=f"{leaf.path}/base", manifests=[]))
    return parts


def _buckets(manifests: Sequence[Manifest], digits: int) -> dict[str, list[Manifest]]:
    buckets: dict[str, list[Manifest]] = {}
    for found in manifests:
        place = found.name if found.kind == "Namespace" else found.namespace or found.name
        buckets.setdefault(hashlib.sha256(place.encode()).hexdigest()[:digits], []).append(found)
    return buckets


def _twice(plan: Plan, synced: Sequence[Leaf], own: Sequence[Manifest]) -> Iterator[Finding]:
    """Yield every object of `extra/` that is also generated, or stands there twice."""
    if not own:
        return
    names = {_identity(found) for found in own}
    generated = (m for leaf in synced if leaf.layer != "extra" for m in leaf.objects())
    first = {identity: found for found in generated if (identity := _identity(found)) in names}
    for found in own:
        before = first.setdefault(_identity(found), found)
        if before is not found:
            yield _duplicate(plan, found, before)


def _identity(found: Manifest) -> tuple[str, str, str | None, str]:
    return (group(found.api_version), found.kind, found.namespace, found.name)


def _duplicate(plan: Plan, found: Manifest, before: Manifest) -> Finding:
    where = f" in namespace {found.namespace}" if found.namespace else ""
    related = (Related(before.origin, "the first one comes from here"),) if before.origin != Location("") else ()
    return error(
        "duplicate-object",
        f"{found.kind} {found.name}{where} exists twice: two Applications would own it",
        found.origin,
        "remove this one, or give it another name",
        layer=Layer.REFERENCE,
        object=ObjectRef(plan.name, found.kind, found.name, found.namespace, found.api_version),
        related=related,
    )
