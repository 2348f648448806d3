"""Labels and annotations that emitters share. Source of the Argo CD ones: docs/user-guide/sync-options.md, sync-waves.md."""

from __future__ import annotations

from collections.abc import Mapping

from generator.manifest import SYNC_WAVE

MANAGED_BY: Mapping[str, str] = {"app.kubernetes.io/managed-by": "apportion"}
ENVIRONMENT = "apportion.dev/environment"
TEAM = "apportion.dev/team"
SYNC_OPTIONS = "argocd.argoproj.io/sync-options"

# Deleting one of these stops work or loses data: somebody has to confirm it.
CONFIRM: Mapping[str, str] = {SYNC_OPTIONS: "Prune=confirm,Delete=confirm"}
# Removing an operator orphans its objects: never by a sync.
KEEP: Mapping[str, str] = {SYNC_OPTIONS: "Prune=false"}
# OpenShift AI leaves an object with this annotation alone. Source: rhods-operator pkg/controller/actions/deploy.
HANDS_OFF: Mapping[str, str] = {"opendatahub.io/managed": "false"}


def labels(environment: str, team: str | None = None) -> dict[str, str]:
    """Return the labels of every object of an environment, and of a team where one applies."""
    marks = {**MANAGED_BY, ENVIRONMENT: environment}
    return marks if team is None else {**marks, TEAM: team}


def wave(number: int) -> dict[str, str]:
    """Return the annotation of a sync wave; none for wave 0, which is Argo CD's default."""
    return {SYNC_WAVE: str(number)} if number else {}
