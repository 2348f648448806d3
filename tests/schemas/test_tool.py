"""The committed schemas are what the tool makes of the real CRDs and of Kubernetes' definitions."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from generator.schemas import load, tool
from tests.schemas.test_builtin import SOURCE
from tests.validate.real import CRDS, needs_crds

COMMITTED = load.DATA


@needs_crds
def test_crds(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Releases that share files, one added in a second run, and a file that no release uses any more."""
    monkeypatch.setattr(load, "DATA", tmp_path)
    (tmp_path / "kueue.x-k8s.io_clusterqueue_v1alpha1@kueue-0.9.json").write_text("{}", encoding="utf-8")
    releases = ("1.0", "1.1", "1.2", "1.3", "1.4")
    sources = [f"kueue:{release}={CRDS / f'red-hat-kueue-{release}'}" for release in releases]
    assert tool.main([*sources[1:], f"olm={CRDS / 'olm'}"]) == 0
    assert tool.main(sources[:1]) == 0
    made = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
    index = json.loads(made.pop("index.json"))
    assert {name: (COMMITTED / name).read_bytes() for name in made} == made
    committed = json.loads((COMMITTED / "index.json").read_bytes())
    assert index["products"] == {name: committed["products"][name] for name in ("kueue", "olm")}
    assert index["kinds"] == {
        kind: products for kind, products in committed["kinds"].items() if products.keys() & {"kueue", "olm"}
    }


def test_kubernetes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(load, "DATA", tmp_path)
    (tmp_path / "index.json").write_text('{"products": {}, "kinds": {}}', encoding="utf-8")
    assert tool.main([f"kubernetes={SOURCE}"]) == 0
    made = {path.name: path.read_bytes() for path in tmp_path.glob("kubernetes*.json")}
    assert made == {path.name: path.read_bytes() for path in COMMITTED.glob("kubernetes*.json")}


@pytest.mark.parametrize("arguments", [[], ["kueue"]])
def test_usage(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert tool.main(arguments) == 2
    assert "python -m generator.schemas.tool PRODUCT[:RELEASE]=FOLDER" in capsys.readouterr().err
