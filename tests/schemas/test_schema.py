"""The compact form: what is kept of a CRD, and that it is read back as it was."""

from __future__ import annotations

from typing import Any

import pytest

from generator.schemas.crds import definitions
from generator.schemas.schema import compact, dump, from_crd, parse
from tests.schemas.stored import import_crds

CRD = """
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: things.example.com}
spec:
  group: example.com
  names: {kind: Thing, plural: things}
  scope: Namespaced
  versions:
    - name: v1
      served: true
      storage: true
      subresources: {status: {}}
      schema:
        openAPIV3Schema:
          description: prose
          type: object
          required: [spec, status]
          properties:
            spec:
              type: object
              properties:
                description: {type: string, description: prose about a field of that name}
                items: {type: array, items: {type: string, example: a}}
            status: {type: object}
    - name: v1alpha1
      served: false
      storage: false
      schema: {openAPIV3Schema: {type: object}}
"""
STRUCTURE = {
    "type": "object",
    "required": ["spec"],
    "properties": {
        "spec": {
            "type": "object",
            "properties": {
                "description": {"type": "string"},
                "items": {"type": "array", "items": {"type": "string"}},
            },
        }
    },
}


def test_a_crd_is_compacted() -> None:
    (crd,) = definitions(CRD)
    (schema,) = from_crd(crd)
    assert (schema.group, schema.kind, schema.version, schema.namespaced) == ("example.com", "Thing", "v1", True)
    assert schema.drops_status
    assert schema.structure == STRUCTURE


def test_without_a_status_subresource_the_status_is_kept() -> None:
    (crd,) = definitions(CRD.replace("subresources: {status: {}}", "subresources: {}"))
    (schema,) = from_crd(crd)
    assert not schema.drops_status
    assert schema.structure["required"] == ["spec", "status"]


@pytest.mark.parametrize(
    "text",
    [
        CRD,
        f"---\napiVersion: v1\nkind: ConfigMap\n---\n{CRD}",
        "kind: List\nitems:\n- " + CRD.strip().replace("\n", "\n  "),
    ],
)
def test_import(text: str) -> None:
    """A file, several documents, and a List as `oc get crd -o yaml` prints it."""
    files = import_crds([text, "just: text"])
    assert list(files) == ["example.com_thing_v1.json"]
    read = parse(files["example.com_thing_v1.json"])
    assert (read.api_version, read.kind, read.structure) == ("example.com/v1", "Thing", STRUCTURE)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a: [", "is not YAML"),
        ("kind: CustomResourceDefinition", "is not a CustomResourceDefinition"),
        (CRD.replace("      schema:\n", "      other:\n"), "v1: 'schema'"),
    ],
)
def test_what_cannot_be_imported(text: str, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        import_crds([text])


@pytest.mark.parametrize("text", ["[]", "{}", "no json", '{"group": "a"}'])
def test_what_is_no_compact_schema(text: str) -> None:
    with pytest.raises(ValueError):  # noqa: PT011  # json's own message or ours
        parse(text)


@pytest.mark.parametrize(
    "node",
    [
        {"type": "string", "default": {"description": "data"}, "enum": [{"title": "data"}]},
        {"anyOf": [{"type": "integer"}, {"not": {"type": "string"}}]},
        {"x-kubernetes-validations": [{"rule": "self.description != ''", "message": "text"}]},
        {"additionalProperties": False},
    ],
)
def test_values_are_no_prose(node: dict[str, Any]) -> None:
    assert compact(node) == node


def test_one_field_is_one_line() -> None:
    (crd,) = definitions(CRD)
    (schema,) = from_crd(crd)
    assert '"description":{"type":"string"}' in dump(schema)
