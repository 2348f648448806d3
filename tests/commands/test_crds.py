"""`apportion crds import`, and what checks and `lint` make of a user's own CRDs."""

from __future__ import annotations

import io
import json
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import yaml

from generator.cli import main
from tests.repository import repository, snapshot
from tests.schemas.stored import import_crds

ROOT = "spec.versions[0].schema.openAPIV3Schema"
QUEUE = "kueue.x-k8s.io_clusterqueue_v1beta2.json"


def crd(
    spec: Any, *versions: str, kind: str = "Widget", group: str = "example.com", scope: str = "Namespaced"
) -> dict[str, Any]:
    structure = {"type": "object", "properties": {"spec": spec}}
    served = [
        {"name": version, "served": True, "storage": not number, "schema": {"openAPIV3Schema": structure}}
        for number, version in enumerate(versions or ("v1",))
    ]
    return {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": f"{kind.lower()}s.{group}"},
        "spec": {
            "group": group,
            "names": {"kind": kind, "plural": f"{kind.lower()}s"},
            "scope": scope,
            "versions": served,
        },
    }


def ruled(**rule: Any) -> dict[str, Any]:
    return {"type": "object", "properties": {"size": {"type": "integer"}}, "x-kubernetes-validations": [rule]}


SIZED = {"type": "object", "required": ["size"], "properties": {"size": {"type": "integer", "maximum": 3}}}


def dump(path: Path, *bodies: dict[str, Any]) -> str:
    path.write_text(json.dumps({"apiVersion": "v1", "kind": "List", "items": bodies}), encoding="utf-8")
    return str(path)


def widget(size: object, version: str = "v1") -> dict[str, Any]:
    metadata = {"name": "w", "namespace": "a"}
    return {"apiVersion": f"example.com/{version}", "kind": "Widget", "metadata": metadata, "spec": {"size": size}}


def shown(capsys: pytest.CaptureFixture[str]) -> list[str]:
    found = json.loads(capsys.readouterr().out)["findings"]
    return [f"{f['severity']} {f['rule']} {f['path'] or ''}".strip() for f in found]


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Path:
    monkeypatch.chdir(repository(tmp_path / "repo"))
    assert main(["compile"]) == 0
    capsys.readouterr()
    return tmp_path / "repo"


def test_import_says_what_it_changes_and_is_deterministic(root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    first = dump(root / "crds.json", crd(SIZED, "v1", "v2"), crd(SIZED, kind="Gadget"), widget(1))
    assert main(["crds", "import", first]) == 0
    assert capsys.readouterr().out == (
        "added example.com_gadget_v1.json\nadded example.com_widget_v1.json\nadded example.com_widget_v2.json\n"
        "3 versions in environments/crds/: 3 added, 0 replaced, 0 unchanged\n"
    )
    stored = snapshot(root / "environments/crds")
    expected = import_crds([yaml.safe_dump(crd(SIZED, "v1", "v2")), yaml.safe_dump(crd(SIZED, kind="Gadget"))])
    assert {name: data.decode() for name, data in stored.items()} == expected
    assert main(["crds", "import", first]) == 0
    assert capsys.readouterr().out == "3 versions in environments/crds/: 0 added, 0 replaced, 3 unchanged\n"
    assert snapshot(root / "environments/crds") == stored
    second = dump(root / "more.json", crd({"type": "object"}, "v2", "v3"))
    assert main(["crds", "import", "--format", "json", second]) == 0
    summary = json.loads(capsys.readouterr().out)["summary"]
    assert {key: summary[key] for key in ("added", "replaced", "unchanged", "removed")} == {
        "added": 1,
        "replaced": 1,
        "unchanged": 0,
        "removed": 1,
    }
    assert sorted(snapshot(root / "environments/crds")) == [
        "example.com_gadget_v1.json",
        "example.com_widget_v2.json",
        "example.com_widget_v3.json",
    ]


def test_removed_versions_are_told(root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["crds", "import", dump(root / "a.json", crd(SIZED, "v1", "v2"))]) == 0
    capsys.readouterr()
    assert main(["crds", "import", dump(root / "b.json", crd(SIZED, "v2"))]) == 0
    assert capsys.readouterr().out == (
        "removed example.com_widget_v1.json\n"
        "1 version in environments/crds/: 0 added, 0 replaced, 1 unchanged, 1 no longer served and removed\n"
    )


def test_import_from_standard_input_for_one_environment(
    root: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    text = yaml.safe_dump(crd(SIZED)).encode()
    monkeypatch.setattr(sys, "stdin", SimpleNamespace(buffer=io.BytesIO(text)))
    assert main(["crds", "import", "-", "--env", "prod"]) == 0
    assert list(snapshot(root / "environments/prod/crds")) == ["example.com_widget_v1.json"]


@pytest.mark.parametrize(
    ("spec", "about"),
    [
        ({"type": "string", "pattern": "(a"}, "spec: '.*' is not a regular expression"),
        ({"type": "string", "pattern": "(?<!a)b"}, "is not a regular expression"),
        (ruled(rule="self.size >"), "spec: the rule 'self.size >' does not compile"),
        (ruled(rule="unknown(self)"), "spec: the rule .* calls unknown, which no API server knows"),
        (ruled(rule="true", messageExpression="'a' +"), "does not compile"),
        (ruled(message="a"), "rule is missing"),
        ({"type": "text"}, 'spec: type: "text" is not supported'),
        ({"type": "object", "properties": {"a": 3}}, "spec: properties.a: 3 must be of type object"),
        ({"type": "object", "additionalProperties": {"type": "object", "required": "a"}}, r"spec\.\*: required: "),
        ({"type": "integer", "allOf": [{"not": 3}]}, "spec: not: 3 must be of type object"),
        ({"type": "object", "properties": [1]}, r"spec: properties: \[1\] must be of type object"),
    ],
)
def test_a_broken_definition_is_named_and_nothing_is_stored(
    spec: Any, about: str, root: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    import re

    given = dump(root / "crds.json", crd(SIZED, kind="Gadget"), crd(spec))
    assert main(["crds", "import", "--format", "json", given]) == 1
    found = json.loads(capsys.readouterr().out)["findings"]
    assert [f["rule"] for f in found] == ["definition-broken"]
    assert found[0]["message"].startswith("widgets.example.com")
    assert re.search(about, found[0]["message"]), found[0]["message"]
    assert (found[0]["file"], found[0]["object"]["name"]) == ("crds.json", "widgets.example.com")
    assert not (root / "environments/crds").exists()


def test_import_of_what_holds_no_definition(root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["crds", "import", "--format", "json", dump(root / "a.json", widget(1))]) == 1
    assert shown(capsys) == ["error no-crd"]


def test_import_where_it_cannot_be(root: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    given = dump(root / "a.json", crd(SIZED))
    assert main(["crds", "import", given, "--env", "prud"]) == 2
    assert "did you mean prod? known are prod" in capsys.readouterr().err
    (root / "environments/crds").symlink_to(tmp_path)
    assert main(["crds", "import", given]) == 2
    assert "crds is a link" in capsys.readouterr().err
    (root / "environments/crds").unlink()
    (root / "environments/crds").write_text("", encoding="utf-8")
    assert main(["crds", "import", given]) == 2
    assert "cannot write" in capsys.readouterr().err


def stricter_queue(root: Path) -> str:
    """Return the path of a dump with a ClusterQueue that the shipped objects do not satisfy."""
    limited = {"type": "object", "properties": {"cohortName": {"type": "string", "maxLength": 1}}}
    open_ = {**limited, "x-kubernetes-preserve-unknown-fields": True}
    served = ("v1beta1", "v1beta2")
    return dump(root / "queue.json", crd(open_, *served, kind="ClusterQueue", group="kueue.x-k8s.io", scope="Cluster"))


def test_stored_definitions_take_precedence_and_change_no_output(
    root: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    tree = snapshot(root / "output")
    assert main(["crds", "import", stricter_queue(root)]) == 0
    capsys.readouterr()
    assert main(["check", "--format", "json"]) == 1
    assert {line.split()[1] for line in shown(capsys)} == {"value-too-long"}
    assert main(["crds", "import", "--env", "prod", dump(root / "own.json", _open_queue())]) == 0
    capsys.readouterr()
    assert main(["check"]) == 0
    assert main(["compile"]) == 0
    assert snapshot(root / "output") == tree


def _open_queue(*versions: str) -> dict[str, Any]:
    anything = {"type": "object", "x-kubernetes-preserve-unknown-fields": True}
    served = versions or ("v1beta1", "v1beta2")
    return crd(anything, *served, kind="ClusterQueue", group="kueue.x-k8s.io", scope="Cluster")


def test_a_kind_has_the_versions_that_its_own_definition_serves(root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["crds", "import", dump(root / "a.json", _open_queue("v1"))]) == 0
    capsys.readouterr()
    assert main(["check", "--format", "json"]) == 1
    assert set(shown(capsys)) == {"error api-version-not-served apiVersion"}


@pytest.mark.parametrize(
    ("name", "text", "about"),
    [
        ("x.json", "garbage", "this is no stored CRD: Expecting value"),
        (QUEUE, "[" * 100_000, "this is no stored CRD: "),
        (QUEUE, b"\xff", "this is no stored CRD: "),
        (QUEUE, '{"group": 1}', "this is no stored CRD: is not a compact schema: 'definitions'"),
        ("notes.yaml", "a: 1\n", "crds/ holds what apportion crds import stores, and this is nothing of it"),
    ],
)
def test_a_broken_stored_file_is_a_finding(
    name: str, text: str | bytes, about: str, root: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = root / "environments/prod/crds"
    folder.mkdir()
    (folder / "README.md").write_text("not read", encoding="utf-8")
    (folder / name).write_bytes(text.encode() if isinstance(text, str) else text)
    assert main(["check", "--format", "json"]) == 1
    found = json.loads(capsys.readouterr().out)["findings"]
    assert [(f["rule"], f["file"]) for f in found] == [("stored-crd-broken", f"environments/prod/crds/{name}")]
    assert found[0]["message"].startswith(about)


def test_a_stored_file_that_was_edited_or_renamed_is_a_finding(root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["crds", "import", dump(root / "a.json", _open_queue())]) == 0
    path = root / "environments/crds" / QUEUE
    text = path.read_text("utf-8")
    path.write_text(text.replace('"type":"object"', '"type":"thing"', 1), encoding="utf-8")
    path.with_name("kueue.x-k8s.io_cohort_v1beta2.json").write_text(text, encoding="utf-8")
    capsys.readouterr()
    assert main(["check", "--format", "json"]) == 1
    assert shown(capsys) == ["error stored-crd-broken", "error stored-crd-broken"]


def test_shared_parts_of_a_stored_file_cost_once(root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    parts: dict[str, Any] = {"0": {"type": "string"}}
    for number in range(1, 40):
        below = {"$ref": str(number - 1)}
        parts[str(number)] = {"type": "object", "properties": {"a": below, "b": below}}
    head = {"group": "kueue.x-k8s.io", "kind": "ClusterQueue", "version": "v1beta2", "namespaced": False}
    text = json.dumps({**head, "dropsStatus": True, "definitions": parts, "schema": parts["39"]}, separators=(",", ":"))
    (root / "environments/crds").mkdir()
    (root / "environments/crds" / QUEUE).write_text(text, encoding="utf-8")
    assert main(["check", "--format", "json"]) == 1
    assert "error field-unknown spec" in shown(capsys)


def lint(root: Path, *arguments: str) -> int:
    return main(["lint", "--format", "json", *arguments])


def test_lint_judges_by_the_definitions_that_are_named(root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    objects = dump(root / "objects.json", widget(4))
    definitions = dump(root / "crds.json", crd(SIZED))
    assert lint(root, objects) == 0
    assert shown(capsys) == ["info unknown-kind"]
    assert lint(root, objects, "--crds", definitions) == 1
    assert shown(capsys) == ["error value-out-of-range spec.size"]
    assert main(["crds", "import", definitions]) == 0
    capsys.readouterr()
    for stored in ("environments/crds", "environments/crds/example.com_widget_v1.json"):
        assert lint(root, objects, "--crds", stored) == 1
        assert shown(capsys) == ["error value-out-of-range spec.size"]


def test_lint_judges_by_definitions_among_the_manifests_before_all_others(
    root: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    larger = {"type": "object", "properties": {"size": {"type": "integer"}}}
    definitions = dump(root / "crds.json", crd(SIZED))
    objects = dump(root / "objects.json", widget(4), crd(larger))
    assert lint(root, objects, "--crds", definitions) == 0
    assert shown(capsys) == []


def test_lint_names_broken_definitions(
    root: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    broken = crd({"type": "string", "pattern": "(a"})
    objects = dump(root / "objects.json", widget(1), broken)
    assert lint(root, objects) == 1
    assert shown(capsys) == ["info unknown-kind", f"error definition-broken {ROOT}.properties.spec.pattern"]
    monkeypatch.setattr(sys, "stdin", SimpleNamespace(buffer=io.BytesIO(json.dumps(broken).encode())))
    assert lint(root, dump(root / "objects.json", widget(1)), "--crds", "-") == 1
    assert shown(capsys) == [f"error definition-broken {ROOT}.properties.spec.pattern", "info unknown-kind"]


def test_every_real_definition_is_sound(shared: Path, root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["crds", "import", str(shared / "crds/red-hat-kueue-1.3"), str(shared / "crds/argo-cd-3.1")]) == 0
    capsys.readouterr()
    assert main(["check"]) == 0


def test_a_limit_may_be_a_decimal(root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    spec = {"type": "object", "properties": {"size": {"type": "number", "maximum": 1.5, "default": 0.5}}}
    assert main(["crds", "import", dump(root / "crd.yaml", crd(spec))]) == 0
    assert '"default":0.5,"maximum":1.5' in (root / "environments/crds/example.com_widget_v1.json").read_text("utf-8")
    (root / "environments/prod/extra").mkdir(exist_ok=True)
    dump(root / "environments/prod/extra/w.yaml", widget(2.5))
    capsys.readouterr()
    assert main(["check", "--inputs-only", "--format", "json"]) == 1
    assert "error value-out-of-range spec.size" in shown(capsys)


def test_a_name_cannot_lead_out_of_the_folder(root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    before = snapshot(root)
    path = dump(root.parent / "crd.yaml", crd(SIZED, group="../../../evil"))
    assert main(["crds", "import", path]) == 1
    assert "'../../../evil' is no group" in capsys.readouterr().out
    assert snapshot(root) == before
    assert sorted(file.name for file in root.parent.iterdir()) == ["crd.yaml", "repo"]


@pytest.mark.parametrize(
    ("broken", "paths"),
    [
        ({"group": {}}, ["group"]),
        ({"names": {"kind": None, "plural": "widgets"}}, ["names.kind"]),
        (
            {"versions": [{"name": 1, "served": True, "storage": True, "schema": {}}]},
            ["versions[0].name", "versions[0].schema.openAPIV3Schema"],
        ),
    ],
    ids=["group", "kind", "version"],
)
def test_names_must_be_text(
    broken: dict[str, Any], paths: list[str], root: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    body = crd(SIZED)
    assert main(["lint", dump(root / "crd.yaml", body | {"spec": body["spec"] | broken}), "--format", "json"]) == 1
    assert sorted(shown(capsys)) == [f"error definition-broken spec.{path}" for path in paths]


def test_the_schema_of_an_object_is_of_an_object(root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    body = crd(SIZED)
    body["spec"]["versions"][0]["schema"]["openAPIV3Schema"] = {"type": "string"}
    assert main(["lint", dump(root / "crd.yaml", body), "--format", "json"]) == 1
    assert shown(capsys) == [f"error definition-broken {ROOT}.type"]


def test_a_null_in_a_definition_is_nothing(root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    size = {"type": "integer", "format": None, "items": None, "properties": None, "default": None}
    body = crd({"type": "object", "properties": {"size": size}, "x-kubernetes-validations": None})
    objects = dump(root / "objects.json", widget(4))
    assert lint(root, objects, "--crds", dump(root / "crds.json", body)) == 0
    assert shown(capsys) == []
