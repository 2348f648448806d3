"""A product label of another model: the quota would guard nodes that the pool does not mean."""

import pytest

from generator.accelerators.load import accelerator
from generator.environment.inventory import Pool
from generator.plan.pool_defects import defects
from generator.source import parse


def found(model: str, label: str, more: str = "") -> list[str]:
    text = (
        "pools:\n"
        f"  - {{name: p, accelerator: {model}, nodes: 2, perNode: {{accelerators: 8, cpu: 8, memory: 8Gi}},"
        f" nodeLabels: {{nvidia.com/gpu.product: {label}}}{more}}}\n"
    )
    [document], problems = parse(text, "inventory.yaml")
    assert problems == []
    pool: Pool = document.root["pools"][0]
    return [f"{f.location} {f.rule} {f.message}" for f in defects(pool, accelerator(model))]


@pytest.mark.parametrize(
    ("model", "label", "more"),
    [
        ("nvidia-h200-141gb", "NVIDIA-H200", ""),
        ("nvidia-h200-141gb", "our-own-name", ""),
        ("nvidia-l4-24gb", "NVIDIA-L4-SHARED", ", timeSlicing: {replicas: 4}"),
        ("nvidia-a100-80gb", "NVIDIA-A100-SXM4-80GB-MIG-1g.10gb", ", mig: {strategy: single, layout: {1g.10gb: 7}}"),
    ],
)
def test_its_own_or_an_unknown_product_passes(model: str, label: str, more: str) -> None:
    assert found(model, label, more) == []


@pytest.mark.parametrize(("label", "more"), [("NVIDIA-L4", ""), ("NVIDIA-L4-SHARED", ", timeSlicing: {replicas: 4}")])
def test_the_product_of_another_model_is_refused(label: str, more: str) -> None:
    [said] = found("nvidia-h200-141gb", label, more)
    assert said.startswith("inventory.yaml:2:143 product-of-another-model pool p holds NVIDIA H200")
    assert said.endswith(f"its label {label} is what nodes with NVIDIA L4 24 GB carry")
