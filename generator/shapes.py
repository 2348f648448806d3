"""TypedDicts that cost next to nothing to define.

The kinds that people write and the items that policies judge have 500 fields. `TypedDict` makes an object of each when
the class is defined, and the one that pydantic can read brings typing_extensions and `inspect` along: 20 ms of each
start. At run time a shape is a plain class that has its annotations; `real` makes what pydantic wants.
"""

from __future__ import annotations

import typing
from functools import cache
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from typing_extensions import TypedDict as TypedDict
else:

    class _Kind(type):
        def __new__(cls, name: str, bases: tuple[type, ...], body: dict[str, Any], total: bool = True) -> Any:
            return super().__new__(cls, name, bases, body | {"__total__": total})

        def __init__(cls, name: str, bases: tuple[type, ...], body: dict[str, Any], **options: bool) -> None:  # noqa: ARG002 - those of __new__
            super().__init__(name, bases, body)

        def __call__(cls, *args: Any, **kwargs: Any) -> Any:
            """Return a dict, as a TypedDict does; TypedDict itself returns a shape: `TypedDict("Share", {…})`."""
            if cls is not TypedDict:
                return dict(*args, **kwargs)
            name, annotations = args
            return _Kind(name, (TypedDict,), {"__annotations__": annotations}, **kwargs)

    class TypedDict(metaclass=_Kind):
        """The base of all shapes."""


def is_shape(kind: Any) -> bool:
    """Tell whether a type is a TypedDict of this module."""
    return isinstance(kind, type(TypedDict))


@cache
def hints(kind: Any) -> dict[str, Any]:
    """Return the annotations of a shape, with their constraints and Required or NotRequired."""
    return typing.get_type_hints(kind, include_extras=True)


@cache
def real(kind: Any) -> Any:
    """Return the `typing_extensions.TypedDict` of a shape and of those within it, for pydantic."""
    from typing_extensions import TypedDict as Real

    return Real(kind.__name__, {name: _real(hint) for name, hint in hints(kind).items()}, total=kind.__total__)  # type: ignore[operator]  # made as it runs


def _real(hint: Any) -> Any:
    if is_shape(hint):
        return real(hint)
    origin, inner = typing.get_origin(hint), typing.get_args(hint)
    if origin in (list, dict):
        return origin[tuple(map(_real, inner))] if len(inner) > 1 else origin[_real(inner[0])]
    if origin in (typing.Required, typing.NotRequired):
        return origin[_real(inner[0])]
    return hint
