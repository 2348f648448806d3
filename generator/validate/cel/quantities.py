"""Kubernetes quantities for CEL: exact, signed, as fine as 1n.

Source of the functions: k8s.io/apiserver pkg/cel/library/quantity.go.
"""

from __future__ import annotations

import re
from fractions import Fraction

from generator.pattern import pattern

_GRAMMAR = pattern(r"([+-]?)(\d+\.?\d*|\.\d+)(?:([KMGTPE]i)|([numkMGTPE])|[eE]([+-]?\d{1,3}))?", re.ASCII)
_DECIMAL = {"n": -9, "u": -6, "m": -3, "k": 3, "M": 6, "G": 9, "T": 12, "P": 15, "E": 18}
_BINARY = {suffix: 1024**power for power, suffix in enumerate(("Ki", "Mi", "Gi", "Ti", "Pi", "Ei"), start=1)}
NANO = 10**9


def parse(text: str) -> Fraction:
    """Return a quantity's value, rounded away from zero to a multiple of 1n as Kubernetes does.

    Raises:
        ValueError: not a quantity.
    """
    match = _GRAMMAR.fullmatch(text)
    if match is None:
        raise ValueError(f"{text!r} is not a quantity such as 8, 500m or 64Gi")
    sign, digits, binary, decimal, exponent = match.groups()
    value = Fraction(digits) if digits[-1] != "." else Fraction(digits[:-1])
    value *= _BINARY.get(binary, 1) * Fraction(10) ** (int(exponent) if exponent else _DECIMAL.get(decimal, 0))
    nanos = -(-value.numerator * NANO // value.denominator)
    return Fraction(-nanos if sign == "-" else nanos, NANO)
