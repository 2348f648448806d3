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
NOTE = "apiVersion: v1\nkind: ConfigMap\nmetadata: { name: note, namespace: vision-dev }\n"


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
        if paths:
            self.run("git", "add", "--", *paths)
        done = self.run("git", "commit", "--quiet", "--message", "a change")
        return done.returncode, done.stdout + done.stderr

    def commit_all(self) -> tuple[int, str]:
        done = self.run("git", "commit", "--all", "--quiet", "--message", "a change")
        return done.returncode, done.stdout + done.stderr

    def commits(self) -> int:
        return int(self.run("git", "rev-list", "--count", "--all").stdout)


@pytest.fixture(scope="module")
def committed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A repository with one commit, made through the hook: fresh output passes."""
    place = tmp_path_factory.mktemp("pre-commit")
    (place / "home").mkdir()
    made = Scratch(repository(place / "new", second="staging"), place / "home")
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


def test_a_commit_of_other_files_checks_nothing(scratch: Scratch) -> None:
    """They run all the same: a deleted file has no name that pre-commit would pass."""
    edit(scratch.root / QUOTAS, "h100: { accelerators: 8 }", "h100: { accelerators: 8, borow: 1 }")
    scratch.run("git", "commit", "--all", "--quiet", "--no-verify", "--message", "broken")
    edit(scratch.root / "README.md", "# Quotas", "# The quotas")
    status, said = scratch.commit("README.md")
    assert status == 0, said


def test_what_is_staged_is_judged_and_what_is_not_stays(scratch: Scratch) -> None:
    """Input and output of one edit are staged; a further edit of both is not."""
    edit(scratch.root / QUOTAS, "h100: { accelerators: 8 }", "h100: { accelerators: 4 }")
    scratch.run("apportion", "compile")
    scratch.run("git", "add", ".")
    edit(scratch.root / QUOTAS, "h100: { accelerators: 4 }", "h100: { accelerators: 6 }")
    scratch.run("apportion", "compile")
    edit(scratch.root / QUOTAS, "h100: { accelerators: 6 }", "h100: { accelerators: nonsense }")
    before = snapshot(scratch.root / "environments"), snapshot(scratch.root / "output")
    status, said = scratch.commit()
    assert status == 0, said
    assert (snapshot(scratch.root / "environments"), snapshot(scratch.root / "output")) == before
    assert "accelerators: 4 }" in scratch.run("git", "show", f"HEAD:{QUOTAS}").stdout


TEAM = "  - team: sound\n    namespaces: [{ name: sound }]\n"


def test_output_of_an_edit_that_is_not_staged_stays(scratch: Scratch) -> None:
    """Of a new team Git knows no output: pre-commit leaves it in place, and no input that is staged yields it."""
    teams = scratch.root / "environments/teams.yaml"
    teams.write_text(
        f"{teams.read_text()}---\napiVersion: apportion.dev/v1\nkind: Team\nname: sound\nadmins: {{ groups: [s] }}\n"
    )
    scratch.run("git", "add", ".")
    assert scratch.run("apportion", "compile").returncode == 0
    scratch.run("git", "commit", "--all", "--quiet", "--no-verify", "--message", "a team")
    edit(scratch.root / QUOTAS, "h100: { accelerators: 8 }", "h100: { accelerators: 4 }")
    scratch.run("apportion", "compile")
    scratch.run("git", "add", ".")
    edit(scratch.root / QUOTAS, "  - team: language\n", f"{TEAM}  - team: language\n")
    scratch.run("apportion", "compile")
    before = snapshot(scratch.root / "output")
    assert "overlays/prod/tenants/sound/resources.yaml" in before
    status, said = scratch.commit()
    assert status == 0, said
    assert snapshot(scratch.root / "output") == before
    assert scratch.run("apportion", "check").returncode == 0


def test_input_staged_without_its_output_blocks_and_loses_nothing(scratch: Scratch) -> None:
    """The hook writes the same output that pre-commit has stashed: the two conflict, and the stash wins."""
    edit(scratch.root / QUOTAS, "h100: { accelerators: 8 }", "h100: { accelerators: 4 }")
    scratch.run("apportion", "compile")
    scratch.run("git", "add", QUOTAS)
    edit(scratch.root / QUOTAS, "# overrides:", "# more overrides:")
    before = snapshot(scratch.root / "environments"), snapshot(scratch.root / "output")
    status, said = scratch.commit()
    assert status == 1
    assert "files written" in said
    assert "Rolling back fixes" in said
    assert (snapshot(scratch.root / "environments"), snapshot(scratch.root / "output")) == before
    assert scratch.run("git", "diff", "--cached", "--name-only").stdout == f"{QUOTAS}\n"
    status, said = scratch.commit("output")
    assert status == 0, said


def test_output_staged_without_its_input_blocks_and_loses_nothing(scratch: Scratch) -> None:
    edit(scratch.root / QUOTAS, "h100: { accelerators: 8 }", "h100: { accelerators: 4 }")
    scratch.run("apportion", "compile")
    quotas = (scratch.root / QUOTAS).read_bytes()
    scratch.run("git", "add", "output")
    staged = scratch.run("git", "write-tree").stdout
    status, _ = scratch.commit()
    assert status == 1
    assert scratch.run("git", "write-tree").stdout == staged
    assert (scratch.root / QUOTAS).read_bytes() == quotas
    assert scratch.commits() == 1


def test_a_hand_edit_of_output_blocks_and_is_undone_in_place_only(scratch: Scratch) -> None:
    path = next((scratch.root / "output/overlays/prod/queues/vision").glob("resources.yaml"))
    edit(path, 'nominalQuota: "8"', 'nominalQuota: "80"')
    status, said = scratch.commit("output")
    assert (status, "1 file written" in said) == (1, True), said
    assert scratch.run("apportion", "check").returncode == 0
    assert "80" in scratch.run("git", "diff", "--cached").stdout


@pytest.mark.parametrize("gone", ["environments/prod/extra/note.yaml", "output/overlays/prod/extra/apportion.lock"])
def test_a_deletion_alone_blocks(gone: str, scratch: Scratch) -> None:
    """pre-commit passes no name of it, and skips hooks without a name."""
    extra = scratch.root / "environments/prod/extra/note.yaml"
    extra.parent.mkdir()
    extra.write_text(NOTE, encoding="utf-8")
    scratch.run("apportion", "compile")
    scratch.run("git", "add", ".")
    scratch.run("git", "commit", "--quiet", "--no-verify", "--message", "a note")
    (scratch.root / gone).unlink()
    status, said = scratch.commit_all()  # from an index of its own
    assert status == 1, said
    (scratch.root / gone).unlink(missing_ok=True)
    status, said = scratch.commit(gone)
    assert status == 1, said
    if gone.startswith("environments/"):
        status, said = scratch.commit("output")
        assert status == 0, said


def test_a_renamed_environment_blocks_until_its_output_is_too(scratch: Scratch) -> None:
    scratch.run("git", "mv", "environments/staging", "environments/trial")
    edit(scratch.root / "environments/trial/environment.yaml", "name: staging", "name: trial")
    status, said = scratch.commit("environments")
    assert status == 1, said
    assert not (scratch.root / "output/overlays/staging").exists()
    status, said = scratch.commit("output")
    assert status == 0, said


def test_commit_all_without_new_files_blocks(scratch: Scratch) -> None:
    """`git commit --all` takes no new file along, and on the disk all is as it should be."""
    quotas = scratch.root / QUOTAS
    edit(quotas, "  - team: language\n", "  - team: sound\n    namespaces: [{ name: sound }]\n  - team: language\n")
    (scratch.root / "environments/sound.yaml").write_text(
        "apiVersion: apportion.dev/v1\nkind: Team\nname: sound\nadmins: { groups: [sound] }\n", encoding="utf-8"
    )
    scratch.run("apportion", "compile")
    status, said = scratch.commit_all()
    assert (status, "error[input-untracked]" in said) == (1, True), said
    scratch.run("git", "add", "environments/sound.yaml")
    status, said = scratch.commit_all()
    assert (status, "error[output-untracked]" in said) == (1, True), said
    scratch.run("git", "add", "output")
    status, said = scratch.commit_all()
    assert status == 0, said


def test_only_the_environments_that_change_are_judged(scratch: Scratch) -> None:
    edit(scratch.root / "environments/staging/quotas.yaml", "h100: { accelerators: 8 }", "h100: { acelerators: 8 }")
    scratch.run("git", "commit", "--all", "--quiet", "--no-verify", "--message", "staging is broken")
    edit(scratch.root / QUOTAS, "# overrides:", "# more overrides:")
    scratch.run("apportion", "compile", "prod")
    status, said = scratch.commit(".")
    assert status == 0, said
    edit(scratch.root / "environments/teams.yaml", "displayName: Computer Vision", "displayName: Vision")
    status, said = scratch.commit(".")
    assert (status, "staging/quotas.yaml:17:" in said) == (1, True), said


def test_revisions_are_compared_as_pre_commit_is_told(scratch: Scratch) -> None:
    scratch.run("git", "rm", "-r", "--quiet", "environments/staging")
    scratch.run("git", "commit", "--quiet", "--no-verify", "--message", "no staging")
    run = scratch.run("pre-commit", "run", "--from-ref", "HEAD^", "--to-ref", "HEAD")
    assert run.returncode == 1, run.stdout
    assert scratch.run("pre-commit", "run", "--all-files").returncode == 0  # what the first run wrote is there


def test_the_hooks_for_other_repositories_are_valid(tmp_path: Path) -> None:
    done = Scratch(tmp_path, tmp_path).run("pre-commit", "validate-manifest", str(HOOKS))
    assert (done.returncode, done.stdout) == (0, "")
    hooks = {hook["id"]: hook for hook in yaml.safe_load(HOOKS.read_text(encoding="utf-8"))}
    assert sorted(hooks) == ["apportion-check", "apportion-compile"]
    assert {(hook["always_run"], hook.get("pass_filenames", True)) for hook in hooks.values()} == {(True, True)}


@pytest.mark.parametrize("hook", ["apportion-check", "apportion-compile"])
def test_the_hooks_entries_run(hook: str, scratch: Scratch) -> None:
    """As `language: system`: building pre-commit's own environment would need a registry."""
    given = next(h for h in yaml.safe_load(HOOKS.read_text(encoding="utf-8")) if h["id"] == hook)
    config = {"repos": [{"repo": "local", "hooks": [given | {"language": "system"}]}]}
    (scratch.root / ".pre-commit-config.yaml").write_text(yaml.safe_dump(config), encoding="utf-8")
    assert scratch.run("pre-commit", "run", "--all-files").returncode == 0
    edit(scratch.root / QUOTAS, "h100: { accelerators: 8 }", "h100: { accelerators: 4 }")
    assert scratch.run("pre-commit", "run", "--all-files").returncode == 1
