"""What policies judge: the form of each collection's items. An interface: a field may be added, none renamed.

Amounts are whole units: accelerators and bytes as int, cores as float. An absent text is "", never null.
"""

from __future__ import annotations

from functools import cache
from typing import Any

from generator.policy.fields import Form, form
from generator.shapes import TypedDict


class PriorityClass(TypedDict):
    name: str
    value: int


class Fleet(TypedDict):
    """What all environments share: one item, the same in each."""

    priorities: list[PriorityClass]


class Environment(TypedDict):
    """One cluster; every policy can also read it as `environment`."""

    name: str
    openshift: str
    openshiftAI: str
    openshiftAIStatus: str
    trainer: str
    kueue: str
    kueueUpstream: str
    gitops: str
    asOf: str
    components: list[str]
    frameworks: list[str]
    preemptionPolicy: str
    labelPolicy: str
    gangScheduling: str
    priorities: list[PriorityClass]
    weighted: list[str]
    runtimesWithAccelerators: list[str]
    workbenchProfiles: list[str]


class Reserve(TypedDict):
    nodes: int
    cpu: float
    memory: int


class Pool(TypedDict):
    """A pool of nodes. `offers` are its accelerator resources, `replicas` the shares of one card."""

    name: str
    vendor: str
    accelerator: str
    verified: bool
    offers: list[str]
    nodes: int
    reserve: Reserve
    labels: dict[str, str]
    taints: list[str]
    topology: str
    mig: str
    replicas: int
    failsGreaterThanOne: bool


class Share(TypedDict):
    """What a queue or a cohort owns of one pool. `zeros` are percentages that round to nothing, as written."""

    owner: str
    kind: str
    team: str
    pool: str
    accelerators: int
    cpu: float
    memory: int
    hasAccelerators: bool
    borrows: bool
    lends: bool
    zeros: list[str]


class QueueShare(TypedDict):
    pool: str
    vendor: str
    topology: bool
    accelerators: int
    borrows: bool
    lends: bool


class Preemption(TypedDict):
    withinClusterQueue: str
    reclaimWithinCohort: str
    borrowWithinCohort: str


class Queue(TypedDict):
    """A ClusterQueue; `team` is "" for the platform's own.

    `evictedBy` says who may evict its workloads, `profiles` which hardware profiles submit to it.
    """

    name: str
    team: str
    queue: str
    use: str
    cohort: str
    namespaces: list[str]
    shares: list[QueueShare]
    owns: bool
    borrows: bool
    lends: bool
    evictedBy: list[str]
    profiles: list[str]
    preemption: Preemption
    strategy: str
    stopPolicy: str
    weighted: bool
    admissionChecks: list[str]


class Cohort(TypedDict):
    """`queues` are those of the cohort and of all cohorts below it; `unusable` its pools that none of them lists."""

    name: str
    parent: str
    pools: list[str]
    queues: list[str]
    unusable: list[str]
    weighted: bool


class ProfileQueue(TypedDict):
    name: str
    use: str
    mixesTopology: bool
    evictedBy: list[str]


class Profile(TypedDict):
    """A hardware profile, once an environment. `queues` are the ClusterQueues that it may lead to."""

    name: str
    pool: str
    vendor: str
    topology: bool
    queue: str
    workbench: bool
    serving: bool
    disabled: bool
    accelerators: int
    mostAccelerators: int
    unlimited: list[str]
    replicas: int
    queues: list[ProfileQueue]


class RuntimePool(TypedDict):
    name: str
    vendor: str
    accelerators: int


class Runtime(TypedDict):
    """A training runtime, once an environment. `pools` are those whose nodes may run it, with what a node offers.

    `imageVendor` is whose accelerators the image is made for, as its name tells: "none" for no accelerator.
    """

    name: str
    framework: str
    image: str
    imageVendor: str
    registry: str
    tag: str
    digest: str
    vendor: str
    nodes: int
    accelerators: int
    slices: bool
    pools: list[RuntimePool]


class Team(TypedDict):
    name: str
    contact: str
    costCenter: str
    admins: list[str]
    users: list[str]
    namespaces: list[str]
    uses: list[str]


class Operator(TypedDict):
    """A Subscription. `rolling`: its channel moves on to releases beyond the environment's."""

    name: str
    package: str
    title: str
    channel: str
    approval: str
    startingCSV: str
    source: str
    rolling: bool
    verified: bool


class Override(TypedDict):
    """A dated override; `begins` is the key `from`, `days` counts both ends."""

    queue: str
    team: str
    pool: str
    begins: str
    until: str
    days: int
    ticket: str


class Holding(TypedDict):
    """What one owner is guaranteed; `kind` is queue, cohort, platform or extra."""

    name: str
    kind: str
    amount: float


class LedgerPool(TypedDict):
    """One resource of one pool. `ratio` is the over-commitment that the pool allows itself, 0 where it says nothing.

    `passedBy` brings the pool past what it can schedule. `followsAccelerators`: it is promised beyond that no further
    than the accelerators of the pool are. `isMain`: what the pool is counted by, accelerators or else cpu.
    """

    pool: str
    resource: str
    isAccelerator: bool
    isMain: bool
    installed: float
    reserved: float
    schedulable: float
    guaranteed: float
    stranded: float
    borrowable: float
    perNode: float
    hasPerNodeReserve: bool
    followsAccelerators: bool
    ratio: float
    reason: str
    passedBy: str
    holders: list[Holding]


class LedgerDay(TypedDict):
    """One resource of one pool from a day on that a dated override begins, or that one has ended before."""

    pool: str
    resource: str
    isAccelerator: bool
    day: str
    schedulable: float
    usual: float
    guaranteed: float
    followsAccelerators: bool
    ratio: float
    overrides: list[str]


class Unit(TypedDict):
    """One resource that a pool is counted by: an accelerator; of a CPU pool cpu."""

    resource: str
    guaranteed: float
    potential: float
    lentForGood: float


class LedgerQueue(TypedDict):
    """What one queue owns of one pool, the most it could ever get, and what it lends and never takes back."""

    queue: str
    team: str
    use: str
    cohort: str
    pool: str
    units: list[Unit]


class Demand(TypedDict):
    """What a profile or runtime asks for, and what becomes of it in the queues that it may be sent to.

    `part` is default, maximum or job; `perPod` and `total` are of `main`, the accelerators if there are any. `queue` is
    the one that comes closest, "" for none; there all pods ask for `requested` of `resource`, which is in the way if
    anything is, and could have `largest`. In the queues `refusing` it can never run; those of `storms` would reclaim
    for it from several borrowers at once.
    """

    kind: str
    name: str
    part: str
    pods: int
    main: str
    perPod: float
    total: float
    queues: int
    queue: str
    pool: str
    fits: bool
    resource: str
    requested: float
    largest: float
    perNode: float
    podsPerNode: int
    rest: float
    refusing: list[str]
    storms: list[str]


class Shortage(TypedDict):
    """A queue whose `resource` ends before its accelerators do, by the default or job that leaves the most unused."""

    queue: str
    pool: str
    kind: str
    name: str
    resource: str
    accelerators: float
    unused: float
    needed: float


class QuotaChange(TypedDict):
    """A guaranteed amount of one queue that a step changes; 0 where the queue has none.

    `schedulable` is what the pool can schedule after the step, 0 where it is gone.
    """

    queue: str
    team: str
    pool: str
    resource: str
    isAccelerator: bool
    before: float
    after: float
    schedulable: float


class ObjectChange(TypedDict):
    """An object that a step changes. `action` is created, removed or changed; `fields` are paths, if it is changed."""

    action: str
    kind: str
    apiVersion: str
    name: str
    namespace: str
    team: str
    fields: list[str]


_ITEMS: dict[str, Any] = {
    "plan.fleet": Fleet,
    "plan.environment": Environment,
    "plan.pools": Pool,
    "plan.shares": Share,
    "plan.queues": Queue,
    "plan.cohorts": Cohort,
    "plan.profiles": Profile,
    "plan.runtimes": Runtime,
    "plan.teams": Team,
    "plan.operators": Operator,
    "plan.overrides": Override,
    "ledger.pools": LedgerPool,
    "ledger.days": LedgerDay,
    "ledger.queues": LedgerQueue,
    "ledger.demands": Demand,
    "ledger.shortages": Shortage,
    "changes.quotas": QuotaChange,
    "changes.objects": ObjectChange,
}
MANIFESTS = "manifests."
CHANGES = "changes."
ANYTHING = form(Any)


@cache
def item_forms() -> dict[str, Form]:
    """Return the form of each collection's items, by the collection's name."""
    return {name: form(item) for name, item in _ITEMS.items()}


def environment() -> Form:
    """Return the form of `environment`."""
    return item_forms()["plan.environment"]
