"""Kind `Policy` as people write it, with the checks of form that pydantic makes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from typing import TYPE_CHECKING, Annotated, Any, Literal, Required

from generator.environment import constraint as c
from generator.environment import types as t
from generator.environment.explain import explain
from generator.finding import Finding
from generator.shapes import TypedDict, real
from generator.source import Document

if TYPE_CHECKING:
    from pydantic import TypeAdapter

Expression = Annotated[str, c.Text("a CEL expression", r"\S[\s\S]*", 4096)]
Source = Annotated[str, c.Text("an address that begins with https://", r"https://\S+", 1024)]
ParameterName = Annotated[str, c.Text("a name such as maxOvercommit", r"[a-z][A-Za-z0-9]*", 63)]
Version = Annotated[str, c.Text('a version in quotes, such as "0.2"', r"[0-9]+\.[0-9]+", 16, repair=c.major_minor)]


class Example(TypedDict, total=False):
    """One state of the world: the collection that the policy reads, and what stands beside it."""

    name: Required[t.Line]
    plan: dict[str, Any]
    ledger: dict[str, Any]
    manifests: dict[str, Any]
    changes: dict[str, Any]
    environment: dict[str, Any]
    params: dict[str, Any]


Examples = TypedDict("Examples", {"pass": Required[list[Example]], "fail": Required[list[Example]]}, total=False)


class Policy(TypedDict, total=False):
    id: Required[t.Name]
    title: Required[t.Line]
    severity: Required[Literal["error", "warning", "info"]]
    each: Required[t.Line]
    where: Expression
    rule: Required[Expression]
    message: Required[Expression]
    fix: Required[t.Prose]
    why: Required[t.Prose]
    source: Required[Source]
    params: dict[ParameterName, Any]
    since: Version
    effectiveOn: t.Date
    examples: Required[Examples]


@cache
def _adapter() -> TypeAdapter[Any]:
    from pydantic import TypeAdapter

    shape = real(Policy)
    shape.__pydantic_config__ = {"extra": "forbid", "strict": True}  # inherited by nested ones
    return TypeAdapter(shape)


def defects(document: Document, keys: Sequence[str]) -> list[Finding]:
    """Return what is wrong with the form of a document; `keys` are those of its envelope."""
    from pydantic import ValidationError

    root: Mapping[str, Any] = document.root
    try:
        _adapter().validate_python({key: value for key, value in root.items() if key not in keys})
    except ValidationError as problem:
        return explain(document, Policy, problem.errors(include_url=False))
    return []
