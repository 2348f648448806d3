from __future__ import annotations

import pytest

from generator.spelling import hint, near, or_else, remedy

KEYS = ("accelerators", "cpu", "memory", "nodeLabels")


@pytest.mark.parametrize(
    ("word", "spelling"),
    [
        ("accelerator", "accelerators"),
        ("memroy", "memory"),
        ("CPU", "cpu"),
        ("node-labels", "nodeLabels"),
        ("node_labels", "nodeLabels"),
        ("nodelabels", "nodeLabels"),
        ("cpu", "cpu"),
        ("gpu", "cpu"),
        ("storage", None),
        ("", None),
    ],
)
def test_near(word: str, spelling: str | None) -> None:
    assert near(word, KEYS) == spelling


def test_hint() -> None:
    assert (hint("memroy", KEYS), hint("storage", KEYS)) == ("did you mean memory? ", "")


def test_or_else() -> None:
    assert or_else("memroy", KEYS, "add it") == "did you mean memory? else add it"
    assert or_else("storage", KEYS, "add it") == "add it"


@pytest.mark.parametrize(
    ("word", "known", "text"),
    [
        ("memroy", ("cpu", "memory"), "did you mean memory? known are cpu, memory"),
        ("storage", ("cpu", "memory"), "known are cpu, memory"),
        ("storage", {"cpu": 1}, "known are cpu"),
        ("storage", (), "known are none"),
        ("cup", iter(["cpu"]), "did you mean cpu? known are cpu"),
    ],
)
def test_remedy(word: str, known: tuple[str, ...], text: str) -> None:
    assert remedy(word, known) == text


def test_remedy_says_what_is_listed() -> None:
    assert remedy("x", ("h100",), "pools are") == "pools are h100"


def test_of_many_words_the_neighbours_are_compared_and_few_are_named() -> None:
    many = [f"team-{number:05}" for number in range(20_000)]
    assert near("team-01-234", many) == "team-01234"
    assert near("taem-01234", many) is None
    assert near("Team_01234", many) == "team-01234"
    assert near("team-01234x", many[::-1]) == "team-01234"
    assert near("xyz", many) is None
    names = ", ".join(many[:40])
    assert remedy("xyz", many) == f"known are {names} and 19960 more"
    assert remedy("xyz", many[:40]) == f"known are {names}"
