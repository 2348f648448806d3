"""The CEL rules of a schema (x-kubernetes-validations), by where they stand in it."""

from __future__ import annotations

import marshal
from collections.abc import Mapping
from functools import cached_property
from typing import Any

from generator.frozen import dataclass, field
from generator.validate.cel.engine import CelError, compile_expression
from generator.validate.cel.rewrite import Times, fields_read, names
from generator.validate.cel.values import Shape, plain, shape, times

_KINDS = {
    "FieldValueInvalid": "Invalid value",
    "FieldValueForbidden": "Forbidden",
    "FieldValueRequired": "Required value",
    "FieldValueDuplicate": "Duplicate value",
}
# without any of these a node has no rule in it; most have none
_HOLDING = frozenset(("properties", "items", "additionalProperties", "x-kubernetes-validations"))
# verdicts kept per place: queues share presets, flavors share taints
_KEPT = 4096


@dataclass(frozen=True, slots=True)
class Rule:
    """One rule. `transition` rules compare with the old object; `optional_old` ones run without one too."""

    expression: str
    message: str
    message_expression: str
    field_path: str
    kind_of_error: str
    transition: bool
    optional_old: bool


@dataclass(frozen=True, eq=False)
class RuleNode:
    """Where in a schema rules are; `node` is the schema there, which says what a value becomes on its way into CEL."""

    node: Mapping[str, Any]
    rules: tuple[Rule, ...]
    fields: tuple[tuple[str, RuleNode], ...]
    values: RuleNode | None
    items: RuleNode | None
    _passed: set[bytes] = field(default_factory=set)

    @cached_property
    def keys(self) -> tuple[str, ...] | None:
        """The keys by which the server finds an item's old self, or None."""
        is_map = self.node.get("x-kubernetes-list-type") == "map"
        return tuple(self.node.get("x-kubernetes-list-map-keys", ())) if is_map else None

    @cached_property
    def state_rules(self) -> tuple[Rule, ...]:
        """The rules that need no old object."""
        return tuple(rule for rule in self.rules if not rule.transition)

    @cached_property
    def together(self) -> str:
        """One expression for all rules that need no old object."""
        return " && ".join(f"({rule.expression}\n)" for rule in self.state_rules)

    @cached_property
    def shape(self) -> Shape | None:
        """What a value becomes in CEL."""
        return shape(self.node)

    @cached_property
    def old_shape(self) -> Shape | None:
        """What a value becomes in CEL where it is compared with an old one."""
        return shape(self.node, unordered=True)

    @cached_property
    def times(self) -> Times:
        """The fields below that hold times."""
        return times(self.node)

    @cached_property
    def _read(self) -> frozenset[str] | None:
        """The fields that the rules read; None: all."""
        reads = [fields_read(rule.expression) for rule in self.state_rules]
        known = [read for read in reads if read is not None]
        return frozenset(name for read in known for name in read) if known == reads and self.shape is None else None

    def passes(self, value: Any) -> bool:
        """Whether all rules that need no old object hold, judged at once. False may also mean: judge one by one."""
        if self._read is not None and isinstance(value, dict):
            value = {name: value[name] for name in self._read if name in value}
        try:
            key = marshal.dumps(value)
        except ValueError:  # a dict that knows its line is not plain enough
            value = plain(value)
            key = marshal.dumps(value)
        if key in self._passed:
            return True
        if len(self._passed) >= _KEPT:
            self._passed.clear()
        try:
            shaped = value if self.shape is None else self.shape.apply(value)
            passed = compile_expression(self.together, times=self.times)(shaped) is True
        except CelError:
            return False
        if passed:
            self._passed.add(key)
        return passed


Made = dict[int, RuleNode | None]


def rule_tree(node: Mapping[str, Any], made: Made, creating: bool = False) -> RuleNode | None:
    """Return where a schema has rules, or None: nowhere. `made` keeps what was found for shared nodes.

    `creating` leaves out the rules that need an old object.
    """
    if node.keys().isdisjoint(_HOLDING):
        return None
    if id(node) not in made:
        made[id(node)] = _rule_tree(node, made, creating)
    return made[id(node)]


def _rule_tree(node: Mapping[str, Any], made: Made, creating: bool) -> RuleNode | None:
    properties = node.get("properties", {}).items()
    fields = tuple((name, below) for name, child in properties if (below := rule_tree(child, made, creating)))
    more = node.get("additionalProperties")
    values = rule_tree(more, made, creating) if isinstance(more, Mapping) else None
    items = rule_tree(node["items"], made, creating) if "items" in node else None
    rules = tuple(map(_rule, node.get("x-kubernetes-validations", ())))
    if creating:
        rules = tuple(rule for rule in rules if not rule.transition or rule.optional_old)
    if not (rules or fields or values or items):
        return None
    return RuleNode(node, rules, fields, values, items)


def _rule(raw: Mapping[str, Any]) -> Rule:
    optional = bool(raw.get("optionalOldSelf"))
    return Rule(
        raw["rule"],
        raw.get("message", ""),
        raw.get("messageExpression", ""),
        raw.get("fieldPath", ""),
        _KINDS.get(raw.get("reason", ""), "Invalid value"),
        "oldSelf" in raw["rule"] and "oldSelf" in names(raw["rule"]),
        optional,
    )
