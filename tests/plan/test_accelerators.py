from __future__ import annotations

import pytest
from syrupy.assertion import SnapshotAssertion

from tests.builders import findings, plan, rules, whole

POOL = (
    "{{name: gpu, accelerator: {id}, nodes: 1, perNode: {{accelerators: 1, cpu: 1, memory: 1Gi}},"
    " nodeLabels: {{node: gpu}}{more}}}"
)


def test_smallest_model() -> None:
    own = "accelerators: [{id: nvidia-x1, vendor: nvidia, memoryGB: 48}]"
    (pool,) = plan(environment=own, pools=[POOL.format(id="nvidia-x1", more="")]).pools.values()
    found = pool.accelerator
    assert found is not None
    assert (found.id, found.vendor, found.title, found.memory_gb, found.resource, found.products) == (
        "nvidia-x1",
        "nvidia",
        "nvidia-x1",
        48,
        "nvidia.com/gpu",
        (),
    )
    assert (found.mig, found.mig_slices, found.mig_memory_slices, found.verified, found.operators) == (
        {},
        0,
        0,
        False,
        ("nvidia-gpu",),
    )


def test_all_that_a_model_says() -> None:
    own = (
        "accelerators: [{id: x2, vendor: nvidia, title: X Two, memoryGB: 80, resource: example.com/x2, products: [X2],"
        " mig: {1g.10gb: {compute: 1, memory: 1, max: 7}, 3g.40gb: {compute: 3, memory: 4, max: 2, starts: [0, 4]}}}]"
    )
    more = ", mig: {strategy: mixed, layout: {1g.10gb: 1, 3g.40gb: 1}}"
    (pool,) = plan(environment=own, pools=[POOL.format(id="x2", more=more)]).pools.values()
    found = pool.accelerator
    assert found is not None
    assert (found.title, found.resource, found.products, found.mig_slices, found.mig_memory_slices) == (
        "X Two",
        "example.com/x2",
        ("X2",),
        7,
        8,
    )
    assert {name: (p.compute, p.memory, p.limit, p.starts) for name, p in found.mig.items()} == {
        "1g.10gb": (1, 1, 7, tuple(range(8))),
        "3g.40gb": (3, 4, 2, (0, 4)),
    }
    assert list(pool.offers) == ["nvidia.com/mig-1g.10gb", "nvidia.com/mig-3g.40gb"]


def test_fewer_slices() -> None:
    own = (
        "accelerators: [{id: x3, vendor: nvidia, memoryGB: 24, migSlices: 4, migMemorySlices: 4,"
        " mig: {1g.6gb: {compute: 1, memory: 1, max: 4}}}]"
    )
    for count, expected in ((4, []), (5, ["inventory.yaml:4:140 invalid-mig"])):
        more = f", mig: {{strategy: single, layout: {{1g.6gb: {count}}}}}"
        assert rules(findings(environment=own, pools=[POOL.format(id="x3", more=more)])) == expected


@pytest.mark.parametrize(
    ("models", "expected"),
    [
        ("[{id: nvidia-h100-80gb, vendor: nvidia, memoryGB: 1}]", ["environment.yaml:6:17 defined-twice"]),
        (
            "[{id: a, vendor: nvidia, memoryGB: 1}, {id: a, vendor: nvidia, memoryGB: 1}]",
            ["environment.yaml:6:55 defined-twice"],
        ),
        ("[{id: a, vendor: nvidia, memoryGB: 1}, {id: b, vendor: nvidia, memoryGB: 1}]", []),
    ],
)
def test_refused(models: str, expected: list[str], snapshot: SnapshotAssertion) -> None:
    found = findings(environment=f"accelerators: {models}")
    assert rules(found) == expected
    assert whole(found) == snapshot
