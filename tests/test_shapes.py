"""Shapes are what typing_extensions.TypedDict is to mypy and to pydantic, and dicts at run time."""

from __future__ import annotations

from typing import Any, NotRequired, Required

import pytest
import typing_extensions
from pydantic import TypeAdapter, ValidationError

from generator.shapes import TypedDict, hints, is_shape, real


class Leaf(TypedDict):
    size: int


class Tree(TypedDict, total=False):
    name: Required[str]
    leaves: list[Leaf]
    by_name: dict[str, Leaf]
    anything: Any


Dashed = TypedDict("Dashed", {"a-b": NotRequired[Leaf], "c": int})


def test_at_run_time_they_are_dicts() -> None:
    assert Leaf(size=1) == {"size": 1}
    assert Dashed({"c": 1}) == {"c": 1}


@pytest.mark.parametrize(
    ("kind", "said"), [(Leaf, True), (Dashed, True), (dict, False), (list[int], False), (1, False)]
)
def test_is_shape(kind: object, said: bool) -> None:
    assert is_shape(kind) is said


def test_hints() -> None:
    assert hints(Tree) == {"name": Required[str], "leaves": list[Leaf], "by_name": dict[str, Leaf], "anything": Any}
    assert hints(Dashed) == {"a-b": NotRequired[Leaf], "c": int}


def test_real_ones_are_of_typing_extensions_all_the_way_down() -> None:
    made = real(Tree)
    assert typing_extensions.is_typeddict(made)
    assert (made.__required_keys__, made.__optional_keys__) == ({"name"}, {"leaves", "by_name", "anything"})
    assert real(Dashed).__optional_keys__ == {"a-b"}
    assert made.__annotations__["leaves"] == list.__class_getitem__(real(Leaf))
    assert made.__annotations__["by_name"] == dict.__class_getitem__((str, real(Leaf)))


def test_pydantic_reads_them() -> None:
    adapter: TypeAdapter[Any] = TypeAdapter(real(Tree))
    adapter.validate_python({"name": "a", "leaves": [{"size": 1}]})
    with pytest.raises(ValidationError) as caught:
        adapter.validate_python({"leaves": [{"size": "x"}]})
    assert [problem["loc"] for problem in caught.value.errors()] == [("name",), ("leaves", 0, "size")]
