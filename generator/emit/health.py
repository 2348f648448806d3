"""Health checks in Lua for kinds that Argo CD has none for, as a merge patch for the user's own ArgoCD resource.

The scripts are in generator/health/, one a kind. Without them an inactive queue shows as healthy, and waves do not
wait.
"""

from __future__ import annotations

from functools import cache
from typing import Any

from generator import facts
from generator.manifest import dump


@cache
def checks() -> str:
    """Return the patch: `oc patch argocd openshift-gitops -n openshift-gitops --type merge --patch-file …`."""
    found: list[dict[str, Any]] = []
    for name, script in facts.texts("health").items():
        api_group, _, kind = name.removesuffix(".lua").rpartition("_")
        found.append({"group": api_group, "kind": kind, "check": script})
    return dump({"spec": {"resourceHealthChecks": found}})
