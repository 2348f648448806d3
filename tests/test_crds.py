"""Every object that is emitted against the API that it is written for: strictly, and with the server's defaults.

What is emitted: the samples, and a small environment for each pair of OpenShift AI and Kueue releases.
"""

from __future__ import annotations

import json
import posixpath
from collections.abc import Iterator
from typing import NamedTuple

import pytest

from tests import matrix
from tests.api import BUILT_IN, Target
from tests.releases.crds import CRDS
from tests.samples import ENVIRONMENTS, Compiled, Object, Tree, compiled_from, identity, inputs, objects

pytestmark = pytest.mark.skipif(not CRDS.is_dir(), reason="the shared CRDs are not beside this repository")

# Kinds whose CRDs are not among the shared ones: of the GPU operators and NFD, and what a sample has in extra/.
WITHOUT_SCHEMA = {
    "dev": {"ClusterPolicy", "NodeFeatureDiscovery"},
    "legacy": {"ClusterPolicy", "NodeFeatureDiscovery"},
    "prod": {"ClusterPolicy", "DeviceConfig", "NodeFeatureDiscovery", "NodeFeatureRule", "PrometheusRule"},
    "matrix": {"ClusterPolicy", "DeviceConfig", "NodeFeatureDiscovery", "NodeFeatureRule"},
}
# Defaults that the server adds to maps. Argo CD compares what stands in Git, so these are no difference; a list it
# compares as a whole, so in a list each would be one.
ADDED = {
    "AdmissionCheck": {".spec.retryDelayMinutes"},  # in extra/ of the matrix, where Kueue serves v1beta1
    "DataScienceCluster": {  # of components that are Removed
        ".spec.components.kserve.modelsAsService",
        ".spec.components.kserve.nim",
        ".spec.components.kserve.rawDeploymentServiceConfig",
        ".spec.components.kserve.wva",
        ".spec.components.modelregistry.registriesNamespace",
        ".spec.components.trustyai.mcpGuardrailsMode",
        ".spec.components.workbenches.workbenchNamespace",
    },
}

Case = str | tuple[str, str, bool]


class Emitted(NamedTuple):
    """What one environment consists of, and the releases it is written for."""

    case: str
    target: Target
    objects: list[Object]


def name_of(case: Case) -> str:
    return case if isinstance(case, str) else "-".join([*case[:2], *(["bare"] if case[2] else [])])


@pytest.fixture(scope="module", params=[*ENVIRONMENTS, *matrix.FULL, *matrix.BARE], ids=name_of)
def emitted(request: pytest.FixtureRequest, compiled: Compiled) -> Emitted:
    """A sample, or an environment of the matrix."""
    return of_sample(request.param, compiled) if isinstance(request.param, str) else of_matrix(*request.param)


def of_sample(environment: str, compiled: Compiled) -> Emitted:
    platform = next(inputs(environment, "Environment"))["platform"]
    return Emitted(environment, Target(platform), list(of_environment(compiled.tree, environment)))


def of_matrix(openshift_ai: str, kueue: str, bare: bool) -> Emitted:
    files = matrix.files(openshift_ai, kueue, bare)
    found = compiled_from(files)
    assert [finding for finding in found.findings if finding.severity.name == "ERROR"] == []
    platform = json.loads(files["environments/x/environment.yaml"])["platform"]
    return Emitted("matrix", Target(platform), list(of_environment(found.tree, "x")))


def of_environment(tree: Tree, environment: str) -> Iterator[Object]:
    """Yield an environment's objects and those of the bases it builds on, as written."""
    for path, text in tree.items():
        folder, _, name = path.rpartition("/")
        if not folder.startswith(f"overlays/{environment}/") or name != "kustomization.yaml":
            continue
        for resource in objects(text)[0]["resources"]:
            base = f"{resource}/resources.yaml" if resource.startswith("../") else resource
            yield from objects(tree[posixpath.normpath(f"{folder}/{base}")])


def test_objects_are_accepted(emitted: Emitted) -> None:
    refused = {
        identity(found): problems
        for found in emitted.objects
        if emitted.target.has_schema(found) and (problems := list(emitted.target.problems(found)))
    }
    assert refused == {}


def test_kinds_without_a_schema_are_known(emitted: Emitted) -> None:
    lacking = {found["kind"] for found in emitted.objects if not emitted.target.has_schema(found)}
    assert lacking == WITHOUT_SCHEMA[emitted.case]


def test_server_adds_no_default_that_would_show_as_a_difference(emitted: Emitted) -> None:
    unknown = {kind: paths - ADDED.get(kind, set()) for kind, paths in added(emitted).items()}
    assert {kind: paths for kind, paths in unknown.items() if paths} == {}


def test_defaults_that_are_excused_occur_and_are_not_in_lists() -> None:
    occur: dict[str, set[str]] = {}
    for case in [*matrix.BARE, matrix.FULL[0]]:
        for kind, paths in added(of_matrix(*case)).items():
            occur.setdefault(kind, set()).update(paths)
    assert {kind: paths for kind, paths in occur.items() if paths} == ADDED
    assert [path for paths in ADDED.values() for path in paths if "[]" in path] == []


def added(emitted: Emitted) -> dict[str, set[str]]:
    """Return kind → fields that the server fills in."""
    found: dict[str, set[str]] = {}
    for item in emitted.objects:
        if emitted.target.has_schema(item) and identity(item).group not in BUILT_IN:
            found.setdefault(item["kind"], set()).update(emitted.target.defaults(item))
    return found
