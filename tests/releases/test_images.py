"""Images by name: those that the releases ship, look-alikes, and what does not tell."""

import pytest

from generator.releases.images import vendor_of_image, vendor_of_resource

RHOAI = "registry.redhat.io/rhoai"


@pytest.mark.parametrize(
    ("image", "vendor"),
    [
        (f"{RHOAI}/odh-training-cuda128-torch28-py312-rhel9@sha256:1", "nvidia"),
        (f"{RHOAI}/odh-th06-cuda130-torch210-py312-rhel9", "nvidia"),
        (f"{RHOAI}/odh-th-torch-cuda-py312-rhel9", "nvidia"),
        (f"{RHOAI}/odh-training-rocm64-torch29-py312-rhel9", "amd"),
        (f"{RHOAI}/odh-th-torch-rocm-py312-rhel9", "amd"),
        (f"{RHOAI}/odh-th06-cpu-torch210-py312-rhel9", "none"),
        (f"{RHOAI}/odh-workbench-jupyter-pytorch-rocm-py312-rhel9", "amd"),
        (f"{RHOAI}/odh-pipeline-runtime-tensorflow-cuda-py312-rhel9", "nvidia"),
        ("registry.redhat.io/rhaii/vllm-gaudi-rhel9:3.4", "intel"),
        ("registry.redhat.io/rhaiis/vllm-spyre-rhel9", "ibm"),
        ("registry.redhat.io/rhaii/vllm-cpu-rhel9", "none"),
        ("registry.redhat.io/rhelai1/instructlab-nvidia-rhel9", "nvidia"),
        ("quay.io/modh/training:py312-cuda128-torch280", "nvidia"),
        ("quay.io/modh/training:py312-rocm64-torch280", "amd"),
        ("quay.io/modh/ray:2.55.1-py312-cu128", "nvidia"),
        ("quay.io/modh/ray:2.55.1-py312-rocm62", "amd"),
        ("quay.io/modh/ray@sha256:e29b721f00", "nvidia"),
        ("quay.io/modh/ray@sha256:0123456789", ""),
        ("registry.example.com/other@sha256:e29b721f00", ""),
        ("nvcr.io/nvidia/pytorch:24.01-py3", "nvidia"),
        ("docker.io/ROCm/pytorch", "amd"),
        ("vault.habana.ai/gaudi-docker/1.20/habanalabs/pytorch-installer:2.6", "intel"),
        ("mirror.example.com/nvidia/pytorch:24.01-py3", "nvidia"),
        ("mirror.example.com/nvidia/torch-rocm:1", "amd"),
        ("mirror.example.com/cpu/vllm-rocm-rhel9@sha256:01", "amd"),
        ("mirror.example.com/rocm/torch:1", ""),
        ("rocm.example.com/x/app:1", ""),
        ("cuda.example.com:5000/app", ""),
        ("registry.example.com/barracuda/torch:2.9", ""),
        ("registry.example.com/acupuncture/cpuset:1", ""),
        ("registry.example.com/ai/cuda-to-rocm:1", ""),
        ("registry.example.com/ai/torch@sha256:cuda", ""),
        ("", ""),
    ],
)
def test_vendor_of_an_image(image: str, vendor: str) -> None:
    assert vendor_of_image(image) == vendor


@pytest.mark.parametrize(
    ("resource", "vendor"),
    [
        ("nvidia.com/gpu", "nvidia"),
        ("nvidia.com/mig-1g.10gb", "nvidia"),
        ("amd.com/gpu", "amd"),
        ("habana.ai/gaudi", "intel"),
        ("ibm.com/spyre_pf", "ibm"),
        ("cpu", ""),
        ("example.com/gpu", ""),
    ],
)
def test_vendor_of_a_resource(resource: str, vendor: str) -> None:
    assert vendor_of_resource(resource) == vendor
