"""Lists of an expression, loosened: the API server takes none whose entries are of two types, unless they are dyn."""

from __future__ import annotations

from collections.abc import Sequence

_OPENING, _CLOSING = frozenset("([{"), frozenset(")]}")


def loosen(tokens: list[str], solid: Sequence[int], words: Sequence[str]) -> None:
    """Wrap the entries of lists in dyn(), in the tokens of an expression; `solid` is where its `words` stand there."""
    for opened, word in enumerate(words):
        if word != "[" or _is_index(words, opened):
            continue
        for first, last in _entries(words, opened):
            if words[first] != "?":  # what may be absent has to stay so
                tokens[solid[first]] = f"dyn({tokens[solid[first]]}"
                tokens[solid[last]] += ")"


def _is_index(words: Sequence[str], opened: int) -> bool:
    """Whether a bracket takes an entry out of what stands before it."""
    before = words[opened - 1] if opened else ""
    return before in (")", "]", "}") or before[-1:] in ("'", '"') or (before.isidentifier() and before != "in")


def _entries(words: Sequence[str], opened: int) -> list[tuple[int, int]]:
    """Return first and last token of each entry of a list."""
    found, depth, first = [], 0, opened + 1
    for index in range(opened, len(words)):
        depth += (words[index] in _OPENING) - (words[index] in _CLOSING)
        if depth == 0 or (depth == 1 and words[index] == ","):
            found.append((first, index - 1))
            first = index + 1
        if depth == 0:
            break
    return [(start, end) for start, end in found if start <= end]
