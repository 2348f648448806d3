"""Kinds of work that may ask for accelerators: where their pods are, and whose label Kueue reads.

Source: CRDs of OpenShift AI, JobSet and LeaderWorkerSet by release; Kueue documentation, Run workloads; facts of
runtimes, section 8 (which labels are passed on to pods).
"""

from __future__ import annotations

from generator.emit.admission import CHANGES
from generator.emit.guardrails import QUEUE_NAME
from generator.frozen import dataclass

POD = "Pod"
_REPLICAS = ("pytorch", "tf", "mpi", "xgb", "paddle", "jax")


def label(path: str) -> str:
    """Return CEL for the queue's name in the labels of what a path leads to, optional all the way; "" without one."""
    return f"{path}.?labels['{QUEUE_NAME}'].orValue('')"


@dataclass(frozen=True, slots=True)
class Judged:
    """A kind; Kueue reads the queue's name from its own label if one of its `frameworks` is watched."""

    group: str
    kind: str
    frameworks: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Shape:
    """Kinds that are alike, by CEL over an object `o` of one.

    `own` is the queue's name in its own label, which stands in `where`. `templates` is a list of lists of pod
    templates; None: they stand in another object.
    """

    name: str
    kinds: tuple[Judged, ...]
    templates: str | None
    own: str = label("o.metadata")
    where: str = "metadata.labels"
    operations: tuple[str, ...] = CHANGES


SHAPES = (
    # what a pod asks for is fixed
    Shape("pods", (Judged("", "Pod", (POD,)),), "[[o]]", operations=("CREATE",)),
    Shape(
        "templates",
        (
            Judged("apps", "DaemonSet"),
            Judged("apps", "Deployment", ("Deployment",)),
            Judged("apps", "ReplicaSet"),
            Judged("apps", "StatefulSet", ("StatefulSet",)),
            Judged("apps.openshift.io", "DeploymentConfig"),
            Judged("batch", "Job", ("BatchJob",)),
            Judged("", "ReplicationController"),
            Judged("kubeflow.org", "Notebook", ("StatefulSet", POD)),  # its labels are those of its StatefulSet and pod
            Judged("serving.knative.dev", "Configuration"),
            Judged("serving.knative.dev", "Service"),
        ),
        "[[?o.spec.?template]]",
    ),
    Shape(
        "cronjobs",
        (Judged("batch", "CronJob", ("BatchJob",)),),
        "[[?o.spec.jobTemplate.?spec.?template]]",
        label("o.spec.jobTemplate.?metadata"),
        "spec.jobTemplate.metadata.labels",
    ),
    Shape(
        "ray",
        (
            Judged("ray.io", "RayCluster", ("RayCluster",)),
            Judged("ray.io", "RayJob", ("RayJob",)),
            Judged("ray.io", "RayService", ("RayService",)),
        ),
        "[[?o.spec.?submitterPodTemplate]] + "
        "(o.kind == 'RayCluster' ? [o.spec] : [?o.spec.?rayClusterSpec, ?o.spec.?rayClusterConfig])"
        ".map(s, [?s.?headGroupSpec.?template] + s.?workerGroupSpecs.orValue([]).map(w, w.?template.orValue({})))",
    ),
    Shape(
        "training-jobs",
        (
            Judged("kubeflow.org", "JAXJob", ("JaxJob",)),
            *(
                Judged("kubeflow.org", kind, (kind,))
                for kind in ("MPIJob", "PaddleJob", "PyTorchJob", "TFJob", "XGBoostJob")
            ),
        ),
        f"[{', '.join(f'?o.spec.?{name}ReplicaSpecs' for name in _REPLICAS)}]"
        ".map(s, s.map(k, s[k].?template.orValue({})))",
    ),
    Shape(
        "jobsets",
        (Judged("jobset.x-k8s.io", "JobSet", ("JobSet",)),),
        "[o.spec.?replicatedJobs.orValue([]).map(j, j.template.?spec.?template.orValue({}))]",
    ),
    Shape(
        "leaderworkersets",
        (Judged("leaderworkerset.x-k8s.io", "LeaderWorkerSet", ("LeaderWorkerSet",)),),
        "[[?o.spec.?leaderWorkerTemplate.?leaderTemplate, ?o.spec.?leaderWorkerTemplate.?workerTemplate]]",
    ),
    Shape(
        "by-reference",
        (
            Judged("serving.kserve.io", "InferenceService", ("Deployment", POD)),
            Judged("serving.kserve.io", "LLMInferenceService", ("Deployment", "LeaderWorkerSet")),
            Judged("trainer.kubeflow.org", "TrainJob", ("TrainJob",)),
            Judged("workload.codeflare.dev", "AppWrapper", ("AppWrapper",)),
        ),
        None,
    ),
)
OWNERS = (*sorted({judged.kind for shape in SHAPES for judged in shape.kinds}), "Revision")
"""Kinds that are judged, or that only the controller of one makes."""
