"""The gate and pydantic take and refuse the same documents, and the gate alone is loaded for a sound one."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from generator.environment.gate import fits
from generator.environment.validate import KINDS, problems
from generator.shapes import TypedDict
from generator.source import Document, Map, Seq, parse
from tests import cases
from tests.environment.test_validate import FULL, PLACES, read
from tests.environment.test_validate import Path as Steps

TREES = (Path(__file__).parents[2] / "environments", cases.FOLDER / "_default")
JUNK = (
    *(True, False, 0, 1, -1, 3, 2**31, 10**30, Decimal("1.0"), Decimal("1.5"), Decimal("0.0001"), Decimal("1E+2")),
    *("", " ", "a", "A", "a b", "a\n", "a-", "a" * 63, "a" * 64, "é", "²", "1", "1.5", "1e3", "+5", "-5", "5Gi", "5gb"),
    *("0.0001", "8Ei", "1e40", "1m", "100%", "101%", "0.5%", "auto", "all", "unlimited", "2026-02-28", "2026-02-30"),
    *("3.4", "v3.4", "https://x", "https://x/é", "git@x", "a/b", "../a", "a/../b", "1g.10gb", "a.b/c", "/", "None"),
    *("text\u2028", "\u00a0x", "x\x0b", "r.example.com/a:1", "r.example.com/a", "true", "Classical", "NoSchedule"),
)


def copied(value: Any) -> Any:
    """Return a value as the reader would, so that what stands empty can be filled."""
    if isinstance(value, dict):
        made = Map("x.yaml", 1, 1)
        made.update({key: copied(inner) for key, inner in value.items()})
        made.keys_at = made.values_at = dict.fromkeys(value, (1, 1))
        return made
    if isinstance(value, list):
        items = Seq("x.yaml", 1, 1)
        items.extend(map(copied, value))
        items.items_at = [(1, 1)] * len(value)
        return items
    return value


def agree(root: Map) -> bool:
    """Assert that both say the same, and return what they say. The gate comes first: it fills what stands empty."""
    said = fits(root, KINDS[root["kind"]])
    assert said == (not problems(root))
    return said


def inputs() -> Iterator[Document]:
    for tree in TREES:
        for path in sorted(tree.rglob("*.yaml")):
            if "extra" not in path.parts:
                yield from parse(path.read_bytes(), path.name)[0]


def test_real_inputs_fit() -> None:
    found = [agree(document.root) for document in inputs()]
    assert all(found)
    assert len(found) > 20


@pytest.mark.parametrize("path", sorted(cases.FOLDER.glob("*.yaml")), ids=lambda path: path.stem)
def test_documents_of_the_bad_cases(path: Path, tmp_path: Path) -> None:
    cases.parse(path.read_text()).write(tmp_path)
    for written in sorted((tmp_path / "environments").rglob("*.yaml")):
        if "extra" not in written.parts:
            for document in parse(written.read_bytes(), written.name)[0]:
                if str(document.root.get("kind")) in KINDS:
                    agree(document.root)


@pytest.mark.parametrize("junk", JUNK, ids=repr)
def test_junk_at_every_place(junk: Any) -> None:
    for kind, path, _ in PLACES:
        if path:
            agree(put(kind, path, junk))


@pytest.mark.parametrize(("kind", "path"), [(kind, path) for kind, path, _ in PLACES if path])
def test_a_place_left_out_or_empty(kind: str, path: Steps) -> None:
    whole = put(kind, path, None)
    agree(whole)
    *above, last = path
    node: Any = whole
    for step in above:
        node = node[step]
    del node[last]
    agree(whole)


@pytest.mark.parametrize(("kind", "path"), [(kind, path) for kind, path, value in PLACES if isinstance(value, dict)])
def test_junk_as_key(kind: str, path: Steps) -> None:
    for key in (word for word in JUNK if isinstance(word, str)):
        agree(put(kind, (*path, key), "a"))


SCALARS = st.one_of(st.none(), st.booleans(), st.integers(), st.decimals(allow_nan=False, places=4), st.text())
VALUES = st.recursive(
    SCALARS | st.sampled_from(JUNK),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=6,
)


@settings(max_examples=150, derandomize=True, deadline=None)
@given(st.lists(st.tuples(st.sampled_from([place for place in PLACES if place[1]]), VALUES), min_size=1, max_size=3))
@example([(("Quotas", ("teams",), None), None), (("Quotas", ("cohorts", 0, "quota"), None), None)])
def test_anything_at_any_place(changes: list[tuple[tuple[str, Steps, Any], Any]]) -> None:
    kind = changes[0][0][0]
    root = copied({"kind": kind, **FULL[kind]})
    for (of, path, _), value in changes:
        if of == kind and (owner := reached(root, path[:-1])) is not None:
            set_at(owner, path[-1], value)
    agree(root)


def put(kind: str, path: Steps, value: Any) -> Map:
    root: Map = copied({"apiVersion": "apportion.dev/v1", "kind": kind, **FULL[kind]})
    set_at(reached(root, path[:-1]), path[-1], value)
    return root


def reached(root: Any, path: Steps) -> Any:
    """Return what stands at a path, or None where an earlier change has taken it away."""
    try:
        for step in path:
            root = root[step]
    except (LookupError, TypeError):
        return None
    return root if isinstance(root, dict | list) else None


def set_at(owner: Any, key: str | int, value: Any) -> None:
    if isinstance(owner, Map):
        owner[str(key)] = copied(value)
        owner.keys_at[str(key)] = owner.values_at[str(key)] = (1, 1)
    elif isinstance(key, int) and key < len(owner):
        owner[key] = copied(value)


def test_an_empty_key_is_filled_beside_an_error() -> None:
    """A gate that stopped at the first error would leave what follows it empty, and say so as a second error."""
    root = copied(
        {"kind": "Quotas", "bogus": 1, "teams": [{"team": "A"}, {"team": "a", "queues": None}], "cohorts": None}
    )
    assert not fits(root, KINDS["Quotas"])
    assert (root["teams"][1]["queues"], root["cohorts"]) == ([], [])
    assert isinstance(root["cohorts"], Seq)


def test_an_annotation_without_a_check_is_a_bug() -> None:

    class Odd(TypedDict):
        size: float

    with pytest.raises(TypeError, match="no check for <class 'float'>"):
        fits(Map("x.yaml", 1, 1), Odd)


def test_pydantic_stays_out_of_a_sound_run() -> None:
    code = (
        "import sys; from generator.source import parse; from generator.environment.validate import validate;"
        "(found,), _ = parse(b'{apiVersion: apportion.dev/v1, kind: Team, name: a}', 'x.yaml');"
        "assert validate(found) == []; assert 'pydantic' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


@pytest.mark.parametrize("kind", KINDS)
def test_full_documents_fit(kind: str) -> None:
    assert agree(read(kind, FULL[kind]).root)
