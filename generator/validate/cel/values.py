"""What a value looks like from within CEL, where the schema says more than JSON does.

A `number` is a double also when it is written 1, bytes are decoded, and a field whose name is no identifier, or a word
of CEL, is escaped. In rules that compare with the old object, sets and list maps are equal in any order. Times cannot
be handed to the runtime: they stay text, and a rule that reads one is rewritten to convert it (`times`).
Source: k8s.io/apiserver pkg/cel/common/values.go, pkg/cel/escaping.go.
"""

from __future__ import annotations

import base64
import json
import re
from collections.abc import Callable, Mapping
from decimal import Decimal
from functools import cache
from typing import Any

from generator.frozen import dataclass
from generator.pattern import pattern

_RESERVED = frozenset(
    """true false null in as break const continue else for function if import let loop package namespace return var
    void while""".split()  # noqa: SIM905  # twenty words are read more easily so
)
_ESCAPED = {"__": "__underscores__", ".": "__dot__", "-": "__dash__", "/": "__slash__"}
_IDENTIFIER = pattern(r"[A-Za-z_][A-Za-z0-9_]*")


@dataclass(frozen=True, slots=True)
class Shape:
    """How to turn a JSON value into CEL's: a scalar by `scalar`, else by field, map value and list item."""

    scalar: Callable[[Any], Any] | None = None
    fields: Mapping[str, tuple[str, Shape | None]] | None = None
    values: Shape | None = None
    items: Shape | None = None
    order: Callable[[Any], str] | None = None

    def apply(self, value: Any) -> Any:
        """Return the value as CEL sees it; the value itself is left alone."""
        if isinstance(value, Mapping):
            seen = dict(self._entry(key, item) for key, item in value.items())
            if self.fields and "namespace" in self.fields and "namespace" in value:
                seen["namespace"] = seen["__namespace__"]  # the one word of CEL that servers take as it is, too
            return seen
        if isinstance(value, list):
            items = [self.items.apply(item) for item in value] if self.items else value
            return sorted(items, key=self.order) if self.order else items
        return self.scalar(value) if self.scalar else value

    def _entry(self, key: str, value: Any) -> tuple[str, Any]:
        name, below = (self.fields or {}).get(key, (key, self.values))
        return name, below.apply(value) if below else value


def plain(value: Any) -> Any:
    """Return a JSON value made of dict, list and str themselves: the runtime takes no subclass, as `source` reads."""
    if isinstance(value, dict):
        return {key: plain(item) for key, item in value.items()}
    if isinstance(value, list):
        return [plain(item) for item in value]
    if isinstance(value, Decimal):
        return int(value) if value == value.to_integral_value() and abs(value) < 2**63 else float(value)
    return str(value) if isinstance(value, str) else value


@cache
def escape(name: str) -> str:
    """Return a property's name in CEL: `x-y` is x__dash__y, `namespace` is __namespace__.

    A name that CEL cannot reach is returned as it is.
    """
    if name in _RESERVED:
        return f"__{name}__"
    escaped = re.sub(r"__|[.\-/]", lambda match: _ESCAPED[match.group()], name)
    return escaped if _IDENTIFIER.fullmatch(escaped) else name


def shape(node: Mapping[str, Any], unordered: bool = False) -> Shape | None:
    """Return how values of a structural schema change on their way into CEL; None: they do not.

    `unordered` sorts sets and list maps, so that two of them are equal as the server sees it.
    """
    if scalar := _scalar(node):
        return Shape(scalar=scalar)
    fields = {}
    for name, child in node.get("properties", {}).items():
        below, escaped = shape(child, unordered), escape(name)
        if below or escaped != name:
            fields[name] = (escaped, below)
    more = node.get("additionalProperties")
    values = shape(more, unordered) if isinstance(more, Mapping) else None
    items = shape(node["items"], unordered) if "items" in node else None
    order = _order(node) if unordered else None
    found = fields or values or items or order
    return Shape(fields=fields, values=values, items=items, order=order) if found else None


def _order(node: Mapping[str, Any]) -> Callable[[Any], str] | None:
    keys = node.get("x-kubernetes-list-map-keys", ())
    match node.get("x-kubernetes-list-type"):
        case "set":
            return lambda item: json.dumps(item, sort_keys=True, default=str)
        case "map":
            return lambda item: json.dumps(
                [item.get(key) for key in keys] if isinstance(item, Mapping) else item, default=str
            )
    return None


def times(node: Mapping[str, Any], path: tuple[str, ...] = ()) -> tuple[tuple[tuple[str, ...], str], ...]:
    """Return the fields that hold times, by their path from `self`, each with the function that reads one."""
    if node.get("type") == "string":
        function = {"date-time": "timestamp", "date": "k8sDay", "duration": "duration"}.get(node.get("format", ""))
        return ((path, function),) if function else ()
    properties = node.get("properties", {}).items()
    return tuple(found for name, child in properties for found in times(child, (*path, escape(name))))


def _scalar(node: Mapping[str, Any]) -> Callable[[Any], Any] | None:
    if node.get("type") == "number":
        return _double
    if node.get("type") != "string":
        return None
    return _bytes if node.get("format") == "byte" else None


def _double(value: Any) -> Any:
    return float(value) if isinstance(value, int) and not isinstance(value, bool) else value


def _bytes(value: Any) -> Any:
    try:
        return base64.b64decode(value, validate=True)
    except (TypeError, ValueError):
        return value
