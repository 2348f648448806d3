"""Hardware profiles that the dashboard hides, and the nearest that it shows."""

from __future__ import annotations

from typing import Any

import pytest

from generator.validate.admission import hardware_profile
from tests.validate.builders import GPU, Body, body, profile

COUNTS: list[tuple[str, Any, str]] = [
    ("memory", "1024Gi", ""),
    ("memory", "512Mi", ""),
    ("memory", "2.0Gi", ""),
    ("memory", "1Ti", "write 1024Gi"),
    ("memory", "1.5Gi", "write 1536Mi"),
    ("memory", 2**31, "write 2Gi"),
    ("memory", "4G", "write a whole number of Gi or Mi"),
    ("memory", "4 Gi", "write a whole number of Gi or Mi"),
    ("memory", "abc", "write a whole number of Gi or Mi"),
    ("cpu", "500m", ""),
    ("cpu", "1500m", ""),
    ("cpu", 2, ""),
    ("cpu", "0.5", "write 500m"),
    ("cpu", "4k", "write 4000"),
    ("cpu", "abc", "write a whole number of cores or millicores (m)"),
    (GPU, "2", ""),
    (GPU, "1k", "write 1000"),
    (GPU, "2Gi", "write 2147483648"),
    (GPU, "1.5", "write a whole number of 0 or more"),
    (GPU, -1, "write a whole number of 0 or more"),
]


def of_counts(name: str, count: Any, **more: Any) -> Body:
    """Return a profile of which one identifier has this least count."""
    made = profile()
    for identifier in made["spec"]["identifiers"]:
        if identifier["identifier"] == name:
            identifier |= {"minCount": count, "defaultCount": count, **more}
            identifier.pop("maxCount")
    return made


@pytest.mark.parametrize(("name", "count", "fix"), COUNTS)
@pytest.mark.parametrize("by_type", [True, False])
def test_counts(name: str, count: Any, fix: str, by_type: bool) -> None:
    made = of_counts(name, count)
    if not by_type:
        for identifier in made["spec"]["identifiers"]:
            identifier.pop("resourceType")
    index = ["cpu", "memory", GPU].index(name)
    keys = ("minCount", "defaultCount") if fix else ()
    found = [(v.rule, v.path, v.fix) for v in hardware_profile.validate(made)]
    assert found == [("profile-count", f"spec.identifiers[{index}].{key}", fix) for key in keys]


@pytest.mark.parametrize(("count", "said"), [(0, ["warning"] * 2), ("0", ["warning"] * 2), (1, [])])
def test_a_count_of_zero(count: Any, said: list[str]) -> None:
    assert [v.severity for v in hardware_profile.validate(of_counts(GPU, count))] == said


def visible(written: str | None) -> Body:
    marks = {} if written is None else {"annotations": {hardware_profile.VISIBILITY: written}}
    return body("v1", "HardwareProfile", "p", metadata=marks, spec=profile()["spec"])


@pytest.mark.parametrize(
    ("written", "features", "said"),
    [
        (None, [], []),
        ("", [], []),
        ("[]", [], []),
        ('["workbench"]', ["workbench"], []),
        ("workbench", None, ["warning"]),
        ("{}", None, ["warning"]),
        ('["workbenches"]', ["workbenches"], ["warning"]),
        ("[5]", ["5"], ["warning"]),
    ],
)
def test_visibility(written: str | None, features: list[str] | None, said: list[str]) -> None:
    assert hardware_profile.visibility(visible(written)) == features
    assert [v.severity for v in hardware_profile.validate(visible(written))] == said


@pytest.mark.parametrize(("name", "rules"), [("CPU", []), ("", ["profile-name-empty"]), (" ", ["profile-name-empty"])])
def test_an_identifier_is_shown_by_its_name(name: str, rules: list[str]) -> None:
    assert [v.rule for v in hardware_profile.validate(of_counts("cpu", 1, displayName=name))] == rules


def test_cpu_and_memory_are_told_by_their_names_too() -> None:
    other = of_counts("cpu", 1, identifier="cpus", resourceType="Accelerator")
    assert [v.rule for v in hardware_profile.validate(other)] == ["profile-without-cpu-or-memory"]
