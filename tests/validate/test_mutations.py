"""One change at a time in the objects of the sample overlays, judged alike by our schemas, by the real CRDs through
the same engine, and, where structure alone decides, by python-jsonschema through an independent translation."""

from __future__ import annotations

import copy
import os
from collections import Counter
from collections.abc import Iterator, Mapping
from functools import cache
from itertools import islice
from pathlib import Path
from typing import Any

import pytest
import yaml

from generator.finding import Layer
from generator.schemas.load import Target, schema
from tests.validate import independent
from tests.validate.real import errors, key, needs_crds, raw, schemas

pytestmark = needs_crds

OVERLAYS = Path(__file__).parents[2] / "output" / "overlays"
ENVIRONMENTS = {
    "dev": ("openshift-ai-3.5", "red-hat-kueue-1.4", "argo-cd-3.3"),
    "prod": ("openshift-ai-3.4", "red-hat-kueue-1.3", "argo-cd-3.1"),
    "legacy": ("openshift-ai-2.25", "red-hat-kueue-1.2", "argo-cd-3.1"),
}
PER_KIND = 2
FEWEST = 400

Step = str | int
Mutation = tuple[str, dict[str, Any]]


def target(folders: tuple[str, ...]) -> Target:
    release = {folder.rpartition("-")[0]: folder.rpartition("-")[2] for folder in folders}
    return Target(openshift_ai=release["openshift-ai"], kueue=release["red-hat-kueue"], argo_cd=release["argo-cd"])


@cache
def samples(environment: str) -> list[dict[str, Any]]:
    """Return up to PER_KIND objects of each kind in an overlay."""
    seen: Counter[str] = Counter()
    found = []
    for path in sorted((OVERLAYS / environment).rglob("*.yaml")):
        for body in yaml.load_all(path.read_bytes(), yaml.CSafeLoader):
            if body and body.get("kind", "Kustomization") != "Kustomization" and seen[body["kind"]] < PER_KIND:
                seen[body["kind"]] += 1
                found.append(body)
    return found


def places(value: Any, path: tuple[Step, ...] = ()) -> Iterator[tuple[Step, ...]]:
    """Yield the path of every node below the root, metadata left out: it is the same for all kinds."""
    entries = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for step, child in entries:
        if not path and step in ("apiVersion", "kind", "metadata"):
            continue
        yield (*path, step)
        yield from places(child, (*path, step))


def mutations(body: Mapping[str, Any]) -> Iterator[Mutation]:
    """Yield every single-field change of an object, with what was done where."""
    for path in places(body):
        for name, change in CHANGES.items():
            mutated = copy.deepcopy(dict(body))
            holder: Any = mutated
            for step in path[:-1]:
                holder = holder[step]
            if change(holder, path[-1]):
                yield f"{name} {'.'.join(map(str, path))}", mutated


def _removed(holder: Any, step: Any) -> bool:
    del holder[step]
    return True


def _renamed(holder: Any, step: Any) -> bool:
    if isinstance(holder, list):
        return False
    holder[f"{step}x"] = holder.pop(step)
    return True


def _of_wrong_type(holder: Any, step: Any) -> bool:
    value = holder[step]
    holder[step] = {"x": 1} if isinstance(value, str | int) else "x"
    return True


def _null(holder: Any, step: Any) -> bool:
    holder[step] = None
    return True


def _out_of_bounds(holder: Any, step: Any) -> bool:
    value = holder[step]
    if isinstance(value, bool):
        return False
    if isinstance(value, int):
        holder[step] = 2**31
    elif isinstance(value, str):
        holder[step] = value + "x" * 400
    elif isinstance(value, list):
        holder[step] = value * 65
    else:
        return False
    return True


def _negative(holder: Any, step: Any) -> bool:
    if isinstance(holder[step], bool) or not isinstance(holder[step], int):
        return False
    holder[step] = -1
    return True


def _reworded(holder: Any, step: Any) -> bool:
    """An enum gets a word that it lacks, a reference a name that dangles, a quantity a unit that is none."""
    if not isinstance(holder[step], str):
        return False
    holder[step] = f"{holder[step]}-zz"
    return True


def _emptied(holder: Any, step: Any) -> bool:
    holder[step] = type(holder[step])()
    return True


STRIDE = 1 if os.environ.get("APPORTION_FUZZ") else 2  # all of them where there is time
CHANGES = {
    "removed": _removed,
    "renamed": _renamed,
    "wrong type": _of_wrong_type,
    "null": _null,
    "out of bounds": _out_of_bounds,
    "negative": _negative,
    "reworded": _reworded,
    "emptied": _emptied,
}


@pytest.mark.parametrize("environment", ENVIRONMENTS)
def test_every_mutation_is_judged_alike(environment: str) -> None:
    folders = ENVIRONMENTS[environment]
    real = {found: made for folder in (*folders, "olm", "jobset-operator") for found, made in schemas(folder).items()}
    crds = {found: crd for folder in (*folders, "olm", "jobset-operator") for found, crd in raw(folder).items()}
    judged: Counter[bool] = Counter()
    for body in samples(environment):
        group, kind, version = key(body)
        ours, theirs = schema(group, kind, version, target(folders)), real.get(key(body))
        if theirs is None:
            continue
        assert ours is not None, kind
        structure, plain = (
            independent.structure(crds[group, kind], version),
            independent.validator(crds[group, kind], version),
        )
        for what, mutated in islice(mutations(body), 0, None, STRIDE):
            mine = errors(mutated, ours)
            assert mine == errors(mutated, theirs), f"{kind} {what}"
            by_structure = [v for v in mine if v.layer is Layer.SCHEMA and v.rule != "entry-duplicate"]
            accepted = plain.is_valid(independent.read(structure, mutated))
            assert accepted == (by_structure == []), f"{kind} {what}: {by_structure}"
            judged[mine == []] += 1
    print(f"{environment}: {judged[False]} mutations refused, {judged[True]} accepted")
    assert judged[False] >= FEWEST
    assert judged[True] > 0
