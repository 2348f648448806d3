"""Real runs of pre-commit on a scratch repository, with the hook that `apportion init` writes. Nothing is fetched."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from tests.repository import QUOTAS, edit, repository, snapshot

REPOSITORY = Path(__file__).parents[1]
BIN = Path(sys.executable).parent
HOOKS = REPOSITORY / ".pre-commit-hooks.yaml"


class Scratch:
    """A Git repository whose pre-commit hook is installed, so that `git commit` runs it."""

    def __init__(self, root: Path, home: Path) -> None:
        self.root = root
        self.env = {
            "PATH": f"{BIN}{os.pathsep}{os.environ['PATH']}",
            "HOME": str(home),
            "PRE_COMMIT_HOME": str(home / "pre-commit"),
            "GIT_CONFIG_GLOBAL": os.devnull,
            "GIT_CONFIG_SYSTEM": os.devnull,
            **{f"GIT_{who}_{what}": "a@example.com" for who in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")},
        }

    def run(self, *command: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            command, cwd=self.root, env=self.env, capture_output=True, encoding="utf-8", timeout=120, check=False
        )

    def commit(self, *paths: str) -> tuple[int, str]:
        self.run("git", "add", "--", *paths)
        done = self.run("git", "commit", "--quiet", "--message", "a change")
        return done.returncode, done.stdout + done.stderr

    def commits(self) -> int:
        return int(self.run("git", "rev-list", "--count", "--all").stdout)


@pytest.fixture(scope="module")
def committed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A repository with one commit, made through the hook: fresh output passes."""
    place = tmp_path_factory.mktemp("pre-commit")
    (place / "home").mkdir()
    made = Scratch(repository(place / "new"), place / "home")
    made.run("git", "init", "--quiet", "--initial-branch", "main")
    made.run("pre-commit", "install")
    assert made.run("apportion", "compile", "--quiet").returncode == 0
    status, said = made.commit(".")
    assert status == 0, said
    assert "Passed" in said
    return place


@pytest.fixture
def scratch(committed: Path, tmp_path: Path) -> Scratch:
    """A copy of that repository."""
    shutil.copytree(committed, tmp_path, dirs_exist_ok=True, symlinks=True)
    return Scratch(tmp_path / "new", tmp_path / "home")


def test_a_bad_input_blocks_the_commit_and_says_why(scratch: Scratch) -> None:
    before = snapshot(scratch.root / "output")
    edit(scratch.root / QUOTAS, "h100: { accelerators: 8 }", "h200: { accelerators: 8 }")
    status, said = scratch.commit(QUOTAS)
    assert status == 1
    assert f"{QUOTAS}:17:" in said
    assert "error[" in said
    assert scratch.commits() == 1
    assert snapshot(scratch.root / "output") == before


def test_stale_output_is_compiled_again_and_blocks_until_it_is_added(scratch: Scratch) -> None:
    edit(scratch.root / QUOTAS, "h100: { accelerators: 8 }", "h100: { accelerators: 4 }")
    status, said = scratch.commit(QUOTAS)
    assert status == 1
    assert "files written" in said
    assert scratch.run("apportion", "check").returncode == 0
    assert scratch.commits() == 1
    status, said = scratch.commit(QUOTAS, "output")
    assert status == 0, said
    assert scratch.commits() == 2


def test_output_that_git_does_not_know_yet_blocks_too(scratch: Scratch) -> None:
    """pre-commit itself sees changes of known files alone; a new team's folder would slip through."""
    scratch.run("git", "rm", "-r", "--quiet", "--cached", "output")
    scratch.run("git", "commit", "--quiet", "--no-verify", "--message", "without output")
    for path in (scratch.root / "output/overlays").rglob("*.yaml"):
        path.unlink()
    edit(scratch.root / "README.md", "# Quotas", "# The quotas")
    edit(scratch.root / QUOTAS, "# overrides:", "# later overrides:")
    status, said = scratch.commit("README.md", QUOTAS)
    assert status == 1, said
    assert scratch.commits() == 2


def test_a_commit_of_other_files_runs_nothing(scratch: Scratch) -> None:
    edit(scratch.root / "README.md", "# Quotas", "# The quotas")
    status, said = scratch.commit("README.md")
    assert status == 0, said
    assert "Skipped" in said


def test_the_hooks_for_other_repositories_are_valid(tmp_path: Path) -> None:
    command = [str(BIN / "pre-commit"), "validate-manifest", str(HOOKS)]
    env = os.environ | {"PRE_COMMIT_HOME": str(tmp_path)}
    done = subprocess.run(command, env=env, capture_output=True, encoding="utf-8", check=False)
    assert (done.returncode, done.stdout) == (0, "")
    hooks = {hook["id"]: hook for hook in yaml.safe_load(HOOKS.read_text(encoding="utf-8"))}
    assert sorted(hooks) == ["apportion-check", "apportion-compile"]
    assert {hook["pass_filenames"] for hook in hooks.values()} == {False}


@pytest.mark.parametrize("hook", ["apportion-check", "apportion-compile"])
def test_the_hooks_entries_run(hook: str, scratch: Scratch) -> None:
    """As `language: system`: building pre-commit's own environment would need a registry."""
    given = next(h for h in yaml.safe_load(HOOKS.read_text(encoding="utf-8")) if h["id"] == hook)
    config = {"repos": [{"repo": "local", "hooks": [given | {"language": "system"}]}]}
    (scratch.root / ".pre-commit-config.yaml").write_text(yaml.safe_dump(config), encoding="utf-8")
    assert scratch.run("pre-commit", "run", "--all-files").returncode == 0
    edit(scratch.root / QUOTAS, "h100: { accelerators: 8 }", "h100: { accelerators: 4 }")
    assert scratch.run("pre-commit", "run", "--all-files").returncode == 1
