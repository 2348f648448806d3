"""The CEL rules of a schema (x-kubernetes-validations), evaluated where their place exists in an object.

Source: k8s.io/apiextensions-apiserver pkg/apiserver/schema/cel (validation.go, values.go, compilation.go).
"""

from __future__ import annotations

import marshal
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from generator.finding import Layer
from generator.validate.cel.engine import ABSENT, CelError, compile_expression
from generator.validate.cel.rewrite import fields_read, names
from generator.validate.cel.values import Shape, shape
from generator.validate.paths import Path, render
from generator.validate.violation import Violation

_KINDS = {
    "FieldValueInvalid": "Invalid value",
    "FieldValueForbidden": "Forbidden",
    "FieldValueRequired": "Required value",
    "FieldValueDuplicate": "Duplicate value",
}
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


@dataclass(frozen=True)
class RuleNode:
    """Where in a schema rules are, and what becomes of a value on its way into CEL."""

    rules: tuple[Rule, ...]
    fields: tuple[tuple[str, RuleNode], ...]
    values: RuleNode | None
    items: RuleNode | None
    keys: tuple[str, ...] | None
    shape: Shape | None
    old_shape: Shape | None
    _passed: set[bytes] = field(default_factory=set)

    @cached_property
    def state_rules(self) -> tuple[Rule, ...]:
        """The rules that need no old object."""
        return tuple(rule for rule in self.rules if not rule.transition)

    @cached_property
    def _read(self) -> frozenset[str] | None:
        reads = [fields_read(rule.expression) for rule in self.state_rules]
        known = [read for read in reads if read is not None]
        return frozenset(name for read in known for name in read) if known == reads and self.shape is None else None

    def passes(self, value: Any) -> bool:
        """Whether all rules that need no old object hold, judged at once. False may also mean: judge one by one."""
        if self._read is not None and isinstance(value, Mapping):
            value = {name: value[name] for name in self._read if name in value}
        try:
            key = marshal.dumps(value)
        except ValueError:
            return False
        if key in self._passed:
            return True
        if len(self._passed) >= _KEPT:
            self._passed.clear()
        together = " && ".join(f"({rule.expression}\n)" for rule in self.state_rules)
        try:
            passed = compile_expression(together)(_shaped(value, self.shape)) is True
        except CelError:
            return False
        if passed:
            self._passed.add(key)
        return passed


def rule_tree(node: Mapping[str, Any], creating: bool = False) -> RuleNode | None:
    """Return where a schema has rules, or None: nowhere. `creating` leaves out those that need an old object."""
    properties = node.get("properties", {}).items()
    fields = tuple((name, below) for name, child in properties if (below := rule_tree(child, creating)))
    more = node.get("additionalProperties")
    values = rule_tree(more, creating) if isinstance(more, Mapping) else None
    items = rule_tree(node["items"], creating) if "items" in node else None
    rules = tuple(map(_rule, node.get("x-kubernetes-validations", ())))
    if creating:
        rules = tuple(rule for rule in rules if not rule.transition or rule.optional_old)
    if not (rules or fields or values or items):
        return None
    is_map = node.get("x-kubernetes-list-type") == "map"
    keys = tuple(node.get("x-kubernetes-list-map-keys", ())) if is_map else None
    compares = any(rule.transition for rule in rules)
    old_shape = shape(node, unordered=True) if compares else None
    return RuleNode(rules, fields, values, items, keys, shape(node) if rules else None, old_shape)


def _rule(raw: Mapping[str, Any]) -> Rule:
    optional = bool(raw.get("optionalOldSelf"))
    return Rule(
        raw["rule"],
        raw.get("message", ""),
        raw.get("messageExpression", ""),
        raw.get("fieldPath", ""),
        _KINDS.get(raw.get("reason", ""), "Invalid value"),
        "oldSelf" in names(raw["rule"]),
        optional,
    )


def all_pass(value: Any, at: RuleNode) -> bool:
    """Whether no rule objects to a value that is created, told faster; False may also mean: judge one by one."""
    if value is None:
        return True
    if at.rules and (len(at.state_rules) < len(at.rules) or not at.passes(value)):
        return False
    if isinstance(value, dict):
        for name, below in at.fields:
            if name in value and not all_pass(value[name], below):
                return False
        return at.values is None or all(all_pass(item, at.values) for item in value.values())
    if at.items is not None and isinstance(value, list):
        return all(all_pass(item, at.items) for item in value)
    return True


def broken_rules(value: Any, old: Any, at: RuleNode | None, path: Path = ()) -> Iterator[Violation]:
    """Yield what the rules object to in a value; `old` is what stood in its place, ABSENT if nothing did."""
    if at is None or value is None:
        return
    if at.rules:
        yield from _judge(value, old, at, path)
    if isinstance(value, Mapping):
        for name, below in at.fields:
            if name in value:
                yield from broken_rules(value[name], _at(old, name), below, (*path, name))
        if at.values:
            known = {name for name, _ in at.fields}
            for name, item in value.items():
                if name not in known:
                    yield from broken_rules(item, _at(old, name), at.values, (*path, name))
    elif isinstance(value, list) and at.items:
        for index, item in enumerate(value):
            yield from broken_rules(item, _twin(item, old, at.keys), at.items, (*path, index))


def _at(old: Any, name: str) -> Any:
    return old.get(name, ABSENT) if isinstance(old, Mapping) else ABSENT


def _twin(item: Any, old: Any, keys: Sequence[str] | None) -> Any:
    """The old item with the same keys; the server compares items of list maps only."""
    if keys is None or not isinstance(old, list) or not isinstance(item, Mapping):
        return ABSENT
    wanted = [item.get(key) for key in keys]
    same = (other for other in old if isinstance(other, Mapping) and [other.get(key) for key in keys] == wanted)
    return next(same, ABSENT)


def _judge(value: Any, old: Any, at: RuleNode, path: Path) -> Iterator[Violation]:
    skip_state = not at.state_rules or at.passes(value)
    for rule in at.rules:
        if skip_state if not rule.transition else old is ABSENT and not rule.optional_old:
            continue
        to = at.old_shape if rule.transition else at.shape
        before = _shaped(old, to) if rule.transition and old is not ABSENT else old
        if (violation := _break(rule, _shaped(value, to), before, path)) is not None:
            yield violation


def _shaped(value: Any, to: Shape | None) -> Any:
    return value if to is None else to.apply(value)


def _break(rule: Rule, value: Any, old: Any, path: Path) -> Violation | None:
    given = old if rule.transition else None
    reads = f"this rule: {rule.expression.strip()}"
    try:
        if compile_expression(rule.expression, rule.optional_old)(value, given) is True:
            return None
        said = _message(rule, value, given)
        return _violation("cel-rule-broken", rule, path, said, f"change the object to satisfy {reads}")
    except CelError as error:
        said = f"{error} evaluating rule: {rule.message or rule.expression.strip()}"
        return _violation("cel-rule-not-evaluated", rule, path, said, f"write every field that is read by {reads}")


def _message(rule: Rule, value: Any, old: Any) -> str:
    if rule.message_expression:
        try:
            said = compile_expression(rule.message_expression, rule.optional_old)(value, old)
        except CelError:
            said = None  # the server falls back to the message
        if isinstance(said, str) and said.strip() and "\n" not in said:
            return said
    return rule.message or f"failed rule: {rule.expression.strip()}"


def _violation(name: str, rule: Rule, path: Path, message: str, fix: str) -> Violation:
    where = (render(path) + rule.field_path).removeprefix(".")
    return Violation(name, Layer.CEL, where, message, fix, kind_of_error=rule.kind_of_error)
