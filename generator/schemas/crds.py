"""Real CustomResourceDefinitions, turned into the compact form that is kept under environments/<env>/crds/."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from generator.schemas.schema import Schema


def file_name(schema: Schema) -> str:
    """Return the name under which a schema is kept: `kueue.x-k8s.io_clusterqueue_v1beta2.json`."""
    return f"{schema.group}_{schema.kind}_{schema.version}.json".lower()


def definitions(text: str) -> Iterator[Mapping[str, Any]]:
    """Yield the CustomResourceDefinitions in a YAML or JSON text.

    Raises:
        ValueError: the text is not YAML.
    """
    import yaml

    try:
        documents = list(yaml.load_all(text, yaml.CSafeLoader))
    except (yaml.YAMLError, RecursionError) as error:
        raise ValueError(f"is not YAML: {error}") from error
    for document in documents:
        yield from _within(document)


def _within(document: Any) -> Iterator[Mapping[str, Any]]:
    if not isinstance(document, dict):
        return
    if document.get("kind") == "CustomResourceDefinition":
        yield document
    elif str(document.get("kind", "")).endswith("List") and isinstance(document.get("items"), list):
        for item in document["items"]:
            yield from _within(item)
