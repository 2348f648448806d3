"""`apportion plan` in real repositories: what it prints, what it exits with, and what it compares."""

from __future__ import annotations

import json
from io import StringIO
from pathlib import Path
from typing import Any

import pytest

from generator.cli import main
from generator.commands import revision, step
from generator.commands.progress import Progress
from generator.commands.read import read
from generator.commands.revision import Revision
from generator.finding import Layer, Severity
from generator.policy import shipped
from tests import cases
from tests.builders import document, files
from tests.change.builders import quotas, team
from tests.commands.git import commit, git, no_configuration, write

__all__ = ["no_configuration"]
Capture = pytest.CaptureFixture[str]
QUOTAS = "environments/prod/quotas.yaml"
FLEET = "priorities: [{name: training, value: 2}, {name: batch, value: 1}]\n"
TRAIN = "training: h100: {accelerators: %s}"


def repository(root: Path, **parts: Any) -> Path:
    return commit(root, files(fleet=FLEET, **parts))


def with_quotas(*teams: str) -> dict[str, bytes]:
    return {QUOTAS: document("Quotas", quotas(*teams)).encode()}


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return repository(tmp_path, quotas=quotas(team(TRAIN % 8)))


def plan(root: Path, *options: str) -> int:
    return main(["plan", "--root", str(root), *options])


def answer(root: Path, capsys: Capture, *options: str) -> dict[str, Any]:
    plan(root, "--format", "json", *options)
    found: dict[str, Any] = json.loads(capsys.readouterr().out)
    return found


def rules(root: Path, capsys: Capture, *options: str) -> list[str]:
    return [f"{f['severity']} {f['rule']}" for f in answer(root, capsys, *options)["findings"]]


def test_nothing_is_said_where_nothing_changes(root: Path, capsys: Capture) -> None:
    assert plan(root) == 0
    write(root, {QUOTAS: b"# a comment\n" + (root / QUOTAS).read_bytes()})
    assert plan(root) == 0
    assert capsys.readouterr() == ("", "")
    assert answer(root, capsys) == {
        "version": 1,
        "findings": [],
        "summary": {"errors": 0, "warnings": 0, "infos": 0, "waived": 0},
        "changes": [],
    }


TEXT = """\
prod: guaranteed
  vision/training h100  nvidia.com/gpu  8 -> 4  -4
prod: 1 object changed
  ~ ClusterQueue vision-training: {path} 8 -> 4, 2 more fields

environments/prod/quotas.yaml:5:80: info[quota-shrunk] ClusterQueue vision-training is guaranteed 4 nvidia.com/gpu of \
pool h100 in place of 8: Kueue evicts nothing, so up to 4 nvidia.com/gpu more stay in use until their jobs end, which \
the pool can spare
  fix: nothing, if what runs there may go on
prod changes: 1 object changed; 1 info
"""


def test_what_people_see(root: Path, capsys: Capture) -> None:
    write(root, with_quotas(team(TRAIN % 4)))
    assert plan(root) == 0
    path = "spec.resourceGroups[0].flavors[name=h100].resources[name=nvidia.com/gpu].nominalQuota"
    assert capsys.readouterr() == (TEXT.format(path=path), "")


def test_what_scripts_see(root: Path, capsys: Capture) -> None:
    write(root, with_quotas(team(TRAIN % 16, "night: h100: {accelerators: 0}; use: batch")))
    (found,) = answer(root, capsys)["changes"]
    assert (found["environment"], found["change"], found["pools"]) == ("prod", "changed", [])
    amount = {"team": "vision", "queue": "training", "pool": "h100"}
    assert found["quotas"] == [
        {**amount, "resource": "cpu", "old": "100", "new": "200"},
        {**amount, "resource": "memory", "old": "1000Gi", "new": "2000Gi"},
        {**amount, "resource": "nvidia.com/gpu", "old": "8", "new": "16"},
    ]
    assert [(o["change"], o["kind"], o["namespace"], o["name"], len(o["fields"])) for o in found["objects"]] == [
        ("changed", "ClusterQueue", None, "vision-training", 3),
        ("created", "ClusterQueue", None, "vision-night", 0),
        ("created", "LocalQueue", "work", "night", 0),
    ]
    assert found["objects"][0]["fields"][2] == {
        "path": "spec.resourceGroups[0].flavors[name=h100].resources[name=nvidia.com/gpu].nominalQuota",
        "old": "8",
        "new": "16",
    }


@pytest.mark.parametrize(("level", "status"), [("error", 0), ("warning", 0), ("info", 1)])
def test_fail_on(root: Path, level: str, status: int) -> None:
    write(root, with_quotas(team(TRAIN % 4)))
    assert plan(root, "--fail-on", level, "--quiet") == status


def test_an_unsafe_step_fails(root: Path, capsys: Capture) -> None:
    write(root, with_quotas(team("night: h100: {accelerators: 8}; use: batch")))
    for format_ in ("text", "json", "sarif", "junit", "github"):
        assert plan(root, "--format", format_) == 1
    assert plan(root, "--quiet") == 1
    lines = capsys.readouterr().out.splitlines()
    assert [line.split("]")[0] for line in lines if line.startswith("environments/")][-2:] == [
        "environments/prod/quotas.yaml:5:3: error[queue-removed-undrained",
        "environments/prod/quotas.yaml:5:31: error[local-queue-re-pointed",
    ]


def test_any_revision(root: Path, capsys: Capture) -> None:
    commit(root, with_quotas(team(TRAIN % 4)))
    assert rules(root, capsys) == []
    assert rules(root, capsys, "--against", "HEAD~1") == ["info quota-shrunk"]
    assert plan(root, "--against", "gone") == 2
    assert "'gone' is no revision of this repository" in capsys.readouterr().err


def test_no_repository(tmp_path: Path, capsys: Capture, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(tmp_path.parent))
    write(tmp_path, files())
    assert plan(tmp_path) == 2
    assert "not a git repository" in capsys.readouterr().err


def second(name: str = "dev") -> dict[str, bytes]:
    """Return a further environment, on a cluster of its own."""
    given = files(environment=f"cluster: {{server: 'https://{name}.example.com'}}\n", quotas=quotas(team(TRAIN % 8)))
    own = {p.replace("/prod/", f"/{name}/"): data for p, data in given.items() if "/prod/" in p}
    path = f"environments/{name}/environment.yaml"
    return {**own, path: own[path].replace(b"name: prod", f"name: {name}".encode())}


def test_only_the_named_environments(root: Path, capsys: Capture) -> None:
    commit(root, second())
    write(root, {"environments/fleet.yaml": document("Fleet", FLEET.replace("value: 2", "value: 3")).encode()})
    assert [change["environment"] for change in answer(root, capsys, "dev")["changes"]] == ["dev"]
    assert [change["environment"] for change in answer(root, capsys)["changes"]] == ["dev", "prod"]
    assert rules(root, capsys) == ["warning priority-value-edited"]
    assert plan(root, "dve") == 2
    assert "did you mean dev?" in capsys.readouterr().err


def test_environments_come_and_go(root: Path, capsys: Capture) -> None:
    commit(root, second())
    for path in second():
        (root / path).unlink()
    assert rules(root, capsys) == ["error environment-removed"]
    assert rules(root, capsys, "dev") == ["error environment-removed"]
    assert rules(root, capsys, "prod") == []
    write(root, second("stage"))
    assert [(c["environment"], c["change"]) for c in answer(root, capsys)["changes"]] == [
        ("dev", "removed"),
        ("stage", "created"),
    ]
    assert rules(root, capsys) == ["error environment-renamed"]


def test_errors_of_the_working_tree_are_told_in_place_of_a_comparison(root: Path, capsys: Capture) -> None:
    write(root, with_quotas(team("training: h200: {accelerators: 8}")))
    found = answer(root, capsys)
    assert ([f["rule"] for f in found["findings"]], found["changes"]) == (["unknown-pool"], [])
    commit(root, {})
    assert answer(root, capsys)["findings"] == []  # nothing differs: what is wrong is for check


def test_errors_of_the_revision_are_a_warning(root: Path, capsys: Capture) -> None:
    sound = (root / QUOTAS).read_bytes()
    commit(root, with_quotas(team("training: h200: {accelerators: 8}")))
    write(root, {QUOTAS: sound})
    found = answer(root, capsys)
    (finding,) = found["findings"]
    assert (finding["rule"], finding["severity"], found["changes"]) == ("revision-incomplete", "warning", [])
    assert finding["message"].startswith(
        "HEAD is compared as far as it goes: it has 1 error of its own, the first in environments/prod/quotas.yaml:5:"
    )
    assert finding["message"].endswith("; not compared: prod")


def test_what_is_sound_of_a_broken_revision_is_compared(root: Path, capsys: Capture) -> None:
    commit(root, {"environments/prod/more.yaml": b"a: [\n"})
    (root / "environments/prod/more.yaml").unlink()
    write(root, with_quotas(team(TRAIN % 4)))
    assert rules(root, capsys) == ["warning revision-incomplete", "info quota-shrunk"]


WAIVER = "waivers: [{rule: %s, object: '%s', reason: agreed, owner: platform, expires: 2026-12-20}]\n"
REMOVED = WAIVER % ("queue-removed-undrained", "prod/queue/vision-night")


def test_a_waiver_accepts_a_step_and_is_of_use_to_check(root: Path, capsys: Capture) -> None:
    commit(root, with_quotas(team(TRAIN % 8, "night: h100: {accelerators: 1}; use: batch")))
    write(root, with_quotas(team(TRAIN % 8)) | {"environments/waivers.yaml": document("Waivers", REMOVED).encode()})
    found = answer(root, capsys, "--as-of", "2026-12-01")
    assert (found["findings"], found["summary"]["waived"]) == ([], 1)
    assert rules(root, capsys, "--as-of", "2026-12-21") == ["error queue-removed-undrained"]
    main(["check", "--root", str(root), "--inputs-only", "--format", "json"])
    assert "waiver-unused" not in capsys.readouterr().out


def of_policies(root: Path, capsys: Capture, *options: str) -> list[str]:
    found = answer(root, capsys, *options)["findings"]
    return [f"{f['file']}:{f['line']} {f['severity']} {f['rule']}" for f in found if f["layer"] == "policy"]


@pytest.mark.parametrize(("left", "want"), [(8, []), (7, [f"{QUOTAS}:5 info large-quota-move"])])
def test_a_large_move_is_more_than_half_of_the_pool(
    tmp_path: Path, capsys: Capture, left: int, want: list[str]
) -> None:
    root = repository(tmp_path, quotas=quotas(team(TRAIN % 16)))
    write(root, with_quotas(team(TRAIN % left)))
    assert of_policies(root, capsys) == want


def test_each_shipped_policy_about_a_step_is_raised(tmp_path: Path, capsys: Capture) -> None:
    root = repository(tmp_path, quotas=quotas(team(TRAIN % 16)))
    write(root, with_quotas(team(TRAIN % 2 + "; preemption: {withinClusterQueue: Never}")))
    raised = {line.split()[-1] for line in of_policies(root, capsys)}
    known, _ = shipped.policies(None)
    assert raised == {policy.id for policy in known.values() if policy.is_about_changes}
    assert main(["check", "--root", str(root), "--inputs-only", "--format", "json"]) == 0
    checked = capsys.readouterr().out
    assert [rule for rule in raised if rule in checked] == []


def test_an_environment_that_is_new_has_no_changes_to_judge(root: Path, capsys: Capture) -> None:
    write(root, second())
    assert of_policies(root, capsys) == []


OWN = """apiVersion: apportion.dev/v1
kind: Policy
id: namespace-goes
title: A namespace is removed
severity: error
each: changes.objects
rule: item.kind != "Namespace" || item.action != params.forbidden
message: '"namespace %s of team %s is removed".format([item.name, item.team])'
fix: keep it
why: Its volumes go with it.
source: https://git.example.com/platform/decisions/18
params: {forbidden: removed}
examples:
  pass: [{name: created, changes: {objects: {kind: Namespace, action: created, name: work, team: vision}}}]
  fail: [{name: removed, changes: {objects: {kind: Namespace, action: removed, name: work, team: vision}}}]
"""
GOES = WAIVER % ("namespace-goes", "prod/Namespace/lab")


def test_a_policy_of_a_repository_judges_a_step_and_a_waiver_accepts_it(root: Path, capsys: Capture) -> None:
    commit(root, with_quotas(team(TRAIN % 8, spaces="[{name: work}, {name: lab}]")))
    write(root, with_quotas(team(TRAIN % 8)) | {"policies/own/namespace-goes.yaml": OWN.encode()})
    assert of_policies(root, capsys) == [f"{QUOTAS}:5 error namespace-goes"]
    assert plan(root, "--quiet") == 1
    write(root, {"environments/waivers.yaml": document("Waivers", GOES).encode()})
    capsys.readouterr()
    found = answer(root, capsys, "--as-of", "2026-12-01")
    assert ([f["rule"] for f in found["findings"]], found["summary"]["waived"]) == (["namespace-removed"], 1)
    main(["check", "--root", str(root), "--inputs-only", "--format", "json"])
    assert "waiver-unused" not in capsys.readouterr().out


def test_a_policy_that_is_not_sound_fails_the_comparison(root: Path, capsys: Capture) -> None:
    wrong = OWN.replace("item.action !=", "item.acton !=")
    write(root, with_quotas(team(TRAIN % 7)) | {"policies/own/namespace-goes.yaml": wrong.encode()})
    assert "error invalid-policy" in rules(root, capsys)
    assert plan(root, "--quiet") == 1


OVERRIDE = "{team: vision, queue: training, pool: h100, add: {accelerators: 1}, from: %s, until: %s, reason: r}"


@pytest.mark.parametrize(
    ("start", "end", "as_of", "want"),
    [
        ("2026-12-15", "2026-12-31", "2026-12-01", ["info override-begins-soon"]),
        ("2026-12-16", "2026-12-31", "2026-12-01", []),
        ("2026-12-01", "2026-12-16", "2026-12-01", []),
        ("2026-12-01", "2026-12-15", "2026-12-01", ["info override-ends-soon"]),
        ("2026-11-01", "2026-12-01", "2026-12-01", ["info override-ends-soon"]),
        ("2026-11-01", "2026-11-30", "2026-12-01", []),
    ],
)
def test_what_begins_or_ends_soon(
    tmp_path: Path, capsys: Capture, start: str, end: str, as_of: str, want: list[str]
) -> None:
    dated = quotas(team(TRAIN % 8)) + f"overrides: [{OVERRIDE % (start, end)}]\n"
    root = repository(tmp_path, quotas=dated)
    assert rules(root, capsys, "--as-of", as_of) == want
    assert rules(root, capsys) == []


@pytest.mark.parametrize(("as_of", "want"), [("2026-12-05", []), ("2026-12-06", ["info waiver-ends-soon"])])
def test_a_waiver_ends_soon(root: Path, capsys: Capture, as_of: str, want: list[str]) -> None:
    commit(root, {"environments/waivers.yaml": document("Waivers", REMOVED).encode()})
    assert rules(root, capsys, "--as-of", as_of) == want


def test_both_sides_are_of_the_same_day(tmp_path: Path, capsys: Capture) -> None:
    dated = quotas(team(TRAIN % 8)) + f"overrides: [{OVERRIDE % ('2026-12-01', '2026-12-31')}]\n"
    root = repository(tmp_path, quotas=dated)
    write(
        root, {QUOTAS: document("Quotas", dated.replace("add: {accelerators: 1}", "add: {accelerators: 2}")).encode()}
    )
    assert answer(root, capsys)["changes"] == []
    assert answer(root, capsys, "--as-of", "2026-12-05")["changes"][0]["quotas"][-1]["new"] == "10"


def test_output_and_working_tree_are_left_alone(root: Path, capsys: Capture) -> None:
    write(root, with_quotas(team(TRAIN % 4)))
    plan(root)
    assert not (root / "output").exists()
    assert git(root, "status", "--porcelain") == f" M {QUOTAS}\n"


BROKEN = sorted(cases.FOLDER.glob("*.yaml"))


@pytest.mark.parametrize("path", BROKEN, ids=lambda path: path.stem)
def test_any_bad_input_can_be_a_side(path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """No crash, and the errors of a side are told: those of the revision in a warning."""
    sound, bad = tmp_path / "sound", tmp_path / "bad"
    cases.Case().write(sound)
    cases.parse(path.read_text()).write(bad)
    progress = Progress(StringIO(), quiet=True)
    errors = []
    for old, new in ((sound, bad), (bad, sound)):
        given, _ = read(old)
        monkeypatch.setattr(revision, "read", lambda root, against, given=given: Revision(given, ()))
        found = step.run(new, [], "HEAD", None, progress).findings
        of_sides = [f for f in found if f.layer is not Layer.CHANGE and f.severity is Severity.ERROR]
        errors.append({f.rule for f in found if f in of_sides or f.rule == "revision-incomplete"})
    assert ("revision-incomplete" in errors[1]) == bool(errors[0])
