"""Policies for people: one as a page, all as a table in Markdown."""

from __future__ import annotations

import json
import textwrap
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from generator.policy.fields import Form, ListOf, MapOf, Record
from generator.policy.items import item_forms
from generator.policy.model import Policy

_WIDTH = 100
_README = """\
# Policies

What Apportion asks of an environment beyond what the cluster does. This page is made from the policies:
`make policies`. How to write one: [docs/policies.md](../docs/policies.md).

A policy is overridden by one of its id in your repository's own `policies/`; a parameter is set under
`policyParameters` of the Fleet or an Environment; a finding is accepted by a waiver.
"""


def text(policy: Policy) -> str:
    """Return one policy as text of at most 100 columns."""
    facts = {"severity": policy.severity.value, "each": policy.each, "where": policy.where, "rule": policy.rule}
    dates = {"since": policy.since, "effectiveOn": policy.effective_on}
    lines = [f"{policy.id}: {policy.title}", ""]
    for name, value in {**facts, "message": policy.message, "why": policy.why, "fix": policy.fix}.items():
        lines += _paragraph(name, value)
    lines += _paragraph("source", policy.source)
    for name, default in policy.params.items():
        lines += _paragraph("parameter", f"{name}, by default {json.dumps(default)}")
    for name, value in dates.items():
        lines += _paragraph(name, value)
    for name, examples in (("passes", policy.passing), ("fails", policy.failing)):
        lines += _paragraph(name, "; ".join(example.name for example in examples) or None)
    return "\n".join([*lines, *_paragraph("file", str(policy.origin))]) + "\n"


def record(policy: Policy) -> dict[str, Any]:
    """Return one policy as JSON has it."""
    return {
        "id": policy.id,
        "group": policy.group,
        "title": policy.title,
        "severity": policy.severity.value,
        "each": policy.each,
        "where": policy.where,
        "rule": policy.rule,
        "message": policy.message,
        "fix": policy.fix,
        "why": policy.why,
        "source": policy.source,
        "params": dict(policy.params),
        "since": policy.since,
        "effectiveOn": policy.effective_on,
        "file": policy.origin.file,
        "line": policy.origin.line,
    }


def table(policies: Iterable[Policy]) -> str:
    """Return a line a policy: severity, id, title."""
    chosen = list(policies)
    width = max((len(policy.id) for policy in chosen), default=0)
    return "".join(f"{policy.severity.value:<8} {policy.id:<{width}}  {policy.title}\n" for policy in chosen)


def markdown(policies: Iterable[Policy]) -> str:
    """Return the README of a folder of policies: by group, with reason, parameters and source."""
    lines = [_README]
    for group, members in _groups(policies).items():
        lines += [f"## {group}", "", "| policy | severity | why | parameters |", "|---|---|---|---|"]
        lines += [_row(policy) for policy in members]
        lines.append("")
    return "\n".join(lines)


def _row(policy: Policy) -> str:
    params = "<br>".join(f"`{name}: {json.dumps(value)}`" for name, value in policy.params.items())
    why = f"{policy.title}. {policy.why} ([source]({policy.source}))".replace("|", "\\|")
    link = f"[{policy.id}]({policy.group}/{policy.id}.yaml)"
    return f"| {link} | {policy.severity.value} | {why} | {params.replace('|', chr(92) + '|')} |"


def _groups(policies: Iterable[Policy]) -> Mapping[str, list[Policy]]:
    found: dict[str, list[Policy]] = {}
    for policy in sorted(policies, key=lambda policy: (policy.group, policy.id)):
        found.setdefault(policy.group, []).append(policy)
    return found


def _paragraph(name: str, value: str | None) -> Iterator[str]:
    if value:
        hanging = " " * 13
        yield textwrap.fill(
            " ".join(value.split()), _WIDTH, initial_indent=f"{name + ':':<13}", subsequent_indent=hanging
        )


def collections() -> str:
    """Return the collections with the fields of their items, as docs/policies.md shows them."""
    rows = [f"| `{name}` | {_fields(found)} |" for name, found in item_forms().items() if isinstance(found, Record)]
    return "\n".join(["| collection | fields of an item |", "|---|---|", *rows]) + "\n"


def _fields(record: Record) -> str:
    return ", ".join(f"`{name}`{_shape(inner)}" for name, inner in record.fields.items())


def _shape(found: Form) -> str:
    """Return what stands behind a field's name: its type, or the fields of what it holds."""
    if isinstance(found, ListOf):
        return f" [{_inner(found.of)}]"
    return f" {{{_inner(found.of)}}}" if isinstance(found, MapOf) else f" {_inner(found)}"


def _inner(found: Form) -> str:
    if isinstance(found, Record):
        return f"({', '.join(f'{name}{_shape(inner)}' for name, inner in found.fields.items())})"
    return found if isinstance(found, str) else _shape(found).strip()
