"""The Plan: every decision made, nothing left for an emitter to decide. Amounts are thousandths (generator.quantity).

Each item has its `origin`, the input line that caused it.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from generator.accelerators.model import Accelerator
from generator.environment.load import Inputs
from generator.finding import Location
from generator.frozen import dataclass, field
from generator.quantity import Amount
from generator.releases.model import Component, GitOps, Kueue, OpenShiftAI, Operator

Amounts = Mapping[str, Amount]
CPU, MEMORY, STORAGE = "cpu", "memory", "ephemeral-storage"
BYTES = frozenset((MEMORY, STORAGE))
MANAGED_LABEL = "kueue.openshift.io/managed"


@dataclass(frozen=True, slots=True)
class Taint:
    key: str
    effect: str
    value: str | None = None


@dataclass(frozen=True, slots=True)
class Sharing:
    """How the cards of a pool are divided; `mig` is a strategy, `layout` slices a card, `replicas` shares of each."""

    mig: str | None = None
    layout: Mapping[str, int] = field(default_factory=dict)
    replicas: int = 1
    mode: str | None = None  # timeSlicing | mps
    rename: bool = False
    fail_greater_than_one: bool = False


@dataclass(frozen=True, slots=True)
class Pool:
    """A kind of node. `offers` maps each accelerator resource to the compute weight of one unit of it."""

    name: str
    origin: Location
    accelerator: Accelerator | None
    offers: Mapping[str, int]
    nodes: int  # that can be used: less the reserve
    node: Amounts  # what one of them can schedule
    total: Amounts  # what the pool can schedule
    installed: Amounts  # all there is, with the reserve
    node_labels: Mapping[str, str]
    taints: tuple[Taint, ...]
    topology: str | None
    sharing: Sharing
    overcommit: tuple[str, str] | None  # ratio, reason

    @property
    def vendor(self) -> str:
        return self.accelerator.vendor if self.accelerator else "none"


@dataclass(frozen=True, slots=True)
class Topology:
    name: str
    levels: tuple[str, ...]
    origin: Location


@dataclass(frozen=True, slots=True)
class ResourceQuota:
    """One resource of one flavor; a limit of None is unlimited (or, outside a cohort, not written)."""

    resource: str
    nominal: Amount
    borrowing_limit: Amount | None = None
    lending_limit: Amount | None = None


@dataclass(frozen=True, slots=True)
class FlavorQuota:
    flavor: str
    resources: tuple[ResourceQuota, ...]
    origin: Location

    def nominal(self, resource: str) -> Amount:
        return next((r.nominal for r in self.resources if r.resource == resource), 0)


@dataclass(frozen=True, slots=True)
class Cohort:
    name: str
    parent: str | None
    weight: Amount | None
    flavors: tuple[FlavorQuota, ...]
    origin: Location


@dataclass(frozen=True, slots=True)
class Preemption:
    within_cluster_queue: str
    reclaim_within_cohort: str
    borrow_within_cohort: str
    max_priority_threshold: int | None = None


@dataclass(frozen=True, slots=True)
class Fungibility:
    when_can_borrow: str
    when_can_preempt: str
    preference: str | None = None


@dataclass(frozen=True, slots=True)
class ClusterQueue:
    """A team's queue, or (team None) the platform's own; `namespaces` None: every managed one."""

    name: str
    team: str | None
    queue: str
    use: str
    cohort: str | None
    flavors: tuple[FlavorQuota, ...]
    namespaces: tuple[str, ...] | None
    preemption: Preemption
    fungibility: Fungibility
    strategy: str
    stop_policy: str
    weight: Amount | None
    admission_checks: tuple[str, ...]
    origin: Location


@dataclass(frozen=True, slots=True)
class LocalQueue:
    name: str
    namespace: str
    cluster_queue: str
    team: str
    default: bool
    origin: Location


@dataclass(frozen=True, slots=True)
class Subjects:
    groups: tuple[str, ...] = ()
    users: tuple[str, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.groups or self.users)


@dataclass(frozen=True, slots=True)
class Team:
    name: str
    display_name: str | None
    contact: str | None
    cost_center: str | None
    admins: Subjects
    members: Subjects
    viewers: Subjects
    namespaces: tuple[Namespace, ...]
    queues: tuple[ClusterQueue, ...]
    local_queues: tuple[LocalQueue, ...]
    as_of: str | None  # since when the overrides that apply to it have all applied
    origin: Location


@dataclass(frozen=True, slots=True)
class Namespace:
    name: str
    team: str
    display_name: str | None
    claim_sizes: Mapping[str, Amount]  # min, max of a PersistentVolumeClaim
    resource_quota: Mapping[str, Amount]
    origin: Location


@dataclass(frozen=True, slots=True)
class Priority:
    name: str
    value: int
    description: str | None
    origin: Location


@dataclass(frozen=True, slots=True)
class Identifier:
    """One resource of a hardware profile; counts are whole numbers, or quantities where they are not."""

    name: str
    identifier: str
    resource_type: str
    min: int | str
    default: int | str
    max: int | str | None


@dataclass(frozen=True, slots=True)
class Profile:
    """One HardwareProfile object: in the applications namespace (team None) or in a team's."""

    namespace: str
    team: str | None
    offer: Offer


@dataclass(frozen=True, slots=True, eq=False)
class Offer:
    """What a hardware profile offers: the same in every namespace of an environment that has it."""

    name: str
    display_name: str
    description: str | None
    visible_to: tuple[str, ...]
    identifiers: tuple[Identifier, ...]
    local_queue: str
    priority_class: str | None
    disabled: bool
    pool: str
    requests: Amounts  # of the default
    limits: Amounts  # of the maximum
    origin: Location


@dataclass(frozen=True, slots=True)
class Runtime:
    """A ClusterTrainingRuntime (namespace None) or a TrainingRuntime; `plain`: it holds nothing of the environment."""

    name: str
    namespace: str | None
    team: str | None
    framework: str
    policy: str | None  # key of mlPolicy, None: plain
    image: str
    nodes: int
    requests: Amounts
    command: tuple[str, ...]
    args: tuple[str, ...]
    env: tuple[tuple[str, str], ...]
    description: str | None
    pool: str | None
    vendor: str
    plain: bool
    origin: Location

    @property
    def pods(self) -> int:
        """How many pods a job has: an MPI launcher is one of the nodes, and has one besides at least."""
        return max(2, self.nodes) if self.policy == "mpi" else self.nodes


@dataclass(frozen=True, slots=True)
class Subscription:
    """An operator as this environment installs it; `default_*` say what the shared base holds."""

    operator: Operator
    channel: str
    approval: str
    starting_csv: str | None
    source: str
    origin: Location


@dataclass(frozen=True, slots=True)
class KueueSettings:
    frameworks: tuple[str, ...]
    preemption_policy: str
    label_policy: str
    gang_scheduling: str
    origin: Location


@dataclass(frozen=True, slots=True)
class ComponentState:
    """A component as it is emitted; `origins` says where the environment has it, and its fields, by their path."""

    component: Component
    state: str
    fields: Mapping[str, Any]
    origins: Mapping[str, Location]


@dataclass(frozen=True, slots=True)
class Repository:
    url: str
    revision: str
    path: str  # of the folder that holds output/, "" for the repository's root


@dataclass(frozen=True, slots=True)
class Guardrails:
    """Admission policies against live edits. An action is Deny, Warn or Audit; a guardrail without one is off.

    `policies` maps ids of policies to actions. Accounts are users as the API server names them; `operator_account` is
    OpenShift AI's. `home` is the environment's folder in the Git repository.
    """

    actions: Mapping[str, str]
    policies: Mapping[str, str]
    break_glass: Subjects
    argocd_account: str
    operator_account: str
    operator_makes_queues: bool
    home: str
    origin: Location


@dataclass(frozen=True, slots=True)
class Preflight:
    """The check before a sync: the image that runs it, and the namespace that it runs in."""

    image: str
    namespace: str


@dataclass(frozen=True, slots=True)
class Plugin:
    """Argo CD's plug-in, which renders the environment where Argo CD would otherwise sync output/."""

    name: str
    image: str


@dataclass(frozen=True, slots=True)
class Plan:
    """One environment, resolved."""

    name: str
    given: Inputs
    as_of: str | None
    openshift: str
    has_admission_policies: bool  # ValidatingAdmissionPolicy v1, from Kubernetes 1.30
    openshift_ai: OpenShiftAI
    kueue: Kueue
    gitops: GitOps
    server: str
    argocd_namespace: str
    argocd_instance: str
    argocd_installation: str | None
    preflight: Preflight | None
    plugin: Plugin | None
    repository: Repository
    guardrails: Guardrails
    components: tuple[ComponentState, ...]
    kueue_state: str
    kueue_fields: Mapping[str, Any]
    dsci_spec: Mapping[str, Any]
    settings: KueueSettings
    subscriptions: tuple[Subscription, ...]
    priorities: tuple[Priority, ...]
    pools: Mapping[str, Pool]
    topologies: tuple[Topology, ...]
    cohorts: tuple[Cohort, ...]
    default_queue: ClusterQueue | None
    teams: tuple[Team, ...]
    profiles: tuple[Profile, ...]
    runtimes: tuple[Runtime, ...]
    parameters: Mapping[str, Any]
    origin: Location

    def state(self, component: str) -> str:
        """Return Managed, Unmanaged or Removed; Removed also for what the release does not have."""
        return next((c.state for c in self.components if c.component.name == component), "Removed")
