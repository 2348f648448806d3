"""What `kubectl kustomize` makes of the samples, and whether Argo CD may sync it: folders, marks, size, rights."""

from __future__ import annotations

import re

import pytest

from tests.samples import ENVIRONMENTS, Built, Compiled, applications, folders, identity, of_kind, source, synced

MOST_OBJECTS = 500
TEAM_FOLDER = re.compile(r"overlays/[^/]+/(?:queues|tenants)/(?!shared$)([^/]+)")
GITOPS = "openshift-gitops"
IN_CLUSTER = "https://kubernetes.default.svc"
PLURALS = {
    "AppProject": "appprojects",
    "Application": "applications",
    "ClusterPolicy": "clusterpolicies",
    "ClusterQueue": "clusterqueues",
    "ClusterTrainingRuntime": "clustertrainingruntimes",
    "Cohort": "cohorts",
    "ConfigMap": "configmaps",
    "DSCInitialization": "dscinitializations",
    "DataScienceCluster": "datascienceclusters",
    "DeviceConfig": "deviceconfigs",
    "HardwareProfile": "hardwareprofiles",
    "JobSetOperator": "jobsetoperators",
    "Kueue": "kueues",
    "LimitRange": "limitranges",
    "LocalQueue": "localqueues",
    "Namespace": "namespaces",
    "NetworkPolicy": "networkpolicies",
    "NodeFeatureDiscovery": "nodefeaturediscoveries",
    "NodeFeatureRule": "nodefeaturerules",
    "OdhDashboardConfig": "odhdashboardconfigs",
    "OperatorGroup": "operatorgroups",
    "PrometheusRule": "prometheusrules",
    "ResourceFlavor": "resourceflavors",
    "ResourceQuota": "resourcequotas",
    "Subscription": "subscriptions",
    "Topology": "topologies",
    "ValidatingAdmissionPolicy": "validatingadmissionpolicies",
    "ValidatingAdmissionPolicyBinding": "validatingadmissionpolicybindings",
    "WorkloadPriorityClass": "workloadpriorityclasses",
}


def test_every_folder_builds_to_something(built: Built, compiled: Compiled) -> None:
    assert sorted(built) == folders(compiled.tree)
    assert [folder for folder, found in built.items() if not found] == []


@pytest.mark.parametrize("environment", ENVIRONMENTS)
def test_root_is_the_union_of_what_argo_cd_syncs(environment: str, built: Built) -> None:
    parts = [item for app in synced(built, environment) for item in built[source(app)]]
    whole = built[f"overlays/{environment}"]
    assert sorted(map(identity, whole)) == sorted(map(identity, parts))
    assert sorted(whole, key=identity) == sorted(parts, key=identity)
    assert len({identity(item) for item in whole}) == len(whole)


@pytest.mark.parametrize("environment", ENVIRONMENTS)
def test_every_folder_is_the_source_of_one_application(environment: str, built: Built) -> None:
    root = f"overlays/{environment}"
    assert sorted(map(source, applications(built, environment))) == sorted(
        folder for folder in built if folder.startswith(f"{root}/")
    )


@pytest.mark.parametrize("environment", ENVIRONMENTS)
def test_objects_as_built_are_marked(environment: str, built: Built) -> None:
    for app in applications(built, environment):
        team = app["metadata"]["labels"].get("apportion.dev/team")
        of_team = TEAM_FOLDER.fullmatch(source(app))
        assert team == (of_team and of_team[1])
        expected = {"app.kubernetes.io/managed-by": "apportion", "apportion.dev/environment": environment}
        if team is not None:
            expected["apportion.dev/team"] = team
        unmarked = [identity(i) for i in built[source(app)] if not expected.items() <= i["metadata"]["labels"].items()]
        assert unmarked == []


@pytest.mark.parametrize("environment", ENVIRONMENTS)
def test_no_application_has_too_many_objects(environment: str, built: Built) -> None:
    sizes = {source(app): len(built[source(app)]) for app in applications(built, environment)}
    assert {folder: size for folder, size in sizes.items() if size > MOST_OBJECTS} == {}


@pytest.mark.parametrize("environment", ENVIRONMENTS)
def test_projects_allow_what_their_applications_hold_and_no_more(environment: str, built: Built) -> None:
    projects = of_kind(built[f"overlays/{environment}/argocd"], "AppProject")
    held: dict[str, set[tuple[str, str, str]]] = {name: set() for name in projects}
    used: dict[str, list[dict[str, str]]] = {name: [] for name in projects}
    for app in applications(built, environment):
        project = projects[f"{GITOPS}/{app['spec']['project']}"]["spec"]
        target = app["spec"]["destination"]
        assert project["sourceRepos"] == [app["spec"]["source"]["repoURL"]]
        used[f"{GITOPS}/{app['spec']['project']}"].append(target)
        for item in built[source(app)]:
            key = identity(item)
            held[f"{GITOPS}/{app['spec']['project']}"].add(("spaced" if key.namespace else "cluster", *key[:2]))
            if key.namespace:
                place = {"server": target["server"], "namespace": key.namespace}
                used[f"{GITOPS}/{app['spec']['project']}"].append(place)
    allowed = {
        name: {
            *(("cluster", e["group"], e["kind"]) for e in item["spec"].get("clusterResourceWhitelist", ())),
            *(("spaced", e["group"], e["kind"]) for e in item["spec"].get("namespaceResourceWhitelist", ())),
        }
        for name, item in projects.items()
    }
    assert allowed == held
    for name, item in projects.items():
        places = {(place["server"], place["namespace"]) for place in used[name]}
        assert [(place["server"], place["namespace"]) for place in item["spec"]["destinations"]] == sorted(places)
        is_closed = item["spec"].get("namespaceResourceBlacklist") == [{"group": "*", "kind": "*"}]
        assert is_closed == ("namespaceResourceWhitelist" not in item["spec"])


@pytest.mark.parametrize("environment", ["dev", "prod"])
def test_controller_may_write_every_kind_that_is_synced(environment: str, built: Built) -> None:
    name = f"apportion-argocd-{environment}"
    folder = built[f"overlays/{environment}/argocd"]
    rules = of_kind(folder, "ClusterRole")[name]["rules"]
    granted = {(group, resource) for rule in rules for group in rule["apiGroups"] for resource in rule["resources"]}
    kinds = {identity(item)[:2] for app in synced(built, environment) for item in built[source(app)]}
    # Roles and bindings: the controller of OpenShift GitOps may write them already.
    needed = {(group, PLURALS[kind]) for group, kind in kinds if group != "rbac.authorization.k8s.io"}
    assert granted == needed
    assert all(rule["verbs"] == ["create", "delete", "get", "list", "patch", "update", "watch"] for rule in rules)
    binding = of_kind(folder, "ClusterRoleBinding")[name]
    assert binding["subjects"] == [
        {"kind": "ServiceAccount", "name": "openshift-gitops-argocd-application-controller", "namespace": GITOPS}
    ]


def test_no_rights_are_written_for_a_cluster_that_argo_cd_reaches_from_elsewhere(built: Built) -> None:
    found = built["overlays/legacy/argocd"]
    assert {item["kind"] for item in found} == {"AppProject", "Application"}
    servers = {app["metadata"]["name"]: app["spec"]["destination"]["server"] for app in applications(built, "legacy")}
    assert servers.pop("legacy-root") == IN_CLUSTER  # Applications live where Argo CD runs
    assert set(servers.values()) == {"https://api.legacy.example.com:6443"}
