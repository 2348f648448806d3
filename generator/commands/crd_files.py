"""A user's own CRDs → schemas: from the definitions themselves, and from the files that `crds import` stores."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from pathlib import Path

from generator.commands.files import Reader
from generator.finding import Finding, Layer, Location, ObjectRef, error
from generator.manifest import Manifest
from generator.schemas.crds import file_name
from generator.schemas.schema import Schema, from_crd, parse
from generator.validate.cluster import name_of, place
from generator.validate.crds import defects
from generator.validate.kinds import DEFINITION, Kind
from generator.validate.violation import Violation

SUFFIX = ".json"
Schemas = dict[tuple[str, str, str], Schema]

_HEADS = (b'{"group":', b'{\n"group":')


def schemas_of(objects: Iterable[Manifest]) -> tuple[Schemas, list[Finding]]:
    """Return the served versions of CustomResourceDefinitions by which objects can be judged, and what is wrong.

    Of two definitions of a kind the later one counts. Fields that no definition has are findings, and hinder nothing.
    """
    found: Schemas = {}
    findings: list[Finding] = []
    for manifest in objects:
        schemas, wrong = _of_one(manifest)
        findings += (_found(manifest, violation) for violation in wrong)
        override(found, {(s.group, s.kind, s.version): s for s in schemas})
    return found, findings


def _of_one(manifest: Manifest) -> tuple[list[Schema], list[Violation]]:
    from generator.validate.definition import as_read, judge
    from generator.validate.definition_schema import violation_at

    # a definition is plain JSON: positions go, and decimals become what its readers take for numbers
    try:
        body = json.loads(json.dumps(manifest.body, default=float))
        wrong = list(judge(body))
        if any(violation.rule != "field-unknown" for violation in wrong):
            return [], wrong
        schemas = from_crd(as_read(body))
    except (ValueError, RecursionError) as problem:
        return [], [violation_at((), str(problem))]
    wrong += (
        violation_at((), f"{schema.version}: {message}", layer)
        for schema in schemas
        for layer, message in ([] if wrong else defects(schema))
    )
    return schemas, wrong


def _found(manifest: Manifest, violation: Violation) -> Finding:
    name = name_of(manifest)
    of = ObjectRef(None, DEFINITION[1], name, None, str(manifest.body.get("apiVersion")))
    return Finding(
        violation.rule,
        violation.severity,
        violation.layer,
        f"{name}: {violation.message}",
        place(manifest, violation.path),
        violation.fix,
        of,
        violation.path or None,
    )


def override(schemas: Schemas, by: Mapping[tuple[str, str, str], Schema]) -> None:
    """Let other schemas take the place of all versions of their kinds."""
    kinds = {key[:2] for key in by}
    for key in [key for key in schemas if key[:2] in kinds]:
        del schemas[key]
    schemas.update(by)


def of_environment(crds: Iterable[Mapping[str, bytes]], kinds: Iterable[Kind]) -> tuple[Schemas, list[Finding]]:
    """Return what was stored for all environments and, in its place where there is any, for one; as `stored`."""
    found: Schemas = {}
    findings: list[Finding] = []
    judged = list(kinds)
    for files in crds:
        schemas, wrong = stored(files, judged)
        override(found, schemas)
        findings += wrong
    return found, findings


def files_at(path: str) -> dict[str, bytes]:
    """Return the stored files at a PATH, a file or a folder, by how findings name them."""
    place = Path(path)
    reader = Reader()
    found = {name: reader.bytes_of(name) for name in map(str, [*sorted(place.glob(f"*{SUFFIX}")), place])}
    return {reader.shown(name): data for name, data in found.items() if data and data.startswith(_HEADS)}


def stored(files: Mapping[str, bytes], kinds: Iterable[Kind]) -> tuple[Schemas, list[Finding]]:
    """Return the schemas in stored files, by path, for the kinds that are judged, and which files are broken.

    Hundreds of CRDs may be stored: of a kind that is not judged no more is read than the file's beginning. A kind with
    a broken file is left out.
    """
    found: dict[str, Schemas] = {}
    broken: set[str] = set()
    findings: list[Finding] = []
    wanted = {"_".join(kind).lower() for kind in kinds}
    for path, data in sorted(files.items()):
        name = path.rpartition("/")[2]
        of = name.rpartition("_")[0]
        if of in wanted or not data.startswith(_HEADS) or not name.endswith(SUFFIX):
            schema, wrong = _read(name, data)
            findings += (_unusable(path, layer, message) for layer, message in wrong)
            if schema is None or wrong:
                broken.add(of)
            else:
                found.setdefault(of, {})[schema.group, schema.kind, schema.version] = schema
    return {key: s for of, schemas in found.items() if of not in broken for key, s in schemas.items()}, findings


def _read(name: str, data: bytes) -> tuple[Schema | None, list[tuple[Layer, str]]]:
    try:
        schema = parse(data) if name.endswith(SUFFIX) else None
    except (ValueError, RecursionError) as problem:
        return None, [(Layer.INPUT, f"this is no stored CRD: {problem}")]
    if schema is None:
        return None, [(Layer.INPUT, "crds/ holds what apportion crds import stores, and this is nothing of it")]
    if file_name(schema) != name:
        return None, [(Layer.INPUT, f"this holds {schema.kind} {schema.version} and is not called {file_name(schema)}")]
    return schema, list(defects(schema))


def _unusable(path: str, layer: Layer, message: str) -> Finding:
    fix = "import the CRD: apportion crds import, and remove this file"
    return error("stored-crd-broken", message, Location(path), fix, layer=layer)
