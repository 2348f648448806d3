"""Argo CD: sync options and tracking ids, of Applications and of single objects.

Source: Argo CD docs/user-guide/{sync-options,diff-strategies,resource_tracking}.md.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from generator.finding import Finding, Layer, Severity
from generator.manifest import Manifest
from generator.validate import kinds
from generator.validate.argo_folders import content
from generator.validate.cluster import Cluster, annotations_of, name_of
from generator.validate.kinds import Kind, kind_of
from generator.validate.shape import text, texts
from generator.validate.wording import some

SYNC_OPTIONS = "argocd.argoproj.io/sync-options"
OPTIONS_PATH = "spec.syncPolicy.syncOptions"
_TRACKING_ID = "argocd.argoproj.io/tracking-id"
_NOTE_PATH = f"metadata.annotations[{SYNC_OPTIONS}]"
_RECREATE = ("Force=true", "Replace=true")
_QUEUES = frozenset((kinds.CLUSTER_QUEUE, kinds.LOCAL_QUEUE, kinds.COHORT, kinds.RESOURCE_FLAVOR, kinds.TOPOLOGY))


def of_application(application: Manifest) -> list[str]:
    """Return the sync options of an Application."""
    return texts(application.body, *OPTIONS_PATH.split("."))


def of_object(notes: Mapping[str, Any]) -> list[str]:
    """Return the sync options that an object has by its annotations."""
    return [option.strip() for option in text(notes, SYNC_OPTIONS).split(",")]


def check(cluster: Cluster) -> Iterator[Finding]:
    """Yield sync options that do harm or nothing, and tracking ids that somebody wrote."""
    for application in cluster.of(kinds.APPLICATION):
        yield from option_without_effect(cluster, application, of_application(application), OPTIONS_PATH)
        yield from queues_recreated(cluster, application)
    seen: set[tuple[int, Kind]] = set()  # generated objects share their annotations
    for manifest, kind, _, _ in cluster.identities:
        notes = annotations_of(manifest)
        if not notes or (id(notes), kind) in seen:
            continue
        seen.add((id(notes), kind))
        options = of_object(notes)
        yield from option_without_effect(cluster, manifest, options, _NOTE_PATH)
        if kind in _QUEUES:
            yield from _recreated(cluster, manifest, options, f"{kind[1]} {name_of(manifest)}", _NOTE_PATH)
        if _TRACKING_ID in notes:
            yield from tracking_id_written(cluster, manifest)


def tracking_id_written(cluster: Cluster, manifest: Manifest) -> Iterator[Finding]:
    """What comes from a cluster has the id that Argo CD wrote; a manifest has none."""
    if not text(manifest.body, "metadata", "uid"):
        yield cluster.finding(
            manifest,
            "tracking-id-written",
            Layer.DRIFT,
            f"{kind_of(manifest.body)[1]} {name_of(manifest)} carries {_TRACKING_ID}, by which Argo CD knows what is "
            "its own: an Application of another name fights over it, or prunes it",
            "remove the annotation: Argo CD writes it",
            f"metadata.annotations[{_TRACKING_ID}]",
            severity=Severity.WARNING,
        )


def option_without_effect(cluster: Cluster, manifest: Manifest, options: Sequence[str], path: str) -> Iterator[Finding]:
    """ServerSideDiff is no sync option, and as one it is ignored without a word."""
    for option in options:
        if option.startswith("ServerSideDiff="):
            yield cluster.finding(
                manifest,
                "sync-option-without-effect",
                Layer.DRIFT,
                f"{option} is no sync option: Argo CD ignores it and compares as before",
                f"write annotation argocd.argoproj.io/compare-options: {option}",
                path,
                severity=Severity.WARNING,
            )


def queues_recreated(cluster: Cluster, application: Manifest) -> Iterator[Finding]:
    """An Application that recreates what it cannot change deletes queues with all that waits in them."""
    options = of_application(application)
    if not any(option in _RECREATE for option in options):
        return
    queues = sorted({kind_of(m.body)[1] for m in content(cluster, application) if kind_of(m.body) in _QUEUES})
    if queues:
        what = f"Application {name_of(application)}, which brings {some(queues)},"
        yield from _recreated(cluster, application, options, what, OPTIONS_PATH)


def _recreated(cluster: Cluster, manifest: Manifest, options: Sequence[str], what: str, path: str) -> Iterator[Finding]:
    chosen = [option for option in options if option in _RECREATE]
    if chosen:
        yield cluster.finding(
            manifest,
            "queues-recreated",
            Layer.READINESS,
            f"{what} is applied with {', '.join(chosen)}: where a field may not change the queue is deleted and made "
            "anew, with all that is admitted or waits, and fields of controllers are lost",
            "remove it; drain a queue and delete it by hand where it has to be made anew",
            path,
            severity=Severity.WARNING,
        )
