"""What `kustomize build` makes of a folder: its own objects and those of its bases, patched and labelled."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from generator.emit.leaves import Leaf
from generator.manifest import key

_Body = Mapping[str, Any]


def built(leaf: Leaf) -> Iterator[_Body]:
    """Yield the objects of a folder as a build gives them, in the order of its own file, then those of its bases."""
    patches = {_identity(patch): patch for patch in leaf.patches}
    yield from (manifest.body for manifest in sorted(leaf.manifests, key=key))
    for _, manifests in sorted(leaf.bases.items()):
        for body in (manifest.body for manifest in sorted(manifests, key=key)):
            yield _labelled(_merged(body, patches.get(_identity(body), {})), leaf.labels)


def _identity(body: _Body) -> tuple[str, str, str | None, str]:
    metadata = body["metadata"]
    return body["apiVersion"], body["kind"], metadata.get("namespace"), metadata["name"]


def _merged(body: _Body, patch: _Body) -> _Body:
    """Return an object with a strategic merge patch of scalars; ours hold nothing else, so lists need no rules."""
    merged = dict(body)
    for name, value in patch.items():
        merged[name] = _merged(merged.get(name, {}), value) if isinstance(value, Mapping) else value
    return merged


def _labelled(body: _Body, labels: Mapping[str, str]) -> _Body:
    metadata = body["metadata"]
    return {**body, "metadata": {**metadata, "labels": {**metadata.get("labels", {}), **labels}}}
