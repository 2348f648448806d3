"""What is wrong with a policy is an error at its line, and the policy is not loaded."""

import pytest

from generator.policy.load import load
from tests.policy.written import PATH, said, text


def findings(**changes: str | None) -> list[str]:
    found, problems = load({PATH: text(**changes)})
    assert found == {}
    return [line.removeprefix(f"{PATH}:") for line in said(problems)]


EXAMPLE = "{name: two, plan: {shares: {owner: a, accelerators: 2}}}"


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({"kind": "Fleet"}, ["2:7 not-a-policy kind is Fleet"]),
        ({"apiVersion": None}, ["1:1 not-a-policy there is no apiVersion"]),
        ({"severity": "fatal"}, ["5:11 invalid-value severity is 'fatal'"]),
        (
            {"each": "plan.share"},
            ["6:7 invalid-policy policy too-many judges each of plan.share, which does not exist"],
        ),
        (
            {"source": "hearsay"},
            ["11:9 invalid-value source is 'hearsay', which is not an address that begins with https://"],
        ),
        (
            {"rule": "item.acelerators <= params.most"},
            ["7:7 invalid-policy policy too-many: rule reads item.acelerators, which does not exist"],
        ),
        (
            {"rule": "item.accelerators <= params.mots"},
            ["7:7 invalid-policy policy too-many: rule reads params.mots, which does not exist"],
        ),
        (
            {"rule": "has(item.acelerators)"},
            ["7:7 invalid-policy policy too-many: rule reads item.acelerators, which does not exist"],
        ),
        (
            {"rule": "item.zeros.all(z, z.name == 'x')"},
            ["7:7 invalid-policy policy too-many: rule reads z.name, which does not exist"],
        ),
        (
            {"rule": "environment.relase == '3.4'"},
            ["7:7 invalid-policy policy too-many: rule reads environment.relase, which does not exist"],
        ),
        (
            {"rule": "shell('rm')"},
            ["7:7 invalid-policy policy too-many: rule does not compile: 1:6: undeclared reference to 'shell'"],
        ),
        (
            {"rule": "1 + 'a' == 2"},
            [
                "7:7 invalid-policy policy too-many: rule does not compile: 1:3: found no matching overload for '_+_' "
                "applied to '(int, string)'"
            ],
        ),
        ({"rule": "1 + 1"}, ["7:7 invalid-policy policy too-many: rule gives int instead of bool"]),
        (
            {"where": "string(item.accelerators)"},
            ["14:8 invalid-policy policy too-many: where gives string instead of bool"],
        ),
        ({"message": "1"}, ["8:10 invalid-value message is 1, which is a number, not text"]),
        ({"message": "'1'"}, ["8:10 invalid-policy policy too-many: message gives int instead of string"]),
        (
            {"rule": f"item.owner != '{'x' * 2000}'"},
            [
                "7:7 invalid-policy policy too-many: rule does not compile: "
                "the expression has 2016 characters and 2000 are allowed"
            ],
        ),
        (
            {"rule": "item.zeros.all(a, item.zeros.all(b, item.zeros.all(c, item.zeros.all(d, a == d))))"},
            [
                "7:7 invalid-policy policy too-many: rule does not compile: "
                "the expression nests 4 loops and 3 are allowed"
            ],
        ),
        (
            {"rule": "item.owner.find('(a+)+$') == ''"},
            [
                "7:7 invalid-policy policy too-many: rule does not compile: find is not for policies: write matches, "
                "whose time is bounded"
            ],
        ),
        ({"examples": None}, ["1:1 missing-key this Policy lacks examples"]),
        (
            {"examples": f"{{pass: [{EXAMPLE}], fail: []}}"},
            ["13:78 invalid-policy policy too-many: there is no example that must fail"],
        ),
        (
            {"examples": f"{{pass: [{EXAMPLE}], fail: [{{name: none, plan: {{pools: []}}}}]}}"},
            ["13:85 invalid-policy policy too-many: example 'none' has no plan.shares"],
        ),
        (
            {"examples": f"{{pass: [{EXAMPLE}], fail: [{{name: odd, plan: {{shares: {{gpus: 3}}}}}}]}}"},
            ["13:85 invalid-policy policy too-many: example 'odd' has plan.shares[].gpus, which does not exist"],
        ),
        (
            {"examples": f"{{pass: [{EXAMPLE}], fail: [{{name: odd, params: {{least: 1}}, plan: {{shares: {{}}}}}}]}}"},
            ["13:85 invalid-policy policy too-many: example 'odd' sets least, which is no param"],
        ),
        (
            {"since": '"99.0"'},
            ["14:8 policy-needs-newer-version policy too-many is for Apportion 99.0 and later, and this is 0.1.0"],
        ),
        (
            {"effectiveOn": "2027-02-30"},
            ["14:14 invalid-value effectiveOn is '2027-02-30', which is no date of the calendar"],
        ),
    ],
)
def test_a_fault_is_told_at_its_line(changes: dict[str, str | None], expected: list[str]) -> None:
    assert findings(**changes) == expected


def test_the_edges_of_the_limits_pass() -> None:
    deep = "item.zeros.all(a, item.zeros.all(b, item.zeros.all(c, a == c)))"
    long = f"item.owner != '{'x' * 1984}'"
    assert len(long) == 2000
    for rule in (deep, long):
        found, problems = load({PATH: text(rule=rule)})
        assert (list(found), problems) == (["too-many"], [])


def test_an_unknown_field_comes_with_its_likely_spelling() -> None:
    _, (finding,) = load({PATH: text(rule="item.acelerators <= 2")})
    assert finding.fix is not None
    assert finding.fix.startswith("did you mean accelerators? item has owner, kind, ")


def test_one_id_is_loaded_once_and_both_places_are_named() -> None:
    other = "policies/own/zz.yaml"
    found, problems = load({PATH: text(), other: text(title="Another")})
    assert [policy.title for policy in found.values()] == ["Too many"]
    assert said(problems) == [f"{other}:3:1 defined-twice policy too-many is defined a second time"]
    assert [str(related.location) for related in problems[0].related] == [f"{PATH}:3:1"]


def test_a_file_that_is_no_yaml_is_told_and_the_others_load() -> None:
    found, problems = load({PATH: text(), "policies/bad.yaml": b"a: [\n"})
    assert (list(found), [problem.rule for problem in problems]) == (["too-many"], ["yaml-syntax"])
