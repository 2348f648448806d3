"""Kueue's own tables: would the queue be Active, and if not, with which reason."""

from __future__ import annotations

from typing import Any

import pytest

from generator.finding import Location
from generator.manifest import Manifest
from generator.validate.cluster import Target
from generator.validate.queues import Queue, read
from generator.validate.status import READY, CheckState, Surroundings, of_cluster_queue
from tests.validate.oracles import KUEUE, needs_oracles, release, rows, score

pytestmark = needs_oracles

FLAVOR_TEST = {"metadata": {"name": "cq"}, "spec": {"resourceGroups": [{"flavors": [{"name": "x86"}]}]}}
"""What TestClusterQueueUpdateWithFlavors judges: a queue of one flavor, x86, written in the test's body."""


def queue(body: dict[str, Any]) -> Queue:
    return read(Manifest(body, Location("row")))


def surroundings(case: dict[str, Any]) -> Surroundings:
    """Return what the Go test sets up around the queue; the topology tests share one flavor, topology and check."""
    checks = {name: CheckState(c["controller"], c["active"]) for name, c in case.get("admissionChecks", {}).items()}
    terminating = "terminating" in (case.get("curStatus"), case.get("cqStatus"))
    if "curStatus" in case:
        return Surroundings(dict.fromkeys(case.get("flavors", {})), frozenset(), checks, terminating)
    topologies = frozenset(() if case.get("skipTopology") else ("example-topology",))
    checks |= {} if checks else {"mk-check": CheckState("kueue.x-k8s.io/multikueue", is_active=True)}
    return Surroundings({"tas-flavor": "example-topology"}, topologies, checks, terminating)


def defect(row: dict[str, Any], target: Target) -> str | None:
    case = row["case"]
    body = case.get("updatedCq") or case.get("cq") or FLAVOR_TEST
    reason, message = of_cluster_queue(queue(body), surroundings(case), target)
    status = {READY: "active", "Terminating": "terminating"}.get(reason, "pending")
    got = {"wantReason": reason, "wantMessage": message, "wantStatus": status}
    wrong = {key: value for key, value in got.items() if key in case and case[key] != value}
    return f"{row['name']}: {wrong}" if wrong else None


@pytest.mark.parametrize("tag", sorted(KUEUE))
def test_status(tag: str) -> None:
    table = rows(f"kueue-readiness-tables/{tag}.json")
    wrong = [said for row in table if (said := defect(row, Target(kueue=release(tag))))]
    score(f"kueue-readiness-tables/{tag}", len(table) - len(wrong), wrong)
