"""One document against its kind: all errors at once, each at its line, with the likely spelling."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from typing import TYPE_CHECKING, Any

from generator.environment.cluster import Environment
from generator.environment.explain import explain
from generator.environment.fleet import Fleet
from generator.environment.gate import ENVELOPE, fits
from generator.environment.inventory import Inventory
from generator.environment.quotas import Quotas
from generator.environment.team import Team
from generator.environment.waivers import Waivers
from generator.finding import Finding, error
from generator.shapes import real
from generator.source import Document, Map
from generator.spelling import remedy

if TYPE_CHECKING:
    from pydantic import TypeAdapter

GROUP = "apportion.dev"
API_VERSION = f"{GROUP}/v1"
KINDS: Mapping[str, type] = {
    "Fleet": Fleet,
    "Team": Team,
    "Environment": Environment,
    "Inventory": Inventory,
    "Quotas": Quotas,
    "Waivers": Waivers,
}


@cache
def adapter(kind: str) -> TypeAdapter[Any]:
    """Return pydantic's checker of a kind: unknown keys refused, no value converted."""
    from pydantic import TypeAdapter

    shape = real(KINDS[kind])
    shape.__pydantic_config__ = {"extra": "forbid", "strict": True}  # inherited by nested ones
    return TypeAdapter(shape)


def validate(document: Document) -> list[Finding]:
    """Return what is wrong with the shape of one document of a known kind.

    A key that stands empty where a mapping or list is wanted becomes an empty one: people leave keys so while editing.
    """
    kind = KINDS[document.root["kind"]]
    return [] if fits(document.root, kind) else explain(document, kind, problems(document.root))


def problems(root: Map) -> Sequence[Mapping[str, Any]]:
    """Return what pydantic objects to in a document of a known kind."""
    from pydantic import ValidationError

    try:
        adapter(root["kind"]).validate_python({k: v for k, v in root.items() if k not in ENVELOPE})
    except ValidationError as problem:
        return problem.errors(include_url=False)
    return []


def envelope(document: Document) -> Iterator[Finding]:
    """Yield what is wrong with `apiVersion` and `kind`."""
    root, start = document.root, document.locate(())
    version, kind = root.get("apiVersion"), root.get("kind")
    is_nested = isinstance(kind, dict | list)
    known = not is_nested and kind in KINDS
    if version is None and kind is None:
        yield error(
            "not-an-input",
            "this document has neither apiVersion nor kind",
            start,
            f"begin it with apiVersion: {API_VERSION} and a kind, "
            "or move a Kubernetes manifest to <environment>/extra/",
        )
    elif "apiVersion" in root and not str(version).startswith(f"{GROUP}/") and not (known or is_nested):
        yield error(
            "not-an-input",
            f"this is a Kubernetes manifest ({version} {kind}), not an input of Apportion",
            document.locate(("apiVersion",)),
            "move it to <environment>/extra/",
        )
    else:
        if version != API_VERSION:
            said = f"is {version}" if "apiVersion" in root else "is missing"
            place = document.locate(("apiVersion",))
            yield error("unknown-api-version", f"apiVersion {said}", place, f"write apiVersion: {API_VERSION}")
        if not known:
            said = f"is {kind}" if "kind" in root else "is missing"
            fix = remedy(str(kind), KINDS)
            yield error("unknown-kind", f"kind {said}", document.locate(("kind",)), fix)
