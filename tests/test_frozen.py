"""Classes of generator.frozen behave as frozen dataclasses do, but that an assignment is refused by mypy alone."""

from __future__ import annotations

import dataclasses
import pickle
from typing import Any

import pytest

from generator import frozen
from generator.finding import Location


def define(dataclass: Any) -> tuple[Any, Any, Any, Any]:
    """Return the same four classes, made by one decorator or the other."""

    @dataclass(frozen=True, slots=True)
    class Pair:
        """A pair."""

        left: int
        right: list[int] = dataclasses.field(default_factory=list, compare=False, repr=False)

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


@pytest.fixture(params=[dataclasses.dataclass, frozen.dataclass], ids=["dataclasses", "frozen"])
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


def test_the_rest_of_a_dataclass(kinds: tuple[Any, Any, Any, Any]) -> None:
    pair, triple, _, _ = kinds
    assert pair.__doc__ == "A pair."
    assert [field.name for field in dataclasses.fields(triple)] == ["left", "right", "third"]
    assert dataclasses.replace(triple(1), third="z") == triple(1, [], "z")
    assert dataclasses.asdict(pair(1, [2])) == {"left": 1, "right": [2]}
    assert pair.__match_args__ == ("left", "right")
    with pytest.raises(AttributeError):
        object.__setattr__(pair(1), "other", 1)  # slots


def test_between_processes() -> None:
    place = Location("a.yaml", 1, 2)
    assert pickle.loads(pickle.dumps(place)) == place


@pytest.mark.parametrize(
    "options", [{}, {"frozen": True}, {"slots": True}, {"frozen": True, "slots": True, "order": True}]
)
def test_other_options_are_refused(options: dict[str, bool]) -> None:
    with pytest.raises(TypeError, match="only for frozen classes with slots"):
        frozen.dataclass(**options)
