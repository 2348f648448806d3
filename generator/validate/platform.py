"""OpenShift AI, Kueue's operator and the dashboard: settings that contradict each other.

Source: facts of OpenShift AI, sections 2, 3, 5; facts of Kueue, section 2; facts of faults A10, A30, A32 to A36, A56.
"""

from __future__ import annotations

from collections.abc import Iterator, Set

from generator.finding import Finding, Layer, Severity
from generator.manifest import Manifest
from generator.releases.load import openshift, operator
from generator.validate import kinds
from generator.validate.admission.data_science_cluster import STATE
from generator.validate.admission.words import kueue_has
from generator.validate.cluster import Cluster, labels_of, name_of, related
from generator.validate.effects import is_written
from generator.validate.kinds import kind_of
from generator.validate.operators import is_installed, managed_components
from generator.validate.pods import asks_for_accelerators
from generator.validate.profiles import read_profiles
from generator.validate.queues import Queues
from generator.validate.shape import get, items, mappings, text, texts
from generator.validate.submissions import pods_of
from generator.validate.train_jobs import of_runtime
from generator.validate.wording import some

FRAMEWORKS = "spec.config.integrations.frameworks"
_LABEL_POLICY = "spec.config.workloadManagement.labelPolicy"
_EXTERNAL = "spec.config.integrations.externalFrameworks"
_DEVICES = "spec.config.resources.deviceClassMappings"
_GANG = "spec.config.gangScheduling.policy"
_FEATURES = {
    "workbench": ("workbenches", ("Pod", "StatefulSet")),
    "model-serving": ("kserve", ("Pod", "Deployment")),
}


def check(cluster: Cluster, queues: Queues) -> Iterator[Finding]:
    """Yield contradictions among the platform's own objects."""
    for manifest in cluster.of(kinds.DATA_SCIENCE_CLUSTER):
        yield from kueue_fails(cluster, manifest)
        yield from kueue_without_operator(cluster, manifest)
        yield from two_kueues(cluster, manifest)
        yield from default_queue_double_books(cluster, queues, manifest)
    for manifest in cluster.of(kinds.KUEUE):
        yield from frameworks(cluster, manifest)
        yield from nothing_enforces_the_queue(cluster, queues, manifest)
        yield from gang_timeout(cluster, manifest)
        yield from external_frameworks(cluster, manifest)
        yield from device_classes(cluster, manifest)
    for manifest in cluster.of(kinds.DASHBOARD_CONFIG):
        yield from dashboard_without_kueue(cluster, queues, manifest)


def _kueue_state(manifest: Manifest) -> str:
    return text(manifest.body, *STATE.split("."))


def kueue_fails(cluster: Cluster, manifest: Manifest) -> Iterator[Finding]:
    """A release that accepts Managed and then fails."""
    release = cluster.target.openshift_ai
    if release is None or _kueue_state(manifest) != "Managed" or release.kueue_managed != "fails":
        return
    if text(manifest.body, "apiVersion") == release.dsc_api:
        yield cluster.finding(
            manifest,
            "kueue-managed",
            Layer.READINESS,
            f"component kueue is Managed on OpenShift AI {release.version}: {release.kueue_managed_reason}",
            "install the Red Hat build of Kueue (kueue-operator) and set Unmanaged, or set Removed",
            STATE,
        )


def kueue_without_operator(cluster: Cluster, manifest: Manifest) -> Iterator[Finding]:
    """Unmanaged leaves Kueue to the operator of the Red Hat build."""
    if _kueue_state(manifest) == "Unmanaged" and not is_installed(cluster, "kueue"):
        yield cluster.finding(
            manifest,
            "kueue-without-operator",
            Layer.READINESS,
            "component kueue is Unmanaged and no Subscription installs kueue-operator, the Red Hat build of Kueue: the "
            "DataScienceCluster never becomes ready",
            "add the Subscription of kueue-operator, or declare it with --external",
            STATE,
        )


def runs_embedded_kueue(cluster: Cluster) -> bool:
    """Whether OpenShift AI runs a Kueue of its own, which looks at other labels than the Red Hat build does.

    Source: opendatahub-io/kueue config/rhoai/mutating_webhook_patch.yaml.
    """
    return any(_is_embedded(cluster, manifest) for manifest in cluster.of(kinds.DATA_SCIENCE_CLUSTER))


def _is_embedded(cluster: Cluster, manifest: Manifest) -> bool:
    release = cluster.target.openshift_ai
    return release is not None and release.kueue_managed == "legal" and _kueue_state(manifest) == "Managed"


def two_kueues(cluster: Cluster, manifest: Manifest) -> Iterator[Finding]:
    """The embedded Kueue and the operator's govern the same jobs."""
    if not _is_embedded(cluster, manifest):
        return
    package = operator("kueue").package
    for subscription in cluster.of(kinds.SUBSCRIPTION):
        if package in (text(subscription.body, "spec", "name"), name_of(subscription)):
            yield cluster.finding(
                manifest,
                "two-kueues",
                Layer.READINESS,
                f"component kueue is Managed, which runs the embedded Kueue, and {package} is installed as well: both "
                "govern the same jobs, and OpenShift AI stops reconciling",
                "back up the queues, set kueue to Unmanaged, then install the operator and label the namespaces",
                STATE,
                related=[related(subscription, "metadata.name", f"Subscription {package}")],
            )


def default_queue_double_books(cluster: Cluster, queues: Queues, manifest: Manifest) -> Iterator[Finding]:
    """Where nobody owns the default ClusterQueue, the operator makes one with the quota of every node."""
    release, made = cluster.target.openshift_ai, cluster.made
    owned = [queue.name for queue in queues.all if queue.owns]
    if release is None or made is None or not owned or _kueue_state(manifest) != "Unmanaged":
        return
    name = made.cluster_queue
    if name in queues.by_name or cluster.is_external(kinds.CLUSTER_QUEUE, name):
        return
    switch = "" if release.default_queue == "always" else "set autoCreateQueues to false, or "
    yield cluster.finding(
        manifest,
        "default-queue-double-books",
        Layer.READINESS,
        f"the operator creates ClusterQueue {name} with the quota of every node of the cluster, beside "
        f"{some(owned)}: the same nodes are handed out twice",
        f"{switch}add your own ClusterQueue {name} with no quota before it",
        STATE,
        related=[related(queues.by_name[owned[0]].manifest, "spec.resourceGroups", f"queue {owned[0]}")],
    )


def frameworks(cluster: Cluster, manifest: Manifest) -> Iterator[Finding]:
    """Kueue governs the kinds of its list alone: what profiles and components use has to be on it."""
    listed = texts(manifest.body, *FRAMEWORKS.split("."))
    release = cluster.target.kueue
    if release is not None:
        yield from _broken_frameworks(cluster, manifest, listed)
    implied = release.implied if release else {}
    governed = {*listed, *(extra for name in listed for extra in implied.get(name, ()))}
    needed = {**_submitted(cluster, governed), **_needed_frameworks(cluster)}
    known = set(release.frameworks) - release.broken_frameworks.keys() if release else needed
    missing = {name: why for name, why in needed.items() if name not in governed and name in known}
    if missing:
        because = some(dict.fromkeys(missing.values()))
        yield cluster.finding(
            manifest,
            "frameworks-missing",
            Layer.READINESS,
            f"the frameworks lack {', '.join(missing)}, which {because} need: that work starts unqueued and uncounted",
            f"add {', '.join(missing)} to {FRAMEWORKS if is_written(cluster, manifest) else 'kueue.frameworks'}",
            FRAMEWORKS,
        )


def _needed_frameworks(cluster: Cluster) -> dict[str, str]:
    """Return the frameworks that are needed, each with who needs it."""
    needed: dict[str, str] = {}
    platforms = cluster.of(kinds.DATA_SCIENCE_CLUSTER)
    managed = {component.name: component for component, _, _ in managed_components(cluster)}
    for profile in read_profiles(cluster):
        for feature, (component, names) in _FEATURES.items():
            is_used = component in managed or not platforms
            if profile.local_queue and profile.is_for(feature) and is_used:
                needed |= {name: needed.get(name, f"profile {profile.name}") for name in names}
    if any(_kueue_state(manifest) == "Unmanaged" for manifest in platforms):
        for found in managed.values():
            needed |= {name: needed.get(name, f"component {found.key}") for name in found.frameworks}
    return needed


def _submitted(cluster: Cluster, governed: Set[str]) -> dict[str, str]:
    """Return a framework for each kind of work that names a queue and is governed by none, with the first of them."""
    needed: dict[str, str] = {}
    for kind in kinds.QUEUED:
        names = kinds.FRAMEWORKS.get(kind, (kind[1],))
        for manifest in cluster.of(kind) if governed.isdisjoint(names) else ():
            if labels_of(manifest).get(kinds.QUEUE_NAME) and not items(manifest.body, "metadata", "ownerReferences"):
                needed.setdefault(names[0], f"{kind[1]} {name_of(manifest)}")
    return needed


def _broken_frameworks(cluster: Cluster, manifest: Manifest, listed: list[str]) -> Iterator[Finding]:
    release = cluster.target.kueue
    assert release is not None
    for index, name in enumerate(listed):
        path = f"{FRAMEWORKS}[{index}]"
        yield from _framework_without_component(cluster, manifest, name, path)
        if name in release.broken_frameworks:
            yield cluster.finding(
                manifest,
                "framework-broken",
                Layer.READINESS,
                f"framework {name} does not work on Kueue {release.version}: {release.broken_frameworks[name]}",
                "remove it",
                path,
            )
        needed = release.framework_operators.get(name, ()) if name in release.checked_operators else ()
        lacking = [o for o in needed if not is_installed(cluster, o)]
        if lacking:
            titles = some(f"{operator(o).title} ({operator(o).package})" for o in lacking)
            yield cluster.finding(
                manifest,
                "framework-without-operator",
                Layer.READINESS,
                f"framework {name} needs {titles}, which no Subscription installs: Kueue is degraded",
                "add a Subscription for it, or take the framework out",
                path,
            )
    for name, others in release.implied.items():
        if name in listed and (missing := [other for other in others if other not in listed]) and _must_list(cluster):
            yield cluster.finding(
                manifest,
                "framework-without-pod",
                Layer.READINESS,
                f"framework {name} is listed without {', '.join(missing)}: Kueue {release.version} refuses to start",
                f"add {', '.join(missing)}",
                FRAMEWORKS,
            )
            return


def _framework_without_component(cluster: Cluster, manifest: Manifest, name: str, path: str) -> Iterator[Finding]:
    """A framework for a kind that only a component brings, which is not there: Kueue looks for nothing."""
    target = cluster.target
    component = target.kueue.framework_components.get(name) if target.kueue else None
    if target.openshift_ai is None or component is None:
        return
    is_managed = any(found.name == component for found, _, _ in managed_components(cluster))
    if component in target.openshift_ai.components and (is_managed or not cluster.of(kinds.DATA_SCIENCE_CLUSTER)):
        return
    version = target.openshift_ai.version
    lacks = "is not Managed" if component in target.openshift_ai.components else f"OpenShift AI {version} does not have"
    yield cluster.finding(
        manifest,
        "framework-without-kind",
        Layer.READINESS,
        f"framework {name} is for a kind of component {component}, which {lacks}: Kueue has nothing to govern",
        "take the framework out",
        path,
        severity=Severity.WARNING,
    )


def _must_list(cluster: Cluster) -> bool:
    """Whether this Kueue does not enable Pod by itself. Source: KU v0.11 to v0.14 integrationmanager.go."""
    return kueue_has(cluster.target, before="0.16")


def external_frameworks(cluster: Cluster, manifest: Manifest) -> Iterator[Finding]:
    """The operator writes them as resource.version.group, and Kueue compares that with the kind of an owner.

    Source: openshift/kueue-operator pkg/configmap/configmap.go of every release; facts of Kueue, section 2 (c).
    """
    for index, found in mappings(manifest.body, *_EXTERNAL.split(".")):
        name = f"{text(found, 'resource')}.{text(found, 'version')}.{text(found, 'group')}"
        yield cluster.finding(
            manifest,
            "setting-without-effect",
            Layer.READINESS,
            f"external framework {name} is handed to Kueue under the name of its resource, and Kueue looks for a kind: "
            "it most likely never matches",
            "remove it, and label the pods or jobs that its controller makes",
            f"{_EXTERNAL}[{index}]",
            severity=Severity.WARNING,
        )


def device_classes(cluster: Cluster, manifest: Manifest) -> Iterator[Finding]:
    """Mappings of device classes need the API of dynamic resources.

    Source: openshift/kueue-operator@release-1.4 (MissingDependencies); facts of Kueue, section 1.
    """
    version = cluster.target.openshift
    release = openshift(version) if version else None
    if release and not release.dynamic_resources and mappings(manifest.body, *_DEVICES.split(".")):
        yield cluster.finding(
            manifest,
            "device-classes-without-api",
            Layer.READINESS,
            f"deviceClassMappings need the API resource.k8s.io/v1, which OpenShift {version} does not have: Kueue is "
            "degraded, and no mapping works",
            "remove the mappings, or take a later OpenShift",
            _DEVICES,
            severity=Severity.WARNING,
        )


def nothing_enforces_the_queue(cluster: Cluster, queues: Queues, manifest: Manifest) -> Iterator[Finding]:
    """With labelPolicy QueueName, work without a queue's name takes accelerators, unless somebody refuses it.

    The webhook of some releases of OpenShift AI refuses its own kinds alone: plain Jobs and Deployments pass it.
    """
    policy = text(manifest.body, *_LABEL_POLICY.split("."))
    guarded = _has_admission_policy(cluster)
    promised = any(amount and resource not in kinds.CORE_RESOURCES for (_, resource), amount in queues.promised())
    if policy == "None" or guarded or not queues.managed_namespaces or not promised:
        return
    yield cluster.finding(
        manifest,
        "nothing-enforces-the-queue",
        Layer.READINESS,
        f"labelPolicy is {policy or 'QueueName by default'} and no admission policy demands the label "
        f"{kinds.QUEUE_NAME}: jobs without a queue take accelerators outside every quota",
        "set workloadManagement.labelPolicy to None, or add a ValidatingAdmissionPolicy that demands the label",
        _LABEL_POLICY,
        severity=Severity.WARNING,
    )


def _has_admission_policy(cluster: Cluster) -> bool:
    """Whether a policy that looks at the queue's name is bound so that it denies."""
    asks = {
        name_of(policy)
        for policy in cluster.of(kinds.ADMISSION_POLICY)
        if any(
            kinds.QUEUE_NAME in text(part, "expression")
            for key in ("validations", "variables")
            for _, part in mappings(policy.body, "spec", key)
        )
    }
    return any(
        text(binding.body, "spec", "policyName") in asks and "Deny" in texts(binding.body, "spec", "validationActions")
        for binding in cluster.of(kinds.ADMISSION_POLICY_BINDING)
    )


def gang_timeout(cluster: Cluster, manifest: Manifest) -> Iterator[Finding]:
    """Gang scheduling evicts what is not ready after five minutes; images with accelerator libraries take longer."""
    if text(manifest.body, *_GANG.split(".")) != "ByWorkload":
        return
    slow = next(_slow_to_start(cluster), None)
    if slow is not None:
        what = f"{kind_of(slow.body)[1]} {name_of(slow)}"
        yield cluster.finding(
            manifest,
            "gang-timeout",
            Layer.READINESS,
            "gang scheduling gives all pods of a workload 5 minutes to be ready, a timeout that cannot be changed, and "
            f"images such as that of {what} can take longer to pull: the workload is evicted and requeued, again and "
            "again",
            "set gangScheduling.policy to None, or pull the images onto the nodes beforehand",
            _GANG,
            severity=Severity.WARNING,
            related=[related(slow, "spec", what)],
        )


def _slow_to_start(cluster: Cluster) -> Iterator[Manifest]:
    """Yield what brings images for accelerators: runtimes, and work that names a queue."""
    for runtime in (*cluster.of(kinds.CLUSTER_RUNTIME), *cluster.of(kinds.RUNTIME)):
        if asks_for_accelerators(of_runtime(runtime.body)):
            yield runtime
    for kind in kinds.QUEUED:
        for work in cluster.of(kind):
            queued = labels_of(work).get(kinds.QUEUE_NAME)
            if queued and any(asks_for_accelerators(pods) for pods in pods_of(cluster, work)):
                yield work


def dashboard_without_kueue(cluster: Cluster, queues: Queues, manifest: Manifest) -> Iterator[Finding]:
    """disableKueue is true unless written: then managed projects are offered no hardware profile."""
    flag = get(manifest.body, "spec", "dashboardConfig", "disableKueue")
    if flag is False or not queues.managed_namespaces:
        return
    path = "spec.dashboardConfig" if flag is None else "spec.dashboardConfig.disableKueue"
    yield cluster.finding(
        manifest,
        "dashboard-without-kueue",
        Layer.READINESS,
        f"disableKueue is {'true by default' if flag is None else flag}, and projects are managed by Kueue "
        f"({some(queues.managed_namespaces)}): the dashboard offers no hardware profile there",
        "set spec.dashboardConfig.disableKueue to false",
        path,
    )
