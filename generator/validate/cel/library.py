"""Kubernetes' CEL functions for Google's runtime.

The runtime has no opaque values in Python, so a quantity, IP address, CIDR, URL, version or named format travels as a
string with a mark in front; its methods refuse any other string. Equality of two marked strings is theirs.
Source: k8s.io/apiserver pkg/cel/library (quantity, format, ip, cidr, urls, regex, lists, semverlib); cel-go ext/sets.
"""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Callable, Sequence
from fractions import Fraction
from itertools import pairwise
from typing import Any

from generator.pattern import pattern
from generator.validate.cel import quantities
from generator.validate.cel.names import FORMATS, complaints

_MARK = "\ue000"
_INT64 = 2**63


def _marked(kind: str, text: str) -> str:
    return f"{_MARK}{kind}:{text}"


def _open(kind: str, value: str) -> str:
    head = f"{_MARK}{kind}:"
    if not value.startswith(head):
        raise ValueError(f"{value!r} is no {kind}")
    return value[len(head) :]


def _holds(parse: Callable[..., Any]) -> Callable[..., bool]:
    def test(*arguments: Any) -> bool:
        try:
            parse(*arguments)
        except ValueError:
            return False
        return True

    return test


# quantities and versions share the names of their comparisons


def _quantity(text: str) -> str:
    return _marked("quantity", str(quantities.parse(text)))


def _amount(value: str | int) -> Fraction:
    return Fraction(value) if isinstance(value, int) else Fraction(_open("quantity", value))


def _integer(value: str) -> int:
    amount = _amount(value)
    if amount.denominator != 1 or not -_INT64 <= amount < _INT64:
        raise ValueError("cannot convert value to integer")
    return amount.numerator


def _sum_of(sign: int) -> Callable[[str, str | int], str]:
    return lambda left, right: _marked("quantity", str(_amount(left) + sign * _amount(right)))


_SEMVER = pattern(
    r"(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)(?:-((?:0|[1-9]\d*|\d*[a-zA-Z-][\w-]*)(?:\.(?:0|[1-9]\d*|\d*[a-zA-Z-][\w-]*))*))?"
    r"(?:\+[\w-]+(?:\.[\w-]+)*)?",
    re.ASCII,
)


def _semver(text: str) -> str:
    if _SEMVER.fullmatch(text) is None:
        raise ValueError(f"{text!r} is not a semantic version")
    return _marked("semver", text)


def _version(value: str) -> tuple[Any, ...]:
    match = _SEMVER.fullmatch(_open("semver", value))
    if match is None:
        raise ValueError(f"{value!r} is no semver")
    *numbers, before = match.groups()
    parts = [(0, int(p), "") if p.isdecimal() else (1, 0, p) for p in before.split(".")] if before else []
    return (*map(int, numbers), not before, parts)


def _order(left: str, right: str) -> int:
    read: Callable[[str], Any] = _version if left.startswith(f"{_MARK}semver:") else _amount
    return int(read(left) > read(right)) - int(read(left) < read(right))


# addresses


def _ip(text: str) -> str:
    address = ipaddress.ip_address(text)
    if "%" in text or (address.version == 6 and address.ipv4_mapped):
        raise ValueError("zones and IPv4-mapped IPv6 addresses are not allowed")
    return _marked("IP", str(address))


def _address(value: str) -> ipaddress.IPv4Address | ipaddress.IPv6Address:
    return ipaddress.ip_address(_open("IP", value))


def _cidr(text: str) -> str:
    address, _, bits = text.partition("/")
    if not (bits.isdecimal() and str(int(bits)) == bits):
        raise ValueError(f"{text!r} is not a CIDR")
    _ip(address)
    return _marked("CIDR", str(ipaddress.ip_interface(text)))


def _interface(value: str) -> Any:
    return ipaddress.ip_interface(_open("CIDR", value))


def _contains_ip(cidr: str, ip: str) -> bool:
    address = _address(ip if ip.startswith(_MARK) else _ip(ip))
    return address in _interface(cidr).network


def _contains_cidr(cidr: str, other: str) -> bool:
    outer = _interface(cidr).network
    inner = _interface(other if other.startswith(_MARK) else _cidr(other)).network
    return outer.version == inner.version and bool(inner.subnet_of(outer))


def _masked(value: str) -> str:
    return _marked("CIDR", str(_interface(value).network))


# URLs


def _url(text: str) -> str:
    from generator.validate.rare_formats import uri

    if not uri(text):
        raise ValueError(f"{text!r} is not an absolute URL")
    return _marked("URL", text)


def _parts(value: str) -> Any:
    from urllib.parse import urlsplit

    return urlsplit(_open("URL", value))


def _host(value: str) -> str:
    return str(_parts(value).netloc.rpartition("@")[2])


def _hostname(value: str) -> str:
    host = _host(value)
    return host.partition("]")[0][1:] if host.startswith("[") else host.partition(":")[0]


def _path(value: str) -> str:
    from urllib.parse import quote

    return quote(_parts(value).path, safe="/%:@!$&'()*+,;=~")


def _port(value: str) -> str:
    port = _parts(value).port
    return "" if port is None else str(port)


def _query(value: str) -> dict[str, list[str]]:
    from urllib.parse import parse_qs

    return parse_qs(_parts(value).query, keep_blank_values=True)


# lists


def _is_sorted(items: Sequence[Any]) -> bool:
    return all(not right < left for left, right in pairwise(items))


def _index(items: Sequence[Any], wanted: Any) -> int:
    return next((i for i, item in enumerate(items) if _same(item, wanted)), -1)


def _last_index(items: Sequence[Any], wanted: Any) -> int:
    return next((i for i in reversed(range(len(items))) if _same(items[i], wanted)), -1)


def _same(left: Any, right: Any) -> bool:
    return bool(left == right) and isinstance(left, bool) == isinstance(right, bool)


def _contains(items: Sequence[Any], wanted: Sequence[Any]) -> bool:
    return all(_index(items, item) >= 0 for item in wanted)


# what Python spells otherwise than RE2, but for classes of Unicode, which it does not have
_POSIX = {"alnum": "0-9A-Za-z", "alpha": "A-Za-z", "digit": "0-9", "lower": "a-z", "upper": "A-Z", "word": r"\w"}
_POSIX |= {"space": r"\s", "blank": r" \t", "xdigit": "0-9A-Fa-f", "punct": r"!-/:-@\[-`{-~"}
_SPELLED = {r"\z": r"\Z", r"\pL": r"[^\W\d_]", r"\p{L}": r"[^\W\d_]"}
_OTHERWISE = pattern(r"\[:(\w+):\]|\\(?:p\{\w+\}|p\w|.)", re.DOTALL)


def _python(text: str) -> re.Pattern[str]:
    """Return a pattern of RE2 for Python's engine."""

    def spelled(match: re.Match[str]) -> str:
        if match.group(1):
            return _POSIX.get(match.group(1), match.group())
        return _SPELLED.get(match.group(), match.group())

    return re.compile(_OTHERWISE.sub(spelled, text), re.NOFLAG if r"\p" in text else re.ASCII)


def _find(text: str, pattern: str) -> str:
    match = _python(pattern).search(text)
    return match.group() if match else ""


def _find_all(text: str, pattern: str, limit: int = -1) -> list[str]:
    found = [match.group() for match in _python(pattern).finditer(text)]
    return found if limit < 0 else found[:limit]


def _by_name(name: str) -> str:
    if name not in FORMATS:
        raise ValueError("optional.none() dereference")
    return _marked("format", name)


def _entries(value: Any) -> list[list[Any]]:
    """The keys of a map, or the places in a list, each with what stands there."""
    pairs = value.items() if hasattr(value, "items") else enumerate(value)
    return [[key, item] for key, item in pairs]


def _merged(maps: Sequence[Any]) -> dict[Any, Any]:
    found: dict[Any, Any] = {}
    for entries in maps:
        for key, item in entries.items():
            if key in found:
                raise ValueError(f"insert failed: key {key!r} already exists")
            found[key] = item
    return found


def _day(text: str) -> Any:
    from datetime import UTC, datetime

    return datetime.fromisoformat(text).replace(tzinfo=UTC)


def _named(name: str) -> Callable[[], str]:
    return lambda: _marked("format", name)


def declarations() -> list[Any]:
    """Return the declarations of all functions, for the runtime's environment."""
    from cel_expr_python import cel

    kinds = cel.Type
    types = {"s": kinds.STRING, "i": kinds.INT, "b": kinds.BOOL, "d": kinds.DOUBLE, "l": kinds.LIST, "m": kinds.MAP}
    types |= {"S": kinds.List(kinds.STRING), "*": kinds.DYN, "t": kinds.TIMESTAMP}

    def declaration(name: str, overloads: Sequence[tuple[str, Callable[..., Any]]]) -> Any:
        return cel.FunctionDecl(
            name,
            [
                cel.Overload(
                    f"{name}_{shape}",
                    return_type=types[shape[-1]],
                    parameters=[types[kind] for kind in shape[:-2].replace(".", "")],
                    is_member=shape.startswith("."),
                    impl=implementation,
                )
                for shape, implementation in overloads
            ],
        )

    return [declaration(name, overloads) for name, overloads in _FUNCTIONS.items()]


def _of_any(shape: str, implementation: Callable[..., Any]) -> list[tuple[str, Callable[..., Any]]]:
    """The overloads for every type that `?` may stand for: the runtime matches no parameter of type dyn."""
    return [(shape.replace("?", kind), implementation) for kind in "sibdlm"]


# name -> (shape, implementation): receiver with a dot in front, parameters, ">" and the result
_FUNCTIONS: dict[str, list[tuple[str, Callable[..., Any]]]] = {
    "quantity": [("s>s", _quantity)],
    "isQuantity": [("s>b", _holds(_quantity))],
    "asInteger": [(".s>i", _integer)],
    "isInteger": [(".s>b", _holds(_integer))],
    "asApproximateFloat": [(".s>d", lambda value: float(_amount(value)))],
    "sign": [(".s>i", lambda value: (_amount(value) > 0) - (_amount(value) < 0))],
    "add": [(".ss>s", _sum_of(1)), (".si>s", _sum_of(1))],
    "sub": [(".ss>s", _sum_of(-1)), (".si>s", _sum_of(-1))],
    "compareTo": [(".ss>i", _order)],
    "isLessThan": [(".ss>b", lambda left, right: _order(left, right) < 0)],
    "isGreaterThan": [(".ss>b", lambda left, right: _order(left, right) > 0)],
    "semver": [("s>s", _semver)],
    "isSemver": [("s>b", _holds(_semver))],
    "major": [(".s>i", lambda value: _version(value)[0])],
    "minor": [(".s>i", lambda value: _version(value)[1])],
    "patch": [(".s>i", lambda value: _version(value)[2])],
    "ip": [("s>s", _ip), (".s>s", lambda value: _marked("IP", str(_interface(value).ip)))],
    "isIP": [("s>b", _holds(_ip))],
    "ip.isCanonical": [("s>b", lambda text: _open("IP", _ip(text)) == text)],
    "family": [(".s>i", lambda value: _address(value).version)],
    "isUnspecified": [(".s>b", lambda value: _address(value).is_unspecified)],
    "isLoopback": [(".s>b", lambda value: _address(value).is_loopback)],
    "isLinkLocalUnicast": [(".s>b", lambda value: _address(value).is_link_local)],
    "isLinkLocalMulticast": [(".s>b", lambda value: _link_local_multicast(value))],
    "isGlobalUnicast": [(".s>b", lambda value: _global_unicast(value))],
    "cidr": [("s>s", _cidr)],
    "isCIDR": [("s>b", _holds(_cidr))],
    "containsIP": [(".ss>b", _contains_ip)],
    "containsCIDR": [(".ss>b", _contains_cidr)],
    "masked": [(".s>s", _masked)],
    "prefixLength": [(".s>i", lambda value: _interface(value).network.prefixlen)],
    "url": [("s>s", _url)],
    "isURL": [("s>b", _holds(_url))],
    "getScheme": [(".s>s", lambda value: _parts(value).scheme)],
    "getHost": [(".s>s", _host)],
    "getHostname": [(".s>s", _hostname)],
    "getPort": [(".s>s", _port)],
    "getEscapedPath": [(".s>s", _path)],
    "getQuery": [(".s>m", _query)],
    "find": [(".ss>s", _find)],
    "findAll": [(".ss>S", _find_all), (".ssi>S", _find_all)],
    "isSorted": [(".l>b", _is_sorted)],
    "sum": [(".l>*", sum)],
    "min": [(".l>*", min)],
    "max": [(".l>*", max)],
    "k8sIndexOf": [(".ss>i", str.find), (".ssi>i", str.find), *_of_any(".l?>i", _index)],
    "k8sLastIndexOf": [
        (".ss>i", str.rfind),
        (".ssi>i", lambda text, wanted, at: text.rfind(wanted, 0, at + len(wanted))),
        *_of_any(".l?>i", _last_index),
    ],
    "sets.contains": [("ll>b", _contains)],
    "sets.equivalent": [("ll>b", lambda left, right: _contains(left, right) and _contains(right, left))],
    "sets.intersects": [("ll>b", lambda left, right: any(_index(left, item) >= 0 for item in right))],
    **{f"format.{name}": [(">s", _named(name))] for name in FORMATS},
    "validate": [(".ss>S", lambda name, text: complaints(_open("format", name), text))],
    "format.k8sNamed": [("s>s", _by_name)],
    "format.k8sIsNamed": [("s>b", lambda name: name in FORMATS)],
    "k8sText": [("s>s", lambda value: value.partition(":")[2] if value.startswith(_MARK) else value)],
    "k8sDay": [("s>t", _day)],
    "k8sReversed": [(".l>l", lambda items: list(reversed(items)))],
    "k8sEntries": [(".l>l", _entries), (".m>l", _entries)],
    "k8sMapOf": [(".l>m", dict)],
    "k8sMerged": [(".l>m", _merged)],
    "k8sHasValue": [(".l>b", bool)],
    "k8sValue": [(".S>S", list)],
    "k8sOrValue": [(".SS>S", lambda value, other: value or other)],
}


def _link_local_multicast(value: str) -> bool:
    address = _address(value)
    return address in ipaddress.ip_network("224.0.0.0/24" if address.version == 4 else "ff02::/16")


def _global_unicast(value: str) -> bool:
    """As Go's IsGlobalUnicast, which counts private addresses in."""
    address = _address(value)
    special = address.is_unspecified or address.is_loopback or address.is_multicast or address.is_link_local
    return not special and str(address) != "255.255.255.255"
