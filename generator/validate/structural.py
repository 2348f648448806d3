"""A structural schema compiled: the strict JSON Schema of what the server accepts, defaults, lists and CEL rules."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache
from typing import TYPE_CHECKING, Any

from generator.frozen import dataclass
from generator.validate import formats, metadata
from generator.validate.defaults import Filler, filler, takes_null
from generator.validate.lists import ListNode, list_tree
from generator.validate.rule_tree import RuleNode, rule_tree
from generator.validate.translation import Translator

if TYPE_CHECKING:
    import jsonschema_rs

    from generator.schemas.schema import Schema


@dataclass(frozen=True, slots=True)
class Judge:
    """A JSON Schema and its validator; the schema is kept to tell what was known where something was unknown."""

    json_schema: Mapping[str, Any]
    validator: jsonschema_rs.Validator


@dataclass(frozen=True, slots=True)
class Compiled:
    """A schema ready to judge; what it has nothing of is None.

    `rules` are the CEL rules that need no old object. `metadata` is the JSON Schema of its metadata.
    """

    metadata: dict[str, Any]
    filler: Filler | None
    lists: ListNode | None
    rules: RuleNode | None


@cache
def compiled(schema: Schema) -> Compiled:
    """Return what is made of a schema, once per process."""
    node = schema.structure
    meta = _object_meta(metadata.name_form(schema.group, schema.kind))
    return Compiled(meta, filler(node, {}), list_tree(node, {}), rule_tree(node, {}, creating=True))


@cache
def accepts_null(schema: Schema) -> bool:
    """Whether an object may hold a null and be valid: few kinds have a place for one."""
    return takes_null(schema.structure, {})


@cache
def root(schema: Schema) -> Judge:
    """Return the judge of whole objects, compiled once per process: up to 5 ms.

    Raises:
        ValueError: a pattern in the schema is no regular expression.
    """
    checks = dict(formats.BUILTIN_CHECKS if schema.builtin else formats.CHECKS)
    return _judge(root_schema(schema, checks), checks)


@cache
def update_rules(schema: Schema) -> RuleNode | None:
    """Return all CEL rules of a schema, with those that compare an object with an old one."""
    return rule_tree(schema.structure, {})


@cache
def _object_meta(form: metadata.NameForm) -> dict[str, Any]:
    return metadata.object_meta(form)


@cache
def of_metadata(form: metadata.NameForm) -> Judge:
    """Return the judge of metadata, which all kinds with the same form of names share."""
    return _judge(_object_meta(form), formats.CHECKS)


def _judge(json_schema: dict[str, Any], checks: dict[str, Callable[[str], bool]]) -> Judge:
    import jsonschema_rs

    validator = jsonschema_rs.Draft7Validator(
        json_schema,
        formats=checks,
        validate_formats=True,
        retriever=_never,
        pattern_options=jsonschema_rs.RegexOptions(),
    )
    return Judge(json_schema, validator)


def _never(uri: str) -> Any:
    raise LookupError(f"a schema refers to {uri}; nothing is ever fetched")


def root_schema(schema: Schema, checks: dict[str, Callable[[str], bool]]) -> dict[str, Any]:
    """Return the JSON Schema of a whole object but for what `metadata` holds."""
    references = {id(node): f"#/definitions/d{number}" for number, node in enumerate(schema.shared)}
    translator = Translator(checks, references, schema.builtin)
    root = translator.translate(schema.structure)
    root["properties"] |= {
        "apiVersion": {"const": schema.api_version},
        "kind": {"const": schema.kind},
        "metadata": {"type": "object", "properties": _names(schema.structure, translator)},
    }
    root["required"] = sorted({*root.get("required", ()), "apiVersion", "kind", "metadata"})
    root["definitions"] = {f"d{number}": translator.translate(node) for number, node in enumerate(schema.shared)}
    return root


def _names(structure: Mapping[str, Any], translator: Translator) -> dict[str, Any]:
    """What a schema says about name and generateName; of metadata it can say no more."""
    own = structure.get("properties", {}).get("metadata", {}).get("properties", {})
    return {name: translator.below(own[name]) for name in ("name", "generateName") if name in own}
