"""Findings: what Apportion says about an input. A finding is a value, never raised; all of them are gathered."""

from __future__ import annotations

from enum import StrEnum

from generator.frozen import dataclass


class Severity(StrEnum):
    """How bad: `error` stops a compile, the others do not unless `--fail-on` says so."""

    ERROR = "error"
    WARNING = "warning"
    INFO = "info"

    @property
    def rank(self) -> int:
        """0 for error, 1 for warning, 2 for info: the order in which findings are shown."""
        return list(Severity).index(self)


class Layer(StrEnum):
    """Who would object."""

    INPUT = "input"
    SCHEMA = "schema"
    CEL = "cel"
    WEBHOOK = "webhook"
    REFERENCE = "reference"
    READINESS = "readiness"
    DRIFT = "drift"
    CHANGE = "change"
    POLICY = "policy"
    OUTPUT = "output"


@dataclass(frozen=True, slots=True)
class Location:
    """A place in a file: path with forward slashes below the root, line and column from 1 (0: the file as a whole)."""

    file: str
    line: int = 0
    column: int = 0

    def __str__(self) -> str:
        return f"{self.file}:{self.line}:{self.column}" if self.line else self.file

    def __lt__(self, other: Location) -> bool:
        return (self.file, self.line, self.column) < (other.file, other.line, other.column)


@dataclass(frozen=True, slots=True)
class ObjectRef:
    """The Kubernetes object, or the pool, team or queue, that a finding is about."""

    environment: str | None
    kind: str
    name: str
    namespace: str | None = None
    api_version: str | None = None


@dataclass(frozen=True, slots=True)
class Related:
    """A further place that helps to understand a finding."""

    location: Location
    message: str


@dataclass(frozen=True, slots=True)
class Finding:
    """One defect: `rule` in kebab case, named after the defect; `fix` is what to do about it."""

    rule: str
    severity: Severity
    layer: Layer
    message: str
    location: Location | None = None
    fix: str | None = None
    object: ObjectRef | None = None
    path: str | None = None
    related: tuple[Related, ...] = ()


def error(
    rule: str, message: str, location: Location | None, fix: str, *, layer: Layer = Layer.INPUT, **more: object
) -> Finding:
    """Return an error-level finding; `more` takes Finding's other fields."""
    return Finding(rule, Severity.ERROR, layer, message, location, fix, **more)  # type: ignore[arg-type]  # checked by Finding


def in_order(findings: list[Finding]) -> list[Finding]:
    """Return findings without exact repeats, by file, line, column, severity, rule: the order that all formats show."""
    nowhere = Location("")
    unique = dict.fromkeys(findings)
    return sorted(unique, key=lambda f: (f.location or nowhere, f.severity.rank, f.rule, f.message))


class FatalError(Exception):
    """Apportion cannot go on: the input cannot be read or the command line is wrong. Exit status 2."""

    def __init__(self, message: str, fix: str | None = None) -> None:
        super().__init__(message)
        self.message, self.fix = message, fix
