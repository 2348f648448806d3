"""What Argo CD has to know of the kinds at hand, as a merge patch for the user's own ArgoCD resource.

All of it goes to `extraConfig`, whose keys are those of the ConfigMap argocd-cm: a merge patch leaves keys of others
alone, where it would replace their list `resourceHealthChecks`; and the operator writes `extraConfig` last.
Source: argoproj-labs/argocd-operator controllers/argocd/configmap.go, reconcileExistingArgoConfigMap;
Argo CD docs/operator-manual/{health,argocd-cm}.md, docs/user-guide/diffing.md.
"""

from __future__ import annotations

from functools import cache

from generator import facts
from generator.manifest import dump

# Scripts of generator/health/. Without them an inactive queue shows as healthy, and waves do not wait.
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
# Kueue's webhook and conversions spell quantities anew; Argo CD compares them as text unless it knows what they are.
_AMOUNTS = "spec.resourceGroups.flavors.resources"
_LIMITS = ("nominalQuota", "borrowingLimit", "lendingLimit")
_WITH_QUOTA = ("ClusterQueue", "Cohort")
# The label that was the default up to 2.14 is cut at 63 characters, and operators copy it to what they make.
_TRACKING = "annotation"


@cache
def settings(installation: str | None = None) -> str:
    """Return the patch: `oc patch argocd openshift-gitops -n openshift-gitops --type merge --patch-file …`.

    `installation` is the id that tells what this Argo CD made from what another one in the same cluster did.
    """
    texts = facts.texts("health")
    config = {_key("health", group, kind): texts[f"{name}.lua"] for (group, kind), name in SCRIPTS.items()}
    amounts = "".join(f"- {{field: {_AMOUNTS}.{name}, type: core/Quantity}}\n" for name in _LIMITS)
    for kind in _WITH_QUOTA:
        config[_key("knownTypeFields", "kueue.x-k8s.io", kind)] = amounts
    if installation is not None:
        config["installationID"] = installation
    return dump({"spec": {"extraConfig": dict(sorted(config.items())), "resourceTrackingMethod": _TRACKING}})


def _key(what: str, group: str, kind: str) -> str:
    return f"resource.customizations.{what}.{group}_{kind}"
