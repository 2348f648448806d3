"""What the built overlays guarantee, summed with nothing of ours, is what the ledger says."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterable, Iterator, Mapping
from fractions import Fraction
from pathlib import Path

import pytest

from generator import output
from generator.emit import extra
from generator.environment.load import load
from generator.plan.ledger import Ledger
from generator.plan.resolve import resolve
from generator.quantity import UNIT
from tests.samples import ENVIRONMENTS, Built, Object, compiled_from, input_files, kustomize

Totals = Mapping[tuple[str, str], Fraction]
"""Flavor, resource → what is guaranteed."""

KINDS = ("ResourceFlavor", "ClusterQueue", "Cohort")
SUFFIXES: dict[str, Fraction | int] = {
    "m": Fraction(1, 1000),
    "k": 10**3,
    "M": 10**6,
    "G": 10**9,
    "T": 10**12,
    "P": 10**15,
}
SUFFIXES |= {f"{letter}i": 1024**power for power, letter in enumerate("KMGTP", start=1)}


def number(quantity: str) -> Fraction:
    digits = quantity.rstrip("mkMGTPiK")
    return Fraction(digits) * SUFFIXES.get(quantity[len(digits) :], 1)


def guaranteed(objects: Iterable[Object]) -> Totals:
    """Sum every nominal quota of what is a pool: a flavor of the same overlay."""
    every = list(objects)
    flavors = {item["metadata"]["name"] for item in every if item["kind"] == "ResourceFlavor"}
    found: dict[tuple[str, str], Fraction] = {}
    for item in every:
        for flavor, resource, quantity in nominal(item) if item["kind"] in KINDS[1:] else ():
            if flavor in flavors and number(quantity):
                found[flavor, resource] = found.get((flavor, resource), Fraction(0)) + number(quantity)
    return found


def nominal(item: Object) -> Iterator[tuple[str, str, str]]:
    for group in item["spec"].get("resourceGroups", ()):
        for flavor in group["flavors"]:
            for resource in flavor["resources"]:
                yield flavor["name"], resource["name"], str(resource["nominalQuota"])


def of_pools(ledger: Ledger) -> Totals:
    lines = {(line.pool, line.resource): Fraction(line.guaranteed, UNIT) for line in ledger.pools}
    return {key: amount for key, amount in lines.items() if amount}


def ledgers(files: Mapping[str, bytes], as_of: str | None = None) -> dict[str, Ledger]:
    """Return the ledger of each environment."""
    given, _ = load(files)
    plans = [resolve(inputs, as_of)[0] for _, inputs in sorted(given.environments.items())]
    return {plan.name: Ledger(plan, extra.emit(plan)[0]) for plan in plans if plan}


@pytest.mark.parametrize("environment", ENVIRONMENTS)
def test_samples(environment: str, built: Built) -> None:
    totals = guaranteed(built[f"overlays/{environment}"])
    assert totals
    assert of_pools(ledgers(input_files())[environment]) == totals


@pytest.fixture(scope="module", params=["1", "7"])
def fleet(request: pytest.FixtureRequest, shared: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    """The files of a generated fleet of about a thousand objects, with overrides and a manifest of its own queue."""
    folder = tmp_path_factory.mktemp("fleet")
    script = shared / "bench/fleet.py"
    command = [sys.executable, str(script), str(folder), "--objects", "1000", "--environments", "2"]
    subprocess.run([*command, "--seed", request.param], check=True, capture_output=True, timeout=60)
    paths = (path for path in folder.rglob("*") if path.is_file())
    files = {path.relative_to(folder).as_posix(): path.read_bytes() for path in paths}
    return files | {"environments/prod/extra/lab.yaml": LAB.encode()}


LAB = """\
apiVersion: kueue.x-k8s.io/v1beta2
kind: ClusterQueue
metadata: {name: lab}
spec:
  resourceGroups:
    - coveredResources: [cpu, memory]
      flavors:
        - {name: general, resources: [{name: cpu, nominalQuota: 2500m}, {name: memory, nominalQuota: 7Gi}]}
---
apiVersion: kueue.x-k8s.io/v1beta2
kind: Cohort
metadata: {name: lab}
spec:
  resourceGroups:
    - coveredResources: [cpu]
      flavors: [{name: general, resources: [{name: cpu, nominalQuota: 1}]}]
"""


def overlays(files: Mapping[str, bytes], as_of: str | None, root: Path) -> dict[str, Totals]:
    """Return the totals of each environment's folders of quota as kubectl builds them, all of one in one go."""
    tree = compiled_from(files, as_of).tree
    assert isinstance(output.write(root / "output", tree, lambda _: True), output.Written)
    with_quota = (path for path, text in tree.items() if any(f"\nkind: {kind}\n" in text for kind in KINDS))
    chosen: dict[str, list[str]] = {}
    for path in with_quota:
        chosen.setdefault(path.split("/")[1], []).append(f"../output/{Path(path).parent.as_posix()}")
    for environment, paths in chosen.items():
        (root / environment).mkdir()
        (root / environment / "kustomization.yaml").write_text(json.dumps({"resources": paths}), encoding="utf-8")
    return {environment: guaranteed(objects) for environment, objects in kustomize(root, chosen).items()}


def test_generated_fleets(fleet: dict[str, bytes], tmp_path: Path) -> None:
    totals = overlays(fleet, None, tmp_path)
    assert len(totals) == 2
    assert {name: of_pools(ledger) for name, ledger in ledgers(fleet).items()} == totals


def test_a_day_of_overrides_is_what_is_compiled_for_it(fleet: dict[str, bytes], tmp_path: Path) -> None:
    """The day on which the last override begins: what the ledger foresees is what then stands in the overlays."""
    found = ledgers(fleet)
    day = max(override["from"] for ledger in found.values() for override in ledger.plan.given.overrides)
    totals = overlays(fleet, day, tmp_path)
    foreseen = {name: dict(of_pools(ledger)) for name, ledger in found.items()}
    for name, ledger in found.items():
        for line in ledger.days:
            if line.day <= day:
                foreseen[name][line.pool, line.resource] = Fraction(line.guaranteed, UNIT)
    assert {name: of_pools(ledger) for name, ledger in ledgers(fleet, day).items()} == totals
    changed = {name: totals[name] != of_pools(found[name]) for name in totals}
    assert any(changed.values())
    assert foreseen == totals
