"""The canonical form of a quantity in the notation it was written in: what Go types write back.

Source: k8s.io/apimachinery pkg/api/resource/quantity.go, CanonicalizeBytes.
"""

from __future__ import annotations

from fractions import Fraction
from functools import lru_cache

from generator.validate.shape import exact

_DECIMAL = {-9: "n", -6: "u", -3: "m", 0: "", 3: "k", 6: "M", 9: "G", 12: "T", 15: "P", 18: "E"}
_BINARY = ("", "Ki", "Mi", "Gi", "Ti", "Pi", "Ei")
_FINEST = -9


@lru_cache(maxsize=4096)
def canonical_form(written: str | int) -> str | None:
    """Return what Kubernetes writes for a quantity: "1024Mi" is "1Gi", "1000" is "1k"; None: no quantity."""
    amount = exact(written)
    if amount is None:
        return None
    text = str(written)
    is_binary = text.endswith("i")
    if is_binary and abs(amount) >= 1024 and amount.denominator == 1:
        return _binary(int(amount))
    return _decimal(amount, exponent="e" in text.lower() and text[-1].isdecimal())


def _binary(number: int) -> str:
    power = 0
    while number % 1024 == 0 and power < len(_BINARY) - 1:
        number //= 1024
        power += 1
    return f"{number}{_BINARY[power]}"


def _decimal(amount: Fraction, *, exponent: bool) -> str:
    scaled = amount * 10**-_FINEST
    number = -(-scaled.numerator // scaled.denominator)  # finer than a billionth is rounded up
    if not number:
        return "0"
    power = _FINEST
    while number % 1000 == 0 and power < 18:
        number //= 1000
        power += 3
    if exponent:
        return f"{number}e{power}" if power else str(number)
    return f"{number}{_DECIMAL[power]}"
