"""Order of a sync at its boundary: one wave too late, and the look-alike that is in time."""

from __future__ import annotations

from typing import Any

import pytest

from generator.finding import Finding
from generator.frozen import replace
from generator.manifest import Manifest
from generator.validate import sync_order
from generator.validate.cluster import Cluster
from generator.validate.kinds import APPLICATION
from generator.validate.queues import Queues
from generator.validate.sync_places import Step, step_of
from tests import matrix
from tests.emit.test_argocd import plan as plan_of
from tests.samples import ROOT
from tests.validate.builders import KUEUE, Body, body, cluster, flavor, local_queue, namespace, queue, subscription
from tests.validate.environments import cluster as cluster_of
from tests.validate.environments import clusters

REPOSITORY = "https://git.example.com/x.git"
SA = body("v1", "ServiceAccount", "checker", "vision")
DSC = body("datasciencecluster.opendatahub.io/v2", "DataScienceCluster", "default-dsc")
DSCI = body("dscinitialization.opendatahub.io/v2", "DSCInitialization", "default-dsci")
CONFIG = body("v1", "ConfigMap", "c", "vision")
QUEUED = {"labels": {"kueue.x-k8s.io/queue-name": "default"}}
OPERAND = body("kueue.openshift.io/v1", "Kueue", "cluster")


def at(wave: int | str, found: Body, **notes: str) -> Body:
    """Return an object in a wave, with further annotations by what follows `argocd.argoproj.io/`."""
    marks = {"argocd.argoproj.io/sync-wave": str(wave), **{f"argocd.argoproj.io/{k}": v for k, v in notes.items()}}
    old = found["metadata"].get("annotations", {})
    return {**found, "metadata": {**found["metadata"], "annotations": {**old, **marks}}}


def application(name: str, wave: int = 0, *options: str) -> Body:
    """Return an Application that syncs the folder of its name."""
    source = {"repoURL": REPOSITORY, "path": name}
    destination = {"server": "https://kubernetes.default.svc", "namespace": "vision"}
    spec = {"source": source, "destination": destination, "syncPolicy": {"syncOptions": list(options)}}
    return at(wave, body("argoproj.io/v1alpha1", "Application", name, "openshift-gitops", spec=spec))


def job(wave: int = 0, **notes: str) -> Body:
    return at(wave, body("batch/v1", "Job", "train", "vision", metadata=QUEUED), **notes)


def one(*objects: Body, options: tuple[str, ...] = (), **more: Any) -> Cluster:
    """Return a cluster with one Application of all objects."""
    return cluster([application("all", 0, *options), *objects], folders={"all": list(objects)}, **more)


def tree(waves: dict[str, int], **content: list[Body]) -> Cluster:
    """Return an Application of Applications, each in its wave, each with its objects."""
    apps = {name: application(name, wave) for name, wave in waves.items()}
    root = application("root", -1)
    objects = [root, *apps.values(), *(b for bodies in content.values() for b in bodies)]
    return cluster(objects, folders={"root": [root, *apps.values()], **content}, whole=True)


def found(of: Cluster) -> list[Finding]:
    return list(sync_order.check(of, Queues(of)))


def verdicts(of: Cluster) -> list[str]:
    return [f"{finding.severity} {finding.rule}" for finding in found(of)]


HOLDS_UP = "warning workload-holds-up-sync"
TOO_EARLY, EARLY = "error synced-too-early", "warning synced-too-early"


@pytest.mark.parametrize(
    ("objects", "expected"),
    [
        # A namespace is refused to nobody in its own wave: Argo CD applies it first.
        ([at(1, local_queue()), at(1, namespace())], []),
        ([at(0, local_queue()), at(1, namespace())], [TOO_EARLY]),
        ([at(2, local_queue()), at(1, namespace())], []),
        # Nothing waits within a wave, nor for what is not here.
        ([at(2, queue()), at(2, flavor())], []),
        ([at(2, queue()), at(3, flavor())], [EARLY]),
        ([at(2, queue()), at(-3, flavor())], []),
        ([at(-9, queue())], []),
        ([at(0, local_queue()), at(1, queue())], [EARLY]),
        ([at(0, flavor(topologyName="racks")), at(1, body(KUEUE, "Topology", "racks"))], [EARLY]),
        ([at(1, flavor(topologyName="racks")), at(0, body(KUEUE, "Topology", "racks"))], []),
        ([at(0, queue(cohortName="org")), at(1, body(KUEUE, "Cohort", "org"))], [EARLY]),
        ([at(0, body(KUEUE, "Cohort", "a", spec={"parentName": "b"})), at(1, body(KUEUE, "Cohort", "b"))], [EARLY]),
        ([at(0, body(KUEUE, "Cohort", "a", spec={"parentName": "a"}))], []),
        # Kinds are there when their operator and its own resource are.
        ([at(0, flavor()), at(1, subscription("kueue-operator"))], [TOO_EARLY]),
        ([at(1, flavor()), at(1, subscription("kueue-operator"))], []),
        ([at(0, flavor()), at(1, subscription("gpu-operator-certified"))], []),
        ([at(0, flavor()), at(1, OPERAND)], [TOO_EARLY]),
        ([at(0, DSC), at(1, DSCI)], [TOO_EARLY]),
        ([at(1, DSC), at(0, DSCI)], []),
        # A wave is a whole number; anything else is none.
        ([at("two", queue()), at("1", flavor())], [EARLY]),
        ([at("1e3", queue()), at("0", flavor())], []),
    ],
)
def test_in_one_application(objects: list[Body], expected: list[str]) -> None:
    assert verdicts(one(*objects)) == expected


def test_what_is_compiled_brings_health_checks_so_an_inactive_queue_stops_the_sync() -> None:
    assert verdicts(one(at(2, queue()), at(3, flavor()), whole=True)) == [TOO_EARLY]
    assert verdicts(one(at(0, flavor(topologyName="r")), at(1, body(KUEUE, "Topology", "r")), whole=True)) == [EARLY]


def test_a_namespace_that_argo_cd_makes_itself_is_there() -> None:
    late = at(0, local_queue()), at(1, namespace())
    assert verdicts(one(*late, options=("CreateNamespace=true",))) == []
    other = at(0, local_queue(space="other")), at(1, namespace("other"))
    assert verdicts(one(*other, options=("CreateNamespace=true",))) == [TOO_EARLY]


def test_one_cause_is_one_finding() -> None:
    queues = [at(0, queue(f"q{n}")) for n in range(20)]
    finding, *others = found(one(*queues, at(1, flavor())))
    assert others == []
    assert finding.message == (
        "in Application all, ClusterQueue q0, q1, q2, q3, q4, q5, q6, q7 and 12 more (wave 0) comes before "
        "ResourceFlavor a100 (wave 1): until then it is inactive, a wave with health checks fails there, and what it "
        "needs is never applied"
    )
    assert (finding.path, finding.layer) == ("spec.resourceGroups[0].flavors[0].name", "reference")
    assert [place.message for place in finding.related] == ["ResourceFlavor a100"]


@pytest.mark.parametrize(
    ("hook", "others", "expected"),
    [
        ({"hook": "PreSync"}, [namespace()], [TOO_EARLY, HOLDS_UP]),
        ({"hook": "PreSync"}, [at(-5, namespace())], [TOO_EARLY, HOLDS_UP]),
        ({"hook": "PostSync"}, [at(9, namespace())], []),
        ({"hook": "Sync"}, [namespace()], []),
        ({"hook": "PostDelete"}, [at(9, namespace())], []),
        ({"hook": "Skip"}, [at(9, namespace())], []),
        ({"hook": "PostSync, PreSync"}, [namespace()], [TOO_EARLY, HOLDS_UP]),
        ({"hook": "PreSync"}, [at(0, namespace(), hook="PreSync")], []),
        ({"hook": "PreSync"}, [at(1, namespace(), hook="PreSync")], [TOO_EARLY, HOLDS_UP]),
    ],
)
def test_hooks(hook: dict[str, str], others: list[Body], expected: list[str]) -> None:
    assert verdicts(one(at(0, job(), **hook), *others)) == expected


def test_a_hook_has_its_service_account() -> None:
    hook = body("batch/v1", "Job", "check", "vision", spec={"template": {"spec": {"serviceAccountName": "checker"}}})
    early = at(0, hook, hook="PreSync")
    finding, *others = found(one(early, SA))
    assert (finding.rule, finding.path, others) == (
        "synced-too-early",
        "spec.template.spec.serviceAccountName",
        [],
    )
    assert "Job check (PreSync hooks) comes before ServiceAccount checker (wave 0)" in finding.message
    assert found(one(early, at(0, SA, hook="PreSync"))) == []
    assert found(one(at(0, hook, hook="PostSync"), SA)) == []


@pytest.mark.parametrize(
    ("objects", "expected"),
    [
        ([job(wave=1), at(2, flavor())], [HOLDS_UP]),
        ([job(wave=2), at(2, flavor())], []),
        ([job(wave=3), at(2, flavor())], []),
        ([job(wave=2), at(2, flavor()), at(0, CONFIG, hook="PostSync")], [HOLDS_UP]),
        ([at(1, body("batch/v1", "Job", "plain", "vision")), at(2, flavor())], []),
        # Argo CD knows no health of it: it counts as done at once.
        ([at(1, body("kubeflow.org/v1", "PyTorchJob", "p", "vision", metadata=QUEUED)), at(2, flavor())], []),
    ],
)
def test_workloads(objects: list[Body], expected: list[str]) -> None:
    assert verdicts(one(*objects)) == expected


def test_applications_are_ordered_by_the_one_above_them() -> None:
    content = {"queues": [at(0, queue())], "flavors": [at(9, flavor())]}
    assert verdicts(tree({"flavors": 0, "queues": 1}, **content)) == []
    assert verdicts(tree({"flavors": 1, "queues": 0}, **content)) == [TOO_EARLY]
    finding, *_ = found(tree({"flavors": 1, "queues": 0}, **content))
    assert (
        "in Application root, ClusterQueue vision (wave 0) comes before ResourceFlavor a100 (wave 1)" in finding.message
    )


def test_applications_of_one_wave_are_not_ordered() -> None:
    content = {"queues": [queue()], "flavors": [flavor()]}
    finding, *others = found(tree({"flavors": 3, "queues": 3}, **content))
    assert (f"{finding.severity} {finding.rule}", others) == (EARLY, [])
    assert (
        "nothing orders ClusterQueue vision and ResourceFlavor a100, whose Applications share wave 3" in finding.message
    )
    apps = [application("root"), application("flavors"), application("queues")]
    folders = {"root": apps[1:], **content}
    assert (
        found(cluster([*apps, *content["queues"], *content["flavors"]], folders=folders)) == []
    )  # who knows who waits


def test_an_object_beside_the_application_of_another() -> None:
    """The flavor stands in the folder of Applications itself."""
    root, queues = application("root", -1), application("queues", 2)
    content = [queue()]
    for wave, expected in ((1, []), (2, [EARLY]), (3, [TOO_EARLY])):
        beside = at(wave, flavor())
        folders = {"root": [root, queues, beside], "queues": content}
        assert verdicts(cluster([root, queues, beside, *content], folders=folders, whole=True)) == expected


def test_applications_without_one_above_are_not_judged() -> None:
    content = {"queues": [at(0, queue())], "flavors": [at(1, flavor())]}
    apps = [application("queues", 0), application("flavors", 1)]
    bodies = [b for each in content.values() for b in each]
    assert found(cluster([*apps, *bodies], folders=content)) == []


def test_a_workload_holds_up_the_applications_after_its_own() -> None:
    content = {"work": [job()], "rest": [flavor()]}
    assert verdicts(tree({"work": 0, "rest": 1}, **content)) == [HOLDS_UP]
    assert verdicts(tree({"work": 1, "rest": 0}, **content)) == []
    assert verdicts(tree({"work": 1, "rest": 1}, **content)) == []


def test_applications_that_bring_each_other_end() -> None:
    one_, other = application("one", 1), application("two", 2)
    content = {"one": [other, queue()], "two": [one_, at(1, flavor())]}
    assert verdicts(cluster([one_, other, *content["one"], *content["two"]], folders=content)) == []
    content = {"one": [other, queue(), at(1, flavor())], "two": [one_]}
    assert verdicts(cluster([one_, other, *content["one"]], folders=content)) == [EARLY]


def test_a_folder_without_applications_is_one() -> None:
    assert verdicts(cluster([at(0, queue()), at(1, flavor())])) == [EARLY]
    assert verdicts(cluster([queue(), flavor()])) == []


def test_what_comes_from_a_cluster_tells_no_application() -> None:
    live = [at(0, queue()), at(1, flavor())]
    for found_ in live:
        found_["metadata"]["uid"] = "1"
    assert found(cluster(live)) == []


def waved(of: Cluster, name: str, wave: int) -> Cluster:
    """Return the cluster with one Application in another wave."""
    (old,) = [m for m in of.objects if m.body["kind"] == "Application" and m.body["metadata"]["name"] == name]
    new = Manifest(at(wave, dict(old.body)), old.origin)
    folders = {path: [new if m is old else m for m in content] for path, content in of.folders.items()}
    return replace(of, objects=[new if m is old else m for m in of.objects], folders=folders)


def test_what_is_compiled_holds_its_order_and_no_other() -> None:
    """Each Application of a sample as the last one: what others need of it then comes too late."""
    (dev,) = [of for of in clusters(ROOT) if of.environment == "dev"]
    assert found(dev) == []
    names = [m.body["metadata"]["name"] for m in dev.of(APPLICATION) if m.body["metadata"]["name"] != "dev-root"]
    late = {name: sorted(set(verdicts(waved(dev, name, 99)))) for name in names}
    assert {name.split("-")[1] for name, said in late.items() if said} == {"operators", "platform", "queues"}
    assert {name for name, said in late.items() if not said} == {
        *("dev-platform-openshift-ai", "dev-profiles", "dev-guardrails"),
        *(f"dev-tenants-{team}" for team in ("fraud", "language", "mlops", "vision")),
    }
    assert {name for name, said in late.items() if TOO_EARLY in said} == {name for name, said in late.items() if said}


@pytest.mark.parametrize("case", matrix.FULL[::7], ids=str)
def test_the_matrix_holds_its_order(case: tuple[str, str, bool]) -> None:
    """Also the AdmissionCheck that a user has in extra/ and a queue names."""
    of = cluster_of(plan_of(case))
    assert found(of) == []
    assert TOO_EARLY in verdicts(waved(of, "x-extra-checks", 99))


def test_an_odd_place_is_no_place() -> None:
    odd = [{**queue(), "metadata": "text"}, {**flavor(), "metadata": {"name": "a100", "annotations": ["x"]}}]
    assert found(one(*odd)) == []
    assert step_of({"argocd.argoproj.io/hook": 7}) is None
    assert step_of({"argocd.argoproj.io/hook": "", "argocd.argoproj.io/sync-wave": "1"}) is None
    assert str(step_of({"argocd.argoproj.io/hook": "PostSync"})) == "PostSync hooks"
    assert str(Step(0, -3)) == "wave -3"
