"""Journals that are cut off, forged, or cannot be finished."""

import errno
import json
import os
from pathlib import Path

import pytest

from generator import journal
from generator.disk import JOURNAL
from generator.finding import FatalError
from generator.output import Written, recover, write
from tests.trees import everything, folder, on_disk, state, written

TREE = folder("overlays/prod", resources="r")


@pytest.fixture
def output(tmp_path: Path) -> Path:
    (tmp_path / "victim").mkdir()
    (tmp_path / "victim/file").write_text("precious")
    return written(tmp_path / "output", TREE)


def left_behind(output: Path, text: str | bytes, **staged: str) -> None:
    """Write a journal as a killed run leaves it."""
    (output / JOURNAL).mkdir()
    (output / JOURNAL / "journal").write_bytes(text.encode() if isinstance(text, str) else text)
    for name, content in staged.items():
        (output / JOURNAL / name.removeprefix("n")).write_text(content)


def steps(**steps: object) -> str:
    return json.dumps({"version": 1, "remove": [], "emptied": [], "place": {}} | steps)


def test_without_a_journal_there_is_nothing_to_recover(tmp_path: Path, output: Path) -> None:
    recover(tmp_path / "absent")
    recover(output)
    assert on_disk(output) == state(TREE)


def test_what_was_not_committed_is_cleared(output: Path) -> None:
    (output / JOURNAL / "0/overlays").mkdir(parents=True)
    (output / JOURNAL / "journal.part").write_text(steps(remove=["overlays/prod/resources.yaml"]))
    recover(output)
    assert on_disk(output) == state(TREE)


def test_what_was_committed_is_carried_out(output: Path) -> None:
    left_behind(
        output,
        steps(
            remove=["overlays/prod/resources.yaml", "overlays/prod/gone.yaml", "gone/gone.yaml"],
            emptied=["gone", "overlays/prod"],
            place={"0": "overlays/prod/kustomization.yaml", "1": "overlays/prod/apportion.lock"},
        ),
        n0="new",
    )
    recover(output)
    lock_path = "overlays/prod/apportion.lock"
    assert on_disk(output) == state({"overlays/prod/kustomization.yaml": "new", lock_path: TREE[lock_path]})


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("", id="empty"),
        pytest.param(steps()[:-1], id="cut off"),
        pytest.param(b"\xff\xfe\x00", id="bytes"),
        pytest.param("[" * 100_000, id="deep"),
        pytest.param("null", id="null"),
        pytest.param("{}", id="no steps"),
        pytest.param(steps(version=2), id="unknown version"),
        pytest.param(steps(more=[]), id="unknown step"),
        pytest.param(steps(remove={}), id="remove is no list"),
        pytest.param(steps(remove=[1]), id="remove is no text"),
        pytest.param(steps(emptied=None), id="emptied is null"),
        pytest.param(steps(place=[]), id="place is a list"),
        pytest.param(steps(place={"0": None}), id="place is no text"),
        pytest.param(steps(place={"../../victim/file": "x"}), id="staged outside"),
        pytest.param(steps(place={"0/0": "x"}), id="staged below"),
        *(
            pytest.param(steps(**{step: path}), id=f"{step} {path}")
            for name in ("", ".", "..", "../victim/file", "/victim", "a/../../victim", "a//b", "a/", "a\0", JOURNAL)
            for step, path in (("remove", [name]), ("emptied", [name]), ("place", {"0": name}))
        ),
    ],
)
def test_a_damaged_or_forged_journal_is_refused_whole(tmp_path: Path, output: Path, text: str | bytes) -> None:
    left_behind(output, text, n0="evil")
    before = on_disk(tmp_path) if isinstance(text, str) else {}
    for command in (lambda: recover(output), lambda: write(output, {}, everything)):
        with pytest.raises(FatalError, match="is damaged or not Apportion's") as caught:
            command()
        assert caught.value.fix == f"delete output/{JOURNAL}, then run apportion compile"
    assert (on_disk(tmp_path) if isinstance(text, str) else {}) == before


@pytest.mark.parametrize("kind", ["file", "link to a journal", "dangling link", "fifo"])
def test_a_journal_folder_that_is_none_is_refused(tmp_path: Path, output: Path, kind: str) -> None:
    place = output / JOURNAL
    match kind:
        case "file":
            place.write_text(steps())
        case "link to a journal":
            left_behind(output, steps(remove=["overlays/prod/resources.yaml"]))
            place.rename(tmp_path / "elsewhere")
            place.symlink_to(tmp_path / "elsewhere")
        case "dangling link":
            place.symlink_to("absent")
        case "fifo":
            os.mkfifo(place)
    with pytest.raises(FatalError, match="is damaged or not Apportion's"):
        recover(output)
    assert (output / "overlays/prod/resources.yaml").exists()


@pytest.mark.parametrize("kind", ["folder", "link", "fifo"])
def test_a_journal_that_is_no_file_is_refused(tmp_path: Path, output: Path, kind: str) -> None:
    place = output / JOURNAL / "journal"
    place.parent.mkdir()
    match kind:
        case "folder":
            place.mkdir()
        case "link":
            (tmp_path / "forged").write_text(steps(remove=["overlays/prod/resources.yaml"]))
            place.symlink_to(tmp_path / "forged")
        case "fifo":
            os.mkfifo(place)
    with pytest.raises(FatalError, match="is damaged or not Apportion's"):
        recover(output)
    assert (output / "overlays/prod/resources.yaml").exists()


@pytest.mark.parametrize(
    "forged",
    [
        {"remove": ["link/file"]},
        {"remove": ["overlays/link/file"]},
        {"emptied": ["link/empty"]},
        {"place": {"0": "link/file"}},
        {"place": {"0": "overlays/link/new"}},
    ],
    ids=str,
)
def test_no_step_leads_through_a_link(tmp_path: Path, output: Path, forged: dict[str, object]) -> None:
    (tmp_path / "victim/empty").mkdir()
    for link in (output / "link", output / "overlays/link"):
        link.symlink_to(tmp_path / "victim")
    left_behind(output, steps(**forged), n0="evil")
    with pytest.raises(FatalError, match="is a symbolic link, and the journal leads through it"):
        recover(output)
    assert on_disk(tmp_path / "victim") == {"empty": None, "file": "precious"}


def test_a_staged_link_is_not_placed(tmp_path: Path, output: Path) -> None:
    left_behind(output, steps(place={"0": "overlays/prod/resources.yaml"}))
    (output / JOURNAL / "0").symlink_to(tmp_path / "victim/file")
    with pytest.raises(FatalError, match="is damaged or not Apportion's"):
        recover(output)
    assert (output / "overlays/prod/resources.yaml").read_text() == TREE["overlays/prod/resources.yaml"]


def test_waste_that_links_elsewhere_is_cleared_without_following(tmp_path: Path, output: Path) -> None:
    (output / JOURNAL).mkdir()
    (output / JOURNAL / "0").symlink_to(tmp_path / "victim")
    recover(output)
    assert on_disk(output) == state(TREE)
    assert on_disk(tmp_path / "victim") == {"file": "precious"}


def test_a_removed_link_is_removed_itself(tmp_path: Path, output: Path) -> None:
    (output / "link").symlink_to(tmp_path / "victim/file")
    left_behind(output, steps(remove=["link"]))
    recover(output)
    assert on_disk(output) == state(TREE)
    assert on_disk(tmp_path / "victim") == {"file": "precious"}


@pytest.mark.parametrize("call", ["unlink", "rename"])
def test_a_read_only_target_keeps_its_journal_and_says_so(
    output: Path, monkeypatch: pytest.MonkeyPatch, call: str
) -> None:
    left_behind(output, steps(remove=["overlays/prod/resources.yaml"], place={"0": "overlays/prod/new"}), n0="new")

    def refuse(*arguments: object) -> None:
        raise OSError(errno.EROFS, os.strerror(errno.EROFS))

    with monkeypatch.context() as patch:
        patch.setattr(os, call, refuse)
        with pytest.raises(FatalError, match=r"output/ is half written \(Read-only file system\)") as caught:
            recover(output)
        assert caught.value.fix is not None
        assert "next apportion command then finishes the work" in caught.value.fix
    assert journal.is_committed(str(output))
    recover(output)
    assert on_disk(output) == state(
        {path: TREE[path] for path in TREE if "resources" not in path} | {"overlays/prod/new": "new"}
    )


def test_waste_on_a_read_only_target_stops_no_reader(output: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (output / JOURNAL).mkdir()

    def refuse(*arguments: object) -> None:
        raise OSError(errno.EROFS, os.strerror(errno.EROFS))

    monkeypatch.setattr(os, "rmdir", refuse)
    recover(output)
    with pytest.raises(FatalError, match="cannot write output/: File exists; nothing was changed") as caught:
        write(output, {}, everything)
    assert caught.value.fix == f"delete output/{JOURNAL}, which a killed run of another user left"


def test_write_finishes_a_journal_first(output: Path) -> None:
    left_behind(output, steps(remove=list(TREE), emptied=["overlays/prod", "overlays"]))
    assert write(output, TREE, everything) == Written(3, 0, 0)
    assert on_disk(output) == state(TREE)


def test_what_stands_in_the_way_of_a_journal_is_told(output: Path) -> None:
    left_behind(output, steps(place={"0": "overlays"}), n0="a file for a folder that is not empty")
    with pytest.raises(FatalError, match=r"output/ is half written \(Is a directory\)"):
        recover(output)
