"""Built-in kinds by release of Kubernetes, against the definitions that they were made from."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any

import kubernetes_validate  # type: ignore[import-untyped]  # only its data is read
import pytest

from generator.schemas.builtin import KINDS, builtin
from tests.validate.real import errors

SOURCE = Path(kubernetes_validate.__file__).parent / "kubernetes-json-schema"
RELEASES = ("1.29", "1.33", "1.37")
METADATA = "io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta"


@cache
def definitions(release: str) -> Mapping[str, Any]:
    text = (SOURCE / f"v{release}.0-local-strict" / "_definitions.json").read_text(encoding="utf-8")
    found: Mapping[str, Any] = json.loads(text)["$defs"]
    return found


def theirs(name: str, release: str, path: str = "") -> Iterator[tuple[str, bool]]:
    """Yield the path of each field below a definition, and whether it is required."""
    node = definitions(release)[name]
    for field, child in node.get("properties", {}).items():
        yield f"{path}.{field}", field in node.get("required", ())
        yield from _below(child, release, f"{path}.{field}")


def _below(node: Mapping[str, Any], release: str, path: str) -> Iterator[tuple[str, bool]]:
    if "$ref" in node:
        yield from theirs(node["$ref"].rpartition("/")[2], release, path)
    for key, step in (("items", "[]"), ("additionalProperties", "{}")):
        if isinstance(node.get(key), dict):
            yield from _below(node[key], release, path + step)


def ours(node: Mapping[str, Any], path: str = "") -> Iterator[tuple[str, bool]]:
    for field, child in node.get("properties", {}).items():
        yield f"{path}.{field}", field in node.get("required", ())
        yield from ours(child, f"{path}.{field}")
    for key, step in (("items", "[]"), ("additionalProperties", "{}")):
        if isinstance(node.get(key), dict):
            yield from ours(node[key], path + step)


@pytest.mark.parametrize("release", RELEASES)
@pytest.mark.parametrize("name", KINDS)
def test_the_fields_are_those_of_the_release(name: str, release: str) -> None:
    group, version, kind = name.split("/")
    found = builtin(group, kind, version, release)
    definition = f"io.k8s.api.{group.partition('.')[0] or 'core'}.{version}.{kind}"
    if definition not in definitions(release):
        assert found is None
        return
    assert found is not None
    dropped = (".status", ".metadata", ".apiVersion", ".kind")
    wanted = {
        (path, required or path.endswith((".containers[].image", ".initContainers[].image")))
        for path, required in theirs(definition, release)
        if not any(path == top or path.startswith((f"{top}.", f"{top}[", f"{top}{{")) for top in dropped)
    }
    assert set(ours(found.structure)) == wanted


def test_a_field_that_came_with_a_release() -> None:
    """Pods have `resources` as a whole from Kubernetes 1.32."""
    pod = {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": "a"},
        "spec": {"containers": [{"name": "a", "image": "b"}], "resources": {"limits": {"cpu": 0.5}}},
    }
    found = [builtin("", "Pod", "v1", release) for release in ("1.30", "1.34", "1.99")]
    said = [[v.path for v in errors(pod, schema)] for schema in found if schema]
    assert said == [["spec.resources"], [], []]


@pytest.mark.parametrize(
    ("quantity", "accepted"), [("500m", True), (1, True), (0.5, True), ("1e3", True), ("8GB", False), (True, False)]
)
def test_quantities_of_built_in_kinds_may_be_fractions(quantity: Any, accepted: bool) -> None:
    quota = builtin("", "ResourceQuota", "v1", None)
    assert quota is not None
    body = {"apiVersion": "v1", "kind": "ResourceQuota", "metadata": {"name": "a"}, "spec": {"hard": {"cpu": quantity}}}
    assert (errors(body, quota) == []) is accepted


@pytest.mark.parametrize(
    ("role", "path"),
    [
        ({"rules": [{"apiGroups": [""], "resources": ["pods"], "verbs": ["get"]}]}, None),
        ({"rules": [{"apiGroups": [""], "resources": ["pods"], "verbs": []}]}, "rules[0].verbs"),
        ({"rules": [{"apiGroup": [""], "verbs": ["get"]}]}, "rules[0].apiGroup"),
    ],
)
def test_roles(role: dict[str, Any], path: str | None) -> None:
    schema = builtin("rbac.authorization.k8s.io", "Role", "v1", None)
    assert schema is not None
    body = {"apiVersion": schema.api_version, "kind": "Role", "metadata": {"name": "a"}, **role}
    assert [v.path for v in errors(body, schema)] == ([path] if path else [])


def test_a_kind_that_came_with_a_release() -> None:
    """ValidatingAdmissionPolicy is v1 from Kubernetes 1.30."""
    found = [builtin("admissionregistration.k8s.io", "ValidatingAdmissionPolicy", "v1", r) for r in ("1.29", "1.30")]
    assert [schema is None for schema in found] == [True, False]
