"""OpenShift AI itself: DSCInitialization, DataScienceCluster, OdhDashboardConfig."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from generator.emit.marks import CONFIRM, labels, wave
from generator.manifest import Manifest, manifest
from generator.plan.model import Plan


def emit(plan: Plan) -> Iterator[Manifest]:
    """Yield the three objects; the dashboard's only where the dashboard is Managed.

    The names are those that the operator itself would create: a second one under another name is denied.
    Source: rhods-operator pkg/initialinstall, internal/webhook.
    """
    release, marks = plan.openshift_ai, labels(plan.name)
    yield manifest(
        release.dsci_api,
        "DSCInitialization",
        "default-dsci",
        labels=marks,
        annotations=CONFIRM,
        origin=plan.origin,
        spec=plan.dsci_spec,
    )
    yield manifest(
        release.dsc_api,
        "DataScienceCluster",
        "default-dsc",
        labels=marks,
        annotations={**CONFIRM, **wave(1)},
        origin=plan.origin,
        origins={path: place for state in plan.components for path, place in state.origins.items()},
        spec={"components": _components(plan)},
    )
    if plan.state("dashboard") == "Managed":
        yield manifest(
            release.dashboard_api,
            "OdhDashboardConfig",
            "odh-dashboard-config",
            namespace=release.applications_namespace,
            labels=marks,
            annotations=wave(2),
            origin=plan.origin,
            spec={"dashboardConfig": dict(release.dashboard_flags)},
        )


def _components(plan: Plan) -> dict[str, Any]:
    components: dict[str, Any] = {s.component.key: {"managementState": s.state, **s.fields} for s in plan.components}
    components["kueue"] = {"managementState": plan.kueue_state, **plan.kueue_fields}
    return dict(sorted(components.items()))
