"""Expressions compiled ahead mean what compiling them means; whatever is wrong with their file, they are compiled."""

from __future__ import annotations

import marshal
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from generator import kept as store
from generator import package
from generator.ahead import programs
from generator.frozen import fields
from generator.policy import cel, rows, shipped
from generator.policy.load import load
from generator.validate.cel import ahead, engine
from generator.validate.cel.rewrite import rewrite

TEXT = "self.a + 1"


class Environment:
    """The real one, counting what it compiles."""

    def __init__(self) -> None:
        self.real: Any = engine.environment()[0]
        self.compiled = 0

    def compile(self, text: str) -> Any:
        self.compiled += 1
        return self.real.compile(text)

    def deserialize(self, kept: bytes) -> Any:
        return self.real.deserialize(kept)


def _forget() -> None:
    store.kept.cache_clear()
    ahead._programs.cache_clear()


@pytest.fixture
def environment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Environment]:
    monkeypatch.setattr(store, "FOLDER", str(tmp_path / "cache"))
    _forget()
    yield Environment()
    _forget()


def value(program: Any) -> Any:
    return program.eval(data={"self": {"a": 1}}).value()


def test_what_is_kept_is_not_compiled(environment: Environment) -> None:
    store.keep("programs", {"made_for": ahead.made_for(), "rule": {TEXT: environment.real.compile(TEXT).serialize()}})
    assert value(ahead.compiled(environment, "rule", TEXT)) == 2
    assert environment.compiled == 0
    assert value(ahead.compiled(environment, "rule", f"{TEXT} + 1")) == 3
    assert value(ahead.compiled(environment, "policy", TEXT)) == 2
    assert environment.compiled == 2


@pytest.mark.parametrize(
    "content",
    [
        None,
        b"",
        b"garbage",
        marshal.dumps((1, 2)),
        marshal.dumps((1, 2, 3)),
        marshal.dumps((sys.version, [])),
        marshal.dumps((sys.version, {"made_for": [], "rule": {TEXT: b""}})),
        marshal.dumps((sys.version, {"rule": 1})),
        marshal.dumps(("2.7", {"made_for": ahead.made_for(), "rule": {TEXT: b""}})),
    ],
    ids=["absent", "empty", "garbage", "numbers", "three", "a list", "other sources", "a map", "another Python"],
)
def test_without_a_file_of_these_sources_all_is_compiled(environment: Environment, content: bytes | None) -> None:
    if content is not None:
        Path(store.FOLDER).mkdir()
        Path(store.FOLDER, "kept.programs").write_bytes(content)
    assert value(ahead.compiled(environment, "rule", TEXT)) == 2
    assert environment.compiled == 1


def test_a_program_that_cannot_be_read_is_compiled(environment: Environment) -> None:
    store.keep("programs", {"made_for": ahead.made_for(), "rule": {TEXT: b"\xff\xff"}})
    assert value(ahead.compiled(environment, "rule", TEXT)) == 2
    assert environment.compiled == 1


def test_every_shipped_policy_is_among_them_with_its_type() -> None:
    kept = programs(shipped.policies(None)[0])
    assert len(kept["rule"]) > 30
    for policy in shipped.policies(None)[0].values():
        for text in (policy.of_all, policy.predicate, policy.message):
            program = kept["policy"][rewrite(policy.with_params(text))]
            result = cel.runtime().deserialize(program).return_type().name()
            assert result == cel.Program(policy.with_params(text)).result, text


def test_shipped_policies_come_back_as_they_are_read(environment: Environment, tmp_path: Path) -> None:
    read, _ = load(shipped.read(Path(package.policies())), thorough=False)
    store.keep("shipped", rows.rows(read, package.policies()))
    recalled = rows.recall(package.policies())
    assert recalled is not None
    assert list(recalled) == list(read)
    for name, policy in read.items():
        assert {field.name: getattr(recalled[name], field.name) for field in fields(policy)} == {
            field.name: getattr(policy, field.name) for field in fields(policy)
        }


def test_a_folder_that_changed_is_read(environment: Environment, tmp_path: Path) -> None:
    folder = shutil.copytree(package.policies(), tmp_path / "policies")
    read, _ = load(shipped.read(folder), thorough=False)
    store.keep("shipped", rows.rows(read, str(folder)))
    assert rows.recall(str(folder)) is not None
    [path, *_] = sorted(folder.rglob("*.yaml"))
    before = path.read_text()
    path.write_text(before + "\n")
    assert rows.recall(str(folder)) is None
    path.unlink()
    assert rows.recall(str(folder)) is None
    deep = folder / "a" / "b" / "c"
    deep.mkdir(parents=True)
    store.keep("shipped", rows.rows(read, str(folder)))
    _forget()
    assert rows.recall(str(folder)) is not None
    (deep / "mine.yaml").write_text(before)
    assert rows.recall(str(folder)) is None
    (deep / "mine.yaml").unlink()
    (deep / "gone.yaml").symlink_to("nowhere")
    assert rows.recall(str(folder)) is None
    _forget()
    Path(store.FOLDER, "kept.shipped").unlink()
    assert rows.recall(str(folder)) is None
