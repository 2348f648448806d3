"""A policy as it is judged."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from decimal import Decimal
from functools import cached_property
from typing import Any

from generator.finding import Location, ObjectRef, Related, Severity
from generator.frozen import dataclass
from generator.policy.cel import Program
from generator.policy.items import CHANGES

FOLDER = "policies"


@dataclass(frozen=True, slots=True)
class Item:
    """One thing that policies judge: its data in plain values, and what of it a finding names."""

    data: Mapping[str, Any]
    origin: Location | None
    ref: ObjectRef
    related: tuple[Related, ...] = ()

    @property
    def label(self) -> str:
        """The item in messages: pool h100, ClusterQueue vision-training."""
        return f"{self.ref.kind} {self.ref.name}"


@dataclass(frozen=True, slots=True)
class Example:
    """One state of the world that a policy must accept or refuse: some items of its collection, and what is around."""

    name: str
    items: Sequence[Mapping[str, Any]]
    environment: Mapping[str, Any]
    params: Mapping[str, Any]
    origin: Location


@dataclass(frozen=True, eq=False)
class Policy:
    """One policy. Its expressions are compiled when they are first needed, and once.

    `each` names a collection; `params` are the defaults, which also say the type of each; `effective_on` is the day
    (YYYY-MM-DD) from which its errors block.
    """

    id: str
    group: str
    title: str
    severity: Severity
    each: str
    where: str | None
    rule: str
    message: str
    fix: str
    why: str
    source: str
    params: Mapping[str, Any]
    since: str | None
    effective_on: str | None
    passing: tuple[Example, ...]
    failing: tuple[Example, ...]
    places: Mapping[str, Location]  # of where, rule, message, and "" for the policy itself

    @property
    def origin(self) -> Location:
        return self.places[""]

    @property
    def is_about_changes(self) -> bool:
        """Whether it judges the difference of two revisions, which `plan` knows, and not one state."""
        return self.each.startswith(CHANGES)

    @property
    def predicate(self) -> str:
        """What must hold for one item."""
        return f"!({self.where}) || ({self.rule})" if self.where else self.rule

    @cached_property
    def all_hold(self) -> Program:
        """Whether a list of `items` is without fault."""
        return Program(self.with_params(self.of_all))

    @cached_property
    def holds(self) -> Program:
        """Whether one `item` is."""
        return Program(self.with_params(self.predicate))

    @cached_property
    def says(self) -> Program:
        """The message about one `item`."""
        return Program(self.with_params(self.message))

    @property
    def of_all(self) -> str:
        """What must hold for a list of items."""
        return f"items.all(item, {self.predicate})"

    def with_params(self, expression: str) -> str:
        """Return an expression in which `params` are this policy's."""
        return f'cel.bind(params, parameters["{self.id}"], {expression})'


def plain(value: Any) -> Any:
    """Return a YAML value in what CEL has: lists, maps, text, int, float, bool; a Decimal becomes a float."""
    if isinstance(value, Mapping):
        return {str(key): plain(inner) for key, inner in value.items()}
    if isinstance(value, list | tuple):
        return [plain(inner) for inner in value]
    return float(value) if isinstance(value, Decimal) else value
