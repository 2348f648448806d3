"""What commands write beside what they print: `--report` in every format, and the pages of `plan` and `ledger`."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from generator.cli import main
from generator.commands.pages import MOST_OF_A_COMMENT, write_page
from tests.commands.git import commit, no_configuration
from tests.repository import QUOTAS, edit, repository, snapshot

__all__ = ["no_configuration"]
Capture = pytest.CaptureFixture[str]
SHARE = "h100: { accelerators: 8 }"
PLAN = """\
### What this changes in GPUs

**`prod`**

| of | amount | pool | resource | before | after | difference |
|---|---|---|---|---:|---:|---:|
| `vision/training` | guaranteed | `h100` | `nvidia.com/gpu` | `8` | `6` | -2 |

Findings about unsafe steps: 1 info. `apportion plan --against HEAD` shows the objects, too.
"""
LEDGER = """\
## Capacity ledger

### `prod`

| pool | resource | schedulable | guaranteed | lendable | borrowable | stranded | over by |
|---|---|---:|---:|---:|---:|---:|---:|
| `h100` | `nvidia.com/gpu` | 24 | 24 | 24 | 16 | 0 |  |
| `h100` | `cpu` | 564 | 564 | 564 | 376 | 0 |  |
| `general` | `cpu` | 320 | 128 | 128 | 0 | 192 |  |

| queue | pool | resource | guaranteed | most it could get | largest pod |
|---|---|---|---:|---:|---:|
| `language-training` | `h100` | `nvidia.com/gpu` | 12 | 20 | 8 |
| `language-interactive` | `general` | `cpu` | 64 | 64 | 64 |
| `language-interactive` | `h100` | `nvidia.com/gpu` | 2 | 2 | 2 |
| `vision-training` | `h100` | `nvidia.com/gpu` | 8 | 24 | 8 |
| `vision-interactive` | `general` | `cpu` | 64 | 64 | 64 |
| `vision-interactive` | `h100` | `nvidia.com/gpu` | 2 | 2 | 2 |
"""


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return commit(tmp_path / "new", snapshot(repository(tmp_path / "made")))


@pytest.fixture
def page(tmp_path: Path) -> Path:
    return tmp_path / "page.md"


def plan(root: Path, page: Path, *options: str) -> int:
    return main(["plan", "--root", str(root), "--markdown", str(page), *options])


def test_a_plan_s_page_is_what_changes_in_gpus(root: Path, page: Path) -> None:
    edit(root / QUOTAS, SHARE, "h100: { accelerators: 6 }")
    assert plan(root, page, "--format", "github") == 0
    assert page.read_text(encoding="utf-8") == PLAN


def test_it_is_empty_where_nothing_does(root: Path, page: Path, capsys: Capture) -> None:
    capsys.readouterr()
    page.write_text("of an earlier run\n", encoding="utf-8")
    assert plan(root, page) == 0
    assert (page.read_bytes(), capsys.readouterr().out) == (b"", "")
    edit(root / "environments/teams.yaml", "displayName: Computer Vision", "displayName: Vision")
    assert plan(root, page) == 0
    assert page.read_bytes() == b""
    assert "objects changed" in capsys.readouterr().out


def test_it_is_not_written_where_errors_hide_what_changes(root: Path, page: Path) -> None:
    good = (root / QUOTAS).read_bytes()
    edit(root / QUOTAS, SHARE, "h100: { acelerators: 10 }")
    assert plan(root, page) == 1
    assert not page.exists()
    commit(root, {})  # and now the compared revision is the broken one
    (root / QUOTAS).write_bytes(good)
    assert plan(root, page) == 0
    assert not page.exists()


def test_an_environment_that_is_new_is_told_whole(root: Path, page: Path) -> None:
    repository(root.parent / "two", second="staging")
    (root.parent / "two/environments/staging").rename(root / "environments/staging")
    assert plan(root, page) == 0
    assert "**`staging`** is created" in page.read_text("utf-8")
    assert "| `all nodes` | schedulable | `h100` | `nvidia.com/gpu` | `0` | `24` | +24 |" in page.read_text("utf-8")


def test_a_ledger_s_page_has_pools_and_queues(root: Path, page: Path) -> None:
    assert main(["ledger", "--root", str(root), "--markdown", str(page)]) == 0
    assert page.read_text(encoding="utf-8") == LEDGER


def test_a_ledger_s_page_says_that_nothing_is_sound(root: Path, page: Path) -> None:
    edit(root / QUOTAS, SHARE, "nonsense")
    assert main(["ledger", "--root", str(root), "--markdown", str(page)]) == 1
    assert page.read_text("utf-8") == "## Capacity ledger\n\nNo environment is sound: see the findings.\n"


def test_a_comment_stays_within_what_forges_take(page: Path) -> None:
    pools = [[f"pool-{number}", "nvidia.com/gpu", *"123456"] for number in range(2000)]
    write_page(str(page), "ledger", MOST_OF_A_COMMENT, environments=[("prod", pools, [])])
    text = page.read_text(encoding="utf-8")
    assert 59_900 < len(text.encode()) < 65_536
    assert text.endswith(" more lines.\n")


@pytest.mark.parametrize("command", ["check", "compile", "ledger", "plan"])
@pytest.mark.parametrize("form", ["text", "json"])
def test_reports_are_written_whatever_is_printed(
    command: str, form: str, root: Path, tmp_path: Path, capsys: Capture
) -> None:
    edit(root / QUOTAS, SHARE, "nonsense")
    reports = {name: tmp_path / name for name in ("text", "json", "sarif", "junit", "github")}
    options = [option for name, path in reports.items() for option in ("--report", f"{name}={path}")]
    capsys.readouterr()
    assert main([*options[:2], command, "--root", str(root), "--format", form, *options[2:]]) == 1
    texts = {name: path.read_text(encoding="utf-8") for name, path in reports.items()}
    printed = "".join(capsys.readouterr())
    assert texts["text"].startswith(f"{QUOTAS}:")
    assert json.loads(texts["json"])["summary"]["errors"] >= 1
    assert all(start in texts[name] for name, start in (("sarif", "2.1.0"), ("junit", "<?xml"), ("github", "::error")))
    assert texts["text"] in printed if form == "text" else printed.startswith("{")


def test_a_report_of_nothing_is_a_report(root: Path, tmp_path: Path) -> None:
    for command in ("ledger", "plan"):
        report = tmp_path / command
        assert main([command, "--root", str(root), "--report", f"junit={report}"]) == 0
        assert 'name="no findings"' in report.read_text("utf-8")


def test_what_stops_a_run_is_reported(tmp_path: Path, capsys: Capture) -> None:
    report = tmp_path / "report"
    assert main(["check", "--root", str(tmp_path), "--report", f"sarif={report}"]) == 2
    assert '"ruleId": "cannot-go-on"' in report.read_text(encoding="utf-8")
    assert capsys.readouterr().out == ""


def test_a_report_that_cannot_be_written_is_2_and_the_others_are(root: Path, tmp_path: Path, capsys: Capture) -> None:
    nowhere, there = tmp_path / "no" / "folder", tmp_path / "there"
    options = ["--report", f"json={nowhere}", "--report", f"json={there}", "--report", "text=a\0b"]
    assert main(["ledger", "--root", str(root), *options]) == 2
    assert f"apportion: cannot write {nowhere}: No such file or directory\n" in capsys.readouterr().err
    assert json.loads(there.read_text("utf-8"))["findings"][0]["rule"] == "cannot-go-on"


@pytest.mark.parametrize("argument", ["sarif", "sarif=", "html=a", "=a"])
def test_a_report_has_a_format_and_a_file(argument: str, capsys: Capture) -> None:
    assert main(["check", "--report", argument]) == 2
    expected = f"{argument!r} is not FORMAT=FILE with a format of text, json, sarif, junit, github"
    assert expected in capsys.readouterr().err
