"""CEL rules, evaluated where their place exists in an object.

Source: k8s.io/apiextensions-apiserver pkg/apiserver/schema/cel (validation.go, values.go, compilation.go).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from generator.finding import Layer
from generator.pattern import pattern
from generator.validate.cel.engine import ABSENT, CelError, compile_expression
from generator.validate.cel.rewrite import Times
from generator.validate.cel.values import Shape, plain
from generator.validate.paths import Path, render
from generator.validate.rule_tree import Rule, RuleNode
from generator.validate.violation import Violation

_WORDS = pattern(r"'([a-z]+)'")
_WRONG_TYPE = "No matching overloads"  # as the runtime says that a value is none that an operator takes


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
        if (violation := _break(rule, at.times, _shaped(value, to), before, path)) is not None:
            yield violation


def _shaped(value: Any, to: Shape | None) -> Any:
    return plain(value) if to is None else to.apply(plain(value))


def _break(rule: Rule, read: Times, value: Any, old: Any, path: Path) -> Violation | None:
    given = old if rule.transition else None
    reads = f"this rule: {rule.expression.strip()}"
    try:
        if compile_expression(rule.expression, rule.optional_old, read)(value, given) is True:
            return None
        said = _message(rule, read, value, given)
        return _violation("cel-rule-broken", rule, path, said, f"change the object to satisfy {reads}")
    except CelError as error:
        said = f"{error} evaluating rule: {rule.message or rule.expression.strip()}"
        return _violation("cel-rule-not-evaluated", rule, path, said, f"{_remedy(str(error), rule.expression)} {reads}")


def _remedy(error: str, rule: str) -> str:
    """Return how to begin what to do about a rule that failed: on a value of another type, or on an absent field."""
    if _WRONG_TYPE not in error:
        return "write every field that is read by"
    words = ", ".join(_WORDS.findall(rule))
    return f"write {words + ' or ' if words else ''}a value of the type that is compared, a number without quotes, for"


def _message(rule: Rule, read: Times, value: Any, old: Any) -> str:
    if rule.message_expression:
        try:
            said = compile_expression(rule.message_expression, rule.optional_old, read)(value, old)
        except CelError:
            said = None  # the server falls back to the message
        if isinstance(said, str) and said.strip() and "\n" not in said:
            return said
    return rule.message or f"failed rule: {rule.expression.strip()}"


def _violation(name: str, rule: Rule, path: Path, message: str, fix: str) -> Violation:
    where = (render(path) + rule.field_path).removeprefix(".")
    return Violation(name, Layer.CEL, where, message, fix, kind_of_error=rule.kind_of_error)
