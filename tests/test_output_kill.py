"""A run that is killed at any moment leaves the old tree, the new tree, or a journal that becomes one of them."""

import os
import random
import signal
import time
import warnings
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from generator import journal
from generator.output import compare, recover, write
from tests.trees import everything, folder, on_disk, state, written

Tree = dict[str, str]
MEMORY = Path("/dev/shm")


@pytest.fixture
def tmp_path(tmp_path: Path) -> Iterator[Path]:
    """A folder in memory where there is such a thing: thousands of small writes wait for a disk most of the time."""
    if not os.access(MEMORY, os.W_OK):
        yield tmp_path
        return
    with TemporaryDirectory(dir=MEMORY) as folder:
        yield Path(folder)


EMPTY: Tree = {}
A = folder("overlays/prod", resources="a") | folder("overlays/prod/queues/nlp") | folder("overlays/dev/queues/nlp")
B = folder("overlays/prod", resources="b") | folder("overlays/prod/queues/vision") | folder("overlays/dev")
FLIPPED = folder("overlays/prod/kustomization.yaml") | folder("base/runtimes/v1", resources="r")
CALLS = ("open", "write", "close", "mkdir", "rename", "unlink", "rmdir", "lstat")
KILLS = 60


def child(work: Callable[[], object]) -> int:
    """Run in a fork that can end by a signal alone or by status 0 or 1; return its process id."""
    with warnings.catch_warnings():
        warnings.simplefilter(
            "ignore", DeprecationWarning
        )  # 3.12 warns where pytest-xdist runs threads; the child needs none
        process = os.fork()
    if process == 0:
        status = 1
        try:
            work()
            status = 0
        finally:
            os._exit(status)
    return process


@contextmanager
def dying(calls: int) -> Iterator[None]:
    """Kill this process when it makes one system call more than `calls`."""
    left = iter(range(calls))

    def counted(real: Callable[..., object]) -> Callable[..., object]:
        def call(*arguments: object, **options: object) -> object:
            if next(left, None) is None:
                os.kill(os.getpid(), signal.SIGKILL)
            return real(*arguments, **options)

        return call

    with pytest.MonkeyPatch.context() as patch:
        for name in CALLS:
            patch.setattr(os, name, counted(getattr(os, name)))
        yield


def killed_after(calls: int, work: Callable[[], object]) -> bool:
    """Run `work` in a child that is killed after so many system calls; return False if it came to its end before."""

    def doomed() -> None:
        with dying(calls):
            work()

    status = os.waitstatus_to_exitcode(os.waitpid(child(doomed), 0)[1])
    assert status in (0, -signal.SIGKILL)
    return status != 0


def reset(output: Path, tree: Tree) -> None:
    write(output, tree, everything)
    assert on_disk(output) == state(tree)
    if not tree and output.exists():
        output.rmdir()


def kind_of(output: Path) -> str:
    """Tell how far the killed run came."""
    if journal.is_committed(str(output)):
        return "committed"
    return "staged" if (output / ".apportion-journal").exists() else "clean"


@pytest.mark.parametrize(
    ("old", "new"),
    [(EMPTY, A), (A, EMPTY), (A, B), (B, A), (A, FLIPPED), (FLIPPED, A)],
    ids=["first", "all gone", "change", "change back", "folder becomes file", "file becomes folder"],
)
def test_killed_at_each_system_call(tmp_path: Path, old: Tree, new: Tree) -> None:
    output = tmp_path / "output"
    seen: Counter[str] = Counter()
    for calls in range(1000):
        reset(output, old)
        if not killed_after(calls, lambda: write(output, new, everything)):
            break
        seen[kind := kind_of(output)] += 1
        if kind == "committed":
            assert [finding.rule for finding in compare(output, new, everything)] == ["output-unfinished"]
        recover(output)
        assert on_disk(output) == state(new) or (kind != "committed" and on_disk(output) == state(old))
    assert on_disk(output) == state(new)
    assert seen["staged"] > 5
    assert seen["committed"] > 1


def test_a_recovery_that_is_killed_as_well(tmp_path: Path) -> None:
    output = tmp_path / "output"
    kills = 0
    for calls in range(0, 1000, 11):
        for again in range(0, 1000, 6):
            reset(output, A)
            if not killed_after(calls, lambda: write(output, B, everything)):
                assert kills > 10
                return
            kind = kind_of(output)
            over = not killed_after(again, lambda: recover(output))
            recover(output)
            assert on_disk(output) == state(B) or (kind != "committed" and on_disk(output) == state(A))
            kills += 1
            if over:
                break


def test_an_interrupt_at_the_commit_that_is_killed_as_well(tmp_path: Path) -> None:
    """What gives up a commit may not leave a journal whose staged files are half deleted."""
    output = tmp_path / "output"
    real = os.rename

    def interrupted(old: str, new: str) -> None:
        real(old, new)
        raise KeyboardInterrupt

    def work() -> None:
        with pytest.MonkeyPatch.context() as patch, suppress(KeyboardInterrupt):
            patch.setattr(os, "rename", interrupted)
            write(output, B, everything)

    seen: Counter[str] = Counter()
    for calls in range(1000):
        reset(output, A)
        if not killed_after(calls, work):
            break
        seen[kind := kind_of(output)] += 1
        recover(output)
        assert on_disk(output) == state(B if kind == "committed" else A)
    assert on_disk(output) == state(A)
    assert min(seen["staged"], seen["committed"]) > 0


def test_killed_at_random_moments(tmp_path: Path) -> None:
    """The delay is the subject of the test, not a wait for something to be ready."""
    output = tmp_path / "output"
    moments = random.Random(20261)
    large_a = {path: text for team in range(8) for path, text in folder(f"overlays/prod/a/{team}", r="a").items()} | A
    large_b = {path: text for team in range(8) for path, text in folder(f"overlays/prod/{team}", r="b").items()} | B

    def forever() -> None:
        while True:
            write(output, large_b, everything)
            write(output, large_a, everything)

    written(output, large_a)
    seen: Counter[str] = Counter()
    for _ in range(KILLS):
        process = child(forever)
        time.sleep(moments.uniform(0.001, 0.01))
        os.kill(process, signal.SIGKILL)
        assert os.waitstatus_to_exitcode(os.waitpid(process, 0)[1]) == -signal.SIGKILL
        seen[kind_of(output)] += 1
        recover(output)
        assert on_disk(output) in (state(large_a), state(large_b))
    assert seen["staged"] + seen["committed"] > KILLS // 20
