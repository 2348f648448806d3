"""`--changed`: which environments a commit touches, what it would lack, and what happens where Git cannot tell."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest

from generator.cli import main
from generator.commands import commit
from generator.commands.owners import Owners
from generator.commands.read import read
from generator.environment.load import load
from generator.finding import FatalError
from tests.commands.git import git, no_configuration
from tests.repository import QUOTAS, edit, repository

__all__ = ["no_configuration"]
STAGING = "environments/staging/quotas.yaml"


@pytest.fixture(scope="module")
def committed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A compiled and committed repository of two environments, in the folder quotas of a larger one."""
    place = tmp_path_factory.mktemp("commit")
    repository(place / "quotas", second="staging")
    assert main(["compile", "--root", str(place / "quotas"), "--quiet"]) == 0
    git(place, "init", "--quiet", "--initial-branch", "main")
    git(place, "add", ".")
    git(place, "commit", "--quiet", "--message", "all")
    return place


@pytest.fixture
def root(committed: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A copy of that folder; the larger one is the current one."""
    shutil.copytree(committed, tmp_path / "all")
    monkeypatch.chdir(tmp_path / "all")
    return tmp_path / "all" / "quotas"


@pytest.mark.parametrize(
    ("paths", "names"),
    [
        ([QUOTAS], ["prod"]),
        ([QUOTAS, STAGING], ["prod", "staging"]),
        (["environments/prod/extra/deep/in/it.yaml.j2"], ["prod"]),
        (["output/overlays/staging/kustomization.yaml"], ["staging"]),
        (["environments/fleet.yaml"], []),
        (["environments/teams/vision.yaml"], []),
        (["environments/gone/quotas.yaml", QUOTAS], []),
        (["policies/own/one.yaml"], []),
        (["policies/prod/one.yaml"], []),
        (["output/base/priorities/v1beta2/resources.yaml"], []),
        (["output/overlays/gone/kustomization.yaml"], []),
        (["output/overlays/prod"], []),
        (["output/prod/kustomization.yaml"], []),
    ],
)
def test_what_is_shared_or_gone_concerns_all(paths: list[str], names: list[str], committed: Path) -> None:
    assert Owners(load(read(committed / "quotas")[0])[0]).touched(paths) == names


def test_names_are_from_where_the_hook_runs(root: Path) -> None:
    named = [f"quotas/{QUOTAS}", f"./quotas/../quotas/{STAGING}", str(root / "policies/a.yaml"), "quotas/README.md"]
    named += ["README.md", "environments/other.yaml", "quotas/environments/notes.txt", "quotas/environments/.x/a.yaml"]
    assert commit.changed(root, named) == [QUOTAS, STAGING, "policies/a.yaml"]


def test_a_folder_stands_for_all_that_is_in_it(root: Path) -> None:
    named = ["quotas/environments", "quotas/environments/prod/", "quotas/output", "quotas"]
    assert commit.changed(root, named) == ["environments", "environments/prod", "output"]
    assert Owners(load(read(root)[0])[0]).touched(["environments/prod"]) == []


def test_deleted_and_renamed_files_come_from_git(root: Path) -> None:
    git(root, "rm", "--quiet", "environments/teams.yaml", "README.md")
    git(root, "mv", STAGING, "environments/staging/shares.yaml")
    assert commit.changed(root, []) == [STAGING, "environments/teams.yaml"]


def test_the_index_of_the_commit_counts(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Git names it from the folder that the hook runs in, and with `--all` it is one of its own."""
    monkeypatch.setenv("GIT_INDEX_FILE", os.path.relpath(root.parent / ".git/index"))
    assert commit.changed(root, []) == []
    git(root, "rm", "--quiet", QUOTAS)
    assert commit.changed(root, []) == [QUOTAS]


def test_between_revisions(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    git(root, "rm", "--quiet", QUOTAS)
    git(root, "commit", "--quiet", "--message", "less")
    assert commit.changed(root, []) == []
    monkeypatch.setenv("PRE_COMMIT_FROM_REF", "HEAD^")
    monkeypatch.setenv("PRE_COMMIT_TO_REF", "HEAD")
    assert commit.changed(root, []) == [QUOTAS]


def test_between_revisions_that_have_nothing_in_common(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    git(root, "checkout", "--quiet", "--orphan", "other")
    git(root, "rm", "--quiet", "--cached", QUOTAS)
    git(root, "commit", "--quiet", "--message", "anew")
    monkeypatch.setenv("PRE_COMMIT_FROM_REF", "main")
    monkeypatch.setenv("PRE_COMMIT_TO_REF", "other")
    assert commit.changed(root, []) == [QUOTAS]
    monkeypatch.setenv("PRE_COMMIT_TO_REF", "nowhere")
    with pytest.raises(FatalError, match=r"^Git cannot say what the commit holds: bad revision 'nowhere'"):
        commit.changed(root, [])


def test_before_the_first_commit_nothing_is_deleted(tmp_path: Path) -> None:
    repository(tmp_path)
    git(tmp_path, "init", "--quiet")
    assert commit.changed(tmp_path, [str(tmp_path / QUOTAS)]) == [QUOTAS]


def test_untracked_and_ignored_files_count_where_a_compile_reads_them(root: Path) -> None:
    for path in ("environments/new.yaml", "environments/ignored.yaml", "environments/notes.txt", "policies/.x.yaml"):
        (root / path).parent.mkdir(exist_ok=True)
        (root / path).write_text("", encoding="utf-8")
    (root / ".gitignore").write_text("ignored.yaml\n", encoding="utf-8")
    assert commit.unknown(root, *commit.INPUTS) == ["environments/ignored.yaml", "environments/new.yaml"]


def test_only_a_commit_that_reads_them_fails(root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (root / "environments/staging/more.yaml").write_text("# nothing yet\n", encoding="utf-8")
    check = ["check", "--root", "quotas", "--inputs-only", "--changed"]
    assert main([*check, f"quotas/{QUOTAS}"]) == 0
    capsys.readouterr()
    assert main([*check, f"quotas/{STAGING}"]) == 1
    assert capsys.readouterr().out == (
        "environments/staging/more.yaml: error[input-untracked] 1 file would be missing from the commit, for Git does"
        " not know of it: environments/staging/more.yaml\n  fix: git add what belongs to it, and move away what does"
        " not; --force where Git ignores it\n1 error\n"
    )


@pytest.mark.parametrize("command", [["check"], ["compile", "--fail-on-change"]])
def test_output_that_git_does_not_know_fails(
    command: list[str], root: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    git(root, "rm", "-r", "--quiet", "--cached", "output/overlays/prod/tenants")
    git(root, "commit", "--quiet", "--message", "left out")
    for path, status in ((STAGING, 0), (QUOTAS, 1)):
        capsys.readouterr()
        assert main([*command, "--root", "quotas", "--changed", f"quotas/{path}"]) == status
    said = "".join(capsys.readouterr())
    assert "output/overlays/prod/tenants/language/apportion.lock: error[output-untracked] 6 files would be" in said
    assert "fix: git add output; --force where Git ignores it" in said


@pytest.mark.parametrize("command", ["check", "compile"])
def test_nothing_that_matters_is_told_and_passes(command: str, root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    edit(root / QUOTAS, "h100: { accelerators: 8 }", "nonsense")
    assert main([command, "--root", "quotas", "--changed", "quotas/README.md"]) == 0
    assert "".join(capsys.readouterr()) == "nothing changed that Apportion reads or writes\n"


def test_without_a_repository_it_cannot_go_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(tmp_path))
    repository(tmp_path / "new")
    with pytest.raises(FatalError, match=r"^Git cannot say what the commit holds: not a git repository"):
        commit.changed(tmp_path / "new", [])


def test_without_git_it_cannot_go_on(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "")
    with pytest.raises(FatalError, match=r"^git, which knows the commit, cannot be run: No such file"):
        commit.changed(root, [])


def test_git_that_hangs_is_not_waited_for(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(commit, "SECONDS", 0)
    with pytest.raises(FatalError, match=r"^git rev-parse did not end within 0 s"):
        commit.changed(root, [])
