"""What a release is: frozen values read from the YAML beside this module. No fact lives in code."""

from __future__ import annotations

from collections.abc import Mapping, Set
from typing import Any

from generator.frozen import dataclass


@dataclass(frozen=True, slots=True)
class Requirement:
    """What a component needs besides, when a field of its spec has a certain value.

    `path` leads from the component to the field (`("serving", "managementState")`); `dsci_spec` is merged over the
    release's DSCInitialization spec. Where it is not `hard`, the component is ready without, and a part stays off.
    """

    path: tuple[str, ...]
    equals: Any
    operators: tuple[str, ...]
    dsci_spec: Mapping[str, Any]
    hard: bool = True

    def holds(self, spec: Mapping[str, Any]) -> bool:
        """Whether the component's spec, defaults included, has the value."""
        value: Any = spec
        for key in self.path:
            if not isinstance(value, Mapping) or key not in value:
                return False
            value = value[key]
        return bool(value == self.equals)


@dataclass(frozen=True, slots=True)
class Conflict:
    """Fields of a component that are accepted, and that its controller refuses or warns of; `path` is to blame."""

    fields: Mapping[str, Any]
    path: tuple[str, ...]
    severity: str
    message: str
    fix: str

    def holds(self, spec: Mapping[str, Any]) -> bool:
        """Whether the component's spec, defaults included, has all of the values."""
        return _contains(spec, self.fields)


def _contains(spec: Any, fields: Mapping[str, Any]) -> bool:
    return isinstance(spec, Mapping) and all(
        _contains(spec.get(key), value) if isinstance(value, Mapping) else spec.get(key) == value
        for key, value in fields.items()
    )


@dataclass(frozen=True, slots=True)
class Component:
    """One DataScienceCluster component in one release.

    `name` is its name in DataScienceCluster v2, which users write; `key` is its key in this release's own version.
    `defaults` are the fields that the server would add to a Managed component, so writing them leaves no drift.
    `schema` is a closed JSON Schema (draft 2020-12) of what users may write below the component.
    `operators` are hard needs; `requirements` hold under a condition; `suggested` serve features that may stay off.
    `conflicts` are values that do not go together.
    """

    name: str
    key: str
    states: tuple[str, ...]
    defaults: Mapping[str, Any]
    schema: Mapping[str, Any]
    operators: tuple[str, ...]
    requirements: tuple[Requirement, ...]
    conflicts: tuple[Conflict, ...]
    suggested: tuple[str, ...]
    frameworks: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Trainer:
    """The Kubeflow Trainer that a release ships.

    `frameworks` maps each value of the label trainer.kubeflow.org/framework to the `mlPolicy` variant that runs it;
    `torch_num_proc` tells whether `mlPolicy.torch.numProcPerNode` exists (it went away in Trainer 2.2).
    `refused_in_overrides` names what its webhook refuses in a TrainJob's pod overrides: host-path,
    control-plane-toleration.
    """

    version: str
    api: str
    ml_policies: tuple[str, ...]
    torch_num_proc: bool
    frameworks: Mapping[str, str]
    refused_in_overrides: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class OpenShiftAI:
    """One minor release of Red Hat OpenShift AI.

    `latest` is the newest patch seen in the product's build configuration. `channels` contain the release;
    of these, `rolling_channels` move on to the next one, so that only a Manual approval stays on this release.
    `kueue_managed` says what the cluster does with `kueue: Managed`: legal, denied (on admission) or fails (later).
    `default_queue` is "always" when the operator itself creates `default` queues, "switch" when a field decides.
    `namespace_labels` are what the operator adds to a Kueue-managed namespace that lacks one of them.
    `queue_name_webhook` lists the kinds that are refused without a queue name in a Kueue-managed namespace.
    `dropped` are, by kind, the fields of the old API version that its conversion leaves out. `checks_ca_bundle` tells
    whether a bundle of certificates is read on admission. `dashboard_flags` are what the dashboard's configuration has
    to say for profiles to be offered, `dashboard_deprecated` its fields that an update may not add.
    `profile_webhook` lists the kinds to which a hardware profile gives its queue; profiles do nothing for others.
    `notebook_guard` tells whether notebooks that reach for the host are refused, `notebook_auth` is the annotation that
    puts a login before one. `deployment_modes` are those of an InferenceService that the release runs, `ray_job_modes`
    the ways of submission that its KubeRay knows; `ray_ingress_rewritten` tells whether a webhook turns enableIngress
    off.
    """

    version: str
    status: str
    openshift: tuple[str, ...]
    channel: str
    channels: tuple[str, ...]
    rolling_channels: tuple[str, ...]
    csv_prefix: str
    latest: str
    dsc_api: str
    dsci_api: str
    hardware_profile_api: str
    dashboard_api: str
    components: Mapping[str, Component]
    renamed: Mapping[str, str]
    removed: Mapping[str, str]
    kueue_states: tuple[str, ...]
    kueue_managed: str
    kueue_managed_reason: str
    kueue_component: Mapping[str, Any]
    default_queue: str
    default_flavors: tuple[str, ...]
    namespace_labels: Mapping[str, str]
    dropped: Mapping[str, tuple[str, ...]]
    dsci_spec: Mapping[str, Any]
    checks_ca_bundle: bool
    applications_namespace: str
    monitoring_namespace: str
    dashboard_flags: Mapping[str, bool]
    dashboard_deprecated: tuple[str, ...]
    operators: tuple[str, ...]
    trainer: Trainer | None
    shipped_runtimes: tuple[str, ...]
    reserved_profiles: tuple[str, ...]
    training_roles_aggregated: bool
    queue_name_webhook: tuple[str, ...]
    profile_webhook: tuple[str, ...]
    notebook_guard: bool
    notebook_auth: str
    deployment_modes: tuple[str, ...]
    ray_job_modes: tuple[str, ...]
    ray_ingress_rewritten: bool
    sources: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class OpenShift:
    """One minor release of OpenShift.

    `admission_policies` tells whether it has ValidatingAdmissionPolicy v1, `dynamic_resources` resource.k8s.io/v1.
    """

    version: str
    kubernetes: str
    admission_policies: bool
    dynamic_resources: bool


@dataclass(frozen=True, slots=True)
class Kueue:
    """One minor release of the Red Hat build of Kueue operator; `upstream` is the Kueue minor it installs.

    `kinds` are the kinds of kueue.x-k8s.io that the operator installs and that are meant to be written.
    `fungibility` holds the allowed values of ClusterQueue's flavorFungibility in `api`, the server's default first;
    none: the field is absent. `implied` are frameworks that must be listed along with another;
    `framework_components` are the components of OpenShift AI that alone bring a framework's kind.
    `affinity_labels` says whose label keys a pod's node selector is judged by: the "group" of flavors, or the "flavor".
    `csvs_on` are the CSVs of an OpenShift release whose catalog lacks some. `checked_operators` are the frameworks
    whose operator Kueue's own asks for; without it Kueue is degraded. `zero_requests_count` tells whether a request of
    0 of a resource that a queue does not cover keeps a workload out.
    `webhooks_since` is the patch release from which Kueue's own admission webhooks are registered; None: never.
    """

    version: str
    channel: str
    channels: tuple[str, ...]
    upstream: str
    openshift: tuple[str, ...]
    csvs: tuple[str, ...]
    csvs_on: Mapping[str, tuple[str, ...]]
    api: str
    served_apis: tuple[str, ...]
    operator_api: str
    kinds: frozenset[str]
    cohort_field: str
    admission_checks_field: str
    limits: Mapping[str, int]
    fungibility: Mapping[str, tuple[str, ...]]
    frameworks: tuple[str, ...]
    broken_frameworks: Mapping[str, str]
    implied: Mapping[str, tuple[str, ...]]
    framework_operators: Mapping[str, tuple[str, ...]]
    framework_components: Mapping[str, str]
    checked_operators: tuple[str, ...]
    roles_aggregated: bool
    user_role: str
    admin_role: str
    local_queue_weight: bool
    admission_fair_sharing: bool
    affinity_labels: str
    zero_requests_count: bool
    webhooks_since: str | None
    gates: Mapping[str, bool]
    sources: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class GitOps:
    """One minor release of OpenShift GitOps; `fields` are the gated Application and AppProject fields it has."""

    version: str
    argo_cd: str
    kustomize: str
    fields: frozenset[str]
    sources: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Operand:
    """A custom resource to create once the operator runs; `wave` orders the operands of one environment."""

    api_version: str
    kind: str
    name: str
    namespace: str | None
    spec: Mapping[str, Any]
    wave: int


@dataclass(frozen=True, slots=True)
class Operator:
    """One OLM operator. A Subscription is named like its `package`: OpenShift AI looks for the name of some.

    `group` is the OperatorGroup of `namespace`: "all" without target namespaces, "own" with this one, "none" in the
    global namespace, which has both already; `install_modes` are those that its CSV supports, empty where that is not
    known. `csv_prefix` + "X.Y.Z" is a startingCSV.
    `channels` is empty where every minor release has a channel of its own. `channel_by` and `channels_by` take
    precedence, by product and version. `upgrades` leads from a version to those that only some channels lead to, and to
    none where nothing does; a version that it lacks is upgraded by every channel that holds the newer one.
    `openshift_ai` lists the releases on which it may be installed; None: any. `looked_up` tells that OpenShift AI finds
    it by the name of its Subscription.
    `verified` is False where a value could not be checked against the vendor's own material.
    """

    id: str
    package: str
    title: str
    channels: tuple[str, ...]
    channel: str
    namespace: str
    group: str
    install_modes: tuple[str, ...]
    source: str
    source_namespace: str
    csv_prefix: str
    namespace_labels: Mapping[str, str]
    requires: tuple[str, ...]
    channel_by: Mapping[str, Mapping[str, str]]
    channels_by: Mapping[str, Mapping[str, tuple[str, ...]]]
    upgrades: Mapping[str, Mapping[str, tuple[str, ...]]]
    env: tuple[tuple[str, str], ...]
    operands: tuple[Operand, ...]
    openshift_ai: tuple[str, ...] | None
    looked_up: bool
    verified: bool
    notes: str
    sources: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Advisory:
    """A combination that is known to be bad. It matches when every condition that is given holds.

    `unless_manual` names an operator whose Manual approval settles the matter; "": nothing does. Of manifests alone,
    `workloads` are the kinds that show that the components are there, and `frameworks` what Kueue has to list.
    """

    id: str
    severity: str
    components: tuple[str, ...]
    workloads: tuple[str, ...]
    frameworks: tuple[str, ...]
    openshift_ai: tuple[str, ...]
    kueue: tuple[str, ...]
    openshift: tuple[str, ...]
    unless_manual: str
    message: str
    fix: str
    source: str

    def matches(
        self, *, components: frozenset[str], manual: Set[str], openshift_ai: str, kueue: str, openshift: str
    ) -> bool:
        """Whether an environment is concerned.

        `components` are those that are Managed, by their v2 names; `manual` operators wait for approval.
        """
        return (
            self.unless_manual not in manual
            and components.issuperset(self.components)
            and (not self.openshift_ai or openshift_ai in self.openshift_ai)
            and (not self.kueue or kueue in self.kueue)
            and (not self.openshift or openshift in self.openshift)
        )
