"""Findings as people read them."""

import pytest

from generator.finding import Finding, Layer, Location, Related, Severity
from generator.report import render
from generator.report.text import amount, counted, plain

PLACE = Location("environments/prod/quotas.yaml", 14, 9)
OVERCOMMIT = Finding(
    "accelerator-overcommit",
    Severity.ERROR,
    Layer.POLICY,
    "pool h100 can schedule 120 GPUs and 136 are guaranteed",
    PLACE,
    "lower a team's share",
    related=(Related(Location("environments/prod/inventory.yaml", 5, 12), "15 of 16 nodes x 8 GPUs"),),
)


def test_a_finding_is_as_in_the_conventions() -> None:
    assert render("text", [OVERCOMMIT]) == (
        "environments/prod/quotas.yaml:14:9: error[accelerator-overcommit] "
        "pool h100 can schedule 120 GPUs and 136 are guaranteed\n"
        "  fix: lower a team's share\n"
        "  see: environments/prod/inventory.yaml:5:12 15 of 16 nodes x 8 GPUs\n"
    )


@pytest.mark.parametrize(
    ("location", "start"),
    [
        (None, "info[x] m\n"),
        (Location("a.yaml"), "a.yaml: info[x] m\n"),
        (Location("a.yaml", 1, 2), "a.yaml:1:2: info[x] m\n"),
    ],
)
def test_place_may_be_missing_or_a_whole_file(location: Location | None, start: str) -> None:
    assert render("text", [Finding("x", Severity.INFO, Layer.INPUT, "m", location)]) == start


def test_colours_wrap_only_place_severity_and_labels() -> None:
    assert render("text", [OVERCOMMIT], colour=True) == (
        "\x1b[1menvironments/prod/quotas.yaml:14:9: \x1b[0m\x1b[1;31merror[accelerator-overcommit]\x1b[0m "
        "pool h100 can schedule 120 GPUs and 136 are guaranteed\n"
        "  \x1b[32mfix:\x1b[0m lower a team's share\n"
        "  \x1b[2msee:\x1b[0m environments/prod/inventory.yaml:5:12 15 of 16 nodes x 8 GPUs\n"
    )


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("Grüße, 東京", "Grüße, 東京"),
        ("a\x1b]0;title\x07b", r"a\x1b]0;title\x07b"),
        ("one\ntwo\tthree", r"one\ntwo\tthree"),
        ("gpu\u202eupg", r"gpu\u202eupg"),
        ("\udcff.yaml", r"\udcff.yaml"),
        ("\x85\u2028", r"\x85\u2028"),
    ],
)
def test_no_input_drives_the_terminal(text: str, shown: str) -> None:
    assert plain(text) == shown
    finding = Finding("x", Severity.WARNING, Layer.INPUT, text, Location(text, 1, 1), text)
    assert render("text", [finding]) == f"{shown}:1:1: warning[x] {shown}\n  fix: {shown}\n"


@pytest.mark.parametrize(
    ("severities", "said"),
    [
        ([], "no findings"),
        ([Severity.ERROR], "1 error"),
        ([Severity.INFO, Severity.INFO, Severity.ERROR, Severity.WARNING], "1 error, 1 warning, 2 infos"),
    ],
)
def test_counts_are_words(severities: list[Severity], said: str) -> None:
    assert counted([Finding("x", severity, Layer.INPUT, "m") for severity in severities]) == said


def test_amount_has_a_plural() -> None:
    assert [amount(n, "file") for n in (0, 1, 2)] == ["0 files", "1 file", "2 files"]
