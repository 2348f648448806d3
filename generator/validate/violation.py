"""Violation: one objection to one object, as the API server words it."""

from generator.finding import Layer, Severity
from generator.frozen import dataclass


@dataclass(frozen=True, slots=True)
class Violation:
    """One objection to one object.

    `path` is written as the server prints it (`spec.resourceGroups[0].flavors[1].name`; empty for the object as a
    whole). `kind_of_error` is the server's field error: Required value, Invalid value, Forbidden, Unsupported value,
    Duplicate value, Too many, Not found, or unknown field; empty where the server has none.
    """

    rule: str
    layer: Layer
    path: str
    message: str
    fix: str
    severity: Severity = Severity.ERROR
    kind_of_error: str = ""
