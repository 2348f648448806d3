"""Whatever JSON an object is made of, it is judged; nothing is raised."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from generator.schemas.load import Target, schema
from generator.validate.objects import defaults, validate_object

KINDS = [
    ("kueue.x-k8s.io", "ClusterQueue", "v1beta2"),
    ("kueue.x-k8s.io", "ResourceFlavor", "v1beta2"),
    ("kueue.openshift.io", "Kueue", "v1"),
    ("datasciencecluster.opendatahub.io", "DataScienceCluster", "v2"),
    ("", "Pod", "v1"),
]
FIELDS = st.sampled_from(
    [
        "spec",
        "resourceGroups",
        "flavors",
        "name",
        "tolerations",
        "config",
        "components",
        "containers",
        "nodeLabels",
        "x",
    ]
)
SCALARS = st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5) | st.just("\ud800")
VALUES = st.recursive(
    SCALARS, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(FIELDS, inner, max_size=4), max_leaves=20
)


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind[1])
@given(spec=VALUES, metadata=VALUES, old=VALUES)
@settings(max_examples=60, deadline=None)
def test_any_object_is_judged(kind: tuple[str, str, str], spec: Any, metadata: Any, old: Any) -> None:
    found = schema(*kind, Target())
    assert found is not None
    body = {"apiVersion": found.api_version, "kind": found.kind, "metadata": metadata, "spec": spec}
    violations = validate_object(body, found, {**body, "spec": old})
    assert all(violation.message and violation.fix for violation in violations)
    filled = defaults(found, body)
    assert defaults(found, filled) == filled or "nan" in repr(filled)
