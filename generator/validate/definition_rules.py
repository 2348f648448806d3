"""CEL rules of a CustomResourceDefinition: what the API server has against them before it evaluates any.

The runtime knows no types of fields; those that a rule reads from self are looked up here, as far as a path leads.
Source: k8s.io/apiextensions-apiserver v0.33.4 pkg/apis/apiextensions/validation/validation.go and
pkg/apiserver/schema/cel/validation.go (ValidFieldPath); k8s.io/apiserver pkg/cel/common/schemas.go (SchemaDeclType).
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from generator.frozen import dataclass
from generator.pattern import pattern
from generator.spelling import hint
from generator.validate.cel.engine import CelError, compile_expression, environment
from generator.validate.cel.functions import missing
from generator.validate.cel.rewrite import closing, names, rewrite, solid
from generator.validate.cel.values import escape, times
from generator.validate.paths import Path
from generator.validate.patterns import re2

Node = Mapping[str, Any]
Defects = Iterator[tuple[Path, str]]

_TEXT: Node = {"type": "string"}
_META: Node = {"type": "object", "properties": {"name": _TEXT, "generateName": _TEXT}}
_OWN: Mapping[str, Node] = {"apiVersion": _TEXT, "kind": _TEXT, "metadata": _META}
_TYPES = {"string": "string", "integer": "int", "number": "double", "boolean": "bool"}
_FORMATS = {"byte": "bytes", "duration": "duration", "date": "timestamp", "date-time": "timestamp"}
_STEP = pattern(r"\.([^.\[\]]+)|\['((?:[^'\\]|\\.)*)'\]")
_NUMBER = pattern(r"\d[\w.]*", re.ASCII)
_MACROS = ("all", "exists", "exists_one", "filter", "map")
_COMPARED = (("=", "="), ("!", "="))


def rule_defects(node: Node, is_root: bool, uncorrelated: str) -> Defects:
    """Yield what is wrong with the rules of a schema; `uncorrelated` is where values have no old ones."""
    for index, rule in enumerate(node.get("x-kubernetes-validations", ())):
        for below, message in _attributes(rule, node, uncorrelated):
            yield (index, *below), message
        for key, wanted in (("rule", "bool"), ("messageExpression", "string")):
            if rule.get(key, "").strip() and (message := _expression(rule[key], rule, node, is_root, wanted)):
                yield (index, key), message


def _attributes(rule: Node, node: Node, uncorrelated: str) -> Defects:
    expression, message, where = rule["rule"].strip(), rule.get("message", ""), rule.get("fieldPath", "")
    if not expression:
        yield ("rule",), "the rule is empty"
    if message and not message.strip():
        yield ("message",), "the message is blank: remove it, or say what is wrong"
    elif _breaks(message.strip()):
        yield ("message",), "a message is one line"
    elif _breaks(expression) and not message.strip():
        yield ("rule",), "the rule has several lines, and needs a message"
    if rule.get("messageExpression", "x").strip() == "":
        yield ("messageExpression",), "messageExpression is blank: remove it, or write an expression"
    if where and (_breaks(where) or led(where, node) is None):
        yield ("fieldPath",), f"{where!r} leads to no field: write .name, or ['name'] in a map"
    reads_old = "oldSelf" in rule["rule"] and "oldSelf" in names(rule["rule"])
    if reads_old and uncorrelated:
        yield ("rule",), f"oldSelf is not known here: values in {uncorrelated} are not matched with old ones"
    if expression and "optionalOldSelf" in rule and not reads_old:
        yield ("optionalOldSelf",), "optionalOldSelf stands beside a rule that reads oldSelf only"


def _breaks(text: str) -> bool:
    return "\n" in text or "\r" in text


def led(path: str, node: Node) -> Node | None:
    """Return the schema to which a path such as ".spec.size" or ".labels['a']" leads, or None."""
    end, found = 0, node
    while end < len(path):
        match = _STEP.match(path, end)
        if match is None:
            return None
        end = match.end()
        name = match.group(1) if match.group(1) is not None else match.group(2).replace("\\'", "'")
        below = _child(found, name)
        if below is None:
            return None
        found = below
    return found


def _child(node: Node, name: str) -> Node | None:
    more = node.get("additionalProperties")
    return node["properties"].get(name) if node.get("properties") else more if isinstance(more, Mapping) else None


def _expression(text: str, rule: Node, node: Node, is_root: bool, wanted: str) -> str:
    """Return why a server does not compile an expression, or ""."""
    for lacking in missing(text, None):
        return f"{_quoted(text)} calls {lacking}"
    optional, read = bool(rule.get("optionalOldSelf")), times(node)
    try:
        compile_expression(text, optional, read)
    except CelError as problem:
        return f"{_quoted(text)} does not compile: {problem}"
    words = [word for _, word in solid(text)]
    given = ("self",) if optional else ("self", "oldSelf")
    for said in (*_fields(words, node, is_root, given), *_patterns(words)):
        return f"{_quoted(text)} {said}"
    kind = _kind_of_whole(words, node, is_root, given) or ("" if optional else _result(text, read))
    return f"{_quoted(text)} gives {kind} and not {wanted}" if kind not in ("", "dyn", wanted) else ""


def _quoted(text: str) -> str:
    return f"the rule {text.strip()!r}"


def _result(text: str, read: Any) -> str:
    found: str = environment()[0].compile(rewrite(text, read)).return_type().name()
    return found.lower()


@dataclass(frozen=True, slots=True)
class Scope:
    """Where a variable is known, and as what; None: as something of which nothing is known."""

    name: str
    start: int
    end: int
    node: Node | None
    is_root: bool = False


def _fields(words: Sequence[str], node: Node, is_root: bool, given: tuple[str, ...]) -> Iterator[str]:
    """Yield what is wrong with paths from variables: a field that there is not, or one compared with another type."""
    scopes = [Scope(name, 0, len(words), node, is_root) for name in given]
    receivers: dict[int, Node | None] = {}
    for start, word in enumerate(words):
        if word == "." and words[start + 2 : start + 3] == ["("]:
            scopes += _bound(words, start, receivers)
        if words[start - 1 : start] == ["."] or (scope := _scope(scopes, word, start)) is None or scope.node is None:
            continue
        end, found, wrong = _follow(words, start + 1, scope.node, scope.is_root)
        receivers[end] = found
        if wrong:
            yield wrong
        elif (kind := cel_type(found)) and (other := _compared(words, end)) and other != kind:
            yield f"compares {''.join(words[start:end])}, which is {kind}, with {other}"


def _scope(scopes: Sequence[Scope], word: str, at: int) -> Scope | None:
    """Return the innermost scope of a name, which is the last that began."""
    return next((s for s in reversed(scopes) if s.name == word and s.start <= at < s.end), None)


def _bound(words: Sequence[str], at: int, receivers: dict[int, Node | None]) -> Iterator[Scope]:
    """Yield the variables of a macro that stands at a dot: `.all(x, …)`, `.all(k, v, …)`."""
    first, second = words[at + 3 : at + 5], words[at + 5 : at + 7]
    if len(first) < 2 or first[1] != "," or not first[0].isidentifier():
        return
    end, of = closing(words, at + 2), receivers.get(at)
    key, value = _elements(of)
    if len(second) == 2 and second[1] == "," and second[0].isidentifier() and words[at + 1] not in ("map", "bind"):
        index: Node | None = {"type": "integer"} if value is not None and key is value else key
        yield Scope(first[0], at + 7, end, index)
        yield Scope(second[0], at + 7, end, value)
    elif words[at + 1] in _MACROS:
        yield Scope(first[0], at + 5, end, key)
        if words[at + 1] == "filter":
            receivers[end + 1] = of
    else:
        yield Scope(first[0], at + 5, end, None)


def _elements(node: Node | None) -> tuple[Node | None, Node | None]:
    """Return what a macro of one variable goes over, and the values: of a list both are its items."""
    items, more = (node or {}).get("items"), (node or {}).get("additionalProperties")
    if isinstance(items, Mapping):
        return items, items
    return (_TEXT, more) if isinstance(more, Mapping) else (None, None)


def _follow(words: Sequence[str], end: int, node: Node | None, is_root: bool) -> tuple[int, Node | None, str]:
    """Return where a path ends, what stands there (None: not known) and what is wrong with it."""
    whole = is_root
    while node is not None and end < len(words):
        if words[end] == "[":
            closed = closing(words, end)
            more = node.get("items") or node.get("additionalProperties")
            known = isinstance(more, Mapping) and words[end + 1] != "?" and node.get("type") in ("array", "object")
            node, end = (more if known else None), closed + 1
            whole = bool(node and node.get("x-kubernetes-embedded-resource"))
            continue
        if words[end] != "." or words[end + 2 : end + 3] == ["("]:
            return end, node, ""
        optional = words[end + 1 : end + 2] == ["?"]
        name = "".join(words[end + 1 + optional : end + 2 + optional])
        if not name.isidentifier() or node.get("x-kubernetes-int-or-string"):
            return end, None, ""
        node, wrong = _select(node, name, whole or bool(node.get("x-kubernetes-embedded-resource")))
        if wrong or optional:
            return end, None, wrong
        whole, end = False, end + 2
    return end, node, ""


def _select(node: Node, name: str, whole: bool) -> tuple[Node | None, str]:
    if node.get("type") != "object":
        return None, f"reads the field {name} of what has no fields" if node.get("type") else ""
    more = node.get("additionalProperties")
    if isinstance(more, Mapping):
        return more, ""
    fields = node.get("properties", {})
    known = {**fields, **{escape(key): child for key, child in fields.items()}}  # .namespace is taken as it is, too
    if whole:
        meta = known.get("metadata", {})
        known = {
            **known,
            **_OWN,
            "metadata": {**_META, "properties": {**_META["properties"], **meta.get("properties", {})}},
        }
    if name not in known:
        return None, f"reads the field {name}, which the schema does not declare; {hint(name, known)}".rstrip("; ")
    if not visible(known[name]):
        return None, f"reads the field {name}, of which the schema says no type"
    return known[name], ""


def visible(node: Node) -> bool:
    """Whether CEL sees a field: what has no type, or is made of what has none, it does not see."""
    if node.get("x-kubernetes-int-or-string"):
        return True
    more = node.get("items") if node.get("type") == "array" else node.get("additionalProperties")
    return "type" in node and (not isinstance(more, Mapping) or visible(more))


def cel_type(node: Node | None) -> str:
    """Return the type of a scalar in CEL; "" for what is none, or not known."""
    if node is None or node.get("x-kubernetes-int-or-string"):
        return ""
    kind = _TYPES.get(node.get("type", ""), "")
    return _FORMATS.get(node.get("format", ""), kind) if kind == "string" else kind


def _compared(words: Sequence[str], at: int) -> str:
    """Return the type of the literal with which == or != compares what ends before a word, or ""."""
    if tuple(words[at : at + 2]) not in _COMPARED or at + 2 >= len(words):
        return ""
    word = words[at + 2]
    if word[-1] in "'\"":
        return "bytes" if word[:2].lower().startswith("b") else "string"
    if word in ("true", "false"):
        return "bool"
    match = _NUMBER.match("".join(words[at + 2 : at + 12]))
    if match is None:
        return "null" if word == "null" else ""
    number = match.group().lower()
    return "uint" if number.endswith("u") else "double" if "." in number or "e" in number.lstrip("0x") else "int"


def _kind_of_whole(words: Sequence[str], node: Node, is_root: bool, given: tuple[str, ...]) -> str:
    """Return the type of an expression that is nothing but a path from self, or ""."""
    if not words or words[0] not in given:
        return ""
    end, found, _ = _follow(words, 1, node, is_root)
    return cel_type(found) if end == len(words) else ""


def _patterns(words: Sequence[str]) -> Iterator[str]:
    for i, word in enumerate(words[:-3]):
        if word == "matches" and words[i + 1] == "(" and words[i + 2][-1] in "'\"" and words[i + 3] == ")":
            try:
                re2(ast.literal_eval(words[i + 2]))
            except (ValueError, SyntaxError) as problem:
                if isinstance(problem, ValueError):
                    yield str(problem)
