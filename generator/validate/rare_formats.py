"""Formats that hardly any CRD asks for, as the Go code reads them that the API server has for each.

Source: k8s.io/kube-openapi pkg/validation/strfmt (default.go, bson.go) and pkg/internal/third_party/govalidator; of Go
itself net/url, ParseRequestURI, and net/mail, ParseAddress.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from generator.pattern import pattern
from generator.validate.patterns import re2

_SCHEME = pattern(r"([A-Za-z][A-Za-z0-9+.-]*):(.*)", re.DOTALL)
_PATH = pattern(r"(?:[^%]|%[0-9A-Fa-f]{2})*", re.DOTALL)
_USER = pattern(r"(?:[A-Za-z0-9\-._:~!$&'()*+,;=@]|%[0-9A-Fa-f]{2})*")
_HOST = pattern(r"""(?:[A-Za-z0-9\-._~!$&'()*+,;=:\[\]<>"@]|[^\x00-\x7f]|%25|%[89A-Fa-f][0-9A-Fa-f])*""")
_PORT = pattern(r"(?::\d*)?", re.ASCII)
_ATOM = r"[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+"
_ADDRESS = pattern(rf"[ \t]*{_ATOM}(?:\.{_ATOM})*@{_ATOM}(?:\.{_ATOM})*[ \t]*")
# names, quotes, comments, literals, groups and other scripts: an address with one of these is not looked into
_ELABORATE = pattern(r"[^\x00-\x7f]|[\"<>()\[\]\\:;,]|=\?")
_LETTER = r"a-zA-Z0-9\p{S}\p{L}"
_HOSTNAME = (
    rf"^([{_LETTER}]((-?[{_LETTER}]{{0,62}})?)"
    rf"|([{_LETTER}](([a-zA-Z0-9-\p{{S}}\p{{L}}]{{0,61}}[{_LETTER}])?)(\.)){{1,}}([a-zA-Z\p{{L}}]){{2,63}})$"
)
_CARD = pattern(
    r"4\d{12}(?:\d{3})?|5[1-5]\d{14}|6(?:011|5\d\d)\d{12}|3[47]\d{13}|3(?:0[0-5]|[68]\d)\d{11}|(?:2131|1800|35\d{3})\d{11}",
    re.ASCII,
)
_PART = r"\s*(?:0|[1-9]\d?|1\d\d?|2[0-4]\d|25[0-5])\s*"


def _matches(text: str, flags: int = re.ASCII) -> Callable[[str], bool]:
    compiled = pattern(text, flags)
    return lambda value: compiled.fullmatch(value) is not None


def uri(text: str) -> bool:
    """What can be asked for: an absolute URI, or an absolute path."""
    if not text or any(letter < " " or letter == "\x7f" for letter in text):
        return False
    if text == "*":
        return True
    match = _SCHEME.fullmatch(text)
    scheme, rest = match.groups() if match else ("", text)
    rest = rest.partition("?")[0]
    if not rest.startswith("/"):
        return bool(scheme)
    if scheme and rest.startswith("//"):
        authority, slash, below = rest[2:].partition("/")
        rest = slash + below
        if not _is_authority(authority):
            return False
    return _PATH.fullmatch(rest) is not None


def _is_authority(text: str) -> bool:
    user, _, host = text.rpartition("@")
    if host.rfind("[") > 0 or (host.startswith("[") and "]" not in host):
        return False
    port = host.rpartition("]")[2] if host.startswith("[") else host[host.rfind(":") :] if ":" in host else ""
    parts = ((_USER, user), (_HOST, host), (_PORT, port))
    return all(form.fullmatch(part) is not None for form, part in parts)


def email(text: str) -> bool:
    """An address without a name beside it; what is more elaborate passes if it can be one at all."""
    return "@" in text if _ELABORATE.search(text) else _ADDRESS.fullmatch(text) is not None


def hostname(text: str) -> bool:
    """One label, or labels that end in a domain of two letters or more."""
    return len(text.encode()) <= 255 and all(len(part.encode()) <= 63 for part in text.split(".")) and _is_host(text)


def _is_host(text: str) -> bool:
    return re2(_HOSTNAME)(text)


def isbn10(text: str) -> bool:
    """Ten digits, the last of which fits the others; spaces and dashes between them do not count."""
    digits = _digits(text)
    if not re.fullmatch(r"[0-9]{9}[0-9X]", digits):
        return False
    return sum(place * (10 if digit == "X" else int(digit)) for place, digit in enumerate(digits, start=1)) % 11 == 0


def isbn13(text: str) -> bool:
    """Thirteen digits, the last of which fits the others."""
    digits = _digits(text)
    if not re.fullmatch(r"[0-9]{13}", digits):
        return False
    total = sum((1, 3)[place % 2] * int(digit) for place, digit in enumerate(digits[:12]))
    return int(digits[12]) == (10 - total % 10) % 10


def _digits(text: str) -> str:
    return re.sub(r"[\s-]+", "", text, flags=re.ASCII)


def creditcard(text: str) -> bool:
    """A number of a known issuer that passes Luhn's test; whatever is no digit does not count."""
    digits = re.sub(r"[^0-9]+", "", text)
    if _CARD.fullmatch(digits) is None:
        return False
    doubled = (int(digit) * (1 + place % 2) for place, digit in enumerate(reversed(digits)))
    return sum(number - 9 if number > 9 else number for number in doubled) % 10 == 0


def _uuid(version: str, variant: str) -> Callable[[str], bool]:
    form = rf"[0-9a-f]{{8}}-?[0-9a-f]{{4}}-?{version}[0-9a-f]{{3}}-?{variant}[0-9a-f]{{3}}-?[0-9a-f]{{12}}"
    return _matches(form, re.ASCII | re.IGNORECASE)


CHECKS: dict[str, Callable[[str], bool]] = {
    "uri": uri,
    "email": email,
    "hostname": hostname,
    "uuid3": _uuid("3", "[0-9a-f]"),
    "uuid4": _uuid("4", "[89ab]"),
    "uuid5": _uuid("5", "[89ab]"),
    "bsonobjectid": _matches("[0-9a-fA-F]{24}"),
    "isbn": lambda text: isbn10(text) or isbn13(text),
    "isbn10": isbn10,
    "isbn13": isbn13,
    "creditcard": creditcard,
    "ssn": _matches(r"(?=.{11}\Z)\d{3}[- ]?\d{2}[- ]?\d{4}"),
    "hexcolor": _matches("#?(?:[0-9a-fA-F]{3}|[0-9a-fA-F]{6})"),
    "rgbcolor": _matches(rf"rgb\({_PART},{_PART},{_PART}\)"),
}
