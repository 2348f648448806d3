"""Destinations of an AppProject as Argo CD matches them, those that begin with "!" among them."""

from __future__ import annotations

from typing import Any

import pytest

from generator.validate.argo_fences import Fence
from tests.validate.builders import Body, body, cluster
from tests.validate.test_rules import HERE

LOCAL = "https://kubernetes.default.svc"
EVERY = {"server": "*", "namespace": "*"}
ALL_BUT = {"server": "*", "namespace": "!vision"}


def fence(**spec: Any) -> Fence:
    return Fence(cluster([body("argoproj.io/v1alpha1", "AppProject", "ai", spec=spec)]).objects[0])


@pytest.mark.parametrize(
    ("destinations", "is_allowed"),
    [
        ([HERE], True),
        ([EVERY], True),
        ([EVERY, ALL_BUT], False),
        ([ALL_BUT, EVERY], False),
        ([EVERY, {"server": "*", "namespace": "!vis*"}], False),
        ([EVERY, {"server": "*", "namespace": "!kube-system"}], True),
        ([{"server": "*", "namespace": "!kube-system"}], True),
        ([{"server": "https://other", "namespace": "!kube-system"}], False),
        ([{"namespace": "!kube-system"}], False),
        ([EVERY, {"server": "https://other", "namespace": "!vision"}], False),
        ([{"server": "!https://other", "namespace": "*"}], True),
        ([EVERY, {"server": f"!{LOCAL}", "namespace": "*"}], False),
        ([EVERY, {"name": "!in-cluster", "namespace": "*"}], False),
        ([EVERY, {"name": "!other", "namespace": "*"}], True),
        ([{"name": "in-cluster", "namespace": "vision"}], True),
        ([], False),
    ],
)
def test_destinations(destinations: list[Body], is_allowed: bool) -> None:
    spaces = fence(destinations=destinations).spaces(LOCAL, "in-cluster")
    assert spaces.match("vision") is is_allowed


def test_what_is_not_known_of_a_cluster_denies_nothing() -> None:
    spaces = fence(destinations=[EVERY, {"name": "!prod", "namespace": "*"}]).spaces("https://other", "")
    assert spaces.match("vision")


@pytest.mark.parametrize(
    ("spec", "is_allowed"),
    [
        ({}, True),
        ({"namespaceResourceWhitelist": None}, True),
        ({"namespaceResourceWhitelist": []}, False),
        ({"namespaceResourceWhitelist": [{"group": "*", "kind": "LocalQueue"}]}, True),
    ],
)
def test_an_empty_list_allows_nothing(spec: Body, is_allowed: bool) -> None:
    assert fence(**spec).allows_kind(("kueue.x-k8s.io", "LocalQueue"), spaced=True) is is_allowed
