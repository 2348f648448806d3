"""What an environment or one Application of it expects of the cluster: JSON of `emit.expectation` → values."""

from __future__ import annotations

import json
from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from generator.finding import FatalError, Location, ObjectRef
from generator.frozen import dataclass, field
from generator.manifest import Manifest
from generator.quantity import Amount, parse
from generator.validate.kinds import Kind, kind_of

VERSION = 1
Identity = tuple[Kind, str, str]
"""Kind, namespace ("" for none), name."""
_NOWHERE = Location("")


@dataclass(frozen=True, slots=True)
class ExpectedKind:
    """An emitted kind; `operator` is the id of what brings it, "own" for a CRD of the tree, "" for the cluster."""

    api_version: str
    kind: str
    operator: str


@dataclass(frozen=True, slots=True)
class ExpectedOperator:
    id: str
    channel: str
    approval: str
    namespace: str


@dataclass(frozen=True, slots=True)
class ExpectedPool:
    """Nodes as the inventory has them: `per_node` is allocatable, `schedulable` that less what is reserved on each."""

    name: str
    nodes: int
    per_node: Mapping[str, Amount]
    schedulable: Mapping[str, Amount]
    accelerators: tuple[str, ...]
    overcommit: Fraction
    labels: Mapping[str, str]
    taints: tuple[Mapping[str, str], ...]


@dataclass(slots=True, eq=False)
class Expected:
    """`whole`: all of the environment, so that what is not here is not of the tree.

    `prunes` are the kinds whose objects a sync would remove, each with the team it does so for: "" none, "*" any, None
    also none. `server` is the address that Argo CD knows the cluster by, where it is another than its own. `places` are
    the input lines of objects, pools and operators, where they are known.
    """

    environment: str
    whole: bool
    releases: Mapping[str, str]
    kinds: tuple[ExpectedKind, ...]
    operators: tuple[ExpectedOperator, ...]
    applications_namespace: str | None
    platform: frozenset[str]
    pools: tuple[ExpectedPool, ...]
    objects: Mapping[Identity, Manifest]
    prunes: tuple[tuple[str, str | None], ...]
    server: str | None = None
    places: Mapping[tuple[str, str, str], Location] = field(default_factory=dict)

    def place(self, kind: str, name: str, namespace: str = "") -> Location | None:
        """Return the input line behind an object, pool or operator; None where only the tree is known."""
        return self.places.get((kind, namespace, name))

    def reference(self, kind: str, name: str, namespace: str = "", api_version: str | None = None) -> ObjectRef:
        return ObjectRef(self.environment, kind, name, namespace or None, api_version)


def loads(text: str | bytes, file: str) -> Expected:
    """Return what a file expects.

    Raises:
        FatalError: no JSON of this form, or of another version of it.
    """
    try:
        raw = json.loads(text)
        version = raw["version"]
    except (ValueError, TypeError, KeyError, RecursionError):
        raise _unreadable(file, "it is no expectation that Apportion compiled") from None
    if version != VERSION:
        raise _unreadable(file, f"it has version {version!r}, and this Apportion reads version {VERSION}")
    try:
        return parsed(raw)
    except (ValueError, TypeError, KeyError, AttributeError) as problem:
        raise _unreadable(file, f"{type(problem).__name__} in it: {problem}") from None


def _unreadable(file: str, why: str) -> FatalError:
    fix = "compile again with the release of Apportion that runs the check: both come in one image"
    return FatalError(f"cannot read {file}: {why}", fix)


def parsed(raw: Mapping[str, Any], places: Mapping[tuple[str, str, str], Location] | None = None) -> Expected:
    """Return the values of an expectation that Apportion made itself."""
    manifests = [Manifest(body, _NOWHERE) for body in raw["objects"]]
    return Expected(
        environment=str(raw["environment"]),
        whole=raw.get("whole") is True,
        releases=dict(raw["releases"]),
        kinds=tuple(ExpectedKind(*map(str, item)) for item in raw["kinds"]),
        operators=tuple(ExpectedOperator(**item) for item in raw.get("operators", ())),
        applications_namespace=raw.get("applicationsNamespace"),
        platform=frozenset(raw["platform"]),
        pools=tuple(map(_pool, raw["pools"])),
        objects={(kind_of(m.body), m.namespace or "", m.name): m for m in manifests},
        prunes=tuple((str(kind), team) for kind, team in raw["prunes"]),
        server=raw.get("server"),
        places=places or {},
    )


def _pool(raw: Mapping[str, Any]) -> ExpectedPool:
    return ExpectedPool(
        name=str(raw["name"]),
        nodes=int(raw["nodes"]),
        per_node={key: parse(value) for key, value in raw["perNode"].items()},
        schedulable={key: parse(value) for key, value in raw["schedulable"].items()},
        accelerators=tuple(raw["accelerators"]),
        overcommit=Fraction(str(raw["overcommit"])),
        labels=dict(raw["labels"]),
        taints=tuple(dict(taint) for taint in raw["taints"]),
    )
