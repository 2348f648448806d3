"""Kubernetes' spellings that Google's runtime lacks, turned into ones that it has; strings and comments stay.

existsOne is a second name of exists_one. indexOf and lastIndexOf work on lists too, and format.x().validate(y) yields
an optional: an extension cannot add overloads to functions that another one declares, so these get names of their own.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from generator.pattern import pattern

Times = tuple[tuple[tuple[str, ...], str], ...]

_TOKENS = pattern(
    r"""(?P<string>[bB]?[rR](?:'''.*?'''|\"\"\".*?\"\"\"|'[^'\n]*'|"[^"\n]*")
       |[bB]?(?:'''(?:\\.|.)*?'''|\"\"\"(?:\\.|.)*?\"\"\"|'(?:\\.|[^'\\\n])*'|"(?:\\.|[^"\\\n])*"))
       |(?P<comment>//[^\n]*)|(?P<space>\s+)|(?P<name>[A-Za-z_]\w*)|(?P<other>.)""",
    re.VERBOSE | re.DOTALL,
)
_REWRITTEN = ("existsOne", "ndexOf", "validate")
_RENAMED = {"existsOne": "exists_one", "indexOf": "k8sIndexOf", "lastIndexOf": "k8sLastIndexOf"}
_OPTIONAL = {"hasValue": "k8sHasValue", "value": "k8sValue", "orValue": "k8sOrValue"}


def tokens(expression: str) -> list[tuple[str, str]]:
    """Return (kind, text) of each token; kinds are string, comment, space, name, other. Joined they are the text."""
    return [(match.lastgroup or "other", match.group()) for match in _TOKENS.finditer(expression)]


def names(expression: str) -> set[str]:
    """Return the identifiers of an expression, whatever they stand for."""
    return {text for kind, text in tokens(expression) if kind == "name"}


def rewrite(expression: str, times: Times = ()) -> str:
    """Return the expression in the runtime's spelling; what it reads of `times` is converted from text."""
    if not times and not any(part in expression for part in _REWRITTEN):
        return expression  # as nearly all are
    texts = [text for _, text in tokens(expression)]
    solid = _solid(expression)
    words = [text for _, text in solid]
    _convert(words, dict(times))
    for opened in _validations(words):
        _rename_result(words, opened)
    for i, word in enumerate(words):
        if words[i - 1 : i] == ["."]:
            words[i] = _RENAMED.get(word, word)
    for (position, _), word in zip(solid, words, strict=True):
        texts[position] = word
    return "".join(texts)


def _convert(words: list[str], times: Mapping[tuple[str, ...], str]) -> None:
    """Turn `self.at` into `timestamp(self.at)`, but for `has(self.at)`."""
    for i, word in enumerate(words if times else ()):
        if word not in ("self", "oldSelf") or words[i - 1 : i] == ["."] or words[max(i - 2, 0) : i] == ["has", "("]:
            continue
        end = i + 1
        while words[end : end + 1] == ["."] and words[end + 1 : end + 2] and words[end + 2 : end + 3] != ["("]:
            end += 2
        if function := times.get(tuple(words[i + 2 : end : 2])):
            words[i] = f"{function}({word}" if end > i + 1 else f"{function}({word})"
            words[end - 1] += ")" if end > i + 1 else ""


def _solid(expression: str) -> list[tuple[int, str]]:
    """The tokens that are neither space nor comment, with their index among all."""
    return [(i, text) for i, (kind, text) in enumerate(tokens(expression)) if kind not in ("space", "comment")]


def fields_read(expression: str, variable: str = "self") -> frozenset[str] | None:
    """Return which fields of a variable an expression reads; None when it uses the variable as a whole."""
    texts = [text for _, text in _solid(expression)]
    found = set()
    for i, text in enumerate(texts):
        if text != variable or texts[i - 1 : i] == ["."]:
            continue
        dot, name, after = ([*texts[i + 1 : i + 4], "", "", ""])[:3]
        if dot != "." or not name.isidentifier() or after == "(":
            return None
        found.add(name)
    return frozenset(found)


def _validations(texts: list[str]) -> Iterator[int]:
    """Yield where `format . x ( ) . validate (` opens its last parenthesis."""
    for i in range(len(texts) - 7):
        window = texts[i : i + 8]
        if window[:2] == ["format", "."] and window[3:7] == ["(", ")", ".", "validate"] and window[7] == "(":
            yield i + 7


def _rename_result(texts: list[str], opened: int) -> None:
    """Rename the optional's method that follows the parenthesis closing the one at `opened`."""
    depth = 0
    for i in range(opened, len(texts)):
        depth += {"(": 1, ")": -1}.get(texts[i], 0)
        if depth == 0:
            if texts[i + 1 : i + 2] == ["."] and len(texts) > i + 2:
                texts[i + 2] = _OPTIONAL.get(texts[i + 2], texts[i + 2])
            return
