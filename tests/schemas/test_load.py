"""Which schema belongs to which release."""

from __future__ import annotations

import pytest

from generator.schemas.load import DATA, Target, file_of, halves, index, known, schema, versions

QUEUE = ("kueue.x-k8s.io", "ClusterQueue")


@pytest.mark.parametrize(
    ("release", "version", "limit"),
    [("1.0", "v1beta1", 16), ("1.3", "v1beta2", 64), ("1.4", "v1beta2", 64)],
)
def test_limits_by_release(release: str, version: str, limit: int) -> None:
    found = schema(*QUEUE, version, Target(kueue=release))
    assert found is not None
    groups = found.structure["properties"]["spec"]["properties"]["resourceGroups"]
    assert groups["items"]["properties"]["coveredResources"]["maxItems"] == limit


@pytest.mark.parametrize(
    ("kind", "version", "target", "served"),
    [
        (QUEUE, "v1beta2", Target(kueue="1.2"), False),
        (QUEUE, "v1beta2", Target(kueue="1.3"), True),
        (("kueue.x-k8s.io", "Cohort"), "v1beta1", Target(kueue="1.1"), False),
        (("kueue.x-k8s.io", "Cohort"), "v1beta1", Target(kueue="1.2"), True),
        (("infrastructure.opendatahub.io", "HardwareProfile"), "v1", Target(openshift_ai="2.25"), False),
        (("trainer.kubeflow.org", "TrainJob"), "v1alpha1", Target(openshift_ai="2.25"), False),
        (("trainer.kubeflow.org", "TrainJob"), "v1alpha1", Target(openshift_ai="3.2"), True),
        (("trainer.kubeflow.org", "TrainJob"), "v1alpha1", Target(openshift_ai="2.25", trainer="2.3"), True),
        (("operators.coreos.com", "Subscription"), "v1alpha1", Target(), True),
        (("example.com", "Thing"), "v1", Target(), False),
        (("", "Namespace"), "v1", Target(), True),
        (("", "Namespace"), "v2", Target(), False),
    ],
)
def test_served(kind: tuple[str, str], version: str, target: Target, served: bool) -> None:
    assert (schema(*kind, version, target) is not None) is served


@pytest.mark.parametrize(
    ("wanted", "same_as"),
    [
        ("2.14", "3.1"),
        ("3.0.21", "3.1"),
        ("3.1.15", "3.1"),
        ("3.2", "3.1"),
        ("3.4", "3.3"),
        ("3.10", "3.5"),
        (None, "3.5"),
    ],
)
def test_a_release_that_is_not_ours_is_judged_by_its_neighbour(wanted: str | None, same_as: str) -> None:
    application = ("argoproj.io", "Application", "v1alpha1")
    assert schema(*application, Target(argo_cd=wanted)) is schema(*application, Target(argo_cd=same_as))


def test_versions_and_known() -> None:
    assert versions(*QUEUE, Target(kueue="1.2")) == ("v1beta1",)
    assert versions(*QUEUE, Target(kueue="1.4")) == ("v1beta1", "v1beta2")
    assert versions("example.com", "Thing", Target()) == ()
    assert known(*QUEUE)
    assert known("", "ConfigMap")
    assert not known("example.com", "Thing")


def test_every_file_is_used_and_every_use_has_its_file() -> None:
    used = {
        file_of(*halves(kind), version, product, release)
        for kind, products in index()["kinds"].items()
        for product, by_version in products.items()
        for version, releases in by_version.items()
        for release in releases.values()
    }
    assert used == {path.name for path in DATA.glob("*_*.json")}
