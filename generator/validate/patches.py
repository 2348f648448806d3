"""Patches of lists: kustomize knows no merge key of a CRD's lists, so a merge patch replaces the whole list.

Source: kubernetes-sigs/kustomize#2825, #5878; facts of faults A48.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from generator.finding import Finding, Layer
from generator.validate.cluster import Cluster, name_of, namespace_of, related
from generator.validate.kinds import is_built_in, kind_of
from generator.validate.shape import items
from generator.validate.wording import some

_DEEPEST = 20
_NAMES = ("name", "identifier")  # the latter in a HardwareProfile


def check(cluster: Cluster) -> Iterator[Finding]:
    """Yield what objects have lost against the bases that they were built from (`cluster.bases`)."""
    for base in cluster.bases:
        kind = kind_of(base.body)
        built = cluster.find(kind, name_of(base), namespace_of(base))
        if built is None or is_built_in(kind[0]):
            continue
        lost = list(_lost(base.body.get("spec"), built.body.get("spec"), "spec"))
        if lost:
            names = some(f"{name} (of {path})" for path, name in lost)
            yield cluster.finding(
                built,
                "patch-replaces-list",
                Layer.DRIFT,
                f"{kind[1]} {name_of(built)} has lost {names} against its base: a merge patch replaces the whole list",
                "write a JSON 6902 patch of the one value, with a test operation before it, or the whole object",
                lost[0][0],
                related=[related(base, lost[0][0], "the base")],
            )


def _lost(before: object, after: object, path: str, depth: int = 0) -> Iterator[tuple[str, str]]:
    """Yield list path and name of what a list of named items no longer holds; a list that is gone was meant to go."""
    if depth > _DEEPEST:
        return
    if isinstance(before, Mapping) and isinstance(after, Mapping):
        for key, value in before.items():
            if key in after:
                yield from _lost(value, after[key], f"{path}.{key}", depth + 1)
    elif isinstance(before, Sequence) and isinstance(after, Sequence) and not isinstance(before, str):
        yield from _lost_items(before, after, path, depth)


def _lost_items(before: Sequence[Any], after: Sequence[Any], path: str, depth: int) -> Iterator[tuple[str, str]]:
    old, new = _named(before), _named(after)
    if not old:
        for index, (one, other) in enumerate(zip(before, after, strict=False)):
            yield from _lost(one, other, f"{path}[{index}]", depth + 1)
        return
    places = {name: index for index, name in enumerate(new)}
    for name, item in old.items():
        if name in new:
            yield from _lost(item, new[name], f"{path}[{places[name]}]", depth + 1)
        else:
            yield path, name


def _named(found: Sequence[Any]) -> dict[str, Any]:
    """Return the items of a list by name, where each of them has one."""
    for key in _NAMES:
        named = {
            item[key]: item for item in items(found) if isinstance(item, Mapping) and isinstance(item.get(key), str)
        }
        if len(named) == len(found):
            return named
    return {}
