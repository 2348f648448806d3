"""ResourceFlavor: the rules of Kueue's webhook.

Source: kubernetes-sigs/kueue pkg/webhooks/resourceflavor_webhook.go.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from generator.validate.admission.words import DUPLICATE, refusal
from generator.validate.shape import get, mapping, mappings, text
from generator.validate.syntax import name_defect, value_defect
from generator.validate.violation import Violation


def validate(body: Mapping[str, Any]) -> Iterator[Violation]:
    """Yield what the webhook refuses."""
    spec = mapping(body, "spec")
    yield from invalid_label(spec)
    yield from invalid_taint(spec)
    yield from taint_twice(spec)
    yield from invalid_toleration(spec)


def invalid_label(spec: Mapping[str, Any]) -> Iterator[Violation]:
    """nodeLabels are labels that a node can carry."""
    for key, value in mapping(spec, "nodeLabels").items():
        for what, defect in ((key, name_defect(key)), (value, value_defect(value))):
            if defect:
                message = f"node label {key}: {what!r} is not allowed: {defect}"
                yield refusal("invalid-node-label", "spec.nodeLabels", message, "write it as the nodes carry it")


def invalid_taint(spec: Mapping[str, Any]) -> Iterator[Violation]:
    """nodeTaints have a label's key and value."""
    for index, taint in mappings(spec, "nodeTaints"):
        defects = (("key", name_defect(text(taint, "key"))), ("value", value_defect(taint.get("value") or "")))
        for part, defect in defects:
            if defect:
                message = f"taint {part} {get(taint, part)!r}: {defect}"
                yield refusal("invalid-taint", f"spec.nodeTaints[{index}].{part}", message, "write it as on the nodes")


def taint_twice(spec: Mapping[str, Any]) -> Iterator[Violation]:
    """Taints are unique by key and effect."""
    seen: set[tuple[str, str]] = set()
    for index, taint in mappings(spec, "nodeTaints"):
        pair = text(taint, "key"), text(taint, "effect")
        if pair in seen:
            message = f"taint {pair[0]}:{pair[1]} stands twice: taints must be unique by key and effect"
            yield refusal("taint-twice", f"spec.nodeTaints[{index}]", message, "remove one of them", DUPLICATE)
        seen.add(pair)


def invalid_toleration(spec: Mapping[str, Any]) -> Iterator[Violation]:
    """A toleration's key, where it has one, is a label's key."""
    for index, toleration in mappings(spec, "tolerations"):
        key = text(toleration, "key")
        if key and (defect := name_defect(key)):
            message = f"toleration key {key!r}: {defect}"
            yield refusal("invalid-toleration", f"spec.tolerations[{index}].key", message, "write the taint's key")
