"""Small environments of every pair of releases: with every kind of input that the pair allows, or with no component."""

from __future__ import annotations

import json
from typing import Any

from generator.releases import load
from generator.releases.model import Kueue, OpenShiftAI

FULL = [(ai, kueue, False) for ai in load.known("openshift-ai") for kueue in load.known("kueue")]
BARE = [(ai, "1.3", True) for ai in load.known("openshift-ai")]
GITOPS = dict(zip(load.known("kueue"), ("1.16", "1.18", "1.19", "1.20", "1.21"), strict=True))
API = "apportion.dev/v1"
TAINT = [{"key": "nvidia.com/gpu", "effect": "NoSchedule"}]


def files(openshift_ai: str, kueue: str, bare: bool) -> dict[str, bytes]:
    """Return the input files of an environment; JSON is YAML. With `bare`, every component is Removed."""
    ai, queues = load.openshift_ai(openshift_ai), load.kueue(kueue)
    assert ai is not None
    assert queues is not None
    documents = {
        "fleet": fleet(ai),
        "teams/alpha": team("alpha"),
        "teams/beta": team("beta"),
        "x/environment": environment(ai, queues, {} if bare else components(ai, queues)),
        "x/inventory": inventory(queues),
        "x/quotas": quotas(queues),
    }
    check = {"apiVersion": queues.api, "kind": "AdmissionCheck", "metadata": {"name": "budget"}}
    texts = {f"environments/{path}.yaml": document for path, document in documents.items()}
    texts["environments/x/extra/check.yaml"] = {**check, "spec": {"controllerName": "example.com/budget"}}
    return {path: json.dumps(document).encode() for path, document in texts.items()}


def trainer(ai: OpenShiftAI, kueue: Kueue) -> bool:
    """Whether the pair runs TrainJobs: earlier releases of Kueue do not know them, 1.4 does not start them."""
    return ai.trainer is not None and kueue.version in ("1.2", "1.3")


def components(ai: OpenShiftAI, kueue: Kueue) -> dict[str, Any]:
    """Return all components of the release that the pair can run."""
    able: dict[str, Any] = {
        name: {} for name in ai.components if name != "kueue" and (name != "trainer" or trainer(ai, kueue))
    }
    serverless = {"kserve": {"serving": {"managementState": "Managed"}}}
    return {**able, **(serverless if ai.version == "2.25" else {})}


def environment(ai: OpenShiftAI, kueue: Kueue, enabled: dict[str, Any]) -> dict[str, Any]:
    """Return an environment on the newest OpenShift that both releases support."""
    known = [version for version in load.known("openshift") if version in ai.openshift and version in kueue.openshift]
    frameworks = [name for name in ("BatchJob", "JobSet", "LeaderWorkerSet") if name in kueue.frameworks]
    return {
        "apiVersion": API,
        "kind": "Environment",
        "name": "x",
        "platform": {
            "openshift": known[-1],
            "openshiftAI": ai.version,
            "kueue": kueue.version,
            "gitops": GITOPS[kueue.version],
        },
        "components": enabled,
        "operators": {"kueue": {"approval": "Manual", "startingCSV": kueue.csvs[-1]}},
        "kueue": {
            "gangScheduling": "ByWorkload",
            "frameworks": frameworks,
            "defaultQueue": {"general": {"cpu": 4}},
        },
        "repository": {"url": "https://git.example.com/x.git", "path": "ai"},
    }


def inventory(kueue: Kueue) -> dict[str, Any]:
    """Return a pool of each kind: whole cards of each vendor, MIG, time-slicing, MPS, CPU."""
    topology = {"topology": ["topology.kubernetes.io/zone", "kubernetes.io/hostname"]}
    pools = [
        pool("general", None, {"example.com/pool": "general"}),
        pool("h100", "nvidia-h100-80gb", {"nvidia.com/gpu.product": "NVIDIA-H100-80GB-HBM3"})
        | {"taints": TAINT}
        | (topology if "Topology" in kueue.kinds else {}),
        pool("a100", "nvidia-a100-80gb", {"nvidia.com/gpu.product": "NVIDIA-A100-SXM4-80GB"})
        | {"mig": {"strategy": "mixed", "layout": {"1g.10gb": 3, "2g.20gb": 2}}},
        pool("t4", "nvidia-t4-16gb", {"nvidia.com/gpu.product": "Tesla-T4-SHARED"}) | {"timeSlicing": {"replicas": 4}},
        pool("l40s", "nvidia-l40s-48gb", {"nvidia.com/gpu.product": "NVIDIA-L40S"})
        | {"mps": {"replicas": 2, "rename": True}},
        pool("mi300x", "amd-mi300x-192gb", {"amd.com/gpu.product-name": "AMD_Instinct_MI300X_OAM"})
        | {"taints": [{"key": "amd.com/gpu", "value": "yes", "effect": "NoExecute"}]},
        pool("gaudi3", "intel-gaudi3-128gb", {"example.com/pool": "gaudi3"}),
    ]
    return {"apiVersion": API, "kind": "Inventory", "pools": pools}


def pool(name: str, accelerator: str | None, labels: dict[str, str]) -> dict[str, Any]:
    """Return four nodes, one of them in reserve."""
    node = {"cpu": 68, "memory": "544Gi", "ephemeral-storage": "1Ti"}
    found: dict[str, Any] = {"name": name, "nodes": 4, "perNode": node, "nodeLabels": labels}
    found["reserve"] = {"nodes": 1, "perNode": {"cpu": 4, "memory": "32Gi"}}
    if accelerator is not None:
        found |= {"accelerator": accelerator, "perNode": {**node, "accelerators": 8}}
    return found


def fleet(ai: OpenShiftAI) -> dict[str, Any]:
    """Return priorities, profiles of every shape, and a runtime of each framework."""
    whole = {"framework": "torch", "image": "registry.example.com/ai/torch:1", "nodes": 2}
    frameworks = ai.trainer.frameworks if ai.trainer else {}
    runtimes: list[dict[str, Any]] = [
        {**whole, "name": f"run-{f}", "framework": f, "perNode": amounts(8, "32Gi")} for f in frameworks
    ]
    card = {**amounts(8, "32Gi"), "accelerators": 1}
    runtimes += [
        {**whole, "name": "run-h100", "pool": "h100", "perNode": card, "command": ["torchrun"], "args": ["train.py"]},
        {**whole, "name": "run-a100", "pool": "a100", "perNode": {**amounts(4, "16Gi"), "slices": {"2g.20gb": 1}}},
        {**whole, "name": "run-mi300x", "pool": "mi300x", "scope": "project", "perNode": card},
        {**whole, "name": "run-gaudi3", "pool": "gaudi3", "perNode": card, "env": [{"name": "DEBUG", "value": "on"}]},
        {**whole, "name": "run-l40s", "pool": "l40s", "perNode": {**card, "ephemeral-storage": "10Gi"}},
    ]
    pools: dict[str, dict[str, str]] = {
        "h100": {},
        "a100": {"slice": "1g.10gb"},
        "t4": {},
        "l40s": {},
        "mi300x": {},
        "gaudi3": {},
    }
    sizes = {
        "cpu": {"min": "500m", "default": 2, "max": 4},
        "memory": {"min": "1.5Gi", "default": "8Gi", "max": "16Gi"},
    }
    profiles: list[dict[str, Any]] = [{"name": "small", "pool": "general", "queue": "interactive", **sizes}]
    for name, extra in pools.items():
        queue = "training" if name == "h100" else "interactive"
        profiles.append({"name": name, "pool": name, "queue": queue, **sizes, "accelerators": {**extra, "default": 1}})
    profiles[1] |= {"visibleTo": ["model-serving"], "description": "One card", "disabled": True}
    values = {"serving": 1000, "interactive": 500, "training": 100, "batch": -10}
    classes = [{"name": name, "value": value, "description": f"{name} work"} for name, value in values.items()]
    return {
        "apiVersion": API,
        "kind": "Fleet",
        "priorities": classes,
        "profiles": profiles,
        "runtimes": runtimes if frameworks else [],
    }


def amounts(cpu: int, memory: str) -> dict[str, Any]:
    """Return cores and memory of a pod."""
    return {"cpu": cpu, "memory": memory}


def team(name: str) -> dict[str, Any]:
    """Return a team with people of every role."""
    people = {
        role: {"groups": [f"{name}-{role}"], "users": [f"{name}-{role}@example.com"]} for role in ("admins", "members")
    }
    about = {"displayName": f"Team {name}", "contact": f"{name}@example.com", "costCenter": "007"}
    return {"apiVersion": API, "kind": "Team", "name": name, **about, **people, "viewers": {"groups": ["audit"]}}


def quotas(kueue: Kueue) -> dict[str, Any]:
    """Return a team in a cohort with queues of every preset and every field of a queue, and one without a cohort."""
    preemption = {
        "withinClusterQueue": "LowerOrNewerEqualPriority",
        "reclaimWithinCohort": "LowerPriority",
        "borrowWithinCohort": {"policy": "LowerPriority", "maxPriorityThreshold": 50},
    }
    fungibility = {key: values[-1] for key, values in kueue.fungibility.items() if values}
    alpha = [
        {
            "name": "interactive",
            "quota": {
                "general": {"cpu": 16},
                "a100": {"slices": {"1g.10gb": 6, "2g.20gb": "10%"}},
                "t4": {"accelerators": 8},
                "l40s": {"accelerators": 4, "cpu": "12%"},
                "mi300x": {"accelerators": 4, "lend": "50%"},
                "gaudi3": {"accelerators": 4, "lend": 2},
            },
        },
        {
            "name": "training",
            "quota": {"h100": {"accelerators": 8, "borrow": 4, "lend": 0}},
            "preemption": preemption,
            "queueingStrategy": "StrictFIFO",
            "fairShareWeight": "1.5",
            "admissionChecks": ["budget"],
        },
        {
            "name": "batch",
            "quota": {"general": {"cpu": 32, "borrow": "50%"}, "mi300x": {"accelerators": 8}},
            "flavorFungibility": fungibility,
        },
        {"name": "serving", "stopPolicy": "Hold", "quota": {"general": {"cpu": 16, "memory": "100Gi"}}},
    ]
    spaces = [
        {
            "name": "alpha-one",
            "defaultQueue": "batch",
            "limitRange": {"persistentVolumeClaim": {"min": "1Gi", "max": "1.5Ti"}},
            "resourceQuota": {"requests.storage": "10Ti", "count/notebooks.kubeflow.org": 5},
        },
        {"name": "alpha-two", "displayName": "Two"},
    ]
    beta = {"name": "interactive", "use": "interactive", "quota": {"general": {"cpu": 8}}}
    tree: list[dict[str, Any]] = [{"name": "org"}]
    if "Cohort" in kueue.kinds:
        shared = {"h100": {"accelerators": 4, "lend": 2}, "general": {"cpu": 8, "borrow": 8}}
        tree = [
            {"name": "org", "quota": {"mi300x": {"accelerators": 4}}},
            {"name": "research", "parent": "org", "fairShareWeight": 2, "quota": shared},
        ]
    return {
        "apiVersion": API,
        "kind": "Quotas",
        "cohorts": tree,
        "teams": [
            {"team": "alpha", "cohort": tree[-1]["name"], "namespaces": spaces, "queues": alpha},
            {"team": "beta", "namespaces": [{"name": "beta"}], "queues": [beta]},
        ],
    }
