"""Would a ClusterQueue be Active, and if not, with which reason.

Source: kubernetes-sigs/kueue pkg/cache/scheduler/clusterqueue.go (updateQueueStatus, inactiveReason) by minor;
facts of Kueue, section 5.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from generator.frozen import dataclass
from generator.validate.admission.words import kueue_has
from generator.validate.cluster import Target
from generator.validate.queues import Check, Queue

MULTIKUEUE = "kueue.x-k8s.io/multikueue"
PROVISIONING = "kueue.x-k8s.io/provisioning-request"


@dataclass(frozen=True, slots=True)
class CheckState:
    """An AdmissionCheck: its controller, and whether that has taken it up (None: nobody knows)."""

    controller: str
    is_active: bool | None = None


@dataclass(frozen=True, slots=True)
class Surroundings:
    """What a queue's status depends on: flavors with their topology (or None), topologies, admission checks."""

    flavors: Mapping[str, str | None]
    topologies: frozenset[str]
    checks: Mapping[str, CheckState]


def objections(queue: Queue, around: Surroundings, target: Target) -> Iterator[tuple[str, str]]:
    """Yield reason and message of all that keeps a ClusterQueue from being Active; Kueue reports the first reason."""
    if queue.is_stopped:
        yield "Stopped", "is stopped"
    if missing := [f.name for f in queue.flavors if f.name not in around.flavors]:
        yield "FlavorNotFound", f"references missing ResourceFlavor(s): {','.join(missing)}"
    names = [check.name for check in queue.checks]
    if missing := sorted(name for name in names if name not in around.checks):
        yield "AdmissionCheckNotFound", f"references missing AdmissionCheck(s): {','.join(missing)}"
    if idle := sorted(n for n in names if n in around.checks and around.checks[n].is_active is False):
        yield "AdmissionCheckInactive", f"references inactive AdmissionCheck(s): {','.join(idle)}"
    yield from _multikueue_misuse(queue, around.checks, target)
    yield from _topologies(queue, around, target)


def _multikueue_misuse(queue: Queue, checks: Mapping[str, CheckState], target: Target) -> Iterator[tuple[str, str]]:
    """Yield reasons that follow from MultiKueue's checks alone."""
    remote = sorted(_by(MULTIKUEUE, queue, checks), key=lambda check: check.name)
    names = ",".join(check.name for check in remote)
    if len(remote) > 1:
        yield (
            "MultipleMultiKueueAdmissionChecks",
            f"Cannot use multiple MultiKueue AdmissionChecks on the same ClusterQueue, found: {names}",
        )
    all_flavors = {flavor.name for flavor in queue.flavors}
    if per_flavor := [c.name for c in remote if c.flavors and set(c.flavors) != all_flavors]:
        yield (
            "MultiKueueAdmissionCheckAppliedPerFlavor",
            f"Cannot specify MultiKueue AdmissionCheck per flavor, found: {','.join(per_flavor)}",
        )
    provisioning = ",".join(sorted(check.name for check in _by(PROVISIONING, queue, checks)))
    if remote and provisioning and kueue_has(target, "0.16"):
        yield (
            "MultiKueueWithProvisioningRequest",
            "Cannot use both MultiKueue and ProvisioningRequest AdmissionChecks together, "
            f"found: {names}, {provisioning}",
        )


def _topologies(queue: Queue, around: Surroundings, target: Target) -> Iterator[tuple[str, str]]:
    has_gate = target.kueue is None or target.kueue.gates.get("TopologyAwareScheduling", True)
    if not (has_gate and kueue_has(target, "0.14")):
        return
    levelled = {f.name: name for f in queue.flavors if (name := around.flavors.get(f.name)) is not None}
    remote = any(_by(MULTIKUEUE, queue, around.checks))
    if levelled and remote and kueue_has(target, before="0.16"):
        yield "NotSupportedWithTopologyAwareScheduling", "TAS is not supported with MultiKueue admission check"
    if remote and kueue_has(target, "0.16"):
        return
    for flavor, topology in levelled.items():
        if topology not in around.topologies:
            yield "TopologyNotFound", f'there is no Topology "{topology}" for TAS flavor "{flavor}"'


def _by(controller: str, queue: Queue, checks: Mapping[str, CheckState]) -> Iterator[Check]:
    for check in queue.checks:
        if check.name in checks and checks[check.name].controller == controller:
            yield check
