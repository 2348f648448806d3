"""Settings of Argo CD that somebody would regret, each with its look-alike."""

from __future__ import annotations

from typing import Any

import pytest

from generator.finding import Finding
from generator.validate import argo_options, argo_settings
from generator.validate.cluster import Cluster
from tests.validate.builders import Body, body, cluster, flavor, local_queue, namespace, queue

FINALIZER = "resources-finalizer.argocd.argoproj.io"
RESPECTED = {"syncOptions": ["RespectIgnoreDifferences=true"]}


def note(found: Body, **notes: str) -> Body:
    """Return an object with annotations by what follows `argocd.argoproj.io/`, `_` for `-`."""
    marks = {f"argocd.argoproj.io/{key.replace('_', '-')}": value for key, value in notes.items()}
    return {**found, "metadata": {**found["metadata"], "annotations": marks}}


def application(*objects: Body, finalizer: str | None = None, kustomize: Any = None, **spec: Any) -> Cluster:
    """Return a cluster with an Application of these objects."""
    source: Body = {"repoURL": "https://git.example.com/x.git", "path": "all"}
    if kustomize is not None:
        source["kustomize"] = kustomize
    metadata = {"finalizers": [finalizer]} if finalizer else {}
    app = body("argoproj.io/v1alpha1", "Application", "all", "argo", metadata=metadata, spec={"source": source, **spec})
    return cluster([app, *objects], folders={"all": list(objects)})


def project(**spec: Any) -> Cluster:
    return cluster([body("argoproj.io/v1alpha1", "AppProject", "p", "argo", spec=spec)])


def found(of: Cluster) -> list[Finding]:
    return [*argo_options.check(of), *argo_settings.check(of)]


def rules(of: Cluster) -> list[str]:
    return [f"{finding.severity} {finding.rule} {finding.path}" for finding in found(of)]


def options(*names: str) -> Body:
    return {"syncPolicy": {"syncOptions": list(names)}}


def ignoring(kind: str, *pointers: str) -> Body:
    """Return a spec that ignores fields of a kind, and leaves them alone when it syncs."""
    return {"ignoreDifferences": [{"kind": kind, "jsonPointers": list(pointers)}], "syncPolicy": RESPECTED}


SOURCE = "spec.source.kustomize"
WITHOUT_EFFECT = "warning sync-option-without-effect"
OPTIONS = "spec.syncPolicy.syncOptions"
NOTE = "metadata.annotations[argocd.argoproj.io/sync-options]"
TRACKING = "metadata.annotations[argocd.argoproj.io/tracking-id]"


@pytest.mark.parametrize(
    ("of", "expected"),
    [
        (application(kustomize={"patches": [{"patch": "x"}]}), [f"warning inline-patches {SOURCE}.patches"]),
        (application(kustomize={"namePrefix": "a-"}), [f"warning inline-patches {SOURCE}.namePrefix"]),
        (application(kustomize={"nameSuffix": "-a"}), [f"warning inline-patches {SOURCE}.nameSuffix"]),
        (application(kustomize={"patches": [], "namePrefix": "", "version": "v5"}), []),
        (application(kustomize={"images": ["a=b"]}), []),
        (application(kustomize="text"), []),
        (application(queue(), **options("Replace=true")), [f"warning queues-recreated {OPTIONS}"]),
        (application(local_queue(), **options("Force=true")), [f"warning queues-recreated {OPTIONS}"]),
        (application(namespace(), **options("Replace=true")), []),
        (application(queue(), **options("Replace=false", "ServerSideApply=true")), []),
        (application(note(queue(), sync_options="Prune=false, Force=true")), [f"warning queues-recreated {NOTE}"]),
        (application(note(namespace(), sync_options="Replace=true")), []),
        (application(**options("ServerSideDiff=true")), [f"{WITHOUT_EFFECT} {OPTIONS}"]),
        (application(note(queue(), sync_options="ServerSideDiff=true")), [f"{WITHOUT_EFFECT} {NOTE}"]),
        (application(note(queue(), compare_options="ServerSideDiff=true")), []),
        (application(note(queue(), tracking_id="all:x")), [f"warning tracking-id-written {TRACKING}"]),
        (application(finalizer="foregroundDeletion"), []),
        (application(queue(), finalizer=FINALIZER), ["warning cascading-deletion metadata.finalizers"]),
        (application(queue(), finalizer=f"{FINALIZER}/background"), ["warning cascading-deletion metadata.finalizers"]),
        (application(local_queue(), finalizer=FINALIZER), []),
        (application(note(queue(), sync_options="Prune=confirm, Delete=confirm"), finalizer=FINALIZER), []),
        (application(note(queue(), sync_options="Delete=false"), finalizer=FINALIZER), []),
        (
            application(note(queue(), sync_options="Prune=confirm"), finalizer=FINALIZER),
            ["warning cascading-deletion metadata.finalizers"],
        ),
        (
            application(syncPolicy={"automated": {"prune": True, "allowEmpty": True}}),
            ["warning pruned-to-nothing spec.syncPolicy.automated.allowEmpty"],
        ),
        (application(syncPolicy={"automated": {"prune": True, "allowEmpty": False}}), []),
        (application(syncPolicy={"automated": {"prune": False, "allowEmpty": True}}), []),
        (
            application(**ignoring("DataScienceCluster", "/spec/x", "/spec")),
            ["warning ignored-too-much spec.ignoreDifferences[0].jsonPointers[1]"],
        ),
        (
            application(**ignoring("Secret", "/data")),
            ["warning ignored-too-much spec.ignoreDifferences[0].jsonPointers[0]"],
        ),
        (application(**ignoring("ConfigMap", "/data")), []),
        (
            application(ignoreDifferences=[{"kind": "MachineSet", "jsonPointers": ["/spec/replicas"]}]),
            ["info ignored-and-overwritten spec.ignoreDifferences"],
        ),
        (application(ignoreDifferences=[]), []),
        (project(sourceRepos=["*"]), ["info project-without-fence spec"]),
        (project(sourceRepos=["*", "!https://git.example.com/*"]), []),
        (project(destinations=[{"server": "*", "namespace": "*"}]), ["info project-without-fence spec"]),
        (project(clusterResourceWhitelist=[{"group": "*", "kind": "*"}]), ["info project-without-fence spec"]),
        (
            project(sourceRepos=["*"], clusterResourceWhitelist=[{"group": "*", "kind": "*"}]),
            ["warning project-without-fence spec"],
        ),
        (
            project(
                sourceRepos=["https://git.example.com/*"],
                destinations=[{"server": "*", "namespace": "team-*"}],
                clusterResourceWhitelist=[{"group": "kueue.x-k8s.io", "kind": "*"}],
                namespaceResourceBlacklist=[{"group": "*", "kind": "*"}],
            ),
            [],
        ),
    ],
)  # fmt: skip
def test_settings(of: Cluster, expected: list[str]) -> None:
    assert rules(of) == expected


@pytest.mark.parametrize(
    ("role", "account", "expected"),
    [
        ("cluster-admin", "argo-argocd-application-controller", ["info controller-may-do-anything roleRef.name"]),
        ("cluster-admin", "argo-argocd-server", []),
        ("apportion-argocd-dev", "argo-argocd-application-controller", []),
    ],
)
def test_rights_of_the_controller(role: str, account: str, expected: list[str]) -> None:
    subjects = [{"kind": "ServiceAccount", "name": account, "namespace": "argo"}]
    binding = body("rbac.authorization.k8s.io/v1", "ClusterRoleBinding", "b", roleRef={"name": role}, subjects=subjects)
    assert rules(cluster([binding])) == expected


def test_an_object_of_a_cluster_has_the_id_that_argo_cd_wrote() -> None:
    live = note(flavor(), tracking_id="all:x")
    live["metadata"]["uid"] = "1"
    assert found(cluster([live])) == []


def test_messages_name_what_is_at_stake() -> None:
    (finding,) = found(application(queue(), namespace(), finalizer=FINALIZER))
    assert finding.message == (
        "whoever deletes Application all deletes ClusterQueue vision, Namespace vision: it has finalizer "
        "resources-finalizer.argocd.argoproj.io"
    )
    (finding,) = found(project(sourceRepos=["*"], destinations=[{"server": "x", "namespace": "*"}]))
    assert finding.message.startswith(
        "AppProject p lets through any repository, namespace, so that much less holds back "
    )


def test_one_annotation_of_two_objects_is_judged_for_each_kind() -> None:
    notes = {"argocd.argoproj.io/sync-options": "Replace=true"}
    objects = [
        {**b, "metadata": {**b["metadata"], "annotations": notes}} for b in (namespace(), queue(), queue("other"))
    ]
    assert rules(cluster(objects)) == [f"warning queues-recreated {NOTE}"]
