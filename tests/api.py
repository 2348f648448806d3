"""The API that an environment's objects are written for: which schema each has, and what the server says of it.

CustomResourceDefinitions are the shared ones of the release; built-in kinds have the schemas of kubernetes-validate.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache
from typing import Any

import jsonschema
from kubernetes_validate import utils as kubernetes  # type: ignore[import-untyped]  # it ships no types
from referencing import Registry, Resource

from generator.releases import load
from tests import structural
from tests.releases import crds
from tests.samples import Identity, Object, identity

ARGO_CD = ("3.1", "3.3", "3.5")  # whose CRDs we have
BUILT_IN = ("", "admissionregistration.k8s.io", "networking.k8s.io", "rbac.authorization.k8s.io")
FOLDERS = {
    "argoproj.io": "argo-cd-{argo_cd}",
    "datasciencecluster.opendatahub.io": "openshift-ai-{openshift_ai}",
    "dscinitialization.opendatahub.io": "openshift-ai-{openshift_ai}",
    "infrastructure.opendatahub.io": "openshift-ai-{openshift_ai}",
    "kueue.openshift.io": "red-hat-kueue-{kueue}",
    "kueue.x-k8s.io": "red-hat-kueue-{kueue}",
    "opendatahub.io": "openshift-ai-{openshift_ai}",
    "operators.coreos.com": "olm",
    "trainer.kubeflow.org": "openshift-ai-{openshift_ai}",
}
OPERANDS = {"JobSetOperator": "jobset-operator", "LeaderWorkerSetOperator": "lws-operator"}


class Target:
    """The releases that one environment's objects are written for; `platform` is that of its input."""

    def __init__(self, platform: Mapping[str, str]) -> None:
        openshift, gitops = load.openshift(platform["openshift"]), load.gitops(platform["gitops"])
        assert openshift is not None
        assert gitops is not None
        argo_cd = min(ARGO_CD, key=lambda known: abs(_minor(known) - _minor(gitops.argo_cd)))
        self._kubernetes = openshift.kubernetes
        self._folders = {
            group: folder.format(openshift_ai=platform["openshiftAI"], kueue=platform["kueue"], argo_cd=argo_cd)
            for group, folder in FOLDERS.items()
        }

    def has_schema(self, found: Object) -> bool:
        """Whether there is a schema of the object's kind."""
        key = identity(found)
        return key.group in BUILT_IN or self._folder(key) is not None

    def problems(self, found: Object) -> Iterator[str]:
        """Yield what the server refuses, or would drop."""
        key, version = identity(found), _version(found)
        if key.group in BUILT_IN:
            validator = _built_in(key.group, version, key.kind, self._kubernetes)
        else:
            schema = self._schema(found)
            validator = _validator(str(self._folder(key)), key.group, key.kind, version)
            yield from (f"two items with one key: {path}" for path in structural.repeated(schema, found))
        yield from (f"{error.json_path}: {error.message}" for error in validator.iter_errors(found))

    def defaults(self, found: Object) -> Iterator[str]:
        """Yield the path of each field that the CRD's defaults add to the object."""
        yield from structural.defaulted(self._schema(found), found)

    def _folder(self, key: Identity) -> str | None:
        return OPERANDS.get(key.kind) or self._folders.get(key.group)

    def _schema(self, found: Object) -> structural.Schema:
        key = identity(found)
        return _schema(str(self._folder(key)), key.group, key.kind, _version(found))


def _minor(version: str) -> int:
    major, minor, *_ = version.split(".")
    return 100 * int(major) + int(minor)


def _version(found: Object) -> str:
    return str(found["apiVersion"]).rpartition("/")[2]


@cache
def _schema(folder: str, group: str, kind: str, version: str) -> structural.Schema:
    name = kind.lower()
    plurals = (f"{name}s", f"{name}es", f"{name[:-1]}ies")
    files = [f"{plural}.{group}" for plural in plurals if (crds.CRDS / folder / f"{plural}.{group}.yaml").is_file()]
    assert len(files) == 1, f"{kind} has {len(files)} CRDs in {folder}"
    served = crds.versions(folder, files[0])
    assert served[version]["served"], f"{folder} does not serve {group}/{version} {kind}"
    return served[version]["schema"]["openAPIV3Schema"]  # type: ignore[no-any-return]


@cache
def _validator(folder: str, group: str, kind: str, version: str) -> Any:
    return jsonschema.Draft4Validator(structural.of_object(_schema(folder, group, kind, version)))


@cache
def _built_in(group: str, version: str, kind: str, release: str) -> Any:
    folder = f"kubernetes-json-schema/v{release}.0-local-strict"
    name = "-".join(filter(None, (kind.lower(), group.partition(".")[0], version)))
    schema = kubernetes.schema_contents(f"{folder}/{name}.json", release)
    return jsonschema.Draft202012Validator(schema, registry=_definitions(folder, release))


@cache
def _definitions(folder: str, release: str) -> Registry[Any]:
    found = Resource.from_contents(kubernetes.schema_contents(f"{folder}/_definitions.json", release))
    return (found @ Registry()).crawl()
