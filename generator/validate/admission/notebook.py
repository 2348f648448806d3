"""Notebook: pods that reach for the host, which OpenShift AI refuses from 3.3; and the login before it.

Source: red-hat-data-services/kubeflow components/odh-notebook-controller/controllers/notebook_validating_webhook.go and
validatePodSpecSecurity beside it; facts of runtimes, section 6.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from generator.finding import Layer, Severity
from generator.validate.admission.words import FORBIDDEN, refusal
from generator.validate.cluster import Target
from generator.validate.pods import host_volumes
from generator.validate.shape import get, mapping, mappings, text
from generator.validate.violation import Violation

LOGINS = ("notebooks.opendatahub.io/inject-oauth", "notebooks.opendatahub.io/inject-auth")
_POD = "spec.template.spec"
_HOST = ("hostNetwork", "hostPID", "hostIPC")


def validate(body: Mapping[str, Any], target: Target) -> Iterator[Violation]:
    """Yield what the webhook refuses, and a login that the release does not know."""
    release = target.openshift_ai
    if release is None:
        return
    if release.notebook_guard:
        yield from host(mapping(body, *_POD.split(".")), text(body, "metadata", "name"))
    notes = mapping(body, "metadata", "annotations")
    for login in LOGINS:
        if notes.get(login) == "true" and login != release.notebook_auth and notes.get(release.notebook_auth) is None:
            yield Violation(
                "notebook-login-unknown",
                Layer.READINESS,
                f"metadata.annotations[{login}]",
                f"OpenShift AI {release.version} does not know the annotation {login}: no login is put before the "
                "notebook",
                f'write {release.notebook_auth}: "true"',
                Severity.WARNING,
            )


def host(pod: Mapping[str, Any], name: str) -> Iterator[Violation]:
    """A notebook keeps to its own container, and to a service account of its own."""
    for key in _HOST:
        if get(pod, key) is True:
            yield refusal("notebook-on-host", f"{_POD}.{key}", f"{key} is not allowed in a notebook", "remove it")
    for place in host_volumes(pod):
        message = "a volume of the host is not allowed in a notebook"
        yield refusal("notebook-on-host", f"{_POD}.{place}", message, "use a claim", FORBIDDEN)
    for key in ("initContainers", "containers"):
        for index, container in mappings(pod, key):
            if get(container, "securityContext", "privileged") is True:
                path = f"{_POD}.{key}[{index}].securityContext.privileged"
                message = "a privileged container is not allowed in a notebook"
                yield refusal("notebook-on-host", path, message, "remove it", FORBIDDEN)
    account = text(pod, "serviceAccountName")
    if account and account != name:
        message = f"service account {account} is not allowed: a notebook has its own, called {name} like it"
        fix = f"remove it, and give {name} the rights that {account} has"
        yield refusal("notebook-account", f"{_POD}.serviceAccountName", message, fix, FORBIDDEN)
