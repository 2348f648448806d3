"""Applications and projects against the CRDs of each release of Argo CD, and against what they are for."""

from __future__ import annotations

import copy
import json
from collections.abc import Iterator, Mapping
from functools import cache
from typing import Any

import pytest
import yaml

from generator.emit import argocd, extra
from generator.emit.leaves import LAYERS, Leaf, leaves
from generator.environment.load import load as load_inputs
from generator.frozen import replace
from generator.manifest import Manifest
from generator.plan.model import Plan
from generator.plan.resolve import IN_CLUSTER, resolve
from generator.releases import load
from generator.releases.model import GitOps
from generator.validate.argo_references import check_argo
from generator.validate.cluster import Cluster
from tests import matrix
from tests.samples import ENVIRONMENTS, input_files
from tests.validate import independent, real
from tests.validate.environments import cluster

RELEASES = load.known("gitops")
FOLDERS = ("3.1", "3.3", "3.5")  # of Argo CD, whose CRDs we have
CASES = [*ENVIRONMENTS, *matrix.FULL[::7], matrix.BARE[0]]
GATED = {
    "automated.enabled": ("Application", "syncPolicy", "automated", "enabled"),
    "retry.refresh": ("Application", "syncPolicy", "retry", "refresh"),
    "clusterResourceWhitelist.name": ("AppProject", "clusterResourceWhitelist", "name"),
    "destinationServiceAccounts": ("AppProject", "destinationServiceAccounts"),
    "signatureKeys": ("AppProject", "signatureKeys"),
}


@cache
def plan(case: Any) -> Plan:
    """Return the plan of a sample or of an environment of the matrix."""
    files, name = (input_files(), case) if isinstance(case, str) else (matrix.files(*case), "x")
    given, _ = load_inputs(files)
    found, _ = resolve(given.environments[name], None)
    assert found is not None
    return found


@cache
def synced(case: Any) -> list[Leaf]:
    of = plan(case)
    return leaves(of, extra.emit(of)[0])


def gitops(version: str) -> GitOps:
    found = load.gitops(version)
    assert found is not None
    return found


def emitted(case: Any, version: str) -> list[dict[str, Any]]:
    """Return the Applications and projects of a case for a release of OpenShift GitOps, as JSON."""
    of = replace(plan(case), gitops=gitops(version))
    bodies = [m.body for leaf in argocd.leaves(of, synced(case)) for m in leaf.manifests]
    return [json.loads(json.dumps(body)) for body in bodies if body["apiVersion"] == "argoproj.io/v1alpha1"]


def minor(version: str) -> tuple[int, int]:
    major, minor_, *_ = version.split(".")
    return int(major), int(minor_)


def folder(version: str) -> str:
    """Return the newest CRDs that are not newer than the release; the oldest for those before all of them."""
    older = [known for known in FOLDERS if minor(known) <= minor(gitops(version).argo_cd)]
    return f"argo-cd-{(older or FOLDERS)[-1 if older else 0]}"


@cache
def second_opinion(name: str, kind: str) -> Any:
    return independent.validator(real.raw(name)["argoproj.io", kind], "v1alpha1")


def refused(body: Mapping[str, Any], name: str) -> tuple[list[str], list[str]]:
    """Return what our engine and python-jsonschema say of an object by the real CRDs."""
    ours = real.errors(body, real.schemas(name)["argoproj.io", body["kind"], "v1alpha1"])
    theirs = second_opinion(name, body["kind"]).iter_errors(body)
    return [str(found) for found in ours], [f"{error.json_path}: {error.message}" for error in theirs]


@real.needs_crds
@pytest.mark.parametrize("version", RELEASES)
@pytest.mark.parametrize("case", CASES, ids=str)
def test_crds_accept_all_strictly(case: Any, version: str) -> None:
    bodies = emitted(case, version)
    assert {body["kind"] for body in bodies} == {"Application", "AppProject"}
    verdicts = {body["metadata"]["name"]: refused(body, folder(version)) for body in bodies}
    assert {name: verdict for name, verdict in verdicts.items() if verdict != ([], [])} == {}


@pytest.mark.parametrize("version", RELEASES)
@pytest.mark.parametrize("case", CASES[:4], ids=str)
def test_no_field_is_newer_than_the_release(case: Any, version: str) -> None:
    """Also for the releases before those whose CRDs we have."""
    bodies = emitted(case, version)
    used = {
        field
        for field, (kind, *path) in GATED.items()
        for body in bodies
        if body["kind"] == kind and has(body["spec"], path)
    }
    # The role of the controller is written for the cluster that Argo CD runs in, and named there.
    wanted = {"retry.refresh"} | ({"clusterResourceWhitelist.name"} if plan(case).server == IN_CLUSTER else set())
    assert used == wanted & gitops(version).fields


def test_gated_fields_are_all_that_releases_name() -> None:
    assert set(GATED) == {field for version in RELEASES for field in gitops(version).fields}


@real.needs_crds
def test_what_is_written_for_a_newer_release_is_refused() -> None:
    """So that the test of strictness can fail."""
    application = next(body for body in emitted("prod", "1.21") if body["kind"] == "Application")
    ours, theirs = refused(application, folder("1.18"))
    assert len(ours) == len(theirs) == 1
    assert "refresh" in ours[0]
    assert "refresh" in theirs[0]


def test_the_crds_are_never_newer_than_the_release() -> None:
    assert {version: folder(version) for version in RELEASES} == {
        "1.16": "argo-cd-3.1",  # the oldest there is
        "1.17": "argo-cd-3.1",
        "1.18": "argo-cd-3.1",
        "1.19": "argo-cd-3.1",
        "1.20": "argo-cd-3.3",
        "1.21": "argo-cd-3.3",
    }


def test_every_release_knows_confirmation() -> None:
    """Prune=confirm and Delete=confirm came with 2.14: what is older would delete without asking."""
    assert [version for version in RELEASES if minor(gitops(version).argo_cd) < (2, 14)] == []


def has(node: Any, path: list[str]) -> bool:
    if isinstance(node, list):
        return any(has(item, path) for item in node)
    if not path:
        return True
    return isinstance(node, dict) and path[0] in node and has(node[path[0]], path[1:])


CONFIRMED = {
    "Namespace",
    "ClusterQueue",
    "ResourceFlavor",
    "Topology",
    "Cohort",
    "DataScienceCluster",
    "DSCInitialization",
    "Kueue",
}


@pytest.mark.parametrize("case", CASES, ids=str)
def test_what_is_precious_asks_and_operators_stay(case: Any) -> None:
    options: dict[str, set[str]] = {}
    for leaf in synced(case):
        for body in (m.body for m in leaf.objects() if leaf.layer not in ("extra", "extra/checks")):
            notes = body["metadata"].get("annotations") or {}
            options.setdefault(body["kind"], set()).add(notes.get("argocd.argoproj.io/sync-options", ""))
    assert {kind: found for kind, found in options.items() if kind in CONFIRMED and len(found) > 1} == {}
    asking = {
        kind for kind in CONFIRMED & options.keys() if "Prune=confirm,Delete=confirm" in options[kind].copy().pop()
    }
    assert asking == CONFIRMED & options.keys()
    kept = {kind: options[kind] for kind in ("Subscription", "OperatorGroup")}
    assert kept == {"Subscription": {"Prune=false"}, "OperatorGroup": {"Prune=false"}}


@pytest.mark.parametrize("case", CASES, ids=str)
def test_applications_sync_as_they_should(case: Any) -> None:
    for body in emitted(case, "1.21"):
        if body["kind"] != "Application":
            continue
        policy, notes = body["spec"]["syncPolicy"], body["metadata"]["annotations"]
        assert notes["argocd.argoproj.io/compare-options"] == "ServerSideDiff=true"
        assert "finalizers" not in body["metadata"]
        assert {"FailOnSharedResource=true", "RespectIgnoreDifferences=true", "ServerSideApply=true"} <= set(
            policy["syncOptions"]
        )
        assert not {o.split("=")[0] for o in policy["syncOptions"]} & {
            "Replace",
            "Force",
            "ServerSideDiff",
            "CreateNamespace",
        }
        assert (policy["automated"]["allowEmpty"], policy["automated"]["selfHeal"]) == (False, True)
        assert set(body["spec"]) == {"project", "source", "destination", "syncPolicy"}
        assert set(body["spec"]["source"]) == {"repoURL", "targetRevision", "path"}


def fences(of: Cluster) -> list[Manifest]:
    return [m for m in of.objects if m.body["kind"] == "AppProject"]


def without_one(project: Manifest) -> Iterator[tuple[str, Manifest]]:
    """Yield the project without each entry of its lists."""
    for key in ("sourceRepos", "destinations", "clusterResourceWhitelist", "namespaceResourceWhitelist"):
        for index, entry in enumerate(project.body["spec"].get(key, ())):
            body = copy.deepcopy(dict(project.body))
            del body["spec"][key][index]
            if key == "namespaceResourceWhitelist" and not body["spec"][key]:
                continue  # an empty list allows all
            yield f"{project.body['metadata']['name']} {key} {entry}", Manifest(body, project.origin)


@pytest.mark.parametrize("case", ["dev", matrix.FULL[-8]], ids=str)
def test_a_project_without_any_one_entry_forbids_something(case: Any) -> None:
    whole = cluster(plan(case))
    assert list(check_argo(whole)) == []
    idle = []
    for project in fences(whole):
        for what, changed in without_one(project):
            objects = [changed if m is project else m for m in whole.objects]
            found = list(check_argo(replace(whole, objects=objects)))
            if {finding.rule for finding in found} != {"forbidden-by-project"}:
                idle.append(what)
    assert idle == []


def test_the_project_of_applications_allows_one_role() -> None:
    """A second one would let whoever may write to the repository become cluster-admin."""
    (dev,) = [of for of in fences(cluster(plan("dev"))) if of.body["metadata"]["name"] == "dev-argocd"]
    assert dev.body["spec"]["clusterResourceWhitelist"] == [
        {"group": "rbac.authorization.k8s.io", "kind": kind, "name": "apportion-argocd-dev"}
        for kind in ("ClusterRole", "ClusterRoleBinding")
    ]
    (prod,) = [of for of in fences(cluster(plan("prod"))) if of.body["metadata"]["name"] == "prod-argocd"]
    assert {tuple(entry) for entry in prod.body["spec"]["clusterResourceWhitelist"]} == {
        ("group", "kind")
    }  # Argo CD 3.1


def test_checks_of_a_users_own_come_before_the_queues_that_name_them() -> None:
    """AdmissionCheck budget stands in extra/ of the matrix, and a ClusterQueue names it."""
    found = {leaf.layer: {m.kind for m in leaf.manifests} for leaf in synced(matrix.FULL[0])}
    assert found["extra/checks"] == {"AdmissionCheck"}
    assert "extra" not in found
    assert LAYERS.index("queues/shared") < LAYERS.index("extra/checks") < LAYERS.index("queues")


def test_the_settings_stand_beside_the_applications() -> None:
    of = replace(plan("dev"), argocd_installation="ai")
    files = argocd.leaves(of, synced("dev"))[0].files
    assert yaml.safe_load(files[argocd.SETTINGS])["spec"]["extraConfig"]["installationID"] == "ai"
