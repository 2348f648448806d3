"""What a value in `environments/` may look like: markers that pydantic turns into checks and JSON Schema.

pydantic is imported when a document is checked, not when these types are: the plan reads them without it.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from typing import TYPE_CHECKING, Any

from generator import quantity

if TYPE_CHECKING:
    from pydantic import GetCoreSchemaHandler, GetJsonSchemaHandler
    from pydantic_core import CoreSchema

LABEL = r"[a-z0-9]([-a-z0-9]*[a-z0-9])?"
SUBDOMAIN = rf"{LABEL}(\.{LABEL})*"
QUALIFIED = rf"({SUBDOMAIN}/)?[A-Za-z0-9]([-A-Za-z0-9_.]*[A-Za-z0-9])?"
PERCENT = r"(100|[0-9]{1,2})(\.[0-9]{1,3})?%"
QUANTITY = r"[+]?([0-9]+\.?[0-9]*|\.[0-9]+)([KMGTPE]i|[numkMGTPE]|[eE][+-]?[0-9]+)?"


class RefusedError(ValueError):
    """A value that is not allowed; the message continues "costCenter is 4711: …"."""


class Constraint:
    """A marker for `Annotated[...]`: `check` returns the value or raises RefusedError, `schema` is its JSON Schema."""

    __slots__ = ()

    def check(self, value: Any) -> Any:
        raise NotImplementedError

    def schema(self) -> dict[str, Any]:
        raise NotImplementedError

    def __get_pydantic_core_schema__(self, source: object, handler: GetCoreSchemaHandler) -> CoreSchema:
        from pydantic_core import PydanticCustomError, core_schema

        def judged(value: Any) -> Any:
            try:
                return self.check(value)
            except RefusedError as refused:
                text = str(refused).replace("{", "{{").replace("}", "}}")
                raise PydanticCustomError("refused", text) from None

        return core_schema.no_info_plain_validator_function(judged)

    def __get_pydantic_json_schema__(self, core: CoreSchema, handler: GetJsonSchemaHandler) -> dict[str, Any]:
        return self.schema()


@dataclass(frozen=True, slots=True)
class Text(Constraint):
    """A string; `what` says in words what `pattern` demands of the whole of it."""

    what: str = "text"
    pattern: str = r"\S.*"
    longest: int = 1024
    also: Callable[[str], str | None] | None = None  # a further reason to refuse, or None

    def check(self, value: Any) -> str:
        if not isinstance(value, str):
            raise RefusedError(unquoted(value, f"must be {self.what}"))
        if len(value) > self.longest:
            raise RefusedError(f"must be {self.what} of at most {self.longest} characters and has {len(value)}")
        if not _compiled(self.pattern).fullmatch(value):
            raise RefusedError(f"must be {self.what}")
        if self.also is not None and (reason := self.also(value)):
            raise RefusedError(reason)
        return value

    def schema(self) -> dict[str, Any]:
        return {
            "type": "string",
            "pattern": f"^(?:{self.pattern})$",
            "maxLength": self.longest,
            "description": self.what,
        }


@dataclass(frozen=True, slots=True)
class Count(Constraint):
    """A whole number between `least` and `most`."""

    least: int = 0
    most: int = 1_000_000

    def check(self, value: Any) -> int:
        if isinstance(value, bool) or not isinstance(value, int):
            raise RefusedError(f"must be a whole number from {self.least} to {self.most}, without quotes")
        if not self.least <= value <= self.most:
            raise RefusedError(f"must be from {self.least} to {self.most}")
        return value

    def schema(self) -> dict[str, Any]:
        return {"type": "integer", "minimum": self.least, "maximum": self.most}


@dataclass(frozen=True, slots=True)
class Number(Constraint):
    """An exact decimal number between `least` and `most`."""

    least: Decimal = Decimal(0)
    most: Decimal = Decimal(1_000_000)

    def check(self, value: Any) -> int | Decimal:
        if isinstance(value, bool) or not isinstance(value, int | Decimal):
            raise RefusedError(f"must be a number from {self.least} to {self.most}, without quotes")
        if not self.least <= value <= self.most:
            raise RefusedError(f"must be from {self.least} to {self.most}")
        return value

    def schema(self) -> dict[str, Any]:
        return {"type": "number", "minimum": float(self.least), "maximum": float(self.most)}


@dataclass(frozen=True, slots=True)
class Amount(Constraint):
    """A Kubernetes quantity, and where `percent`, `words` allow it a percentage or one of those words."""

    percent: bool = False
    words: tuple[str, ...] = ()
    whole: bool = False
    positive: bool = False

    def check(self, value: Any) -> str | int | Decimal:
        if isinstance(value, bool) or not isinstance(value, str | int | Decimal):
            raise RefusedError(f"must be {self.what}")
        if value in self.words or (self.percent and isinstance(value, str) and _compiled(PERCENT).fullmatch(value)):
            return value
        if isinstance(value, str) and value.endswith("%") and self.percent:
            raise RefusedError("must be a percentage from 0% to 100%")
        try:
            amount = quantity.parse(value)
        except ValueError as error:
            raise RefusedError(f"{error}; it must be {self.what}") from None
        if self.whole and amount % quantity.UNIT:
            raise RefusedError("must be a whole number")
        if self.positive and not amount:
            raise RefusedError("must be more than 0")
        return value

    @property
    def what(self) -> str:
        kinds = ["a whole number" if self.whole else "a quantity such as 8, 500m or 64Gi"]
        kinds += ["a percentage"] * self.percent
        kinds += list(self.words)
        return ", ".join(kinds[:-1]) + " or " + kinds[-1] if len(kinds) > 1 else kinds[0]

    def schema(self) -> dict[str, Any]:
        patterns = [r"[+]?[0-9]+[kMGTPE]?" if self.whole else QUANTITY]
        patterns += [PERCENT] * self.percent
        patterns += list(self.words)
        text = {"type": "string", "pattern": f"^(?:{'|'.join(patterns)})$"}
        return {
            "anyOf": [{"type": "integer" if self.whole else "number", "minimum": 0}, text],
            "description": self.what,
        }


def real_date(text: str) -> str | None:
    """Why a text that looks like a date is none, or None."""
    try:
        date.fromisoformat(text)
    except ValueError:
        return "is no date of the calendar"
    return None


def unquoted(value: Any, otherwise: str) -> str:
    """What to say of a number or boolean where text is wanted."""
    if isinstance(value, bool):
        return f'is a boolean and must be text: write it in quotes, "{str(value).lower()}"'
    if isinstance(value, int | Decimal):
        return f'is a number and must be text: write it in quotes, "{value}"'
    if value is None:
        return f"is empty: it {otherwise}"
    return otherwise


_patterns: dict[str, re.Pattern[str]] = {}


def _compiled(pattern: str) -> re.Pattern[str]:
    if pattern not in _patterns:
        _patterns[pattern] = re.compile(pattern, re.ASCII)
    return _patterns[pattern]
