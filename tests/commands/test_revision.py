"""environments/ as Git has it: real repositories, and all that a clone may lack."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from generator.commands import read as working_tree
from generator.commands.revision import read
from generator.finding import FatalError
from generator.source.text import MAX_SIZE
from tests.commands.git import commit, git, no_configuration, write

__all__ = ["no_configuration"]
A = "environments/prod/a.yaml"
FILES = {
    A: b"a: 1\r\n",
    "environments/\xfcber und so.yml": b"a: 2\n",
    "environments/prod/extra/t.yaml.j2": b"{{ x }}\n",
    "environments/prod/notes.txt": b"no input\n",
    "environments/.hidden/a.yaml": b"a: 3\n",
    "environments/prod/.a.yaml": b"a: 4\n",
    "output/a.yaml": b"a: 5\n",
}
INPUTS = [A, "environments/prod/extra/t.yaml.j2", "environments/\xfcber und so.yml"]


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return commit(tmp_path / "clone", FILES)


def fault(root: Path, reference: str = "HEAD") -> tuple[str, str]:
    with pytest.raises(FatalError) as caught:
        read(root, reference)
    return caught.value.message, str(caught.value.fix)


def test_the_same_files_as_the_working_tree_had(root: Path) -> None:
    want, _ = working_tree.read(root)
    write(root, {A: b"a: changed\n", "environments/new.yaml": b""})
    found = read(root, "HEAD")
    assert (list(found.files), found.files, found.unread) == (INPUTS, want, ())


def test_neither_working_tree_nor_index_is_touched(root: Path) -> None:
    write(root, {A: b"a: changed\n"})
    index = root / ".git" / "index"
    before = (index.read_bytes(), index.stat().st_mtime_ns)
    read(root, "HEAD")
    assert (index.read_bytes(), index.stat().st_mtime_ns) == before
    assert (root / A).read_bytes() == b"a: changed\n"


@pytest.mark.parametrize("reference", ["HEAD~1", "main~1", "old", ":/state", "HEAD@{1}"])
def test_any_name_of_a_commit(root: Path, reference: str) -> None:
    git(root, "tag", "old")
    commit(root, {A: b"a: 2\n"})
    found = {name: read(root, name).files[A] for name in (reference, "HEAD")}
    assert found["HEAD"] == b"a: 2\n"
    assert found[reference] == (b"a: 2\n" if reference == ":/state" else b"a: 1\r\n")


@pytest.mark.parametrize("reference", ["gone", "", "-h", "--all", "HEAD:environments", "HEAD~1", "HEAD HEAD", "ü"])
def test_what_is_no_commit(root: Path, reference: str) -> None:
    message, fix = fault(root, reference)
    assert message == f"{reference!r} is no revision of this repository"
    assert fix == "name a branch, tag or commit; git fetch brings those of the remote"


def test_nothing_was_committed_yet(tmp_path: Path) -> None:
    git(tmp_path, "init", "--quiet")
    assert fault(tmp_path)[1].startswith("nothing was committed yet")


def test_a_shallow_clone_is_named(root: Path, tmp_path: Path) -> None:
    commit(root, {A: b"a: 2\n"})
    shallow = tmp_path / "shallow"
    git(tmp_path, "clone", "--quiet", "--depth", "1", root.as_uri(), str(shallow))
    assert read(shallow, "HEAD").files[A] == b"a: 2\n"
    assert fault(shallow, "HEAD~1")[1] == (
        "this clone is shallow and may lack it: git fetch --unshallow, or fetch-depth: 0 in CI"
    )


def test_a_partial_clone_fetches_nothing(root: Path, tmp_path: Path) -> None:
    git(root, "config", "uploadpack.allowFilter", "true")
    commit(root, {A: b"a: 2\n"})
    partial = tmp_path / "partial"
    git(tmp_path, "clone", "--quiet", "--filter", "blob:none", root.as_uri(), str(partial))
    assert read(partial, "HEAD").files[A] == b"a: 2\n"
    before = sorted(str(path) for path in (partial / ".git" / "objects").rglob("*"))
    fault(partial, "HEAD~1")
    assert sorted(str(path) for path in (partial / ".git" / "objects").rglob("*")) == before


def test_no_repository_at_all(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(tmp_path.parent))
    message, _ = fault(tmp_path)
    assert message.startswith(f"cannot compare {tmp_path} with a revision: not a git repository")


def test_no_git(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", os.devnull)
    message, fix = fault(root)
    assert message.startswith("git, which reads the revision, cannot be run: ")
    assert fix == "install it"


def test_a_root_below_that_of_git(tmp_path: Path) -> None:
    files = {f"clusters/ai/{path}": data for path, data in FILES.items()} | {A: b"elsewhere: 1\n"}
    top = commit(tmp_path, files)
    assert list(read(top / "clusters" / "ai", "HEAD").files) == INPUTS


def test_a_hook_of_another_repository(root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    other = commit(tmp_path / "other", {A: b"other: 1\n"})
    monkeypatch.setenv("GIT_DIR", str(other / ".git"))
    monkeypatch.setenv("GIT_INDEX_FILE", str(other / ".git" / "index"))
    assert read(root, "HEAD").files[A] == b"a: 1\r\n"


def test_a_folder_that_was_not_there_yet(root: Path) -> None:
    git(root, "rm", "-rq", "environments")
    commit(root, {})
    assert read(root, "HEAD").files == {}


def test_links_lead_to_files_within_the_root(root: Path, tmp_path: Path) -> None:
    (tmp_path / "secret.yaml").write_text("a: secret\n")
    folder = root / "environments"
    for name, target in {
        "one.yaml": "prod/a.yaml",
        "two.yaml": "../output/a.yaml",
        "chain.yaml": "one.yaml",
        "out.yaml": "../../secret.yaml",
        "far.yaml": str(tmp_path / "secret.yaml"),
        "none.yaml": "gone.yaml",
        "folder.yaml": "prod",
        "root.yaml": "..",
    }.items():
        (folder / name).symlink_to(target)
    commit(root, {})
    found = read(root, "HEAD")
    linked = {path: data for path, data in found.files.items() if path not in FILES}
    assert linked == {"environments/one.yaml": b"a: 1\r\n", "environments/two.yaml": b"a: 5\n"}
    assert found.unread == tuple(
        f"environments/{name}.yaml" for name in ("chain", "far", "folder", "none", "out", "root")
    )


def test_a_folder_of_inputs_that_is_a_link_or_a_submodule(root: Path, tmp_path: Path) -> None:
    git(root, "mv", "environments", "elsewhere")
    (root / "environments").symlink_to("elsewhere")
    commit(root, {})
    assert read(root, "HEAD").unread == ("environments",)
    other = commit(tmp_path / "other", {A: b"other: 1\n"})
    (root / "environments").unlink()
    git(root, "rm", "-q", "--cached", "environments")
    git(
        root, "update-index", "--add", "--cacheinfo", f"160000,{git(other, 'rev-parse', 'HEAD').strip()},environments/x"
    )
    git(root, "commit", "--quiet", "--message", "submodule")
    assert read(root, "HEAD").unread == ("environments/x",)


def test_names_that_are_no_utf_8_and_files_that_are_too_large(root: Path) -> None:
    (root / "environments" / os.fsdecode(b"\xff.yaml")).write_bytes(b"a: 1\n")
    commit(root, {"environments/large.yaml": b"#" * (MAX_SIZE + 9)})
    found = read(root, "HEAD")
    assert found.unread == ("environments/\\xff.yaml",)
    assert len(found.files["environments/large.yaml"]) == MAX_SIZE + 1


def test_configuration_runs_nothing(root: Path, tmp_path: Path) -> None:
    ran = tmp_path / "ran"
    program = tmp_path / "program"
    program.write_text(f"#!/bin/sh\ntouch {ran}\n")
    program.chmod(0o755)
    for key in ("core.fsmonitor", "core.pager", "diff.external", "filter.x.smudge", "alias.ls-tree", "core.sshCommand"):
        git(root, "config", key, str(program))
    (root / ".gitattributes").write_text("*.yaml filter=x\n")
    read(root, "HEAD")
    assert not ran.exists()
