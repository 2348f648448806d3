"""`apportion schema [KIND]`: JSON Schema of the input, for editors, with what the release data knows as hints."""

from __future__ import annotations

import json
import sys
from argparse import ArgumentParser, Namespace
from typing import Any

from generator.accelerators import load as accelerators
from generator.environment.schema import schema, schema_of_all
from generator.environment.validate import KINDS
from generator.finding import FatalError
from generator.releases import load as releases
from generator.spelling import near

_PRODUCTS = {"openshiftAI": "openshift-ai", "kueue": "kueue", "gitops": "gitops"}


def arguments(parser: ArgumentParser) -> None:
    """Declare the kind."""
    parser.add_argument("kind", nargs="?", metavar="KIND", help=f"{', '.join(KINDS)} (default: all of them)")


def run(options: Namespace) -> int:
    """Print the schema; whatever the format of findings, it is JSON."""
    kind = options.kind
    if kind is not None and kind not in KINDS:
        spelling = near(kind, KINDS)
        raise FatalError(
            f"unknown kind {kind}", f"did you mean {spelling}?" if spelling else f"one of {', '.join(KINDS)}"
        )
    found = schema(kind) if kind else schema_of_all()
    _hint({**found["$defs"], **({kind: found} if kind else {})})
    sys.stdout.write(json.dumps(found, indent=2) + "\n")
    return 0


def _hint(parts: dict[str, Any]) -> None:
    """Add known ids and releases as examples: a schema that refused others would be wrong at the next release."""
    if "Pool" in parts:
        parts["Pool"]["properties"]["accelerator"]["examples"] = list(accelerators.ids())
    if "Platform" in parts:
        for key, product in _PRODUCTS.items():
            parts["Platform"]["properties"][key]["examples"] = list(releases.known(product))
    if "Environment" in parts:
        given = parts["Environment"]["properties"]
        versions = [releases.openshift_ai(version) for version in releases.known("openshift-ai")]
        names = sorted({name for release in versions if release for name in release.components})
        given["components"]["properties"] = dict.fromkeys(names, given["components"]["additionalProperties"])
        choice = given["operators"]["additionalProperties"]
        given["operators"]["properties"] = dict.fromkeys(releases.operator_ids(), choice)
