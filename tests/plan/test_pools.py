from __future__ import annotations

import pytest
from syrupy.assertion import SnapshotAssertion

from generator.plan.model import Pool, Sharing, Taint, Topology
from tests.builders import CORES, H100, amounts, findings, plan, rules, whole

NVIDIA = "nvidia.com/"
CARDS = "{accelerators: 8, cpu: 100, memory: 1000Gi}"


def pool(
    more: str = "",
    *,
    name: str = "gpu",
    accelerator: str = "nvidia-a100-80gb",
    nodes: int = 2,
    per_node: str = CARDS,
    labels: str = "{node: gpu}",
) -> str:
    """Return a pool whose line differs from the smallest one in the parts named."""
    model = f"accelerator: {accelerator}, " if accelerator else ""
    rest = f", {more}" if more else ""
    return f"{{name: {name}, {model}nodes: {nodes}, perNode: {per_node}, nodeLabels: {labels}{rest}}}"


def resolved(*args: str, **parts: object) -> Pool:
    (found,) = plan(pools=[pool(*args, **parts)]).pools.values()  # type: ignore[arg-type]  # checked by pool
    return found


def test_cpu_pool() -> None:
    (found,) = plan(pools=[CORES]).pools.values()
    assert (found.vendor, found.offers, found.nodes, found.sharing, found.topology, found.overcommit) == (
        "none",
        {},
        10,
        Sharing(),
        None,
        None,
    )
    assert amounts(found.node) == {"cpu": "10", "memory": "100Gi", "ephemeral-storage": "50Gi"}
    assert amounts(found.total) == {"cpu": "100", "memory": "1000Gi", "ephemeral-storage": "500Gi"}


def test_all_that_a_pool_says() -> None:
    found = resolved(
        "taints: [{key: gpu, effect: NoSchedule}, {key: b, value: c, effect: NoExecute}],"
        " topology: [zone, kubernetes.io/hostname], overcommit: {ratio: 1.2, reason: idle}",
        labels="{z: a, node: gpu}",
    )
    assert found.taints == (Taint("gpu", "NoSchedule"), Taint("b", "NoExecute", "c"))
    assert list(found.node_labels.items()) == [("node", "gpu"), ("z", "a")]
    assert (found.vendor, found.topology, found.overcommit) == ("nvidia", "gpu", ("1.2", "idle"))


@pytest.mark.parametrize(
    ("reserve", "node", "total"),
    [
        ("{}", "100 1000Gi 8", "400 4000Gi 32"),
        ("{nodes: 1}", "100 1000Gi 8", "300 3000Gi 24"),
        ("{nodes: 4}", "100 1000Gi 8", "0 0 0"),
        ("{perNode: {cpu: 4, memory: 16Gi}}", "96 984Gi 8", "384 3936Gi 32"),
        ("{perNode: {accelerators: 1}}", "100 1000Gi 7", "400 4000Gi 28"),
        ("{nodes: 1, perNode: {cpu: 500m, accelerators: 8}}", "99500m 1000Gi 0", "298500m 3000Gi 0"),
        ("{perNode: {cpu: 100}}", "0 1000Gi 8", "0 4000Gi 32"),
    ],
)
def test_reserve(reserve: str, node: str, total: str) -> None:
    found = resolved(f"reserve: {reserve}", nodes=4)
    assert tuple(" ".join(map(str, amounts(of).values())) for of in (found.node, found.total)) == (node, total)


@pytest.mark.parametrize(
    ("accelerator", "sharing", "node", "offers"),
    [
        # 8 cards a node
        ("nvidia-a100-80gb", "", {"gpu": "8"}, {"gpu": 1}),
        ("nvidia-a100-80gb", "mig: {strategy: single, layout: {1g.10gb: 7}}", {"gpu": "56"}, {"gpu": 1}),
        (
            "nvidia-a100-80gb",
            "mig: {strategy: mixed, layout: {1g.10gb: 3, 2g.20gb: 2}}",
            {"mig-1g.10gb": "24", "mig-2g.20gb": "16"},
            {"mig-1g.10gb": 1, "mig-2g.20gb": 2},
        ),
        (
            "nvidia-a100-80gb",
            "mig: {strategy: mixed, layout: {1g.10gb+me: 1, 3g.40gb: 1}}",
            {"mig-1g.10gb.me": "8", "mig-3g.40gb": "8"},
            {"mig-1g.10gb.me": 1, "mig-3g.40gb": 3},
        ),
        ("nvidia-t4-16gb", "timeSlicing: {replicas: 4}", {"gpu": "32"}, {"gpu": 1}),
        ("nvidia-t4-16gb", "timeSlicing: {replicas: 4, rename: true}", {"gpu.shared": "32"}, {"gpu.shared": 1}),
        ("nvidia-t4-16gb", "timeSlicing: {replicas: 1, rename: true}", {"gpu": "8"}, {"gpu": 1}),
        ("nvidia-t4-16gb", "mps: {replicas: 2}", {"gpu": "16"}, {"gpu": 1}),
        ("nvidia-t4-16gb", "mps: {replicas: 2, rename: true}", {"gpu.shared": "16"}, {"gpu.shared": 1}),
        (
            "nvidia-a100-80gb",
            "mig: {strategy: single, layout: {1g.10gb: 7}}, timeSlicing: {replicas: 2}",
            {"gpu": "112"},
            {"gpu": 1},
        ),
        (
            "nvidia-a100-80gb",
            "mig: {strategy: mixed, layout: {3g.40gb: 2}}, timeSlicing: {replicas: 2, rename: true}",
            {"mig-3g.40gb.shared": "32"},
            {"mig-3g.40gb.shared": 3},
        ),
    ],
)
def test_what_is_offered(accelerator: str, sharing: str, node: dict[str, str], offers: dict[str, int]) -> None:
    found = resolved(sharing, accelerator=accelerator)
    cards = {name.removeprefix(NVIDIA): n for name, n in amounts(found.node).items() if name not in ("cpu", "memory")}
    assert cards == node
    assert {name.removeprefix(NVIDIA): weight for name, weight in found.offers.items()} == offers


@pytest.mark.parametrize(
    ("accelerator", "resource"),
    [("amd-mi300x-192gb", "amd.com/gpu"), ("intel-gaudi3-128gb", "habana.ai/gaudi")],
)
def test_resources_of_other_vendors(accelerator: str, resource: str) -> None:
    assert resolved(accelerator=accelerator).offers == {resource: 1}


def test_sharing() -> None:
    assert resolved("timeSlicing: {replicas: 4, rename: true, failRequestsGreaterThanOne: true}").sharing == Sharing(
        replicas=4, mode="timeSlicing", rename=True, fail_greater_than_one=True
    )
    assert resolved("mps: {replicas: 2}").sharing == Sharing(replicas=2, mode="mps")
    assert resolved("mig: {strategy: single, layout: {1g.10gb: 7}}").sharing == Sharing("single", {"1g.10gb": 7})


LABEL = "nvidia.com/gpu.product"
SINGLE = "mig: {strategy: single, layout: {1g.10gb: 7}}"
MIXED = "mig: {strategy: mixed, layout: {1g.10gb: 7}}"


@pytest.mark.parametrize(
    ("sharing", "product"),
    [
        ("", "NVIDIA-A100"),
        ("timeSlicing: {replicas: 2}", "NVIDIA-A100-SHARED"),
        ("timeSlicing: {replicas: 1}", "NVIDIA-A100"),
        ("timeSlicing: {replicas: 2, rename: true}", "NVIDIA-A100"),
        ("mps: {replicas: 2}", "NVIDIA-A100-SHARED"),
        (SINGLE, "NVIDIA-A100-MIG-1g.10gb"),
        (MIXED, "NVIDIA-A100"),
        (f"{SINGLE}, timeSlicing: {{replicas: 2}}", "NVIDIA-A100-MIG-1g.10gb-SHARED"),
        (f"{MIXED}, timeSlicing: {{replicas: 2}}", "NVIDIA-A100"),
    ],
)
def test_product_label_that_the_nodes_carry(sharing: str, product: str) -> None:
    assert findings(pools=[pool(sharing, labels=f"{{{LABEL}: {product}}}")]) == []


@pytest.mark.parametrize(
    ("sharing", "product", "expected"),
    [
        ("", "NVIDIA-A100-SHARED", ["inventory.yaml:4:147 impossible-label"]),
        ("", "NVIDIA-A100-MIG-1g.10gb", ["inventory.yaml:4:147 impossible-label"]),
        ("timeSlicing: {replicas: 2}", "NVIDIA-A100", ["inventory.yaml:4:147 impossible-label"]),
        ("mig: {strategy: single, layout: {1g.10gb: 7}}", "NVIDIA-A100", ["inventory.yaml:4:147 impossible-label"]),
        (
            "mig: {strategy: single, layout: {1g.10gb: 7}}",
            "NVIDIA-A100-MIG-2g.20gb",
            ["inventory.yaml:4:147 impossible-label"],
        ),
        (
            "mig: {strategy: mixed, layout: {1g.10gb: 7}}",
            "NVIDIA-A100-MIG-1g.10gb",
            ["inventory.yaml:4:147 impossible-label"],
        ),
        (
            "mig: {strategy: single, layout: {1g.10gb: 7}}, mps: {replicas: 2}",
            "NVIDIA-A100-SHARED",
            ["inventory.yaml:4:147 impossible-label"],
        ),
    ],
)
def test_product_label_that_cannot_be(
    sharing: str, product: str, expected: list[str], snapshot: SnapshotAssertion
) -> None:
    found = findings(pools=[pool(sharing, labels=f"{{{LABEL}: {product}}}")])
    assert rules(found) == expected
    assert whole(found) == snapshot


def test_other_vendors_append_nothing_to_their_labels() -> None:
    assert findings(pools=[pool(accelerator="amd-mi300x-192gb", labels="{amd.com/gpu.product-name: X-SHARED}")]) == []


@pytest.mark.parametrize(
    ("more", "expected"),
    [
        ("reserve: {nodes: 2}", []),
        ("reserve: {nodes: 3}", ["inventory.yaml:4:145 reserve-above-pool"]),
        ("reserve: {perNode: {cpu: 101}}", ["inventory.yaml:4:155 reserve-above-pool"]),
        (
            "reserve: {perNode: {memory: 1001Gi, accelerators: 9}}",
            [
                "inventory.yaml:4:155 reserve-above-pool",
                "inventory.yaml:4:171 reserve-above-pool",
            ],
        ),
        ("reserve: {perNode: {ephemeral-storage: 1Gi}}", ["inventory.yaml:4:155 reserve-above-pool"]),
        ("timeSlicing: {replicas: 2}, mps: {replicas: 2}", ["inventory.yaml:4:163 two-sharing-modes"]),
        ("mig: {strategy: mixed, layout: {1g.10gb: 8}}", ["inventory.yaml:4:158 invalid-mig"]),
        ("mig: {strategy: mixed, layout: {1g.12gb: 1}}", ["inventory.yaml:4:158 invalid-mig"]),
        ("mig: {strategy: single, layout: {1g.10gb: 3, 2g.20gb: 2}}", ["inventory.yaml:4:159 invalid-mig"]),
        ("mig: {strategy: single, layout: {}}", ["inventory.yaml:4:159 invalid-mig"]),
        ("mig: {strategy: mixed, layout: {}}", ["inventory.yaml:4:158 invalid-mig"]),
        ("topology: []", ["inventory.yaml:4:135 invalid-topology"]),
        ("topology: [zone, zone]", ["inventory.yaml:4:135 invalid-topology"]),
        ("topology: [kubernetes.io/hostname, zone]", ["inventory.yaml:4:135 invalid-topology"]),
        ("topology: [zone, kubernetes.io/hostname]", []),
    ],
)
def test_refused(more: str, expected: list[str], snapshot: SnapshotAssertion) -> None:
    found = findings(pools=[pool(more)])
    assert rules(found) == expected
    assert whole(found) == snapshot


@pytest.mark.parametrize(
    ("accelerator", "per_node", "more", "expected"),
    [
        ("nvidia-h100", "{accelerators: 8, cpu: 100, memory: 1000Gi}", "", ["inventory.yaml:4:28 unknown-accelerator"]),
        ("tpu", "{accelerators: 8, cpu: 100, memory: 1000Gi}", "", ["inventory.yaml:4:28 unknown-accelerator"]),
        ("", "{cpu: 1, memory: 1Gi, accelerators: 0}", "", []),
        ("", "{cpu: 1, memory: 1Gi, accelerators: 1}", "", ["inventory.yaml:4:56 accelerators-without-model"]),
        (
            "",
            "{cpu: 1, memory: 1Gi}",
            "timeSlicing: {replicas: 2}, mig: {strategy: single, layout: {1g.10gb: 7}}",
            [
                "inventory.yaml:4:110 sharing-without-accelerator",
                "inventory.yaml:4:82 sharing-without-accelerator",
            ],
        ),
        ("nvidia-t4-16gb", "{cpu: 1, memory: 1Gi}", "", ["inventory.yaml:4:54 missing-key"]),
        ("nvidia-t4-16gb", "{cpu: 1, memory: 1Gi, accelerators: 0}", "", ["inventory.yaml:4:54 missing-key"]),
        (
            "nvidia-t4-16gb",
            "{accelerators: 8, cpu: 100, memory: 1000Gi}",
            "mig: {strategy: single, layout: {1g.10gb: 7}}",
            ["inventory.yaml:4:133 invalid-mig"],
        ),
    ],
)
def test_accelerator_that_cannot_be(
    accelerator: str, per_node: str, more: str, expected: list[str], snapshot: SnapshotAssertion
) -> None:
    found = findings(pools=[pool(more, accelerator=accelerator, per_node=per_node)])
    assert rules(found) == expected
    assert whole(found) == snapshot


def test_sharing_that_the_vendor_lacks() -> None:
    found = findings(pools=[pool("timeSlicing: {replicas: 2}", accelerator="amd-mi300x-192gb")])
    assert rules(found) == ["inventory.yaml:4:135 sharing-not-supported"]


@pytest.mark.parametrize(
    ("pools", "expected"),
    [
        (['a {x: "1"}', 'b {x: "2"}'], []),
        (['a {x: "1"}', 'b {y: "1"}'], []),
        (['a {x: "1"}', 'b {x: "1", y: "1"}'], ["inventory.yaml:4:3 pools-overlap"]),
        (['a {x: "1", y: "1"}', 'b {x: "1"}'], ["inventory.yaml:5:3 pools-overlap"]),
        (["a {}", 'b {x: "1"}'], ["inventory.yaml:4:3 pools-overlap"]),
    ],
)
def test_overlaps(pools: list[str], expected: list[str], snapshot: SnapshotAssertion) -> None:
    written = [pool(name=item.partition(" ")[0], labels=item.partition(" ")[2]) for item in pools]
    found = findings(pools=written)
    assert rules(found) == expected
    assert whole(found) == snapshot


def test_one_mig_strategy_a_cluster(snapshot: SnapshotAssertion) -> None:
    mixed = pool("mig: {strategy: mixed, layout: {1g.10gb: 7}}", name="a", labels="{node: a}")
    also = pool("mig: {strategy: mixed, layout: {2g.20gb: 3}}", name="b", labels="{node: b}")
    single = pool("mig: {strategy: single, layout: {1g.10gb: 7}}", name="c", labels="{node: c}")
    whole_cards = pool(name="d", labels="{node: d}")
    assert findings(pools=[mixed, also, whole_cards]) == []
    found = findings(pools=[mixed, also, single, whole_cards])
    assert rules(found) == ["inventory.yaml:6:3 two-mig-strategies"]
    assert whole(found) == snapshot


def test_same_labels_name_the_first_pool() -> None:
    first, second = pool(name="a"), pool(name="b")
    assert rules(findings(pools=[first, second])) == ["inventory.yaml:4:3 pools-overlap"]


def test_names_of_flavors_that_the_operator_makes() -> None:
    named = H100.replace("name: h100", "name: default-flavor")
    assert findings(pools=[named], openshift_ai="3.5") == []
    assert rules(findings(pools=[named], openshift_ai="3.4")) == ["inventory.yaml:4:4 reserved-name"]


def test_pools_with_the_same_levels_share_a_topology() -> None:
    levels = "topology: [zone, kubernetes.io/hostname]"
    pools = [
        pool(levels, name="b", labels="{node: b}"),
        pool(levels, name="a", labels="{node: a}"),
        pool("topology: [kubernetes.io/hostname]", name="c", labels="{node: c}"),
        pool(name="d", labels="{node: d}"),
    ]
    found = plan(pools=pools)
    assert {name: p.topology for name, p in found.pools.items()} == {"b": "b", "a": "b", "c": "c", "d": None}
    assert [(t.name, t.levels) for t in found.topologies] == [
        ("b", ("zone", "kubernetes.io/hostname")),
        ("c", ("kubernetes.io/hostname",)),
    ]
    assert isinstance(found.topologies[0], Topology)


@pytest.mark.parametrize(
    ("kueue", "levels", "expected"),
    [
        ("1.0", 1, ["inventory.yaml:4:135 unsupported-by-release"]),
        ("1.1", 1, ["inventory.yaml:4:135 unsupported-by-release"]),
        ("1.2", 1, []),
        ("1.2", 16, []),
        ("1.2", 17, ["inventory.yaml:4:135 invalid-topology"]),
    ],
)
def test_topologies_by_release(kueue: str, levels: int, expected: list[str], snapshot: SnapshotAssertion) -> None:
    named = ", ".join(f"level-{n}" for n in range(levels))
    written = pool(f"topology: [{named}]")
    found = findings(pools=[written], kueue=kueue, openshift="4.19", openshift_ai="2.25")
    assert rules(found) == expected
    assert whole(found) == snapshot
