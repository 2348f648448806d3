"""Work in several processes gives what it gives in one, in order, and a bug in one of them is a bug."""

import os
import signal
import subprocess
import sys
from pathlib import Path
from threading import Thread

import pytest

from generator.commands import parallel
from generator.commands.parallel import WorkerError, each
from generator.finding import FatalError

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
    with pytest.raises(FatalError, match="ended without an answer"):
        each(die, [4, 3], lambda number: number, 0)


@pytest.mark.parametrize("call", ["fork", "pipe"])
def test_without_another_process_all_is_done_here(call: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def refused() -> None:
        raise BlockingIOError("Resource temporarily unavailable")

    before = len(list(Path("/dev/fd").iterdir()))
    monkeypatch.setattr(os, call, refused)
    assert set(each(where, [4, 3, 2, 1], lambda number: number, 0)) == {os.getpid()}
    assert len(list(Path("/dev/fd").iterdir())) == before


@linux
def test_without_a_thread_large_answers_come_whole(monkeypatch: pytest.MonkeyPatch) -> None:
    def refused(_: Thread) -> None:
        raise RuntimeError("can't start new thread")

    monkeypatch.setattr(Thread, "start", refused)
    found = each(lambda number: f"{number}" * 1_000_000, [4, 3], lambda number: number, 0)
    assert found == ["4" * 1_000_000, "3" * 1_000_000]


class Killed:
    """Ends the process that writes it down, in the middle."""

    def __reduce__(self) -> str:
        os.kill(os.getpid(), signal.SIGKILL)
        return ""


@linux
def test_half_an_answer_is_none() -> None:
    with pytest.raises(FatalError, match="ended without an answer"):
        each(lambda number: ["x" * 1_000_000, Killed()] if number == 3 else [], [4, 3], lambda number: number, 0)


def exhaust(number: int) -> int:
    if number == 3:
        raise MemoryError
    return number


@linux
def test_no_memory_in_a_worker_is_no_bug() -> None:
    with pytest.raises(FatalError, match="out of memory"):
        each(exhaust, [4, 3], lambda number: number, 0)


PARENT = """
import signal
from generator.commands import parallel
parallel._processors = lambda: 2
def work(number):
    if number == 3:
        print("begun", flush=True)
    signal.pause()
parallel.each(work, [4, 3], lambda number: number, 0)
"""


@linux
@pytest.mark.parametrize("sent", [signal.SIGKILL, signal.SIGTERM])
def test_a_killed_parent_leaves_no_process_behind(sent: signal.Signals) -> None:
    with subprocess.Popen([sys.executable, "-c", PARENT], stdout=subprocess.PIPE) as parent:
        assert parent.stdout is not None
        assert parent.stdout.readline() == b"begun\n"
        parent.send_signal(sent)
        assert parent.communicate(timeout=10)[0] == b""  # the end comes when the last process is gone


@linux
def test_as_many_processes_as_processors() -> None:
    assert parallel._processors() >= 1
