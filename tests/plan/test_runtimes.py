from __future__ import annotations

import pytest
from syrupy.assertion import SnapshotAssertion

from generator.plan.model import Runtime
from tests.builders import CORES, H100, MIXED, amounts, findings, plan, quotas, rules, whole

IMAGE = "registry.example.com/ai/torch:1"
BASE = {"name": "mine", "framework": "torch", "image": IMAGE, "perNode": "{cpu: 16, memory: 128Gi}"}
MI300 = (
    "{name: mi300, accelerator: amd-mi300x-192gb, nodes: 1, perNode: {accelerators: 8, cpu: 100, memory: 1000Gi},"
    " nodeLabels: {node: mi300}}"
)
SHARED = (
    "{name: shared, accelerator: nvidia-t4-16gb, nodes: 1, perNode: {accelerators: 4, cpu: 100, memory: 1000Gi},"
    " nodeLabels: {node: shared}, timeSlicing: {replicas: 4, rename: true}}"
)
POOLS = (H100, MIXED, CORES, MI300, SHARED)
TRAINER = "components: {trainer: {}}"


def fleet(more: str = "") -> str:
    """Return a fleet with one runtime in its fourth line; `more` are further keys, or others for the usual ones."""
    own = {pair.split(":")[0] for pair in more.split("; ")}
    usual = [f"{key}: {value}" for key, value in BASE.items() if key not in own]
    return f"runtimes:\n- {{{', '.join([*usual, *filter(None, more.split('; '))])}}}\n"


def runtimes(more: str = "", **parts: object) -> tuple[Runtime, ...]:
    return plan(**{"fleet": fleet(more), "pools": POOLS, "environment": TRAINER, **parts}).runtimes  # type: ignore[arg-type]  # checked by files


def runtime(more: str = "") -> Runtime:
    (found,) = runtimes(more)
    return found


def test_smallest_runtime() -> None:
    found = runtime()
    assert (found.name, found.namespace, found.team, found.framework, found.policy, found.image, found.nodes) == (
        "mine",
        None,
        None,
        "torch",
        "torch",
        IMAGE,
        1,
    )
    assert (found.command, found.args, found.env, found.description, found.pool) == ((), (), (), None, None)
    assert (found.vendor, found.plain, amounts(found.requests)) == ("none", True, {"cpu": "16", "memory": "128Gi"})


def test_all_that_a_runtime_says() -> None:
    found = runtime(
        "nodes: 4; command: [torchrun]; args: [--x, '1']; env: [{name: A, value: b}]; description: mine;"
        " perNode: {cpu: 1, memory: 1Gi, ephemeral-storage: 10Gi}"
    )
    assert (found.nodes, found.command, found.args, found.env, found.description) == (
        4,
        ("torchrun",),
        ("--x", "1"),
        (("A", "b"),),
        "mine",
    )
    assert amounts(found.requests) == {"cpu": "1", "memory": "1Gi", "ephemeral-storage": "10Gi"}


@pytest.mark.parametrize(
    ("more", "vendor", "resource", "plain"),
    [
        ("accelerator: nvidia", "nvidia", "nvidia.com/gpu", True),
        ("accelerator: amd", "amd", "amd.com/gpu", True),
        ("pool: h100", "nvidia", "nvidia.com/gpu", True),
        ("pool: h100; accelerator: nvidia", "nvidia", "nvidia.com/gpu", True),
        ("pool: mi300", "amd", "amd.com/gpu", True),
        ("pool: shared", "nvidia", "nvidia.com/gpu.shared", False),
    ],
)
def test_accelerators_by_vendor_or_pool(more: str, vendor: str, resource: str, plain: bool) -> None:
    found = runtime(f"{more}; perNode: {{cpu: 1, memory: 1Gi, accelerators: 2}}")
    assert amounts(found.requests) == {"cpu": "1", "memory": "1Gi", resource: "2"}
    assert (found.vendor, found.plain) == (vendor, plain)


def test_slices() -> None:
    found = runtime("accelerator: nvidia; perNode: {cpu: 1, memory: 1Gi, slices: {1g.10gb: 2}}")
    assert amounts(found.requests) == {"cpu": "1", "memory": "1Gi", "nvidia.com/mig-1g.10gb": "2"}
    assert found.plain is False


def test_no_accelerators() -> None:
    assert amounts(runtime("pool: cores; perNode: {cpu: 1, memory: 1Gi, accelerators: 0}").requests) == {
        "cpu": "1",
        "memory": "1Gi",
    }


@pytest.mark.parametrize(
    ("shares", "namespaces"),
    [
        ("{h100: {accelerators: 1}}", ["dev", "train"]),
        ("{h100: {accelerators: 1}, cores: {cpu: 1}}", ["dev", "train"]),
        ("{cores: {cpu: 1}}", []),
        ("{}", []),
    ],
)
def test_project_scope(shares: str, namespaces: list[str]) -> None:
    written = quotas(shares, namespaces="[{name: train}, {name: dev}]")
    found = runtimes("scope: project; pool: h100", quotas=written)
    assert [(r.namespace, r.team, r.plain) for r in found] == [(name, "vision", False) for name in namespaces]


@pytest.mark.parametrize(
    "parts",
    [
        {"environment": ""},
        {"environment": "components: {trainer: {managementState: Removed}}"},
        {"openshift_ai": "2.25", "environment": ""},
    ],
)
def test_none_without_trainer(parts: dict[str, str]) -> None:
    assert runtimes(**parts) == ()


@pytest.mark.parametrize("more", ["pool: elsewhere", "accelerator: intel"])
def test_none_without_a_pool(more: str) -> None:
    assert runtimes(more) == ()


@pytest.mark.parametrize(
    ("more", "expected"),
    [
        ("name: torch-distributed", ["fleet.yaml:4:97 reserved-name"]),
        ("framework: torhc", ["fleet.yaml:4:102 unknown-framework (warning)"]),
        ("framework: my-own", ["fleet.yaml:4:102 unknown-framework (warning)"]),
        ("pool: h100; accelerator: amd", ["fleet.yaml:4:134 wrong-vendor"]),
        ("pool: cores; accelerator: nvidia", ["fleet.yaml:4:135 wrong-vendor"]),
        ("pool: h100; accelerator: nvidia", []),
        ("perNode: {cpu: 1, memory: 1Gi, accelerators: 1}", ["fleet.yaml:4:105 accelerators-without-vendor"]),
        (
            "accelerator: none; perNode: {cpu: 1, memory: 1Gi, accelerators: 1}",
            ["fleet.yaml:4:124 accelerators-without-vendor"],
        ),
        ("pool: cores; perNode: {cpu: 1, memory: 1Gi, accelerators: 1}", ["fleet.yaml:4:118 accelerators-of-cpu-pool"]),
        ("pool: mixed; perNode: {cpu: 1, memory: 1Gi, accelerators: 1}", ["fleet.yaml:4:118 accelerators-of-mig-pool"]),
        ("pool: mixed; perNode: {cpu: 1, memory: 1Gi, slices: {3g.40gb: 1}}", ["fleet.yaml:4:127 unknown-slice"]),
        ("pool: h100; perNode: {cpu: 1, memory: 1Gi, slices: {1g.10gb: 1}}", ["fleet.yaml:4:126 unknown-slice"]),
        ("pool: elsewhere; accelerator: amd", []),
        ("framework: deepspeed", ["fleet.yaml:4:102 runtime-needs-scc (warning)"]),
    ],
)
def test_refused(more: str, expected: list[str], snapshot: SnapshotAssertion) -> None:
    found = findings(fleet=fleet(more), pools=POOLS, environment=TRAINER)
    assert rules(found) == expected
    assert whole(found) == snapshot


def test_unknown_framework_only_starts_the_nodes() -> None:
    assert runtime("framework: my-own").policy is None
