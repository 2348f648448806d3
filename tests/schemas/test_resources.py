"""Resources of kinds, against the CRDs that name theirs."""

from __future__ import annotations

import re

import pytest

from generator.schemas.resources import plural
from tests.validate.real import CRDS, needs_crds

KIND = re.compile(r"^    kind: (\w+)$", re.MULTILINE)  # of spec.names


@needs_crds
def test_every_crd_has_the_resource_that_its_kind_leads_to() -> None:
    files = sorted(CRDS.glob("*/*.yaml"))  # called <plural>.<group>.yaml
    kinds = {path.stem.partition(".")[0]: KIND.findall(path.read_text("utf-8")) for path in files}
    assert len(kinds) > 50
    assert {name: found for name, found in kinds.items() if [plural(kind) for kind in found] != [name]} == {}


@pytest.mark.parametrize(
    ("kind", "expected"),
    [
        ("Namespace", "namespaces"),
        ("NetworkPolicy", "networkpolicies"),
        ("PriorityClass", "priorityclasses"),
        ("Ingress", "ingresses"),
        ("Gateway", "gateways"),
        ("Endpoints", "endpoints"),
        ("SecurityContextConstraints", "securitycontextconstraints"),
        ("ServiceMesh", "servicemeshes"),
        ("Sandbox", "sandboxes"),
    ],
)
def test_plural(kind: str, expected: str) -> None:
    assert plural(kind) == expected
