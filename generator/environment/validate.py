"""One document against its kind: all errors at once, each at its line, with the likely spelling."""

from __future__ import annotations

import typing
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from typing import TYPE_CHECKING, Any

from generator.environment.cluster import Environment
from generator.environment.fleet import Fleet
from generator.environment.inventory import Inventory
from generator.environment.quotas import Quotas
from generator.environment.team import Team
from generator.environment.waivers import Waivers
from generator.finding import Finding, error
from generator.source import Document
from generator.spelling import remedy

if TYPE_CHECKING:
    from pydantic import TypeAdapter

API_VERSION = "apportion.dev/v1"
KINDS: Mapping[str, type] = {
    "Fleet": Fleet,
    "Team": Team,
    "Environment": Environment,
    "Inventory": Inventory,
    "Quotas": Quotas,
    "Waivers": Waivers,
}
ENVELOPE = ("apiVersion", "kind")
_TYPES = {
    "dict_type": "a mapping (key: value)",
    "list_type": "a list",
    "bool_type": "true or false",
    "string_type": "text",
}


@cache
def adapter(kind: str) -> TypeAdapter[Any]:
    """Return pydantic's checker of a kind: unknown keys refused, no value converted."""
    from pydantic import TypeAdapter

    shape = KINDS[kind]
    shape.__pydantic_config__ = {"extra": "forbid", "strict": True}  # type: ignore[attr-defined]  # inherited by nested ones
    return TypeAdapter(shape)


def validate(document: Document) -> list[Finding]:
    """Return what is wrong with the shape of one document of a known kind."""
    from pydantic import ValidationError

    root = document.root
    try:
        adapter(root["kind"]).validate_python({k: v for k, v in root.items() if k not in ENVELOPE})
    except ValidationError as problem:
        shape = KINDS[root["kind"]]
        return [_finding(document, shape, e) for e in problem.errors(include_url=False)]
    return []


def envelope(document: Document) -> Iterator[Finding]:
    """Yield what is wrong with `apiVersion` and `kind`."""
    root = document.root
    start = document.locate(())
    version, kind = root.get("apiVersion"), root.get("kind")
    if version is None and kind is None:
        yield error(
            "not-an-input",
            "this document has neither apiVersion nor kind",
            start,
            f"begin it with apiVersion: {API_VERSION} and a kind, "
            "or move a Kubernetes manifest to <environment>/extra/",
        )
        return
    if version != API_VERSION:
        said = "is missing" if version is None else f"is {version!r}"
        where = document.locate(("apiVersion",)) if "apiVersion" in root else start
        hint = "" if version is None else "; Kubernetes manifests belong in <environment>/extra/"
        yield error("unknown-api-version", f"apiVersion {said}", where, f"write apiVersion: {API_VERSION}{hint}")
    if not isinstance(kind, str) or kind not in KINDS:
        said = "is missing" if kind is None else f"is {kind!r}"
        where = document.locate(("kind",)) if "kind" in root else start
        yield error("unknown-kind", f"kind {said}", where, remedy(str(kind), KINDS, "write one of"))


def spelled(path: Sequence[str | int]) -> str:
    """Return a path as people write it: pools[0].perNode.cpu."""
    text = ""
    for step in path:
        text += f"[{step}]" if isinstance(step, int) else f".{step}" if text else step
    return text


def _finding(document: Document, shape: type, problem: Mapping[str, Any]) -> Finding:
    path: tuple[str | int, ...] = tuple(step for step in problem["loc"] if step != "[key]")
    is_key = "[key]" in problem["loc"]
    kind, said = problem["type"], spelled(path)
    if kind == "extra_forbidden":
        known = _keys(shape, path[:-1])
        fix = remedy(str(path[-1]), known, "known keys are") if known else f"remove {path[-1]}"
        parent = spelled(path[:-1]) or f"kind {document.root['kind']}"
        return error("unknown-key", f"{parent} has no key {path[-1]!r}", document.locate(path, key=True), fix)
    if kind == "missing":
        parent = spelled(path[:-1]) or f"this {document.root['kind']}"
        wanted = _wanted(shape, path)
        return error(
            "missing-key", f"{parent} lacks {path[-1]}", document.locate(path[:-1]), f"add {path[-1]}: {wanted}"
        )
    where = document.locate(path, key=True) if is_key else document.locate(path)
    if kind == "refused":
        subject = f"the key {path[-1]!r} of {spelled(path[:-1])}" if is_key else f"{said} is {_shown(problem['input'])}"
        return error("invalid-value", f"{subject}: {problem['msg']}", where, _way_out(problem["msg"], path))
    if kind == "literal_error":
        allowed = problem["ctx"]["expected"].replace("'", "").replace(" or ", ", ").split(", ")
        fix = remedy(str(problem["input"]), allowed, "write one of")
        return error("invalid-value", f"{said} is {_shown(problem['input'])}", where, fix)
    other = problem["msg"].removeprefix("Input should be ")
    return error("invalid-type", f"{said} is {_shown(problem['input'])}", where, f"make it {_TYPES.get(kind, other)}")


def _way_out(message: str, path: tuple[str | int, ...]) -> str:
    if "write it in quotes" in message:
        return f"write {path[-1]}: {message.rsplit(', ', 1)[1]}" if isinstance(path[-1], str) else "put it in quotes"
    return f"change {path[-1] if isinstance(path[-1], str) else spelled(path[-2:])} to what is allowed"


def _shown(value: object) -> str:
    if value is None:
        return "empty"
    if isinstance(value, Mapping):
        return "a mapping"
    if isinstance(value, list):
        return "a list"
    if isinstance(value, bool):
        return str(value).lower()
    text = repr(value) if isinstance(value, str) else str(value)
    return text if len(text) <= 80 else text[:77] + "..."


def _wanted(shape: type, path: tuple[str | int, ...]) -> str:
    inner = _step(shape, path)
    if typing.get_origin(inner) is typing.Literal:
        return " | ".join(map(str, typing.get_args(inner)))
    for marker in getattr(inner, "__metadata__", ()):
        return f"<{getattr(marker, 'what', 'a whole number')}>"
    return "{...}" if typing.is_typeddict(inner) or typing.get_origin(inner) is dict else "[...]"


def _keys(shape: Any, path: Sequence[str | int]) -> list[str]:
    inner = _step(shape, path)
    return list(inner.__annotations__) if typing.is_typeddict(inner) or hasattr(inner, "__required_keys__") else []


def _step(shape: Any, path: Sequence[str | int]) -> Any:
    """Follow a path through the types of a kind."""
    for step in path:
        if hasattr(shape, "__required_keys__"):
            shape = typing.get_type_hints(shape, include_extras=True).get(str(step))
        else:
            arguments = typing.get_args(shape)
            shape = arguments[-1] if arguments else None
        while typing.get_origin(shape) in (typing.Required, typing.NotRequired):
            shape = typing.get_args(shape)[0]
    return shape
