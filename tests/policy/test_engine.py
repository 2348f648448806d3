"""Policies over items: what holds is silent, what does not is said, and nothing passes because a policy is broken."""

import time

import pytest

from generator.finding import Finding, Layer, Location, ObjectRef, Related, Severity
from generator.policy.engine import judge
from generator.policy.model import Item
from tests.policy.written import PATH, item, judged, policy, said

ORGANISATION = 500


def test_a_finding_has_all_that_the_policy_and_the_item_say() -> None:
    (finding,) = judged(policy(), item(owner="a", accelerators=2), item(owner="b", accelerators=3))
    assert finding == Finding(
        "too-many",
        Severity.ERROR,
        Layer.POLICY,
        "b has 3",
        Location("environments/prod/quotas.yaml", 4, 1),
        "take fewer (source: https://example.com/why)",
        ObjectRef("prod", "ClusterQueue", "b"),
    )


def test_items_that_where_leaves_out_are_not_judged() -> None:
    chosen = policy(where="item.owner != 'b'")
    assert judged(chosen, item(owner="b", accelerators=3)) == []
    assert said(judged(chosen, item(owner="c", accelerators=3))) == [
        "environments/prod/quotas.yaml:4:1 too-many c has 3"
    ]


@pytest.mark.parametrize("count", [99, 100, 101, 250])
def test_each_item_of_many_is_judged_once(count: int) -> None:
    items = [item(owner=f"t{n}", accelerators=3 if n % 50 == 49 else 1) for n in range(count)]
    found = judged(policy(message="item.owner"), *items)
    assert [finding.message for finding in found] == [f"t{n}" for n in range(49, count, 50)]


@pytest.mark.parametrize(
    ("changes", "why"),
    [
        ({}, 'Key not found in map : "accelerators"'),
        ({"rule": "item.owner"}, "rule gives 'a', neither true nor false"),
        ({"rule": "item.owner > params.most"}, "No matching overloads"),
        ({"rule": "'false'", "message": "item.team"}, 'Key not found in map : "team"'),
        ({"rule": "'false'", "message": "params.most"}, "message gives 2, which is no text"),
    ],
)
def test_what_cannot_be_evaluated_fails_the_run_and_names_policy_and_item(changes: dict[str, str], why: str) -> None:
    (finding,) = judged(policy(**changes), item(owner="a"), item(owner="b"))
    assert (finding.rule, finding.severity, finding.layer) == ("policy-crashed", Severity.ERROR, Layer.POLICY)
    assert finding.location == Location(PATH, 7, 7)
    assert finding.message.startswith(f"policy too-many cannot be evaluated on ClusterQueue a: {why}")
    assert finding.object == ObjectRef("prod", "ClusterQueue", "a")
    assert finding.related == (Related(Location("environments/prod/quotas.yaml", 1, 1), "ClusterQueue a"),)


def test_a_crash_on_one_item_hides_no_finding_on_another() -> None:
    found = judged(policy(), item(owner="a"), item(owner="b", accelerators=3))
    assert [finding.rule for finding in found] == ["policy-crashed", "too-many"]


def test_an_evaluation_has_a_budget() -> None:
    chosen = policy(rule="item.zeros.all(a, item.zeros.all(b, a != 'x'))")
    assert judged(chosen, item(owner="a", zeros=["z"] * 90)) == []
    (finding,) = judged(chosen, item(owner="a", zeros=["z"] * 101))
    assert finding.message == "policy too-many cannot be evaluated on ClusterQueue a: Iteration budget exceeded"


@pytest.mark.parametrize(
    ("as_of", "expected"),
    [
        ("", (Severity.WARNING, "a has 3 (an error from 2027-03-01 on)")),
        ("2027-02-28", (Severity.WARNING, "a has 3 (an error from 2027-03-01 on)")),
        ("2027-03-01", (Severity.ERROR, "a has 3")),
    ],
)
def test_an_announced_error_warns_until_its_day(as_of: str, expected: tuple[Severity, str]) -> None:
    (finding,) = judged(policy(effectiveOn="2027-03-01"), item(owner="a", accelerators=3), as_of=as_of)
    assert (finding.severity, finding.message) == expected


def test_what_one_policy_says_of_one_thing_is_one_finding() -> None:
    ref, place = ObjectRef("prod", "pool", "h100"), Location("inventory.yaml", 4, 5)
    parts = [Item({"owner": name, "accelerators": 3}, place, ref) for name in ("cpu", "memory")]
    assert [finding.message for finding in judged(policy(), *parts)] == ["cpu has 3; memory has 3"]


def test_places_that_help_are_left_out_of_what_only_informs() -> None:
    related = (Related(Location("inventory.yaml", 4, 5), "pool h100"),)
    found = Item({"owner": "a", "accelerators": 3}, None, ObjectRef("prod", "pool", "h100"), related)
    assert [finding.related for finding in judged(policy(), found)] == [related]
    assert [finding.related for finding in judged(policy(severity="info"), found)] == [()]


def test_messages_list_names_and_show_amounts() -> None:
    chosen = policy(message="item.zeros.listed() + ' ' + shown(17179869184, 'memory') + ' ' + shown(1.5, 'cpu')")
    (finding,) = judged(chosen, item(owner="a", accelerators=3, zeros=[f"t{n}" for n in range(12)]))
    assert finding.message == "t0, t1, t2, t3, t4, t5, t6, t7, t8, t9 and 2 more 16Gi 1500m"


def test_two_hundred_policies_over_five_hundred_teams_take_less_than_two_seconds() -> None:
    texts = [
        policy(id=f"too-many-{n}", rule=f"item.accelerators <= {n + 3} || item.zeros.size() > 9") for n in range(200)
    ]
    items = [item(owner=f"t{n}", accelerators=n % 4, zeros=["x", "y"]) for n in range(ORGANISATION)]
    begun = time.process_time()
    found = judge(texts, lambda _: items, {"asOf": ""}, {chosen.id: chosen.params for chosen in texts})
    assert time.process_time() - begun < 2
    assert found == []
