"""Guardrails of the accelerators: whatever kind asks for some in a managed namespace names its queue.

What is judged is whoever decides about a queue: the Deployment and not its pods, the RayCluster and not its head.
What a controller makes for an owner that was judged is left alone. That an object says so itself proves nothing:
anybody may write an owner's reference. So it counts only from an account of another namespace, as controllers are.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from generator.emit.admission import CHANGES, MANAGED, Guard, break_glass, literal, literals, rule, way_out
from generator.emit.guardrails import QUEUE_NAME
from generator.frozen import dataclass
from generator.plan.model import Plan

_OWN = f"o.metadata.?labels['{QUEUE_NAME}'].orValue('')"
_REPLICAS = ("pytorch", "tf", "mpi", "xgb", "paddle", "jax")
_SERVICE_ACCOUNT = "system:serviceaccount:"


@dataclass(frozen=True, slots=True)
class Shape:
    """Kinds that are alike: `resources` by API group, CEL over an object `o` of one for its queue's name and its pods.

    `pods` is a list of lists of pod specs; None: they stand in another object, so that a queue is needed in any case.
    """

    name: str
    resources: Mapping[str, tuple[str, ...]]
    pods: str | None
    queue: str = _OWN
    operations: tuple[str, ...] = CHANGES
    where: str = "metadata.labels"


# source: CRDs of OpenShift AI, JobSet and LeaderWorkerSet by release; Kueue documentation, Run workloads
SHAPES = (
    # what a pod asks for is fixed
    Shape("pods", {"": ("pods",)}, "[[o.spec]]", operations=("CREATE",)),
    Shape(
        "templates",
        {
            "apps": ("deployments", "statefulsets"),
            "batch": ("jobs",),
            "kubeflow.org": ("notebooks",),
            "serving.knative.dev": ("configurations", "services"),
        },
        "[[?o.spec.?template.?spec]]",
    ),
    # Kueue does not know these: it queues each of their pods, by the label that the template gives it
    Shape(
        "replicas",
        {
            "": ("replicationcontrollers",),
            "apps": ("daemonsets", "replicasets"),
            "apps.openshift.io": ("deploymentconfigs",),
        },
        "[[?o.spec.?template.?spec]]",
        f"o.spec.?template.?metadata.?labels['{QUEUE_NAME}'].orValue('')",
        where="spec.template.metadata.labels",
    ),
    Shape(
        "cronjobs",
        {"batch": ("cronjobs",)},
        "[[?o.spec.jobTemplate.?spec.?template.?spec]]",
        f"o.spec.jobTemplate.?metadata.?labels['{QUEUE_NAME}'].orValue('')",
        where="spec.jobTemplate.metadata.labels",
    ),
    Shape(
        "ray",
        {"ray.io": ("rayclusters", "rayjobs", "rayservices")},
        "[[?o.spec.?submitterPodTemplate.?spec]] + "
        "(o.kind == 'RayCluster' ? [o.spec] : [?o.spec.?rayClusterSpec, ?o.spec.?rayClusterConfig])"
        ".map(s, [?s.?headGroupSpec.?template.?spec] + "
        "s.?workerGroupSpecs.orValue([]).map(w, w.?template.?spec.orValue({})))",
    ),
    Shape(
        "training-jobs",
        {"kubeflow.org": ("jaxjobs", "mpijobs", "paddlejobs", "pytorchjobs", "tfjobs", "xgboostjobs")},
        f"[{', '.join(f'?o.spec.?{name}ReplicaSpecs' for name in _REPLICAS)}]"
        ".map(s, s.map(k, s[k].?template.?spec.orValue({})))",
    ),
    Shape(
        "jobsets",
        {"jobset.x-k8s.io": ("jobsets",)},
        "[o.spec.?replicatedJobs.orValue([]).map(j, j.template.?spec.?template.?spec.orValue({}))]",
    ),
    Shape(
        "leaderworkersets",
        {"leaderworkerset.x-k8s.io": ("leaderworkersets",)},
        "[[?o.spec.?leaderWorkerTemplate.?leaderTemplate.?spec, ?o.spec.?leaderWorkerTemplate.?workerTemplate.?spec]]",
    ),
    Shape(
        "by-reference",
        {
            "serving.kserve.io": ("inferenceservices", "llminferenceservices"),
            "trainer.kubeflow.org": ("trainjobs",),
            "workload.codeflare.dev": ("appwrappers",),
        },
        None,
    ),
)
# Kinds that are judged, or that only the controller of one makes.
OWNERS = (
    *(
        "ReplicaSet",
        "ReplicationController",
        "Deployment",
        "DeploymentConfig",
        "StatefulSet",
        "DaemonSet",
        "Job",
        "CronJob",
    ),
    *("Pod", "LeaderWorkerSet", "JobSet", "TrainJob", "Notebook", "RayCluster", "RayJob", "RayService", "AppWrapper"),
    *("JAXJob", "MPIJob", "PaddleJob", "PyTorchJob", "TFJob", "XGBoostJob"),
    *("InferenceService", "LLMInferenceService", "Service", "Configuration", "Revision"),
)


def need_a_queue(plan: Plan, resources: list[str]) -> Iterator[Guard]:
    """Yield a policy for each shape; `resources` are those that accelerators have as names.

    An update may leave as it is what was there before the policy: only what becomes wrong is refused.
    """
    for shape in SHAPES:
        what = "asks for accelerators" if shape.pods else "may ask for accelerators, through what it refers to,"
        plainly = (
            f"{what} and names no queue: set the label {QUEUE_NAME} in {shape.where} to the name of a LocalQueue "
            f"of the namespace{way_out(plan)}"
        )
        yield Guard(
            f"apportion-accelerators-need-a-queue-{shape.name}",
            [rule(group, "*", names, shape.operations) for group, names in shape.resources.items()],
            "variables.made || !variables.unqueued[0] || (size(variables.unqueued) == 2 && variables.unqueued[1])",
            f"request.kind.kind + ' ' + request.?name.orValue('') + {literal(f' {plainly}')}",
            f"this {plainly}",
            conditions=break_glass(plan),
            variables={
                "states": "request.operation == 'UPDATE' ? [object, oldObject] : [object]",
                "unqueued": f"variables.states.map(o, {_unqueued(shape, resources)})",
                "made": _made(),
            },
            namespaces=MANAGED,
        )


def _unqueued(shape: Shape, resources: list[str]) -> str:
    if shape.pods is None:
        return f"{shape.queue} == ''"
    return f"{shape.queue} == '' && ({shape.pods}).exists(ps, ps.exists(p, {_accelerated(resources)}))"


def _accelerated(resources: list[str]) -> str:
    """Return whether a pod `p` asks for one: as an extended resource, or by a claim, which does not say for what."""
    asked = " || ".join(f"string(c.?resources.?{part}[?r].orValue('0')) != '0'" for part in ("limits", "requests"))
    containers = "(p.?containers.orValue([]) + p.?initContainers.orValue([]))"
    return (
        f"{containers}.exists(c, {literals(resources)}.exists(r, {asked})) || size(p.?resourceClaims.orValue([])) > 0"
    )


def _made() -> str:
    """Return whether a controller asks, for an owner that was judged itself."""
    owned = (
        "object.metadata.?ownerReferences.orValue([])"
        f".exists(o, o.?controller.orValue(false) && o.kind in {literals(OWNERS)})"
    )
    return (
        f"{owned} && request.userInfo.username.startsWith('{_SERVICE_ACCOUNT}') && "
        f"!request.userInfo.username.startsWith('{_SERVICE_ACCOUNT}' + request.namespace + ':')"
    )
