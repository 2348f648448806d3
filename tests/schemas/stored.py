"""What `apportion crds import` should store, by a shorter way that reads plain YAML."""

from __future__ import annotations

from collections.abc import Iterable

from generator.schemas.crds import definitions, file_name
from generator.schemas.schema import dump, from_crd


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
