"""What the writer writes is what real Go readers read: kubectl alone, and kubectl after kustomize.

Argo CD builds with kustomize and links the library that kubectl reads with; no Python reader stands in the way.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable, Mapping
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from generator.finding import Location
from generator.manifest import dump, manifest
from generator.quantity import canonical, canonical_bytes

KUBECTL = Path(sys.executable).parent / "kubectl"

pytestmark = pytest.mark.skipif(not KUBECTL.exists(), reason="kubectl is not installed beside this Python")

WORDS = """
    y Y n N yes Yes YES no No NO true True TRUE false False FALSE on On ON off Off OFF null Null NULL ~ nul nope yess
"""
NUMBERS = """
    0 1 -1 +1 -0 00 08 09 0777 -0777 0o17 +0o7 0O17 0b11 -0b11 0x1F 0xdeadBEEF 0x_1 1_000 0_7 _1 _1_000 1__0 1e3 1E3
    1e+3 1e-3 12e03 1e400 -1E400 1.5e3 .5 5. . .. -.5 +.5e1 .inf -.inf +.Inf .INF .nan .NaN .NAN inf nan Infinity e1 1e
    0e0 1:30 190:20:30 12:30:45.5 -1:30 1.2.3 1,000 10Gi 500m 1k 9007199254740993 9223372036854775808
    123456789012345678901234567890 \u0661\u0662
"""
DATES = """
    2001-12-14 2001-1-1 2001-12-14T21:59:43.10-05:00 2001-12-14t21:59:43Z 2001-12-15T02:59:43.1Z 20011214 2001-12
"""
INDICATORS = """
    - ? : , [ ] { } # & * ! | > ' " % @ ` = < ; $ \\ / _ << !! -- --- ... |- >+ {} [] a:b a: :a a#b #a key: a,b [a] *a
    !a 'a' "a" it's @a `a` a|b a&b a(b) a;b a\\b C:\\n a=b =a --flag=1 -a ?a y:n a- a. *.example.com nvidia.com/gpu ${a}
    $(a) https://git.example.com/a.git registry.example.com/ai/torch@sha256:0a system:authenticated
"""
SPACED = [
    *["2001-12-14 21:59:43.10 -5", "a: b", "a :b", "a #b", "a, b", "{a: b}", "{{ a }}", "&a b", "!!str a", 'say "a"'],
    *["%YAML 1.2", "a - b", "a ? b", "--- a", "... a", "- a", "? a", ": a", "", " ", "  ", " a", "a ", " a ", "a  b"],
    *["\t", "\ta", "a\t", "a\tb", "a \tb", "\n", "\n\n", " \n", "\n ", "\t\n", "\na", "a\n", "a\n\n", "a\n\n\n"],
    *["\n\na", "a\nb", "a\n\nb", "a\nb\n", "a\n b", "a\n  b\n c\n", " a\nb", "  a\n b\n", "a \nb", "a\nb ", "a\n "],
    *["a\n  \n", "a\n\t", "a\t\nb", "a\n\tb", "\ta\nb", "a\r", "\r", "\ra", "a\rb", "a\r\nb", "a\r\nb\r\n"],
    *["a\n---\nb", "---\na", "a\n...\n", "# a\nb", "a\n# b", "- a\n- b\n", "a: b\nc: d\n", "key: |\n  a\n", "%a\nb"],
    *["a\n\n  b\n\n", "\\\na", '"\na'],
]
UNICODE = [
    *["\xe9", "e\u0301", "\u65e5\u672c", "\U0001f600", "a \U0001f600\nb", "\U0001f469\u200d\U0001f52c", "\u0301"],
    *["\xa0", "a\xa0", "\u3000a", "\u200b", "\u202e", "\ue000", "\u2028", "\u2029", "a\u2028b\nc", "\ufeff"],
    *["a\ufeffb", "\ufffd", "\U0010ffff", "\U0001fffe", "\u017f", "\uff34\uff32\uff35\uff25", "\x00", "\x01"],
    *["\x07", "\x08", "\x0b", "\x0c", "\x1b[0m", "\x1f", "a\x00b\nc"],
]
LONG = [
    *["a" * 127, "a" * 128, "a" * 129, "a" * 1000, "a" * 1024, "a" * 5000, "a" * 10_000, "1" * 300],
    *[
        "a b " * 1250 + "c",
        "\xe9 " * 2500 + "\xe9",
        "a, b; " * 1666 + "c",
        ("a" * 99 + "\n") * 50,
        "word " * 30 + "end",
    ],
]
TRAPS = [*WORDS.split(), *NUMBERS.split(), *DATES.split(), *INDICATORS.split(), *SPACED, *UNICODE, *LONG]
# kustomize drops the first, and fails on long ones: the writer refuses both.
KEY_TRAPS = [trap for trap in TRAPS if trap != "<<" and len(trap) <= 1000]

# kustomize refuses or changes these whatever the quoting, JSON included. Input refuses them.
LOST_BY_KUSTOMIZE = frozenset(map(chr, [*range(0x7F, 0xA0), 0xFFFE, 0xFFFF]))

Reader = Callable[[Mapping[str, Any]], Any]


def kubectl(folder: Path, *arguments: str, text: str = "") -> subprocess.CompletedProcess[bytes]:
    environment = {"HOME": str(folder), "PATH": os.defpath}
    command = [str(KUBECTL), *arguments]
    return subprocess.run(command, input=text.encode(), capture_output=True, cwd=folder, env=environment, check=False)


def kubectl_reads(folder: Path, text: str) -> Any:
    """Return `spec` of an object as kubectl understands its YAML."""
    done = kubectl(folder, "annotate", "--local", "-f", "-", "read=yes", "-o", "json", text=text)
    assert done.returncode == 0, done.stderr.decode()[-500:]
    return json.loads(done.stdout)["spec"]


def kustomize_reads(folder: Path, text: str) -> Any:
    """Return `spec` of an object after it went through a kustomization; None where kustomize refuses it."""
    (folder / "kustomization.yaml").write_text(dump({"resources": ["resources.yaml"]}), encoding="utf-8")
    (folder / "resources.yaml").write_text(text, encoding="utf-8", newline="")
    built = kubectl(folder, "kustomize", ".")
    return kubectl_reads(folder, built.stdout.decode()) if built.returncode == 0 else None


def document(spec: Mapping[str, Any]) -> str:
    return dump(manifest("apportion.dev/v1", "Trap", "trap", origin=Location("trap.yaml"), spec=spec).body)


@pytest.fixture(params=[kubectl_reads, kustomize_reads], ids=["kubectl", "kustomize"])
def reader(request: pytest.FixtureRequest, tmp_path: Path) -> Reader:
    def read(spec: Mapping[str, Any]) -> Any:
        return request.param(tmp_path, document(spec))

    return read


def test_a_trap_comes_back_as_a_value(reader: Reader) -> None:
    values = {f"k{index}": trap for index, trap in enumerate(TRAPS)}
    got = reader({"values": values})["values"]
    assert {key: (want, got.get(key)) for key, want in values.items() if got.get(key) != want} == {}
    assert got == values


def test_a_trap_comes_back_as_a_key(reader: Reader) -> None:
    keys = {trap: f"v{index}" for index, trap in enumerate(KEY_TRAPS)}
    got = reader({"keys": keys})["keys"]
    assert [trap for trap in keys if trap not in got] == []
    assert got == keys


def test_a_trap_comes_back_as_an_item(reader: Reader) -> None:
    items = {"flat": TRAPS, "nested": [[trap, [trap]] for trap in TRAPS]}
    assert reader(items) == items


def test_a_trap_comes_back_as_the_first_key_and_value_of_an_item(reader: Reader) -> None:
    spec = {"items": [{trap: trap, "z": trap} for trap in KEY_TRAPS]}
    assert reader(spec) == spec


def test_a_number_stays_the_same_number(reader: Reader) -> None:
    integers = [0, -1, 2**53 + 1, 2**63 - 1, -(2**63)]
    decimals = [Decimal(text) for text in ("0.1", "-2.5", "1e-7", "1e16", "1.5e300", "4.0")]
    spec = {"integers": integers, "decimals": decimals, "others": [True, False, None, {}, []]}
    assert reader(spec) == {**spec, "decimals": [float(number) for number in decimals]}


def test_every_character_of_the_basic_plane_comes_back(reader: Reader) -> None:
    characters = [chr(point) for point in range(0x10000) if not 0xD800 <= point < 0xE000]
    kept = [character for character in characters if character not in LOST_BY_KUSTOMIZE]
    spec = {"alone": kept[:512], "between": ["-".join(kept[at : at + 256]) for at in range(0, len(kept), 256)]}
    assert reader(spec) == spec


@pytest.mark.parametrize("lost", ["\x7f", "\x80", "\x84", "\x85", "\x86", "\x9f", "\ufffe", "\uffff"], ids=ascii)
def test_kubectl_keeps_what_kustomize_loses(lost: str, tmp_path: Path) -> None:
    assert lost in LOST_BY_KUSTOMIZE
    spec = {"alone": lost, "inside": f"a{lost}b", "lines": f"a{lost}\nb", lost: "key"}
    assert kubectl_reads(tmp_path, document(spec)) == spec
    assert kustomize_reads(tmp_path, document(spec)) != spec


characters = st.characters(exclude_categories=["Cs"], exclude_characters=LOST_BY_KUSTOMIZE)
short = st.text(st.sampled_from("yYnNoOtTfFeE019.:-+_~=<#&*!|>%@`,[]{}?'\"\\ \t\n\r") | characters, max_size=12)
joined = st.lists(st.sampled_from([*(trap for trap in TRAPS if len(trap) < 20), "a"]), max_size=4).map("".join)
texts = short | joined | st.text(characters, max_size=80)
keys = texts.filter(lambda text: text != "<<")

names = st.from_regex(r"[a-z0-9]([-a-z0-9._/]{0,40}[a-z0-9])?", fullmatch=True)
labels = st.from_regex(r"([A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?)?", fullmatch=True)
quantities = st.builds(lambda form, amount: form(amount), st.sampled_from([canonical, canonical_bytes]), st.integers(0))
scalars = texts | labels | quantities | st.none() | st.booleans() | st.integers(-(2**63), 2**63 - 1)
objects = st.fixed_dictionaries(
    {
        "annotations": st.dictionaries(names, texts, max_size=3),
        "labels": st.dictionaries(names, labels, max_size=3),
        "quantities": st.dictionaries(names, quantities, max_size=3),
        "tree": st.recursive(
            scalars, lambda tree: st.lists(tree, max_size=3) | st.dictionaries(keys, tree, max_size=3), max_leaves=8
        ),
    }
)


def examples(strategy: st.SearchStrategy[Any], count: int) -> list[Any]:
    """Return values drawn from a strategy, the same in every run, for kubectl to judge in one call."""
    drawn: list[Any] = []

    @settings(derandomize=True, database=None, deadline=None, max_examples=count)
    @given(strategy)
    def draw(value: Any) -> None:
        drawn.append(value)

    draw()
    return drawn


@pytest.mark.parametrize(("strategy", "count"), [(texts, 800), (objects, 300)], ids=["texts", "objects"])
def test_arbitrary_input_comes_back(strategy: st.SearchStrategy[Any], count: int, tmp_path: Path) -> None:
    batch = examples(strategy, count)
    assert len(batch) == count
    text = document({"batch": batch})
    for read in (kubectl_reads, kustomize_reads):
        got = read(tmp_path, text)["batch"]
        assert [(gave, came) for gave, came in zip(batch, got, strict=True) if gave != came] == []
