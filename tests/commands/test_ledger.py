"""`apportion ledger`: the tables of a small environment, whole, and the keys of its JSON."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from generator.cli import main
from generator.commands import answer
from tests.builders import TEAM, files

POOLS = (
    "{name: h100, accelerator: nvidia-h100-80gb, nodes: 3, perNode: {accelerators: 8, cpu: 100, memory: 1000Gi},"
    " reserve: {nodes: 1, perNode: {cpu: 4, memory: 40Gi}}, nodeLabels: {node: h100}}",
    "{name: cores, nodes: 1, perNode: {cpu: 64, memory: 256Gi},"
    " reserve: {perNode: {cpu: 2, memory: 16Gi}}, nodeLabels: {node: cores}}",
)
FLEET = "priorities: [{name: training, value: 2}, {name: interactive, value: 3}]\n"
QUOTAS = """\
cohorts:
  - {name: org, quota: {h100: {accelerators: 2}}}
teams:
  - team: vision
    cohort: org
    namespaces: [{name: vision-work}]
    queues:
      - {name: training, quota: {h100: {accelerators: 8, lend: 4}, cores: {cpu: 30, memory: 100Gi}}}
      - {name: interactive, quota: {h100: {accelerators: 2}}}
"""
TEXT = """\
prod: pools         installed  schedulable  guaranteed  lendable  borrowable  stranded
  h100, 2 nodes
    nvidia.com/gpu         24           16          12         8           4         4
    cpu                   300          192         144        96          48        48
    memory             3000Gi       1920Gi      1440Gi     960Gi       480Gi     480Gi
  cores, 1 node
    cpu                    64           62          30        30           0        32
    memory              256Gi        240Gi       100Gi     100Gi           0     140Gi

prod: queues          guaranteed  potential  lendable  reclaimable  one pod  one gang
  vision-training, in cohort org
    cores
      cpu                     30         30        30            0       30        30
      memory               100Gi      100Gi     100Gi            0    100Gi     100Gi
    h100
      nvidia.com/gpu           8         12         4            2        8        12
      cpu                     96        144        48           24       96       144
      memory               960Gi     1440Gi     480Gi        240Gi    960Gi    1440Gi
  vision-interactive, in cohort org
    h100
      nvidia.com/gpu           2          2         2            0        2         2
      cpu                     24         24        24            0       24        24
      memory               240Gi      240Gi     240Gi            0    240Gi     240Gi

"""


def repository(root: Path, quotas: str = QUOTAS, **parts: object) -> Path:
    given = {"teams": (TEAM,), "pools": POOLS, "fleet": FLEET, **parts}
    for path, text in files(quotas=quotas, **given).items():  # type: ignore[arg-type]  # checked by files
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_bytes(text)
    return root


def tables(printed: str) -> str:
    """Return what stands before the findings, or before the last line where there are none."""
    head, blank, _ = printed.rpartition("\n\n")
    return head + blank


def test_the_tables_of_a_small_environment(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["ledger", "--root", str(repository(tmp_path))]) == 0
    printed = capsys.readouterr()
    assert tables(printed.out) == TEXT
    assert printed.err == ""
    assert not (tmp_path / "output").exists()


def test_json_has_the_same_amounts_as_canonical_quantities(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["ledger", "prod", "--format", "json", "--root", str(repository(tmp_path))]) == 0
    printed = json.loads(capsys.readouterr().out)
    assert list(printed) == ["version", "findings", "summary", "pools", "queues"]
    assert printed["pools"][0] == {
        "environment": "prod",
        "pool": "h100",
        "resource": "nvidia.com/gpu",
        "installed": "24",
        "reserved": "8",
        "schedulable": "16",
        "guaranteed": "12",
        "lendable": "8",
        "borrowable": "4",
        "stranded": "4",
        "overCommitted": "0",
    }
    (line,) = (q for q in printed["queues"] if (q["queue"], q["pool"], q["resource"]) == ("training", "h100", "memory"))
    assert line == {
        "environment": "prod",
        "team": "vision",
        "queue": "training",
        "pool": "h100",
        "resource": "memory",
        "guaranteed": "960Gi",
        "potential": "1440Gi",
        "lendable": "480Gi",
        "reclaimable": "240Gi",
        "largestRequest": "960Gi",
        "largestGang": "1440Gi",
    }


def test_dated_quota_shows_on_its_day(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    dates = "from: 2026-12-01, until: 2026-12-15, reason: paper"
    quotas = (
        f"{QUOTAS}overrides:\n  - {{team: vision, queue: interactive, pool: h100, add: {{accelerators: 3}}, {dates}}}\n"
    )
    root = repository(tmp_path, quotas)
    got = {}
    for day in ("2026-11-30", "2026-12-15"):
        assert main(["ledger", "--as-of", day, "--format", "json", "--root", str(root)]) == 0
        got[day] = json.loads(capsys.readouterr().out)["pools"][0]["guaranteed"]
    assert got == {"2026-11-30": "12", "2026-12-15": "15"}


def test_more_than_there_is_stands_out(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    root = repository(tmp_path, QUOTAS.replace("accelerators: 8, lend: 4", "accelerators: 13, lend: 4"))
    main(["ledger", "--root", str(root)])
    plain = capsys.readouterr().out
    assert re.search(r"^    nvidia.com/gpu +24 +16 +17 +8 +4 +over by 1$", plain, re.MULTILINE)
    assert "\x1b" not in plain
    monkeypatch.setattr("generator.commands.ledger.is_coloured", lambda _: True)
    main(["ledger", "--root", str(root)])
    coloured = capsys.readouterr().out
    assert re.search(r"^\x1b\[31m    nvidia.com/gpu .* over by 1\x1b\[0m$", coloured, re.MULTILINE)
    assert re.search(r"^\x1b\[1mprod: pools .* stranded\x1b\[0m$", coloured, re.MULTILINE)


@pytest.mark.parametrize("variable", [{"NO_COLOR": "1", "TERM": "xterm"}, {"TERM": "dumb"}])
def test_no_colour_where_it_is_not_wanted(variable: dict[str, str], monkeypatch: pytest.MonkeyPatch) -> None:
    class Terminal:
        def isatty(self) -> bool:
            return True

    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setenv("TERM", "xterm")
    assert answer.is_coloured(Terminal())  # type: ignore[arg-type]  # all that it is asked
    for name, value in variable.items():
        monkeypatch.setenv(name, value)
    assert not answer.is_coloured(Terminal())  # type: ignore[arg-type]


def test_long_names_and_large_amounts_stay_within_100_columns(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    pool, cohort, team, own = "p" * 63, "c" * 63, "v" * 31, "q" * 31
    resource = f"nvidia.com/{'x' * 60}yz"
    model = f"accelerators: [{{id: nvidia-secret-1gb, vendor: nvidia, memoryGB: 1, resource: {resource}}}]\n"
    per_node = "{accelerators: 9999, cpu: 99999500m, memory: 99999999Mi}"
    known = "accelerator: nvidia-secret-1gb, nodeLabels: {node: wide}"
    wide = f"{{name: {pool}, {known}, nodes: 9999, perNode: {per_node}}}"
    share = "{accelerators: 99999, cpu: 99999500m, memory: 999999Mi}"
    quotas = (
        f"cohorts: [{{name: {cohort}}}]\nteams: [{{team: {team}, cohort: {cohort}, namespaces: [{{name: work}}],"
        f" queues: [{{name: {own}, quota: {{{pool}: {share}}}}}]}}]\n"
    )
    given = {"pools": (wide,), "teams": (TEAM.replace("vision", team),), "environment": model}
    main(["ledger", "--root", str(repository(tmp_path, quotas, **given))])
    lines = tables(capsys.readouterr().out).splitlines()
    assert max(map(len, lines)) == 100
    assert f"  {team}-{own}, in cohort {cohort}"[:50] in {line[:50] for line in lines}
    assert [line.split() for line in lines if "Pi" in line or "yz" in line] == [
        ["nvidia.com/…xxxxxxxxxxxxyz", "99980001", "99980001", "99999", "99999", "0", "99880002"],
        ["memory", "931.2Pi", "931.2Pi", "999999Mi", "999999Mi", "0", "931.2Pi"],
        ["nvidia.co…xxxxxxxxxxxxxyz", "99999", "99999", "99999", "0", "9999", "99999"],
    ]


def test_findings_follow_as_check_shows_them(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    root = repository(tmp_path, QUOTAS.replace("cores: {cpu", "coers: {cpu"))
    assert main(["ledger", "--root", str(root)]) == 1
    printed = capsys.readouterr().out
    assert "environments/prod/quotas.yaml:10:68: error[unknown-pool]" in printed
    assert "prod: pools" not in printed  # an environment with errors has no ledger


def test_formats_of_findings_have_no_tables(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["ledger", "--format", "sarif", "--root", str(repository(tmp_path))]) == 0
    assert json.loads(capsys.readouterr().out)["version"] == "2.1.0"


def test_an_unknown_environment_is_wrong_usage(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["ledger", "staging", "--root", str(repository(tmp_path))]) == 2
    assert "unknown environment staging" in capsys.readouterr().err
