"""DSCInitialization: OpenShift AI's webhook.

Source: rhods-operator internal/webhook/dscinitialization/v2/validating.go; facts, section 2b.
"""

from __future__ import annotations

import base64
import binascii
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from generator.finding import Layer, Severity
from generator.pattern import pattern
from generator.releases.model import OpenShiftAI
from generator.validate.admission.words import FORBIDDEN, refusal
from generator.validate.cluster import Target
from generator.validate.kinds import DSC_INITIALIZATION, kind_of
from generator.validate.shape import get, text
from generator.validate.violation import Violation

_CERTIFICATE = pattern(r"-----BEGIN CERTIFICATE-----\s+([A-Za-z0-9+/=\s]+?)\s*-----END CERTIFICATE-----")
_DER_SEQUENCE = 0x30


def validate(
    body: Mapping[str, Any],
    target: Target,
    old: Mapping[str, Any] | None = None,
    existing: Iterable[Mapping[str, Any]] = (),
) -> Iterator[Violation]:
    """Yield what the webhook refuses."""
    if old is None:
        yield from second_instance(body, existing)
    if target.openshift_ai is not None:
        yield from invalid_ca_bundle(body, target.openshift_ai)


def second_instance(body: Mapping[str, Any], existing: Iterable[Mapping[str, Any]]) -> Iterator[Violation]:
    """A cluster has one DSCInitialization; the operator itself makes `default-dsci` unless that is switched off."""
    name = text(body, "metadata", "name")
    for other in existing:
        if kind_of(other) == DSC_INITIALIZATION and (rival := text(other, "metadata", "name")) != name:
            message = f"DSCInitialization {rival} exists as well: only one instance is allowed"
            yield refusal(
                "second-dsc-initialization", "metadata.name", message, "keep one, named default-dsci", FORBIDDEN
            )
            return


def invalid_ca_bundle(body: Mapping[str, Any], release: OpenShiftAI) -> Iterator[Violation]:
    """A managed bundle of certificates holds certificates. Older releases accept it and break every client."""
    bundle = get(body, "spec", "trustedCABundle", "customCABundle")
    managed = get(body, "spec", "trustedCABundle", "managementState") == "Managed"
    if not managed or not isinstance(bundle, str) or not bundle or _are_certificates(bundle):
        return
    path = "spec.trustedCABundle.customCABundle"
    fix = "paste the certificates with their BEGIN and END lines, or leave it empty"
    if release.checks_ca_bundle:
        message = "customCABundle holds what is no whole PEM certificate"
        yield refusal("invalid-ca-bundle", path, message, fix)
    else:
        message = "customCABundle holds what is no whole PEM certificate: it is handed to every namespace as it is"
        yield Violation("invalid-ca-bundle", Layer.READINESS, path, message, fix, Severity.WARNING)


def _are_certificates(bundle: str) -> bool:
    blocks = _CERTIFICATE.findall(bundle)
    return bool(blocks) and all(_is_der(block) for block in blocks)


def _is_der(block: str) -> bool:
    """Whether a block is one DER sequence, as long as it says. Source: Go's crypto/x509, ParseCertificate."""
    try:
        data = base64.b64decode("".join(block.split()), validate=True)
    except binascii.Error:
        return False
    if len(data) < 2 or data[0] != _DER_SEQUENCE:
        return False
    further = data[1] & 0x7F if data[1] & 0x80 else 0  # bytes of the length, where it is a long one
    length = int.from_bytes(data[2 : 2 + further], "big") if further else data[1]
    return len(data) == 2 + further + length
