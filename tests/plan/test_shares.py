"""Quota of a queue on one pool: resource → (nominal, borrowing limit, lending limit).

h100: 16 cards, 200 cores, 2000Gi. mixed: 48 slices of 1g and 32 of 2g. cores: 100 cores, 1000Gi, 500Gi of storage.
"""

from __future__ import annotations

import pytest
from syrupy.assertion import SnapshotAssertion

from tests.builders import CORES, H100, MIXED, findings, only_queue, plan, quota, quotas, rules, whole

GPU, ONE, TWO = "nvidia.com/gpu", "nvidia.com/mig-1g.10gb", "nvidia.com/mig-2g.20gb"
STORAGE = "ephemeral-storage"


def nominal(shares: str, pools: tuple[str, ...] = (H100, MIXED, CORES)) -> dict[str, str | None]:
    queue = only_queue(plan(quotas=quotas(shares, cohort=""), pools=pools))
    (flavor,) = queue.flavors
    return {name: amounts[0] for name, amounts in quota(flavor).items()}


@pytest.mark.parametrize(
    ("share", "expected"),
    [
        ("{h100: {accelerators: 4}}", {"cpu": "50", "memory": "500Gi", GPU: "4"}),
        ("{h100: {accelerators: 16}}", {"cpu": "200", "memory": "2000Gi", GPU: "16"}),
        ("{h100: {accelerators: 3}}", {"cpu": "37", "memory": "375Gi", GPU: "3"}),  # 37.5 cores
        ("{h100: {accelerators: 0}}", {"cpu": "0", "memory": "0", GPU: "0"}),
        ("{h100: {}}", {"cpu": "0", "memory": "0", GPU: "0"}),
        ("{h100: {accelerators: 4, cpu: 8}}", {"cpu": "8", "memory": "500Gi", GPU: "4"}),
        ("{h100: {accelerators: 4, cpu: auto, memory: 10Gi}}", {"cpu": "50", "memory": "10Gi", GPU: "4"}),
        ("{h100: {accelerators: 4, cpu: 0, memory: 0}}", {"cpu": "0", "memory": "0", GPU: "4"}),
        ("{h100: {accelerators: 25%}}", {"cpu": "50", "memory": "500Gi", GPU: "4"}),
        ("{h100: {accelerators: 31.2%}}", {"cpu": "50", "memory": "500Gi", GPU: "4"}),  # 4.992 cards
        ("{h100: {accelerators: 100%}}", {"cpu": "200", "memory": "2000Gi", GPU: "16"}),
        ("{h100: {accelerators: 0%}}", {"cpu": "0", "memory": "0", GPU: "0"}),
        ("{h100: {accelerators: 4, cpu: 10%, memory: 0.05%}}", {"cpu": "20", "memory": "1Gi", GPU: "4"}),
        ("{h100: {accelerators: 4, memory: 0.049%}}", {"cpu": "50", "memory": "1003Mi", GPU: "4"}),  # 1003.52Mi
        ("{h100: {cpu: 20}}", {"cpu": "20", "memory": "200Gi", GPU: "0"}),
        ("{h100: {memory: 100Gi}}", {"cpu": "10", "memory": "100Gi", GPU: "0"}),
        ("{cores: {cpu: 25}}", {"cpu": "25", "memory": "250Gi", STORAGE: "125Gi"}),
        ("{cores: {cpu: 50, memory: 100Gi}}", {"cpu": "50", "memory": "100Gi", STORAGE: "50Gi"}),  # the smaller share
        ("{cores: {cpu: 10, memory: 500Gi}}", {"cpu": "10", "memory": "500Gi", STORAGE: "50Gi"}),
        ("{cores: {ephemeral-storage: 250Gi}}", {"cpu": "50", "memory": "500Gi", STORAGE: "250Gi"}),
        ("{cores: {cpu: 1.5, memory: auto}}", {"cpu": "1500m", "memory": "15Gi", STORAGE: "7Gi"}),
        ("{cores: {cpu: 50m}}", {"cpu": "50m", "memory": "512Mi", STORAGE: "256Mi"}),
        ("{cores: {memory: 1Gi}}", {"cpu": "100m", "memory": "1Gi", STORAGE: "512Mi"}),
        ("{cores: {memory: 15Gi}}", {"cpu": "1", "memory": "15Gi", STORAGE: "7Gi"}),  # 1.5 cores
        ("{cores: {cpu: 33%}}", {"cpu": "33", "memory": "330Gi", STORAGE: "165Gi"}),
        ("{cores: {}}", {"cpu": "0", "memory": "0", STORAGE: "0"}),
        ("{cores: {cpu: auto}}", {"cpu": "0", "memory": "0", STORAGE: "0"}),
        # a card weighs 3 x 1 + 2 x 2 = 7, the pool 16 cards
        ("{mixed: {slices: {1g.10gb: 7}}}", {"cpu": "12", "memory": "125Gi", ONE: "7", TWO: "0"}),  # 12.5 cores
        ("{mixed: {slices: {2g.20gb: 7}}}", {"cpu": "25", "memory": "250Gi", ONE: "0", TWO: "7"}),
        ("{mixed: {slices: {1g.10gb: 48, 2g.20gb: 32}}}", {"cpu": "200", "memory": "2000Gi", ONE: "48", TWO: "32"}),
        ("{mixed: {slices: {1g.10gb: 50%, 2g.20gb: 10%}}}", {"cpu": "53", "memory": "535Gi", ONE: "24", TWO: "3"}),
        ("{mixed: {slices: {}}}", {"cpu": "0", "memory": "0", ONE: "0", TWO: "0"}),
    ],
)
def test_guaranteed(share: str, expected: dict[str, str]) -> None:
    assert nominal(share) == expected


def test_sums_of_automatic_shares_stay_below_the_pool() -> None:
    pool = H100.replace("cpu: 100", "cpu: 97").replace("memory: 1000Gi", "memory: 999Gi")
    assert nominal("{h100: {accelerators: 5}}", (pool,)) == {"cpu": "60", "memory": "624Gi", GPU: "5"}
    assert nominal("{h100: {accelerators: 6}}", (pool,)) == {"cpu": "72", "memory": "749Gi", GPU: "6"}


def test_pool_with_nothing_to_schedule() -> None:
    pool = H100.replace("nodes: 2", "nodes: 0")
    assert nominal("{h100: {accelerators: 4}}", (pool,)) == {"cpu": "0", "memory": "0", GPU: "4"}
    cores = CORES.replace("nodes: 10", "nodes: 0")
    assert nominal("{cores: {cpu: 4}}", (cores,)) == {"cpu": "4", "memory": "0", STORAGE: "0"}


def limits(share: str) -> tuple[str, str]:
    """Return borrowing and lending limits in the order cpu, memory, others; "-": none."""
    (flavor,) = only_queue(plan(quotas=quotas(share))).flavors
    borrow, lend = ([amounts[n] or "-" for amounts in quota(flavor).values()] for n in (1, 2))
    return " ".join(borrow), " ".join(lend)


@pytest.mark.parametrize(
    ("share", "borrow", "lend"),
    [
        # use: training borrows without limit and lends all
        ("{h100: {accelerators: 4}}", "- - -", "- - -"),
        ("{h100: {accelerators: 4, borrow: unlimited, lend: all}}", "- - -", "- - -"),
        ("{h100: {accelerators: 4, borrow: 0, lend: 0}}", "0 0 0", "0 0 0"),
        ("{h100: {accelerators: 4, borrow: 2, lend: 2}}", "25 250Gi 2", "25 250Gi 2"),
        ("{h100: {accelerators: 4, borrow: 1, lend: 1}}", "13 125Gi 1", "12 125Gi 1"),  # of 50 cores 12.5
        ("{h100: {accelerators: 4, borrow: 50%, lend: 50%}}", "25 250Gi 2", "25 250Gi 2"),
        ("{h100: {accelerators: 4, borrow: 30%, lend: 30%}}", "15 150Gi 2", "15 150Gi 1"),  # 1.2 cards
        ("{h100: {accelerators: 4, borrow: 0%, lend: 100%}}", "0 0 0", "50 500Gi 4"),
        ("{h100: {accelerators: 4, lend: 4}}", "- - -", "50 500Gi 4"),
        ("{h100: {accelerators: 4, cpu: 8, borrow: 2}}", "4 250Gi 2", "- - -"),
        # owns nothing: in proportion to the pool, and nothing to lend
        ("{h100: {borrow: 4}}", "50 500Gi 4", "- - -"),
        ("{h100: {borrow: 3, lend: 0}}", "38 375Gi 3", "0 0 0"),
        # of a CPU pool a count is cores
        ("{cores: {cpu: 20, borrow: 10, lend: 5}}", "10 100Gi 50Gi", "5 50Gi 25Gi"),
        ("{cores: {cpu: 20, memory: 10Gi, borrow: 1}}", "1 512Mi 256Mi", "- - -"),
        # of a mixed MIG pool it is slices of each kind
        ("{mixed: {slices: {1g.10gb: 7, 2g.20gb: 7}, borrow: 2}}", "11 108Gi 2 2", "- - - -"),  # 6 of 21 compute slices
        ("{mixed: {slices: {1g.10gb: 7}, lend: 2}}", "- - - -", "10 107Gi 2 0"),  # 6 of 7
    ],
)
def test_limits(share: str, borrow: str, lend: str) -> None:
    assert limits(share) == (borrow, lend)


@pytest.mark.parametrize(
    ("use", "borrow", "lend"),
    [("interactive", "0", None), ("serving", "0", None), ("training", None, None), ("batch", None, None)],
)
def test_limits_of_presets(use: str, borrow: str | None, lend: str | None) -> None:
    (flavor,) = only_queue(plan(quotas=quotas("{h100: {accelerators: 4}}", queue=f"name: q, use: {use}"))).flavors
    assert quota(flavor) == {
        "cpu": ("50", borrow, lend),
        "memory": ("500Gi", borrow, lend),
        GPU: ("4", borrow, lend),
    }


def test_nominal_of_one_resource() -> None:
    (flavor,) = only_queue(plan(quotas=quotas("{h100: {accelerators: 4}}"))).flavors
    assert (flavor.nominal(GPU), flavor.nominal("cpu"), flavor.nominal("amd.com/gpu")) == (4000, 50_000, 0)


@pytest.mark.parametrize("share", ["{accelerators: 4}", "{accelerators: 4, borrow: 0, lend: 0%}"])
def test_no_limits_without_cohort(share: str) -> None:
    (flavor,) = only_queue(plan(quotas=quotas(f"{{h100: {share}}}", cohort=""))).flavors
    assert quota(flavor)[GPU] == ("4", None, None)


@pytest.mark.parametrize(("borrow", "expected"), [("borrow: 2", "0"), ("borrow: unlimited", None)])
def test_flavors_cover_the_same_resources_cpu_pools_first(borrow: str, expected: str | None) -> None:
    shares = f"{{h100: {{accelerators: 4, {borrow}, lend: 0}}, cores: {{cpu: 10, {borrow}, lend: 0}}}}"
    queue = only_queue(plan(quotas=quotas(shares)))
    cores, h100 = map(quota, queue.flavors)
    assert [flavor.flavor for flavor in queue.flavors] == ["cores", "h100"]
    assert list(cores) == list(h100) == ["cpu", "memory", "ephemeral-storage", GPU]
    assert cores[GPU] == ("0", expected, "0")
    assert h100[STORAGE] == ("0", expected, "0")
    assert h100[GPU] == ("4", borrow.removeprefix("borrow: ") if expected else None, "0")


@pytest.mark.parametrize(
    ("share", "cohort", "expected"),
    [
        ("{h100: {slices: {1g.10gb: 1}}}", "org", ["quotas.yaml:4:114 slices-of-whole-pool"]),
        ("{cores: {slices: {1g.10gb: 1}}}", "org", ["quotas.yaml:4:115 slices-of-whole-pool"]),
        ("{cores: {accelerators: 1}}", "org", ["quotas.yaml:4:115 accelerators-of-cpu-pool"]),
        ("{mixed: {accelerators: 1}}", "org", ["quotas.yaml:4:115 accelerators-of-mig-pool"]),
        (
            "{mixed: {slices: {1g.20gb: 1, 7g.80gb: 1}}}",
            "org",
            [
                "quotas.yaml:4:124 unknown-slice",
                "quotas.yaml:4:136 unknown-slice",
            ],
        ),
        ("{h100: {ephemeral-storage: 1Gi}}", "org", ["quotas.yaml:4:114 unknown-capacity"]),
        ("{h10: {cpu: 1}}", "org", ["quotas.yaml:4:107 unknown-pool"]),
        ("{gpu: {cpu: 1}}", "org", ["quotas.yaml:4:107 unknown-pool"]),
        (
            "{h100: {accelerators: 4, borrow: 1, lend: 1}}",
            "",
            [
                "quotas.yaml:4:118 borrow-without-cohort",
                "quotas.yaml:4:129 lend-without-cohort",
            ],
        ),
        ("{h100: {accelerators: 4, borrow: 1%, lend: 0}}", "", ["quotas.yaml:4:118 borrow-without-cohort"]),
        ("{h100: {accelerators: 4, lend: 4}}", "org", []),
        ("{h100: {accelerators: 4, lend: 5}}", "org", ["quotas.yaml:4:137 lends-more-than-it-owns"]),
        ("{h100: {lend: 1}}", "org", ["quotas.yaml:4:120 lends-more-than-it-owns"]),
        ("{cores: {cpu: 10, lend: 11}}", "org", ["quotas.yaml:4:130 lends-more-than-it-owns"]),
        ("{mixed: {slices: {1g.10gb: 3}, lend: 4}}", "org", ["quotas.yaml:4:143 lends-more-than-it-owns"]),
        (
            "{cores: {accelerators: 1, ephemeral-storage: 1Gi}, h100: {ephemeral-storage: 1Gi}}",
            "org",
            [
                "quotas.yaml:4:115 accelerators-of-cpu-pool",
                "quotas.yaml:4:164 unknown-capacity",
            ],
        ),
    ],
)
def test_refused(share: str, cohort: str, expected: list[str], snapshot: SnapshotAssertion) -> None:
    found = findings(quotas=quotas(share, cohort=cohort))
    assert rules(found) == expected
    assert whole(found) == snapshot
