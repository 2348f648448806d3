"""Fixtures of the whole session: the samples are compiled once, and built once."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from filelock import FileLock

from tests.samples import ROOT, Built, Compiled, compiled_from, folders, input_files, kustomize


@pytest.fixture(scope="session", autouse=True)
def _alone() -> Iterator[None]:
    """Let no run know of another, and none fork: tests/commands/test_proof.py and test_parallel.py are about that.

    `check` compiles where nothing can be kept, and what a forked process covers is not counted.
    """
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_CACHE_HOME", os.devnull)
        patch.setattr("generator.commands.parallel._processors", lambda: 1)
        yield


@pytest.fixture(scope="session")
def compiled() -> Compiled:
    """The samples, compiled in memory."""
    return compiled_from(input_files())


@pytest.fixture(scope="session")
def built(compiled: Compiled, tmp_path_factory: pytest.TempPathFactory, worker_id: str) -> Built:
    """Every folder of the compiled samples, as `kubectl kustomize` builds it: by the first worker that asks."""
    root = tmp_path_factory.getbasetemp()
    root = root if worker_id == "master" else root.parent
    with FileLock(root / "built.lock"):
        found = root / "built.json"
        if not found.exists():
            found.write_text(json.dumps(_built(compiled, root / "built-output")))
        objects: Built = json.loads(found.read_text())
        return objects


def _built(compiled: Compiled, root: Path) -> Built:
    from generator import output

    written = output.write(root, compiled.tree, lambda _: True)
    assert isinstance(written, output.Written)
    return kustomize(root, folders(compiled.tree))


@pytest.fixture(scope="session")
def shared() -> Path:
    """The facts and CRDs beside the repository; a test that needs them is skipped where they are absent."""
    folder = ROOT.parent / "shared"
    if not folder.is_dir():
        pytest.skip("the shared facts are not beside this repository")
    return folder
