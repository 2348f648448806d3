"""Kubernetes' rules for names, labels and selectors, in the server's words.

Source: k8s.io/apimachinery pkg/util/validation/validation.go, pkg/apis/meta/v1/validation/validation.go.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import Any

from generator.pattern import pattern
from generator.validate.shape import get, items, mapping, mappings, text

_QUALIFIED = pattern(r"([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]")
_VALUE = pattern(r"(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?")
_LABEL = pattern(r"[a-z0-9]([-a-z0-9]*[a-z0-9])?")
_DNS1035 = pattern(r"[a-z]([-a-z0-9]*[a-z0-9])?")
_SUBDOMAIN = pattern(r"[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*")
MAX_LABEL, MAX_SUBDOMAIN = 63, 253
OPERATORS = {"In": True, "NotIn": True, "Exists": False, "DoesNotExist": False}


@lru_cache(maxsize=4096)
def name_defect(name: str) -> str | None:
    """Return why a text is no qualified name such as nvidia.com/gpu, or None."""
    prefix, slash, part = name.rpartition("/")
    if slash and ("/" in prefix or not prefix):
        return "a qualified name has at most one slash, with a DNS subdomain before it"
    if prefix and (defect := subdomain_defect(prefix)):
        return f"the part before the slash {defect}"
    if not part or len(part) > MAX_LABEL:
        return f"the name part must have 1 to {MAX_LABEL} characters"
    if not _QUALIFIED.fullmatch(part):
        return "a name holds letters, digits, '-', '_' and '.', and begins and ends with a letter or digit"
    return None


def value_defect(value: object) -> str | None:
    """Return why something is no label value, or None."""
    if not isinstance(value, str):
        return "a label value is a string: quote it"
    if len(value) > MAX_LABEL:
        return f"a label value has at most {MAX_LABEL} characters"
    if not _VALUE.fullmatch(value):
        return "a label value holds letters, digits, '-', '_' and '.', and begins and ends with a letter or digit"
    return None


def subdomain_defect(name: str) -> str | None:
    """Return why a text is no DNS subdomain (RFC 1123), or None."""
    if len(name) > MAX_SUBDOMAIN or not _SUBDOMAIN.fullmatch(name):
        return f"must be a DNS subdomain: at most {MAX_SUBDOMAIN} lower-case letters, digits, '-' and '.'"
    return None


def label_defect(name: str) -> str | None:
    """Return why a text is no DNS label (RFC 1123), or None."""
    if len(name) > MAX_LABEL or not _LABEL.fullmatch(name):
        return f"must be a DNS label: at most {MAX_LABEL} lower-case letters, digits and '-'"
    return None


def dns1035_defect(name: str) -> str | None:
    """Return why a text is no DNS label (RFC 1035), or None."""
    if len(name) > MAX_LABEL or not _DNS1035.fullmatch(name):
        return f"must begin with a letter and have at most {MAX_LABEL} lower-case letters, digits and '-'"
    return None


def selector_defects(selector: object, path: str) -> Iterator[tuple[str, str, str]]:
    """Yield path, kind of error and reason for what is wrong with a LabelSelector."""
    for key, value in mapping(selector, "matchLabels").items():
        if defect := name_defect(key):
            yield f"{path}.matchLabels", "Invalid value", f"{key!r}: {defect}"
        if defect := value_defect(value):
            yield f"{path}.matchLabels", "Invalid value", f"{value!r}: {defect}"
    for index, expression in mappings(selector, "matchExpressions"):
        yield from _expression_defects(expression, f"{path}.matchExpressions[{index}]")


def _expression_defects(expression: Mapping[str, Any], path: str) -> Iterator[tuple[str, str, str]]:
    operator, values = expression.get("operator"), items(expression, "values")
    takes_values = OPERATORS.get(operator) if isinstance(operator, str) else None
    if takes_values is None:
        yield f"{path}.operator", "Invalid value", f"{operator!r} is not one of {', '.join(OPERATORS)}"
    elif takes_values and not values:
        yield f"{path}.values", "Required value", f"must be specified when operator is {operator}"
    elif not takes_values and values:
        yield f"{path}.values", "Forbidden", f"may not be specified when operator is {operator}"
    if defect := name_defect(text(expression, "key")):
        yield f"{path}.key", "Invalid value", f"{get(expression, 'key')!r}: {defect}"
    for index, value in enumerate(values):
        if defect := value_defect(value):
            yield f"{path}.values[{index}]", "Invalid value", f"{value!r}: {defect}"


def selects(selector: object, labels: Mapping[str, Any]) -> bool:
    """Whether a LabelSelector matches; one that is absent matches nothing, an empty one everything."""
    if not isinstance(selector, Mapping):
        return False
    pairs = mapping(selector, "matchLabels").items()
    return all(labels.get(key) == value for key, value in pairs) and all(
        expression_holds(expression, labels) for _, expression in mappings(selector, "matchExpressions")
    )


def expression_holds(expression: Mapping[str, Any], labels: Mapping[str, Any]) -> bool:
    """Whether one matchExpression holds; NotIn and DoesNotExist also hold where the label is absent."""
    key, operator = text(expression, "key"), text(expression, "operator")
    present, values = key in labels, items(expression, "values")
    match operator:
        case "In":
            return present and labels[key] in values
        case "NotIn":
            return not present or labels[key] not in values
        case "Exists":
            return present
        case "DoesNotExist":
            return not present
        case "Gt" | "Lt":
            return present and bool(values) and _compares(operator, str(labels[key]), str(values[0]))
    return False


def _compares(operator: str, have: str, want: str) -> bool:
    if not (have.lstrip("-").isdecimal() and want.lstrip("-").isdecimal()):
        return False
    return int(have) > int(want) if operator == "Gt" else int(have) < int(want)
