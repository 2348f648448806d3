"""Policies over collections of items → findings. A policy that cannot be evaluated fails the run: it gates a sync."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

from generator.finding import Finding, Layer, Related, Severity, error
from generator.frozen import replace
from generator.policy.cel import BATCH, CelError, activation
from generator.policy.model import Item, Policy

CRASHED = "policy-crashed"

Collections = Callable[[str], Sequence[Item]]
"""The items of a collection by its name, such as plan.pools."""
Parameters = Mapping[str, Mapping[str, Any]]
"""Policy → parameter → value in this environment."""


def judge(
    policies: Iterable[Policy], collections: Collections, environment: Mapping[str, Any], parameters: Parameters
) -> list[Finding]:
    """Return what policies object to in one environment, whose facts are `environment` (generator.policy.items).

    Many items are judged in one evaluation; only where something is wrong among them, each policy is asked about each.
    """
    findings: list[Finding] = []
    around = {"environment": environment, "parameters": parameters}
    for name, group in _by_collection(policies).items():
        items = collections(name)
        for start in range(0, len(items), BATCH):
            batch = _Batch(items[start : start + BATCH], around)
            for policy in group:
                findings += batch.judged_by(policy)
    return _one_cause_each(_first_crash_of_each(findings))


def dated(policy: Policy, as_of: str | None) -> tuple[Severity, str]:
    """Return the severity on a day, and what to add to messages: an announced error only warns until it is in force."""
    begins = policy.effective_on
    if policy.severity is not Severity.ERROR or begins is None or (as_of is not None and as_of >= begins):
        return policy.severity, ""
    return Severity.WARNING, f" (an error from {begins} on)"


def _by_collection(policies: Iterable[Policy]) -> dict[str, list[Policy]]:
    groups: dict[str, list[Policy]] = {}
    for policy in policies:
        groups.setdefault(policy.each, []).append(policy)
    return groups


class _Batch:
    """Some items of a collection in the runtime's form: all at once, and each alone when that is asked for."""

    def __init__(self, items: Sequence[Item], around: Mapping[str, Any]) -> None:
        self._items, self._around = items, around
        self._together = activation({"items": [item.data for item in items], **around})
        self._alone: list[Any] = []

    def judged_by(self, policy: Policy) -> Iterator[Finding]:
        try:
            if policy.all_hold.holds(self._together):
                return
        except CelError as problem:  # it does not compile
            yield _crashed(policy, None, str(problem))
            return
        self._alone = self._alone or [activation({"item": item.data, **self._around}) for item in self._items]
        severity, more = dated(policy, self._around["environment"]["asOf"] or None)
        for item, values in zip(self._items, self._alone, strict=True):
            try:
                message = _objection(policy, values)
            except CelError as problem:
                yield _crashed(policy, item, str(problem))
                continue
            if message is not None:
                yield _finding(policy, item, severity, message + more)


def _objection(policy: Policy, values: Any) -> str | None:
    """Return what a policy says against one item; None: nothing.

    Raises:
        CelError: its rule or message cannot be evaluated, or gives what is no boolean or no text.
    """
    held = policy.holds.value(values)
    if held is True:
        return None
    if held is not False:
        raise CelError(f"rule gives {held!r}, neither true nor false")
    message = policy.says.value(values)
    if not isinstance(message, str):
        raise CelError(f"message gives {message!r}, which is no text")
    return message


def _finding(policy: Policy, item: Item, severity: Severity, message: str) -> Finding:
    fix = f"{policy.fix} (source: {policy.source})"
    related = () if severity is Severity.INFO else item.related
    return Finding(policy.id, severity, Layer.POLICY, message, item.origin, fix, item.ref, related=related)


def _crashed(policy: Policy, item: Item | None, why: str) -> Finding:
    return error(
        CRASHED,
        f"policy {policy.id} cannot be evaluated{f' on {item.label}' if item else ''}: {why}",
        policy.places.get("rule", policy.origin),
        "correct the policy; where a field may be absent, ask has(…) first",
        layer=Layer.POLICY,
        object=item.ref if item else None,
        related=(Related(item.origin, item.label),) if item and item.origin else (),
    )


def _one_cause_each(findings: list[Finding]) -> list[Finding]:
    """Merge what one policy says at one place about one object, such as about a pool's cpu and about its memory."""
    merged: dict[tuple[Any, ...], Finding] = {}
    for finding in findings:
        key = (finding.rule, finding.location, finding.object)
        before = merged.get(key)
        if before is None:
            merged[key] = finding
        else:
            related = tuple(dict.fromkeys((*before.related, *finding.related)))
            merged[key] = replace(before, message=f"{before.message}; {finding.message}", related=related)
    return list(merged.values())


def _first_crash_of_each(findings: list[Finding]) -> list[Finding]:
    """Leave the first crash of each policy: the cause is one."""
    crashed = set()
    left = []
    for finding in findings:
        if finding.rule != CRASHED or finding.location not in crashed:
            left.append(finding)
        if finding.rule == CRASHED:
            crashed.add(finding.location)
    return left
