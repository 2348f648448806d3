"""Dataclasses that cost next to nothing to define.

A run defines a hundred of them before it reads a line, and makes objects of a third. `dataclasses` compiles six
functions for each, 0.7 ms together, and imports `inspect`; here equality, hash and repr are closures, and `__init__` is
made when the first object is: of byte code from `generator.kept`, or compiled, 0.1 ms. To type checkers all is that of
`dataclasses`, so that they refuse assignments to frozen objects; at run time nothing does, which also makes objects
faster.
"""

from __future__ import annotations

from operator import attrgetter
from typing import TYPE_CHECKING, Any

from generator.kept import dumped, kept, loaded

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from dataclasses import dataclass as dataclass
    from dataclasses import field as field
    from dataclasses import fields as fields
    from dataclasses import replace as replace
else:

    def dataclass(*, frozen: bool = False, slots: bool = False, eq: bool = True) -> Any:  # noqa: ARG001 - for mypy alone
        """Define a class as `dataclasses.dataclass` would, but for what keeps it frozen; with `eq` it has a hash, too.

        Raises:
            TypeError: other options; `dataclasses` itself is for them.
        """
        return lambda kind: _define(kind, slots=slots, compares=eq)

    def field(
        *,
        default_factory: Any = None,
        compare: bool = True,
        repr: bool = True,  # noqa: A002 - as there
        init: bool = True,
    ) -> Any:
        """Return a field's options, as `dataclasses.field` takes them."""
        return _Field(default_factory, compare, repr, init)

    def fields(kind: Any) -> Any:
        """Return the fields of a class or of an object, in order: `name`, and `type` as it is written."""
        return kind.__fields__

    def replace(one: Any, **changes: Any) -> Any:
        """Return a copy with some fields changed.

        Raises:
            TypeError: there is no such field.
        """
        kept = {name: getattr(one, name) for name in type(one).__match_args__ if name not in changes}
        return type(one)(**kept, **changes)


_REQUIRED = object()


class _Field:
    __slots__ = ("compare", "default", "factory", "init", "name", "repr", "type")

    def __init__(self, factory: Callable[[], Any] | None, compare: bool, shown: bool, init: bool) -> None:
        self.factory, self.compare, self.repr, self.init = factory, compare, shown, init
        self.name = self.type = ""
        self.default: Any = _REQUIRED


def _define(kind: type, *, slots: bool, compares: bool) -> type:
    body: Any = dict(kind.__dict__)
    hints = body.get("__annotations__", {})
    own = {name: _field(name, hint, body.pop(name, _REQUIRED)) for name, hint in hints.items()}
    inherited = {field.name: field for base in kind.__mro__[:0:-1] for field in base.__dict__.get("__fields__", ())}
    all_fields = tuple((inherited | own).values())
    body |= {"__fields__": all_fields, "__match_args__": tuple(field.name for field in all_fields if field.init)}
    if slots:
        body["__slots__"] = tuple(name for name in own if name not in inherited)
    for name in ("__dict__", "__weakref__"):
        body.pop(name, None)
    if "__repr__" not in body:
        body["__repr__"] = _repr([field.name for field in all_fields if field.repr])
    if compares:
        _compare(body, [field.name for field in all_fields if field.compare])
    made: Any = type(kind)(kind.__name__, kind.__bases__, body)
    made.__qualname__ = kind.__qualname__
    _init_when_needed(made)
    return made  # type: ignore[no-any-return]  # a type makes a type


def _field(name: str, hint: Any, default: Any) -> _Field:
    made = default if isinstance(default, _Field) else _Field(None, True, True, True)
    made.name, made.type = name, hint
    if made is not default:
        made.default = default
    return made


def _compare(body: dict[str, Any], names: list[str]) -> None:
    """Give a class the equality and hash of a frozen dataclass: those of the tuple of its fields."""
    values: Callable[[Any], tuple[Any, ...]] = (
        attrgetter(*names) if len(names) > 1 else lambda self: tuple(getattr(self, name) for name in names)
    )

    def __eq__(self: Any, other: object) -> bool:  # noqa: N807 - becomes the method
        return values(self) == values(other) if other.__class__ is self.__class__ else NotImplemented

    def __hash__(self: Any) -> int:  # noqa: N807 - becomes the method
        return hash(values(self))

    body["__eq__"], body["__hash__"] = __eq__, __hash__


def _repr(names: list[str]) -> Any:
    def __repr__(self: Any) -> str:  # noqa: N807 - becomes the method
        shown = ", ".join(f"{name}={getattr(self, name)!r}" for name in names)
        return f"{self.__class__.__qualname__}({shown})"

    return __repr__


def _init_when_needed(made: Any) -> None:
    def __init__(self: Any, *args: Any, **kwargs: Any) -> None:  # noqa: N807 - becomes the method
        made.__init__ = _init(made.__fields__)
        made.__init__(self, *args, **kwargs)

    made.__init__ = __init__


def constructors(kinds: Iterable[Any]) -> dict[str, bytes]:
    """Return the byte code of the `__init__` of each of these classes, by its source."""
    sources = sorted({_source(kind.__fields__)[0] for kind in kinds})
    return {source: dumped(_code(source)) for source in sources}


def _init(declared: Iterable[_Field]) -> Any:
    """Make a class's `__init__`: the one part of which the time counts when there are a hundred thousand objects."""
    source, names = _source(declared)
    known = kept("constructors").get(source)
    exec(loaded(known) if known is not None else _code(source), names)  # noqa: S102 - as dataclasses does
    return names["__init__"]


def _code(source: str) -> Any:
    return compile(source, "<a frozen class>", "exec")


def _source(declared: Iterable[_Field]) -> tuple[str, dict[str, Any]]:
    """Return the source of an `__init__`, and what its names mean."""
    given, lines = [], []
    names: dict[str, Any] = {"_absent": _REQUIRED}
    for field in declared:
        name, value = field.name, field.name
        if field.factory is not None:
            names[f"_new_{name}"] = field.factory
            value = f"_new_{name}() if {name} is _absent else {name}" if field.init else f"_new_{name}()"
            given += [f"{name}=_absent"] * field.init
        elif field.default is not _REQUIRED:
            names[f"_default_{name}"] = field.default
            given.append(f"{name}=_default_{name}")
        else:
            given.append(name)
        lines.append(f" self.{name} = {value}")
    return f"def __init__({', '.join(['self', *given])}):\n" + "\n".join(lines or [" pass"]), names
