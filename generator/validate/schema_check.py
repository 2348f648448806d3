"""Every object by the schema and CEL rules of the release that the cluster runs, as the API server would."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from generator.finding import Finding, Layer, Severity
from generator.frozen import replace
from generator.manifest import Manifest
from generator.releases import load as releases
from generator.schemas import load
from generator.schemas.schema import Schema
from generator.validate.cluster import Cluster, Target, place
from generator.validate.kinds import DEFINITION, Kind
from generator.validate.objects import validate_object
from generator.validate.shape import text
from generator.validate.violation import Violation
from generator.validate.wording import some

FEW = 60  # objects of a kind: for more, the engine is faster, the time that it takes to come included
Imported = Mapping[tuple[str, str, str], Schema]


def check(cluster: Cluster, imported: Imported | None = None, sound: frozenset[int] = frozenset()) -> Iterator[Finding]:
    """Yield what the API server would refuse; `imported` holds a user's own CRDs, which take precedence.

    Objects with ids among `sound` were judged already. A kind of which one version is imported has no others. Kinds of
    which no schema is known pass; of a part of a cluster one info finding names them.
    """
    goal, own = target(cluster.target), imported or {}
    served: dict[Kind, tuple[str, ...]] = {}
    for group, kind, version in own:
        served[group, kind] = (*served.get((group, kind), ()), version)
    schemas: dict[tuple[str, str, str], Schema | None] = {}
    judged: dict[Schema, list[Manifest]] = {}
    unknown: dict[str, Manifest] = {}
    for manifest, (group, kind), _, _ in cluster.identities:
        if id(manifest) in sound:
            continue
        version = text(manifest.body, "apiVersion").rpartition("/")[2]
        name = (group, kind, version)
        if name not in schemas:
            schemas[name] = own.get(name) if (group, kind) in served else load.schema(group, kind, version, goal)
        schema = schemas[name]
        if schema is not None:
            judged.setdefault(schema, []).append(manifest)
        elif (group, kind) in served:
            yield from _not_served(cluster, manifest, served[group, kind])
        elif load.known(group, kind):
            yield from _not_served(cluster, manifest, load.versions(group, kind, goal))
        elif (group, kind) != DEFINITION:  # which are judged where they are read
            unknown.setdefault(f"{kind} ({group or 'core'}/{version})", manifest)
    for schema, manifests in judged.items():
        few = len(manifests) <= FEW
        for manifest in manifests:
            for violation in validate_object(manifest.body, schema, is_one_of_few=few):
                yield cluster.objection(manifest, _of_name(violation))
    if unknown and not cluster.whole:
        first = next(iter(unknown.values()))
        yield Finding(
            "unknown-kind",
            Severity.INFO,
            Layer.SCHEMA,
            f"not judged by a schema: {some(sorted(unknown))}",
            place(first),
            "import their CRDs to have them judged: apportion crds import",
        )


def _of_name(violation: Violation) -> Violation:
    """Return a rule on the name where the name stands; to the server it is one on the object as a whole."""
    if violation.path or violation.layer is not Layer.CEL or "self.metadata.name" not in violation.fix:
        return violation
    return replace(violation, path="metadata.name")


def target(given: Target) -> load.Target:
    """Return the releases by which schemas are chosen."""
    openshift = releases.openshift(given.openshift) if given.openshift else None
    return load.Target(
        openshift_ai=given.openshift_ai.version if given.openshift_ai else None,
        kueue=given.kueue.version if given.kueue else None,
        argo_cd=given.gitops.argo_cd if given.gitops else None,
        kubernetes=openshift.kubernetes if openshift else None,
    )


def _not_served(cluster: Cluster, manifest: Manifest, served: tuple[str, ...]) -> Iterator[Finding]:
    version = text(manifest.body, "apiVersion")
    kind = text(manifest.body, "kind")
    remedy = f"write {' or '.join(served)}" if served else f"remove it: this release has no {kind}"
    yield cluster.finding(
        manifest, "api-version-not-served", Layer.SCHEMA, f"{kind} is not served as {version}", remedy, "apiVersion"
    )
