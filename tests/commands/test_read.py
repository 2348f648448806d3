"""environments/ on the disk: what is read, what is a finding, what ends the run."""

import os
import socket
from collections.abc import Callable
from pathlib import Path

import pytest

from generator.commands.read import find_root, read
from generator.finding import FatalError
from generator.source.text import MAX_SIZE

BELOW_ROOT = pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")


@pytest.fixture
def root(tmp_path: Path) -> Path:
    place(tmp_path / "repository/environments/prod/a.yaml")
    return tmp_path / "repository"


def place(path: Path, data: bytes = b"a: 1\n") -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)
    return path


def link(path: Path, target: Path | str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.symlink_to(target)


def reported(root: Path) -> list[tuple[str, str, str]]:
    return [(f.rule, str(f.location), f.message) for f in read(root)[1]]


def test_yaml_at_any_depth_in_order_and_templates_in_extra_alone(root: Path) -> None:
    environments = root / "environments"
    for name in ("z.yml", "prod/sub/b.yaml", "prod/extra/m.yaml", "prod/extra/t.yaml.j2", "prod/extra/deep/t.yml.j2"):
        place(environments / name)
    for name in ("notes.txt", "prod/a.yaml.j2", "a.yaml~", "A.YAML", "prod/extra/x.j2", ".hidden.yaml", ".git/c.yaml"):
        place(environments / name)
    files, findings = read(root)
    assert findings == []
    assert list(files) == [
        f"environments/{name}"
        for name in (
            "prod/a.yaml",
            "prod/extra/deep/t.yml.j2",
            "prod/extra/m.yaml",
            "prod/extra/t.yaml.j2",
            "prod/sub/b.yaml",
            "z.yml",
        )
    ]
    assert set(files.values()) == {b"a: 1\n"}


@pytest.mark.parametrize("size", [0, MAX_SIZE, MAX_SIZE + 1])
def test_a_file_up_to_the_limit_and_one_byte_beyond_is_read_whole(root: Path, size: int) -> None:
    place(root / "environments/prod/a.yaml", b"x" * size)
    assert len(read(root)[0]["environments/prod/a.yaml"]) == size


def test_of_a_larger_file_one_byte_beyond_the_limit_is_read(root: Path) -> None:
    with place(root / "environments/prod/a.yaml").open("wb") as sparse:
        sparse.truncate(1 << 40)
    assert len(read(root)[0]["environments/prod/a.yaml"]) == MAX_SIZE + 1


def test_a_link_to_a_file_of_the_repository_is_followed(root: Path) -> None:
    place(root / "shared/teams.txt", b"kind: Team\n")
    link(root / "environments/teams.yaml", "../shared/teams.txt")
    files, findings = read(root)
    assert findings == []
    assert files["environments/teams.yaml"] == b"kind: Team\n"


@pytest.mark.parametrize(
    ("target", "message"),
    [
        ("../../secret.yaml", "the link leads out of the repository"),
        ("../../repository-2/b.yaml", "the link leads out of the repository"),
        ("/etc/hostname", "the link leads out of the repository"),
        ("..", "the link leads to a folder; only links to files are followed"),
        ("../..", "the link leads out of the repository"),
        ("l.yaml", "the link leads back to itself"),
        ("nowhere", "the link leads to nothing that can be read"),
    ],
)
def test_any_other_link_is_a_finding(root: Path, target: str, message: str) -> None:
    place(root.parent / "secret.yaml")
    place(root.parent / "repository-2/b.yaml")
    link(root / "environments/l.yaml", target)
    assert reported(root) == [("input-link", "environments/l.yaml", message)]
    assert list(read(root)[0]) == ["environments/prod/a.yaml"]


def test_a_link_that_no_input_has_the_name_of_is_ignored_unless_it_is_a_folder(root: Path) -> None:
    link(root / "environments/README", "nowhere")
    link(root / "environments/notes", "/etc/hostname")
    link(root / "environments/dev", "prod")
    message = "the link leads to a folder; only links to files are followed"
    assert reported(root) == [("input-link", "environments/dev", message)]


def test_environments_itself_may_be_a_link_within_the_repository_only(tmp_path: Path) -> None:
    place(tmp_path / "here/inputs/prod/a.yaml")
    link(tmp_path / "here/environments", "inputs")
    assert read(tmp_path / "here") == ({"environments/prod/a.yaml": b"a: 1\n"}, [])
    (tmp_path / "there").mkdir()
    link(tmp_path / "there/environments", "../here/inputs")
    with pytest.raises(FatalError, match="environments/ is a link to a place outside"):
        read(tmp_path / "there")


def bind(path: Path) -> None:
    with socket.socket(socket.AF_UNIX) as server:
        here = Path.cwd()
        os.chdir(path.parent)  # a socket's address may have 108 bytes
        try:
            server.bind(path.name)
        finally:
            os.chdir(here)


@pytest.mark.parametrize("make", [os.mkfifo, bind])
def test_pipes_and_sockets_are_never_opened(root: Path, make: Callable[[Path], None]) -> None:
    make(root / "environments/p.yaml")
    link(root / "environments/q.yaml", "p.yaml")
    message = "this is a pipe, socket or device, not a file"
    assert sorted(reported(root)) == [
        ("not-a-file", "environments/p.yaml", message),
        ("not-a-file", "environments/q.yaml", message),
    ]


@pytest.mark.parametrize("name", [b"environments/\xff.yaml", b"environments/\xff/a.yaml"])
def test_a_name_that_is_not_utf_8_is_a_finding_that_can_be_printed(root: Path, name: bytes) -> None:
    place(root / os.fsdecode(name))
    shown = name.decode(errors="backslashreplace").removesuffix("/a.yaml")
    assert reported(root) == [("file-name", shown, "the name is not UTF-8")]


@BELOW_ROOT
def test_all_that_cannot_be_read_is_named_at_once(root: Path) -> None:
    place(root / "environments/b.yaml").chmod(0)
    (root / "environments/closed").mkdir(mode=0)
    with pytest.raises(FatalError) as caught:
        read(root)
    assert caught.value.message == (
        "cannot read environments/b.yaml (Permission denied), environments/closed (Permission denied)"
    )


def test_a_file_that_vanishes_while_it_is_read_ends_the_run(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(path: str, flags: int) -> int:
        raise PermissionError(13, "Permission denied", path)

    place(root / "environments/b.yaml")
    monkeypatch.setattr("generator.commands.read.os.open", refuse)
    with pytest.raises(FatalError) as caught:
        read(root)
    assert caught.value.message == (
        "cannot read environments/b.yaml (Permission denied), environments/prod/a.yaml (Permission denied)"
    )


def test_the_root_is_the_nearest_folder_up(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(root / "environments/prod")
    assert find_root(None) == root
    assert find_root(str(root)) == root


def test_without_environments_the_way_out_is_init(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    place(tmp_path / "environments")
    monkeypatch.chdir(tmp_path)
    for given, said in (
        (None, f"neither {tmp_path} nor a folder above it has a folder environments/"),
        (str(tmp_path), f"{tmp_path} has no folder environments/"),
    ):
        with pytest.raises(FatalError) as caught:
            find_root(given)
        assert caught.value.message == said
        assert caught.value.fix == "name the repository with --root, or begin one: apportion init DIR"
