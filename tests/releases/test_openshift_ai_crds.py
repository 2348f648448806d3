"""What the data says of OpenShift AI, against the CRDs of each release."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import jsonschema
import pytest

from generator.releases import load
from generator.releases.model import OpenShiftAI
from tests.releases import crds

DSC = "datascienceclusters.datasciencecluster.opendatahub.io"
DSCI = "dscinitializations.dscinitialization.opendatahub.io"
PROFILE = "hardwareprofiles.infrastructure.opendatahub.io"
DASHBOARD = "odhdashboardconfigs.opendatahub.io"


@pytest.fixture(params=load.known("openshift-ai"))
def release(request: pytest.FixtureRequest) -> OpenShiftAI:
    found = load.openshift_ai(request.param)
    assert found is not None
    return found


def folder(release: OpenShiftAI) -> str:
    return f"openshift-ai-{release.version}"


def components(release: OpenShiftAI) -> dict[str, Any]:
    schema = crds.schema(folder(release), DSC, release.dsc_api.split("/")[1], "spec", "components")
    properties: dict[str, Any] = schema["properties"]
    return properties


@pytest.mark.parametrize(
    ("plural", "field"),
    [(DSC, "dsc_api"), (DSCI, "dsci_api"), (PROFILE, "hardware_profile_api"), (DASHBOARD, "dashboard_api")],
)
def test_api_is_the_stored_version(release: OpenShiftAI, plural: str, field: str) -> None:
    group, _, version = getattr(release, field).partition("/")
    assert group == crds.crd(folder(release), plural)["spec"]["group"]
    assert [name for name, of in crds.versions(folder(release), plural).items() if of["storage"]] == [version]


def test_components_are_those_of_the_crd(release: OpenShiftAI) -> None:
    assert {component.key for component in release.components.values()} | {"kueue"} == set(components(release))


def test_states_are_those_of_the_crd(release: OpenShiftAI) -> None:
    of = components(release)
    for component in release.components.values():
        assert list(component.states) == of[component.key]["properties"]["managementState"]["enum"], component.name
    assert set(release.kueue_states) < set(of["kueue"]["properties"]["managementState"]["enum"]) | {"Managed"}


def test_defaults_leave_nothing_to_the_server(release: OpenShiftAI) -> None:
    of = components(release)
    for component in release.components.values():
        written = {"managementState": "Managed", **component.defaults}
        assert crds.defaulted(of[component.key], written) == written, component.name
        assert list(crds.pruned(of[component.key], written)) == [], component.name
        jsonschema.validate(written, of[component.key])
        jsonschema.validate(written, component.schema)
    kueue = {"managementState": "Unmanaged", **release.kueue_component}
    assert crds.defaulted(of["kueue"], kueue) == kueue
    assert list(crds.pruned(of["kueue"], kueue)) == []


def leaves(schema: dict[str, Any], path: str = "") -> Iterator[tuple[str, Any]]:
    for key, child in schema.get("properties", {}).items():
        yield f"{path}.{key}", child.get("enum")
        yield from leaves(child, f"{path}.{key}")
        yield from leaves(child.get("items", {}), f"{path}.{key}[]")


def test_schema_has_the_fields_and_values_of_the_crd(release: OpenShiftAI) -> None:
    """`devFlags` is left out on purpose: it points a component at manifests from anywhere."""
    for component in release.components.values():
        real = {path: enum for path, enum in leaves(components(release)[component.key]) if ".devFlags" not in path}
        assert dict(leaves(dict(component.schema))) == real, component.name


@pytest.mark.parametrize(
    ("version", "component", "value", "message"),
    [
        ("3.4", "kserve", {"serving": {}}, "Additional properties are not allowed ('serving' was unexpected)"),
        (
            "3.4",
            "kserve",
            {"nim": {"airgapped": True}},
            "Additional properties are not allowed ('airgapped' was unexpected)",
        ),
        ("3.3", "kserve", {"wva": {}}, "Additional properties are not allowed ('wva' was unexpected)"),
        ("3.4", "dashboard", {"managementState": "Unmanaged"}, "'Unmanaged' is not one of ['Managed', 'Removed']"),
        ("3.4", "trustyai", {"eval": {}}, "'lmeval' is a required property"),
        ("3.5", "kserve", {"modelCache": {"nodeNames": []}}, "[] should be non-empty"),
    ],
)
def test_schema_refuses(version: str, component: str, value: dict[str, Any], message: str) -> None:
    release = load.openshift_ai(version)
    assert release is not None
    errors = jsonschema.Draft202012Validator(dict(release.components[component].schema)).iter_errors(value)
    assert [error.message for error in errors] == [message]


def test_dsci_spec_is_accepted_as_it_stands(release: OpenShiftAI) -> None:
    of = crds.schema(folder(release), DSCI, release.dsci_api.split("/")[1], "spec")
    jsonschema.validate(release.dsci_spec, of)
    assert list(crds.pruned(of, release.dsci_spec)) == []
    assert crds.defaulted(of, release.dsci_spec) == release.dsci_spec
    for component in release.components.values():
        for requirement in component.requirements:
            assert list(crds.pruned(of, requirement.dsci_spec)) == []
    assert release.dsci_spec["applicationsNamespace"] == release.applications_namespace
    assert release.dsci_spec["monitoring"]["namespace"] == release.monitoring_namespace


def test_dashboard_flags_exist_and_are_not_deprecated(release: OpenShiftAI) -> None:
    of = crds.schema(folder(release), DASHBOARD, "v1alpha", "spec", "dashboardConfig")
    rules = " ".join(rule["rule"] for rule in of.get("x-kubernetes-validations", []))
    for flag in release.dashboard_flags:
        assert of["properties"][flag]["type"] == "boolean"
        assert f"self.{flag}" not in rules
        assert "x-kubernetes-validations" not in of["properties"][flag]


def test_trainer_is_there_where_its_crds_are(release: OpenShiftAI) -> None:
    assert (release.trainer is not None) == (
        "ClusterTrainingRuntime" in crds.kinds(folder(release), "trainer.kubeflow.org")
    )
    assert (release.trainer is not None) == ("trainer" in release.components) == bool(release.shipped_runtimes)


def test_ml_policies_are_those_of_the_crd(release: OpenShiftAI) -> None:
    if release.trainer is None:
        assert release.version in {"2.25", "3.0"}
        return
    version = release.trainer.api.split("/")[1]
    of = crds.schema(folder(release), "clustertrainingruntimes.trainer.kubeflow.org", version, "spec", "mlPolicy")
    assert set(release.trainer.ml_policies) == set(of["properties"]) - {"numNodes"}
    assert release.trainer.torch_num_proc == ("numProcPerNode" in of["properties"]["torch"]["properties"])
    assert set(release.trainer.frameworks.values()) <= set(release.trainer.ml_policies)
