"""Chains of fields are followed through indices and loops; what is not there is named with a remedy."""

from typing import Any

import pytest

from generator.policy import fields
from generator.shapes import TypedDict


class Leaf(TypedDict):
    name: str
    size: float


class Thing(TypedDict):
    leaves: list[Leaf]
    labels: dict[str, str]
    best: Leaf
    free: Any


FORM = fields.form(Thing)


@pytest.mark.parametrize(
    ("expression", "unknown"),
    [
        ("item.leaves.all(l, l.name != '' && l.size > 0.0)", []),
        ("item.leaves.all(l, l.nam != '')", ["l.nam"]),
        ("item.leaves[0].name == item.best.name", []),
        ("item.leaves[item.best.x].nam", ["item.leaves[].nam", "item.best.x"]),
        ("item.leaves.filter(l, l.size > 1.0)[0].names", ["item.leaves[].names"]),
        ("item.leaves.filter(l, l.sise > 1.0).map(m, m.name).join(',')", ["l.sise"]),
        ("item.labels['a'] == '' && item.labels.anything != ''", []),
        ("item.labels.all(k, k.x == '')", ["k.x"]),
        ("item.name.size() > 0", ["item.name"]),
        ("item.best.name.first", ["item.best.name.first"]),
        ("item.best.name.startsWith('item.nothing')", []),
        ("item.free.whatever[3].deep", []),
        ("other.item.nothing", []),
        ("has(item.?nothing)", ["item.nothing"]),
    ],
)
def test_unknown_fields(expression: str, unknown: list[str]) -> None:
    assert [path for path, _ in fields.unknown_fields(expression, {"item": FORM})] == unknown


def test_the_remedy_names_the_likely_field_and_all_there_are() -> None:
    assert list(fields.unknown_fields("item.bets", {"item": FORM})) == [
        ("item.bets", "did you mean best? item has leaves, labels, best, free")
    ]


def test_examples_are_held_against_the_form() -> None:
    value = {"leaves": [{"name": "a", "colour": "red"}], "labels": {"a": "b"}, "best": [], "roots": 1}
    assert [path for path, _ in fields.strangers(value, FORM, "plan.things[]")] == [
        "plan.things[].leaves[].colour",
        "plan.things[].best",
        "plan.things[].roots",
    ]


def test_examples_get_the_types_of_real_data() -> None:
    value = fields.typed({"leaves": [{"name": "a", "size": 2}], "labels": {"a": "b"}, "free": 3}, FORM)
    assert value == {"leaves": [{"name": "a", "size": 2.0}], "labels": {"a": "b"}, "free": 3}
    assert [type(leaf["size"]) for leaf in value["leaves"]] == [float]
