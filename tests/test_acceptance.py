import pytest

from tests.acceptance import HEADER, PENDING, defects, parse, read_pending

OUTPUT = """\
PASS A01-unknown-pool (1.3 s)
FAIL A09-overcommitted-pool (0.9 s): exit 0, want 1
FAIL A20-no-reason (0.9 s)
1 passed, 2 failed
"""


def test_the_runner_s_lines_are_read() -> None:
    expected = {"A01-unknown-pool": None, "A09-overcommitted-pool": "exit 0, want 1", "A20-no-reason": "failed"}
    assert parse(OUTPUT) == expected


@pytest.mark.parametrize(
    ("results", "pending", "expected"),
    [
        ({"A": None, "B": "exit 0, want 1"}, {"B"}, []),
        ({"A": "exit 0, want 1"}, set(), ["A failed: exit 0, want 1"]),
        ({"A": None}, {"A"}, ["A passes now: take it out of acceptance-pending.txt"]),
        ({"A": None}, {"B"}, ["B is in acceptance-pending.txt and is no case"]),
        ({"A": "stdout is not JSON (exit 3): …"}, {"A"}, ["A crashed: stdout is not JSON (exit 3): …"]),
        ({"A": "stdout is not JSON (exit 2): …"}, {"A"}, []),
        ({"A": "exit 30, want 1"}, {"A"}, []),
        ({"A": "got 1: error[internal-error]"}, {"A"}, ["A crashed: got 1: error[internal-error]"]),
        ({"A": "took longer than 60 s: check"}, {"A"}, ["A crashed: took longer than 60 s: check"]),
    ],
)
def test_what_differs_from_the_list_is_told(
    results: dict[str, str | None], pending: set[str], expected: list[str]
) -> None:
    assert list(defects(results, pending)) == expected


def test_the_list_is_sorted_and_without_repeats() -> None:
    text = PENDING.read_text(encoding="utf-8")
    names = [line for line in text.removeprefix(HEADER).splitlines() if line]
    assert text.startswith(HEADER)
    assert names == sorted(read_pending(text))
