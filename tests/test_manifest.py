"""The object's order and origins, and the exact text of small documents."""

from __future__ import annotations

from decimal import Decimal
from enum import StrEnum
from types import MappingProxyType
from typing import Any

import pytest

from generator import manifest as writer
from generator.finding import Location
from generator.manifest import Manifest, dump, dump_all, key, manifest, scalar

ORIGIN = Location("quotas.yaml", 4, 3)


def small(kind: str = "Namespace", name: str = "a", **fields: Any) -> Manifest:
    return manifest("v1", kind, name, origin=ORIGIN, **fields)


def test_canonical_order() -> None:
    built = manifest(
        "rbac.authorization.k8s.io/v1",
        "RoleBinding",
        "admins",
        namespace="vision-dev",
        labels={"b": "2", "a": "1"},
        annotations={"z": "y", "c": "x"},
        origin=ORIGIN,
        roleRef={"kind": "ClusterRole", "apiGroup": "rbac.authorization.k8s.io"},
        subjects=[{"name": "vision-admins", "kind": "Group"}],
    )
    assert dump(built.body) == (
        "apiVersion: rbac.authorization.k8s.io/v1\n"
        "kind: RoleBinding\n"
        "metadata:\n"
        "  name: admins\n"
        "  namespace: vision-dev\n"
        "  labels:\n"
        '    a: "1"\n'
        '    b: "2"\n'
        "  annotations:\n"
        "    c: x\n"
        '    z: "y"\n'
        "roleRef:\n"
        "  kind: ClusterRole\n"
        "  apiGroup: rbac.authorization.k8s.io\n"
        "subjects:\n"
        "- name: vision-admins\n"
        "  kind: Group\n"
    )


def test_empty_metadata_is_left_out() -> None:
    assert small(labels={}, annotations={}).body == {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "a"}}


def test_properties() -> None:
    queue = manifest("kueue.x-k8s.io/v1beta2", "LocalQueue", "training", namespace="vision", origin=ORIGIN)
    assert (queue.api_version, queue.kind, queue.name, queue.namespace, queue.wave) == (
        "kueue.x-k8s.io/v1beta2",
        "LocalQueue",
        "training",
        "vision",
        0,
    )
    assert small().namespace is None


@pytest.mark.parametrize(
    ("text", "wave"),
    [
        ("3", 3),
        ("-5", -5),
        ("+2", 2),
        ("007", 7),
        ("1.5", 0),
        ("", 0),
        (" 1", 0),
        ("1_0", 0),
        ("\u0663", 0),
        ("soon", 0),
    ],
)
def test_a_wave_is_read_as_argo_cd_reads_it(text: str, wave: int) -> None:
    assert small(annotations={"argocd.argoproj.io/sync-wave": text}).wave == wave


def test_a_wave_without_annotations_is_zero() -> None:
    assert Manifest({"metadata": {"name": "a", "annotations": None}}, ORIGIN).wave == 0


@pytest.mark.parametrize(
    ("path", "line"),
    [
        ("spec.resourceGroups[0].flavors[1]", 2),
        ("spec.resourceGroups[0].flavors[1].resources[3].nominalQuota", 2),
        ("spec.resourceGroups[0].flavors[1][0]", 2),
        ("spec.resourceGroups[0].flavors[10]", 1),
        ("spec.resourceGroups[0].flavors", 1),
        ("spec", 1),
        ("spec[0]", 1),
        ("specification", 4),
        ("status.spec", 4),
        ("[0]", 4),
        ("", 4),
    ],
)
def test_the_longest_known_prefix_locates_a_path(path: str, line: int) -> None:
    origins = {"spec": Location("in.yaml", 1), "spec.resourceGroups[0].flavors[1]": Location("in.yaml", 2)}
    assert manifest("v1", "A", "a", origin=Location("in.yaml", 4), origins=origins).locate(path).line == line


def test_without_origins_every_path_leads_to_the_object() -> None:
    assert Manifest({}, ORIGIN).locate("spec.a") == ORIGIN


def test_objects_sort_by_wave_kind_namespace_name() -> None:
    ordered = [
        small("Z", "z", namespace="z", annotations={writer.SYNC_WAVE: "-1"}),
        small("A", "b"),
        small("A", "a", namespace="a"),
        manifest("a/v1", "A", "b", namespace="a", origin=ORIGIN),
        small("A", "b", namespace="a"),
        small("B", "a"),
        small("A", "a", annotations={writer.SYNC_WAVE: "2"}),
        small("A", "a", annotations={writer.SYNC_WAVE: "10"}),
    ]
    assert sorted([*ordered[4:], *ordered[:4]], key=key) == ordered


class Use(StrEnum):
    TRAINING = "training"
    ON = "on"


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ({}, "{}\n"),
        ({"b": 1, "a": 2}, "b: 1\na: 2\n"),
        ({"a": {}}, "a: {}\n"),
        ({"a": []}, "a: []\n"),
        ({"a": ()}, "a: []\n"),
        ({"a": None, "b": True, "c": False, "d": 0}, "a: null\nb: true\nc: false\nd: 0\n"),
        ({"a": ""}, 'a: ""\n'),
        ({"a": {"b": {"c": "d"}}}, "a:\n  b:\n    c: d\n"),
        ({"a": ["b", 1, {}, [], None]}, "a:\n- b\n- 1\n- {}\n- []\n- null\n"),
        ({"a": ("b",)}, "a:\n- b\n"),
        ({"a": [{"b": 1, "c": [{"d": 2}]}, {"e": {"f": 3}}]}, "a:\n- b: 1\n  c:\n  - d: 2\n- e:\n    f: 3\n"),
        ({"a": [["b", ["c", "d"]], [{"e": 1, "f": 2}]]}, "a:\n- - b\n  - - c\n    - d\n- - e: 1\n    f: 2\n"),
        ({"a": MappingProxyType({"b": MappingProxyType({})})}, "a:\n  b: {}\n"),
        ({"a": Use.TRAINING, "b": [Use.ON], Use.ON: 1}, 'a: training\nb:\n- "on"\n"on": 1\n'),
        ({"a": 2**63 - 1, "b": -(2**63)}, "a: 9223372036854775807\nb: -9223372036854775808\n"),
        ({"a": Decimal("0.1"), "b": Decimal("2.0"), "c": [Decimal("-1e-7")]}, "a: 0.1\nb: 2\nc:\n- -1e-07\n"),
        ({"a": "b\nc\n"}, "a: |\n  b\n  c\n"),
        ({"a": "b\nc"}, "a: |-\n  b\n  c\n"),
        ({"a": "b\n\n"}, "a: |+\n  b\n\n"),
        ({"a": "b\n\n  c \nd\n", "e": 1}, "a: |\n  b\n\n    c \n  d\ne: 1\n"),
        ({"a": ["b\nc", {"d": "e\nf"}, ["g\nh"]]}, "a:\n- |-\n  b\n  c\n- d: |-\n    e\n    f\n- - |-\n    g\n    h\n"),
        ({"a": " b\nc"}, 'a: " b\\nc"\n'),
        ({"a": "b\r\nc"}, 'a: "b\\r\\nc"\n'),
        ({"a": "b\t\nc"}, 'a: "b\\t\\nc"\n'),
        ({"a": "\n"}, 'a: "\\n"\n'),
        ({"a\nb": 1}, '"a\\nb": 1\n'),
        ({"y": 1, "1": 2, "a b": 3, "a: b": 4, "": 5}, '"y": 1\n"1": 2\na b: 3\n"a: b": 4\n"": 5\n'),
        ({"a": "word " * 100 + "end"}, f"a: {'word ' * 100}end\n"),
        ({"a" * 1000: 1}, f"{'a' * 1000}: 1\n"),
    ],
)
def test_a_document_as_text(value: dict[str, Any], text: str) -> None:
    assert dump(value) == text


@pytest.mark.parametrize(
    ("value", "error", "message"),
    [
        ({"a": 2**63}, ValueError, "9223372036854775808 does not fit in 64 bits, and readers would round it"),
        ({"a": [-(2**63) - 1]}, ValueError, "-9223372036854775809 does not fit in 64 bits, and readers would round it"),
        (
            {"a": Decimal("0.12345678901234567")},
            ValueError,
            "0.12345678901234567 is no double, and readers would round it",
        ),
        ({"a": Decimal("NaN")}, ValueError, "NaN is no double, and readers would round it"),
        ({"a": Decimal("Infinity")}, ValueError, "Infinity is no double, and readers would round it"),
        ({"a": Decimal("1e400")}, ValueError, "1E+400 is no double, and readers would round it"),
        ({"a": 1.0}, TypeError, "cannot write 1.0, a float, as YAML"),
        ({"a": {"b"}}, TypeError, "cannot write {'b'}, a set, as YAML"),
        ({"a": b"b"}, TypeError, "cannot write b'b', a bytes, as YAML"),
        ({1: "a"}, TypeError, "a key must be a string, not 1"),
        ({None: "a"}, TypeError, "a key must be a string, not None"),
        ({"<<": "a"}, ValueError, "the key << cannot be written: kustomize takes it for a merge and drops it"),
        ({"a" * 1001: 1}, ValueError, "a key of 1001 characters: kustomize cannot carry more than 1000"),
        ({"a": "\ud800"}, ValueError, "surrogates not allowed"),
        ({"a": "b\nc\udfff"}, ValueError, "surrogates not allowed"),
    ],
)
def test_what_readers_would_change_is_refused(value: dict[str, Any], error: type[Exception], message: str) -> None:
    with pytest.raises(error) as caught:
        dump(value)
    assert str(caught.value).endswith(message)


def test_documents_are_separated() -> None:
    assert dump_all([]) == ""
    assert dump_all([{"a": 1}]) == "a: 1\n"
    assert dump_all(value for value in ({"a": "b\n\n"}, {}, {"c": 2})) == "a: |+\n  b\n\n---\n{}\n---\nc: 2\n"


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("vision-train", "vision-train"),
        ("kueue.x-k8s.io/queue-name", "kueue.x-k8s.io/queue-name"),
        ("https://git.example.com/a.git", "https://git.example.com/a.git"),
        ("Computer Vision, it's ours", '"Computer Vision, it\'s ours"'),
        ("it's ours", "it's ours"),
        ("a:b", "a:b"),
        ("a: b", '"a: b"'),
        ("a:", '"a:"'),
        ("a #b", '"a #b"'),
        ("a ", '"a "'),
        ("nope", "nope"),
        ("oN", '"oN"'),
        ("~", '"~"'),
        ("64Gi", '"64Gi"'),
        ("3.4", '"3.4"'),
        ("-a", '"-a"'),
        ("*", '"*"'),
        ('say "a\\b"', '"say \\"a\\\\b\\""'),
        ("a\nb", '"a\\nb"'),
        ("\x00\x1b\x7f\x85\xa0", '"\\u0000\\u001b\\u007f\\u0085\xa0"'),
        ("\u2027\u2028\u2029\ufefe\ufeff\ufffd\ufffe", '"\u2027\\u2028\\u2029\ufefe\\ufeff\ufffd\\ufffe"'),
        ("\xe9\U0001f600", '"\xe9\U0001f600"'),
    ],
)
def test_a_scalar_is_plain_only_where_all_readers_agree(text: str, written: str) -> None:
    assert [scalar(text), scalar(text)] == [written, written]


def test_the_memo_stays_small_and_right(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(writer, "_MEMO_ENTRIES", 3)
    monkeypatch.setattr(writer, "_scalars", {})
    words = ["a", "1", "b", "2", "c", "a", "1", "long" * 100, "x\ny"]
    assert [scalar(word) for word in words] == ["a", '"1"', "b", '"2"', "c", "a", '"1"', "long" * 100, '"x\\ny"']
    assert writer._scalars == {"1": '"1"'}
