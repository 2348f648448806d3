"""Health checks in Lua for kinds that Argo CD has none for, as a merge patch for the user's own ArgoCD resource.

The scripts are in generator/health/, one a kind. Without them an inactive queue shows as healthy, and waves do not
wait.
"""

from __future__ import annotations

from functools import cache
from importlib.resources import files
from typing import Any

from generator.manifest import dump


@cache
def checks() -> str:
    """Return the patch: `oc patch argocd openshift-gitops -n openshift-gitops --type merge --patch-file …`."""
    found: list[dict[str, Any]] = []
    for script in sorted(files("generator").joinpath("health").iterdir(), key=lambda f: f.name):
        api_group, _, kind = script.name.removesuffix(".lua").rpartition("_")
        found.append({"group": api_group, "kind": kind, "check": script.read_text("utf-8")})
    return dump({"spec": {"resourceHealthChecks": found}})
