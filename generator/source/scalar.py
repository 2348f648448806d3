"""Plain YAML scalars after the YAML 1.2 core schema; a number that other readers may take for another is refused.

Sources: https://yaml.org/spec/1.2.2/#1032-tag-resolution, https://yaml.org/type/int.html and float.html (YAML 1.1).
"""

from __future__ import annotations

import re
from decimal import Decimal
from math import isinf

from generator.pattern import pattern
from generator.source.text import shown

Scalar = str | int | bool | Decimal | None

_WORDS: dict[str, bool | None] = {
    **dict.fromkeys(("", "~", "null", "Null", "NULL")),
    **dict.fromkeys(("true", "True", "TRUE"), True),
    **dict.fromkeys(("false", "False", "FALSE"), False),
}
_STARTS = frozenset("+-.0123456789")
_INTEGER = pattern(r"[-+]?(?:0|[1-9][0-9]*)")
_DECIMAL = pattern(r"[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE]([-+]?[0-9]+))?")
_SPELLED = pattern(r"([-+]?)(0[0-9]+|0x[0-9a-fA-F]+)|(0o[0-7]+)")
_NOT_FINITE = pattern(r"[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN)")
_DIGITS = 64
_EXPONENT = 300
"""A double, which is what Kubernetes' readers make of a decimal, ends at about 1e308."""


# What Go's YAML readers, and so kubectl and Argo CD, take for a boolean, and the core schema for text.
_GO_WORDS = frozenset(word for w in ("y", "n", "yes", "no", "on", "off") for word in (w, w.capitalize(), w.upper()))
_GO_SPELLED = pattern(r"([-+]?)0(?:[bB]([01]+)|[xX]([0-9a-fA-F]+)|[oO]([0-7]+)|([0-7]+))")


class RefusedScalarError(ValueError):
    """A plain scalar without one meaning: the rule it breaks, why, and the remedy."""

    def __init__(self, rule: str, message: str, fix: str) -> None:
        super().__init__(message)
        self.rule, self.message, self.fix = rule, message, fix


def plain(text: str) -> Scalar:
    """Return what a plain scalar means; a decimal is exact.

    Raises:
        RefusedScalarError: readers differ on the number, or cannot hold it.
    """
    if text in _WORDS:
        return _WORDS[text]
    return _number(text) if text[0] in _STARTS else text


def plain_for_go(text: str) -> Scalar:
    """Return what kubectl reads in a plain scalar, and kustomize: 0644, 0x1F, 0b11 and 1_000 are numbers to both.

    Source: kubectl 1.37, measured; go.yaml.in/yaml/v2 resolve.go.

    Raises:
        RefusedScalarError: a word that is a boolean to kubectl and text to kustomize, or a number that neither holds.
    """
    if text in _WORDS:
        return _WORDS[text]
    if text[0] in _STARTS:
        return _go_number(text)
    if text not in _GO_WORDS:
        return text
    kind = "true" if text.lower() in ("y", "yes", "on") else "false"
    message = f"{text} is {kind} to kubectl and text to YAML 1.2 readers"
    raise RefusedScalarError("ambiguous-scalar", message, f'write {kind}, or "{text}" if it is text')


def _go_number(text: str) -> Scalar:
    if _INTEGER.fullmatch(text):
        return _integer(text)
    written = text if text[0] == "." else text.replace("_", "")
    if spelled := _GO_SPELLED.fullmatch(written):
        return _go_spelled(text, spelled)
    if not (decimal := _DECIMAL.fullmatch(written)):
        return _number(text) if _NOT_FINITE.fullmatch(text) else text
    if len(written) <= _DIGITS and isinf(float(written)):
        return text
    number = _decimal(written, decimal[1])
    return int(number) if abs(number) < 2**63 and number == number.to_integral_value() else number


def _go_spelled(text: str, spelled: re.Match[str]) -> Scalar:
    """Return a number of another base: too large for 64 bits it is text, but for an octal of the old form."""
    sign, *digits = spelled.groups()
    base, found = next((base, found) for base, found in zip((2, 16, 8, 8), digits, strict=True) if found)
    if len(found) <= _DIGITS and -(2**63) <= (number := int(sign + found, base)) < 2**63:
        return number
    if spelled[5] or (len(found) <= _DIGITS and 0 <= number < 2**64):
        raise _out_of_range(text, "does not fit in 64 bits")
    return text


def _number(text: str) -> Scalar:
    if _INTEGER.fullmatch(text):
        return _integer(text)
    if spelled := _SPELLED.fullmatch(text):
        raise _ambiguous(text, spelled)
    if decimal := _DECIMAL.fullmatch(text):
        return _decimal(text, decimal[1])
    if _NOT_FINITE.fullmatch(text):
        message = f"{text} is no finite number, so neither JSON nor Kubernetes can hold it"
        raise RefusedScalarError("ambiguous-scalar", message, f'write a number, or "{text}" if it is text')
    return text


def _integer(text: str) -> int:
    if len(text) <= 20 and -(2**63) <= (number := int(text)) < 2**63:
        return number
    raise _out_of_range(text, "does not fit in 64 bits")


def _decimal(text: str, exponent: str | None) -> Decimal:
    if len(text) <= _DIGITS and len(exponent or "") <= 5 and abs((number := Decimal(text)).adjusted()) <= _EXPONENT:
        return number
    long = len(text) > _DIGITS
    raise _out_of_range(
        text, f"has more than {_DIGITS} characters" if long else f"is beyond 1e{_EXPONENT} or 1e-{_EXPONENT}"
    )


def _out_of_range(text: str, why: str) -> RefusedScalarError:
    message = f"the number {shown(text)[1:-1]} {why}"
    return RefusedScalarError("number-out-of-range", message, "write a number that fits, or quote it if it is text")


def _ambiguous(text: str, spelled: re.Match[str]) -> RefusedScalarError:
    if len(text) > 20:
        return _out_of_range(text, "does not fit in 64 bits")
    sign, digits, octal = spelled.groups()
    if octal:
        old, new = "text", str(int(octal[2:], 8))
    elif digits.startswith("0x"):
        old = sign.replace("+", "") + str(int(digits, 16))
        new = "text" if sign else old
    else:
        old = str(int(text, 8)) if set(digits) <= set("01234567") else "text"
        new = str(int(text))
    if old == new:
        message = f"{text} is {new} to YAML readers, which drop how it is written"
    else:
        message = f"{text} is {old} to YAML 1.1 readers and {new} to YAML 1.2 readers"
    number = old if new == "text" else new
    return RefusedScalarError("ambiguous-scalar", message, f'write {number}, or "{text}" if it is text')
