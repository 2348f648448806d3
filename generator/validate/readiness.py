"""Accepted, then inactive or never admitted: what the controllers would make of the objects together."""

from __future__ import annotations

from collections.abc import Iterator

from generator.finding import Finding
from generator.validate import (
    argo,
    argo_options,
    argo_owners,
    argo_settings,
    container_limits,
    container_resources,
    dashboard,
    effects,
    flavors,
    idle,
    openshift_ai,
    operators,
    platform,
    requests,
    runtime_policy,
    sharing,
    shortages,
    submissions,
    subscriptions,
    sync_order,
    tenancy,
)
from generator.validate.cluster import Cluster
from generator.validate.placement import read_flavors
from generator.validate.queues import Queues


def check(cluster: Cluster, queues: Queues) -> Iterator[Finding]:
    """Yield everything that would be accepted and not work."""
    places = read_flavors(cluster)
    yield from tenancy.check(cluster, queues)
    yield from sharing.check(cluster, queues)
    yield from shortages.check(cluster, queues)
    yield from effects.check(cluster, queues)
    yield from idle.check(cluster, queues)
    yield from requests.check(cluster, queues, places)
    yield from container_limits.check(cluster)
    yield from container_resources.check(cluster)
    yield from runtime_policy.check(cluster)
    yield from submissions.check(cluster, queues)
    yield from flavors.check(cluster, queues, places)
    yield from platform.check(cluster, queues)
    yield from operators.check(cluster)
    yield from subscriptions.check(cluster)
    yield from openshift_ai.check(cluster)
    yield from dashboard.check(cluster, queues)
    yield from argo.check(cluster)
    yield from argo_owners.check(cluster)
    yield from argo_options.check(cluster)
    yield from argo_settings.check(cluster)
    yield from sync_order.check(cluster, queues)
    if not cluster.whole:  # of an environment its platform says so
        from generator.validate import advisories

        yield from advisories.check(cluster, queues)
