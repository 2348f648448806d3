from __future__ import annotations

import pytest
from syrupy.assertion import SnapshotAssertion

from generator.plan.resolve import resolve
from tests.builders import findings, inputs, plan, quota, rules, whole


def cohorts(*items: str) -> str:
    """Return quotas with one cohort a line, from the fourth line of the file on."""
    return "cohorts:\n" + "".join(f"- {item}\n" for item in items)


def test_chain() -> None:
    found = plan(
        quotas=cohorts("{name: c, parent: b}", "{name: b, parent: a, fairShareWeight: 0.5}", "{name: a}")
    ).cohorts
    assert [(c.name, c.parent, c.weight) for c in found] == [("a", None, None), ("b", "a", 500), ("c", "b", None)]


@pytest.mark.parametrize(
    ("limits", "expected"),
    [
        ("", ("4", None, None)),
        (", borrow: 0, lend: 0", ("4", "0", "0")),
        (", borrow: 2, lend: 8", ("4", "2", "8")),  # a Cohort may lend more than it owns
        (", lend: 50%", ("4", None, "2")),
    ],
)
def test_quota_of_its_own(limits: str, expected: tuple[str | None, ...]) -> None:
    own = f"{{name: b, parent: a, quota: {{h100: {{accelerators: 4{limits}}}}}}}"
    _, cohort = plan(quotas=cohorts("{name: a}", own)).cohorts
    assert [quota(flavor)["nvidia.com/gpu"] for flavor in cohort.flavors] == [expected]


@pytest.mark.parametrize(
    ("items", "expected"),
    [
        (["{name: a}", "{name: b, parent: a}", "{name: c, parent: b}"], []),
        (["{name: a, parent: b}", "{name: b, parent: a}"], ["quotas.yaml:4:13 cohort-loop"]),
        (["{name: a, parent: a}"], ["quotas.yaml:4:13 cohort-loop"]),
        (
            ["{name: b, parent: c}", "{name: c, parent: a}", "{name: a, parent: b}", "{name: d, parent: a}"],
            ["quotas.yaml:4:13 cohort-loop"],
        ),
        (["{name: d, parent: a}", "{name: a, parent: b}", "{name: b, parent: a}"], ["quotas.yaml:5:13 cohort-loop"]),
        (["{name: org}", "{name: b, parent: orgs}"], ["quotas.yaml:5:21 unknown-cohort"]),
        (["{name: org, parent: nowhere}"], ["quotas.yaml:4:23 unknown-cohort"]),
        (["{name: a, quota: {h10: {cpu: 1}}}"], ["quotas.yaml:4:21 unknown-pool"]),
        (["{name: a, quota: {h100: {accelerators: 4, borrow: 1}}}"], ["quotas.yaml:4:45 borrow-without-parent-cohort"]),
        (["{name: a, quota: {h100: {accelerators: 4, lend: 1}}}"], ["quotas.yaml:4:45 lend-without-parent-cohort"]),
    ],
)
def test_refused(items: list[str], expected: list[str], snapshot: SnapshotAssertion) -> None:
    found = findings(quotas=cohorts(*items))
    assert rules(found) == expected
    assert whole(found) == snapshot


def test_loop_names_its_other_members() -> None:
    _, found = resolve(inputs(quotas=cohorts("{name: a, parent: b}", "{name: b, parent: a}")), None)
    assert [(r.location.line, r.message) for f in found for r in f.related] == [(5, "cohort b")]
    assert len(found) == 1


@pytest.mark.parametrize(
    ("items", "expected"),
    [
        (["{name: a}"], []),
        (["{name: a}", "{name: b, parent: a}"], ["quotas.yaml:5:13 unsupported-by-release"]),
        (
            ["{name: a, fairShareWeight: 2, quota: {h100: {accelerators: 1}}}"],
            [
                "quotas.yaml:4:33 unsupported-by-release",
                "quotas.yaml:4:13 unsupported-by-release",
            ],
        ),
    ],
)
def test_release_without_cohort_objects(items: list[str], expected: list[str], snapshot: SnapshotAssertion) -> None:
    found = findings(openshift_ai="2.25", openshift="4.18", kueue="1.1", quotas=cohorts(*items))
    assert rules(found) == expected
    assert whole(found) == snapshot
