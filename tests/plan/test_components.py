from __future__ import annotations

from typing import Any

import jsonschema_rs
import pytest
from syrupy.assertion import SnapshotAssertion

from generator.plan import component_fields
from generator.releases import load as releases
from tests.builders import findings, plan, rules, whole


def components(written: str, release: str = "3.4") -> dict[str, str]:
    """Return the components that are not Removed, by name."""
    found = plan(environment=f"components: {written}", openshift_ai=release, openshift="4.20").components
    return {state.component.name: state.state for state in found if state.state != "Removed"}


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        ("{}", {}),
        ("{dashboard: {}}", {"dashboard": "Managed"}),
        ("{dashboard: {managementState: Managed}, ray: {managementState: Removed}}", {"dashboard": "Managed"}),
        ("{kueue: {}}", {}),  # a state of its own
    ],
)
def test_what_is_listed_is_managed(written: str, expected: dict[str, str]) -> None:
    assert components(written) == expected


@pytest.mark.parametrize(
    ("written", "state"),
    [
        ("{}", "Unmanaged"),
        ("{kueue: {}}", "Unmanaged"),
        ("{kueue: {managementState: Unmanaged}}", "Unmanaged"),
        ("{kueue: {managementState: Removed}}", "Removed"),
    ],
)
@pytest.mark.parametrize("release", ["2.25", "3.5"])
def test_kueue(written: str, state: str, release: str) -> None:
    found = plan(environment=f"components: {written}", openshift_ai=release)
    assert found.kueue_state == state
    assert (found.default_queue is not None) is (release == "2.25" and state == "Unmanaged")


def test_every_component_of_the_release_has_a_state() -> None:
    found = plan(openshift_ai="2.25")
    assert {s.component.name: s.state for s in found.components} == dict.fromkeys(
        found.openshift_ai.components, "Removed"
    )
    assert (found.state("ray"), found.state("trainer")) == ("Removed", "Removed")


@pytest.mark.parametrize(
    ("written", "fields"),
    [
        ("{workbenches: {}}", {"workbenchNamespace": "rhods-notebooks"}),
        ("{workbenches: {workbenchNamespace: mine}}", {"workbenchNamespace": "mine"}),
        ("{workbenches: {managementState: Removed}}", {}),
    ],
)
def test_fields_over_defaults(written: str, fields: dict[str, str]) -> None:
    (found,) = (s for s in plan(environment=f"components: {written}").components if s.component.name == "workbenches")
    assert found.fields == fields


def test_nested_fields_keep_their_neighbours() -> None:
    written = "components: {kserve: {nim: {managementState: Removed}}}"
    (found,) = (s for s in plan(environment=written).components if s.component.name == "kserve")
    assert found.fields["nim"] == {"managementState": "Removed", "airGapped": False}
    assert found.fields["wva"] == {"managementState": "Removed"}
    again = next(s for s in plan(environment="components: {kserve: {}}").components if s.component.name == "kserve")
    assert again.fields["nim"] == {"managementState": "Managed", "airGapped": False}


@pytest.mark.parametrize(("serving", "expected"), [("Managed", "Managed"), ("Removed", "Removed")])
def test_dsci_follows_what_components_require(serving: str, expected: str) -> None:
    written = f"components: {{kserve: {{serving: {{managementState: {serving}}}}}}}"
    found = plan(environment=written, openshift_ai="2.25").dsci_spec
    assert found["serviceMesh"]["managementState"] == expected


@pytest.mark.parametrize(
    ("release", "name"), [("2.25", "platform-default"), ("3.4", "platform-default"), ("3.5", "default")]
)
def test_the_local_queue_of_the_operator_steps_aside(release: str, name: str) -> None:
    assert plan(openshift_ai=release).kueue_fields["defaultLocalQueueName"] == name


@pytest.mark.parametrize(
    ("release", "written", "expected"),
    [
        ("3.4", "{dashbord: {}}", ["environment.yaml:6:14 unknown-component"]),
        ("3.4", "{nonsense: {}}", ["environment.yaml:6:14 unknown-component"]),
        ("3.4", "{datasciencepipelines: {}}", ["environment.yaml:6:14 unknown-component"]),
        ("2.25", "{datasciencepipelines: {}}", ["environment.yaml:6:14 unknown-component"]),
        ("3.4", "{codeflare: {}}", ["environment.yaml:6:14 unknown-component"]),
        ("2.25", "{codeflare: {}}", []),
        ("2.25", "{trainer: {}}", ["environment.yaml:6:14 unknown-component"]),
        (
            "3.0",
            "{trainer: {}}",
            ["environment.yaml:6:14 unknown-component", "environment.yaml:4:1 no-channel-stays-on-release (warning)"],
        ),
        ("3.4", "{kueue: {managementState: Managed}}", ["environment.yaml:6:39 kueue-managed"]),
        ("2.25", "{kueue: {managementState: Managed}}", ["environment.yaml:6:39 kueue-managed"]),
        ("3.4", "{kueue: {managementState: Off}}", ["environment.yaml:6:39 invalid-value"]),
        ("3.4", "{kueue: {defaultLocalQueueName: x}}", ["environment.yaml:6:22 unknown-key"]),
        ("3.4", "{dashboard: {managementState: Unmanaged}}", ["environment.yaml:6:43 invalid-value"]),
        ("3.4", "{dashboard: {replicas: 1}}", ["environment.yaml:6:26 unknown-key"]),
        (
            "3.4",
            "{kserve: {rawDeploymentServiceConfig: Headles, nim: {managementState: 1}}}",
            ["environment.yaml:6:51 invalid-value", "environment.yaml:6:83 invalid-value"],
        ),
        ("3.4", "{workbenches: {workbenchNamespace: [a]}}", ["environment.yaml:6:48 invalid-value"]),
        ("3.4", "{trustyai: {eval: {}}}", ["environment.yaml:6:31 invalid-value"]),
        ("3.4", "{trustyai: {eval: {lmeval: {permit: allow}}}}", ["environment.yaml:6:41 unknown-key"]),
        ("3.4", "{workbenches: {workbenchNamespace: A}}", ["environment.yaml:6:48 invalid-value"]),
        (
            "2.25",
            "{kserve: {defaultDeploymentMode: Serverless}}",
            ["environment.yaml:6:46 component-conflict"],
        ),
        ("2.25", "{kserve: {defaultDeploymentMode: Serverless, serving: {managementState: Managed}}}", []),
        ("2.25", "{kserve: {managementState: Removed, defaultDeploymentMode: Serverless}}", []),
        (
            "3.5",
            "{kserve: {modelsAsService: {managementState: Managed}}}",
            ["environment.yaml:6:40 component-conflict (warning)"],
        ),
        ("3.4", "{kserve: {modelsAsService: {managementState: Managed}}}", []),
        ("3.5", "{kserve: {modelCache: {nodeNames: x}}}", ["environment.yaml:6:47 invalid-value"]),
        ("3.4", "{trustyai: {mcpGuardrailsMode: 1.5}}", ["environment.yaml:6:44 invalid-value"]),
    ],
)
def test_refused(release: str, written: str, expected: list[str], snapshot: SnapshotAssertion) -> None:
    found = findings(environment=f"components: {written}", openshift_ai=release)
    assert rules(found) == expected
    assert whole(found) == snapshot


JUNK: tuple[Any, ...] = (
    True,
    False,
    0,
    1,
    "",
    "Managed",
    "Removed",
    "Headless",
    "x",
    1.5,
    None,
    [],
    ["Managed"],
    {},
    {"a": 1},
)


@pytest.mark.parametrize("release", releases.known("openshift-ai"))
def test_what_fits_beyond_doubt_is_what_the_engine_takes(release: str) -> None:
    found = releases.openshift_ai(release)
    assert found is not None
    taken = 0
    for component in found.components.values():
        engine = jsonschema_rs.validator_for(dict(component.schema))
        for name in [*component.schema["properties"], "unknown"]:
            inner = component.schema["properties"].get(name, {}).get("properties", {})
            for value in (*JUNK, *({key: junk} for key in inner for junk in JUNK)):
                if component_fields.fits(component.schema, {name: value}):
                    taken += 1
                    assert engine.is_valid({name: value}), (component.name, name, value)
    assert taken >= len(found.components)
