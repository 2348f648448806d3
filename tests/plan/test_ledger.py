"""The ledger: sums of each pool, what each queue can get and give, at the boundary and one past it."""

from __future__ import annotations

from typing import Any

import pytest

from generator.finding import Location
from generator.manifest import Manifest
from generator.plan.ledger import Ledger
from generator.plan.ledger.lines import PoolLine, QueueLine
from tests.builders import CORES, H100, MIXED, TEAM, plan, text

NLP = "{apiVersion: apportion.dev/v1, kind: Team, name: nlp, members: {groups: [nlp]}}"
GPU = "nvidia.com/gpu"


def quotas(*queues: str, cohorts: str = "[{name: org}]") -> str:
    """Return the quotas of teams vision and nlp, both in cohort org; a queue is "vision-training: {…}", its quota."""
    teams: dict[str, list[str]] = {}
    for queue in queues:
        name, _, quota = queue.partition(": ")
        team, _, own = name.partition("-")
        teams.setdefault(team, []).append(f"{{name: {own}, {quota[1:]}")
    listed = ", ".join(
        f"{{team: {team}, cohort: org, namespaces: [{{name: {team}-work}}], queues: [{', '.join(own)}]}}"
        for team, own in teams.items()
    )
    return f"cohorts: {cohorts}\nteams: [{listed}]\n"


def ledger(written: str = "", extra: tuple[Manifest, ...] = (), **parts: Any) -> Ledger:
    """Return the ledger of a plan with pools h100 (2 x 8 GPUs, 2 x 100 cores), mixed and cores, or of others."""
    return Ledger(plan(quotas=written, teams=(TEAM, NLP), **parts), extra)


def pool(of: Ledger, name: str, resource: str) -> PoolLine:
    (line,) = (line for line in of.pools if (line.pool, line.resource) == (name, resource))
    return line


def queue(of: Ledger, name: str, resource: str = GPU, pool: str = "h100") -> QueueLine:
    (line,) = (line for line in of.queues if (line.cluster_queue, line.pool, line.resource) == (name, pool, resource))
    return line


def said(line: PoolLine | QueueLine, *names: str) -> list[str | None]:
    return [text(line.resource, getattr(line, name)) for name in names]


def test_installed_less_reserve_is_schedulable() -> None:
    reserved = H100.replace("nodes: 2", "nodes: 3, reserve: {nodes: 1, perNode: {cpu: 4, accelerators: 1}}")
    of = ledger(pools=(reserved,))
    names = ("installed", "reserved", "schedulable", "per_node")
    assert {line.resource: said(line, *names) for line in of.pools} == {
        GPU: ["24", "10", "14", "7"],
        "cpu": ["300", "108", "192", "96"],
        "memory": ["3000Gi", "1000Gi", "2000Gi", "1000Gi"],
    }
    assert [line.is_accelerator for line in of.pools] == [True, False, False]


@pytest.mark.parametrize(
    ("second", "want", "passed_by"),
    [
        (7, ["15", "1", "0"], None),
        (8, ["16", "0", "0"], None),
        (9, ["17", "0", "1"], "nlp-training"),
    ],
)
def test_stranded_and_over_committed_at_the_edge_of_a_pool(second: int, want: list[str], passed_by: str | None) -> None:
    other = f"nlp-training: {{quota: {{h100: {{accelerators: {second}}}}}}}"
    of = ledger(quotas("vision-training: {quota: {h100: {accelerators: 8}}}", other))
    line = pool(of, "h100", GPU)
    assert said(line, "guaranteed", "stranded", "over_committed") == want
    assert (line.passed_by.name if line.passed_by else None) == passed_by


def test_cohorts_the_platforms_queue_and_extra_count_too() -> None:
    extra = (
        manifest("ClusterQueue", "lab", cohortName="org", resourceGroups=groups("h100", {GPU: "2", "cpu": "1500m"})),
        manifest("Cohort", "spare", resourceGroups=groups("h100", {GPU: 1})),
        manifest("ClusterQueue", "elsewhere", resourceGroups=groups("h900", {GPU: "64"})),
    )
    of = ledger(
        quotas(
            "vision-training: {quota: {h100: {accelerators: 4}}}",
            cohorts="[{name: org, quota: {h100: {accelerators: 3}}}]",
        ),
        extra,
        environment="kueue: {defaultQueue: {h100: {accelerators: 1, cpu: 8, memory: 64Gi}}}\n",
    )
    line = pool(of, "h100", GPU)
    assert [(h.kind, h.name, h.team, h.amount // 1000) for h in line.holders] == [
        ("platform", "default", None, 1),
        ("extra", "lab", None, 2),
        ("extra", "spare", None, 1),
        ("cohort", "org", None, 3),
        ("queue", "vision-training", "vision", 4),
    ]
    assert said(line, "guaranteed", "stranded") == ["11", "5"]
    # vision and lab lend all of theirs; what the cohorts own is there to be borrowed
    assert said(line, "lendable", "borrowable") == ["10", "7"]
    assert said(pool(of, "h100", "cpu"), "guaranteed") == ["96500m"]  # 50 + 37 + 8 + 1.5
    assert said(queue(of, "lab", "cpu"), "guaranteed") == ["1500m"]
    assert {line.cluster_queue for line in of.queues} == {"vision-training", "default", "lab"}


def test_a_broken_manifest_counts_as_far_as_it_can_be_read() -> None:
    resources = [{"name": GPU, "nominalQuota": "lots"}, {"name": "memory", "nominalQuota": True}, "cpu", None]
    broken = (
        manifest("ClusterQueue", "a", resourceGroups=[{"flavors": [{"name": "h100", "resources": resources}]}]),
        manifest("ClusterQueue", "b", resourceGroups={"flavors": 3}),
        manifest("Cohort", "c", parentName=7, resourceGroups=groups("h100", {"memory": "1500m"})),
        Manifest({"apiVersion": "kueue.x-k8s.io/v1beta2", "kind": "ClusterQueue", "metadata": {"name": "d"}}, HERE),
    )
    of = ledger(extra=broken)
    assert said(pool(of, "h100", GPU), "guaranteed") == ["0"]
    assert said(pool(of, "h100", "memory"), "guaranteed") == ["2"]  # Kueue counts whole bytes, rounded up


def test_slices_and_shares_count_under_their_own_names() -> None:
    shared = (
        "{name: shared, accelerator: nvidia-l4-24gb, nodes: 2, perNode: {accelerators: 4, cpu: 32, memory: 128Gi},"
        " nodeLabels: {node: shared}, timeSlicing: {replicas: 3, rename: true, failRequestsGreaterThanOne: true}}"
    )
    of = ledger(
        quotas("vision-interactive: {quota: {mixed: {slices: {1g.10gb: 6}}, shared: {accelerators: 5}}}"),
        pools=(MIXED, shared),
    )
    mixed = {line.resource: said(line, "schedulable", "guaranteed") for line in of.pools if line.is_accelerator}
    assert mixed == {
        "nvidia.com/mig-1g.10gb": ["48", "6"],
        "nvidia.com/mig-2g.20gb": ["32", "0"],
        "nvidia.com/gpu.shared": ["24", "5"],
    }
    shares = queue(of, "vision-interactive", "nvidia.com/gpu.shared", "shared")
    assert said(shares, "potential", "largest_pod", "largest_gang") == ["5", "1", "5"]
    slices = queue(of, "vision-interactive", "nvidia.com/mig-1g.10gb", "mixed")
    assert said(slices, "potential", "largest_pod", "largest_gang") == ["6", "6", "6"]


@pytest.mark.parametrize(
    ("sharing", "want"),
    [
        ("timeSlicing: {replicas: 2}", ["16", "16"]),
        ("timeSlicing: {replicas: 2, failRequestsGreaterThanOne: true}", ["1", "16"]),
        ("timeSlicing: {replicas: 1, failRequestsGreaterThanOne: true}", ["8", "16"]),
        ("mps: {replicas: 2}", ["1", "16"]),
    ],
)
def test_one_pod_gets_a_node_of_shares_unless_they_go_one_by_one(sharing: str, want: list[str]) -> None:
    shared = H100.replace("nodeLabels", f"{sharing}, nodeLabels")
    of = ledger(quotas("vision-training: {quota: {h100: {accelerators: 16}}}"), pools=(shared,))
    assert said(queue(of, "vision-training"), "largest_pod", "largest_gang") == want


def test_a_pod_gets_a_node_at_most_and_a_gang_the_pool() -> None:
    of = ledger(
        quotas(
            "vision-training: {quota: {h100: {accelerators: 12}}}", "nlp-training: {quota: {h100: {accelerators: 9}}}"
        )
    )
    names = ("guaranteed", "potential", "borrowable", "largest_pod", "largest_gang")
    assert said(queue(of, "vision-training"), *names) == ["12", "21", "9", "8", "16"]
    assert said(queue(of, "vision-training", "cpu"), *names) == ["150", "262", "112", "100", "200"]


PREEMPTION = "preemption: {reclaimWithinCohort: %s}"


@pytest.mark.parametrize(
    ("vision", "nlp", "fair", "want"),
    [
        ("", "", False, ["8", "6", "6", "0"]),  # vision lends 8, borrows 6 of nlp, which takes 6 back
        ("", PREEMPTION % "Never" + ", ", False, ["8", "6", "0", "0"]),
        (PREEMPTION % "Never" + ", ", "", False, ["8", "6", "6", "8"]),
        ("", PREEMPTION % "LowerPriority" + ", ", True, ["8", "6", "6", "0"]),
    ],
)
def test_what_is_lent_comes_back_to_those_who_reclaim(vision: str, nlp: str, fair: bool, want: list[str]) -> None:
    of = ledger(
        quotas(
            f"vision-training: {{{vision}quota: {{h100: {{accelerators: 8}}}}}}",
            f"nlp-training: {{{nlp}quota: {{h100: {{accelerators: 6}}}}}}",
        ),
        environment="kueue: {preemptionPolicy: FairSharing}\n" if fair else "",
    )
    names = ("lendable", "borrowable", "reclaimable", "lent_for_good")
    assert said(queue(of, "vision-training"), *names) == want


def test_nothing_is_lent_for_good_where_nobody_can_borrow_it() -> None:
    of = ledger(
        quotas(
            "vision-training: {preemption: {reclaimWithinCohort: Never}, quota: {h100: {accelerators: 8}}}",
            "nlp-interactive: {use: interactive, quota: {h100: {accelerators: 4}}}",
        )
    )
    assert said(queue(of, "vision-training"), "lendable", "lent_for_good") == ["8", "0"]


def test_what_the_cohort_owns_nobody_takes_back_but_by_fair_sharing() -> None:
    written = quotas(
        "vision-training: {quota: {h100: {accelerators: 0}}}",
        "nlp-training: {quota: {h100: {accelerators: 2, lend: 1}}}",
        cohorts="[{name: org, quota: {h100: {accelerators: 6}}}]",
    )
    names = ("potential", "reclaimable")
    assert said(queue(ledger(written), "vision-training"), *names) == ["7", "1"]
    fair = ledger(written, environment="kueue: {preemptionPolicy: FairSharing}\n")
    assert said(queue(fair, "vision-training"), *names) == ["7", "7"]


def test_a_cohort_takes_back_for_its_queues_what_is_its_own() -> None:
    """Below one root: nlp's cohort owns 5, which nlp reclaims from vision although its own queue owns nothing."""
    extra = (
        manifest("ClusterQueue", "nlp", cohortName="nlp", preemption={"reclaimWithinCohort": "Any"},
                 resourceGroups=groups("h100", {GPU: "0"})),
        manifest("ClusterQueue", "vision", cohortName="vision", resourceGroups=groups("h100", {GPU: "1"})),
        manifest("Cohort", "nlp", parentName="root", resourceGroups=groups("h100", {GPU: "5"})),
        manifest("Cohort", "vision", parentName="root", resourceGroups=groups("h100", {GPU: "2"})),
        manifest("Cohort", "root", resourceGroups=groups("h100", {GPU: "3"})),
    )  # fmt: skip
    of = ledger(extra=extra)
    names = ("potential", "borrowable", "reclaimable")
    assert said(queue(of, "vision"), *names) == ["11", "10", "5"]
    assert said(queue(of, "nlp"), *names) == ["11", "11", "0"]


def test_queues_below_a_loop_get_nothing() -> None:
    extra = (
        manifest("ClusterQueue", "lost", cohortName="a", resourceGroups=groups("h100", {GPU: "4"})),
        manifest("Cohort", "a", parentName="b"),
        manifest("Cohort", "b", parentName="a"),
    )
    of = ledger(extra=extra)
    assert said(queue(of, "lost"), "guaranteed", "potential", "borrowable", "largest_pod") == ["4", "0", "0", "0"]
    assert said(pool(of, "h100", GPU), "guaranteed") == ["4"]


def test_lines_stand_in_the_order_of_the_inventory_and_the_teams() -> None:
    of = ledger(
        quotas("vision-training: {quota: {h100: {accelerators: 1}}}", "nlp-training: {quota: {cores: {cpu: 9}}}"),
        pools=(H100, CORES),
    )
    assert [(line.pool, line.resource) for line in of.pools] == [
        ("h100", GPU),
        ("h100", "cpu"),
        ("h100", "memory"),
        ("cores", "cpu"),
        ("cores", "memory"),
        ("cores", "ephemeral-storage"),
    ]
    assert list(dict.fromkeys((line.cluster_queue, line.pool) for line in of.queues)) == [
        ("nlp-training", "cores"),
        ("vision-training", "h100"),
    ]


HERE = Location("environments/prod/extra/queues.yaml", 1, 1)


def manifest(kind: str, name: str, **spec: object) -> Manifest:
    api = "kueue.x-k8s.io/v1beta2"
    return Manifest({"apiVersion": api, "kind": kind, "metadata": {"name": name}, "spec": spec}, HERE)


def groups(flavor: str, quotas: dict[str, str | int]) -> list[dict[str, object]]:
    resources = [{"name": name, "nominalQuota": amount} for name, amount in quotas.items()]
    return [{"coveredResources": list(quotas), "flavors": [{"name": flavor, "resources": resources}]}]
