"""What the samples mean on a cluster, read from what kubectl builds: who can run what, and that nothing is
promised twice.

Beside the golden trees, which would hold a mistake in place.
"""

from __future__ import annotations

from typing import Any

import pytest

from generator.quantity import parse
from tests.cluster import Cluster, Route, pod, wanted
from tests.samples import ENVIRONMENTS, Built, inputs

GPU, AMD, SHARED = "nvidia.com/gpu", "amd.com/gpu", "nvidia.com/gpu.shared"
SMALL, DOUBLE = "nvidia.com/mig-1g.10gb", "nvidia.com/mig-2g.20gb"
PARTS = ("cpu", "memory", "ephemeral-storage")
RESOURCES = {
    "dev": {"general": set(), "l4": {SHARED}},
    "legacy": {"general": set(), "v100": {GPU}},
    "prod": {"general": set(), "h100": {GPU}, "a100-mig": {SMALL, DOUBLE}, "mi300x": {AMD}},
}
VISIBLE = "opendatahub.io/dashboard-feature-visibility"


@pytest.fixture(params=ENVIRONMENTS)
def environment(request: pytest.FixtureRequest) -> str:
    """The name of a sample."""
    name: str = request.param
    return name


@pytest.fixture
def cluster(environment: str, built: Built) -> Cluster:
    """The cluster of a sample."""
    return Cluster(built[f"overlays/{environment}"])


@pytest.fixture
def prod(built: Built) -> Cluster:
    """The cluster of prod."""
    return Cluster(built["overlays/prod"])


ROUTES = [
    ("dev", "vision-lab", "l4-share", Route("interactive", "vision-interactive", "l4"), {SHARED: 3, "cpu": 15}),
    ("dev", "fraud-lab", "cpu-large", Route("interactive", "fraud-interactive", "general"), {"cpu": 16}),
    ("dev", "language-lab", "model-cpu", None, {}),
    ("legacy", "credit", "v100-one", Route("interactive", "credit-interactive", "v100"), {GPU: 2, "cpu": 36}),
    ("legacy", "robotics", "model-cpu", None, {}),
    ("prod", "speech-dev", "a100-slice", Route("interactive", "speech-interactive", "a100-mig"), {SMALL: 8, "cpu": 64}),
    ("prod", "fraud-serve", "model-a100-slice", Route("serving", "fraud-serving", "a100-mig"), {DOUBLE: 6, "cpu": 48}),
    ("prod", "search-serve", "model-h100", Route("serving-h100", "search-serving-h100", "h100"), {GPU: 8, "cpu": 208}),
    ("prod", "mlops-serve", "model-mi300x", Route("serving-mi300x", "mlops-serving-mi300x", "mi300x"), {AMD: 2}),
    ("prod", "pricing-serve", "model-h100", None, {}),
    ("prod", "speech-train", "a100-slice", None, {}),
]


@pytest.mark.parametrize(("name", "namespace", "profile", "expected", "owned"), ROUTES)
def test_where_a_profile_leads(
    name: str, namespace: str, profile: str, expected: Route | None, owned: dict[str, int], built: Built
) -> None:
    cluster = Cluster(built[f"overlays/{name}"])
    found = cluster.profile(namespace, profile)
    if expected is None:
        assert found is None
        return
    assert found is not None
    queue = found["spec"]["scheduling"]["kueue"]["localQueueName"]
    assert cluster.route(namespace, queue, wanted(found, "maxCount")) == expected
    guaranteed = cluster.guaranteed(expected.cluster_queue, expected.flavor or "")
    assert {resource: guaranteed[resource] // 1000 for resource in owned} == owned


def test_every_profile_can_be_used_to_its_maximum_in_the_pool_it_is_for(environment: str, cluster: Cluster) -> None:
    pools = {p["name"]: p["pool"] for d in inputs(environment, "Fleet") for p in d["profiles"]}
    offered = [(space, found["metadata"]["name"], found) for space, found in cluster.offered()]
    assert offered
    for space, name, found in offered:
        queue = found["spec"]["scheduling"]["kueue"]["localQueueName"]
        route = cluster.route(space, queue, wanted(found, "maxCount"))
        assert route.flavor == pools[name], f"{name} in {space}"


def test_cpu_and_memory_last_as_long_as_accelerators(environment: str, cluster: Cluster) -> None:
    checked = set()
    for space, found in cluster.offered():
        asked = wanted(found, "defaultCount")
        queue = found["spec"]["scheduling"]["kueue"]["localQueueName"]
        route = cluster.route(space, queue, asked)
        owned = cluster.guaranteed(route.cluster_queue, str(route.flavor))
        for card in asked.keys() - set(PARTS):
            checked.add(card)
            workloads = owned[card] // asked[card]
            assert all(owned[part] >= workloads * asked[part] for part in ("cpu", "memory")), f"{route}: {asked}"
    assert checked == set().union(*RESOURCES[environment].values())


def test_who_can_train_on_four_nodes(prod: Cluster) -> None:
    job = {name: 4 * amount for name, amount in pod(prod.runtimes["torch-h100-distributed"]).items()}
    able = [queue for queue in prod.cluster_queues if queue != "default" and prod.admits(queue, job)]
    # speech (8 and 8 more), vision (16 and 8) and forecasting (0 and 8) may not borrow that much
    assert sorted(able) == [
        "foundation-models-training",
        "language-training",
        "recommendations-training",
        "robotics-training",
    ]


def test_how_far_borrowing_and_lending_go(prod: Cluster) -> None:
    # Of 112 that are promised, foundation-models keeps 16 and recommendations 8 to itself.
    teams = [name for name in prod.cluster_queues if name.endswith("-training")]
    assert {name.removesuffix("-training"): prod.most(name, "h100", GPU) // 1000 for name in teams} == {
        "forecasting": 8,
        "foundation-models": 104,
        "language": 88,
        "recommendations": 96,
        "robotics": 88,
        "speech": 16,
        "vision": 24,
    }


def test_every_runtime_fits_a_queue_and_divides_a_node(prod: Cluster) -> None:
    pools = {r["name"]: r["pool"] for d in inputs("prod", "Fleet") for r in d["runtimes"]}
    assert sorted(prod.runtimes) == sorted(pools)
    for name, runtime in prod.runtimes.items():
        asked, nodes = pod(runtime), runtime["spec"]["mlPolicy"]["numNodes"]
        node = schedulable("prod", pools[name], nodes=1)
        assert all(node[resource] >= amount for resource, amount in asked.items()), name
        assert all(node[card] % asked[card] == 0 for card in asked.keys() - set(PARTS)), name
        job = {resource: amount * nodes for resource, amount in asked.items()}
        assert pools[name] in {prod.admits(queue, job) for queue in prod.cluster_queues if queue != "default"}, name


def test_promises_never_exceed_what_a_pool_can_schedule(environment: str, cluster: Cluster) -> None:
    promised = cluster.promised()
    assert {flavor for flavor, _ in promised} == set(RESOURCES[environment])  # and no pool lies idle
    for (flavor, resource), amount in promised.items():
        assert amount <= schedulable(environment, flavor)[resource], f"{flavor} {resource}"


def test_accelerators_that_are_promised(built: Built) -> None:
    found = {}
    for environment in ENVIRONMENTS:
        for (flavor, resource), amount in Cluster(built[f"overlays/{environment}"]).promised().items():
            if resource not in PARTS:
                found[environment, flavor, resource] = (
                    amount // 1000,
                    schedulable(environment, flavor)[resource] // 1000,
                )
    assert found == {
        ("dev", "l4", SHARED): (12, 16),
        ("legacy", "v100", GPU): (24, 28),
        ("prod", "a100-mig", SMALL): (96, 120),
        ("prod", "a100-mig", DOUBLE): (72, 80),
        ("prod", "h100", GPU): (112, 120),
        ("prod", "mi300x", AMD): (32, 40),
    }


def test_queues_profiles_and_runtimes_call_a_resource_by_one_name(environment: str, cluster: Cluster) -> None:
    expected = RESOURCES[environment]
    named: dict[str, set[str]] = {flavor: set() for flavor in expected}
    for queue in cluster.cluster_queues:
        for flavor in expected:
            named[flavor] |= cluster.guaranteed(queue, flavor).keys() - set(PARTS)
    assert named == expected
    [fleet] = inputs(environment, "Fleet")
    pools = {item["name"]: item["pool"] for item in [*fleet["profiles"], *fleet["runtimes"]]}
    for _, profile in cluster.offered():
        cards = wanted(profile, "maxCount").keys() - set(PARTS)
        assert cards <= expected[pools[profile["metadata"]["name"]]]
    for name, runtime in cluster.runtimes.items():
        assert pod(runtime).keys() - set(PARTS) <= expected[pools[name]]


def test_no_queue_mixes_pools_with_and_without_a_topology(cluster: Cluster) -> None:
    with_topology = {name for name, flavor in cluster.flavors.items() if "topologyName" in flavor["spec"]}
    for name, queue in cluster.cluster_queues.items():
        flavors = {f["name"] for group in queue["spec"].get("resourceGroups", ()) for f in group["flavors"]}
        assert flavors <= with_topology or flavors.isdisjoint(with_topology), name


def test_workbenches_are_never_evicted(cluster: Cluster) -> None:
    workbenches = [f for f in cluster.offered() if "workbench" in f[1]["metadata"]["annotations"][VISIBLE]]
    assert workbenches
    for space, profile in workbenches:
        queue = profile["spec"]["scheduling"]["kueue"]["localQueueName"]
        spec = cluster.cluster_queues[cluster.route(space, queue, {}).cluster_queue]["spec"]
        assert spec["preemption"]["withinClusterQueue"] == "Never"
        [group] = spec["resourceGroups"]
        assert {r["borrowingLimit"] for flavor in group["flavors"] for r in flavor["resources"]} == {"0"}


def schedulable(environment: str, pool: str, nodes: int | None = None) -> dict[str, int]:
    """Return what a pool, or some nodes of it, can schedule, by the inventory as written; in thousandths."""
    [item] = [p for document in inputs(environment, "Inventory") for p in document["pools"] if p["name"] == pool]
    reserve: dict[str, Any] = item.get("reserve", {})
    count = item["nodes"] - reserve.get("nodes", 0) if nodes is None else nodes
    kept = reserve.get("perNode", {})
    left = {part: count * (parse(item["perNode"][part]) - parse(kept.get(part, 0))) for part in PARTS}
    cards = count * parse(item["perNode"].get("accelerators", 0))
    units = item.get("mig", {}).get("layout") or {"": item.get("timeSlicing", {}).get("replicas", 1)}
    names = sorted(RESOURCES[environment][pool])
    return left | {name: cards * number for name, number in zip(names, units.values(), strict=False)}
