"""The same input gives the same bytes on every machine, and a second run touches nothing."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest

from generator import lock
from tests.repository import apportion, snapshot
from tests.samples import Compiled, compiled_from, input_files

MACHINES = [
    pytest.param({"PYTHONHASHSEED": "1", "LC_ALL": "C", "TZ": "UTC"}, False, id="plain"),
    pytest.param({"PYTHONHASHSEED": "4242", "LC_ALL": "tr_TR.UTF-8", "TZ": "Pacific/Kiritimati"}, True, id="elsewhere"),
]


@pytest.mark.parametrize(("variables", "backwards"), MACHINES)
def test_bytes_do_not_depend_on_the_machine(
    variables: dict[str, str], backwards: bool, compiled: Compiled, tmp_path: Path
) -> None:
    files = input_files()
    for path in sorted(files, reverse=backwards):  # folders list their files in the order in which they were made
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_bytes(files[path])
    status, _, said = apportion("compile", "--root", str(tmp_path), env={**os.environ, **variables})
    assert status == 0, said
    expected = {path: text.encode() for path, text in compiled.tree.items()}
    assert snapshot(tmp_path / "output") == expected


def test_second_run_writes_nothing(compiled: Compiled, tmp_path: Path) -> None:
    shutil.copytree(Path(__file__).parents[1] / "environments", tmp_path / "environments")
    count = len(compiled.tree)
    _, _, said = apportion("compile", "--root", str(tmp_path))
    assert said.splitlines()[-1].partition("; ")[2] == f"output/: {count} files written, 0 removed, 0 unchanged"
    before = {path: path.stat().st_mtime_ns for path in (tmp_path / "output").rglob("*")}
    _, _, said = apportion("compile", "--root", str(tmp_path))
    assert said.splitlines()[-1].partition("; ")[2] == f"output/: 0 files written, 0 removed, {count} unchanged"
    assert {path: path.stat().st_mtime_ns for path in (tmp_path / "output").rglob("*")} == before


def test_a_folder_that_differs_has_another_digest_of_its_inputs(compiled: Compiled) -> None:
    """Else `check` would say of a stale folder that somebody edited it by hand."""
    files = input_files()
    quotas = "environments/dev/quotas.yaml"
    one, other, between = b"fraud-lab", b"language-lab", b"\0"
    assert (files[quotas].count(one), files[quotas].count(other)) == (1, 1)
    files[quotas] = files[quotas].replace(one, between).replace(other, one).replace(between, other)
    swapped = compiled_from(files).tree
    folders = {path.rpartition("/")[0] for path, text in compiled.tree.items() if text != swapped.get(path)}
    assert "overlays/dev/argocd" in folders
    for folder in sorted(folders):
        before, after = (lock.parse(tree[f"{folder}/{lock.NAME}"]) for tree in (compiled.tree, swapped))
        assert before is not None
        assert after is not None
        assert before.inputs != after.inputs, folder
