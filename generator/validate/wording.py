"""Amounts and lists of names in messages."""

from __future__ import annotations

from collections.abc import Iterable

from generator.quantity import Amount, canonical, canonical_bytes

MOST_NAMED = 8
_BYTES = frozenset(("memory", "ephemeral-storage", "storage"))


def some(names: Iterable[str]) -> str:
    """Return names as a list, cut after a few."""
    known = list(names)
    rest = len(known) - MOST_NAMED
    return ", ".join(known[:MOST_NAMED]) + (f" and {rest} more" if rest > 0 else "")


def shown(resource: str, amount: Amount) -> str:
    """Return an amount as a quantity: 64Gi of memory, 8 of cards."""
    return canonical_bytes(amount) if resource in _BYTES else canonical(amount)
