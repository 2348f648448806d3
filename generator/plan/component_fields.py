"""What the release's schema of a component refuses of its fields."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from decimal import Decimal
from typing import Any

from generator.environment.explain import shown, spelled
from generator.finding import Finding, Layer, error
from generator.releases.model import Component
from generator.source import at, value_at
from generator.spelling import remedy

_PLAIN = frozenset(("type", "properties", "additionalProperties", "enum"))
_SCALARS = {"string": str, "boolean": bool, "integer": int}
_KINDS = {"object": "key: value pairs", "array": "a list", "string": "text", "boolean": "true or false"}


def defects(component: Component, written: Mapping[str, Any]) -> Iterator[Finding]:
    """Yield one finding for each unknown key and each value that the component cannot have, at its place."""
    if fits(component.schema, written):
        return
    import jsonschema_rs

    problem: Any  # its kind says more than its stub
    for problem in jsonschema_rs.validator_for(dict(component.schema)).iter_errors(_for_json(written)):
        path = list(problem.instance_path)
        if problem.kind.name == "additionalProperties":
            for key in problem.kind.unexpected:
                yield _unknown_key(component, written, path, key)
        else:
            yield _value(component, written, path, problem)


def fits(schema: Mapping[str, Any], value: Any) -> bool:
    """Whether a value fits a schema beyond doubt: false also where the schema says more than types, fields and words.

    Nearly all that people write does, and the engine that could tell all takes 10 ms to come.
    """
    if not schema.keys() <= _PLAIN:
        return False
    if "enum" in schema:
        return isinstance(value, str) and value in schema["enum"]
    kind = schema.get("type")
    if kind == "object":
        fields = schema.get("properties", {})
        return isinstance(value, Mapping) and all(key in fields and fits(fields[key], value[key]) for key in value)
    wanted = _SCALARS.get(kind) if isinstance(kind, str) else None
    return wanted is not None and isinstance(value, wanted) and isinstance(value, bool) == (wanted is bool)


def _unknown_key(component: Component, written: Any, path: list[str | int], key: str) -> Finding:
    return error(
        "unknown-key",
        f"{spelled(['components', component.name, *path])} has no key {key!r} in this release",
        at(_step(written, path), key),
        remedy(key, _known(component.schema, path)),
        layer=Layer.SCHEMA,
    )


def _value(component: Component, written: Any, path: list[str | int], problem: Any) -> Finding:
    said = spelled(["components", component.name, *path])
    message = f"{said} is {shown(_step(written, path))}"
    if problem.kind.name == "enum":
        fix = remedy(str(_step(written, path)), map(str, problem.kind.options))
    elif problem.kind.name == "type":
        fix = f"write {' or '.join(_KINDS.get(kind, f'a number ({kind})') for kind in problem.kind.types)}"
    else:
        message, fix = f"{said}: {problem.message}", "keep to what this release allows"
    place = value_at(_step(written, path[:-1]), path[-1]) if path else at(written)
    return error("invalid-value", message, place, fix, layer=Layer.SCHEMA)


def _step(node: Any, path: list[str | int]) -> Any:
    for step in path:
        node = node[step]
    return node


def _known(schema: Any, path: list[str | int]) -> list[str]:
    for step in path:
        schema = schema["items"] if isinstance(step, int) else schema["properties"][step]
    return list(schema["properties"])


def _for_json(node: Any) -> Any:
    """Return a value without exact decimals, which the engine does not take."""
    if isinstance(node, Mapping):
        return {key: _for_json(value) for key, value in node.items()}
    if isinstance(node, list):
        return [_for_json(item) for item in node]
    return float(node) if isinstance(node, Decimal) else node
