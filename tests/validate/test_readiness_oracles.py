"""Kueue's own tables: would the queue be Active, and if not, with which reason."""

from __future__ import annotations

from typing import Any

import pytest

from generator.finding import Location
from generator.manifest import Manifest
from generator.validate.cluster import Target
from generator.validate.queues import Queue, read
from generator.validate.status import CheckState, Surroundings, objections
from tests.validate.oracles import KUEUE, needs_oracles, release, rows, score

pytestmark = needs_oracles

FLAVOR_TEST = {"metadata": {"name": "cq"}, "spec": {"resourceGroups": [{"flavors": [{"name": "x86"}]}]}}
"""What TestClusterQueueUpdateWithFlavors judges: a queue of one flavor, x86, written in the test's body."""


def queue(body: dict[str, Any]) -> Queue:
    return read(Manifest(body, Location("row")))


def surroundings(case: dict[str, Any]) -> Surroundings:
    """Return what the Go test sets up around the queue; the topology tests share one flavor, topology and check."""
    checks = {name: CheckState(c["controller"], c["active"]) for name, c in case.get("admissionChecks", {}).items()}
    if "curStatus" in case:
        return Surroundings(dict.fromkeys(case.get("flavors", {})), frozenset(), checks)
    topologies = frozenset(() if case.get("skipTopology") else ("example-topology",))
    checks |= {} if checks else {"mk-check": CheckState("kueue.x-k8s.io/multikueue", is_active=True)}
    return Surroundings({"tas-flavor": "example-topology"}, topologies, checks)


def condition(case: dict[str, Any], found: list[tuple[str, str]]) -> tuple[str, str]:
    """Return reason and message of the condition Active, put together as Kueue does."""
    if "terminating" in (case.get("curStatus"), case.get("cqStatus")):
        return "Terminating", "Can't admit new workloads; clusterQueue is terminating"
    if not found:
        return "Ready", "Can admit new workloads"
    return found[0][0], f"Can't admit new workloads: {', '.join(message for _, message in found)}."


def defect(row: dict[str, Any], target: Target) -> str | None:
    case = row["case"]
    body = case.get("updatedCq") or case.get("cq") or FLAVOR_TEST
    reason, message = condition(case, list(objections(queue(body), surroundings(case), target)))
    status = {"Ready": "active", "Terminating": "terminating"}.get(reason, "pending")
    got = {"wantReason": reason, "wantMessage": message, "wantStatus": status}
    wrong = {key: value for key, value in got.items() if key in case and case[key] != value}
    return f"{row['name']}: {wrong}" if wrong else None


@pytest.mark.parametrize("tag", sorted(KUEUE))
def test_status(tag: str) -> None:
    table = rows(f"kueue-readiness-tables/{tag}.json")
    wrong = [said for row in table if (said := defect(row, Target(kueue=release(tag))))]
    score(f"kueue-readiness-tables/{tag}", len(table) - len(wrong), wrong)
