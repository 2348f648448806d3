"""Any value anywhere in the input is a finding or is fine; it is never a bug of ours.

Every node of the default repository of tests/bad is replaced by each of these values or removed: of all these inputs a
fixed sample, the same on every machine.
"""

from __future__ import annotations

import copy
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from generator import cli
from tests import cases

VALUES: list[Any] = [
    None, [], {}, "", " ", "X y", -1, 0, 1, 1.5, 10**18, True, [None], [[]], [{}], {"a": None}, {"a": {"b": [1]}},
    "0%", "100%", "50%", "unlimited", "auto", ["a", "a"], "a" * 64, "a.b/c", "1g.10gb", "Managed", "9E", "\U0001f600",
    "2026-02-30",
]  # fmt: skip
EVERY = 23  # of them; no divisor of what is done to a node, so that the sample holds all of it
Path_ = tuple[Any, ...]


def inputs() -> Iterator[tuple[str, Any]]:
    """Yield every changed document with the path of its file."""
    for file in sorted((cases.DEFAULT / "environments").rglob("*.yaml")):
        document = yaml.safe_load(file.read_text())
        for path in paths(document):
            for value in VALUES:
                yield str(file.relative_to(cases.DEFAULT)), with_value(document, path, value)
            yield str(file.relative_to(cases.DEFAULT)), without(document, path)


def paths(node: Any, path: Path_ = ()) -> Iterator[Path_]:
    """Yield the path of every node but the root."""
    for key, value in node.items() if isinstance(node, dict) else enumerate(node) if isinstance(node, list) else ():
        yield (*path, key)
        yield from paths(value, (*path, key))


def with_value(document: Any, path: Path_, value: Any) -> Any:
    changed, parent = _parent(document, path)
    parent[path[-1]] = value
    return changed


def without(document: Any, path: Path_) -> Any:
    changed, parent = _parent(document, path)
    del parent[path[-1]]
    return changed


def _parent(document: Any, path: Path_) -> tuple[Any, Any]:
    changed = parent = copy.deepcopy(document)
    for step in path[:-1]:
        parent = parent[step]
    return changed, parent


SAMPLE = list(inputs())[::EVERY]


@pytest.mark.parametrize("part", range(8))
def test_no_value_is_our_bug(part: int, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for file, document in SAMPLE[part::8]:
        cases.Case().write(tmp_path)
        text = yaml.safe_dump(document, allow_unicode=True)
        (tmp_path / file).write_text(text)
        status = cli.main(["check", "--inputs-only", "--root", str(tmp_path), "--as-of", "2026-12-05"])
        printed = capsys.readouterr()
        assert (status in (0, 1), printed.err) == (True, ""), text
