"""Likely spellings of a word that is not known, for the remedy of a finding."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache

_COMPARED = 200  # words; of more only the neighbours: 4,000 names that each miss among 4,000 took a minute
_NAMED = 40


def near(word: str, known: Iterable[str]) -> str | None:
    """Return the likely spelling among `known`, or None: the nearest, or one that differs in case or dashes only.

    Of more than 200 words only those that sort next to it are compared, and must be nearer: the best may be elsewhere.
    """
    by_plain, words = _index(tuple(known))
    plain = _plain(word)
    if same := by_plain.get(plain):
        return same
    many = len(words) > _COMPARED
    from bisect import bisect
    from difflib import get_close_matches  # only where something is misspelt

    start = max(0, bisect(words, plain, key=_plain) - _COMPARED // 2) if many else 0
    found = get_close_matches(word, words[start : start + _COMPARED], 1, 0.85 if many else 0.6)
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
    more = f" and {len(words) - _NAMED} more" if len(words) > _NAMED else ""
    return f"{hint(word, words)}{what} {', '.join(words[:_NAMED]) or 'none'}{more}"


@lru_cache(maxsize=8)
def _index(words: tuple[str, ...]) -> tuple[Mapping[str, str], Sequence[str]]:
    """Return words by what they are without case and dashes, and all of them: sorted by it where they are many."""
    by_plain = {_plain(word): word for word in words}
    return by_plain, sorted(words, key=_plain) if len(words) > _COMPARED else words


def _plain(word: str) -> str:
    return word.lower().replace("-", "").replace("_", "")
