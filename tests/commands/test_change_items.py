"""What a step changes, as policies judge it: whole items, in the promised types, at lines that are still there."""

from typing import Any

from generator.change.compare import changes
from generator.change.model import Step
from generator.commands.change_items import collections
from generator.finding import Location, ObjectRef, Related
from generator.policy.items import item_forms
from generator.policy.model import Item
from tests.change.builders import BOTH, quotas, repository, side, team
from tests.policy.test_items import differences

QUOTAS = "environments/prod/quotas.yaml"
TRAINING = "training: h100: {accelerators: 8}"
NIGHT = "night: h100: {accelerators: 4}; use: batch"
OLD = quotas(team(TRAINING, NIGHT))
NEW = quotas(team("training: h100: {accelerators: 4}; preemption: {withinClusterQueue: Never}"))


def items(old: str, new: str, **given: Any) -> dict[str, list[Item]]:
    before, after = (repository(quotas=text, **given) for text in (old, new))
    step = Step(side(before), side(after), "HEAD", after)
    (change,) = changes({"prod": step.old}, {"prod": step.new})
    return collections(change, step)


def test_items_are_of_their_form() -> None:
    found = items(OLD, NEW)
    assert found.keys() == {name for name in item_forms() if name.startswith("changes.")}
    assert [d for name in found for item in found[name] for d in differences(item.data, item_forms()[name], name)] == []
    assert all(item.origin is not None and item.origin.line for name in found for item in found[name])


def test_quotas_that_shrink_and_go() -> None:
    shrunk, gone = (item for item in items(OLD, NEW)["changes.quotas"] if item.data["isAccelerator"])
    common = {"team": "vision", "pool": "h100", "resource": "nvidia.com/gpu", "isAccelerator": True}
    assert shrunk.data == {
        **common,
        "queue": "vision-training",
        "before": 8.0,
        "after": 4.0,
        "schedulable": 16.0,
    }
    assert gone.data == {**common, "queue": "vision-night", "before": 4.0, "after": 0.0, "schedulable": 16.0}
    assert gone.ref == ObjectRef("prod", "ClusterQueue", "vision-night")
    assert gone.origin == Location(QUOTAS, 5, 3)  # the team's line: its own is gone
    assert [(related.message, related.location.file) for related in gone.related] == [("in HEAD", QUOTAS)]


def test_a_quota_of_a_team_that_is_gone_stands_in_its_file() -> None:
    nlp = team(TRAINING, name="nlp", spaces="[{name: lab}]").replace("[work]", "[lab]")
    found = items(quotas(team(TRAINING), nlp), quotas(team(TRAINING)), teams=BOTH)["changes.quotas"]
    assert {(item.ref.name, item.origin) for item in found} == {("nlp-training", Location(QUOTAS))}


def test_objects() -> None:
    found = items(OLD, NEW)["changes.objects"]
    assert [(i.data["action"], i.data["kind"], i.data["namespace"], i.data["name"]) for i in found] == [
        ("changed", "ClusterQueue", "", "vision-training"),
        ("removed", "ClusterQueue", "", "vision-night"),
        ("removed", "LocalQueue", "work", "night"),
    ]
    api = found[0].data["apiVersion"]
    assert {(item.data["team"], item.ref.api_version) for item in found} == {("vision", api)}
    assert "spec.preemption.withinClusterQueue" in found[0].data["fields"]
    assert found[2].ref == ObjectRef("prod", "LocalQueue", "night", "work", api)


def test_what_is_created_was_nowhere_before() -> None:
    created = [item for item in items(NEW, OLD)["changes.objects"] if item.data["action"] == "created"]
    assert [(item.ref.name, item.related) for item in created] == [("vision-night", ()), ("night", ())]
    shrunk = items(OLD, NEW)["changes.quotas"][0]
    assert [type(related) for related in shrunk.related] == [Related]
