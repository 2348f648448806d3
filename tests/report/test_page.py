"""What a forge is told in Markdown: whole pages, at their limits, and with names that want to be more than names."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from generator.change.model import ABSENT, AmountChange, Change, FieldChange, Identity, ObjectChange
from generator.quantity import UNIT
from generator.report.page import MOST_OF_A_NAME, Row, code, cut, gpus

GPU = "nvidia.com/gpu"
PLACE = f"spec.resourceGroups[0].flavors[name=h100].resources[name={GPU}]"
MARKDOWN = MarkdownIt("gfm-like", {"linkify": False})


def amount(queue: str | None, old: int, new: int, *, team: str | None = "vision", resource: str = GPU) -> AmountChange:
    name = f"{team}-{queue}" if team else queue
    return AmountChange(team, queue if team else None, name, "h100", resource, resource == GPU, old * UNIT, new * UNIT)


def limited(kind: str, path: str, old: object, new: object) -> ObjectChange:
    key = Identity(("kueue.x-k8s.io", kind), "", "org")
    return ObjectChange("changed", key, "v1beta2", None, (FieldChange(path, old, new),))


def change(**parts: tuple[object, ...]) -> Change:
    return Change(**{"environment": "prod", "change": "changed", "quotas": (), "pools": (), "objects": (), **parts})  # type: ignore[arg-type]  # each as named


def test_amounts_of_accelerators_and_limits_are_rows() -> None:
    found = change(
        quotas=(amount("train", 8, 4), amount("train", 96, 48, resource="cpu"), amount("default", 0, 1, team=None)),
        cohorts=(amount("org", 0, 2, team=None),),
        pools=(amount(None, 16, 24, team=None),),
        objects=(
            limited("ClusterQueue", f"{PLACE}.borrowingLimit", ABSENT, "2"),
            limited("Cohort", f"{PLACE}.lendingLimit", "3", ABSENT),
            limited("ClusterQueue", f"{PLACE}.nominalQuota", "8", "4"),  # a guaranteed amount, told above
            limited("ClusterQueue", PLACE.replace(GPU, "cpu") + ".borrowingLimit", "1", "2"),
            limited("ResourceFlavor", f"{PLACE}.borrowingLimit", "1", "2"),
        ),
    )
    assert gpus([found]) == [
        (
            found,
            [
                Row("vision/train", "guaranteed", "h100", GPU, "8", "4", "-4"),
                Row("default", "guaranteed", "h100", GPU, "0", "1", "+1"),
                Row("cohort org", "guaranteed", "h100", GPU, "0", "2", "+2"),
                Row("all nodes", "schedulable", "h100", GPU, "16", "24", "+8"),
                Row("org", "borrowing limit", "h100", GPU, "none", "2"),
                Row("org", "lending limit", "h100", GPU, "3", "none"),
            ],
        )
    ]


def test_an_environment_without_gpus_that_change_is_not_told() -> None:
    assert gpus([change(quotas=(amount("train", 96, 48, resource="cpu"),))]) == []


@pytest.mark.parametrize(
    ("text", "span"),
    [
        ("h100", "`h100`"),
        ("a|b`c", "`a¦b'c`"),
        ("two\nlines\u202e", r"`two\nlines\u202e`"),
        ("", "-"),
        (" ", "-"),
        ("x" * MOST_OF_A_NAME, f"`{'x' * MOST_OF_A_NAME}`"),
        ("x" * (MOST_OF_A_NAME + 1), f"`{'x' * MOST_OF_A_NAME}…`"),
    ],
)
def test_a_name_is_a_code_span(text: str, span: str) -> None:
    assert code(text) == span


@settings(max_examples=200, deadline=None)
@given(st.text("`|\\<>&@#!*_~[]()$:/ \n\r\taé", min_size=1, max_size=30))
def test_whatever_a_name_is_it_stays_one_cell_of_code(name: str) -> None:
    tokens = MARKDOWN.parse(f"| a | b |\n|---|---|\n| {code(name)} | {code('@team #1 <b>')} |\n")
    cells = [token.children or [] for token in tokens if token.type == "inline"]
    assert [[child.type for child in cell] for cell in cells[:2]] == [["text"], ["text"]]
    kinds = [[child.type for child in cell] for cell in cells[2:]]
    assert kinds == [["code_inline" if name.strip(" ") else "text"], ["code_inline"]]
    assert [cell[0].content for cell in cells[3:]] == ["@team #1 <b>"]


def test_a_page_ends_at_a_line_and_says_what_is_left() -> None:
    text = "één\n" * 10
    assert len("één\n".encode()) == 6
    assert cut(text, 60) == text
    assert cut(text, 59) == "één\n" * 9 + "\n… and 1 more line.\n"
    assert cut(text, 0) == "\n… and 10 more lines.\n"
