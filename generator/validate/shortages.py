"""Does cpu or memory of a queue run out before its accelerators do, by what its profiles ask for.

Of a plan's own queues a policy of the same name says so.
Source: https://github.com/microsoft/pai/issues/5503; facts of faults A07.
"""

from __future__ import annotations

from collections.abc import Iterator

from generator.finding import Finding, Layer, Severity
from generator.frozen import dataclass
from generator.quantity import Amount
from generator.validate import kinds
from generator.validate.cluster import Cluster, related
from generator.validate.effects import is_written
from generator.validate.profiles import Profile, read_profiles
from generator.validate.queues import Flavor, Group, Queue, Queues
from generator.validate.wording import shown

_HOST = ("cpu", "memory")
_MOST_UNUSED = 10
"""Per cent of a queue's accelerators that may stay idle before it is worth a word."""


@dataclass(frozen=True, slots=True)
class _Shortage:
    profile: Profile
    flavor: Flavor
    card: str
    owned: Amount
    used: Amount
    host: str

    @property
    def unused(self) -> Amount:
        return self.owned - self.used


def check(cluster: Cluster, queues: Queues) -> Iterator[Finding]:
    """Yield queues whose accelerators outlast their cpu or memory, each with the profile that strands most of them."""
    worst: dict[str, _Shortage] = {}
    written = {queue.name for queue in queues.all if is_written(cluster, queue.manifest)}
    for profile in read_profiles(cluster) if written else ():
        for queue in queues.of_profile(profile.local_queue, None if profile.is_shared else profile.namespace):
            for found in _shortages(queues, queue, profile) if queue.name in written else ():
                if queue.name not in worst or found.unused > worst[queue.name].unused:
                    worst[queue.name] = found
    for name, found in worst.items():
        yield _finding(cluster, queues.by_name[name], found)


def _shortages(queues: Queues, queue: Queue, profile: Profile) -> Iterator[_Shortage]:
    for card in (name for name, asked in profile.default.items() if asked and name not in kinds.CORE_RESOURCES):
        group = queue.by_resource.get(card)
        for flavor in group.flavors if group else ():
            owned = flavor.quotas[card].nominal if card in flavor.quotas else 0
            for host in _HOST:
                pods = _pods(queues, queue, flavor, host, profile.default.get(host, 0))
                used = owned if pods is None else min(owned, pods * profile.default[card])
                if used and (owned - used) * 100 > owned * _MOST_UNUSED:
                    yield _Shortage(profile, flavor, card, owned, used, host)


def _pods(queues: Queues, queue: Queue, flavor: Flavor, host: str, asked: Amount) -> int | None:
    """Return how many pods the most that a queue can get of cpu or memory is enough for; None: it sets no limit."""
    group: Group | None = queue.by_resource.get(host)
    if not asked or group is None:
        return None
    beside = [flavor] if flavor in group.flavors else group.flavors
    return sum(max(0, queues.tree.potential(queue.name, (each.name, host))) for each in beside) // asked


def _finding(cluster: Cluster, queue: Queue, found: _Shortage) -> Finding:
    return cluster.finding(
        queue.manifest,
        "accelerators-outlast-host",
        Layer.READINESS,
        f"queue {queue.name} owns {shown(found.card, found.owned)} {found.card} of flavor {found.flavor.name}; with "
        f"profile {found.profile.name} its {found.host} runs out after {shown(found.card, found.used)}",
        f"raise its nominalQuota of {found.host}, or ask for less in the profile",
        f"{found.flavor.path}.resources",
        severity=Severity.WARNING,
        related=[related(found.profile.manifest, "spec.identifiers", f"profile {found.profile.name}")],
    )
