"""`apportion preflight` without a cluster: nodes of a file, an expectation of a file, and wrong usage."""

from __future__ import annotations

import io
import json
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

from generator.cli import main
from generator.emit import expectation
from tests.preflight import world
from tests.preflight.server import Fake

NODES = {"apiVersion": "v1", "kind": "List", "items": world.nodes()}
SOUND = "prod against these nodes: no findings\n"


def run(root: Path, *arguments: str) -> int:
    return main(["preflight", "--root", str(world.written(root)), *arguments])


@pytest.mark.parametrize(
    "text",
    [json.dumps(NODES), yaml.safe_dump(NODES), "---\n".join(map(yaml.safe_dump, world.nodes()))],
    ids=["json", "yaml", "documents"],
)
def test_nodes_of_a_file(tmp_path: Path, text: str, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "nodes").write_text(text, encoding="utf-8")
    assert run(tmp_path, "prod", "--nodes", str(tmp_path / "nodes")) == 0
    assert capsys.readouterr().out == SOUND


def test_nodes_of_standard_input(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(json.dumps(NODES).encode())))
    assert run(tmp_path, "--nodes", "-") == 0
    assert capsys.readouterr().out == SOUND


def test_nodes_ask_no_cluster(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "kubernetes", None)
    (tmp_path / "nodes").write_text(json.dumps(NODES), encoding="utf-8")
    assert run(tmp_path, "--nodes", str(tmp_path / "nodes")) == 0


def test_a_lost_node_fails_in_every_format(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "nodes").write_text(json.dumps({**NODES, "items": world.nodes()[1:]}), encoding="utf-8")
    for form in ("text", "json", "sarif", "junit", "github"):
        assert run(tmp_path, "--nodes", str(tmp_path / "nodes"), "--format", form) == 1
        assert "3 of 4 nodes can be used" in capsys.readouterr().out


@pytest.mark.parametrize("text", ["{", '{"items": [', "a: 1\na: 2\n"])
def test_a_broken_file_is_not_taken_for_lost_nodes(
    text: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "nodes").write_text(text, encoding="utf-8")
    assert run(tmp_path, "--nodes", str(tmp_path / "nodes")) == 2
    shown = capsys.readouterr()
    assert shown.out == ""
    assert shown.err.startswith(f"apportion: cannot read {tmp_path / 'nodes'}:")


def test_a_node_that_stands_there_twice_counts_once(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    nodes = world.nodes()
    items = [*nodes[1:], nodes[1]]
    (tmp_path / "nodes").write_text(json.dumps({**NODES, "items": items}), encoding="utf-8")
    assert run(tmp_path, "--nodes", str(tmp_path / "nodes")) == 1
    out = capsys.readouterr().out
    assert f"error[node-twice] nodes stand there more than once: {nodes[1]['metadata']['name']}\n" in out
    assert "3 of 4 nodes can be used" in out


def test_a_file_without_nodes(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "nodes").write_text("apiVersion: v1\nkind: Pod\nmetadata: {name: a}\n", encoding="utf-8")
    assert run(tmp_path, "--nodes", str(tmp_path / "nodes")) == 2
    assert "holds no Node\n  fix: write it with: oc get nodes -o json" in capsys.readouterr().err


def test_inputs_with_errors_are_not_compared(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    root = world.written(tmp_path, quotas=("h100: {accelerators: 16}", "h200: {accelerators: 16}"))
    assert main(["preflight", "--root", str(root), "--nodes", "/nowhere"]) == 1
    out = capsys.readouterr().out
    assert "error[unknown-pool]" in out
    assert out.splitlines()[-1].startswith("not compared: ")


def test_documents_with_errors_are_not_compared(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    root = world.written(tmp_path, quotas=("use: training", "uses: training"))
    assert main(["preflight", "--root", str(root), "--nodes", "/nowhere"]) == 1
    assert "error[unknown-key]" in capsys.readouterr().out


def test_extra_that_exists_twice_is_not_compared(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    root = world.written(tmp_path)
    (root / "environments/prod/extra").mkdir()
    text = "apiVersion: v1\nkind: Namespace\nmetadata: {name: vision-train}\n"
    (root / "environments/prod/extra/a.yaml").write_text(text, encoding="utf-8")
    assert main(["preflight", "--root", str(root), "--nodes", "/nowhere"]) == 1
    assert "error[duplicate-object]" in capsys.readouterr().out


WRONG: dict[str, tuple[list[str], str]] = {
    "an unknown environment": (["stage", "--nodes", "n"], "unknown environment stage"),
    "no such file of nodes": (["--nodes", "nowhere"], "cannot read nowhere: No such file or directory"),
    "no such expectation": (["--expect", "nowhere"], "cannot read nowhere: No such file or directory"),
    "a null byte": (["--expect", "a\0b"], "cannot read a\\x00b: embedded null byte"),
    "an expectation beside an environment": (["prod", "--expect", "x"], "ENV and --expect both say what is expected"),
    "no time": (["--timeout", "soon"], "'soon' is no time such as 60s or 2m"),
    "no time at all": (["--timeout", "0s"], "'0s' is no time such as 60s or 2m"),
}


@pytest.mark.parametrize("name", WRONG)
def test_wrong_usage(tmp_path: Path, name: str, capsys: pytest.CaptureFixture[str]) -> None:
    arguments, why = WRONG[name]
    assert run(tmp_path, *arguments) == 2
    assert why in capsys.readouterr().err


def test_one_of_several_environments_has_to_be_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    root = world.written(tmp_path)
    other = root / "environments/dev/environment.yaml"
    other.parent.mkdir()
    text = world.ENVIRONMENT.replace("name: prod", "name: dev\ncluster: {server: https://api.dev.example.com:6443}")
    other.write_text(text, encoding="utf-8")
    assert main(["preflight", "--root", str(root), "--nodes", "n"]) == 2
    assert "which environment is it?\n  fix: name one of: dev, prod" in capsys.readouterr().err


@pytest.mark.parametrize(("written", "seconds"), [("90", 90.0), ("1.5s", 1.5), ("2m", 120.0)])
def test_times(written: str, seconds: float) -> None:
    from generator.commands.preflight import _time

    assert _time(written) == seconds


def test_what_a_job_was_given(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    found = world.overlay()
    expect = tmp_path / "expect.json"
    expect.write_text(expectation.dumped(expectation.whole(found.plan, found.synced)), encoding="utf-8")
    objects = [o for o in world.synced(found) if o["metadata"]["name"] != "h100-0"]
    with Fake(objects, world.served(objects)).running() as fake:
        arguments: list[Any] = ["preflight", "--expect", str(expect), "--kubeconfig", fake.kubeconfig(tmp_path)]
        assert main(arguments) == 1
    out = capsys.readouterr().out
    assert out.startswith(
        "<live cluster>: error[guaranteed-beyond-nodes] pool h100: 3 of 4 nodes can be used, and more"
    )


def test_too_large_an_expectation(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    from generator.commands import sides

    monkeypatch.setattr(sides, "_LARGEST", 3)
    (tmp_path / "x").write_text("{}  ", encoding="utf-8")
    assert run(tmp_path, "--expect", str(tmp_path / "x")) == 2
    assert "it is larger than" in capsys.readouterr().err


def test_compile_and_check_do_not_import_the_client() -> None:
    import subprocess

    code = (
        "import sys; from generator.cli import main; main(['check', '-q']);"
        "print([m for m in sys.modules if m.startswith(('kubernetes', 'urllib3', 'generator.preflight'))])"
    )
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert found.stdout.splitlines()[-1] == "[]"
