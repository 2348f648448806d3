import errno
import itertools
import os
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from generator import journal, lock
from generator.finding import FatalError, Finding, Location
from generator.output import HEADER, Written, compare, recover, write
from tests.trees import everything, folder, on_disk, state, written, yaml

VISION = folder("overlays/prod/queues/vision", resources="v")
NLP = folder("overlays/prod/queues/nlp", resources="n")
PROD = folder("overlays/prod")
DEV = folder("overlays/dev", resources="d")
CORE = folder("base/operators/kueue", resources="b")


def places(found: Written | list[Finding]) -> list[tuple[str, str, Location | None]]:
    assert isinstance(found, list)
    return [(finding.rule, finding.severity, finding.location) for finding in found]


def foreign(*paths: str) -> list[tuple[str, str, Location | None]]:
    return [("output-foreign-file", "error", Location(f"output/{path}")) for path in paths]


@pytest.fixture
def output(tmp_path: Path) -> Path:
    return tmp_path / "output"


@pytest.mark.parametrize(
    ("old", "new", "counts"),
    [
        pytest.param({}, {}, Written(0, 0, 0), id="nothing"),
        pytest.param({}, PROD | NLP, Written(5, 0, 0), id="first"),
        pytest.param(PROD, PROD | NLP, Written(3, 0, 2), id="new team"),
        pytest.param(PROD | NLP, PROD, Written(0, 3, 2), id="team gone"),
        pytest.param(
            NLP | VISION, folder("overlays/prod/queues/nlp", resources="x") | VISION, Written(2, 0, 4), id="edit"
        ),
        pytest.param(PROD | NLP, DEV, Written(3, 5, 0), id="all replaced"),
        pytest.param(PROD, {}, Written(0, 2, 0), id="all gone"),
        pytest.param(folder("a/b"), folder("a", b="x"), Written(3, 2, 0), id="folder gone beside a new file"),
        pytest.param(folder("a"), folder("a/kustomization.yaml"), Written(2, 2, 0), id="file becomes folder"),
        pytest.param(folder("a/kustomization.yaml"), folder("a"), Written(2, 2, 0), id="folder becomes file"),
    ],
)
def test_the_new_tree_replaces_the_old(output: Path, old: dict[str, str], new: dict[str, str], counts: Written) -> None:
    written(output, old)
    assert write(output, new, everything) == counts
    assert on_disk(output) == state(new)


def test_nothing_to_write_makes_no_folder(output: Path) -> None:
    assert write(output, {}, everything) == Written(0, 0, 0)
    assert not output.exists()


def test_an_unchanged_run_touches_nothing(output: Path) -> None:
    written(output, PROD, NLP, CORE)

    def marks() -> dict[Path, tuple[int, int, int]]:
        found = {path: path.stat() for path in [output, *output.rglob("*")]}
        return {path: (each.st_ino, each.st_mtime_ns, each.st_ctime_ns) for path, each in found.items()}

    before = marks()
    assert write(output, PROD | NLP | CORE, everything) == Written(0, 0, 8)
    assert marks() == before


def test_only_files_that_differ_are_written(output: Path) -> None:
    written(output, NLP)
    kept = (output / "overlays/prod/queues/nlp/kustomization.yaml").stat()
    write(output, folder("overlays/prod/queues/nlp", resources="x"), everything)
    assert os.path.samestat(kept, (output / "overlays/prod/queues/nlp/kustomization.yaml").stat())


def test_output_may_be_a_link_to_a_folder(tmp_path: Path, output: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    output.symlink_to("elsewhere")
    written(output, PROD)
    assert on_disk(tmp_path / "elsewhere") == state(PROD)


@pytest.mark.parametrize("kind", ["file", "dangling link", "no parent"])
def test_an_output_that_cannot_be_a_folder_is_fatal(tmp_path: Path, kind: str) -> None:
    output = tmp_path / "output"
    if kind == "file":
        output.touch()
    elif kind == "dangling link":
        output.symlink_to("absent")
    else:
        output = tmp_path / "absent/output"
    with pytest.raises(FatalError, match="cannot make output/"):
        write(output, PROD, everything)


def test_a_closed_output_is_fatal(output: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    written(output, PROD)

    def refuse(*arguments: object) -> None:
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))  # as root nothing is closed

    monkeypatch.setattr(os, "open", refuse)
    monkeypatch.setattr(os, "scandir", refuse)
    for command in (write, compare):
        with pytest.raises(FatalError, match="Permission denied") as caught:
            command(output, PROD, everything)
        assert caught.value.fix == "output/ must be a readable folder"


def test_what_is_out_of_scope_stays(output: Path) -> None:
    written(output, PROD, DEV)
    (output / "overlays/dev/resources.yaml").write_text(yaml("edited"))
    before = on_disk(output)

    def prod(path: str) -> bool:
        return path.startswith("overlays/prod/")

    assert write(output, PROD | folder("overlays/dev"), prod) == Written(0, 0, 2)
    assert on_disk(output) == before
    assert compare(output, PROD, prod) == []


# --- what is ours, and what is not


def test_foreign_files_stay_and_keep_their_folder(output: Path) -> None:
    written(output, PROD, NLP, VISION)
    notes = [output / "notes.md", output / "overlays/prod/queues/nlp/notes.md"]
    for note in notes:
        note.write_text("mine")
        os.utime(note, ns=(1, 1))
    assert write(output, PROD, everything) == Written(0, 6, 2)
    mine = {"notes.md": "mine", "overlays/prod/queues/nlp/notes.md": "mine"}
    assert on_disk(output) == state(PROD | mine)
    assert [note.stat().st_mtime_ns for note in notes] == [1, 1]


def test_an_edited_file_is_removed_when_no_input_yields_it(output: Path) -> None:
    written(output, PROD, NLP)
    (output / "overlays/prod/queues/nlp/resources.yaml").write_text("no header")
    assert write(output, PROD, everything) == Written(0, 3, 2)
    assert on_disk(output) == state(PROD)


@pytest.mark.parametrize("damage", ["", "{", "<<<<<<< HEAD\n=======\n>>>>>>> theirs\n", None])
@pytest.mark.parametrize("new", [PROD, PROD | NLP], ids=["removes", "repairs"])
def test_a_lost_lock_blocks_nothing(output: Path, damage: str | None, new: dict[str, str]) -> None:
    written(output, PROD, NLP)
    lock_file = output / "overlays/prod/queues/nlp/apportion.lock"
    lock_file.unlink() if damage is None else lock_file.write_text(damage)
    (output / "overlays/prod/queues/nlp/resources.yaml").write_text(yaml("stale"))
    assert isinstance(write(output, new, everything), Written)
    assert on_disk(output) == state(new)


def test_a_file_emptied_by_a_power_cut_is_repaired(output: Path) -> None:
    written(output, NLP)
    for name in ("apportion.lock", "resources.yaml"):
        (output / "overlays/prod/queues/nlp" / name).write_text("")
    assert write(output, NLP, everything) == Written(2, 0, 1)


def test_an_empty_foreign_file_stays(output: Path) -> None:
    written(output, PROD)
    (output / "overlays/prod/.gitkeep").touch()
    assert write(output, {}, everything) == Written(0, 2, 0)
    assert on_disk(output) == state({"overlays/prod/.gitkeep": ""})


TARGET = "overlays/prod/queues/nlp/resources.yaml"


def block(output: Path, path: str, kind: str) -> None:
    place = output / path
    place.parent.mkdir(parents=True, exist_ok=True)
    match kind:
        case "file":
            place.write_text("mine")
        case "almost our header":
            place.write_text(HEADER[:-1])
        case "folder":
            place.mkdir()
        case "link":
            place.symlink_to(output.parent)
        case "dangling link":
            place.symlink_to("absent")
        case "loop":
            place.symlink_to(place.name)
        case "fifo":
            os.mkfifo(place)


@pytest.mark.parametrize(
    ("path", "kind"),
    [
        *itertools.product(
            [TARGET, "overlays/prod/queues", "overlays"],
            ["file", "almost our header", "link", "dangling link", "loop", "fifo"],
        ),
        (TARGET, "folder"),
    ],
)
def test_a_foreign_entry_in_the_way_is_an_error_and_nothing_is_written(output: Path, path: str, kind: str) -> None:
    block(output, path, kind)
    before = {path.as_posix(): path.lstat().st_ctime_ns for path in output.rglob("*")}
    assert places(write(output, NLP | CORE, everything)) == foreign(path)
    assert set(foreign(path)) <= set(places(compare(output, NLP | CORE, everything)))
    assert {path.as_posix(): path.lstat().st_ctime_ns for path in output.rglob("*")} == before


def test_every_obstacle_is_named(output: Path) -> None:
    block(output, "overlays/prod/queues/vision", "file")
    block(output, TARGET, "file")
    assert places(write(output, NLP | VISION, everything)) == foreign(TARGET, "overlays/prod/queues/vision")


def test_an_obstacle_out_of_scope_is_none(output: Path) -> None:
    block(output, "overlays/dev", "file")
    assert write(output, PROD | DEV, lambda path: path.startswith("overlays/prod/")) == Written(2, 0, 0)


def test_a_lock_that_lists_a_link_does_not_make_it_ours(tmp_path: Path, output: Path) -> None:
    victim = tmp_path / "victim"
    victim.write_text("precious")
    (output / "overlays/prod").mkdir(parents=True)
    (output / "overlays/prod/link").symlink_to(victim)
    text = lock.render({"link": "precious"}, inputs="i", tool="1", data="1", as_of=None)
    (output / "overlays/prod/apportion.lock").write_text(text)
    assert write(output, {}, everything) == Written(0, 1, 0)
    assert on_disk(output) == {"overlays": None, "overlays/prod": None, "overlays/prod/link": f"-> {victim}"}
    assert victim.read_text() == "precious"


@pytest.mark.parametrize("name", ["../../victim", "..", "sub/victim"])
def test_a_lock_that_lists_another_folder_removes_nothing_there(tmp_path: Path, output: Path, name: str) -> None:
    (output / "overlays/sub").mkdir(parents=True)
    for victim in (tmp_path / "victim", output / "overlays/sub/victim"):
        victim.write_text("precious")
    text = lock.render({name: "precious"}, inputs="i", tool="1", data="1", as_of=None)
    (output / "overlays/apportion.lock").write_text(text)
    assert write(output, {}, everything) == Written(0, 1, 0)
    assert on_disk(tmp_path) == state({"victim": "precious", "output/overlays/sub/victim": "precious"})


def test_of_a_foreign_file_no_more_is_read_than_our_header(output: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    written(output, PROD)
    huge = output / "overlays/prod/huge"
    huge.touch()
    os.truncate(huge, 1 << 40)
    sizes: list[int] = []
    read = os.read
    monkeypatch.setattr(os, "read", lambda file, size: sizes.append(size) or read(file, size))  # type: ignore[func-returns-value]  # append's None lets `or` go on
    assert write(output, {}, everything) == Written(0, 2, 0)
    assert sizes == [1 << 20, len(HEADER)]


# --- what cannot be written


@contextmanager
def mounted(place: Path, *options: str) -> Iterator[Path]:
    """Mount at a folder, as root in a sandbox that allows it; else skip."""
    place.mkdir(exist_ok=True)
    if os.geteuid() != 0 or shutil.which("mount") is None:
        pytest.skip("mounting needs root")
    done = subprocess.run(["mount", *options, place], capture_output=True, text=True)
    if done.returncode:
        pytest.skip(f"mounting is refused: {done.stderr.strip()}")
    try:
        yield place
    finally:
        subprocess.run(["umount", place], check=True)


LARGE = folder("overlays/prod/queues/nlp", resources="x" * 200_000) | folder("overlays/prod/new", resources="n")


def test_a_full_disk_leaves_the_old_tree(tmp_path: Path) -> None:
    with mounted(tmp_path / "output", "-t", "tmpfs", "-o", "size=128k", "tmpfs") as output:
        written(output, PROD, NLP)
        with pytest.raises(FatalError, match="No space left on device; nothing was changed") as caught:
            write(output, PROD | LARGE, everything)
        assert caught.value.fix == "free some space: changed files exist twice while they are written"
        assert on_disk(output) == state(PROD | NLP)
        assert write(output, PROD | VISION, everything) == Written(3, 3, 2)


def test_a_read_only_folder_leaves_the_old_tree(tmp_path: Path) -> None:
    source = tmp_path / "source"
    written(source, PROD, NLP)
    with mounted(tmp_path / "output", "--bind", "-o", "ro", str(source)) as output:
        with pytest.raises(FatalError, match="Read-only file system; nothing was changed") as caught:
            write(output, PROD, everything)
        assert caught.value.fix == "output/ must be writable"
        assert write(output, PROD | NLP, everything) == Written(0, 0, 5)
        assert compare(output, PROD | NLP, everything) == []
        assert on_disk(output) == state(PROD | NLP)


@pytest.mark.parametrize("options", [["--bind", "-o", "ro"], ["-t", "tmpfs"]], ids=["read-only", "other file system"])
def test_a_part_that_cannot_be_written_with_the_rest_is_refused(output: Path, options: list[str]) -> None:
    written(output, PROD, NLP)
    before = on_disk(output)
    with mounted(output / "overlays/prod", *options, str(output / "overlays/prod")) as part:
        shown = on_disk(output)
        with pytest.raises(FatalError, match="output/overlays/prod"):
            write(output, folder("overlays/prod", resources="x") | CORE, everything)
        assert on_disk(output) == shown
        assert part.is_dir()
    assert on_disk(output) == before


def test_a_folder_without_permission_leaves_the_old_tree(output: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    written(output, PROD, NLP)
    closed = output / "overlays/prod/queues/nlp"
    monkeypatch.setattr(os, "access", lambda path, mode: Path(path) != closed)  # root may write anywhere
    with pytest.raises(FatalError, match="cannot write output/overlays/prod/queues/nlp; nothing was changed"):
        write(output, PROD | CORE, everything)
    assert on_disk(output) == state(PROD | NLP)


SYSTEM_CALLS = ["mkdir", "open", "write", "rename", "unlink", "rmdir"]


@pytest.mark.parametrize("number", [errno.ENOSPC, errno.EROFS, errno.EACCES, errno.EDQUOT, errno.EIO])
@pytest.mark.parametrize("call", SYSTEM_CALLS)
def test_a_system_call_that_fails_leaves_one_of_both_trees(
    output: Path, monkeypatch: pytest.MonkeyPatch, call: str, number: int
) -> None:
    """Let every call but the first n fail, for each n, as on a disk that fills up; then make room and recover."""
    old, new = PROD | NLP, folder("overlays/prod", resources="x") | VISION
    outcomes = set()
    for allowed in range(20):
        shutil.rmtree(output, ignore_errors=True)
        written(output, old)
        with monkeypatch.context() as patch:
            fail_after(patch, call, allowed, number)
            ended, problem = attempt(output, new)
        assert (ended is None) == (problem is not None and os.strerror(number) in problem.message and bool(problem.fix))
        half = journal.is_committed(str(output))
        recover(output)
        assert on_disk(output) == state(new if half or ended else old)
        outcomes.add("committed" if half else "new" if ended else "old")
        if ended:
            break
    assert "new" in outcomes
    assert len(outcomes) > 1


def attempt(output: Path, tree: dict[str, str]) -> tuple[object, FatalError | None]:
    try:
        return write(output, tree, everything), None
    except FatalError as problem:
        return None, problem


def fail_after(patch: pytest.MonkeyPatch, call: str, allowed: int, number: int) -> None:
    real = getattr(os, call)
    left = iter(range(allowed))

    def limited(*arguments: object, **options: object) -> object:
        reads = call == "open" and isinstance(arguments[1], int) and not arguments[1] & os.O_CREAT
        if reads or next(left, None) is not None:
            return real(*arguments, **options)
        raise OSError(number, os.strerror(number))

    patch.setattr(os, call, limited)


def test_a_write_in_pieces_is_whole(output: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    real = os.write
    monkeypatch.setattr(os, "write", lambda file, data: real(file, data[:7]))
    written(output, PROD | NLP)
    assert on_disk(output) == state(PROD | NLP)


@pytest.mark.parametrize("call", ["mkdir", "write", "rename"])
def test_an_interrupt_before_the_commit_leaves_the_old_tree(
    output: Path, monkeypatch: pytest.MonkeyPatch, call: str
) -> None:
    written(output, PROD)
    real = getattr(os, call)

    def interrupted(*arguments: object) -> None:
        real(*arguments)
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(os, call, interrupted)
        with pytest.raises(KeyboardInterrupt):
            write(output, PROD | NLP, everything)
    recover(output)
    assert on_disk(output) == state(PROD)


# --- two at a time


def test_a_second_writer_is_told_and_does_not_wait(output: Path) -> None:
    written(output, PROD)
    with journal.alone(str(output)), pytest.raises(FatalError, match="another apportion is writing output/"):
        write(output, PROD | NLP, everything)
    assert write(output, PROD | NLP, everything) == Written(3, 0, 2)


def test_a_reader_is_not_blocked(output: Path) -> None:
    written(output, PROD)
    with journal.alone(str(output)):
        (output / ".apportion-journal").mkdir()
        recover(output)
        assert compare(output, PROD, everything) == []
        assert (output / ".apportion-journal").is_dir()


def test_a_reader_does_not_trust_what_is_half_written(output: Path) -> None:
    written(output, PROD)
    with journal.alone(str(output)):
        (output / ".apportion-journal").mkdir()
        (output / ".apportion-journal/journal").touch()
        with pytest.raises(FatalError, match="another apportion is writing output/"):
            recover(output)
        assert [finding.rule for finding in compare(output, PROD, everything)] == ["output-unfinished"]


def test_a_file_system_without_locks_is_written(output: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(file: int, operation: int) -> None:
        raise OSError(errno.EBADF, os.strerror(errno.EBADF))

    monkeypatch.setattr("fcntl.flock", refuse)
    written(output, PROD)
    assert on_disk(output) == state(PROD)
