"""Kubernetes' spellings that Google's runtime lacks, turned into ones that it has; strings and comments stay.

existsOne is a second name of exists_one. indexOf and lastIndexOf work on lists too, and format.x().validate(y) yields
an optional: an extension cannot add overloads to functions that another one declares, so these get names of their own.
Macros of two variables go over the entries of a map or list, [key, value], and bind each by a map over itself alone.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

from generator.pattern import pattern

Times = tuple[tuple[tuple[str, ...], str], ...]

_TOKENS = pattern(
    r"""(?P<string>[bB]?[rR](?:'''.*?'''|\"\"\".*?\"\"\"|'[^'\n]*'|"[^"\n]*")
       |[bB]?(?:'''(?:\\.|.)*?'''|\"\"\"(?:\\.|.)*?\"\"\"|'(?:\\.|[^'\\\n])*'|"(?:\\.|[^"\\\n])*"))
       |(?P<comment>//[^\n]*)|(?P<space>\s+)|(?P<name>[A-Za-z_]\w*)|(?P<other>.)""",
    re.VERBOSE | re.DOTALL,
)
_REWRITTEN = ("existsOne", "ndexOf", "validate", "transform", ".named", "string(ip", "string(cidr", ".first(", ".last(")
_TWO = pattern(r"\.\s*(?:all|exists)\s*\(\s*\w+\s*,\s*\w+\s*,")
# a macro of two variables -> the one that goes over entries, and what makes a map of its result
_OVER_ENTRIES = {
    "all": ("all", ""),
    "exists": ("exists", ""),
    "existsOne": ("exists_one", ""),
    "transformList": ("map", ""),
    "transformMap": ("map", ".k8sMapOf()"),
    "transformMapEntry": ("map", ".k8sMerged()"),
}
_ENTRY = "k8sEntry"
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
    if not times and not any(part in expression for part in _REWRITTEN) and not _TWO.search(expression):
        return expression  # as nearly all are
    texts = [text for _, text in tokens(expression)]
    essential = solid(expression)
    words = [text for _, text in essential]
    _convert(words, dict(times))
    _two_variables(words)
    _named(words)
    _respell(words)
    for opened in _validations(words):
        _rename_result(words, opened)
    for i, word in enumerate(words):
        if words[i - 1 : i] == ["."]:
            words[i] = _RENAMED.get(word, word)
    for (position, _), word in zip(essential, words, strict=True):
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


def _two_variables(words: list[str]) -> None:
    for i in range(len(words) - 6):
        name, opened, key, comma, value, after = words[i + 1 : i + 7]
        if words[i] != "." or name not in _OVER_ENTRIES or (opened, comma, after) != ("(", ",", ","):
            continue
        if not (key.isidentifier() and value.isidentifier()):
            continue
        closed = closing(words, i + 2)
        macro, made = _OVER_ENTRIES[name]
        begin = f"[{_ENTRY}[0]].map({key}, [{_ENTRY}[1]].map({value}, "
        commas = _commas(words, i + 7, closed)
        words[i + 1] = "k8sEntries()"
        words[i + 2] = f".{macro}("
        words[i + 3 : i + 7] = [f"{_ENTRY}, ", begin, "", ""]
        if name == "transformMap":
            words[i + 4] = f"[{_ENTRY}[0], {begin}"
        if name.startswith("transform") and commas:  # a filter stands before the transformation
            words[i + 2] = ".filter("
            words[commas[0]] = f")[0])[0]).{macro}({_ENTRY}, {words[i + 4]}"
            words[i + 4] = begin
        words[closed] = f")[0])[0]{']' if name == 'transformMap' else ''}){made}"


def _commas(words: list[str], start: int, end: int) -> list[int]:
    """Return where commas part the arguments between two words."""
    depth, found = 0, []
    for i in range(start, end):
        depth += {"(": 1, "[": 1, "{": 1, ")": -1, "]": -1, "}": -1}.get(words[i], 0)
        if words[i] == "," and depth == 0:
            found.append(i)
    return found


def closing(words: Sequence[str], opened: int) -> int:
    """Return where the parenthesis or bracket closes that stands at a word; the number of words where it does not."""
    depth = 0
    for i in range(opened, len(words)):
        depth += {"(": 1, "[": 1, ")": -1, "]": -1}.get(words[i], 0)
        if depth == 0:
            return i
    return len(words)


def _named(words: list[str]) -> None:
    """Turn `format.named(x).value()` into `format.k8sNamed(x)`; `.hasValue()` asks a function of its own."""
    for i in range(len(words) - 3):
        if words[i : i + 4] != ["format", ".", "named", "("]:
            continue
        closed = closing(words, i + 3)
        match words[closed + 1 : closed + 5]:
            case [".", "value", "(", ")"]:
                words[i + 2], words[closed + 1 : closed + 5] = "k8sNamed", [""] * 4
            case [".", "hasValue", "(", ")"]:
                words[i + 2], words[closed + 1 : closed + 5] = "k8sIsNamed", [""] * 4


def _respell(words: list[str]) -> None:
    """Give a text to string(ip(…)), and spell first() and last() of a list as the element that they are."""
    for i, word in enumerate(words[:-3]):
        if word == "string" and words[i + 1] == "(" and words[i + 2] in ("ip", "cidr"):
            words[i] = "k8sText"
        elif word == "." and words[i + 1] in ("first", "last") and words[i + 2 : i + 4] == ["(", ")"]:
            words[i] = "[?0]" if words[i + 1] == "first" else ".k8sReversed()[?0]"
            words[i + 1 : i + 4] = ["", "", ""]


def solid(expression: str) -> list[tuple[int, str]]:
    """Return the tokens that are neither space nor comment, with their index among all."""
    return [(i, text) for i, (kind, text) in enumerate(tokens(expression)) if kind not in ("space", "comment")]


def fields_read(expression: str, variable: str = "self") -> frozenset[str] | None:
    """Return which fields of a variable an expression reads; None when it uses the variable as a whole."""
    texts = [text for _, text in solid(expression)]
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
        if texts[i : i + 2] == ["format", "."] and texts[i + 3] == "(":
            after = [j for j in range(closing(texts, i + 3) + 1, len(texts)) if texts[j]][:3]
            if [texts[j] for j in after] == [".", "validate", "("]:
                yield after[2]


def _rename_result(texts: list[str], opened: int) -> None:
    """Rename the optional's method that follows the parenthesis closing the one at `opened`."""
    depth = 0
    for i in range(opened, len(texts)):
        depth += {"(": 1, ")": -1}.get(texts[i], 0)
        if depth == 0:
            if texts[i + 1 : i + 2] == ["."] and len(texts) > i + 2:
                texts[i + 2] = _OPTIONAL.get(texts[i + 2], texts[i + 2])
            return
