"""Likely spellings of a word that is not known, for the remedy of a finding."""

from __future__ import annotations

import difflib
from collections.abc import Iterable


def near(word: str, known: Iterable[str]) -> str | None:
    """Return the likely spelling among `known`, or None: the nearest, or one that differs in case or dashes only."""
    words = list(known)
    if same := {_plain(w): w for w in words}.get(_plain(word)):
        return same
    found = difflib.get_close_matches(word, words, 1, 0.6)
    return found[0] if found else None


def hint(word: str, known: Iterable[str]) -> str:
    """Return "did you mean training? " to begin a remedy with, or "" where no spelling is near."""
    spelling = near(word, known)
    return f"did you mean {spelling}? " if spelling else ""


def or_else(word: str, known: Iterable[str], otherwise: str) -> str:
    """Return "did you mean vision? else add it", without the question where no spelling is near."""
    question = hint(word, known)
    return f"{question}else {otherwise}" if question else otherwise


def remedy(word: str, known: Iterable[str], what: str = "known are") -> str:
    """Return "did you mean cpu? known are cpu, memory", without the question where no spelling is near."""
    words = list(known)
    return f"{hint(word, words)}{what} {', '.join(words) or 'none'}"


def _plain(word: str) -> str:
    return word.lower().replace("-", "").replace("_", "")
