"""What is kept beside the byte code is what would be made without it, and whatever is wrong with it, it is made."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from generator import frozen, kept
from generator.frozen import dataclass
from generator.pattern import codes, recall

_RE: Any = re


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    monkeypatch.setattr(kept, "FOLDER", str(tmp_path))
    kept.kept.cache_clear()
    yield tmp_path
    kept.kept.cache_clear()


def test_the_engine_is_given_the_same_again() -> None:
    re.compile(r"(?P<name>[a-zä]+)-(\d{2,})?", re.IGNORECASE)
    kept.keep("patterns", {"codes": codes()})
    found = kept.kept("patterns")["codes"]
    assert r"(?P<name>[a-zä]+)-(\d{2,})?" in {text for text, _, _ in found}
    for text, flags, code in found:
        assert _RE._compiler._sre.compile(*code) == re.compile(text, flags), text


def test_what_is_recalled_is_not_compiled(monkeypatch: pytest.MonkeyPatch) -> None:
    text = r"(?P<first>a)|(b)"
    made = re.compile(text, re.MULTILINE)
    kept.keep("patterns", {"codes": [one for one in codes() if one[:2] == (text, re.MULTILINE.value)]})
    monkeypatch.setattr(_RE, "_cache", {})
    recall()
    monkeypatch.setattr(_RE._compiler, "compile", None)
    again = re.compile(text, re.MULTILINE)
    assert again is not made
    assert (again.groupindex, again.sub(r"<\g<first>>", "ab")) == ({"first": 1}, "<a><>")


@pytest.mark.parametrize(
    "patterns",
    [
        {},
        {"codes": 1},
        {"codes": [("a", 0, ("a", 0, [99999], 0, {}, ()))]},
        {"codes": [("a", 0, (1,))]},
        {"codes": [1]},
    ],
    ids=["none", "number", "no code", "too few", "no entry"],
)
def test_what_cannot_be_recalled_is_compiled(patterns: dict[str, Any], monkeypatch: pytest.MonkeyPatch) -> None:
    kept.keep("patterns", patterns)
    monkeypatch.setattr(_RE, "_cache", {})
    recall()
    assert _RE._cache == {}
    assert re.fullmatch("a", "a")


def test_where_re_keeps_no_cache_of_this_kind_nothing_is_recalled(monkeypatch: pytest.MonkeyPatch) -> None:
    kept.keep("patterns", {"codes": codes()})
    monkeypatch.delattr(_RE, "_cache")
    recall()


def test_a_constructor_is_made_of_kept_byte_code(monkeypatch: pytest.MonkeyPatch) -> None:
    def one() -> Any:
        @dataclass(frozen=True, slots=True)
        class Pair:
            left: int
            right: int = 7

        return Pair

    kept.keep("constructors", frozen.constructors([one()]))
    kept.kept.cache_clear()
    with monkeypatch.context() as patched:
        patched.setattr(frozen, "_code", None)
        made = one()(1)
        assert (made.left, made.right) == (1, 7)
    kept.keep("constructors", {})
    kept.kept.cache_clear()
    assert one()(1, right=2).right == 2


_COUNT = """
import re, sys
from generator import kept
kept.FOLDER = sys.argv[1]
from generator.start import recall
recall()
compiled, of_re = [], re._compiler.compile
re._compiler.compile = lambda text, flags=0: compiled.append(text) or of_re(text, flags)
import builtins
of_python = compile
builtins.compile = lambda source, *rest, **more: compiled.append(source) or of_python(source, *rest, **more)
from generator.cli import main
status = main(["check", "--root", sys.argv[2]])
print(status, [text for text in compiled if not isinstance(text, bytes)])
"""


def test_a_check_compiles_nothing(folder: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    kept_there = f"from generator import kept; kept.FOLDER = {str(folder)!r}; "
    ahead = kept_there + "from generator.ahead import keep_everything; keep_everything()"
    subprocess.run([sys.executable, "-c", ahead], check=True, capture_output=True)
    repository = str(tmp_path / "repository")
    for command in (["init", repository], ["compile", "--root", repository]):
        subprocess.run([sys.executable, "-m", "generator", *command], check=True, capture_output=True)
    (tmp_path / "cache").rename(tmp_path / "forgotten")
    done = subprocess.run([sys.executable, "-c", _COUNT, str(folder), repository], capture_output=True, text=True)
    assert done.stdout.splitlines()[-1:] == ["0 []"], done.stderr
