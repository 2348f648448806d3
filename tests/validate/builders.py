"""The smallest cluster in which everything is right, to break one thing at a time."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from generator.finding import Finding, Location
from generator.manifest import Manifest
from generator.validate import admission, drift, patches, readiness, references
from generator.validate.cluster import Cluster, NodePool, Target
from generator.validate.nodes import pools
from generator.validate.queues import Queues
from tests.validate.manifests import target

Body = dict[str, Any]
KUEUE = "kueue.x-k8s.io/v1beta2"
ON_3_4 = target("openshiftAI=3.4,kueue=1.3")
GPU = "nvidia.com/gpu"
TAINT = {"key": GPU, "effect": "NoSchedule"}


def body(api: str, kind: str, name: str, space: str | None = None, **content: Any) -> Body:
    metadata: Body = {"name": name, **content.pop("metadata", {})}
    if space:
        metadata["namespace"] = space
    return {"apiVersion": api, "kind": kind, "metadata": metadata, **content}


def namespace(name: str = "vision", **labels: str) -> Body:
    return body("v1", "Namespace", name, metadata={"labels": {"kueue.openshift.io/managed": "true", **labels}})


def flavor(name: str = "a100", **spec: Any) -> Body:
    spec = {"nodeLabels": {"model": name}, "tolerations": [{"key": GPU, "operator": "Exists"}], **spec}
    return body(KUEUE, "ResourceFlavor", name, spec=spec)


def queue(name: str = "vision", flavors: Iterable[str] = ("a100",), gpus: str = "8", **spec: Any) -> Body:
    amounts = {"cpu": "64", "memory": "512Gi", GPU: gpus}
    resources = [{"name": key, "nominalQuota": value} for key, value in amounts.items()]
    group = {"coveredResources": list(amounts), "flavors": [{"name": f, "resources": resources} for f in flavors]}
    selector = {"matchLabels": {"kubernetes.io/metadata.name": name}}
    return body(KUEUE, "ClusterQueue", name, spec={"namespaceSelector": selector, "resourceGroups": [group], **spec})


def local_queue(name: str = "default", space: str = "vision", to: str = "vision", marked: bool = True) -> Body:
    marks = {"annotations": {"kueue.x-k8s.io/default-queue": "true"}} if marked else {}
    return body(KUEUE, "LocalQueue", name, space, metadata=marks, spec={"clusterQueue": to})


def profile(
    name: str = "one",
    gpus: int = 1,
    most: int = 1,
    to: str = "default",
    space: str = "redhat-ods-applications",
    feature: str = "model-serving",
) -> Body:
    counts = {"cpu": ("CPU", 1, 4), "memory": ("Memory", "1Gi", "8Gi"), GPU: ("Accelerator", gpus, most)}
    identifiers = [
        {
            "displayName": key,
            "identifier": key,
            "resourceType": kind,
            "minCount": low if key != GPU else 1,
            "defaultCount": low,
            "maxCount": high,
        }
        for key, (kind, low, high) in counts.items()
    ]
    notes = {"annotations": {"opendatahub.io/dashboard-feature-visibility": f'["{feature}"]'}}
    spec = {"identifiers": identifiers, "scheduling": {"type": "Queue", "kueue": {"localQueueName": to}}}
    return body("infrastructure.opendatahub.io/v1", "HardwareProfile", name, space, metadata=notes, spec=spec)


def runtime(name: str = "torch", gpus: int = 8, nodes: int = 1, **pod: Any) -> Body:
    container = {"name": "node", "image": "x", "resources": {"limits": {"cpu": "4", GPU: gpus}}}
    step = {"trainer.kubeflow.org/trainjob-ancestor-step": "trainer"}
    job = {"metadata": {"labels": step}, "spec": {"template": {"spec": {"containers": [container], **pod}}}}
    spec = {
        "mlPolicy": {"numNodes": nodes},
        "template": {"spec": {"replicatedJobs": [{"name": "node", "template": job}]}},
    }
    marks = {"labels": {"trainer.kubeflow.org/framework": "torch"}}
    return body("trainer.kubeflow.org/v1alpha1", "ClusterTrainingRuntime", name, metadata=marks, spec=spec)


def node(name: str, gpus: int = 8, labels: Body | None = None, **spec: Any) -> Body:
    status = {"allocatable": {"cpu": "64", "memory": "512Gi", GPU: str(gpus)}}
    marks = {"kubernetes.io/hostname": name, **({"model": "a100"} if labels is None else labels)}
    return body("v1", "Node", name, metadata={"labels": marks}, spec={"taints": [TAINT], **spec}, status=status)


def subscription(package: str, space: str = "openshift-operators", wave: int = 0) -> Body:
    marks = {"annotations": {"argocd.argoproj.io/sync-wave": str(wave)}}
    return body("operators.coreos.com/v1alpha1", "Subscription", package, space, metadata=marks, spec={"name": package})


def sound() -> list[Body]:
    return [namespace(), flavor(), queue(), local_queue()]


def cluster(
    bodies: Iterable[Body], on: Target = ON_3_4, folders: dict[str, list[Body]] | None = None, **more: Any
) -> Cluster:
    made = {id(b): Manifest(b, Location("cluster.yaml", index)) for index, b in enumerate(bodies, 1)}
    objects = list(made.values())
    held = {path: [made[id(b)] for b in content] for path, content in (folders or {}).items()}
    nodes: list[NodePool] = more.pop("pools", None) or pools(objects)
    return Cluster(objects, on, nodes, folders=held, **more)


def judged(of: Cluster) -> list[Finding]:
    """Return what everything but the schema engine says."""
    queues = Queues(of)
    return [
        *admission.check(of),
        *references.check(of, queues),
        *readiness.check(of, queues),
        *drift.check(of),
        *patches.check(of),
    ]


def rules(bodies: Iterable[Body], on: Target = ON_3_4, **more: Any) -> list[str]:
    return sorted(f"{f.severity} {f.rule}" for f in judged(cluster(bodies, on, **more)))
