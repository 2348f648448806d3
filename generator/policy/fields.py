"""Which fields an expression names, compared with those that there are: a misspelt one never passes in silence.

CEL itself finds a misspelt field only when it is read, and `has(item.typo)` is simply false. So every chain that begins
at a variable whose form is known (item, params, environment) is followed here, through indices and into loops.
"""

from __future__ import annotations

import typing
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from typing import Any

from generator.frozen import dataclass
from generator.policy.cel import MACROS, words
from generator.shapes import is_shape
from generator.spelling import remedy


@dataclass(frozen=True, slots=True)
class ListOf:
    of: Form


@dataclass(frozen=True, slots=True)
class MapOf:
    """Any key, values of one form."""

    of: Form


@dataclass(frozen=True, slots=True)
class Record:
    """Exactly these fields."""

    fields: Mapping[str, Form]


Form = ListOf | MapOf | Record | str
"""A str names a scalar type; "any" is not followed."""


@cache
def form(kind: Any) -> Form:
    """Return the form of a TypedDict, list[…], dict[str, …], or scalar type."""
    if is_shape(kind):
        return Record({name: form(inner) for name, inner in typing.get_type_hints(kind).items()})
    arguments = typing.get_args(kind)
    if typing.get_origin(kind) is list:
        return ListOf(form(arguments[0]))
    if typing.get_origin(kind) is dict:
        return MapOf(form(arguments[1]))
    return "any" if kind is Any else kind.__name__


def unknown_fields(expression: str, variables: Mapping[str, Form]) -> Iterator[tuple[str, str]]:
    """Yield each unknown field as a path ("item.pools[].nme") with its remedy ("did you mean name? …")."""
    tokens = words(expression)
    scope = dict(variables)
    for index, word in enumerate(tokens):
        if word in scope and tokens[index - 1 : index] != ["."]:
            yield from _follow(tokens, index + 1, word, scope[word], scope)


def _follow(
    tokens: Sequence[str], at: int, path: str, found: Form, scope: dict[str, Form]
) -> Iterator[tuple[str, str]]:
    """Follow `.field`, `[index]` and loops from a token on; a loop's variable joins the scope."""
    while at < len(tokens):
        if tokens[at] == "[":
            at, found, path = _closing(tokens, at) + 1, _entry(found), f"{path}[]"
            continue
        if tokens[at] != "." or at + 1 >= len(tokens):
            return
        at += 2 if tokens[at + 1] == "?" else 1  # optional selection
        name = tokens[at]
        if tokens[at + 1 : at + 2] == ["("]:
            if name in MACROS and at + 2 < len(tokens):
                scope[tokens[at + 2]] = _element(found)
            if name != "filter":
                return
            at = _closing(tokens, at + 1) + 1
            continue
        if isinstance(found, Record):
            if name not in found.fields:
                yield f"{path}.{name}", remedy(name, found.fields, f"{path} has")
                return
            found = found.fields[name]
        elif isinstance(found, MapOf):
            found = found.of
        elif found != "any":
            yield f"{path}.{name}", f"{path} is a {_named(found)} and has no fields"
            return
        path, at = f"{path}.{name}", at + 1


def _entry(found: Form) -> Form:
    return found.of if isinstance(found, ListOf | MapOf) else "any"


def _element(found: Form) -> Form:
    """What a loop's variable stands for: the entries of a list, the keys of a map."""
    return found.of if isinstance(found, ListOf) else "str" if isinstance(found, MapOf) else "any"


def _named(found: Form) -> str:
    return "list" if isinstance(found, ListOf) else str(found)


def _closing(tokens: Sequence[str], opened: int) -> int:
    """Return where the bracket that opens at a token is closed; the end where it is not."""
    depth = 0
    for index in range(opened, len(tokens)):
        depth += {"(": 1, "[": 1, "{": 1, ")": -1, "]": -1, "}": -1}.get(tokens[index], 0)
        if depth == 0:
            return index
    return len(tokens)


def typed(value: Any, known: Form) -> Any:
    """Return an example's value in the types that real data has: a whole number as float where the form says so."""
    if isinstance(known, Record) and isinstance(value, Mapping):
        return {name: typed(inner, known.fields.get(name, "any")) for name, inner in value.items()}
    if isinstance(known, ListOf) and isinstance(value, list):
        return [typed(inner, known.of) for inner in value]
    return float(value) if known == "float" and isinstance(value, int) else value


def strangers(value: Any, known: Form, path: str) -> Iterator[tuple[str, str]]:
    """Yield each field of an example's value that the form does not have, as `unknown_fields` does."""
    if isinstance(known, Record) and isinstance(value, Mapping):
        for name, inner in value.items():
            if name not in known.fields:
                yield f"{path}.{name}", remedy(str(name), known.fields, f"{path} has")
            else:
                yield from strangers(inner, known.fields[name], f"{path}.{name}")
    elif isinstance(known, ListOf) and isinstance(value, list):
        for inner in value:
            yield from strangers(inner, known.of, f"{path}[]")
    elif isinstance(known, MapOf) and isinstance(value, Mapping):
        for name, inner in value.items():
            yield from strangers(inner, known.of, f"{path}.{name}")
    elif not isinstance(known, str):
        yield path, f"{path} is a {'list' if isinstance(known, ListOf) else 'mapping'}"
