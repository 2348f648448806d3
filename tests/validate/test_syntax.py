"""Names, selectors, quantities and taints as Kubernetes reads them."""

from __future__ import annotations

from typing import Any

import pytest

from generator.validate.canonical import canonical_form
from generator.validate.placement import tolerates
from generator.validate.shape import exact, steps
from generator.validate.syntax import name_defect, selector_defects, selects, value_defect


@pytest.mark.parametrize(
    ("written", "form"),
    [
        ("12000m", "12"),
        ("1024Mi", "1Gi"),
        ("1000", "1k"),
        ("0.5", "500m"),
        (9, "9"),
        ("1536Mi", "1536Mi"),
        ("1.5Gi", "1536Mi"),
        ("512Ki", "512Ki"),
        ("0.5Ki", "512"),
        ("1048576", "1048576"),
        ("1e3", "1e3"),
        ("100e1", "1e3"),
        ("0Gi", "0"),
        ("-1000", "-1k"),
        ("1n", "1n"),
        ("0.1n", "1n"),
        ("1E", "1E"),
        ("+5", "5"),
        ("abc", None),
        ("", None),
        ("5 Gi", None),
        ("9" * 65, None),
    ],
)
def test_canonical_form(written: str | int, form: str | None) -> None:
    assert canonical_form(written) == form


@pytest.mark.parametrize("written", [None, True, 1.5, "", "Gi", [], {}, "1e", "--1"])
def test_no_quantity(written: object) -> None:
    assert exact(written) is None


@pytest.mark.parametrize(
    ("name", "good"),
    [
        ("cpu", True),
        ("nvidia.com/gpu", True),
        ("a" * 63, True),
        ("a" * 64, False),
        ("@cpu", False),
        ("/gpu", False),
        ("a/b/c", False),
        ("Example.com/gpu", False),
        ("x/", False),
        ("", False),
        ("a_b.c-d", True),
        ("-a", False),
    ],
)
def test_qualified_names(name: str, good: bool) -> None:
    assert (name_defect(name) is None) is good


@pytest.mark.parametrize(
    ("value", "good"), [("", True), ("a" * 63, True), ("a" * 64, False), ("a b", False), ("-", False), (True, False)]
)
def test_label_values(value: object, good: bool) -> None:
    assert (value_defect(value) is None) is good


@pytest.mark.parametrize(
    ("selector", "labels", "want"),
    [
        (None, {"a": "b"}, False),
        ({}, {}, True),
        ({"matchLabels": {"a": "b"}}, {"a": "b", "c": "d"}, True),
        ({"matchLabels": {"a": "b"}}, {"a": "x"}, False),
        ({"matchExpressions": [{"key": "a", "operator": "In", "values": ["b"]}]}, {"a": "b"}, True),
        ({"matchExpressions": [{"key": "a", "operator": "NotIn", "values": ["b"]}]}, {}, True),
        ({"matchExpressions": [{"key": "a", "operator": "Exists"}]}, {}, False),
        ({"matchExpressions": [{"key": "a", "operator": "DoesNotExist"}]}, {}, True),
    ],
)
def test_selectors(selector: Any, labels: dict[str, str], want: bool) -> None:
    assert selects(selector, labels) is want


def test_what_is_wrong_with_a_selector() -> None:
    expressions = [{"key": "a", "operator": "Exists", "values": ["b"]}, {"key": "@", "operator": "Like"}]
    found = [(path, kind) for path, kind, _ in selector_defects({"matchExpressions": expressions}, "s")]
    assert found == [
        ("s.matchExpressions[0].values", "Forbidden"),
        ("s.matchExpressions[1].operator", "Invalid value"),
        ("s.matchExpressions[1].key", "Invalid value"),
    ]


TAINT = {"key": "gpu", "value": "true", "effect": "NoSchedule"}


@pytest.mark.parametrize(
    ("toleration", "want"),
    [
        ({"operator": "Exists"}, True),
        ({"key": "gpu", "operator": "Exists"}, True),
        ({"key": "gpu", "operator": "Exists", "effect": "NoExecute"}, False),
        ({"key": "gpu", "value": "true"}, True),
        ({"key": "gpu"}, False),
        ({"key": "other", "operator": "Exists"}, False),
        ({"key": "gpu", "operator": "Equal", "value": "true", "effect": "NoSchedule"}, True),
    ],
)
def test_tolerations(toleration: dict[str, str], want: bool) -> None:
    assert tolerates(toleration, TAINT) is want


def test_steps_of_a_printed_path() -> None:
    assert steps("metadata.labels[a.b/c].d[0]") == ["metadata", "labels", "a.b/c", "d", 0]
