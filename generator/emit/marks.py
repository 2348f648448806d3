"""Labels and annotations that emitters share.

Source of the Argo CD ones: docs/user-guide/sync-options.md, sync-waves.md.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache, lru_cache

from generator.manifest import SYNC_WAVE, Fragment

MANAGED_BY: Mapping[str, str] = {"app.kubernetes.io/managed-by": "apportion"}
ENVIRONMENT = "apportion.dev/environment"
TEAM = "apportion.dev/team"
SYNC_OPTIONS = "argocd.argoproj.io/sync-options"

# Deleting one of these stops work or loses data: somebody has to confirm it.
CONFIRM = Fragment({SYNC_OPTIONS: "Prune=confirm,Delete=confirm"})
# Removing an operator orphans its objects: never by a sync.
KEEP = Fragment({SYNC_OPTIONS: "Prune=false"})
# OpenShift AI leaves an object with this annotation alone. Source: rhods-operator pkg/controller/actions/deploy.
HANDS_OFF: Mapping[str, str] = {"opendatahub.io/managed": "false"}


@lru_cache(maxsize=4096)
def labels(environment: str, team: str | None = None) -> Fragment:
    """Return the labels of every object of an environment, and of a team where one applies."""
    marks = {**MANAGED_BY, ENVIRONMENT: environment}
    return Fragment(marks if team is None else {**marks, TEAM: team})


@cache
def wave(number: int) -> Fragment:
    """Return the annotation of a sync wave; none for wave 0, which is Argo CD's default."""
    return Fragment({SYNC_WAVE: str(number)} if number else {})
