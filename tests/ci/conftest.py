"""What the tests of all forges share: a copy of one repository, and a forge on this machine."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.ci.forge import Forge, serving
from tests.ci.scratch import Scratch, pushed

__all__ = ["pushed"]


@pytest.fixture
def scratch(pushed: Path, tmp_path: Path) -> Scratch:
    shutil.copytree(pushed, tmp_path, dirs_exist_ok=True, symlinks=True)
    return Scratch(tmp_path)


@pytest.fixture
def forge() -> Iterator[Forge]:
    if shutil.which("curl") is None:
        pytest.skip("the scripts of CI need curl, which is not installed")
    with serving() as running:
        yield running
