"""What a value in `environments/` may look like: markers that pydantic turns into checks and JSON Schema.

pydantic is imported when a document is checked, not when these types are: the plan reads them without it.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import date
from decimal import Decimal
from typing import TYPE_CHECKING, Any

from generator import quantity
from generator.frozen import dataclass

if TYPE_CHECKING:
    from pydantic import GetCoreSchemaHandler, GetJsonSchemaHandler
    from pydantic_core import CoreSchema

LABEL = r"[a-z0-9]([-a-z0-9]*[a-z0-9])?"
SUBDOMAIN = rf"{LABEL}(\.{LABEL})*"
QUALIFIED = rf"((?=[^/]{{1,253}}/){SUBDOMAIN}/)?[A-Za-z0-9]([-A-Za-z0-9_.]{{0,61}}[A-Za-z0-9])?"
PERCENT = r"(100(\.0{1,3})?|[0-9]{1,2}(\.[0-9]{1,3})?)%"
QUANTITY = r"[+]?([0-9]+\.?[0-9]*|\.[0-9]+)([KMGTPE]i|[numkMGTPE]|[eE][+-]?[0-9]+)?"


class RefusedError(ValueError):
    """A value that is not allowed: why, to go on after "costCenter is 4711, which", and what to write instead.

    `value` is the likely value as YAML has it; without one `what` says in words what is wanted.
    """

    def __init__(self, why: str, what: str, value: str | None = None) -> None:
        super().__init__(why)
        self.why, self.what, self.value = why, what, value


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
                context = {"why": refused.why, "what": refused.what, "value": refused.value}
                raise PydanticCustomError("refused", "{why}", context) from None

        return core_schema.no_info_plain_validator_function(judged)

    def __get_pydantic_json_schema__(self, core: CoreSchema, handler: GetJsonSchemaHandler) -> dict[str, Any]:
        return self.schema()


@dataclass(frozen=True, slots=True)
class Text(Constraint):
    """A string; `what` says in words what `pattern` demands of the whole of it, `example` is one."""

    what: str = "text"
    pattern: str = r"\S.*"
    longest: int = 1024
    example: str | None = None
    also: Callable[[str], str | None] | None = None  # a further reason to refuse, or None
    repair: Callable[[str], str] | None = None  # a likely spelling of what was refused

    def check(self, value: Any) -> str:
        if not isinstance(value, str):
            raise self._not_text(value)
        if len(value) > self.longest:
            raise RefusedError(f"has {len(value)} characters", f"at most {self.longest} characters")
        if not self._fits(value):
            raise self._refused(f"is not {self.what}", self.repair and self.repair(value))
        if self.also is not None and (reason := self.also(value)):
            raise self._refused(reason, None)
        return value

    def _fits(self, value: str) -> bool:
        return len(value) <= self.longest and _compiled(self.pattern).fullmatch(value) is not None

    def _not_text(self, value: Any) -> RefusedError:
        if not isinstance(value, bool | int | Decimal):
            return RefusedError(f"is not {self.what}", self.wanted)
        kind, text = ("a boolean", str(value).lower()) if isinstance(value, bool) else ("a number", str(value))
        return self._refused(f"is {kind}, not text", text)

    def _refused(self, why: str, candidate: str | None) -> RefusedError:
        return RefusedError(why, self.wanted, _quoted(candidate) if candidate and self._fits(candidate) else None)

    @property
    def wanted(self) -> str:
        return f"{self.what}, such as {self.example}" if self.example else self.what

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
            plain = isinstance(value, str) and re.fullmatch(r"[0-9]{1,9}", value) and str(int(value))
            raise RefusedError("is text, not a number" if plain else "is not a whole number", self.what, plain or None)
        if not self.least <= value <= self.most:
            raise RefusedError(f"is {'less' if value < self.least else 'more'} than allowed", self.what)
        return value

    @property
    def what(self) -> str:
        return f"a whole number from {self.least} to {self.most}"

    def schema(self) -> dict[str, Any]:
        return {"type": "integer", "minimum": self.least, "maximum": self.most}


@dataclass(frozen=True, slots=True)
class Number(Constraint):
    """An exact decimal number between `least` and `most`."""

    least: Decimal = Decimal(0)
    most: Decimal = Decimal(1_000_000)

    def check(self, value: Any) -> int | Decimal:
        if isinstance(value, bool) or not isinstance(value, int | Decimal):
            raise RefusedError("is not a number", self.what)
        if not self.least <= value <= self.most:
            raise RefusedError(f"is {'less' if value < self.least else 'more'} than allowed", self.what)
        return value

    @property
    def what(self) -> str:
        return f"a number from {self.least} to {self.most}, without quotes"

    def schema(self) -> dict[str, Any]:
        return {"type": "number", "minimum": float(self.least), "maximum": float(self.most)}


@dataclass(frozen=True, slots=True)
class Amount(Constraint):
    """A Kubernetes quantity, and where `percent`, `words` allow it a percentage or one of those words."""

    percent: bool = False
    words: tuple[str, ...] = ()
    whole: bool = False
    positive: bool = False
    bytes: bool = False  # so few that the unit was forgotten, or is m for mega, are refused

    def check(self, value: Any) -> str | int | Decimal:
        if isinstance(value, bool) or not isinstance(value, str | int | Decimal):
            raise RefusedError(f"is not {self.what}", self.what)
        if value in self.words or (self.percent and isinstance(value, str) and _compiled(PERCENT).fullmatch(value)):
            return value
        if isinstance(value, str) and value.endswith("%") and self.percent:
            raise RefusedError("is not from 0% to 100%", "a percentage from 0% to 100%")
        try:
            amount = quantity.parse(value)
        except ValueError as error:
            raise RefusedError(str(error), self.what, _with_unit(str(value)) if self.bytes else None) from None
        if self.whole and amount % quantity.UNIT:
            raise RefusedError("is not a whole number", self.what)
        if self.positive and not amount:
            raise RefusedError("is too little", f"{self.what}, more than 0")
        if self.bytes and 0 < amount < quantity.MI:
            raise RefusedError(f"is {quantity.canonical(amount)} bytes", "it with its unit, such as 64Gi or 512Mi")
        return value

    @property
    def what(self) -> str:
        plain = "a quantity such as 64Gi or 512Mi" if self.bytes else "a quantity such as 8 or 500m"
        kinds = ["a whole number" if self.whole else plain]
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


def label(text: str) -> str:
    """Return the RFC 1123 label that a text comes nearest to; "" when nothing of it can stay."""
    return re.sub(r"[^a-z0-9]+", "-", text.lower()).strip("-")


def slashes(text: str) -> str:
    """Return a path of Windows as Git has it."""
    return text.replace("\\", "/").strip("/")


def major_minor(text: str) -> str:
    """Return the release that "v3.4.1" is one of, 3.4; "" for what begins otherwise."""
    found = re.match(r"[vV]?([0-9]+\.[0-9]+)", text)
    return found[1] if found else ""


def _quoted(text: str) -> str:
    """Return text as YAML has it: in quotes where it could be a number, boolean or null."""
    return text if text[0].isalpha() and text not in ("true", "false", "null") else f'"{text}"'


def _with_unit(text: str) -> str | None:
    """Return "64Gi" for 64GB, 64 GiB and 64gi, which mean it; None for what cannot be guessed."""
    found = re.fullmatch(r"([0-9]+(?:\.[0-9]+)?)\s*([kmgtpe])(?:i?b|i)?", text, re.IGNORECASE | re.ASCII)
    guess = f"{found[1]}{found[2].upper()}i" if found else None
    return guess if guess != text else None


_patterns: dict[str, re.Pattern[str]] = {}


def _compiled(pattern: str) -> re.Pattern[str]:
    if pattern not in _patterns:
        _patterns[pattern] = re.compile(pattern, re.ASCII)
    return _patterns[pattern]
