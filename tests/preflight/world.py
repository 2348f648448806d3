"""A small environment, and the live cluster that it makes once it is synced."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from generator.emit import expectation
from generator.environment.load import load
from generator.kustomize import Overlay, build
from generator.plan.resolve import resolve
from generator.preflight.client import NotServedError, UnreadError
from generator.preflight.expected import Expected, parsed
from tests.preflight.server import Fake

Object = dict[str, Any]
KUEUE = "kueue.x-k8s.io/v1beta2"

FLEET = """\
apiVersion: apportion.dev/v1
kind: Fleet
priorities:
  - {name: training, value: 100}
  - {name: batch, value: 10}
profiles:
  - name: h100-one
    displayName: One H100
    pool: h100
    queue: training
    visibleTo: [model-serving]
    cpu: {min: 2, default: 8, max: 20}
    memory: {min: 8Gi, default: 64Gi, max: 200Gi}
    accelerators: {min: 1, default: 1, max: 1}
---
apiVersion: apportion.dev/v1
kind: Team
name: vision
contact: vision@example.com
costCenter: "1"
admins: {groups: [vision-admins]}
---
apiVersion: apportion.dev/v1
kind: Team
name: speech
contact: speech@example.com
costCenter: "1"
admins: {groups: [speech-admins]}
"""
ENVIRONMENT = """\
apiVersion: apportion.dev/v1
kind: Environment
name: prod
platform: {openshift: "4.20", openshiftAI: "3.4", kueue: "1.3", gitops: "1.18"}
components: {dashboard: {}, workbenches: {}}
operators:
  kueue: {approval: Manual, startingCSV: kueue-operator.v1.3.1}
  openshift-ai: {approval: Manual, startingCSV: rhods-operator.3.4.4}
repository: {url: https://git.example.com/platform/ai-gitops.git}
"""
INVENTORY = """\
apiVersion: apportion.dev/v1
kind: Inventory
pools:
  - name: h100
    accelerator: nvidia-h100-80gb
    nodes: 4
    perNode: {accelerators: 8, cpu: 104, memory: 1000Gi}
    reserve: {perNode: {cpu: 8, memory: 40Gi}}
    nodeLabels: {nvidia.com/gpu.product: NVIDIA-H100-80GB-HBM3}
    taints: [{key: nvidia.com/gpu, effect: NoSchedule}]
  - name: a100-mig
    accelerator: nvidia-a100-80gb
    nodes: 1
    perNode: {accelerators: 8, cpu: 112, memory: 1000Gi}
    nodeLabels: {nvidia.com/gpu.product: NVIDIA-A100-SXM4-80GB}
    taints: [{key: nvidia.com/gpu, effect: NoSchedule}]
    mig: {strategy: mixed, layout: {1g.10gb: 7}}
  - name: general
    nodes: 2
    perNode: {cpu: 32, memory: 128Gi}
    nodeLabels: {node.example.com/pool: general}
"""
QUOTAS = """\
apiVersion: apportion.dev/v1
kind: Quotas
cohorts: [{name: org}]
teams:
  - team: vision
    cohort: org
    namespaces: [{name: vision-train, defaultQueue: training}]
    queues:
      - name: training
        use: training
        namespaces: [vision-train]
        quota: {h100: {accelerators: 16}, a100-mig: {slices: {1g.10gb: 56}}, general: {cpu: 16, memory: 64Gi}}
  - team: speech
    cohort: org
    namespaces: [{name: speech-train, defaultQueue: training}]
    queues:
      - name: training
        use: training
        namespaces: [speech-train]
        quota: {h100: {accelerators: 16}}
"""
FILES: Mapping[str, str] = {
    "environments/fleet.yaml": FLEET,
    "environments/prod/environment.yaml": ENVIRONMENT,
    "environments/prod/inventory.yaml": INVENTORY,
    "environments/prod/quotas.yaml": QUOTAS,
}


def written(root: Path, **changes: tuple[str, str]) -> Path:
    """Write the environment, with one text replaced in the named files ("quotas", "inventory", …)."""
    for path, text in FILES.items():
        if change := changes.get(Path(path).stem):
            assert change[0] in text
            text = text.replace(*change)
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text, encoding="utf-8")
    return root


def overlay(**changes: tuple[str, str]) -> Overlay:
    """Compile the environment without a disk."""
    files = dict(FILES)
    for path, text in FILES.items():
        if change := changes.get(Path(path).stem):
            assert change[0] in text
            files[path] = text.replace(*change)
    if "extra" in changes:
        files["environments/prod/extra/own.yaml"] = changes["extra"][1]
    given, findings = load({path: text.encode() for path, text in files.items()})
    assert findings == []
    plan, findings = resolve(given.environments["prod"], None)
    assert plan is not None, findings
    return build(plan)[0]


def expected(**changes: tuple[str, str]) -> Expected:
    found = overlay(**changes)
    return parsed(json.loads(json.dumps(expectation.whole(found.plan, found.synced))))


def synced(found: Overlay) -> list[Object]:
    """Return the objects as they live once all of it is synced and every controller has done its part."""
    objects: list[Object] = json.loads(json.dumps([m.body for leaf in found.synced for m in leaf.objects()]))
    for each in objects:
        labels = each["metadata"].setdefault("labels", {})
        labels |= {"apportion.dev/environment": found.plan.name}  # as the overlay's transformer does to bases
    subscriptions = {s.operator.package: s for s in found.plan.subscriptions}
    for each in [o for o in objects if o["kind"] == "Subscription"]:
        subscription = subscriptions[each["spec"]["name"]]
        csv = subscription.starting_csv or f"{subscription.operator.csv_prefix}9.9.9"
        each["spec"] |= {"channel": subscription.channel, "installPlanApproval": subscription.approval}
        each["status"] = {"installedCSV": csv, "currentCSV": csv, "state": "AtLatestKnown"}
        objects.append(version_of(csv, each["metadata"]["namespace"]))
    return objects + nodes()


def version_of(csv: str, namespace: str, phase: str = "Succeeded") -> Object:
    metadata = {"name": csv, "namespace": namespace}
    return {
        "apiVersion": "operators.coreos.com/v1alpha1",
        "kind": "ClusterServiceVersion",
        "metadata": metadata,
        "status": {"phase": phase},
    }


def nodes() -> list[Object]:
    """Return nodes exactly as the inventory says."""
    h100 = {"nvidia.com/gpu": "8", "cpu": "104", "memory": "1000Gi"}
    a100 = {"nvidia.com/mig-1g.10gb": "56", "cpu": "112", "memory": "1000Gi"}
    general = {"cpu": "32", "memory": "128Gi"}
    product = "nvidia.com/gpu.product"
    return [
        *(node(f"h100-{i}", {product: "NVIDIA-H100-80GB-HBM3"}, h100, tainted=True) for i in range(4)),
        node("a100-0", {product: "NVIDIA-A100-SXM4-80GB"}, a100, tainted=True),
        *(node(f"general-{i}", {"node.example.com/pool": "general"}, general) for i in range(2)),
        node("master-0", {"node-role.kubernetes.io/master": ""}, general),
    ]


def node(name: str, labels: Mapping[str, str], allocatable: Mapping[str, str], *, tainted: bool = False) -> Object:
    taints = [{"key": "nvidia.com/gpu", "effect": "NoSchedule"}] if tainted else []
    return {
        "apiVersion": "v1",
        "kind": "Node",
        "metadata": {"name": name, "labels": dict(labels)},
        "spec": {"taints": taints},
        "status": {"allocatable": dict(allocatable), "conditions": [{"type": "Ready", "status": "True"}]},
    }


def served(objects: list[Object]) -> Iterator[tuple[str, str]]:
    """Yield apiVersion and kind of all objects, and of what clusters have besides."""
    yield from {(o["apiVersion"], o["kind"]) for o in objects}
    yield from (
        ("apps/v1", "Deployment"),
        ("v1", "Pod"),
        ("v1", "PersistentVolumeClaim"),
        ("kueue.x-k8s.io/v1beta2", "Workload"),
    )
    yield from (("kueue.x-k8s.io/v1beta2", "LocalQueue"), ("kueue.x-k8s.io/v1beta2", "Topology"))
    yield from (("kubeflow.org/v1", "Notebook"), ("serving.kserve.io/v1beta1", "InferenceService"))


def find(objects: list[Object], kind: str, name: str) -> Object:
    return next(o for o in objects if (o["kind"], o["metadata"]["name"]) == (kind, name))


def reserving(queue: Object, flavor: str, resource: str, total: str) -> None:
    """Let a ClusterQueue hold quota."""
    entry = {"name": flavor, "resources": [{"name": resource, "total": total, "borrowed": "0"}]}
    queue.setdefault("status", {}).setdefault("flavorsReservation", []).append(entry)
    queue["status"] |= {"reservingWorkloads": 1, "admittedWorkloads": 1}


SERVER = "https://api.prod.example.com:6443"


class Direct:
    """A client that asks a fake server without a connection; `forbidden` paths end so."""

    def __init__(self, fake: Fake, forbidden: tuple[str, ...] = ()) -> None:
        self.fake, self.forbidden = fake, forbidden
        self.asked: set[str] = set()
        self.server = SERVER

    def get(self, path: str, query: Mapping[str, str] | None = None) -> Object:
        self.asked.add(path)
        if path.endswith(self.forbidden or ("\0",)):
            raise UnreadError("the account may not (403 Forbidden)")
        status, body = self.fake.answer(path, dict(query or {}))
        if status != 200:
            raise NotServedError(path)
        return body

    def all_of(self, path: str, query: Mapping[str, str] | None = None) -> list[Object]:
        items: list[Object] = self.get(path, query)["items"]
        return items
