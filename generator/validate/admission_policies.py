"""CEL of ValidatingAdmissionPolicies that somebody wrote: what the API server refuses when it is applied.

What Apportion writes itself is tried by its tests, so that a compile does not pay for it.
Source: k8s.io/kubernetes pkg/apis/admissionregistration/validation.
"""

from __future__ import annotations

from collections.abc import Iterator

from generator.finding import Finding, Layer
from generator.manifest import Manifest
from generator.releases import load
from generator.source import Map
from generator.validate import kinds
from generator.validate.cluster import Cluster
from generator.validate.shape import mappings, text

# list of the spec → its expressions: key, type of the result
_EXPRESSIONS = {
    "matchConditions": (("expression", "BOOL"),),
    "variables": (("expression", "DYN"),),
    "validations": (("expression", "BOOL"), ("messageExpression", "STRING")),
    "auditAnnotations": (("valueExpression", "DYN"),),
}


def check(cluster: Cluster) -> Iterator[Finding]:
    """Yield each expression that does not compile, or calls or gives what the API server does not know."""
    for manifest in cluster.of(kinds.ADMISSION_POLICY):
        if isinstance(manifest.body.get("spec"), Map):  # read from a text
            yield from _policy(cluster, manifest)


def _policy(cluster: Cluster, manifest: Manifest) -> Iterator[Finding]:
    from generator.validate.cel.admission import CONDITION, VALIDATION, defect

    release = load.openshift(cluster.target.openshift) if cluster.target.openshift else None
    kubernetes = release.kubernetes if release else None
    declared: list[str] = []
    for key, parts in _EXPRESSIONS.items():
        names = CONDITION if key == "matchConditions" else VALIDATION
        for index, item in mappings(manifest.body, "spec", key):
            for part, result in parts:
                expression = text(item, part)
                if expression.strip() and (why := defect(expression, result, names, declared, kubernetes)):
                    yield _refused(cluster, manifest, f"spec.{key}[{index}].{part}", why)
            if key == "variables":
                declared.append(text(item, "name"))


def _refused(cluster: Cluster, manifest: Manifest, path: str, why: str) -> Finding:
    return cluster.finding(
        manifest,
        "admission-expression-refused",
        Layer.CEL,
        f"the API server refuses the policy: {path.rpartition('.')[2]} {why}",
        "correct the expression",
        path,
    )
