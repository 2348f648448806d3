"""The kinds that checks ask for, as (group, kind); and what Kubernetes itself brings."""

from __future__ import annotations

from collections.abc import Mapping

Kind = tuple[str, str]

CLUSTER_QUEUE: Kind = ("kueue.x-k8s.io", "ClusterQueue")
COHORT: Kind = ("kueue.x-k8s.io", "Cohort")
LOCAL_QUEUE: Kind = ("kueue.x-k8s.io", "LocalQueue")
RESOURCE_FLAVOR: Kind = ("kueue.x-k8s.io", "ResourceFlavor")
TOPOLOGY: Kind = ("kueue.x-k8s.io", "Topology")
ADMISSION_CHECK: Kind = ("kueue.x-k8s.io", "AdmissionCheck")
PRIORITY_CLASS: Kind = ("kueue.x-k8s.io", "WorkloadPriorityClass")
MULTIKUEUE_CONFIG: Kind = ("kueue.x-k8s.io", "MultiKueueConfig")
MULTIKUEUE_CLUSTER: Kind = ("kueue.x-k8s.io", "MultiKueueCluster")
KUEUE: Kind = ("kueue.openshift.io", "Kueue")
DATA_SCIENCE_CLUSTER: Kind = ("datasciencecluster.opendatahub.io", "DataScienceCluster")
DSC_INITIALIZATION: Kind = ("dscinitialization.opendatahub.io", "DSCInitialization")
HARDWARE_PROFILE: Kind = ("infrastructure.opendatahub.io", "HardwareProfile")
DASHBOARD_CONFIG: Kind = ("opendatahub.io", "OdhDashboardConfig")
CLUSTER_RUNTIME: Kind = ("trainer.kubeflow.org", "ClusterTrainingRuntime")
RUNTIME: Kind = ("trainer.kubeflow.org", "TrainingRuntime")
TRAIN_JOB: Kind = ("trainer.kubeflow.org", "TrainJob")
PYTORCH_JOB: Kind = ("kubeflow.org", "PyTorchJob")
NOTEBOOK: Kind = ("kubeflow.org", "Notebook")
RAY_CLUSTER: Kind = ("ray.io", "RayCluster")
RAY_JOB: Kind = ("ray.io", "RayJob")
RAY_SERVICE: Kind = ("ray.io", "RayService")
LEADER_WORKER_SET: Kind = ("leaderworkerset.x-k8s.io", "LeaderWorkerSet")
SPARK_APPLICATION: Kind = ("sparkoperator.k8s.io", "SparkApplication")
INFERENCE_SERVICE: Kind = ("serving.kserve.io", "InferenceService")
LLM_INFERENCE_SERVICE: Kind = ("serving.kserve.io", "LLMInferenceService")
SERVING_RUNTIME: Kind = ("serving.kserve.io", "ServingRuntime")
CLUSTER_SERVING_RUNTIME: Kind = ("serving.kserve.io", "ClusterServingRuntime")
DEFINITION: Kind = ("apiextensions.k8s.io", "CustomResourceDefinition")
NAMESPACE: Kind = ("", "Namespace")
NODE: Kind = ("", "Node")
LIMIT_RANGE: Kind = ("", "LimitRange")
SERVICE_ACCOUNT: Kind = ("", "ServiceAccount")
CLUSTER_ROLE: Kind = ("rbac.authorization.k8s.io", "ClusterRole")
ROLE: Kind = ("rbac.authorization.k8s.io", "Role")
CLUSTER_ROLE_BINDING: Kind = ("rbac.authorization.k8s.io", "ClusterRoleBinding")
ROLE_BINDING: Kind = ("rbac.authorization.k8s.io", "RoleBinding")
ADMISSION_POLICY: Kind = ("admissionregistration.k8s.io", "ValidatingAdmissionPolicy")
ADMISSION_POLICY_BINDING: Kind = ("admissionregistration.k8s.io", "ValidatingAdmissionPolicyBinding")
SUBSCRIPTION: Kind = ("operators.coreos.com", "Subscription")
OPERATOR_GROUP: Kind = ("operators.coreos.com", "OperatorGroup")
APPLICATION: Kind = ("argoproj.io", "Application")
APP_PROJECT: Kind = ("argoproj.io", "AppProject")

WORKLOADS: tuple[Kind, ...] = (
    TRAIN_JOB,
    PYTORCH_JOB,
    NOTEBOOK,
    RAY_CLUSTER,
    RAY_JOB,
    INFERENCE_SERVICE,
    LLM_INFERENCE_SERVICE,
    ("batch", "Job"),
    ("jobset.x-k8s.io", "JobSet"),
    ("kubeflow.org", "MPIJob"),
    ("kubeflow.org", "TFJob"),
    ("kubeflow.org", "XGBoostJob"),
    ("kubeflow.org", "PaddleJob"),
    ("kubeflow.org", "JAXJob"),
    LEADER_WORKER_SET,
    RAY_SERVICE,
    SPARK_APPLICATION,
)
PLAIN: tuple[Kind, ...] = (("apps", "Deployment"), ("apps", "StatefulSet"), ("", "Pod"))
"""Kinds of all purposes: Kueue's only where they name a queue."""

QUEUED: tuple[Kind, ...] = (*WORKLOADS, *PLAIN)
OWNERS: tuple[Kind, ...] = (NOTEBOOK, INFERENCE_SERVICE, LLM_INFERENCE_SERVICE)
"""Kinds that Kueue does not know: it labels and counts what their controllers make of them."""

FRAMEWORKS: Mapping[Kind, tuple[str, ...]] = {
    NOTEBOOK: ("StatefulSet", "Pod"),
    INFERENCE_SERVICE: ("Deployment", "Pod"),
    LLM_INFERENCE_SERVICE: ("Deployment", "LeaderWorkerSet", "Pod"),
    RAY_SERVICE: ("RayService", "RayCluster"),
    ("batch", "Job"): ("BatchJob",),
    ("kubeflow.org", "JAXJob"): ("JaxJob",),
}
"""The frameworks of Kueue through which it sees a kind, where they are not called like it."""

CLUSTER_SCOPED: frozenset[Kind] = frozenset(
    (
        CLUSTER_QUEUE,
        COHORT,
        RESOURCE_FLAVOR,
        TOPOLOGY,
        ADMISSION_CHECK,
        PRIORITY_CLASS,
        MULTIKUEUE_CONFIG,
        MULTIKUEUE_CLUSTER,
        ("kueue.x-k8s.io", "ProvisioningRequestConfig"),
        KUEUE,
        DATA_SCIENCE_CLUSTER,
        DSC_INITIALIZATION,
        CLUSTER_RUNTIME,
        CLUSTER_SERVING_RUNTIME,
        ("operator.openshift.io", "JobSetOperator"),
        ("operator.openshift.io", "LeaderWorkerSetOperator"),
        ("services.platform.opendatahub.io", "Auth"),
        ("services.platform.opendatahub.io", "GatewayConfig"),
        DEFINITION,
        NAMESPACE,
        NODE,
        ("scheduling.k8s.io", "PriorityClass"),
        CLUSTER_ROLE,
        CLUSTER_ROLE_BINDING,
        ADMISSION_POLICY,
        ADMISSION_POLICY_BINDING,
    )
)
"""Kinds of which the server drops a namespace, such as the one that Kustomize writes on every kind unknown to it."""

QUEUE_NAME = "kueue.x-k8s.io/queue-name"
PRIORITY_LABEL = "kueue.x-k8s.io/priority-class"
MAX_EXEC_TIME = "kueue.x-k8s.io/max-exec-time-seconds"
DEFAULT_QUEUE = "kueue.x-k8s.io/default-queue"
MANAGED_LABEL = "kueue.openshift.io/managed"
LEGACY_MANAGED_LABEL = "kueue-managed"
NAME_LABEL = "kubernetes.io/metadata.name"
PROFILE_NAME = "opendatahub.io/hardware-profile-name"
PROFILE_NAMESPACE = "opendatahub.io/hardware-profile-namespace"
CORE_RESOURCES = frozenset(("cpu", "memory", "ephemeral-storage", "storage", "pods"))

_BUILT_IN = frozenset(("", "apps", "batch", "autoscaling", "policy"))


def kind_of(body: object) -> Kind:
    """Return group and kind of an object; ("", "") for what has neither."""
    if not isinstance(body, dict):
        return "", ""
    version, kind = body.get("apiVersion"), body.get("kind")
    group = version.rpartition("/")[0] if isinstance(version, str) else ""
    return group, kind if isinstance(kind, str) else ""


def is_built_in(group: str) -> bool:
    """Whether every cluster serves the group without an operator's CRDs."""
    return group in _BUILT_IN or (group.endswith(".k8s.io") and not group.endswith("x-k8s.io"))
