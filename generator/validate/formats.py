"""The `format` keywords that the API server enforces on custom resources; it ignores all others.

Source: k8s.io/kube-openapi pkg/validation/strfmt; k8s.io/apiextensions-apiserver pkg/apiserver/validation/formats.go.
"""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Callable
from datetime import date as _date
from datetime import datetime

from generator.pattern import pattern

_DATE_TIME = pattern(r"(\d{4}-\d{2}-\d{2})[Tt](\d{2}:\d{2}:\d{2})(?:\.\d+)?([Zz]|[+-]\d{2}:\d{2})", re.ASCII)
_DATE = pattern(r"\d{4}-\d{2}-\d{2}", re.ASCII)
_GO_DURATION = pattern(r"[+-]?(?:0|(?:(?:\d+\.?\d*|\.\d+)(?:ns|us|µs|μs|ms|s|m|h))+)", re.ASCII)
_SCALA_DURATION = pattern(
    r"\d+\s*(?:ns|nanos?|nanoseconds?|us|µs|micros?|microseconds?|ms|millis?|milliseconds?|s|secs?|seconds?"
    r"|m|mins?|minutes?|h|hrs?|hours?|d|days?|w|wks?|weeks?)",
    re.ASCII,
)
_UUID = pattern(r"[0-9a-f]{8}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{12}", re.IGNORECASE | re.ASCII)
_MAC = pattern(r"[0-9a-f]{2}(?:([:-])[0-9a-f]{2})(?:\1[0-9a-f]{2}){4,6}", re.IGNORECASE | re.ASCII)


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


def byte(text: str) -> bool:
    """Base64 in the standard alphabet, padded; line breaks are skipped."""
    try:
        base64.b64decode(text.replace("\n", "").replace("\r", ""), validate=True)
    except (binascii.Error, ValueError):
        return False
    return True


def duration(text: str) -> bool:
    """What Go's time.ParseDuration reads (1h30m), or Scala's words (2 days)."""
    return bool(_GO_DURATION.fullmatch(text) or _SCALA_DURATION.fullmatch(text))


def _address(kind: str) -> Callable[[str], bool]:
    """Return a test by a class of `ipaddress`, a module that hardly any run needs."""

    def test(text: str) -> bool:
        import ipaddress

        return _parses(getattr(ipaddress, kind))(text)

    return test


CHECKS: dict[str, Callable[[str], bool]] = {
    "date-time": date_time,
    "datetime": date_time,
    "date": date,
    "byte": byte,
    "duration": duration,
    "ipv4": _address("IPv4Address"),
    "ipv6": _address("IPv6Address"),
    "cidr": _address("ip_interface"),
    "uuid": lambda text: _UUID.fullmatch(text) is not None,
    "mac": lambda text: _MAC.fullmatch(text) is not None,
}

# bounds that a format puts on a number
# source: kube-openapi pkg/validation/validate/values.go, IsValueValidAgainstRange
BOUNDS = {
    "int32": (-(2**31), 2**31 - 1),
    "int64": (-(2**63), 2**63 - 1),
    "uint32": (0, 2**32 - 1),
    "uint64": (0, 2**64 - 1),
}
