"""What `lint` reads: files, folders, Lists, templates, Kustomize trees, and whatever else may lie there."""

from __future__ import annotations

import io
import os
import sys
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace

import pytest

from generator.commands import builds, documents, files, manifests
from generator.commands.manifests import Manifests
from generator.finding import FatalError, Location
from generator.validate.cluster import place
from generator.validate.shape import get

MAP = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: %s}\n"
JSON = '{"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "%s"}}'
QUEUE = """\
apiVersion: kueue.x-k8s.io/v1beta2
kind: ClusterQueue
metadata:
  name: vision
spec:
  resourceGroups:
    - coveredResources: [cpu]
      flavors:
        - {name: a100, resources: [{name: cpu, nominalQuota: 4}]}
        - {name: h100, resources: [{name: cpu, nominalQuota: 8}]}
"""


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def write(path: str, text: str | bytes = "") -> Path:
    place = Path(path)
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_bytes(text.encode() if isinstance(text, str) else text)
    return place


def said(found: Manifests) -> list[str]:
    return [f"{f.location}: {f.severity} {f.rule}" for f in found.findings]


def names(found: Manifests) -> list[str]:
    return [get(m.body, "metadata", "name") for m in found.objects]


def places(found: Manifests) -> list[str]:
    return [f"{m.origin} {m.body['metadata']['name']}" for m in found.objects]


def kustomization(folder: str, text: str) -> None:
    write(f"{folder}/kustomization.yaml", text)


# --- one text


@pytest.mark.parametrize(
    ("text", "found"),
    [
        (MAP % "a", ["a.yaml:1:1 a"]),
        ("---\n---\n# nothing\n---\nnull\n---\n" + MAP % "a" + "---\n" + MAP % "b", ["a.yaml:7:1 a", "a.yaml:11:1 b"]),
        ((MAP % "a").replace("\n", "\r\n"), ["a.yaml:1:1 a"]),
        ('{"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "a"}}', ["a.yaml:1:1 a"]),
        ("apiVersion: v1\nkind: List\nitems:\n- {apiVersion: v1, kind: Pod, metadata: {name: a}}\n", ["a.yaml:4:3 a"]),
        (
            "apiVersion: v1\nkind: List\nitems:\n- kind: List\n  items:\n"
            "  - {apiVersion: v1, kind: Pod, metadata: {name: a}}\n",
            ["a.yaml:6:5 a"],
        ),
        ("apiVersion: v1\nkind: List\nitems:\n", []),
        ("apiVersion: v1\nkind: List\n", []),
        ("apiVersion: v1\nkind: PodList\nitems:\n- metadata: {name: a}\n", ["a.yaml:4:3 a"]),
        ((MAP % "a") + "---\n# x\n\ufeff" + MAP % "b", ["a.yaml:1:1 a", "a.yaml:6:1 b"]),
        (JSON % "a" + "\n" + JSON % r"\ud83d\ude00" + JSON % "c", ["a.yaml:1:1 a", "a.yaml:2:1 😀", "a.yaml:2:80 c"]),
    ],
)
def test_objects_of_a_text(text: str, found: list[str]) -> None:
    write("a.yaml", text)
    read = manifests.read("a.yaml")
    assert (places(read), read.findings) == (found, [])


def test_an_item_that_leaves_out_its_type_has_a_place_for_it() -> None:
    write("a.yaml", "apiVersion: v1\nkind: PodList\nitems:\n- metadata: {name: a}\n")
    body = manifests.read("a.yaml").objects[0].body
    assert (body["apiVersion"], body["kind"], body.values_at["apiVersion"]) == ("v1", "Pod", (4, 3))  # type: ignore[attr-defined]  # a Map


@pytest.mark.parametrize(
    ("text", "rules"),
    [
        ("kind: List\nitems: [null, 3]\n", ["a.yaml:2:9: error not-a-manifest", "a.yaml:2:15: error not-a-manifest"]),
        ("apiVersion: v1\nkind: List\nitems: {}\n", ["a.yaml:3:1: error not-a-manifest"]),
        ("kind: Pod\nmetadata: {name: a}\n", ["a.yaml:1:1: error not-a-manifest"]),
        ("apiVersion: 1\nkind: Pod\nmetadata: {name: a}\n", ["a.yaml:1:1: error not-a-manifest"]),
        ("apiVersion: v1\nkind: ''\nmetadata: {name: a}\n", ["a.yaml:1:1: error not-a-manifest"]),
        ("- a\n", ["a.yaml:1:1: error yaml-root"]),
        ("a: &x 1\nb: *x\n", ["a.yaml:1:4: error yaml-anchor", "a.yaml:2:4: error yaml-anchor"]),
        (b"\xff\xfe\x00", ["a.yaml:1:1: error not-utf-8"]),
        (b"\x7fELF\x00", ["a.yaml:1:1: error control-character", "a.yaml:1:5: error control-character"]),
        ("a: " + "[" * 70, ["a.yaml:1:67: error too-deep"]),
        ("a: 1\n", ["a.yaml:1:1: info no-manifest"]),
        ("kind: 3\nspec: {}\n", ["a.yaml:1:1: info no-manifest"]),
        (MAP % "a" + "---\nfoo: bar\n", ["a.yaml:5:1: error not-a-manifest"]),
        (MAP % "a" + "---\nkind: Foo\n", ["a.yaml:5:1: error not-a-manifest"]),
        (JSON % "a" + "\n" + JSON[:-1], ["a.yaml:2:1: error yaml-syntax"]),
        (JSON % "a" + "\n  " + JSON.replace("%s", 'a", "name": "a'), ["a.yaml:2:71: error duplicate-key"]),
    ],
)  # fmt: skip
def test_what_is_wrong_with_a_text(text: str | bytes, rules: list[str]) -> None:
    write("a.yaml", text)
    assert said(manifests.read("a.yaml")) == rules


HELM = "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: %s\n"


@pytest.mark.parametrize(
    "text",
    [
        "{{- if .Values.on }}\n" + MAP % "a" + "{{- end }}\n",
        HELM % "{{ .Values.name }}",
        HELM % '"{{ .Values.name }}"',
        HELM % "a\n  labels:\n    {{- include x . | nindent 4 }}",
        HELM % "a\nspec:\n  replicas: {{ .Values.replicas }}",
        HELM % "a\nspec:\n  hosts:\n    - {{ .Values.host }}\n",
        "{# a comment #}\n" + MAP % "a" + "{% for x in y %}\n{% endfor %}\n",
        HELM % "a\ndata:\n{% for x in y %}\n  {{ x }}: 1\n{% endfor %}",
        "kind: {{ .Kind }}\n",
        HELM % "a\n  labels: {app: {{ .Chart.Name }}}",
        HELM % 'a\nspec:\n  args: ["--x", {{ .b }}]',
        HELM % "a\nspec:\n  resources: [{name: cpu, nominalQuota: {{ .Values.q }}}]",
        HELM % "a\nspec:\n  image: [x, {{ .a }}:{{ .b }}]",
        MAP % "'{{ a }}'" + "---\n" + MAP % "a" + "data: {x: '{{ x }}'}\n",
        "apiVersion: v1\nkind: List\nitems:\n- {apiVersion: v1, kind: Pod, metadata: {name: '{{ x }}'}}\n",
    ],
)
def test_a_template_is_named_once(text: str) -> None:
    write("a.yaml", text)
    read = manifests.read("a.yaml")
    assert (names(read), said(read)) == ([], ["a.yaml: info template-skipped"])


@pytest.mark.parametrize(
    ("text", "rules"),
    [
        (HELM % 'a\ndata: {t: "{{ .Name }}"}', []),
        (HELM % "a\ndata:\n  t: |\n    {{ range .Alerts }}\n    {{ end }}\n", []),
        (HELM % "a\ndata:\n  t: |\n    {{ range .Alerts }}\n  t: 1\n", ["a.yaml:8:3: error duplicate-key"]),
    ],
)
def test_braces_in_a_text_make_no_template(text: str, rules: list[str]) -> None:
    write("a.yaml", text)
    read = manifests.read("a.yaml")
    assert (names(read), said(read)) == (["a"], rules)


@pytest.mark.parametrize(
    ("text", "places"),
    [
        ("data:\n  t: |\n    {{ x }}\n  u: GPU: idle\n", ["a.yaml:7:9"]),
        ("data:\n  t: 'a\n    {{ x }} b'\n  u: GPU: idle\n", ["a.yaml:7:9"]),
        ("data:\n  t: '{{ x }}'\n  u: GPU: idle\n", ["a.yaml:6:9"]),
        ("data: {t: '{{ x }}' y}\n", ["a.yaml:4:21"]),
    ],
)
def test_braces_in_a_text_hide_no_defect(text: str, places: list[str]) -> None:
    write("a.yaml", MAP % "a" + text)
    read = manifests.read("a.yaml")
    assert (names(read), said(read)) == ([], [f"{place}: error yaml-syntax" for place in places])


def test_a_template_hides_only_its_own_document() -> None:
    write("a.yaml", MAP % "a" + "---\n" + MAP % "'{{ x }}'")
    read = manifests.read("a.yaml")
    assert (names(read), said(read)) == (["a"], ["a.yaml:5:1: info template-skipped"])


def test_an_object_that_is_half_read_is_not_judged_and_exists() -> None:
    write("a.yaml", MAP % "a, namespace: x" + "---\n" + MAP % "b, namespace: x" + "data: {a: b: c}\n---\n" + MAP % "c")
    read = manifests.read("a.yaml")
    assert (names(read), said(read), read.unread) == (["a"], ["a.yaml:8:12: error yaml-syntax"], ["ConfigMap/x/b"])


def test_a_text_has_a_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(documents, "MAX_BYTES", 100)
    monkeypatch.setattr(files, "MAX_BYTES", 100)
    write("a.yaml", (MAP % "a").ljust(100))
    write("b.yaml", (MAP % "a").ljust(101))
    assert [said(manifests.read(name)) for name in ("a.yaml", "b.yaml")] == [[], ["b.yaml: error too-large"]]


def test_a_hundred_thousand_documents_are_read_and_no_more() -> None:
    write("a.yaml", "---\na: 1\n" * 100_001)
    assert said(manifests.read("a.yaml")) == ["a.yaml:200001:1: error too-large"]


# --- where it comes from


def test_standard_input(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", SimpleNamespace(buffer=io.BytesIO((MAP % "a").encode())))
    assert places(manifests.read("-")) == ["<stdin>:1:1 a"]


class _Broken(io.BytesIO):
    def read(self, size: int | None = -1) -> bytes:
        raise OSError(5, "Input/output error")


@pytest.mark.parametrize(
    ("stdin", "why"), [(None, "it is closed"), (SimpleNamespace(buffer=_Broken()), "Input/output error")]
)
def test_standard_input_that_cannot_be_read(stdin: object, why: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", stdin)
    with pytest.raises(FatalError) as raised:
        manifests.read("-")
    assert raised.value.message == f"cannot read standard input: {why}"


@pytest.mark.parametrize("path", ["nothing", "a\0b", "x" * 300, "loop", "pipe"])
def test_a_path_that_is_nothing_to_read(path: str) -> None:
    Path("loop").symlink_to("loop")
    os.mkfifo("pipe")
    with pytest.raises(FatalError):
        manifests.read(path)


def test_a_path_that_may_not_be_read(monkeypatch: pytest.MonkeyPatch) -> None:
    write("a.yaml", MAP % "a")
    monkeypatch.setattr(os, "access", lambda path, mode: False)
    with pytest.raises(FatalError, match=r"cannot read a\.yaml: Permission denied"):
        manifests.read("a.yaml")


def test_a_file_outside_of_the_working_directory_is_named_whole(monkeypatch: pytest.MonkeyPatch, here: Path) -> None:
    write("a.yaml", MAP % "a")
    Path("other").mkdir()
    assert places(manifests.read(f"{here}/other/../a.yaml")) == ["a.yaml:1:1 a"]
    monkeypatch.chdir("other")
    assert places(manifests.read("../a.yaml")) == [f"{here}/a.yaml:1:1 a"]


def test_a_folder() -> None:
    write("m/b.yaml", MAP % "b")
    write("m/a/c.yml", MAP % "c")
    write("m/a.json", '{"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "a"}}')
    write("m/README.md", "x")
    write("m/.hidden/d.yaml", MAP % "d")
    write("m/.hidden.yaml", MAP % "d")
    read = manifests.read("m")
    assert (places(read), read.findings) == (["m/a.json:1:1 a", "m/b.yaml:1:1 b", "m/a/c.yml:1:1 c"], [])


def test_what_else_lies_in_a_folder() -> None:
    write("m/a.yaml", MAP % "a")
    write("m/playbook.yaml", "- hosts: all\n  apiVersion: v1\n")
    write("m/values.yaml", "# apiVersion: v1\na: &x 1\nb: *x\n")
    write("m/data.json", '{"a": {"apiVersion": 1}, "a": 1}')
    write("m/near.json", '{\n "apiVersion": 1, "apiVersion": 1}')
    write("m/broken.yaml", "apiVersion: v1\nkind: Pod\nmetadata: [\n")
    write("m/bytes.yaml", b"\xff\xfe")
    write("m/page.yaml.j2", "{{ x }}")
    Path("m/gone.yaml").symlink_to("nothing.yaml")
    Path("m/loop.yaml").symlink_to("loop.yaml")
    Path("m/up").symlink_to("..")
    Path("m/twin.yaml").symlink_to("a.yaml")
    os.mkfifo("m/pipe.yaml")
    read = manifests.read("m")
    assert (names(read), read.unread) == (["a", "a"], ["Pod"])
    assert sorted(said(read)) == [
        "m/broken.yaml:4:1: error yaml-syntax",
        "m/bytes.yaml:1:1: error not-utf-8",
        "m/data.json:1:26: info no-manifest",
        "m/gone.yaml: error unreadable",
        "m/loop.yaml: error unreadable",
        "m/near.json:2:19: error duplicate-key",
        "m/page.yaml.j2: info template-skipped",
        "m/pipe.yaml: error not-a-file",
        "m/playbook.yaml:1:1: info no-manifest",
        "m/up: info link-skipped",
        "m/values.yaml:2:4: info no-manifest",
    ]


def test_folders_and_files_that_fail_while_they_are_read(monkeypatch: pytest.MonkeyPatch) -> None:
    write("m/a.yaml", MAP % "a")

    def walk(root: str, onerror: object) -> Iterator[tuple[str, list[str], list[str]]]:
        assert callable(onerror)
        onerror(PermissionError(13, "Permission denied", f"{root}/closed"))
        yield root, [], ["a.yaml"]

    def fail(handle: int, size: int) -> bytes:
        raise OSError(5, "Input/output error")

    monkeypatch.setattr(os, "walk", walk)
    monkeypatch.setattr(os, "read", fail)
    assert said(manifests.read("m")) == ["m/closed: error unreadable", "m/a.yaml: error unreadable"]


def test_names_that_are_no_text_are_shown(here: Path) -> None:
    Path("m").mkdir()
    Path(os.fsdecode(b"m/\xff.yaml")).write_text("- a\n", encoding="utf-8")
    assert said(manifests.read("m")) == [r"m/\xff.yaml:1:1: info no-manifest"]


def test_all_files_together_have_a_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in "abcd":
        write(f"m/{name}.yaml", MAP % name)
    monkeypatch.setattr(files, "MAX_TOTAL", 2 * len(MAP % "a"))
    read = manifests.read("m")
    assert (names(read), said(read)) == (["a", "b"], ["m/c.yaml: error too-large"])


def test_of_a_chart_the_templates_are_named_once_and_the_rest_is_read() -> None:
    write("chart/Chart.yaml", "name: x\n")
    write("chart/values.yaml", "a: &x 1\nb: *x\n")
    write("chart/templates/a.yaml", "{{ x }}")
    write("chart/templates/sub/b.yaml", MAP % "b")
    write("chart/crds/c.yaml", MAP % "c")
    read = manifests.read("chart")
    assert (names(read), sorted(said(read))) == (
        ["c"],
        ["chart/templates: info template-skipped", "chart/values.yaml:1:4: info no-manifest"],
    )


@pytest.mark.parametrize("path", ["chart/templates", "chart/templates/sub", "chart/templates/sub/b.yaml"])
def test_templates_of_a_chart_that_are_named_are_templates(path: str) -> None:
    write("chart/templates/sub/b.yaml", MAP % "b")
    assert names(manifests.read(path)) == ["b"]
    write("chart/Chart.yaml", "name: x\n")
    read = manifests.read(path)
    assert (names(read), said(read)) == ([], [f"{path}: info template-skipped"])


# --- kustomizations


def test_a_kustomization_that_is_named_is_told_apart() -> None:
    kustomization("k", "apiVersion: kustomize.config.k8s.io/v1beta1\nkind: Kustomization\n")
    read = manifests.read("k/kustomization.yaml")
    assert (read.objects, said(read)) == ([], ["k/kustomization.yaml: info no-manifest"])


def test_of_two_names_each_object_stands_where_it_is_written() -> None:
    both = [MAP % f"a, namespace: {space}" for space in ("x", "y")]
    write("k/a.yaml", "---\n".join(both))
    write("k/b.yaml", "apiVersion: example.com/v1\nkind: ConfigMap\nmetadata: {name: a, namespace: y}\n")
    kustomization("k", "resources: [b.yaml, a.yaml]\nnamePrefix: p-\n")
    found = {(m.body["apiVersion"], m.namespace): str(m.origin) for m in manifests.read("k").objects}
    assert found == {
        ("v1", "x"): "k/a.yaml:1:1",
        ("v1", "y"): "k/a.yaml:5:1",
        ("example.com/v1", "y"): "k/b.yaml:1:1",
    }


def test_of_two_names_that_a_build_gives_one_namespace_neither_is_certain() -> None:
    write("one/a.yaml", MAP % "a, namespace: x")
    kustomization("one", "resources: [a.yaml]\nnamespace: z\n")
    write("two/a.yaml", MAP % "a, namespace: y")
    kustomization("two", "resources: [a.yaml]\nnamespace: w\n")
    kustomization("over", "resources: [../one, ../two]\n")
    assert places(manifests.read("one")) == ["one/a.yaml:1:1 a"]
    assert places(manifests.read("over")) == ["over/kustomization.yaml a"] * 2


MERGE = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\ndata: {x: new, z: {w: 1}}\n"
OPERATIONS = "- {op: replace, path: /data/x, value: new}\n- {op: add, path: /data/z, value: {w: 1}}\n"


@pytest.mark.parametrize(
    ("patches", "x", "z"),
    [
        ("patches: [{path: p.yaml}]\n", "k/p.yaml:4:11", "k/p.yaml:4:23"),
        ("patchesStrategicMerge: [p.yaml]\n", "k/p.yaml:4:11", "k/p.yaml:4:23"),
        ("components: [c]\n", "k/c/kustomization.yaml:8:15", "k/c/kustomization.yaml:8:27"),
        ("patches: [{target: {kind: ConfigMap}, path: o.yaml}]\n", "k/o.yaml:1:39", "k/o.yaml:2:39"),
        (
            'patches: [{target: {kind: ConfigMap}, patch: \'[{"op": "add", "path": "/data/x", "value": "new"}]\'}]\n',
            "k/kustomization.yaml:2:46",
            None,
        ),
        ("patches: [{target: {kind: ConfigMap, name: b}, path: p.yaml}]\n", "k/a.yaml:4:11", None),
    ],
)
def test_what_a_patch_sets_stands_in_the_patch(patches: str, x: str, z: str | None) -> None:
    write("k/a.yaml", MAP % "a" + "data: {x: old, y: kept}\n")
    write("k/p.yaml", MERGE)
    write("k/o.yaml", OPERATIONS)
    component = "kind: Component\napiVersion: kustomize.config.k8s.io/v1alpha1\npatches:\n- patch: |\n    "
    kustomization("k/c", component.removesuffix("    ") + MERGE.replace("apiV", "    apiV").replace("\n", "\n    "))
    kustomization("k", "resources: [a.yaml]\n" + patches)
    [found] = manifests.read("k").objects
    assert [str(place(found, path)) for path in ("data.x", "data.y")] == [x, "k/a.yaml:4:19"]
    if z is not None:
        assert str(place(found, "data.z.w")) == z


def test_what_a_build_mends_in_its_sources_is_no_finding() -> None:
    write("k/a.yaml", MAP % "a" + "data:\n  flag: on\n  a: &x b\n  c: *x\n  t: '{{ x }}'\n")
    kustomization("k", "resources: [a.yaml]\n")
    read = manifests.read("k")
    assert (places(read), said(read)) == (["k/a.yaml:1:1 a"], [])
    assert read.objects[0].body["data"] == {"flag": "on", "a": "b", "c": "b", "t": "{{ x }}"}


def test_what_a_build_makes_is_no_template() -> None:
    write("k/a.yaml", MAP % "'{{ a }}'")
    kustomization("k", "resources: [a.yaml]\n")
    assert places(manifests.read("k")) == ["k/a.yaml:1:1 {{ a }}"]


def test_the_outermost_kustomization_is_built_and_its_objects_know_where_they_are_written() -> None:
    write("base/queue.yaml", QUEUE)
    write("base/unused.yaml", MAP % "unused")
    write("plain/a.yaml", MAP % "a")
    kustomization("base", "resources: [queue.yaml]\n")
    kustomization("part", "apiVersion: kustomize.config.k8s.io/v1alpha1\nkind: Component\nlabels: [{pairs: {a: b}}]\n")
    kustomization(
        "over",
        "resources: [../base]\ncomponents: [../part]\nnamePrefix: prod-\nconfigMapGenerator: [{name: made}]\n",
    )
    read = manifests.read(".")
    assert read.findings == []
    assert [place for place in places(read) if "made" not in place] == [
        "base/queue.yaml:1:1 prod-vision",
        "plain/a.yaml:1:1 a",
    ]
    assert [m.origin for m in read.objects if "made" in m.body["metadata"]["name"]] == [
        Location("over/kustomization.yaml")
    ]
    spec = read.objects[1 if "made" in names(read)[0] else 0].body["spec"]
    assert spec.values_at["resourceGroups"] == (7, 5)
    assert spec["resourceGroups"][0]["flavors"].items_at == [(9, 11), (10, 11)]
    assert read.bases == []


@pytest.mark.parametrize(
    ("patch", "lost"),
    [
        ("patches:\n- patch: |\n    %s\n", True),
        ("patches:\n- target: {kind: ClusterQueue}\n  patch: |\n    %s\n", True),
        ("patches:\n- path: p.yaml\n", True),
        ("patchesStrategicMerge: [p.yaml]\n", True),
        ("patches:\n- target: {kind: ClusterQueue, name: other}\n  patch: |\n    %s\n", False),
        (
            "patches:\n- target: {kind: ClusterQueue}\n"
            '  patch: \'[{"op": "remove", "path": "/spec/resourceGroups/0/flavors/1"}]\'\n',
            False,
        ),
    ],
)
def test_bases_are_those_of_merge_patches(patch: str, lost: bool) -> None:
    merge = "{apiVersion: kueue.x-k8s.io/v1beta2, kind: ClusterQueue, metadata: {name: vision}, spec: {cohortName: a}}"
    write("base/queue.yaml", QUEUE)
    kustomization("base", "resources: [queue.yaml]\n")
    write("over/p.yaml", merge)
    kustomization("over", "resources: [../base]\n" + (patch % merge if "%s" in patch else patch))
    read = manifests.read("over")
    assert (read.findings, names(read), [m.origin.file for m in read.bases]) == (
        [],
        ["vision"],
        ["base/queue.yaml"] if lost else [],
    )


def test_the_base_of_a_patch_may_be_a_file() -> None:
    write("over/queue.yaml", QUEUE)
    kustomization("over", "resources: [queue.yaml]\npatches: [{target: {name: 'vis.*'}, patch: 'spec: {cohort: a}'}]\n")
    assert [m.origin for m in manifests.read("over").bases] == [Location("over/queue.yaml", 1, 1)]


@pytest.mark.parametrize(
    ("text", "rule", "place"),
    [
        ("resources: [https://example.com/a.yaml]\n", "remote-base", "k/kustomization.yaml:1:13"),
        ("resources: ['github.com/a/b//c?ref=v1']\n", "remote-base", "k/kustomization.yaml:1:13"),
        ("bases: ['git@example.com:a/b.git']\n", "remote-base", "k/kustomization.yaml:1:9"),
        ("components: ['ssh://git@example.com/a/b']\n", "remote-base", "k/kustomization.yaml:1:14"),
        ("resources: ['../other?ref=main']\n", "remote-base", "k/kustomization.yaml:1:13"),
        (
            "resources: []\npatches: [{path: 'https://example.com/p.yaml'}]\n",
            "remote-base",
            "k/kustomization.yaml:2:11",
        ),
        ("resources: [pipe.yaml]\n", "not-a-file", "k/kustomization.yaml:1:13"),
        ("resources: [loop.yaml]\n", "not-a-file", "k/kustomization.yaml:1:13"),
        ("configMapGenerator: [{name: a, files: [pipe.yaml]}]\n", "not-a-file", "k/kustomization.yaml:1:40"),
        ("secretGenerator: [{name: a, files: [a=pipe.yaml]}]\n", "not-a-file", "k/kustomization.yaml:1:37"),
        ("configMapGenerator: [{name: a, envs: [pipe.yaml]}]\n", "not-a-file", "k/kustomization.yaml:1:39"),
        ("configMapGenerator: [{name: a, env: pipe.yaml}]\n", "not-a-file", "k/kustomization.yaml:1:32"),
        ("openapi: {path: pipe.yaml}\n", "not-a-file", "k/kustomization.yaml:1:10"),
        ("helmCharts: [{name: a}]\n", "not-built", "k/kustomization.yaml:1:1"),
        ("resources: [missing.yaml]\n", "not-built", "k/kustomization.yaml"),
        ("resources: 3\n", "not-built", "k/kustomization.yaml"),
        ("resources: [", "not-built", "k/kustomization.yaml"),
        ("resources: [../k]\n", "not-built", "k/kustomization.yaml"),
    ],
)
def test_what_cannot_be_built_is_one_finding(text: str, rule: str, place: str) -> None:
    kustomization("k", text)
    os.mkfifo("k/pipe.yaml")
    Path("k/loop.yaml").symlink_to("loop.yaml")
    read = manifests.read("k")
    assert (read.objects, said(read)) == ([], [f"{place}: error {rule}"])


def test_a_remote_base_of_a_base_is_found_too() -> None:
    kustomization("base", "resources: [https://example.com/a.yaml]\n")
    kustomization("over", "resources: [../base]\n")
    assert said(manifests.read("over")) == ["base/kustomization.yaml:1:13: error remote-base"]


def test_a_ring_of_kustomizations_is_told() -> None:
    kustomization("m/a", "resources: [../b]\n")
    kustomization("m/b", "resources: [../a]\n")
    read = manifests.read("m")
    assert said(read) == ["m/a/kustomization.yaml: error not-built"]
    assert "cycle detected" in read.findings[0].message


def test_a_kustomization_that_is_a_pipe_is_none() -> None:
    Path("m").mkdir()
    os.mkfifo("m/kustomization.yaml")
    write("m/sub/a.yaml", MAP % "a")
    assert said(manifests.read("m")) == ["m/kustomization.yaml: error not-a-file"]


def tool(script: str, monkeypatch: pytest.MonkeyPatch, name: str = "kubectl") -> None:
    program = write(f"bin/{name}", f"#!/bin/sh\n{script}\n")
    program.chmod(0o755)
    monkeypatch.setattr(sys, "executable", str(program.absolute()))
    monkeypatch.setenv("PATH", "/usr/bin:/bin" if name == "kubectl" else "")


@pytest.mark.parametrize(
    ("script", "why"),
    [
        ("echo one >&2; echo two >&2; exit 3", "k cannot be built: two"),
        ("printf '# Warning: a\\nerror: b: `\\n c\\n`: d\\n' >&2; exit 3", "k cannot be built: b: ` c `: d"),
        ("exit 3", "k cannot be built: kubectl ends with status 3"),
        ("exec sleep 60", "k cannot be built: it takes more than 0.2 seconds"),
    ],
)
def test_a_build_that_fails_or_hangs(script: str, why: str, monkeypatch: pytest.MonkeyPatch) -> None:
    kustomization("k", "resources: []\n")
    tool(script, monkeypatch)
    monkeypatch.setattr(builds, "SECONDS", 0.2)
    assert [f.message for f in manifests.read("k").findings] == [why]


def test_kustomize_serves_where_there_is_no_kubectl(monkeypatch: pytest.MonkeyPatch) -> None:
    kustomization("k", "resources: []\n")
    tool(
        '[ "$1 $(/usr/bin/basename $2)" = "build k" ] && echo "{apiVersion: v1, kind: Pod, metadata: {name: a}}"',
        monkeypatch,
        "kustomize",
    )
    assert places(manifests.read("k")) == ["k/kustomization.yaml a"]


def test_without_either_tool_that_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    kustomization("k", "resources: []\n")
    monkeypatch.setattr(sys, "executable", "/nowhere/python")
    monkeypatch.setenv("PATH", "")
    messages = [f.message for f in manifests.read("k").findings]
    assert messages == ["k cannot be built: there is neither kubectl nor kustomize; install one of them"]


def test_a_tool_that_cannot_be_started(monkeypatch: pytest.MonkeyPatch) -> None:
    kustomization("k", "resources: []\n")
    tool("exit 0", monkeypatch)
    monkeypatch.setattr(builds, "_LIMITED", ("/nowhere/sh",))
    [finding] = manifests.read("k").findings
    assert finding.message.endswith("bin/kubectl cannot be started: No such file or directory")


def test_nothing_is_fetched_whatever_the_environment_says(monkeypatch: pytest.MonkeyPatch) -> None:
    kustomization("k", "resources: []\n")
    tool('echo "$HTTPS_PROXY $https_proxy ${NO_PROXY:-none} $GIT_ALLOW_PROTOCOL" >&2; exit 1', monkeypatch)
    monkeypatch.setenv("https_proxy", "http://proxy.example.com")
    monkeypatch.setenv("NO_PROXY", "example.com")
    said_ = [f.message for f in manifests.read("k").findings]
    assert said_ == ["k cannot be built: http://127.0.0.1:1 http://127.0.0.1:1 none none"]


# --- Applications

APPLICATION = "apiVersion: argoproj.io/v1alpha1\nkind: Application\nmetadata: {name: %s}\nspec:\n"


def test_applications_lead_to_folders_below_the_path_or_its_git_root() -> None:
    Path("repo/.git").mkdir(parents=True)
    write("repo/apps/here/a.yaml", MAP % "a")
    write("repo/apps/here/below/b.yaml", MAP % "b")
    write("repo/shared/c.yaml", MAP % "c")
    write("repo/built/d.yaml", MAP % "d")
    kustomization("repo/built", "resources: [d.yaml]\n")
    write("outside/e.yaml", MAP % "e")
    sources = ["here", "./here", "shared", "built", "../../outside", "absent", "x\0", "y" * 5000]
    apps = [APPLICATION % f"x{i}" + f'  source: {{path: "{path}"}}\n' for i, path in enumerate(sources)]
    apps.append(APPLICATION % "deep" + "  sources: [{path: here/, directory: {recurse: true}}, {chart: x}]\n")
    apps.append(APPLICATION % "none" + "  source: 3\n")
    write("repo/apps/apps.yaml", "---\n".join(apps).replace("x\0", "x\\0"))
    read = manifests.read("repo/apps")
    assert {path: [m.body["metadata"]["name"] for m in found] for path, found in read.folders.items()} == {
        "here": ["a"],
        "./here": ["a"],
        "here/": ["a", "b"],
        "shared": ["c"],
        "built": ["d"],
    }


def test_without_a_git_root_applications_stay_below_the_path(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os.path, "lexists", lambda path: False)
    write("apps/app.yaml", APPLICATION % "a" + "  source: {path: ../shared}\n")
    write("shared/c.yaml", MAP % "c")
    assert manifests.read("apps").folders == {}
