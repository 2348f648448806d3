"""Would a ClusterQueue be Active, and if not, with which reason.

Source: kubernetes-sigs/kueue pkg/cache/scheduler/clusterqueue.go (updateQueueStatus, inactiveReason) by minor;
facts of Kueue, section 5.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from generator.frozen import dataclass
from generator.validate import kinds
from generator.validate.admission.words import kueue_has
from generator.validate.cluster import Cluster, Target, name_of
from generator.validate.queues import Check, Queue, Queues
from generator.validate.shape import text

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


def remote_flavors(cluster: Cluster, queues: Queues) -> frozenset[str]:
    """Return the flavors of which every queue hands its work on: their nodes are other clusters'."""
    checks = {name_of(m): CheckState(text(m.body, "spec", "controllerName")) for m in cluster.of(kinds.ADMISSION_CHECK)}
    away = {name for queue in queues.all if is_remote(queue, checks) for name in queue.flavor_names}
    if not away:
        return frozenset()
    return frozenset(away.difference(*(queue.flavor_names for queue in queues.all if not is_remote(queue, checks))))


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


def is_remote(queue: Queue, checks: Mapping[str, CheckState]) -> bool:
    """Whether what a queue admits runs on other clusters, through MultiKueue."""
    return any(_by(MULTIKUEUE, queue, checks))


def has_topologies(target: Target) -> bool:
    """Whether Kueue looks at the topologies of flavors at all; an unknown one is taken to be the newest."""
    return target.kueue is None or target.kueue.gates.get("TopologyAwareScheduling", True)


def needs_remote_topologies(target: Target) -> bool:
    """Whether the Topology of a flavor has to exist on a cluster that only hands its work on. Skipped from 0.16."""
    return kueue_has(target, before="0.16")


def _topologies(queue: Queue, around: Surroundings, target: Target) -> Iterator[tuple[str, str]]:
    if not (has_topologies(target) and kueue_has(target, "0.14")):
        return
    levelled = {f.name: name for f in queue.flavors if (name := around.flavors.get(f.name)) is not None}
    remote = is_remote(queue, around.checks)
    if levelled and remote and needs_remote_topologies(target):
        yield "NotSupportedWithTopologyAwareScheduling", "TAS is not supported with MultiKueue admission check"
    if remote and not needs_remote_topologies(target):
        return
    for flavor, topology in levelled.items():
        if topology not in around.topologies:
            yield "TopologyNotFound", f'there is no Topology "{topology}" for TAS flavor "{flavor}"'


def _by(controller: str, queue: Queue, checks: Mapping[str, CheckState]) -> Iterator[Check]:
    for check in queue.checks:
        if check.name in checks and checks[check.name].controller == controller:
            yield check
