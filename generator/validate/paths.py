"""Paths in an object as the server prints them."""

from __future__ import annotations

from collections.abc import Iterable

Path = tuple[str | int, ...]


def render(path: Iterable[str | int]) -> str:
    """Return `spec.resourceGroups[0].flavors[1].name`; the object as a whole is ""."""
    text = "".join(f"[{step}]" if isinstance(step, int) else f".{step}" for step in path)
    return text.removeprefix(".")
