"""What docs/gates.md promises of output/: every way to get past the compiler is detected and named by `check`."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from generator import lock
from generator.cli import main
from tests.repository import ENVIRONMENT, QUOTAS, edit, repository, snapshot

ROOT = Path(__file__).parents[1]
SHARED, PROFILES = "output/overlays/prod/queues/shared", "output/overlays/prod/profiles"


@pytest.fixture(scope="module")
def pristine(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A repository whose output is fresh."""
    root = repository(tmp_path_factory.mktemp("gates") / "repository")
    assert main(["compile", "--root", str(root), "--quiet"]) == 0
    return root


@pytest.fixture
def root(pristine: Path, tmp_path: Path) -> Path:
    return shutil.copytree(pristine, tmp_path / "repository")


def _hand_edit(root: Path) -> None:
    path = root / SHARED / "resources.yaml"
    path.write_text(path.read_text() + "# by hand\n")


def _hand_edit_with_lock(root: Path) -> None:
    path, held = root / SHARED / "resources.yaml", root / SHARED / lock.NAME
    before = lock.digest(path.read_bytes())
    _hand_edit(root)
    edit(held, before, lock.digest(path.read_bytes()))


def _older_lock(root: Path) -> None:
    path = root / SHARED / lock.NAME
    path.write_text(re.sub(r'"inputs": "sha256:\w{64}"', f'"inputs": "sha256:{"0" * 64}"', path.read_text()))


def _renamed_environment(root: Path) -> None:
    edit(root / ENVIRONMENT, "name: prod", "name: live")
    (root / "environments/prod").rename(root / "environments/live")


def _removed_team(root: Path) -> None:
    text = (root / QUOTAS).read_text()
    (root / QUOTAS).write_text(text[: text.index("  - team: language")])


def _both_sides(root: Path) -> None:
    """What `git merge` leaves of two branches that changed one share each, when both sides of output/ are kept."""
    for name in ("resources.yaml", lock.NAME):
        path = root / SHARED / name
        first, rest = path.read_text().split("\n", 1)
        path.write_text(f"{first}\n<<<<<<< ours\n{rest}=======\n{rest}>>>>>>> theirs\n")


WAYS: dict[str, tuple[Callable[[Path], object], str, str, str]] = {
    "output edited by hand": (_hand_edit, "error", "output-edited", f"{SHARED}/resources.yaml"),
    "output and its lock edited together": (_hand_edit_with_lock, "error", "output-edited", "resources.yaml"),
    "a lock cut off": (
        lambda root: (root / SHARED / lock.NAME).write_text("{"),
        "error",
        "output-lock-broken",
        f"{SHARED}/{lock.NAME}",
    ),
    "a lock of other inputs": (_older_lock, "error", "output-stale", SHARED),
    "an input changed and output not": (
        lambda root: edit(root / QUOTAS, "h100: { accelerators: 8 }", "h100: { accelerators: 7 }"),
        "error",
        "output-stale",
        "queues/vision",
    ),
    "a file deleted": (
        lambda root: (root / PROFILES / "resources.yaml").unlink(),
        "error",
        "output-file-missing",
        f"{PROFILES}/resources.yaml",
    ),
    "a folder deleted": (lambda root: shutil.rmtree(root / PROFILES), "error", "output-stale", "profiles"),
    "all of it deleted": (lambda root: shutil.rmtree(root / "output"), "error", "output-missing", "output"),
    "an environment renamed": (_renamed_environment, "error", "output-left-over", "output/overlays/prod"),
    "a team removed and its output not": (_removed_team, "error", "output-left-over", "language"),
    "a file of others": (
        lambda root: (root / SHARED / "mine.yaml").write_text("a: 1\n"),
        "warning",
        "output-foreign-file",
        f"{SHARED}/mine.yaml",
    ),
    "a merge that took both sides": (_both_sides, "error", "output-lock-broken", f"{SHARED}/{lock.NAME}"),
}


@pytest.mark.parametrize("way", WAYS)
def test_every_way_past_the_compiler_is_named(way: str, root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    change, severity, rule, named = WAYS[way]
    assert main(["check", "--root", str(root)]) == 0
    capsys.readouterr()
    change(root)
    before = snapshot(root)
    status = main(["check", "--root", str(root), "--format", "json", "--fail-on", "warning"])
    found: list[dict[str, Any]] = json.loads(capsys.readouterr().out)["findings"]
    assert status == 1
    told = [f for f in found if (f["severity"], f["rule"]) == (severity, rule)]
    assert [f for f in told if named in f"{f['file']} {f['message']}"], found
    assert snapshot(root) == before


@pytest.mark.parametrize("way", [way for way in WAYS if way != "a file of others"])
def test_a_compile_mends_each_and_says_that_it_did(way: str, root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    WAYS[way][0](root)
    assert main(["compile", "--root", str(root), "--fail-on-change"]) == 1
    assert main(["check", "--root", str(root), "--quiet"]) == 0


@pytest.mark.parametrize("name", ["kustomization.yml", "Kustomization", ".argocd-source.yaml", ".argocd-source-a.yaml"])
@pytest.mark.parametrize("folder", ["queues/vision", "argocd", ""])
def test_files_that_steer_a_folder_are_errors(
    name: str, folder: str, root: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = f"output/overlays/prod/{folder}/{name}".replace("//", "/")
    (root / path).write_text("kustomize: {}\n")
    before = snapshot(root)
    for command in ("check", "compile"):
        assert main([command, "--root", str(root), "--format", "json"]) == 1
        [found] = json.loads(capsys.readouterr().out)["findings"]
        assert (found["rule"], found["severity"], found["file"]) == ("output-foreign-file", "error", path)
    assert snapshot(root) == before


def test_look_alikes_steer_nothing(root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for name in ("argocd-source.yaml", ".argocd-source.yml", "my-kustomization.yml"):
        (root / SHARED / name).write_text("a: 1\n")
    assert main(["check", "--root", str(root)]) == 0
    assert main(["compile", "--root", str(root)]) == 0


PLUGIN = "argocd: {plugin: {image: registry.example.com/a@sha256:" + "0" * 64 + "}}\n"


@pytest.mark.parametrize(("plugin", "status"), [("", 0), (PLUGIN, 1)])
def test_files_that_steer_the_plug_in_are_errors(
    plugin: str, status: int, root: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (root / ".argocd-source.yaml").write_text("plugin: null\n")
    (root / ENVIRONMENT).write_text((root / ENVIRONMENT).read_text() + plugin)
    assert main(["check", "--inputs-only", "--root", str(root)]) == status
    assert ("error[application-overridden]" in capsys.readouterr().out) is bool(status)


def test_two_changes_that_merge_cleanly_are_judged_together(root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Each passes alone and touches no file of the other; together they guarantee more than there is."""
    git = ["git", "-c", "user.name=a", "-c", "user.email=a@example.com"]

    def run(*command: str) -> None:
        subprocess.run([*git, *command], cwd=root, check=True, capture_output=True)

    def branch(name: str, old: str, new: str) -> None:
        run("switch", "-c", name, "main")
        edit(root / QUOTAS, old, new)
        assert main(["compile", "--root", str(root), "--quiet"]) == 0
        run("add", "-A")
        run("commit", "-m", name)

    edit(root / QUOTAS, "h100: { accelerators: 50%, borrow: 8 }", "h100: { accelerators: 40%, borrow: 8 }")
    assert main(["compile", "--root", str(root), "--quiet"]) == 0
    run("init", "--initial-branch", "main")
    run("add", "-A")
    run("commit", "-m", "start")
    branch("one", "h100: { accelerators: 8 }", "h100: { accelerators: 10 }")
    branch("two", "h100: { accelerators: 40%, borrow: 8 }", "h100: { accelerators: 48%, borrow: 8 }")
    run("merge", "one", "-m", "both")
    capsys.readouterr()
    assert main(["check", "--root", str(root)]) == 1
    assert "error[accelerator-overcommit]" in capsys.readouterr().out


def test_every_row_of_the_page_names_a_test_that_exists() -> None:
    page = (ROOT / "docs/gates.md").read_text(encoding="utf-8")
    rows = [line for line in page.splitlines() if line.startswith("| ") and not line.startswith("| layer")]
    assert len(rows) > 15
    for row in rows:
        named = re.findall(r"`(tests/[\w/]+\.py)::(\w+)`", row)
        assert named, row
        for path, name in named:
            assert f"def {name}(" in (ROOT / path).read_text(encoding="utf-8"), (path, name)
