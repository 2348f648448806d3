"""How a webhook words an objection, and which release of Kueue has a rule."""

from __future__ import annotations

from functools import cache

from generator.finding import Layer
from generator.validate.cluster import Target
from generator.validate.violation import Violation

INVALID, REQUIRED, FORBIDDEN = "Invalid value", "Required value", "Forbidden"
UNSUPPORTED, DUPLICATE, TOO_MANY = "Unsupported value", "Duplicate value", "Too many"


def refusal(rule: str, path: str, message: str, fix: str, kind_of_error: str = INVALID) -> Violation:
    """Return an error of the webhook layer."""
    return Violation(rule, Layer.WEBHOOK, path, message, fix, kind_of_error=kind_of_error)


def kueue_has(target: Target, since: str = "0", before: str = "99") -> bool:
    """Whether the target's Kueue lies in a span of upstream minors; an unknown one is taken to be the newest."""
    if target.kueue is None:
        return before == "99"
    return _minor(since) <= _minor(target.kueue.upstream) < _minor(before)


@cache
def _minor(version: str) -> tuple[int, ...]:
    return tuple(int(part) for part in version.split("."))
