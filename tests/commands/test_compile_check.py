"""compile and check on small repositories: what is written, what is said, what the exit status is."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from generator.cli import main
from generator.environment.load import Repository
from generator.finding import Finding, Layer, Location, Severity
from tests.repository import ENVIRONMENT, QUOTAS, edit, repository, snapshot

UNKNOWN_POOL = ("h100: { accelerators: 8 }", "h200: { accelerators: 8 }")
TYPO = ("contact: vision", "contakt: vision")


def output(root: Path) -> dict[str, bytes]:
    return snapshot(root / "output") if (root / "output").exists() else {}


def findings(capsys: pytest.CaptureFixture[str]) -> list[tuple[str, str | None, int | None]]:
    envelope = json.loads(capsys.readouterr().out)
    return [(f["rule"], f["file"], f["line"]) for f in envelope["findings"]]


def shown(capsys: pytest.CaptureFixture[str]) -> Any:
    return json.loads(capsys.readouterr().out)


def report(monkeypatch: pytest.MonkeyPatch, severity: Severity = Severity.WARNING) -> None:
    """Make the fleet-wide checks find something."""
    found = Finding("unused-runtime", severity, Layer.REFERENCE, "m", Location("environments/fleet.yaml", 1, 1))
    monkeypatch.setattr("generator.commands.pipeline.fleet_wide", lambda given, plans: [found])


def test_compile_writes_and_says_how_much(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    root = repository(tmp_path)
    assert main(["compile", "--root", str(root)]) == 0
    tree = output(root)
    assert capsys.readouterr() == ("", f"output/: {len(tree)} files written, 0 removed, 0 unchanged\n")
    assert main(["compile", "--root", str(root)]) == 0
    assert output(root) == tree
    assert capsys.readouterr() == ("", f"output/: 0 files written, 0 removed, {len(tree)} unchanged\n")


def test_check_is_silent_about_a_fresh_tree_and_writes_nothing(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    root = repository(tmp_path)
    assert main(["compile", "--root", str(root), "--quiet"]) == 0
    before = snapshot(root)
    assert main(["check", "--root", str(root)]) == 0
    assert snapshot(root) == before
    assert capsys.readouterr() == ("no findings\n", "")


def test_a_missing_tree_is_one_error_unless_inputs_alone_are_asked_for(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    root = repository(tmp_path)
    assert main(["check", "--root", str(root), "--format", "json"]) == 1
    assert findings(capsys) == [("output-missing", "output", None)]
    assert main(["check", "--root", str(root), "--inputs-only"]) == 0
    assert output(root) == {}


def test_a_changed_input_makes_the_tree_stale(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    root = repository(tmp_path)
    assert main(["compile", "--root", str(root)]) == 0
    edit(root / QUOTAS, "h100: { accelerators: 8 }", "h100: { accelerators: 4 }")
    assert main(["check", "--root", str(root), "--format", "json"]) == 1
    assert {rule for rule, _, _ in findings(capsys)} == {"output-stale"}


@pytest.mark.parametrize(("file", "change"), [(QUOTAS, UNKNOWN_POOL), ("environments/teams.yaml", TYPO)])
def test_an_error_leaves_the_old_tree_as_it_was(tmp_path: Path, file: str, change: tuple[str, str]) -> None:
    root = repository(tmp_path)
    assert main(["compile", "--root", str(root)]) == 0
    before = output(root)
    edit(root / file, *change)
    assert main(["compile", "--root", str(root)]) == 1
    assert output(root) == before


def test_errors_are_told_in_the_place_of_each_command(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    root = repository(tmp_path)
    report(monkeypatch, Severity.ERROR)
    told = "environments/fleet.yaml:1:1: error[unused-runtime] m\n"
    assert main(["check", "--root", str(root)]) == 1
    assert capsys.readouterr() == (f"{told}1 error\n", "")
    assert main(["compile", "--root", str(root)]) == 1
    assert capsys.readouterr() == ("", f"{told}1 error; nothing written\n")
    assert main(["compile", "--root", str(root), "-q"]) == 1
    assert capsys.readouterr() == ("", told)


def test_compile_as_json_counts_what_it_did(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    root = repository(tmp_path)
    assert main(["compile", "--root", str(root), "--format", "json"]) == 0
    counts = {"errors": 0, "warnings": 0, "infos": 0, "removed": 0, "unchanged": 0, "waived": 0}
    assert shown(capsys) == {"version": 1, "findings": [], "summary": {**counts, "written": len(output(root))}}


@pytest.mark.parametrize(
    ("severity", "fail_on", "status"),
    [
        (Severity.WARNING, "error", 0),
        (Severity.WARNING, "warning", 1),
        (Severity.INFO, "warning", 0),
        (Severity.INFO, "info", 1),
    ],
)
def test_fail_on_decides_the_status_and_whether_compile_writes(
    severity: Severity, fail_on: str, status: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = repository(tmp_path)
    report(monkeypatch, severity)
    assert main(["compile", "--root", str(root), "--fail-on", fail_on]) == status
    assert bool(output(root)) is (status == 0)
    assert main(["check", "--inputs-only", "--root", str(root), "--fail-on", fail_on]) == status


def test_quiet_leaves_out_what_does_not_fail(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    root = repository(tmp_path)
    report(monkeypatch)
    assert main(["compile", "--root", str(root), "-q"]) == 0
    assert capsys.readouterr() == ("", "")
    assert main(["compile", "--root", str(root)]) == 0
    assert capsys.readouterr().err.splitlines()[0] == "environments/fleet.yaml:1:1: warning[unused-runtime] m"


def test_fail_on_change_is_for_hooks(tmp_path: Path) -> None:
    root = repository(tmp_path)
    assert main(["compile", "--root", str(root), "--fail-on-change"]) == 1
    assert main(["compile", "--root", str(root), "--fail-on-change"]) == 0
    (root / "output/overlays/prod/kustomization.yaml").unlink()
    assert main(["compile", "--root", str(root), "--fail-on-change"]) == 1


def test_a_foreign_file_in_the_way_is_told_and_nothing_written(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    root = repository(tmp_path)
    foreign = root / "output/overlays/prod/kustomization.yaml"
    foreign.parent.mkdir(parents=True)
    foreign.write_text("mine\n", encoding="utf-8")
    assert main(["compile", "--root", str(root), "--format", "json"]) == 1
    assert findings(capsys) == [("output-foreign-file", "output/overlays/prod/kustomization.yaml", None)]
    assert output(root) == {"overlays/prod/kustomization.yaml": b"mine\n"}


def test_one_environment_alone_leaves_the_others_and_removes_no_base(tmp_path: Path) -> None:
    root = repository(tmp_path, second="dev")
    assert main(["compile", "--root", str(root)]) == 0
    before = output(root)
    edit(root / QUOTAS, "h100: { accelerators: 8 }", "h100: { accelerators: 4 }")
    edit(root / "environments/dev/quotas.yaml", "h100: { accelerators: 8 }", "h100: { accelerators: 6 }")
    (root / "output/overlays/dev/queues/vision/resources.yaml").unlink()
    assert main(["compile", "dev", "--root", str(root)]) == 0
    after = output(root)
    changed = {path for path in before.keys() | after.keys() if before.get(path) != after.get(path)}
    assert "overlays/dev/queues/vision/resources.yaml" in changed
    assert {path.split("/")[1] for path in changed} == {"dev"}
    assert main(["check", "dev", "--root", str(root)]) == 0
    assert main(["check", "prod", "--root", str(root)]) == 1


def test_an_environment_that_is_no_more_is_removed_by_a_run_on_all(tmp_path: Path) -> None:
    root = repository(tmp_path, second="dev")
    assert main(["compile", "--root", str(root)]) == 0
    for path in (root / "environments/dev").iterdir():
        path.unlink()
    assert main(["compile", "--root", str(root)]) == 0
    assert sorted(path.name for path in (root / "output/overlays").iterdir()) == ["prod"]


@pytest.mark.parametrize(
    ("names", "message", "fix"),
    [
        (["prdo"], "unknown environment prdo", "did you mean prod? known are: dev, prod"),
        (["prod", "x", "devv"], "unknown environments x, devv", "did you mean dev? known are: dev, prod"),
        (["zzz"], "unknown environment zzz", "known are: dev, prod"),
    ],
)
def test_an_unknown_environment_is_2(
    names: list[str], message: str, fix: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    root = repository(tmp_path, second="dev")
    assert main(["compile", *names, "--root", str(root)]) == 2
    assert capsys.readouterr() == ("", f"apportion: {message}\n  fix: {fix}\n")
    assert output(root) == {}


@pytest.mark.parametrize(
    ("old", "new", "rule"),
    [
        ("name: prod", "nmae: prod", "unknown-key"),
        ("apiVersion: apportion.dev/v1", "apiVersion: [", "yaml-syntax"),
    ],
)
def test_a_broken_environment_is_told_once_and_the_other_compiles(
    old: str, new: str, rule: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    root = repository(tmp_path, second="dev")
    edit(root / ENVIRONMENT, old, new)
    assert main(["compile", "--root", str(root), "--format", "json"]) == 1
    found = findings(capsys)
    assert {file for _, file, _ in found} == {ENVIRONMENT}
    assert rule in {rule for rule, _, _ in found}
    assert output(root) == {}
    if rule == "unknown-key":  # the folder still says which environment it is
        assert main(["compile", "dev", "--root", str(root)]) == 0
        assert main(["check", "prod", "--root", str(root)]) == 1


def test_errors_of_another_environment_are_not_told(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    root = repository(tmp_path, second="dev")
    edit(root / QUOTAS, "teams:", "taems:")
    assert main(["check", "dev", "--inputs-only", "--root", str(root)]) == 0
    capsys.readouterr()
    assert main(["check", "--inputs-only", "--root", str(root), "--format", "json"]) == 1
    assert {file for _, file, _ in findings(capsys)} == {QUOTAS}


def test_fleet_wide_checks_wait_for_all_environments(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[list[str]] = []

    def fleet_wide(given: Repository, plans: list[Any]) -> list[Finding]:
        seen.append([plan.name for plan in plans])
        return []

    monkeypatch.setattr("generator.commands.pipeline.fleet_wide", fleet_wide)
    root = repository(tmp_path, second="dev")
    for names in ([], ["dev"]):
        assert main(["check", *names, "--inputs-only", "--root", str(root)]) == 0
    assert seen == [["dev", "prod"]]


def test_without_an_environment_nothing_is_removed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    root = repository(tmp_path)
    assert main(["compile", "--root", str(root)]) == 0
    before = output(root)
    (root / ENVIRONMENT).unlink()
    for name in ("inventory", "quotas"):
        (root / f"environments/prod/{name}.yaml").unlink()
    capsys.readouterr()
    assert main(["compile", "--root", str(root), "--format", "json"]) == 1
    assert findings(capsys) == [("no-environment", None, None)]
    assert output(root) == before


def test_a_cut_off_write_is_finished_first(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    calls: list[Path] = []
    monkeypatch.setattr("generator.output.recover", calls.append)
    root = repository(tmp_path)
    for command in (["compile"], ["check"], ["check", "--inputs-only"]):
        main([*command, "--root", str(root)])
    assert calls == [root / "output", root / "output"]


def test_kustomize_builds_every_folder(tmp_path: Path) -> None:
    kubectl = Path(sys.executable).parent / "kubectl"
    root = repository(tmp_path)
    assert main(["compile", "--root", str(root), "--fail-on", "info"]) == 0
    folders = sorted(path.parent for path in (root / "output").rglob("kustomization.yaml"))
    assert len(folders) > 10
    for folder in folders:
        subprocess.run([kubectl, "kustomize", folder], check=True, capture_output=True)
