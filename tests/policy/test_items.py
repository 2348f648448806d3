"""What policies judge has exactly the fields that are promised, in the types that are promised."""

from typing import Any

import pytest

from generator.environment.load import load
from generator.plan.ledger import Ledger
from generator.plan.resolve import resolve
from generator.policy.fields import Form, ListOf, MapOf, Record
from generator.policy.items import CHANGES, item_forms
from generator.policy.model import Item
from generator.policy.sharing import Sharing
from generator.policy.world import World
from tests import builders
from tests.samples import ENVIRONMENTS, input_files

STATES = [name for name in item_forms() if not name.startswith(CHANGES)]
_TYPES = {"str": str, "int": int, "float": float, "bool": bool}


def world(environment: str) -> World:
    repository, _ = load(input_files())
    plan, _ = resolve(repository.environments[environment], None)
    assert plan is not None
    return World(plan, Ledger(plan), ())


def differences(value: Any, form: Form, path: str) -> list[str]:
    """Return where a value is not of a form: exactly, types included."""
    if isinstance(form, Record):
        if value.keys() != form.fields.keys():
            return [f"{path}: {sorted(value.keys() ^ form.fields.keys())}"]
        return [d for name, inner in form.fields.items() for d in differences(value[name], inner, f"{path}.{name}")]
    if isinstance(form, ListOf):
        return [d for inner in value for d in differences(inner, form.of, f"{path}[]")]
    if isinstance(form, MapOf):
        return [d for inner in value.values() for d in differences(inner, form.of, f"{path}{{}}")]
    return [] if type(value) is _TYPES[form] else [f"{path} is {value!r}, not {form}"]


@pytest.mark.parametrize("environment", ENVIRONMENTS)
@pytest.mark.parametrize("collection", STATES)
def test_items_are_of_their_form(collection: str, environment: str) -> None:
    items = world(environment)(collection)
    found = [d for item in items for d in differences(item.data, item_forms()[collection], collection)]
    assert found == []
    assert all(item.origin is not None and item.origin.line for item in items)


@pytest.mark.parametrize("collection", [name for name in STATES if name != "ledger.shortages"])
def test_the_samples_have_items_of_each_collection(collection: str) -> None:
    assert world("prod")(collection)


TEAMS = """\
cohorts: [{name: org}, {name: research, parent: org}, {name: other}]
teams:
- {team: vision, cohort: research, namespaces: [{name: vision}], queues: [
    {name: interactive, use: interactive, quota: {h100: {accelerators: 2}}},
    {name: training, use: training, quota: {h100: {accelerators: 2}}},
    {name: serving, use: serving, quota: {h100: {accelerators: 2}}},
    {name: shy, use: interactive, quota: {h100: {accelerators: 2, borrow: 2}}}]}
- {team: nlp, cohort: org, namespaces: [{name: nlp}], queues: [
    {name: training, use: training, quota: {h100: {accelerators: 4}}}]}
- {team: speech, cohort: other, namespaces: [{name: speech}], queues: [
    {name: lab, use: interactive, quota: {h100: {accelerators: 1, borrow: 2}}}]}
"""


def queues() -> dict[str, Item]:
    team = "{{apiVersion: apportion.dev/v1, kind: Team, name: {}, members: {{groups: [a]}}}}"
    plan = builders.plan(teams=[team.format(name) for name in ("vision", "nlp", "speech")], quotas=TEAMS)
    return {item.ref.name: item for item in World(plan, Ledger(plan), ())("plan.queues")}


@pytest.mark.parametrize(
    ("name", "by"),
    [
        ("vision-interactive", []),
        ("vision-serving", ["higher priorities of the same queue"]),
        ("vision-training", ["higher priorities of the same queue", "owners that reclaim what it borrows"]),
        ("vision-shy", ["owners that reclaim what it borrows"]),
        ("speech-lab", []),
    ],
)
def test_who_may_evict(name: str, by: list[str]) -> None:
    assert queues()[name].data["evictedBy"] == by


QUOTA_OF_A_COHORT = """\
cohorts: [{{name: org}}, {{name: dep, parent: org, quota: {{h100: {{accelerators: {}}}}}}}]
teams:
- {{team: vision, cohort: org, namespaces: [{{name: vision}}], queues: [
    {{name: interactive, use: interactive, quota: {{h100: {{accelerators: 2, borrow: 2}}}}}}]}}
- {{team: nlp, cohort: dep, namespaces: [{{name: nlp}}], queues: [
    {{name: training, use: training, quota: {{h100: {{accelerators: 0}}}}}}]}}
"""


@pytest.mark.parametrize(("gpus", "by"), [(4, ["owners that reclaim what it borrows"]), (0, [])])
def test_quota_of_a_cohort_is_reclaimed_too(gpus: int, by: list[str]) -> None:
    team = "{{apiVersion: apportion.dev/v1, kind: Team, name: {}, members: {{groups: [a]}}}}"
    plan = builders.plan(teams=[team.format(n) for n in ("vision", "nlp")], quotas=QUOTA_OF_A_COHORT.format(gpus))
    found = {item.ref.name: item.data["evictedBy"] for item in World(plan, Ledger(plan), ())("plan.queues")}
    assert found["vision-interactive"] == by


def test_borrowers_are_those_of_the_whole_tree() -> None:
    team = "{{apiVersion: apportion.dev/v1, kind: Team, name: {}, members: {{groups: [a]}}}}"
    plan = builders.plan(teams=[team.format(name) for name in ("vision", "nlp", "speech")], quotas=TEAMS)
    sharing = Sharing(plan, Ledger(plan))
    found = {queue.name: sharing.borrowers(queue, "h100") for team_ in plan.teams for queue in team_.queues}
    assert found == {
        "nlp-training": 2,
        "speech-lab": 0,
        "vision-interactive": 3,
        "vision-training": 2,
        "vision-serving": 3,
        "vision-shy": 2,
    }
