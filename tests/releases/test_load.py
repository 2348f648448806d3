"""Every data file loads, says the same to every YAML reader, and refers only to what exists."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

import generator
from generator import facts
from generator.releases import load
from generator.releases.model import Advisory, GitOps, Kueue, OpenShiftAI, Operator, Requirement

PACKAGE = Path(generator.__file__).parent
FILES = sorted([*(PACKAGE / "releases").rglob("*.yaml"), *(PACKAGE / "accelerators").glob("*.yaml")])
PRODUCTS = {
    "openshift-ai": ("2.25", "3.0", "3.2", "3.3", "3.4", "3.5"),
    "kueue": ("1.0", "1.1", "1.2", "1.3", "1.4"),
    "gitops": ("1.16", "1.17", "1.18", "1.19", "1.20", "1.21"),
}
FRAMEWORKS = {framework for version in PRODUCTS["kueue"] for framework in load.kueue(version).frameworks}  # type: ignore[union-attr]


def ai() -> Iterator[OpenShiftAI]:
    for version in load.known("openshift-ai"):
        release = load.openshift_ai(version)
        assert release is not None
        yield release


def kueues() -> Iterator[Kueue]:
    for version in load.known("kueue"):
        release = load.kueue(version)
        assert release is not None
        yield release


def gitops() -> Iterator[GitOps]:
    for version in load.known("gitops"):
        release = load.gitops(version)
        assert release is not None
        yield release


def operators() -> Iterator[Operator]:
    yield from map(load.operator, load.operator_ids())


def scalars(value: Any) -> Iterator[Any]:
    if isinstance(value, dict):
        for key, child in value.items():
            yield key
            yield from scalars(child)
    elif isinstance(value, list):
        for child in value:
            yield from scalars(child)
    else:
        yield value


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(PACKAGE)))
def test_every_reader_sees_the_same(path: Path) -> None:
    data = yaml.safe_load(path.read_bytes())
    assert facts.document(path) == data
    assert {type(scalar) for scalar in scalars(data)} <= {str, int, bool, type(None)}


@pytest.mark.parametrize("product", PRODUCTS)
def test_known_versions_in_numeric_order(product: str) -> None:
    assert load.known(product) == PRODUCTS[product]


def test_unknown() -> None:
    assert (load.openshift_ai("3.1"), load.kueue("1.5"), load.gitops("1.2")) == (None, None, None)
    with pytest.raises(KeyError, match="advisories"):
        load.known("advisories")
    with pytest.raises(KeyError, match=r"\.\./kueue/1\.3"):
        load.operator("../kueue/1.3")


def test_each_file_is_read_when_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    read: list[str] = []
    document = facts.document

    def noted(path: Path) -> Any:
        read.append(path.name)
        return document(path)

    monkeypatch.setattr(facts, "document", noted)
    load.kueue.cache_clear()
    assert load.kueue("1.3") is load.kueue("1.3")
    assert read == ["1.3.yaml"]


def test_every_entry_has_a_source() -> None:
    everything: list[Any] = [*ai(), *kueues(), *gitops(), *operators()]
    assert [item for item in everything if not item.sources] == []
    assert [item.id for item in load.advisories() if not item.source] == []


@pytest.mark.parametrize(
    "release", [*ai(), *kueues()], ids=lambda release: f"{type(release).__name__} {release.version}"
)
def test_a_release_names_its_channel_among_its_channels(release: OpenShiftAI | Kueue) -> None:
    assert release.channel in release.channels
    name = "kueue" if isinstance(release, Kueue) else "openshift-ai"
    operator = load.operator(name)
    assert operator.channel_by[name][release.version] == release.channel
    assert operator.channels_by[name][release.version] == release.channels


@pytest.mark.parametrize("operator", list(operators()), ids=lambda operator: operator.id)
def test_operator_is_consistent(operator: Operator) -> None:
    assert operator.channel in operator.channels or operator.channels == ()
    by_release = [channels for by in operator.channels_by.values() for channels in by.values()]
    assert not by_release or set(operator.channels) == {channel for channels in by_release for channel in channels}
    assert operator.group in {"all", "own", "none"}
    assert (operator.group == "none") == (operator.namespace == "openshift-operators")
    assert set(operator.requires) <= set(load.operator_ids())
    assert operator.csv_prefix.endswith((".", ".v"))
    assert set(operator.openshift_ai or ()) <= set(PRODUCTS["openshift-ai"])
    assert {operand.namespace for operand in operator.operands} <= {None, operator.namespace}


def test_required_operators_have_no_loop() -> None:
    def descend(name: str, above: tuple[str, ...] = ()) -> None:
        assert name not in above, f"{' -> '.join(above)} -> {name}"
        for needed in load.operator(name).requires:
            descend(needed, (*above, name))

    for name in load.operator_ids():
        descend(name)


@pytest.mark.parametrize("release", list(ai()), ids=lambda release: release.version)
def test_components_refer_to_what_exists(release: OpenShiftAI) -> None:
    for name, component in release.components.items():
        conditional = {key for requirement in component.requirements for key in requirement.operators}
        needed = {*component.operators, *component.suggested, *conditional}
        assert name == component.name
        assert needed <= set(load.operator_ids()), name
        assert all(release.version in (load.operator(key).openshift_ai or (release.version,)) for key in needed), name
        assert set(component.frameworks) <= FRAMEWORKS, name
    assert set(release.operators) <= set(load.operator_ids())
    assert set(release.renamed.values()) <= set(release.components)
    assert not release.components.keys() & {"kueue", *release.removed, *release.renamed}
    assert set(release.rolling_channels) <= set(release.channels)


def test_service_mesh_and_serverless_come_with_serverless_serving_on_2_25_only() -> None:
    needs = {
        release.version: [
            requirement.operators
            for requirement in release.components["kserve"].requirements
            if requirement.holds({"serving": {"managementState": "Managed"}})
        ]
        for release in ai()
    }
    assert needs == {"2.25": [("service-mesh", "serverless")], "3.0": [], "3.2": [], "3.3": [], "3.4": [], "3.5": []}


@pytest.mark.parametrize(
    ("spec", "holds"),
    [
        ({"wva": {"managementState": "Managed"}}, True),
        ({"wva": {"managementState": "Removed"}}, False),
        ({"wva": {}}, False),
        ({"wva": "Managed"}, False),
        ({}, False),
    ],
)
def test_requirement_holds(spec: dict[str, Any], holds: bool) -> None:
    assert Requirement(("wva", "managementState"), "Managed", ("x",), {}).holds(spec) is holds


def advisories(
    components: set[str], openshift_ai: str, kueue: str, openshift: str = "4.20", manual: frozenset[str] = frozenset()
) -> list[str]:
    given = {"components": frozenset(components), "openshift_ai": openshift_ai, "kueue": kueue, "openshift": openshift}
    given |= {"manual": manual}
    return [advisory.id for advisory in load.advisories() if advisory.matches(**given)]  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("components", "openshift_ai", "kueue", "expected"),
    [
        ({"trainer"}, "3.4", "1.4", ["trainjob-never-resumed"]),
        ({"trainer"}, "3.4", "1.3", []),
        ({"ray"}, "3.4", "1.4", []),
        ({"trainer"}, "3.3", "1.1", ["trainjob-framework-missing"]),
        ({"trainer"}, "3.3", "1.2", []),
        ({"sparkoperator"}, "3.5", "1.3", ["sparkapplication-framework-missing"]),
        ({"sparkoperator"}, "3.5", "1.4", []),
        ({"trainer", "trainingoperator"}, "3.3", "1.3", ["training-operator-deprecated", "training-roles-collide"]),
        (set(), "3.2", "1.3", ["no-channel-stays-on-release"]),
        (set(), "2.25", "1.2", []),
    ],
)
def test_advisories(components: set[str], openshift_ai: str, kueue: str, expected: list[str]) -> None:
    assert advisories(components, openshift_ai, kueue) == expected


def test_manual_approval_settles_a_rolling_channel() -> None:
    assert advisories(set(), "3.2", "1.3", manual=frozenset({"openshift-ai"})) == []
    assert advisories(set(), "3.2", "1.3", manual=frozenset({"kueue"})) == ["no-channel-stays-on-release"]


def test_advisory_of_an_openshift_release() -> None:
    advisory = Advisory("old-nodes", "info", (), (), (), (), (), ("4.16",), "", "message", "fix", "source")
    given = {"components": frozenset[str](), "manual": frozenset[str](), "openshift_ai": "2.25", "kueue": "1.2"}
    assert [advisory.matches(openshift=minor, **given) for minor in ("4.16", "4.17")] == [True, False]  # type: ignore[arg-type]


def test_every_advisory_names_what_exists() -> None:
    components = {name for release in ai() for name in release.components}
    for advisory in load.advisories():
        assert advisory.severity in {"error", "warning", "info"}
        assert set(advisory.components) <= components
        assert set(advisory.openshift_ai) <= set(PRODUCTS["openshift-ai"])
        assert set(advisory.kueue) <= set(PRODUCTS["kueue"])
