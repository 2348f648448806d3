"""Find the schema of a kind in the release that an environment runs."""

from __future__ import annotations

import json
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

from generator.frozen import dataclass, fields
from generator.schemas.builtin import builtin
from generator.schemas.schema import Schema, parse

DATA = Path(__file__).parent / "data"


@dataclass(frozen=True, slots=True)
class Target:
    """The minor releases that one cluster runs; None: not known, and the newest that we know is taken.

    `trainer` takes precedence where an upstream Kubeflow Trainer is installed beside OpenShift AI.
    """

    trainer: str | None = None
    openshift_ai: str | None = None
    kueue: str | None = None
    argo_cd: str | None = None
    kubernetes: str | None = None


def schema(group: str, kind: str, version: str, target: Target) -> Schema | None:
    """Return the schema of one version of a kind, or None: not known, or not served in the target's release.

    A release that is not among ours is judged by the newest one before it, or else by the oldest.
    """
    if (found := builtin(group, kind, version, target.kubernetes)) is not None:
        return found
    product, by_version = _source(group, kind, target)
    origin = by_version.get(version, {}).get(_release(group, kind, target))
    return None if origin is None else _read(file_of(group, kind, version, product, origin))


def versions(group: str, kind: str, target: Target) -> tuple[str, ...]:
    """Return the versions of a kind that the target's release serves, in the order of their names."""
    release = _release(group, kind, target)
    return tuple(sorted(v for v, releases in _source(group, kind, target)[1].items() if release in releases))


def known(group: str, kind: str) -> bool:
    """Whether any release that we know serves this kind, a built-in one included."""
    return f"{group}/{kind}" in index()["kinds"] or builtin(group, kind, "v1", None) is not None


@cache
def index() -> dict[str, Any]:
    """The index of our schemas: `products` with their releases, `kinds` by product, version and release."""
    data: dict[str, Any] = json.loads((DATA / "index.json").read_bytes())
    return data


def every() -> Iterator[Schema]:
    """Yield all schemas that we have, but for those of built-in kinds."""
    for path in sorted(DATA.glob("*_*.json")):
        yield _read(path.name)


@cache
def _read(name: str) -> Schema:
    return parse((DATA / name).read_bytes())


def file_of(group: str, kind: str, version: str, product: str, release: str) -> str:
    """Return the name of our file of a kind's version as it was in a product's release ("": the product has none)."""
    stem = f"{group}_{kind}_{version}".lower()
    return f"{stem}@{product}-{release}.json" if release else f"{stem}.json"


def halves(name: str) -> tuple[str, str]:
    """Return group and kind of a name in the index: `kueue.x-k8s.io/ClusterQueue`."""
    group, _, kind = name.partition("/")
    return group, kind


def _source(group: str, kind: str, target: Target) -> tuple[str, dict[str, dict[str, str]]]:
    """The product that decides about a kind, and its versions: the first that the target names, else the first."""
    products: dict[str, Any] = index()["kinds"].get(f"{group}/{kind}", {})
    named = [field.name for field in fields(target) if getattr(target, field.name) and field.name in products]
    for product in [*named, *sorted(products, key=lambda name: name == "trainer")]:
        return product, products[product]
    return "", {}


def _release(group: str, kind: str, target: Target) -> str:
    product = _source(group, kind, target)[0]
    ours: list[str] = index()["products"].get(product, [""])
    wanted = getattr(target, product, None)
    if wanted is None:
        return ours[-1]
    before = [release for release in ours if order(release) <= order(wanted)]
    return before[-1] if before else ours[0]


def order(release: str) -> tuple[int, ...]:
    """ "3.10" comes after "3.9"; a patch is part of its minor release."""
    return tuple(int(part) if part.isdecimal() else 0 for part in release.split(".")[:2])
