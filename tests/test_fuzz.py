"""Whatever lies in a repository or a manifest, `check` and `lint` answer: exit status 3 would be a bug of ours.

Objects and documents that are right are changed in a few places at once. `APPORTION_FUZZ=20000` runs so many inputs
instead of a few hundred.
"""

from __future__ import annotations

import copy
import gc
import io
import json
import os
from collections.abc import Iterator
from contextlib import redirect_stderr, redirect_stdout
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from generator import cli
from tests import cases
from tests.samples import ROOT

INPUTS = int(os.environ.get("APPORTION_FUZZ", "150"))
TARGETS = ["", "openshiftAI=2.25,kueue=1.0", "openshiftAI=3.4,kueue=1.3,gitops=1.18", "openshiftAI=3.5,kueue=1.4"]
VALUES: list[Any] = [
    None, "", " ", "x", "X_y", "a/b/c", "default", "*", "é", "\U0001f600", "a" * 64, "a" * 300, 0, 1, -1, 1.5, 1e3,
    True, 10**18, 2**64, 2**200, "10", "-5", "1e3", "9E", "1Gi", "1m", "50%", "0%", "unlimited", "auto", "{{ x }}",
    "1g.10gb", "nvidia.com/gpu", "nvidia-t4-16gb", "2024-02-29", "2026-02-30", "Managed", [], {}, [None], [[]], [{}],
    ["a", "a"], [1, 2], {"a": None}, {"": {}}, {"a": {"b": [1]}}, {"name": {}}, [{"name": []}],
    {"key": 1, "operator": "In"},
]  # fmt: skip
KEYS = ["", "x", "é", "name", "namespace", "spec", "items", "kind", "quota", "accelerators"]


@st.composite
def changes(draw: st.DrawFn) -> tuple[str, int, Any]:
    """A verb, the place as a number (modulo the places that there are) and what the verb needs."""
    verb = draw(st.sampled_from(["set", "set", "set", "copy", "remove", "repeat", "rename"]))
    what = {"set": st.sampled_from(VALUES), "copy": st.integers(0, 5000), "rename": st.sampled_from(KEYS)}
    return verb, draw(st.integers(0, 5000)), draw(what.get(verb, st.none()))


several = st.lists(changes(), min_size=1, max_size=5)


def places(node: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Yield the path of every node but the root."""
    for key, value in node.items() if isinstance(node, dict) else enumerate(node) if isinstance(node, list) else ():
        yield (*path, key)
        yield from places(value, (*path, key))


def at(node: Any, path: tuple[Any, ...]) -> Any:
    for step in path:
        node = node[step]
    return node


def change(root: Any, verb: str, place: int, what: Any) -> None:
    """Change one node in place."""
    known = list(places(root))
    if not known:
        return
    path = known[place % len(known)]
    parent, last = at(root, path[:-1]), path[-1]
    if verb == "set":
        parent[last] = copy.deepcopy(what)
    elif verb == "copy":
        parent[last] = copy.deepcopy(at(root, known[what % len(known)]))
    elif verb == "rename" and isinstance(parent, dict):
        parent[what] = parent.pop(last)
    elif verb == "repeat" and isinstance(parent, list):
        parent.append(copy.deepcopy(parent[last]))
    else:
        del parent[last]


def changed(root: Any, made: list[tuple[str, int, Any]]) -> Any:
    result = copy.deepcopy(root)
    for verb, place, what in made:
        change(result, verb, place, what)
    return result


def text(documents: list[Any]) -> str:
    return yaml.safe_dump_all(documents, allow_unicode=True, sort_keys=False)


def run(*arguments: str) -> tuple[int, str, str]:
    """Run a command in this process; return its exit status and what it said on stdout and stderr."""
    out, err = io.StringIO(), io.StringIO()
    try:
        with redirect_stdout(out), redirect_stderr(err):
            status = cli.main(arguments)
    finally:
        gc.enable()  # a command disables it for good, and here thousands follow one another
    return status, out.getvalue(), err.getvalue()


def fuzz(inputs: int) -> settings:
    slow = [HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.large_base_example]
    return settings(derandomize=True, database=None, max_examples=inputs, deadline=None, suppress_health_check=slow)


@cache
def manifests() -> list[dict[str, Any]]:
    """Return two objects of each kind of the sample overlays, and workloads, nodes and CRs that people add."""
    found: dict[str, list[dict[str, Any]]] = {}
    for path in [
        *sorted((ROOT / "output" / "overlays").rglob("resources.yaml")),
        Path(__file__).with_name("fuzz.yaml"),
    ]:
        for body in yaml.load_all(path.read_bytes(), yaml.CSafeLoader):
            if len(of_kind := found.setdefault(body["kind"], [])) < 2:
                of_kind.append(body)
    return [body for bodies in found.values() for body in bodies]


@pytest.fixture(scope="module")
def manifest(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("fuzz") / "manifest.yaml"


# what broke once
COHORT = {"apiVersion": "kueue.x-k8s.io/v1beta2", "kind": "Cohort", "metadata": {"name": "a"}}
QUOTA = [{"coveredResources": ["cpu"], "flavors": [{"name": "a", "resources": [{"name": "cpu", "nominalQuota": 1e3}]}]}]
TWICE = [{"name": 1.5}, {"name": 1.5}]
QUEUE = {"apiVersion": "kueue.x-k8s.io/v1beta2", "kind": "ClusterQueue", "metadata": {"name": "a"}}
CLASS = {"apiVersion": "kueue.x-k8s.io/v1beta2", "kind": "WorkloadPriorityClass", "metadata": {"name": "a"}}


@st.composite
def clusters(draw: st.DrawFn) -> list[dict[str, Any]]:
    bodies = manifests()
    chosen = draw(st.lists(st.integers(0, len(bodies) - 1), min_size=1, max_size=4))
    made = [draw(several), *(draw(several | st.just([])) for _ in chosen[1:])]
    return [changed(bodies[index], each) for index, each in zip(chosen, made, strict=True)]


@fuzz(INPUTS * 3 // 4)
@given(clusters(), st.sampled_from(TARGETS), st.booleans())
@example([COHORT | {"spec": {"resourceGroups": QUOTA}}], "", False)
@example([CLASS | {"value": {}}], "", False)
@example([QUEUE | {"spec": {"admissionChecksStrategy": {"admissionChecks": TWICE}}}], "", False)
def test_lint_answers(manifest: Path, bodies: list[dict[str, Any]], target: str, listed: bool) -> None:
    manifest.write_text(text([{"apiVersion": "v1", "kind": "List", "items": bodies}] if listed else bodies), "utf-8")
    status, out, err = run("lint", str(manifest), "--target", target, "--format", "json")
    assert (status in (0, 1), err) == (True, "")
    assert json.loads(out)["version"] == 1


@cache
def inputs() -> list[tuple[str, list[Any]]]:
    """Return path and documents of every input file of the default repository of tests/bad."""
    files = sorted((cases.DEFAULT / "environments").rglob("*.yaml"))
    return [(str(f.relative_to(cases.DEFAULT)), list(yaml.safe_load_all(f.read_text()))) for f in files]


@pytest.fixture(scope="module")
def repository(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("fuzz") / "repository"
    cases.Case().write(root)
    return root


@fuzz(INPUTS - INPUTS * 3 // 4)
@given(st.dictionaries(st.integers(0, len(inputs()) - 1), several, min_size=1, max_size=2), st.booleans())
def test_check_answers(repository: Path, made: dict[int, list[tuple[str, int, Any]]], dated: bool) -> None:
    for index, (path, documents) in enumerate(inputs()):
        (repository / path).write_text(text(changed(documents, made.get(index, []))), "utf-8")
    options = ["--as-of", "2026-12-05"] if dated else []
    status, _, err = run("check", "--inputs-only", "--root", str(repository), *options)
    assert (status in (0, 1), err) == (True, "")
