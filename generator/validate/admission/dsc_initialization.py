"""DSCInitialization: OpenShift AI's webhook.

Source: rhods-operator internal/webhook/dscinitialization/v2/validating.go; facts, section 2b.
"""

from __future__ import annotations

import base64
import binascii
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from generator.pattern import pattern
from generator.validate.admission.words import FORBIDDEN, refusal
from generator.validate.cluster import Target
from generator.validate.kinds import DSC_INITIALIZATION, kind_of
from generator.validate.shape import get, text
from generator.validate.violation import Violation

_CERTIFICATE = pattern(r"-----BEGIN CERTIFICATE-----\s+([A-Za-z0-9+/=\s]+?)\s*-----END CERTIFICATE-----")
_DER_SEQUENCE = 0x30
_CHECKS_BUNDLE = "3.5"  # the first release whose webhook reads the bundle


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
        yield from invalid_ca_bundle(body, target.openshift_ai.version)


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


def invalid_ca_bundle(body: Mapping[str, Any], release: str) -> Iterator[Violation]:
    """A managed bundle of certificates holds certificates. Older releases accept it and break every client."""
    bundle = get(body, "spec", "trustedCABundle", "customCABundle")
    managed = get(body, "spec", "trustedCABundle", "managementState") == "Managed"
    if not managed or not isinstance(bundle, str) or not bundle or _are_certificates(bundle):
        return
    when = "" if _minor(release) >= _minor(_CHECKS_BUNDLE) else f"; {release} does not check it, {_CHECKS_BUNDLE} does"
    yield refusal(
        "invalid-ca-bundle",
        "spec.trustedCABundle.customCABundle",
        f"customCABundle holds no PEM certificates{when}",
        "paste the certificates with their BEGIN and END lines, or leave it empty",
    )


def _are_certificates(bundle: str) -> bool:
    blocks = _CERTIFICATE.findall(bundle)
    return bool(blocks) and all(_is_der(block) for block in blocks)


def _is_der(block: str) -> bool:
    try:
        data = base64.b64decode("".join(block.split()), validate=True)
    except binascii.Error:
        return False
    return len(data) > 1 and data[0] == _DER_SEQUENCE


def _minor(version: str) -> tuple[int, ...]:
    return tuple(int(part) for part in version.split("."))
