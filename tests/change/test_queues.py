"""Queues that go, lead elsewhere, shrink, or lose a limit; each beside a step that only looks like it."""

from __future__ import annotations

import pytest

from generator.finding import Location
from tests.builders import H100
from tests.change.builders import BOTH, NLP, extra, found, quotas, rules, team

TRAIN = "training: h100: {accelerators: 8}"
NIGHT = "night: h100: {accelerators: 4}"
OWN = "apiVersion: kueue.x-k8s.io/v1beta2\nkind: ClusterQueue\nmetadata: {name: own}\nspec: {%s}\n"
GROUP = (
    "namespaceSelector: {}, resourceGroups: [{coveredResources: [cpu], flavors: "
    "[{name: cores, resources: [{name: cpu, nominalQuota: %s}]}]}]"
)


@pytest.mark.parametrize(
    ("night", "want"),
    [
        (NIGHT, ["error queue-removed-undrained vision-night"]),
        (f"{NIGHT}; stopPolicy: Hold", ["warning queue-removed-undrained vision-night"]),
        (f"{NIGHT}; stopPolicy: HoldAndDrain", []),
        ("night: h100: {accelerators: 0}", []),
        ("night: h100: {accelerators: 0, borrow: 0}", []),
    ],
    ids=["admits", "held", "drained", "never admitted anything", "may not borrow"],
)
def test_a_queue_goes(night: str, want: list[str]) -> None:
    assert rules({"quotas": quotas(team(TRAIN, night))}, {"quotas": quotas(team(TRAIN))}) == want


def test_a_queue_that_owns_nothing_and_borrows_goes() -> None:
    before = quotas(team(TRAIN, "night: h100: {accelerators: 0, borrow: 1}", cohort="org"))
    after = quotas(team(TRAIN, cohort="org"))
    assert rules({"quotas": before}, {"quotas": after}) == ["error queue-removed-undrained vision-night"]


@pytest.mark.parametrize(
    ("spec", "want"),
    [
        (GROUP % 8, ["error queue-removed-undrained own"]),
        (f"stopPolicy: HoldAndDrain, {GROUP % 8}", []),
        (GROUP % 0, []),
        ("namespaceSelector: {}", []),
    ],
)
def test_a_queue_of_extra_goes(spec: str, want: list[str]) -> None:
    assert rules({"extra": extra(own=OWN % spec)}, {}) == want


def test_where_a_queue_was_and_what_to_do() -> None:
    (finding,) = found({"quotas": quotas(team(TRAIN, NIGHT))}, {"quotas": quotas(team(TRAIN))})
    assert finding.message == (
        "ClusterQueue vision-night is removed, and HEAD did not stop it: its finalizer keeps it until nothing is "
        "admitted, and the sync that prunes it waits as long"
    )
    assert finding.fix == (
        "put it back with stopPolicy: HoldAndDrain, have that synced until nothing is admitted, then remove it, in a "
        "revision of its own"
    )
    assert finding.location == Location("environments/prod/quotas.yaml", 5, 3)
    assert [related.message for related in finding.related] == ["in HEAD"]


@pytest.mark.parametrize(
    ("quota", "want"),
    [("{}", []), ("{cores: {cpu: 1, memory: 1Gi}}", ["first leave it without quota (kueue.defaultQueue: {})"])],
)
def test_the_platforms_own_queue_is_given_up(quota: str, want: list[str]) -> None:
    both = {"environment": f"kueue: {{defaultQueue: {quota}}}\n"}
    findings = found({**both, "openshift_ai": "3.4"}, {**both, "openshift_ai": "3.5"})
    assert [str(finding.fix).partition(",")[0] for finding in findings] == want


SPACE = "[{name: work, defaultQueue: %s}]"


def test_the_default_queue_changes() -> None:
    before, after = (quotas(team(TRAIN, NIGHT, spaces=SPACE % name)) for name in ("training", "night"))
    (finding,) = found({"quotas": before}, {"quotas": after})
    assert (finding.rule, str(finding.severity), finding.path) == (
        "local-queue-re-pointed",
        "error",
        "spec.clusterQueue",
    )
    assert finding.message == (
        "LocalQueue default of work leads to vision-training and would lead to vision-night: spec.clusterQueue is "
        "immutable, so the sync fails"
    )


def test_the_default_queue_changes_because_another_comes_first() -> None:
    before, after = quotas(team(TRAIN)), quotas(team(NIGHT, TRAIN))
    assert rules({"quotas": before}, {"quotas": after}) == ["error local-queue-re-pointed default"]


@pytest.mark.parametrize("after", [team(TRAIN, NIGHT), team(NIGHT, TRAIN, spaces=SPACE % "training")])
def test_a_further_queue_is_no_matter(after: str) -> None:
    assert rules({"quotas": quotas(team(TRAIN))}, {"quotas": quotas(after)}) == []


FULL = team("work: h100: {accelerators: 8}; namespaces: [nlp-work]", name="nlp", spaces="[{name: nlp-work}]")


@pytest.mark.parametrize(
    ("old", "new", "others", "want"),
    [
        (8, 7, FULL, ["info quota-shrunk vision-training"]),
        (8, 7, FULL.replace("accelerators: 8", "accelerators: 9"), ["warning quota-shrunk vision-training"]),
        (8, 8, FULL, []),
        (7, 8, FULL, []),
    ],
    ids=["the pool can spare it", "another gets it", "same", "grows"],
)
def test_a_quota_shrinks(old: int, new: int, others: str, want: list[str]) -> None:
    before, after = (team(f"training: h100: {{accelerators: {count}}}") for count in (old, new))
    parts = [{"teams": BOTH, "quotas": quotas(one, two)} for one, two in ((before, FULL), (after, others))]
    assert rules(*parts) == want


def test_how_a_smaller_quota_is_told() -> None:
    both = "training: h100: {accelerators: %d}, cores: {cpu: %d, memory: 100Gi}"
    before, after = (quotas(team(both % counts)) for counts in ((16, 20), (8, 10)))
    (finding,) = found({"quotas": before}, {"quotas": after})
    assert finding.message == (
        "ClusterQueue vision-training is guaranteed 8 nvidia.com/gpu of pool h100 in place of 16, "
        "10 cpu of pool cores in place of 20: Kueue evicts nothing, so up to 8 nvidia.com/gpu and 10 cpu more stay in "
        "use until their jobs end, which the pool can spare"
    )


@pytest.mark.parametrize("policy", ["before", "after"])
def test_what_is_drained_shrinks_safely(policy: str) -> None:
    stopped = "; stopPolicy: HoldAndDrain"
    before = team("training: h100: {accelerators: 8}" + (stopped if policy == "before" else ""))
    after = team("training: h100: {accelerators: 4}" + (stopped if policy == "after" else ""))
    assert rules({"quotas": quotas(before)}, {"quotas": quotas(after)}) == []


def test_cores_that_follow_accelerators_are_no_matter() -> None:
    less = H100.replace("cpu: 100", "cpu: 90")
    both = {"quotas": quotas(team(TRAIN))}
    assert rules(both, {**both, "pools": (less,)}) == []


LIMITED = "training: h100: {accelerators: 8, %s}"


@pytest.mark.parametrize(
    ("old", "new", "want"),
    [
        ("borrow: 4", "borrow: unlimited", ["warning borrowing-limit-lifted vision-training"]),
        ("borrow: 4", "borrow: 5", []),
        ("borrow: unlimited", "borrow: 4", []),
        ("lend: 4", "lend: all", ["warning lending-limit-lifted vision-training"]),
        ("lend: 4", "lend: 8", []),
        ("borrow: 4, lend: 4", "borrow: 4, lend: 4", []),
    ],
)
def test_a_limit_is_lifted(old: str, new: str, want: list[str]) -> None:
    before, after = (quotas(team(LIMITED % limit, cohort="org")) for limit in (old, new))
    assert rules({"quotas": before}, {"quotas": after}) == want


def test_outside_a_cohort_there_is_no_limit_to_lift() -> None:
    before, after = quotas(team(LIMITED % "borrow: 4", cohort="org")), quotas(team("training: h100: {accelerators: 8}"))
    assert rules({"quotas": before}, {"quotas": after}) == []


def test_a_limit_of_a_cohort_is_lifted() -> None:
    cohorts = "[{name: org}, {name: research, parent: org, quota: {h100: {accelerators: 2, borrow: %s}}}]"
    before, after = (quotas(team(TRAIN, cohort="research"), cohorts=cohorts % limit) for limit in ("1", "unlimited"))
    assert rules({"quotas": before}, {"quotas": after}) == ["warning borrowing-limit-lifted research"]


def test_a_team_of_another_name_is_another_team() -> None:
    parts = {"teams": (NLP,), "quotas": quotas(team(TRAIN, name="nlp"))}
    assert rules({"quotas": quotas(team(TRAIN))}, parts) == [
        "error application-changes work",
        "error team-removed vision",
    ]
