"""Health checks in Lua for kinds that Argo CD has none for, as a merge patch for the user's own ArgoCD resource.

The scripts are in generator/health/. Without them an inactive queue shows as healthy, and waves do not wait.
"""

from __future__ import annotations

from functools import cache

from generator import facts
from generator.manifest import dump

SCRIPTS = {
    ("argoproj.io", "Application"): "application",
    ("datasciencecluster.opendatahub.io", "DataScienceCluster"): "platform",
    ("dscinitialization.opendatahub.io", "DSCInitialization"): "platform",
    ("jobset.x-k8s.io", "JobSet"): "job",
    ("kubeflow.org", "Notebook"): "notebook",
    ("kueue.openshift.io", "Kueue"): "kueue",
    ("kueue.x-k8s.io", "AdmissionCheck"): "active",
    ("kueue.x-k8s.io", "ClusterQueue"): "active",
    ("kueue.x-k8s.io", "LocalQueue"): "active",
    ("ray.io", "RayCluster"): "ray-cluster",
    ("trainer.kubeflow.org", "TrainJob"): "job",
}


@cache
def checks() -> str:
    """Return the patch: `oc patch argocd openshift-gitops -n openshift-gitops --type merge --patch-file …`."""
    texts = facts.texts("health")
    found = [{"group": group, "kind": kind, "check": texts[f"{name}.lua"]} for (group, kind), name in SCRIPTS.items()]
    return dump({"spec": {"resourceHealthChecks": found}})
