"""policyParameters: the environment's win over the fleet's; what no policy has is told with its likely spelling."""

import pytest

from generator.policy.parameters import resolve
from tests import builders
from tests.policy.written import policy

POLICIES = [policy(params="{most: 2, ratio: 1.5, names: [a], strict: false, pattern: x}")]
DEFAULTS = {"most": 2, "ratio": 1.5, "names": ["a"], "strict": False, "pattern": "x"}


def resolved(fleet: str = "{}", environment: str = "{}") -> tuple[dict[str, object], list[str]]:
    plan = builders.plan(fleet=f"policyParameters: {fleet}", environment=f"policyParameters: {environment}")
    values, findings = resolve(plan, POLICIES)
    return dict(values["too-many"]), [f"{f.location} {f.rule} {f.message} -> {f.fix}" for f in findings]


@pytest.mark.parametrize(
    ("fleet", "environment", "changed"),
    [
        ("{}", "{}", {}),
        ("{most: 3}", "{}", {"most": 3}),
        ("{most: 3}", "{most: 4}", {"most": 4}),
        ("{most: 3}", "{ratio: 2}", {"most": 3, "ratio": 2.0}),
        ("{}", "{names: [b, c], strict: true, pattern: ''}", {"names": ["b", "c"], "strict": True, "pattern": ""}),
    ],
)
def test_the_environment_wins(fleet: str, environment: str, changed: dict[str, object]) -> None:
    assert resolved(fleet, environment) == ({**DEFAULTS, **changed}, [])


def test_a_whole_number_becomes_the_decimal_that_the_policy_reckons_with() -> None:
    values, _ = resolved("{ratio: 2}")
    assert isinstance(values["ratio"], float)


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        (
            "{mots: 3}",
            "6:20 unknown-policy-parameter policyParameters has mots, which no policy has -> "
            "did you mean most? parameters are most, names, pattern, ratio, strict",
        ),
        (
            "{most: 1.5}",
            "6:26 invalid-policy-parameter policyParameters.most is 1.5 -> write a whole number, such as 2",
        ),
        (
            "{most: true}",
            "6:26 invalid-policy-parameter policyParameters.most is true -> write a whole number, such as 2",
        ),
        (
            "{ratio: all}",
            "6:27 invalid-policy-parameter policyParameters.ratio is 'all' -> write a number, such as 1.5",
        ),
        (
            "{strict: 1}",
            "6:28 invalid-policy-parameter policyParameters.strict is 1 -> write true or false, such as false",
        ),
        ("{names: b}", "6:27 invalid-policy-parameter policyParameters.names is 'b' -> write a list, such as [\"a\"]"),
    ],
)
def test_what_is_wrong_is_told_at_its_place_and_does_not_count(written: str, expected: str) -> None:
    values, findings = resolved(environment=written)
    assert (values, findings) == (DEFAULTS, [f"environments/prod/environment.yaml:{expected}"])
