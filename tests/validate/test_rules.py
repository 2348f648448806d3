"""One thing broken at a time: exactly the one finding, at the boundary and one past it."""

from __future__ import annotations

from typing import Any

import pytest

from generator.validate.cluster import Target
from tests.validate.builders import (
    GPU,
    KUEUE,
    Body,
    body,
    cluster,
    flavor,
    judged,
    local_queue,
    namespace,
    node,
    profile,
    queue,
    rules,
    runtime,
    sound,
    subscription,
)
from tests.validate.manifests import target

ROLE = "rbac.authorization.k8s.io/v1"
ARGO = "argoproj.io/v1alpha1"
ODH = "datasciencecluster.opendatahub.io/v2"
HERE = {"server": "https://kubernetes.default.svc", "namespace": "vision"}
NAMESPACES = {"group": "", "kind": "Namespace"}
QUEUES = {"group": "kueue.x-k8s.io", "kind": "*"}


def test_the_sound_cluster_is_sound() -> None:
    whole = [*sound(), profile(), runtime(), node("n1"), node("n2")]
    assert rules(whole) == []


REFERENCES: list[tuple[str, list[Body], list[str]]] = [
    (
        "flavor",
        [namespace(), flavor("a100-80gb"), queue(flavors=["a100-80g"]), local_queue()],
        ["error missing-resource-flavor"],
    ),
    ("cluster queue", [*sound(), local_queue("old", to="visoin", marked=False)], ["error missing-cluster-queue"]),
    (
        "topology",
        [
            namespace(),
            flavor(topologyName="racks"),
            queue(),
            local_queue(),
            body(KUEUE, "Topology", "rack", spec={"levels": [{"nodeLabel": "rack"}]}),
        ],
        ["error missing-topology"],
    ),
    ("no topology known", [namespace(), flavor(topologyName="racks"), queue(), local_queue()], []),
    (
        "check",
        [
            namespace(),
            flavor(),
            local_queue(),
            body(KUEUE, "AdmissionCheck", "other", spec={"controllerName": "x"}),
            queue(admissionChecksStrategy={"admissionChecks": [{"name": "prov"}]}),
        ],
        ["error missing-admission-check"],
    ),
    ("profile nowhere", [*sound(), profile(to="gpus")], ["error missing-local-queue"]),
    ("profile in some", [*sound(), namespace("nlp"), profile()], ["warning local-queue-missing-in-namespace"]),
    ("profile of one project", [*sound(), namespace("nlp"), profile(space="vision")], []),
    (
        "role",
        [
            *sound(),
            body(ROLE, "Role", "viewer", "vision"),
            body(ROLE, "RoleBinding", "b", "vision", roleRef={"kind": "Role", "name": "viewers"}),
        ],
        ["error missing-role"],
    ),
    (
        "built-in role",
        [
            *sound(),
            body(ROLE, "ClusterRole", "mine"),
            body(ROLE, "RoleBinding", "b", "vision", roleRef={"kind": "ClusterRole", "name": "edit"}),
        ],
        [],
    ),
    (
        "misspelt role",
        [
            *sound(),
            body(ROLE, "ClusterRole", "queue-editor"),
            body(ROLE, "RoleBinding", "b", "vision", roleRef={"kind": "ClusterRole", "name": "queue-edtor"}),
        ],
        ["warning missing-cluster-role"],
    ),
    (
        "account",
        [
            *sound(),
            body("v1", "ServiceAccount", "bot", "vision"),
            body(
                ROLE,
                "RoleBinding",
                "b",
                "vision",
                roleRef={"kind": "ClusterRole", "name": "edit"},
                subjects=[{"kind": "ServiceAccount", "name": "bott"}],
            ),
        ],
        ["error missing-service-account"],
    ),
    (
        "runtime of a job",
        [
            *sound(),
            runtime(),
            body("trainer.kubeflow.org/v1alpha1", "TrainJob", "j", "vision", spec={"runtimeRef": {"name": "torhc"}}),
        ],
        ["error missing-cluster-training-runtime"],
    ),
    (
        "project",
        [*sound(), body(ARGO, "AppProject", "ai"), body(ARGO, "Application", "a", spec={"project": "ia"})],
        ["error missing-app-project"],
    ),
]


@pytest.mark.parametrize(("bodies", "want"), [row[1:] for row in REFERENCES], ids=[row[0] for row in REFERENCES])
def test_references(bodies: list[Body], want: list[str]) -> None:
    assert rules(bodies) == want


def test_what_is_declared_elsewhere_is_there() -> None:
    bodies = [*sound(), local_queue("old", to="shared", marked=False)]
    assert rules(bodies, external=frozenset({"ClusterQueue/shared"})) == []
    assert rules(bodies) == ["error missing-cluster-queue"]


def test_a_whole_environment_has_no_elsewhere() -> None:
    bodies = [namespace(), flavor(topologyName="racks"), queue(), local_queue()]
    assert rules(bodies, whole=True) == ["error missing-topology"]


def test_a_prefix_is_recognised() -> None:
    found = judged(cluster([namespace(), flavor("prod-a100"), queue(flavors=["a100"]), local_queue()]))
    assert [(f.path, f.fix) for f in found] == [
        (
            "spec.resourceGroups[0].flavors[0].name",
            "did you mean prod-a100? a namePrefix or nameSuffix renames objects and not the names that lead to them: "
            "write the full names and drop it",
        )
    ]


READINESS: list[tuple[str, list[Body], list[str]]] = [
    (
        "selector absent",
        [namespace(), flavor(), queue(namespaceSelector=None), local_queue()],
        ["error namespace-selector-missing"],
    ),
    ("selector of all, alone", [namespace(), flavor(), queue(namespaceSelector={}), local_queue()], []),
    (
        "selector of all, not alone",
        [
            namespace(),
            namespace("nlp"),
            flavor(),
            queue(namespaceSelector={}),
            local_queue(),
            queue("nlp"),
            local_queue(space="nlp", to="nlp"),
        ],
        ["warning namespace-selector-of-everybody"],
    ),
    (
        "namespace not selected",
        [namespace(), flavor(), queue(namespaceSelector={"matchLabels": {"team": "v"}}), local_queue()],
        ["error namespace-not-selected"],
    ),
    (
        "namespace selected",
        [namespace(team="v"), flavor(), queue(namespaceSelector={"matchLabels": {"team": "v"}}), local_queue()],
        [],
    ),
    ("namespace unknown", [flavor(), queue(namespaceSelector={"matchLabels": {"team": "v"}}), local_queue()], []),
    (
        "label of another value",
        [namespace(**{"kueue.openshift.io/managed": "True"}), flavor(), queue(), local_queue()],
        ["error namespace-not-managed"],
    ),
    ("no default queue", [namespace(), flavor(), queue(), local_queue("q", marked=False)], ["info no-default-queue"]),
    ("two default queues", [*sound(), local_queue("night")], ["warning several-default-queues"]),
    ("own ancestor", [*sound(), body(KUEUE, "Cohort", "ai", spec={"parentName": "ai"})], ["error cohort-loop"]),
    ("profile at the quota", [*sound(), profile(gpus=8, most=8)], []),
    ("profile maximum above", [*sound(), profile(gpus=8, most=9)], ["warning request-above-quota"]),
    ("profile default above", [*sound(), profile(gpus=9, most=9)], ["error request-above-quota"]),
    ("runtime at the quota", [*sound(), runtime(gpus=4, nodes=2)], []),
    ("runtime above", [*sound(), runtime(gpus=4, nodes=3)], ["error request-above-quota"]),
    (
        "runtime by borrowing",
        [
            namespace(),
            flavor(),
            queue(cohortName="ai", preemption={"reclaimWithinCohort": "Any"}),
            local_queue(),
            body(KUEUE, "Cohort", "ai", spec=queue()["spec"] | {"namespaceSelector": {}}),
            runtime(gpus=8, nodes=2),
        ],
        [],
    ),
    ("runtime selects elsewhere", [*sound(), runtime(nodeSelector={"model": "h100"})], ["error flavor-not-selected"]),
    ("runtime selects the flavor", [*sound(), runtime(nodeSelector={"model": "a100"})], []),
    ("pod as large as a node", [*sound(), node("n"), runtime(gpus=8)], []),
    ("pod larger than a node", [*sound(), node("n", 4), node("m", 4), runtime(gpus=8)], ["error pod-above-node"]),
    ("pod leaves a rest", [*sound(), node("n"), runtime(gpus=3)], ["info pod-size-leaves-rest"]),
    ("labels of no node", [*sound(), node("n", labels={"model": "A100"})], ["error flavor-without-nodes"]),
    ("taint", [namespace(), flavor(tolerations=[]), queue(), local_queue(), node("n")], ["error taint-not-tolerated"]),
    (
        "only preferred",
        [
            namespace(),
            flavor(tolerations=[]),
            queue(),
            local_queue(),
            node("n", taints=[{"key": GPU, "effect": "PreferNoSchedule"}]),
        ],
        [],
    ),
    (
        "no such cards",
        [
            *sound(),
            node("n") | {"status": {"allocatable": {"cpu": "64", "memory": "1Ti", "nvidia.com/mig-1g.10gb": "7"}}},
        ],
        ["error resource-not-on-nodes"],
    ),
    ("cordoned", [*sound(), node("n", 8, unschedulable=True), node("m", 4)], ["warning quota-above-nodes"]),
    (
        "nodeTaints without profile",
        [namespace(), flavor(nodeTaints=[{"key": "a", "effect": "NoSchedule"}]), queue(), local_queue()],
        [],
    ),
    (
        "nodeTaints with profile",
        [namespace(), flavor(nodeTaints=[{"key": "a", "effect": "NoSchedule"}]), queue(), local_queue(), profile()],
        ["error node-taint-as-toleration"],
    ),
    (
        "two flavors on one node",
        [namespace(), flavor(), flavor("all", nodeLabels={}), queue(flavors=["a100", "all"]), local_queue()],
        ["warning flavors-on-same-nodes"],
    ),
    ("two flavors apart", [namespace(), flavor(), flavor("h100"), queue(flavors=["a100", "h100"]), local_queue()], []),
    ("workbench, nobody evicts", [*sound(), profile(feature="workbench")], []),
    (
        "workbench, higher priority",
        [
            namespace(),
            flavor(),
            queue(preemption={"withinClusterQueue": "LowerPriority"}),
            local_queue(),
            profile(feature="workbench"),
        ],
        ["error workbench-evictable"],
    ),
    (
        "operator group",
        [subscription("nfd"), body("operators.coreos.com/v1", "OperatorGroup", "g", "openshift-operators")],
        ["error second-operator-group"],
    ),
    (
        "late",
        [subscription("kueue-operator"), subscription("openshift-cert-manager-operator", wave=1)],
        ["error requirement-too-late"],
    ),
    ("in the same wave", [subscription("kueue-operator"), subscription("openshift-cert-manager-operator")], []),
    ("twice the same", [*sound(), namespace()], ["warning object-twice"]),
    ("twice differently", [*sound(), namespace(a="b")], ["error object-twice"]),
]


@pytest.mark.parametrize(("bodies", "want"), [row[1:] for row in READINESS], ids=[row[0] for row in READINESS])
def test_readiness(bodies: list[Body], want: list[str]) -> None:
    assert rules(bodies) == want


def test_label_keys_of_siblings_count_up_to_1_3() -> None:
    bodies = [namespace(), flavor("plain", nodeLabels={"zone": "a"}), flavor(), local_queue()]
    bodies += [queue(flavors=["plain", "a100"]), runtime(nodeSelector={"model": "h100"})]
    assert rules(bodies, target("kueue=1.3")) == ["error flavor-not-selected"]
    assert rules(bodies, target("kueue=1.4")) == []


@pytest.mark.parametrize(
    ("state", "on", "want"),
    [
        ("Managed", "3.3", ["error kueue-managed readiness"]),
        ("Managed", "3.4", ["error kueue-managed webhook"]),
        ("Removed", "3.4", []),
        ("Unmanaged", "3.4", ["error kueue-without-operator readiness"]),
    ],
)
def test_kueue_of_a_data_science_cluster(state: str, on: str, want: list[str]) -> None:
    dsc = body(ODH, "DataScienceCluster", "default-dsc", spec={"components": {"kueue": {"managementState": state}}})
    found = judged(cluster([dsc, subscription("nfd")], target(f"openshiftAI={on}")))
    assert [f"{f.severity} {f.rule} {f.layer}" for f in found] == want


def test_a_component_brings_its_operators() -> None:
    spec = {"components": {"ray": {"managementState": "Managed"}, "trainer": {"managementState": "Managed"}}}
    dsc = body(ODH, "DataScienceCluster", "default-dsc", spec=spec)
    found = judged(cluster([dsc, subscription("openshift-cert-manager-operator")], target("openshiftAI=3.4")))
    assert [(f.rule, f.path) for f in found] == [
        ("component-without-operator", "spec.components.trainer.managementState")
    ]


@pytest.mark.parametrize(
    ("change", "want"),
    [
        ({}, []),
        ({"destinations": [{**HERE, "namespace": "nlp"}]}, ["error forbidden-by-project"]),
        ({"sourceRepos": ["https://other/*"]}, ["error forbidden-by-project"]),
        ({"sourceRepos": ["*", "!https://git/*"]}, ["error forbidden-by-project"]),
        ({"clusterResourceWhitelist": [{"group": "*", "kind": "*"}]}, ["info project-without-fence"]),
        ({"clusterResourceWhitelist": [{"group": KUEUE[:14], "kind": "*"}]}, ["error forbidden-by-project"]),
        ({"clusterResourceWhitelist": [{**NAMESPACES, "name": "vision"}, QUEUES]}, []),
        ({"clusterResourceWhitelist": [{**NAMESPACES, "name": "vis*"}, {**QUEUES, "name": ""}]}, []),
        ({"clusterResourceWhitelist": [{**NAMESPACES, "name": "nlp"}, QUEUES]}, ["error forbidden-by-project"]),
        ({"clusterResourceWhitelist": [{**NAMESPACES, "name": "nlp"}, NAMESPACES, QUEUES]}, []),
        ({"namespaceResourceBlacklist": [{"group": "*", "kind": "LocalQueue"}]}, ["error forbidden-by-project"]),
    ],
)
def test_the_fence_of_a_project(change: Body, want: list[str]) -> None:
    white = [{"group": "", "kind": "Namespace"}, {"group": "kueue.x-k8s.io", "kind": "*"}]
    fence: Body = {"sourceRepos": ["https://git/*"], "destinations": [HERE], "clusterResourceWhitelist": white}
    source = {"repoURL": "https://git/ai", "path": "queues"}
    brought = sound()
    role = body(ROLE, "ClusterRole", "r", rules=[{"apiGroups": ["*"], "resources": ["*"], "verbs": ["*"]}])
    account = {"kind": "ServiceAccount", "name": "x-argocd-application-controller"}
    binding = body(ROLE, "ClusterRoleBinding", "r", roleRef={"name": "r"}, subjects=[account])
    application = body(ARGO, "Application", "a", spec={"project": "ai", "source": source, "destination": HERE})
    bodies = [*brought, role, binding, body(ARGO, "AppProject", "ai", spec=fence | change), application]
    assert rules(bodies, folders={"queues": brought}) == want


DRIFT: list[tuple[str, Body, str, list[str]]] = [
    ("canonical", queue(), "kueue=1.3", []),
    ("a number", queue(gpus=8), "kueue=1.3", ["warning quantity-not-canonical"]),  # type: ignore[arg-type]  # the point
    ("another form", queue(gpus="8000m"), "kueue=1.3", ["warning quantity-not-canonical"]),
    ("old value", queue(flavorFungibility={"whenCanBorrow": "Borrow"}), "kueue=1.3", ["warning value-converted"]),
    (
        "old value on 1.2",
        queue(flavorFungibility={"whenCanBorrow": "Borrow"}) | {"apiVersion": "kueue.x-k8s.io/v1beta1"},
        "kueue=1.2",
        [],
    ),
    (
        "old version",
        queue() | {"apiVersion": "kueue.x-k8s.io/v1beta1"},
        "kueue=1.3",
        ["warning api-version-deprecated"],
    ),
    ("new version", queue(), "kueue=1.2", ["error api-version-not-served"]),
    ("no such kind", body("kueue.x-k8s.io/v1beta1", "Cohort", "ai"), "kueue=1.1", ["error kind-not-served"]),
]


@pytest.mark.parametrize(("found", "on", "want"), [row[1:] for row in DRIFT], ids=[row[0] for row in DRIFT])
def test_drift(found: Body, on: str, want: list[str]) -> None:
    assert rules([found], target(on)) == want


def test_nothing_is_said_of_a_release_that_is_not_known() -> None:
    bodies = [queue(), body("dscinitialization.opendatahub.io/v1", "DSCInitialization", "default-dsci")]
    assert rules(bodies, Target()) == []


@pytest.mark.parametrize(
    ("after", "lost"),
    [
        ([{"name": "a", "x": 2}, {"name": "b"}], 0),
        ([{"name": "b"}, {"name": "a"}], 0),
        ([{"name": "a"}], 1),
        (None, 0),
    ],
)
def test_a_patch_that_loses_items_of_a_list(after: Any, lost: int) -> None:
    before = body(KUEUE, "Topology", "t", spec={"levels": [{"name": "a"}, {"name": "b"}]})
    built = body(KUEUE, "Topology", "t", spec={} if after is None else {"levels": after})
    found = judged(cluster([built], bases=cluster([before]).objects))
    assert [f.rule for f in found] == ["patch-replaces-list"] * lost


REMOTE = "kueue.x-k8s.io/multikueue"


def admission(name: str, controller: str = REMOTE, **state: str) -> Body:
    """Return an AdmissionCheck, with what a dump of a cluster says of its condition Active."""
    status: Body = {"status": {"conditions": [{"type": "Active", **state}]}} if state else {}
    return body(KUEUE, "AdmissionCheck", name, spec={"controllerName": controller}, **status)


def checked(*names: str, on_flavors: list[str] | None = None, flavors: tuple[str, ...] = ("a100",)) -> Body:
    """Return a queue with admission checks."""
    only = {} if on_flavors is None else {"onFlavors": on_flavors}
    return queue(flavors=flavors, admissionChecksStrategy={"admissionChecks": [{"name": n, **only} for n in names]})


INACTIVE = ["error queue-inactive"]
STATUS: list[tuple[str, list[Body], list[str]]] = [
    ("one check", [flavor(), checked("m"), admission("m")], []),
    ("two", [flavor(), checked("m", "n"), admission("m"), admission("n")], INACTIVE),
    ("on its flavor", [flavor(), checked("m", on_flavors=["a100"]), admission("m")], []),
    (
        "on another",
        [flavor(), flavor("b"), checked("m", on_flavors=["b"], flavors=("a100", "b")), admission("m")],
        INACTIVE,
    ),
    ("taken up", [flavor(), checked("m"), admission("m", status="True")], []),
    ("not taken up", [flavor(), checked("m"), admission("m", status="False")], INACTIVE),
    ("nobody knows", [flavor(), checked("m"), admission("m", status="Unknown")], []),
]
RACKS = body(KUEUE, "Topology", "racks", spec={"levels": [{"nodeLabel": "rack"}]})


@pytest.mark.parametrize(("bodies", "want"), [row[1:] for row in STATUS], ids=[row[0] for row in STATUS])
def test_admission_checks_that_make_a_queue_inactive(bodies: list[Body], want: list[str]) -> None:
    assert rules([namespace(), local_queue(), *bodies]) == want


@pytest.mark.parametrize(("kueue", "want"), [("1.2", INACTIVE), ("1.3", [])])
def test_multikueue_beside_topologies(kueue: str, want: list[str]) -> None:
    bodies = [namespace(), local_queue(), flavor(topologyName="racks"), RACKS, checked("m"), admission("m")]
    found = rules(bodies, target(f"kueue={kueue}"))
    assert [said for said in found if "queue-inactive" in said] == want


def test_an_inactive_queue_says_which_reason_and_where() -> None:
    bodies = [namespace(), local_queue(), flavor(), checked("m"), admission("m", status="False")]
    (found,) = judged(cluster(bodies))
    assert found.message == (
        "queue vision would be inactive (AdmissionCheckInactive): references inactive AdmissionCheck(s): m"
    )
    assert found.path == "spec.admissionChecksStrategy.admissionChecks[0].name"
