"""How computed amounts are rounded and shown. Source: contract, section 1, on `auto`."""

from __future__ import annotations

from generator.plan.model import BYTES, CPU
from generator.quantity import GI, MI, UNIT, Amount, canonical, canonical_bytes


def shown(resource: str, amount: Amount) -> str:
    """Return an amount as people and Kubernetes write it."""
    return canonical_bytes(amount) if resource in BYTES else canonical(amount)


def rounded(resource: str, amount: Amount) -> Amount:
    """Round down: cpu to whole cores from one core up (else 1m), bytes to Gi from one Gi up (else Mi), cards whole."""
    return amount - amount % _unit(resource, amount)


def scaled(resource: str, amount: Amount, part: int, whole: int, *, up: bool = False) -> Amount:
    """Return `part` of `whole` of an amount, rounded down, or up, to the unit of the result; of a whole of 0: 0."""
    if not whole:
        return 0
    exact, rest = divmod(amount * part, whole)
    if not up:
        return rounded(resource, exact)
    unit = _unit(resource, exact)
    return -(-(exact + bool(rest)) // unit) * unit


def _unit(resource: str, amount: Amount) -> Amount:
    if resource in BYTES:
        return GI if amount >= GI else MI
    return 1 if resource == CPU and amount < UNIT else UNIT
