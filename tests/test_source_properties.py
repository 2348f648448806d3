"""Reading YAML: what holds for any text."""

from __future__ import annotations

import json
import re
from datetime import date
from decimal import Decimal
from typing import Any

import pytest
import yaml
from hypothesis import HealthCheck, assume, example, given, settings
from hypothesis import strategies as st
from ruamel.yaml import YAML
from ruamel.yaml.error import YAMLError

from generator.source import Map, Seq, parse

quick = settings(derandomize=True, max_examples=60, deadline=1000, suppress_health_check=[HealthCheck.too_slow])

FRAGMENTS = [
    *"-?:,[]{}#&*!|>'\"%@`~<\n\r\t =.\0\x85\u2028\ufeff",
    *(
        "  ",
        ": ",
        "- ",
        "? ",
        "\n  ",
        "\n- ",
        "---\n",
        "...\n",
        "%YAML 1.2\n",
        "%TAG ! a\n",
        "&a ",
        "*a",
        "!!str ",
        "!x ",
    ),
    *(
        "<<: ",
        "key: ",
        "a: 1\n",
        "'x'",
        '"y"',
        "\\x41",
        "\\ud800",
        "{a: b}",
        "[1, 2]",
        "|\n",
        ">-\n",
        "# c\n",
        "on",
        "0777",
    ),
    *(
        "0x1F",
        "1e3",
        "1:30",
        "1_000",
        ".inf",
        "-1.5e+3",
        "12",
        "true",
        "null",
        "2026-12-01",
        "é😀",
        "text",
        "08",
        "9" * 20,
    ),
]
yaml_like = st.lists(st.sampled_from(FRAGMENTS) | st.text(max_size=3), max_size=30).map("".join)


@quick
@given(yaml_like | st.text() | st.binary() | yaml_like.map(str.encode))
def test_any_text_gives_documents_or_findings(text: str | bytes) -> None:
    documents, findings = parse(text, "f.yaml")
    assert all(isinstance(document.root, Map) for document in documents)
    assert all(f.message and f.fix for f in findings)
    assert all(f.location is not None and f.location.line <= len(text) + 1 for f in findings)


carriable = st.characters(exclude_categories=["Cs", "Cc"], include_characters="\t\n", exclude_characters="\ufffe\uffff")
carried = st.text(carriable, max_size=20)
keys = carried.filter(lambda key: key != "<<")
leaves = carried | st.integers(-(2**63), 2**63 - 1) | st.booleans() | st.none()
trees = st.recursive(
    leaves, lambda inner: st.lists(inner, max_size=4) | st.dictionaries(keys, inner, max_size=4), max_leaves=15
)


def json_text(value: object, indent: int | None) -> str:
    """JSON with characters as they are, but for those that may not stand raw in YAML."""
    text = json.dumps(value, ensure_ascii=False, indent=indent)
    return re.sub("[\u2028\u2029\ufeff]", lambda c: f"\\u{ord(c[0]):04x}", text)


@quick
@given(st.dictionaries(keys, trees, max_size=4), st.sampled_from([None, 0, 2]))
def test_json_reads_back_with_the_place_of_every_key(data: dict[str, Any], indent: int | None) -> None:
    text = json_text(data, indent)
    documents, findings = parse(text, "f.yaml")
    assert findings == []
    assert documents[0].root == data
    check_places(documents[0].root, text.split("\n"))


def check_places(node: object, lines: list[str]) -> None:
    if isinstance(node, Map):
        assert node.keys_at.keys() == node.values_at.keys() == node.keys()
        for key, value in node.items():
            assert _rest(lines, node.keys_at[key]).startswith(json_text(key, None) + ": ")
            check_value(value, _rest(lines, node.values_at[key]))
            check_places(value, lines)
    elif isinstance(node, Seq):
        for value, place in zip(node, node.items_at, strict=True):
            check_value(value, _rest(lines, place))
            check_places(value, lines)


def check_value(value: object, text: str) -> None:
    expected = "{" if isinstance(value, Map) else "[" if isinstance(value, Seq) else json_text(value, None)
    assert text.startswith(expected)


def _rest(lines: list[str], place: tuple[int, int]) -> str:
    return lines[place[0] - 1][place[1] - 1 :]


# Text to us that YAML 1.1 readers take for something else: dates, numbers with underscores, binary,
# sexagesimal, words, "=" and "<<". (ruamel keeps dates and underscores in YAML 1.2.)
ONLY_1_1 = re.compile(
    r"""\d{4}-\d\d?-\d\d?(?:[Tt\ ].*)?
    | (?=.*_)[-+]?(?:0x[\da-f_]+|[\d._]+(?:e[-+]?\d+)?)
    | [-+]?0b[01_]+
    | [-+]?[\d_]+(?::[0-5]?\d)+(?:\.[\d_]*)?
    | y | n | yes | no | on | off | = | <<""",
    re.IGNORECASE | re.VERBOSE | re.ASCII,
)
# A number to us and to YAML 1.2, text to PyYAML, which wants a dot, a signed exponent and no sign before the dot.
ONLY_1_2 = re.compile(r"[-+]?\d+(?:\.\d*)?[eE][-+]?\d+|[-+]?\.\d+(?:[eE][-+]?\d+)?", re.ASCII)


def flow_sequence(items: list[str]) -> str:
    return f"[{', '.join(items)}]"


def flow_mapping(entries: dict[str, str]) -> str:
    return "{" + ", ".join(f"{key}: {value}" for key, value in entries.items()) + "}"


NUMBER_LIKE = re.compile(r"[-+]?[0-9.][0-9._:eExobXOB+-]{0,8}")
WORDS = [
    "on",
    "Yes",
    "n",
    "=",
    "~",
    "True",
    "null",
    "v1",
    "25%",
    "64Gi",
    "1g.10gb",
    "'08'",
    '"a\\tb"',
    "2026-12-01",
    "é",
]
words = st.sampled_from(WORDS)
scalars = st.from_regex(NUMBER_LIKE, fullmatch=True) | words
flows = st.recursive(
    scalars,
    lambda inner: (
        st.lists(inner, max_size=3).map(flow_sequence) | st.dictionaries(words, inner, max_size=3).map(flow_mapping)
    ),
    max_leaves=6,
)
starts = st.sampled_from(["", "", "  ", "- ", "  - "])
block_keys = st.sampled_from(["a: ", "b: ", "c:", "'d': ", ""])
rows = st.tuples(starts, block_keys, flows | st.sampled_from(["", "|", ">-", "# c"])).map("".join)
blocks = st.lists(rows, max_size=6).map("\n".join)


@quick
@given(flows.map("a: {}".format) | blocks | yaml_like)
@example("a: 1e3")
@example("a: [1:30, 1_000, 0b11, 2026-12-01, on, =, <<]")
@example("a: 12\nb: -0.5\nc: +3\nd: 1.5e+3\ne: 1.")
def test_what_is_accepted_means_the_same_to_other_readers(text: str) -> None:
    documents, findings = parse(text, "f.yaml")
    assume(not findings and documents)
    ours = [document.root for document in documents]
    for theirs in (_ruamel(text), _pyyaml(text)):
        if theirs is not None:
            assert len(theirs) == len(ours)
            for mine, other in zip(ours, theirs, strict=True):
                same(mine, other)


def _ruamel(text: str) -> list[Any] | None:
    """What a YAML 1.2 reader sees; None where ruamel refuses: tabs as separators, impossible dates."""
    try:
        return [document for document in YAML(typ="safe", pure=True).load_all(text) if document is not None]
    except (YAMLError, ValueError):
        return None


def _pyyaml(text: str) -> list[Any] | None:
    """What a YAML 1.1 reader sees; None where it refuses ("=" and "<<" as values, impossible dates)."""
    try:
        return [document for document in yaml.safe_load_all(text) if document is not None]
    except (yaml.YAMLError, ValueError):
        return None


def same(ours: Any, theirs: Any) -> None:
    """Assert that both readers see one value, or that ours is text of a documented kind."""
    if isinstance(ours, Map):
        assert isinstance(theirs, dict)
        if len(ours) > len(theirs):  # on and yes are one key to YAML 1.1
            assert sum(ONLY_1_1.fullmatch(key) is not None for key in ours) > 1
            return
        for (key, mine), (other_key, other) in zip(ours.items(), theirs.items(), strict=True):
            same(key, other_key)
            same(mine, other)
    elif isinstance(ours, Seq):
        assert isinstance(theirs, list)
        for mine, other in zip(ours, theirs, strict=True):
            same(mine, other)
    elif isinstance(ours, str) and not isinstance(theirs, str):
        assert ONLY_1_1.fullmatch(ours), (ours, theirs)
        assert isinstance(theirs, bool | int | float | date)
    elif isinstance(ours, Decimal) and isinstance(theirs, str):
        assert ONLY_1_2.fullmatch(theirs), (ours, theirs)
    elif isinstance(ours, Decimal):
        assert isinstance(theirs, float)
        assert float(ours) == theirs
    else:
        assert type(ours) is type(theirs)
        assert ours == theirs


@pytest.mark.parametrize("text", ["a: 0777", "a: 0o17", "a: 0x1F", "a: .inf"])
def test_numbers_on_which_the_readers_differ_are_never_accepted(text: str) -> None:
    assert [f.rule for f in parse(text, "f.yaml")[1]] == ["ambiguous-scalar"]
