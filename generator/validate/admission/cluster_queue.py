"""ClusterQueue: the rules of Kueue's webhook. Source: kubernetes-sigs/kueue pkg/webhooks/clusterqueue_webhook.go."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from generator.validate.admission import quotas
from generator.validate.admission.words import FORBIDDEN, TOO_MANY, UNSUPPORTED, kueue_has, refusal
from generator.validate.cluster import Target
from generator.validate.shape import get, items, mapping, mappings, text, texts
from generator.validate.syntax import selector_defects
from generator.validate.violation import Violation

SAID_BY_CEL = frozenset(
    ("borrowing-limit-without-cohort", "reclaim-never-but-borrowing-preempts", "preference-without-search")
)
"""Rules that the CRD's own CEL rules state as well, so the server never gets to the webhook with them."""

_MOST_FLAVORS_CONCURRENT = 16
_SEARCHES = "TryNextFlavor"


def validate(body: Mapping[str, Any], target: Target, old: Mapping[str, Any] | None = None) -> Iterator[Violation]:
    """Yield what the webhook refuses in a queue that is created or, with `old`, updated."""
    spec, before = mapping(body, "spec"), mapping(old, "spec")
    yield from quotas.group_violations(spec)
    lends = target.kueue is None or target.kueue.gates.get("LendingLimit", True)
    if not (spec.get("cohortName") or spec.get("cohort")):
        yield from quotas.limit_without_group(spec, "cohort", quotas.LIMITS if lends else quotas.LIMITS[:1])
    if lends:
        yield from quotas.lending_limit_above_nominal(spec)
    yield from invalid_selector(spec)
    yield from reclaim_never_but_borrowing_preempts(spec)
    yield from quotas.fair_sharing_weight(spec, threshold=kueue_has(target, "0.12"))
    if kueue_has(target, before="0.16"):
        yield from admission_checks_twice(spec)
    if kueue_has(target, "0.14"):
        yield from too_many_combinations(spec, target)
    if kueue_has(target, "0.16"):
        yield from preference_without_search(spec)
        yield from check_on_unknown_flavor(spec, before)
    if kueue_has(target, "0.18"):
        if old is not None:
            yield from concurrent_admission_changed(spec, before)
        if target.kueue and target.kueue.gates.get("ConcurrentAdmission"):
            yield from concurrent_admission(spec)


def invalid_selector(spec: Mapping[str, Any]) -> Iterator[Violation]:
    """namespaceSelector is a valid LabelSelector."""
    for path, kind, reason in selector_defects(spec.get("namespaceSelector"), "spec.namespaceSelector"):
        yield refusal(
            "invalid-namespace-selector",
            path,
            f"namespaceSelector: {reason}",
            "select by kubernetes.io/metadata.name, or by a label of the namespaces",
            kind,
        )


def reclaim_never_but_borrowing_preempts(spec: Mapping[str, Any]) -> Iterator[Violation]:
    """Whoever never reclaims may not preempt while borrowing. Source: validatePreemption."""
    preemption = mapping(spec, "preemption")
    policy = get(preemption, "borrowWithinCohort", "policy")
    if (preemption.get("reclaimWithinCohort") or "Never") == "Never" and policy not in (None, "", "Never"):
        yield refusal(
            "reclaim-never-but-borrowing-preempts",
            "spec.preemption",
            f"borrowWithinCohort.policy is {policy} and reclaimWithinCohort is Never: they exclude each other",
            "set reclaimWithinCohort to LowerPriority or Any, or borrowWithinCohort.policy to Never",
        )


def admission_checks_twice(spec: Mapping[str, Any]) -> Iterator[Violation]:
    """v1beta1 has two lists of admission checks and allows one. Source: validateCQAdmissionChecks, to 0.14."""
    if spec.get("admissionChecks") and spec.get("admissionChecksStrategy"):
        yield refusal(
            "admission-checks-twice",
            "spec",
            "admissionChecks and admissionChecksStrategy are both set",
            "keep admissionChecksStrategy alone",
        )


def too_many_combinations(spec: Mapping[str, Any], target: Target) -> Iterator[Violation]:
    """All groups together stay within fixed totals. Source: validateTotalFlavors and its neighbours; from 0.14."""
    limits: Mapping[str, int] = target.kueue.limits if target.kueue else {}
    groups = mappings(spec, "resourceGroups")
    totals = {
        "flavors": (sum(len(items(g, "flavors")) for _, g in groups), limits.get("totalFlavors", 256)),
        "coveredResources": (
            sum(len(items(g, "coveredResources")) for _, g in groups),
            limits.get("totalCoveredResources", 256),
        ),
    }
    for what, (count, most) in totals.items():
        if count > most:
            yield _too_many("spec.resourceGroups", f"{count} {what} in all resource groups", most)
    most = limits.get("resourcesPerGroup", 512)
    for index, group in groups:
        count = sum(len(items(flavor, "resources")) for _, flavor in mappings(group, "flavors"))
        if count > most:
            yield _too_many(f"spec.resourceGroups[{index}]", f"{count} pairs of flavor and resource", most)


def _too_many(path: str, what: str, most: int) -> Violation:
    return refusal("too-many-quotas", path, f"{what}: at most {most} are allowed", "split the queue", TOO_MANY)


def preference_without_search(spec: Mapping[str, Any]) -> Iterator[Violation]:
    """A preference among flavors needs a search over them. Source: validateFlavorFungibility; from 0.16."""
    fungibility = mapping(spec, "flavorFungibility")
    tries = [fungibility.get(key, default) for key, default in (("whenCanBorrow", ""), ("whenCanPreempt", _SEARCHES))]
    if fungibility.get("preference") and tries != [_SEARCHES, _SEARCHES]:
        yield refusal(
            "preference-without-search",
            "spec.flavorFungibility.preference",
            f"preference {fungibility['preference']} requires whenCanBorrow and whenCanPreempt to be {_SEARCHES}",
            f"set both to {_SEARCHES}, or remove preference",
        )


def check_on_unknown_flavor(spec: Mapping[str, Any], before: Mapping[str, Any]) -> Iterator[Violation]:
    """A check is bound to flavors of this queue; what an update leaves alone is let be. From 0.16."""
    known = _flavors(spec)
    same_flavors = bool(before) and set(known) == set(_flavors(before))
    old = {text(check, "name"): set(texts(check, "onFlavors")) for _, check in _checks(before)}
    for index, check in _checks(spec):
        names = texts(check, "onFlavors")
        if same_flavors and old.get(text(check, "name")) == set(names):
            continue
        for position, name in enumerate(names):
            if name not in known:
                yield refusal(
                    "check-on-unknown-flavor",
                    f"spec.admissionChecksStrategy.admissionChecks[{index}].onFlavors[{position}]",
                    f"admission check {text(check, 'name')} is bound to flavor {name}, which the queue does not have",
                    f"supported are {', '.join(known) or 'none'}",
                    UNSUPPORTED,
                )


def concurrent_admission_changed(spec: Mapping[str, Any], before: Mapping[str, Any]) -> Iterator[Violation]:
    """concurrentAdmissionPolicy is immutable; from 0.18."""
    if spec.get("concurrentAdmissionPolicy") != before.get("concurrentAdmissionPolicy"):
        yield refusal(
            "immutable-concurrent-admission",
            "spec.concurrentAdmissionPolicy",
            "concurrentAdmissionPolicy may not be added, changed or removed: the field is immutable",
            "make a new ClusterQueue",
        )


def concurrent_admission(spec: Mapping[str, Any]) -> Iterator[Violation]:
    """What concurrent admission demands of a queue; behind a feature gate that is off in every release so far."""
    migration = mapping(spec, "concurrentAdmissionPolicy", "migration")
    if not spec.get("concurrentAdmissionPolicy"):
        return
    rule, path = "concurrent-admission", "spec.concurrentAdmissionPolicy.migration.constraints"
    groups, flavors = items(spec, "resourceGroups"), _flavors(spec)
    if len(groups) > 1:
        yield refusal(rule, "spec.resourceGroups", "concurrent admission allows one resource group", "merge the groups")
    if len(flavors) > _MOST_FLAVORS_CONCURRENT:
        message = f"concurrent admission allows {_MOST_FLAVORS_CONCURRENT} flavors, not {len(flavors)}"
        yield refusal(rule, "spec.resourceGroups[0].flavors", message, "split the queue", TOO_MANY)
    if spec.get("queueingStrategy") == "StrictFIFO":
        message = "concurrent admission and StrictFIFO exclude each other"
        yield refusal(rule, "spec.queueingStrategy", message, "use BestEffortFIFO")
    constraints = mapping(migration, "constraints")
    if constraints and migration.get("mode") not in (None, "", "TryPreferredFlavors"):
        message = "constraints are allowed with mode TryPreferredFlavors only"
        yield refusal(rule, path, message, "remove them", FORBIDDEN)
    last = constraints.get("lastAcceptableFlavorName")
    if last and last not in flavors:
        message = f"{last} is not one of the queue's flavors"
        yield refusal(rule, f"{path}.lastAcceptableFlavorName", message, f"known are {', '.join(flavors)}")


def _flavors(spec: Mapping[str, Any]) -> list[str]:
    return [text(f, "name") for _, group in mappings(spec, "resourceGroups") for _, f in mappings(group, "flavors")]


def _checks(spec: Mapping[str, Any]) -> list[tuple[int, Mapping[str, Any]]]:
    return mappings(spec, "admissionChecksStrategy", "admissionChecks")
