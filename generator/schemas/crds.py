"""Real CustomResourceDefinitions, turned into the compact form that is kept under environments/<env>/crds/."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from generator.schemas.schema import Schema, dump, from_crd


def import_crds(texts: Iterable[str]) -> dict[str, str]:
    """Return compact schema files by name, made of the CustomResourceDefinitions in YAML or JSON texts.

    A text may hold several documents, `List`s as `oc get crd -o yaml` prints them, and other kinds, which are left out.
    A name is `<group>_<kind>_<version>.json` in lower case; a later definition of the same version wins.

    Raises:
        ValueError: not YAML, or a CustomResourceDefinition that is none.
    """
    files = {}
    for text in texts:
        for crd in definitions(text):
            for schema in from_crd(crd):
                files[file_name(schema)] = dump(schema)
    return dict(sorted(files.items()))


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
