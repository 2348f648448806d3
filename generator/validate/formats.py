"""The `format` keywords that the API server enforces on custom resources; it ignores all others.

Source: k8s.io/kube-openapi pkg/validation/strfmt; k8s.io/apiextensions-apiserver pkg/apiserver/validation/formats.go,
supportedVersionedFormats. Those that hardly anybody uses are in `rare_formats`.
"""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Callable, Mapping
from datetime import date as _date
from datetime import datetime
from typing import Any

from generator.pattern import pattern

_DATE_TIME = pattern(r"(\d{4}-\d{2}-\d{2})[Tt](\d{2}:\d{2}:\d{2})(?:\.\d+)?([Zz]|[+-]\d{2}:\d{2})", re.ASCII)
_DATE = pattern(r"\d{4}-\d{2}-\d{2}", re.ASCII)
_GO_DURATION = pattern(r"[+-]?(?:0|(?:(?:\d+\.?\d*|\.\d+)(?:ns|us|µs|μs|ms|s|m|h))+)", re.ASCII)
_SCALA_DURATION = pattern(r"(\d+)\s*([A-Za-zµ]+)", re.ASCII)
_SCALA_UNITS = frozenset(("ns", "us", "µs", "ms", "s", "m", "h", "hr", "d", "w", "wk"))
_SCALA_BEGINNINGS = ("nano", "micro", "milli", "sec", "min", "hour", "day", "week")
_UUID = pattern(r"[0-9a-f]{8}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{12}", re.IGNORECASE | re.ASCII)
# Go reads digits without any separator, too, from 1.26 on, with which no Kubernetes that we know is built
_MAC = pattern(
    r"[0-9a-f]{2}([:-])[0-9a-f]{2}(?:\1[0-9a-f]{2}){4}(?:(?:\1[0-9a-f]{2}){2}(?:(?:\1[0-9a-f]{2}){12})?)?"
    r"|[0-9a-f]{4}(?:\.[0-9a-f]{4}){2}(?:\.[0-9a-f]{4}(?:(?:\.[0-9a-f]{4}){6})?)?",
    re.IGNORECASE | re.ASCII,
)
_BASE64 = pattern(r"(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=|[A-Za-z0-9+/]{4})")
_LEADING_ZEROS = pattern(r"(?<![0-9A-Fa-f])0+(?=\d)", re.ASCII)
_DIGITS = pattern(r"\d+", re.ASCII)


def _parses(parse: Callable[[str], object]) -> Callable[[str], bool]:
    def test(text: str) -> bool:
        try:
            parse(text)
        except ValueError:
            return False
        return True

    return test


def date_time(text: str) -> bool:
    """RFC 3339 with seconds and zone, and a day that exists."""
    match = _DATE_TIME.fullmatch(text)
    if match is None:
        return False
    day, clock, zone = match.groups()
    return _parses(datetime.fromisoformat)(f"{day}T{clock}{'+00:00' if zone in 'Zz' else zone}")


def date(text: str) -> bool:
    """RFC 3339 full-date of a day that exists."""
    return _DATE.fullmatch(text) is not None and _parses(_date.fromisoformat)(text)


def decodes(text: str) -> bool:
    """Base64 in the standard alphabet, padded; line breaks are skipped, as Go does where it reads a built-in kind."""
    try:
        base64.b64decode(text.replace("\n", "").replace("\r", ""), validate=True)
    except (binascii.Error, ValueError):
        return False
    return True


def byte(text: str) -> bool:
    """Base64 as a custom resource may hold it: on one line, and not empty."""
    return _BASE64.fullmatch(text) is not None


def duration(text: str) -> bool:
    """What Go's time.ParseDuration reads (1h30m), or a text in which Scala's words stand (2 days)."""
    if _GO_DURATION.fullmatch(text):
        return True
    found = _SCALA_DURATION.findall(text)
    units = [unit.lower() for _, unit in found]
    known = any(unit in _SCALA_UNITS or unit.startswith(_SCALA_BEGINNINGS) for unit in units)
    return known and all(len(number) < 20 and int(number) < 2**63 for number, _ in found)


def _address(text: str, *, sloppy: bool = True) -> int | None:
    """Return 4 or 6 for an address of this version, None for no address; `sloppy` allows 01.2.3.4."""
    import ipaddress  # which hardly any run needs

    try:
        found = ipaddress.ip_address(_LEADING_ZEROS.sub("", text) if sloppy and "." in text else text)
    except ValueError:
        return None
    return None if "%" in text else found.version


def _cidr(text: str) -> bool:
    """An address, a slash and how many bits of it count."""
    address, slash, bits = text.partition("/")
    version = _address(address)
    most = {4: 32, 6: 128}.get(version or 0, -1)
    return bool(slash) and _DIGITS.fullmatch(bits) is not None and len(bits) < 10 and int(bits) <= most


def _rare(name: str) -> Callable[[str], bool]:
    def test(text: str) -> bool:
        from generator.validate.rare_formats import CHECKS

        return CHECKS[name](text)

    return test


_RARE = (
    *("uri", "email", "hostname", "uuid3", "uuid4", "uuid5", "bsonobjectid", "isbn", "isbn10", "isbn13"),
    *("creditcard", "ssn", "hexcolor", "rgbcolor"),
)
CHECKS: dict[str, Callable[[str], bool]] = {
    "date-time": date_time,
    "datetime": date_time,
    "date": date,
    "byte": byte,
    "duration": duration,
    "ipv4": lambda text: "." in text and _address(text) is not None,
    "ipv6": lambda text: ":" in text and _address(text, sloppy=False) is not None,
    "cidr": _cidr,
    "uuid": lambda text: _UUID.fullmatch(text) is not None,
    "mac": lambda text: _MAC.fullmatch(text) is not None,
    **{name: _rare(name) for name in _RARE},
}
BUILTIN_CHECKS = CHECKS | {"byte": decodes}
"""The same of kinds of Kubernetes itself, which are read by Go's own code."""


def enforced(node: Mapping[str, Any]) -> str | None:
    """Return which of CHECKS a schema's format is, or None: it is ignored. Dashes in its name do not count."""
    form = node.get("format")
    if form is None or node.get("type") != "string":
        return None
    return form if form in CHECKS else form.replace("-", "") if form.replace("-", "") in CHECKS else None


# bounds that a format puts on a number: a server that reads a built-in kind refuses what is beyond; custom resources it
# takes, for it checks no such format, and then whoever reads them into Go cannot
BOUNDS = {
    "int32": (-(2**31), 2**31 - 1),
    "int64": (-(2**63), 2**63 - 1),
    "uint32": (0, 2**32 - 1),
    "uint64": (0, 2**64 - 1),
}
