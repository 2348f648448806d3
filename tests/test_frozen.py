"""Classes of generator.frozen behave as frozen dataclasses do, but that an assignment is refused by mypy alone."""

from __future__ import annotations

import dataclasses
import functools
import pickle
from typing import Any

import pytest

from generator import frozen
from generator.finding import Location


def define(maker: Any) -> tuple[Any, Any, Any, Any]:
    """Return the same four classes, made by one module or the other."""
    dataclass = maker.dataclass

    @dataclass(frozen=True, slots=True)
    class Pair:
        """A pair."""

        left: int
        right: list[int] = maker.field(default_factory=list, compare=False, repr=False)

    @dataclass(frozen=True, slots=True)
    class Triple(Pair):
        third: str = "x"

    @dataclass(frozen=True, slots=True)
    class Nothing:
        pass

    @dataclass(frozen=True, slots=True, eq=False)
    class Single:
        only: int

        def __repr__(self) -> str:
            return "only"

    return Pair, Triple, Nothing, Single


@pytest.fixture(params=[dataclasses, frozen], ids=["dataclasses", "frozen"])
def kinds(request: pytest.FixtureRequest) -> tuple[Any, Any, Any, Any]:
    return define(request.param)


def test_equality_and_hash(kinds: tuple[Any, Any, Any, Any]) -> None:
    pair, triple, nothing, single = kinds
    assert (pair(1, [2]) == pair(1, [3]), pair(1) == pair(2), pair(1) == triple(1), pair(1) == 1) == (
        True,
        *[False] * 3,
    )
    assert (nothing() == nothing(), nothing() == pair(1)) == (True, False)
    same = single(1)
    assert (same == same, same == single(1)) == (True, False)
    assert {pair(1, [2]): "found"}[pair(1, [3])] == "found"
    assert (hash(pair(1)), hash(triple(1, [], "y")), hash(nothing())) == (hash((1,)), hash((1, "y")), hash(()))


def test_shown(kinds: tuple[Any, Any, Any, Any]) -> None:
    pair, triple, nothing, single = kinds
    shown = [repr(one).replace("define.<locals>.", "") for one in (pair(1), triple(1), nothing(), single(1))]
    assert shown == ["Pair(left=1)", "Triple(left=1, third='x')", "Nothing()", "only"]


@pytest.mark.parametrize("maker", [dataclasses, frozen], ids=["dataclasses", "frozen"])
def test_the_rest_of_a_dataclass(maker: Any) -> None:
    pair, triple, nothing, _ = define(maker)
    assert pair.__doc__ == "A pair."
    assert [(field.name, field.type) for field in maker.fields(triple)] == [
        ("left", "int"),
        ("right", "list[int]"),
        ("third", "str"),
    ]
    assert maker.replace(triple(1), third="z") == triple(1, [], "z")
    assert pair.__match_args__ == ("left", "right")
    assert (pair(1).right, pair(1).right is pair(1).right) == ([], False)
    for make, values, named in ((pair, (), {}), (nothing, (1,), {}), (pair, (1,), {"no": 2})):
        with pytest.raises(TypeError):
            make(*values, **named)
    with pytest.raises(TypeError):
        maker.replace(pair(1), no=1)
    with pytest.raises(AttributeError):
        object.__setattr__(pair(1), "other", 1)  # slots


@pytest.mark.parametrize("maker", [dataclasses, frozen], ids=["dataclasses", "frozen"])
def test_without_slots(maker: Any) -> None:
    @maker.dataclass(eq=False)
    class Counted:
        name: str
        known: dict[str, int] = maker.field(default_factory=dict, init=False, repr=False)

        @functools.cached_property
        def length(self) -> int:
            self.known[self.name] = len(self.name)
            return len(self.name)

    kind: Any = Counted
    one = kind("abc")
    assert (one.length, one.length, one.known) == (3, 3, {"abc": 3})
    assert repr(one).endswith("Counted(name='abc')")
    assert one != kind("abc")
    with pytest.raises(TypeError):
        kind("abc", {})


def test_between_processes() -> None:
    place = Location("a.yaml", 1, 2)
    assert pickle.loads(pickle.dumps(place)) == place


def test_an_init_is_compiled_when_the_first_object_is_made() -> None:
    pair, *_ = define(frozen)
    before = pair.__init__
    pair(1)
    assert pair.__init__ is not before


@pytest.mark.parametrize("options", [{"order": True}, {"kw_only": True}, {"unsafe_hash": True}])
def test_other_options_are_refused(options: dict[str, bool]) -> None:
    with pytest.raises(TypeError):
        frozen.dataclass(**options)
