"""Read objects that nobody has vouched for: a field of the wrong type reads as absent, and the schema says so."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from functools import lru_cache
from types import MappingProxyType
from typing import Any

from generator.pattern import pattern

Step = str | int

_STEP = pattern(r"([^.\[\]]+)|\[(\d+)\]|\[([^\]]+)\]")
_QUANTITY = pattern(r"([+-]?)(\d+\.?\d*|\.\d+)(?:([KMGTPE]i)|([numkMGTPE]?)|([eE][+-]?\d{1,3}))")
_BINARY = {suffix: 1024**power for power, suffix in enumerate(("Ki", "Mi", "Gi", "Ti", "Pi", "Ei"), start=1)}
_DECIMAL = {"n": -9, "u": -6, "m": -3, "": 0, "k": 3, "M": 6, "G": 9, "T": 12, "P": 15, "E": 18}
_LONGEST = 64
_MAPPINGS = (dict, MappingProxyType)  # not Mapping: asking an abstract class costs more than all the rest of a check
_LISTS = (list, tuple)


def get(node: object, *steps: Step) -> Any:
    """Return what stands at a path, or None where it does not lead."""
    for step in steps:
        if isinstance(node, dict):
            node = node.get(step)
        elif isinstance(node, _LISTS) and isinstance(step, int):
            node = node[step] if step < len(node) else None
        elif isinstance(node, MappingProxyType):
            node = node.get(step)
        else:
            return None
    return node


def mapping(node: object, *steps: Step) -> Mapping[str, Any]:
    """Return the mapping at a path, empty where there is none."""
    found = get(node, *steps)
    return found if isinstance(found, _MAPPINGS) else {}


def items(node: object, *steps: Step) -> Sequence[Any]:
    """Return the list at a path, empty where there is none."""
    found = get(node, *steps)
    return found if isinstance(found, _LISTS) else ()


def mappings(node: object, *steps: Step) -> list[tuple[int, Mapping[str, Any]]]:
    """Return the mappings of the list at a path, each with its index."""
    found = enumerate(items(node, *steps))
    return [(index, item) for index, item in found if type(item) is dict or isinstance(item, _MAPPINGS)]


def text(node: object, *steps: Step) -> str:
    """Return the string at a path, "" where there is none."""
    found = get(node, *steps)
    return found if isinstance(found, str) else ""


def texts(node: object, *steps: Step) -> list[str]:
    """Return the strings of the list at a path."""
    return [item for item in items(node, *steps) if isinstance(item, str)]


def whole(node: object, *steps: Step, default: int = 0) -> int:
    """Return the integer at a path; `default` where there is none."""
    found = get(node, *steps)
    return found if isinstance(found, int) and not isinstance(found, bool) else default


def steps(path: str) -> list[Step]:
    """Return the steps of a printed path: "metadata.labels[a/b]" is metadata, labels, a/b; "spec.x[0]" ends in 0."""
    return [int(index) if index else name or key for name, index, key in _STEP.findall(path)]


def exact(value: object) -> Fraction | None:
    """Return a quantity exactly, also a negative or a very small one; None for what is none.

    Source: k8s.io/apimachinery pkg/api/resource/quantity.go.
    """
    if isinstance(value, str):
        return _exact(value)
    return _exact(str(value)) if isinstance(value, int) and not isinstance(value, bool) else None


@lru_cache(maxsize=4096)
def _exact(written: str) -> Fraction | None:
    match = _QUANTITY.fullmatch(written) if len(written) <= _LONGEST and written.isascii() else None
    if match is None:
        return None
    sign, digits, binary, decimal, exponent = match.groups()
    whole_part, _, fraction = digits.partition(".")
    number: Fraction = Fraction(int(whole_part + fraction), 10 ** len(fraction)) * _BINARY.get(binary, 1)
    power = int(exponent[1:]) if exponent else _DECIMAL[decimal or ""]
    ten = Fraction(10 ** abs(power))
    number = number * ten if power >= 0 else number / ten
    return -number if sign == "-" else number
