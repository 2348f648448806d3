"""Work in several processes gives what it gives in one, in order, and a bug in one of them is a bug."""

import os
import signal
import sys

import pytest

from generator.commands import parallel
from generator.commands.parallel import WorkerError, each

linux = pytest.mark.skipif(sys.platform != "linux", reason="processes are forked on Linux only")


def square(number: int) -> int:
    return number * number


def where(number: int) -> int:
    return os.getpid()


def fail(number: int) -> int:
    if number == 3:
        raise ValueError("three")
    return number


def die(number: int) -> int:
    if number == 3:
        os.kill(os.getpid(), signal.SIGKILL)
    return number


@pytest.fixture(autouse=True)
def two(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parallel, "_processors", lambda: 2)


@pytest.mark.parametrize("least", [0, 10_000])
@pytest.mark.parametrize("items", [[], [1], [1, 2], [5, 1, 4, 2, 3], list(range(40))])
def test_results_are_in_order(items: list[int], least: int) -> None:
    assert each(square, items, lambda number: number, least) == [number * number for number in items]


@linux
def test_enough_work_is_shared_by_weight() -> None:
    first, *others = each(where, [4, 3, 2, 1], lambda number: number, 10)
    assert first == os.getpid()
    assert [pid == first for pid in others] == [False, False, True]


def test_little_work_stays_here() -> None:
    assert set(each(where, [4, 3, 2, 1], lambda number: number, 11)) == {os.getpid()}


def test_one_processor_stays_here(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parallel, "_processors", lambda: 1)
    assert set(each(where, [4, 3], lambda number: number, 0)) == {os.getpid()}


@linux
def test_a_bug_in_a_worker_is_raised_with_its_traceback() -> None:
    with pytest.raises(WorkerError, match="ValueError: three"):
        each(fail, [4, 3], lambda number: number, 0)


@linux
def test_a_bug_here_ends_the_workers() -> None:
    with pytest.raises(ValueError, match="three"):
        each(fail, [3, 2], lambda number: number, 0)
    with pytest.raises(ChildProcessError):
        os.waitpid(-1, os.WNOHANG)


@linux
def test_a_worker_that_is_killed_is_no_empty_answer() -> None:
    with pytest.raises(WorkerError, match="ended without an answer"):
        each(die, [4, 3], lambda number: number, 0)


@linux
def test_as_many_processes_as_processors() -> None:
    assert parallel._processors() >= 1
