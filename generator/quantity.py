"""Kubernetes quantities in exact arithmetic, and the canonical form that the API server and Kueue give them.

An amount is an `int` of thousandths: 1500 is 1.5 cores, 1.5 bytes or 1.5 cards.
Source of grammar and canonical form: k8s.io/apimachinery pkg/api/resource/quantity.go.
"""

from __future__ import annotations

from decimal import Decimal
from functools import lru_cache

from generator.pattern import pattern

Amount = int

UNIT: Amount = 1000
KI = 1024 * UNIT
MI = 1024 * KI
GI = 1024 * MI

_GRAMMAR = pattern(r"([+-]?)(\d+\.?\d*|\.\d+)(?:([KMGTPE]i)|([numkMGTPE]?)|[eE]([+-]?\d+))")
_BINARY = {suffix: 1024**power for power, suffix in enumerate(("Ki", "Mi", "Gi", "Ti", "Pi", "Ei"), start=1)}
_DECIMAL = {"n": -9, "u": -6, "m": -3, "": 0, "k": 3, "M": 6, "G": 9, "T": 12, "P": 15, "E": 18}
_LARGEST: Amount = (2**63 - 1) * UNIT
_MAX_LENGTH = 64


@lru_cache(maxsize=4096)
def parse(value: str | int | Decimal) -> Amount:
    """Return a quantity in thousandths: "1.5" is 1500, "250m" is 250, "1Gi" is 1024**3 * 1000.

    Raises:
        ValueError: not a quantity, finer than one thousandth, negative, or above 2**63 - 1. The message says which.
    """
    text = str(value)
    match = _GRAMMAR.fullmatch(text) if len(text) <= _MAX_LENGTH else None
    if match is None or not text.isascii():
        raise ValueError("is not a quantity such as 8, 500m or 64Gi")
    sign, digits, binary, decimal, exponent = match.groups()
    if exponent is not None and abs(int(exponent)) > 30:
        raise ValueError("is larger than 2^63 - 1 or finer than one thousandth")
    whole, _, fraction = digits.partition(".")
    power = 3 - len(fraction) + (int(exponent) if exponent is not None else _DECIMAL[decimal or ""])
    number: int = int(whole + fraction or "0") * _BINARY.get(binary, 1)
    ten: int = 10 ** abs(power)
    amount, rest = (number * ten, 0) if power >= 0 else divmod(number, ten)
    if rest:
        raise ValueError("is finer than one thousandth")
    if sign == "-" and amount:
        raise ValueError("is negative")
    if amount > _LARGEST:
        raise ValueError("is larger than 2^63 - 1")
    return amount


@lru_cache(maxsize=4096)
def canonical(amount: Amount) -> str:
    """Return the canonical decimal form: 1500 is "1500m", 12_000 is "12", 1_000_000 is "1k"."""
    if amount % UNIT:
        return f"{amount}m"
    number = amount // UNIT
    for suffix in ("", "k", "M", "G", "T", "P"):
        if number % 1000 or not number:
            return f"{number}{suffix}"
        number //= 1000
    return f"{number}E"


@lru_cache(maxsize=4096)
def canonical_bytes(amount: Amount) -> str:
    """Return the canonical form of a number of bytes: 1024Mi is "1Gi", 1536Gi stays, 10**9 bytes are "1G"."""
    number, rest = divmod(amount, UNIT)
    if rest or number < 1024 or number % 1024:
        return canonical(amount)
    for suffix in _BINARY:
        number //= 1024
        if number % 1024:
            return f"{number}{suffix}"
    return f"{number}Ei"
