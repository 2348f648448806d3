"""The verdicts of the real controllers, as the shared tables hold them."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from generator.frozen import replace
from generator.releases.load import kueue
from generator.releases.model import Kueue

SHARED = Path(__file__).parents[3] / "shared"
ORACLES = SHARED / "oracles"
KUEUE = {"v0.16.9": "1.3", "v0.18.6": "1.4", "v0.19.2": "1.4"}

needs_oracles = pytest.mark.skipif(not ORACLES.is_dir(), reason="the shared oracles are not beside this repository")


def rows(path: str) -> list[dict[str, Any]]:
    loaded: list[dict[str, Any]] = json.loads((ORACLES / path).read_text(encoding="utf-8"))
    return loaded


def release(tag: str, gates: Mapping[str, bool] | None = None) -> Kueue:
    """Return the Kueue release nearest to an upstream tag, with that tag's minor and the row's feature gates."""
    known = kueue(KUEUE[tag])
    assert known is not None
    minor = tag.removeprefix("v").rpartition(".")[0]
    return replace(known, upstream=minor, gates={**known.gates, **(gates or {})})


def score(name: str, right: int, wrong: list[str]) -> None:
    """Print a table's score and fail below 100 %."""
    print(f"{name}: {right} of {right + len(wrong)} rows right")
    assert wrong == []
    assert right > 0
