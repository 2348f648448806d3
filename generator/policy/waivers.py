"""Accepted findings: each waiver has an owner, a reason and an end, and says so when it is no longer of use."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from datetime import date, timedelta
from fnmatch import fnmatchcase

from generator.environment.waivers import Waiver
from generator.finding import Finding, Layer, Severity, error
from generator.frozen import dataclass
from generator.source import at, value_at

NOTICE = timedelta(days=14)
# What a cluster refuses, or we cannot read, is not made right by accepting it.
NEVER = (Layer.SCHEMA, Layer.CEL, Layer.WEBHOOK, Layer.REFERENCE, Layer.INPUT, Layer.OUTPUT)
# Kinds by which people may call an object beside its own.
_ALIASES = {"ClusterQueue": "queue", "ResourceFlavor": "pool", "Namespace": "namespace"}


@dataclass(frozen=True, slots=True)
class Waived:
    """The findings that stand, those about waivers among them, and how many were accepted."""

    findings: list[Finding]
    accepted: int


def waive(
    findings: Sequence[Finding],
    waivers: Iterable[Waiver],
    as_of: str | None,
    environments: Iterable[str] | None = None,
    elsewhere: Collection[str] = (),
) -> Waived:
    """Return what is left when accepted findings are taken out.

    `as_of` (YYYY-MM-DD) is the day: without one every waiver holds, and one finding says that no date was compared.
    `environments` are those that were judged, None for all: a waiver for another is not said to be of no use, nor is
    one of a rule by which another command judges, `elsewhere`.
    """
    judged = None if environments is None else list(environments)
    accepted: set[int] = set()
    said: list[Finding] = []
    undated: list[Waiver] = []
    for waiver in waivers:
        found = [index for index, finding in enumerate(findings) if _matches(waiver, finding)]
        if as_of is not None and waiver["expires"] < as_of:
            said.append(_expired(waiver, len(found)))
            continue
        bound = [index for index in found if findings[index].layer in NEVER]
        accepted.update(index for index in found if index not in bound)
        if bound:
            said.append(_in_vain(waiver, findings[bound[0]]))
        elif not found:
            if waiver["rule"] not in elsewhere and _is_judged(waiver, judged):
                said.append(_unused(waiver))
        elif as_of is None:
            undated.append(waiver)
        elif date.fromisoformat(waiver["expires"]) - date.fromisoformat(as_of) <= NOTICE:
            said.append(_ending(waiver))
    if undated:
        said.append(_undated(undated))
    left = [finding for index, finding in enumerate(findings) if index not in accepted]
    return Waived(left + said, len(accepted))


def _matches(waiver: Waiver, finding: Finding) -> bool:
    if waiver["rule"] != finding.rule or finding.object is None:
        return False
    found = finding.object
    space = [found.namespace] if found.namespace else []
    kinds = [found.kind, _ALIASES.get(found.kind, found.kind)]
    return any(
        fnmatchcase("/".join([found.environment or "", kind, *space, found.name]), waiver["object"]) for kind in kinds
    )


def _is_judged(waiver: Waiver, judged: list[str] | None) -> bool:
    wanted = waiver["object"].partition("/")[0]
    return judged is None or any(fnmatchcase(name, wanted) for name in judged)


def _expired(waiver: Waiver, matching: int) -> Finding:
    count = "1 finding stands" if matching == 1 else f"{matching} findings stand"
    again = f": {count} again" if matching else ""
    return error(
        "waiver-expired",
        f"the waiver of {waiver['rule']} for {waiver['object']} expired on {waiver['expires']}{again}",
        value_at(waiver, "expires"),
        f"repair the cause and remove the waiver, or ask {waiver['owner']} for a later day",
        layer=Layer.POLICY,
    )


def _unused(waiver: Waiver) -> Finding:
    return _about(
        waiver,
        "waiver-unused",
        Severity.WARNING,
        f"the waiver of {waiver['rule']} for {waiver['object']} accepts nothing: there is no such finding",
        "remove it, or correct its rule and object (<environment>/<kind>/[<namespace>/]<name>)",
    )


def _in_vain(waiver: Waiver, finding: Finding) -> Finding:
    return _about(
        waiver,
        "waiver-in-vain",
        Severity.WARNING,
        f"the waiver of {waiver['rule']} for {waiver['object']} accepts nothing: "
        f"the finding is of the layer {finding.layer}, which no waiver makes right",
        "repair the cause and remove the waiver",
    )


def _ending(waiver: Waiver) -> Finding:
    return _about(
        waiver,
        "waiver-ends-soon",
        Severity.INFO,
        f"the waiver of {waiver['rule']} for {waiver['object']} expires on {waiver['expires']}",
        f"{waiver['owner']}: repair the cause until then",
    )


def _undated(waivers: Sequence[Waiver]) -> Finding:
    count = f"{len(waivers)} waivers hold" if len(waivers) > 1 else "1 waiver holds"
    return _about(
        waivers[0],
        "waiver-date-unchecked",
        Severity.INFO,
        f"{count}, and no expiry was compared with a day",
        "pass --as-of with today's date, as CI should",
    )


def _about(waiver: Waiver, rule: str, severity: Severity, message: str, fix: str) -> Finding:
    return Finding(rule, severity, Layer.POLICY, message, at(waiver), fix)
