"""What the data says of the Red Hat build of Kueue, of Argo CD and of operands, against their CRDs."""

from __future__ import annotations

from typing import Any

import jsonschema
import pytest

from generator.releases import load
from generator.releases.model import Kueue, Operand
from tests.releases import crds

QUEUE = "clusterqueues.kueue.x-k8s.io"
LEFT_OUT = {"Workload"}  # made by Kueue, never written


@pytest.fixture(params=load.known("kueue"))
def release(request: pytest.FixtureRequest) -> Kueue:
    found = load.kueue(request.param)
    assert found is not None
    return found


def folder(release: Kueue) -> str:
    return f"red-hat-kueue-{release.version}"


def spec(release: Kueue, plural: str) -> dict[str, Any]:
    return crds.schema(folder(release), plural, release.api.split("/")[1], "spec")


def test_kinds_are_those_that_are_installed(release: Kueue) -> None:
    assert release.kinds == crds.kinds(folder(release), "kueue.x-k8s.io") - LEFT_OUT


def test_api_is_the_stored_version_and_first_of_the_served(release: Kueue) -> None:
    found = crds.versions(folder(release), QUEUE)
    assert [f"kueue.x-k8s.io/{name}" for name, of in found.items() if of["storage"]] == [release.api]
    assert {f"kueue.x-k8s.io/{name}" for name, of in found.items() if of["served"]} == set(release.served_apis)
    assert release.served_apis[0] == release.api


def test_fields_of_cluster_queue(release: Kueue) -> None:
    properties = spec(release, QUEUE)["properties"]
    assert [name for name in properties if name.startswith("cohort")] == [release.cohort_field]
    assert release.admission_checks_field in properties
    weight = spec(release, "localqueues.kueue.x-k8s.io")["properties"].get("fairSharing", {})
    assert release.local_queue_weight == bool(weight)


def test_limits(release: Kueue) -> None:
    groups = spec(release, QUEUE)["properties"]["resourceGroups"]
    group = groups["items"]["properties"]
    flavor = spec(release, "resourceflavors.kueue.x-k8s.io")["properties"]
    operator = crds.schema(
        folder(release), "kueues.kueue.openshift.io", "v1", "spec", "config", "integrations", "frameworks"
    )
    expected = {
        "resourceGroups": groups["maxItems"],
        "coveredResources": group["coveredResources"]["maxItems"],
        "flavors": group["flavors"]["maxItems"],
        "resources": group["flavors"]["items"]["properties"]["resources"]["maxItems"],
        "nodeLabels": flavor["nodeLabels"]["maxProperties"],
        "nodeTaints": flavor["nodeTaints"]["maxItems"],
        "tolerations": flavor["tolerations"]["maxItems"],
        "frameworks": operator["maxItems"],
    }
    totals = {"totalFlavors": 256, "totalCoveredResources": 256, "resourcesPerGroup": 512}
    if "Topology" in release.kinds:
        levels = spec(release, "topologies.kueue.x-k8s.io")["properties"]["levels"]
        expected |= {"topologyLevels": levels["maxItems"], **totals}
    assert release.limits == expected
    assert list(release.frameworks) == operator["items"]["enum"]


def test_fungibility(release: Kueue) -> None:
    properties = spec(release, QUEUE)["properties"]["flavorFungibility"]["properties"]
    for field, values in release.fungibility.items():
        real = properties.get(field, {"enum": []})
        assert sorted(values) == sorted(real["enum"]), field
        assert values[:1] == ((real["default"],) if "default" in real else values[:1]), field
    assert set(properties) == {field for field, values in release.fungibility.items() if values}


def test_admission_fair_sharing_is_a_field_of_the_operator(release: Kueue) -> None:
    config = crds.schema(folder(release), "kueues.kueue.openshift.io", "v1", "spec", "config")
    assert release.admission_fair_sharing == ("admissionFairSharing" in config["properties"])
    assert release.operator_api == "kueue.openshift.io/v1"


def test_frameworks_refer_to_frameworks(release: Kueue) -> None:
    implied = {framework for frameworks in release.implied.values() for framework in frameworks}
    assert {*release.broken_frameworks, *release.implied, *implied, *release.framework_operators} <= set(
        release.frameworks
    )
    needed = {name for names in release.framework_operators.values() for name in names}
    assert needed <= set(load.operator_ids())


def test_aggregation_conversion_and_label_scope_by_release() -> None:
    found = {version: load.kueue(version) for version in load.known("kueue")}
    assert [version for version, of in found.items() if of and of.roles_aggregated] == ["1.4"]
    assert [version for version, of in found.items() if of and of.affinity_labels == "flavor"] == ["1.4"]
    assert {version: of.webhooks_since for version, of in found.items() if of and of.webhooks_since} == {"1.4": "1.4.1"}


PATHS = {
    "automated.enabled": ("applications", ["syncPolicy", "automated", "enabled"]),
    "retry.refresh": ("applications", ["syncPolicy", "retry", "refresh"]),
    "clusterResourceWhitelist.name": ("appprojects", ["clusterResourceWhitelist", "items", "name"]),
    "destinationServiceAccounts": ("appprojects", ["destinationServiceAccounts"]),
    "signatureKeys": ("appprojects", ["signatureKeys"]),
}


@pytest.mark.parametrize(("gitops", "argo_cd"), [("1.18", "3.1"), ("1.19", "3.1"), ("1.20", "3.3")])
def test_argo_cd_fields(gitops: str, argo_cd: str) -> None:
    found = set()
    for field, (plural, path) in PATHS.items():
        schema = crds.schema(f"argo-cd-{argo_cd}", f"{plural}.argoproj.io", "v1alpha1", "spec")
        for key in path:
            schema = schema.get("items", {}) if key == "items" else schema.get("properties", {}).get(key, {})
        found |= {field} if schema else set()
    release = load.gitops(gitops)
    assert release is not None
    assert release.argo_cd.startswith(f"{argo_cd}.")
    assert release.fields == found


@pytest.mark.parametrize(
    ("folder", "plural", "name"),
    [
        ("jobset-operator", "jobsetoperators.operator.openshift.io", "jobset"),
        ("lws-operator", "leaderworkersetoperators.operator.openshift.io", "leader-worker-set"),
    ],
)
def test_operand_is_accepted_as_it_stands(folder: str, plural: str, name: str) -> None:
    operand: Operand = load.operator(name).operands[0]
    group, _, version = operand.api_version.partition("/")
    found = crds.crd(folder, plural)["spec"]
    of = crds.schema(folder, plural, version, "spec")
    assert (found["group"], found["names"]["kind"]) == (group, operand.kind)
    assert (found["scope"] == "Namespaced") == (operand.namespace is not None)
    jsonschema.validate(operand.spec, of)
    assert list(crds.pruned(of, operand.spec)) == []
    assert crds.defaulted(of, operand.spec) == operand.spec
