"""The named formats of Kubernetes' CEL. Source: k8s.io/apiserver pkg/cel/library/format.go."""

from __future__ import annotations

from collections.abc import Callable

from generator.pattern import pattern
from generator.validate import formats
from generator.validate.syntax import dns1035_defect, label_defect, name_defect, subdomain_defect, value_defect

_Defect = Callable[[str], str | None]


def _prefix(defect: _Defect) -> _Defect:
    """A name to which the server appends: it may end in dashes. Source: apimachinery names, maskTrailingDash."""
    return lambda text: defect(text[:-2] + "a" if len(text) > 1 and text.endswith("-") else text)


def _form(name: str, holds: Callable[[str], bool]) -> _Defect:
    return lambda text: None if holds(text) else f"is not of the form {name}"


_URI = pattern(r"(?:[A-Za-z][A-Za-z0-9+.-]*:\S*|/\S*)")
_DEFECTS: dict[str, _Defect] = {
    "dns1123Label": label_defect,
    "dns1123Subdomain": subdomain_defect,
    "dns1035Label": dns1035_defect,
    "dns1123LabelPrefix": _prefix(label_defect),
    "dns1123SubdomainPrefix": _prefix(subdomain_defect),
    "dns1035LabelPrefix": _prefix(dns1035_defect),
    "qualifiedName": name_defect,
    "labelValue": value_defect,
    "uri": _form("uri", lambda text: _URI.fullmatch(text) is not None),
    "uuid": _form("uuid", formats.CHECKS["uuid"]),
    "byte": _form("byte", formats.byte),
    "date": _form("date", formats.date),
    "datetime": _form("datetime", formats.date_time),
}
FORMATS = tuple(_DEFECTS)


def complaints(name: str, text: str) -> list[str]:
    """Return what is wrong with a text by one of FORMATS: nothing, or one sentence."""
    defect = _DEFECTS[name](text)
    return [defect] if defect else []
