"""Every name in the built objects leads somewhere. None of these is checked when an object is created.

Source: facts of Kueue, section 5 (what becomes inactive); facts of faults A01 to A03, A45, A47.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from itertools import chain

from generator.finding import Finding, Layer, Related, Severity
from generator.frozen import dataclass
from generator.manifest import Manifest
from generator.spelling import hint
from generator.validate import kinds, shipped
from generator.validate.argo_references import check_argo
from generator.validate.cluster import Cluster, name_of, namespace_of, related
from generator.validate.effective_queue import is_profiled, queue_of
from generator.validate.kinds import Kind
from generator.validate.profiles import QUEUE_PATH, Profile, read_profiles
from generator.validate.queues import Queue, Queues, parent_of
from generator.validate.shape import get, mappings, text, texts
from generator.validate.status import has_topologies, needs_remote_topologies, remote_flavors
from generator.validate.train_jobs import reference as runtime_reference
from generator.validate.wording import MOST_NAMED, some

_PRIORITY = "spec.scheduling.kueue.priorityClass"
_PRIORITY_STEPS = _PRIORITY.split(".")
_PARAMETER_KINDS = {kind: ("kueue.x-k8s.io", kind) for kind in ("ProvisioningRequestConfig", "MultiKueueConfig")}


@dataclass(frozen=True, slots=True)
class Reference:
    """A name in an object that should be another object's."""

    source: Manifest
    path: str
    kind: Kind
    name: str
    namespace: str = ""
    through: str = ""


def every(cluster: Cluster, queues: Queues) -> Iterator[Reference]:
    """Yield the names that objects need others to have, whether these exist or not.

    Left out are LocalQueues of shared profiles, which are as many as there are namespaces, and roles not listed here.
    """
    roles = {name_of(m) for kind in (kinds.ROLE, kinds.CLUSTER_ROLE) for m in cluster.of(kind)}
    for queue in queues.all:
        yield from _of_cluster_queue(queue)
        yield Reference(queue.manifest, "spec.cohortName", kinds.COHORT, queue.cohort or "")
    for name, manifest in queues.cohorts.items():
        above = parent_of(manifest)
        yield Reference(manifest, "spec.parentName", kinds.COHORT, above if above and above != name else "")
    yield from _plain(cluster, queues)
    for profile in read_profiles(cluster):
        yield _priority(profile)
        if not profile.is_shared:
            yield _queue(profile)
    for binding in chain(cluster.of(kinds.ROLE_BINDING), cluster.of(kinds.CLUSTER_ROLE_BINDING)):
        if text(binding.body, "roleRef", "name") in roles:
            yield _role(binding)


def check(cluster: Cluster, queues: Queues) -> Iterator[Finding]:
    """Yield every name that leads nowhere."""
    for queue in queues.all:
        yield from _missing_of_cluster_queue(cluster, queues, queue)
    unread = _unread_topologies(cluster, queues)
    for reference in _plain(cluster, queues):
        if reference.kind != kinds.TOPOLOGY or name_of(reference.source) not in unread:
            yield from missing(cluster, reference)
    yield from _profiles(cluster, queues)
    yield from _roles(cluster)
    yield from check_argo(cluster)


def missing(cluster: Cluster, reference: Reference, so: str = "", also: Iterable[Related] = ()) -> Iterator[Finding]:
    """Yield a finding when a reference leads nowhere; `so` tells what comes of it."""
    if not reference.name or cluster.has(reference.kind, reference.name, reference.namespace):
        return
    if shipped.ships(cluster, reference.kind, reference.name):
        return
    what, so = reference.kind[1], so or shipped.elsewhere(cluster, reference.kind, reference.name)
    where = f" in namespace {reference.namespace}" if reference.namespace else ""
    source = f"{text(reference.source.body, 'kind')} {name_of(reference.source)}"
    yield cluster.finding(
        reference.source,
        f"missing-{_dashed(what)}",
        Layer.REFERENCE,
        f"{source} names {what} {reference.name}{reference.through}, which does not exist{where}{so}",
        remedy(cluster, reference),
        reference.path,
        related=also,
    )


def remedy(cluster: Cluster, reference: Reference) -> str:
    """Return what to do: the nearest name that exists, and a hint at a prefix that only the objects got."""
    names = sorted(cluster.names(reference.kind, reference.namespace))
    affixed = [name for name in names if _is_affixed(name, reference.name)]
    if affixed:
        return (
            f"did you mean {affixed[0]}? a namePrefix or nameSuffix renames objects and not the names that lead to "
            "them: write the full names and drop it"
        )
    if reference.kind == kinds.CLUSTER_RUNTIME:
        names = sorted({*names, *shipped.names(cluster)})
    known = ", ".join(names[:MOST_NAMED]) + (", …" if len(names) > MOST_NAMED else "")
    return f"{hint(reference.name, names)}known are {known or 'none'}; or declare it with --external"


def _is_affixed(name: str, part: str) -> bool:
    return name != part and (name.endswith(f"-{part}") or name.startswith(f"{part}-"))


def _dashed(kind: str) -> str:
    text_ = "".join(f"-{c.lower()}" if c.isupper() else c for c in kind)
    return text_.lstrip("-")


def _of_cluster_queue(queue: Queue) -> Iterator[Reference]:
    for flavor in queue.flavors:
        yield Reference(queue.manifest, f"{flavor.path}.name", kinds.RESOURCE_FLAVOR, flavor.name)
    for check_ in queue.checks:
        yield Reference(queue.manifest, check_.path, kinds.ADMISSION_CHECK, check_.name)


def _missing_of_cluster_queue(cluster: Cluster, queues: Queues, queue: Queue) -> Iterator[Finding]:
    """Yield missing flavors and checks: one of them stops the whole queue."""
    spaces = sorted({local.namespace for local in queues.by_queue.get(queue.name, ())})
    so = ": the queue is inactive, and nothing behind it starts"
    if spaces:
        so += f" (namespaces {some(spaces)})"
    for reference in _of_cluster_queue(queue):
        yield from missing(cluster, reference, so)


def _unread_topologies(cluster: Cluster, queues: Queues) -> Collection[str]:
    """Return the flavors whose topology Kueue never looks for; that it does nothing is told elsewhere."""
    if not has_topologies(cluster.target):
        return cluster.names(kinds.RESOURCE_FLAVOR)
    return () if needs_remote_topologies(cluster.target) else remote_flavors(cluster, queues)


def _plain(cluster: Cluster, queues: Queues) -> Iterator[Reference]:
    for local in queues.local:
        yield Reference(local.manifest, "spec.clusterQueue", kinds.CLUSTER_QUEUE, local.queue)
    for manifest in cluster.of(kinds.RESOURCE_FLAVOR):
        name = text(manifest.body, "spec", "topologyName")
        yield Reference(manifest, "spec.topologyName", kinds.TOPOLOGY, name)
    for manifest in cluster.of(kinds.COHORT):
        for index, group in mappings(manifest.body, "spec", "resourceGroups"):
            for number, flavor in mappings(group, "flavors"):
                path = f"spec.resourceGroups[{index}].flavors[{number}].name"
                yield Reference(manifest, path, kinds.RESOURCE_FLAVOR, text(flavor, "name"))
    yield from _admission_checks(cluster)
    for kind in kinds.QUEUED:
        for manifest in cluster.of(kind):
            yield from _workload(cluster, manifest, kind)


def _admission_checks(cluster: Cluster) -> Iterator[Reference]:
    for manifest in cluster.of(kinds.ADMISSION_CHECK):
        parameters = get(manifest.body, "spec", "parameters")
        kind = _PARAMETER_KINDS.get(text(parameters, "kind"))
        if kind:
            yield Reference(manifest, "spec.parameters.name", kind, text(parameters, "name"))
    for manifest in cluster.of(kinds.MULTIKUEUE_CONFIG):
        for index, name in enumerate(texts(manifest.body, "spec", "clusters")):
            yield Reference(manifest, f"spec.clusters[{index}]", kinds.MULTIKUEUE_CLUSTER, name)


def _workload(cluster: Cluster, manifest: Manifest, kind: Kind) -> Iterator[Reference]:
    space, body = namespace_of(manifest), manifest.body
    profile = text(body, "metadata", "annotations", kinds.PROFILE_NAME) if is_profiled(kind, cluster.target) else ""
    home = text(body, "metadata", "annotations", kinds.PROFILE_NAMESPACE) or space
    by_profile = f"metadata.annotations[{kinds.PROFILE_NAME}]"
    yield Reference(manifest, by_profile, kinds.HARDWARE_PROFILE, profile, home)
    written = text(body, "metadata", "labels", kinds.QUEUE_NAME)
    queue = queue_of(cluster, manifest) if profile else written
    if queue == written and not (profile and cluster.find(kinds.HARDWARE_PROFILE, profile, home) is None):
        yield Reference(manifest, f"metadata.labels[{kinds.QUEUE_NAME}]", kinds.LOCAL_QUEUE, written, space)
    elif queue and queue != written:  # which a profile writes over the label
        yield Reference(manifest, by_profile, kinds.LOCAL_QUEUE, queue, space, f" through its profile {profile}")
    priority = text(body, "metadata", "labels", kinds.PRIORITY_LABEL)
    yield Reference(manifest, f"metadata.labels[{kinds.PRIORITY_LABEL}]", kinds.PRIORITY_CLASS, priority)
    if kind == kinds.TRAIN_JOB:
        yield Reference(manifest, "spec.runtimeRef.name", *runtime_reference(body, space))
    if kind == kinds.INFERENCE_SERVICE:
        path = "spec.predictor.model.runtime"
        yield Reference(manifest, path, kinds.SERVING_RUNTIME, text(body, *path.split(".")), space)


def _profiles(cluster: Cluster, queues: Queues) -> Iterator[Finding]:
    """Yield profiles whose LocalQueue is absent where their workloads would look for it: in their own namespace."""
    for profile in read_profiles(cluster):
        yield from missing(cluster, _priority(profile))
        if not profile.local_queue or not cluster.is_known(kinds.LOCAL_QUEUE):
            continue
        if profile.is_shared:
            yield from _shared_profile(cluster, queues, profile)
        else:
            yield from missing(cluster, _queue(profile), ": what uses the profile waits for ever")


def _priority(profile: Profile) -> Reference:
    name = text(profile.manifest.body, *_PRIORITY_STEPS)
    return Reference(profile.manifest, _PRIORITY, kinds.PRIORITY_CLASS, name)


def _queue(profile: Profile) -> Reference:
    return Reference(profile.manifest, QUEUE_PATH, kinds.LOCAL_QUEUE, profile.local_queue, profile.namespace)


def _shared_profile(cluster: Cluster, queues: Queues, profile: Profile) -> Iterator[Finding]:
    """A global profile needs its queue in every managed namespace."""
    queue = profile.local_queue
    spaces = sorted(queues.managed_namespaces.keys() | queues.by_namespace.keys())
    with_it = {space for space in spaces if cluster.has(kinds.LOCAL_QUEUE, queue, space)}
    without = [space for space in spaces if space not in with_it]
    if not without or cluster.is_external(kinds.LOCAL_QUEUE, queue):
        return
    if not with_it:
        names = sorted({local.name for local in queues.local})
        yield cluster.finding(
            profile.manifest,
            "missing-local-queue",
            Layer.REFERENCE,
            f"profile {profile.name} submits to LocalQueue {queue}, which no namespace has: what uses it never starts",
            f"{hint(queue, names)}add LocalQueue {queue} to each namespace that may use the profile, or name one of "
            f"{', '.join(names) or 'none'}",
            QUEUE_PATH,
        )
        return
    places = [
        related(queues.managed_namespaces[space], "", f"{space} has no LocalQueue {queue}")
        for space in without[:MOST_NAMED]
        if space in queues.managed_namespaces
    ]
    yield cluster.finding(
        profile.manifest,
        "local-queue-missing-in-namespace",
        Layer.REFERENCE,
        f"profile {profile.name} is offered everywhere and submits to LocalQueue {queue}, which is missing in "
        f"{some(without)}: there it vanishes, or its workloads wait for ever",
        "add the LocalQueue there, or move the profile into the namespaces that have it",
        QUEUE_PATH,
        severity=Severity.WARNING,
        related=places,
    )


def _roles(cluster: Cluster) -> Iterator[Finding]:
    """Yield bindings to roles and accounts that do not exist; of ClusterRoles only what looks like a misspelling."""
    for kind in (kinds.ROLE_BINDING, kinds.CLUSTER_ROLE_BINDING):
        for manifest in cluster.of(kind):
            space = namespace_of(manifest)
            role = _role(manifest)
            if role.kind == kinds.ROLE:
                yield from missing(cluster, role)
            elif not cluster.whole:
                yield from _misspelt_role(cluster, manifest, role.name)
            yield from _subjects(cluster, manifest, space)


def _role(binding: Manifest) -> Reference:
    reference = get(binding.body, "roleRef")
    is_local = text(reference, "kind") == kinds.ROLE[1]
    kind, space = (kinds.ROLE, namespace_of(binding)) if is_local else (kinds.CLUSTER_ROLE, "")
    return Reference(binding, "roleRef.name", kind, text(reference, "name"), space)


def _misspelt_role(cluster: Cluster, manifest: Manifest, role: str) -> Iterator[Finding]:
    """The platform brings ClusterRoles that nobody lists here, so only one letter off from a listed one is suspect."""
    names = cluster.names(kinds.CLUSTER_ROLE)
    if not role or role in names or cluster.is_external(kinds.CLUSTER_ROLE, role):
        return
    twins = [name for name in names if _is_one_letter_off(role, name)]
    if twins:
        yield cluster.finding(
            manifest,
            "missing-cluster-role",
            Layer.REFERENCE,
            f"{text(manifest.body, 'kind')} {name_of(manifest)} names ClusterRole {role}, which is not listed here",
            f"did you mean {twins[0]}? or declare it with --external",
            "roleRef.name",
            severity=Severity.WARNING,
        )


def _is_one_letter_off(one: str, other: str) -> bool:
    if abs(len(one) - len(other)) > 1:
        return False
    short, long = sorted((one, other), key=len)
    at = next((i for i, (a, b) in enumerate(zip(short, long, strict=False)) if a != b), len(short))
    return short[at + (len(short) == len(long)) :] == long[at + 1 :]


def _subjects(cluster: Cluster, manifest: Manifest, space: str) -> Iterator[Finding]:
    """A ServiceAccount of a namespace whose accounts are listed here exists, or is one that the platform makes."""
    for index, subject in mappings(manifest.body, "subjects"):
        if text(subject, "kind") != kinds.SERVICE_ACCOUNT[1]:
            continue
        name, home = text(subject, "name"), text(subject, "namespace") or space
        if cluster.names(kinds.SERVICE_ACCOUNT, home) and name not in ("default", "builder", "deployer"):
            path = f"subjects[{index}].name"
            yield from missing(cluster, Reference(manifest, path, kinds.SERVICE_ACCOUNT, name, home))
