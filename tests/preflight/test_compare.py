"""What the cluster says to the tree: each finding at its boundary, and what only looks like it."""

from __future__ import annotations

import copy
from collections.abc import Callable, Mapping
from typing import Any, cast

import pytest

from generator.finding import Finding
from generator.preflight.client import Client
from generator.preflight.compare import compare
from generator.preflight.read import read
from tests.preflight import world
from tests.preflight.server import Fake
from tests.preflight.world import Object, find

Change = Callable[[list[Object]], Any]
OURS = {"app.kubernetes.io/managed-by": "apportion", "apportion.dev/environment": "prod"}
KUEUE, OLM = "kueue.x-k8s.io/v1beta2", "operators.coreos.com/v1alpha1"
GPU, MIG, H100 = "nvidia.com/gpu", "nvidia.com/mig-1g.10gb", {"nvidia.com/gpu.product": "NVIDIA-H100-80GB-HBM3"}
EXPECTED = world.expected()
LIVE = world.synced(world.overlay())
SERVED = frozenset(world.served(LIVE))
TITLE = "Red Hat build of Kueue"
MIGRATION = (
    "OpenShift AI's own Kueue, and the tree brings the Red Hat build of Kueue beside it; two Kueues would fight over "
    "one set of queues"
)


def told(
    change: Change | None = None,
    *,
    forbidden: tuple[str, ...] = (),
    served: frozenset[tuple[str, str]] = SERVED,
    allow_unread: bool = False,
    inputs: Mapping[str, tuple[str, str]] | None = None,
) -> list[Finding]:
    """Return the findings after changes of the live cluster and of the inputs."""
    objects = copy.deepcopy(LIVE)
    if change is not None:
        change(objects)
    expected = world.expected(**inputs) if inputs else EXPECTED
    client = cast("Client", world.Direct(Fake(objects, served), forbidden))
    return compare(expected, read(client, expected), allow_unread=allow_unread)


def said(*args: Any, **more: Any) -> list[str]:
    return [f"{f.severity}[{f.rule}] {f.message}" for f in told(*args, **more)]


def spec(kind: str, name: str, **fields: Any) -> Change:
    return lambda objects: find(objects, kind, name)["spec"].update(fields)


def status(kind: str, name: str, **fields: Any) -> Change:
    return lambda objects: find(objects, kind, name)["status"].update(fields)


def adds(kind: str, api: str, name: str, namespace: str = "", **more: Any) -> Change:
    """Return a change that adds an object, one of the environment if `labels` says so."""
    metadata = {"name": name, "labels": more.pop("labels", {}), "annotations": more.pop("annotations", {})}
    metadata |= {"namespace": namespace} if namespace else {}
    return lambda objects: objects.append({"apiVersion": api, "kind": kind, "metadata": metadata, **more})


def together(*changes: Change) -> Change:
    return lambda objects: [change(objects) for change in changes]


def uses(queue: str, flavor: str, resource: str, total: str) -> Change:
    return lambda objects: world.reserving(find(objects, "ClusterQueue", queue), flavor, resource, total)


def removes(kind: str, name: str) -> Change:
    return lambda objects: objects.remove(find(objects, kind, name))


def quotas(flavor: str, resource: str, nominal: str, cohort: str = "") -> Object:
    item = {"name": resource, "nominalQuota": nominal}
    group = {"coveredResources": [resource], "flavors": [{"name": flavor, "resources": [item]}]}
    return {"resourceGroups": [group], **({"cohortName": cohort} if cohort else {})}


def test_a_synced_cluster_says_nothing() -> None:
    assert said() == []


NODES: dict[str, tuple[Change, list[str]]] = {
    "cordoned": (
        spec("Node", "h100-0", unschedulable=True),
        [
            "error[guaranteed-beyond-nodes] pool h100: 3 of 4 nodes can be used: h100-0 is cordoned, and more is "
            f"guaranteed than they give: 32 {GPU} and there are 24, 384 cpu and there are 288, 3840Gi memory and "
            "there are 2880Gi"
        ],
    ),
    "not ready": (
        status("Node", "general-0", conditions=[{"type": "Ready", "status": "Unknown"}]),
        ["warning[nodes-missing] pool general: 1 of 2 nodes can be used: general-0 is not ready"],
    ),
    "without a status": (
        lambda objects: find(objects, "Node", "general-0").pop("status"),
        ["warning[nodes-missing] pool general: 1 of 2 nodes can be used: general-0 is not ready"],
    ),
    "tainted besides": (
        spec("Node", "general-0", taints=[{"key": "broken", "effect": "NoExecute"}]),
        [
            "warning[nodes-missing] pool general: 1 of 2 nodes can be used: general-0 is tainted broken:NoExecute, "
            "which the inventory does not say"
        ],
    ),
    "a taint that keeps nobody away": (
        spec("Node", "general-0", taints=[{"key": "slow", "effect": "PreferNoSchedule"}]),
        [],
    ),
    "untainted": (
        spec("Node", "h100-0", taints=[]),
        [
            f"warning[nodes-untainted] pool h100: 1 node without the taint {GPU}:NoSchedule, so that pods of no queue "
            "land there: h100-0"
        ],
    ),
    "one more": (
        lambda o: o.append(
            world.node("general-9", {"node.example.com/pool": "general"}, {"cpu": "32", "memory": "128Gi"})
        ),
        ["info[nodes-beyond-inventory] pool general: 3 nodes can be used and the inventory says 2"],
    ),
    "no slices": (
        status("Node", "a100-0", allocatable={GPU: "8", "cpu": "112", "memory": "1000Gi"}),
        [
            "error[guaranteed-beyond-nodes] pool a100-mig: 1 of 1 node can be used, and more is guaranteed than they "
            f"give: 56 {MIG} and there are 0",
            "warning[nodes-smaller-than-inventory] pool a100-mig: 1 of 1 node have less than the inventory says: "
            f"{MIG} 0 instead of 56: a100-0; they offer {GPU}",
        ],
    ),
    "a core less, and quota for it": (
        status("Node", "general-0", allocatable={"cpu": "31999m", "memory": "128Gi"}),
        [
            "warning[nodes-smaller-than-inventory] pool general: 1 of 2 nodes have less than the inventory says: cpu "
            "31999m instead of 32: general-0"
        ],
    ),
    "no quantity": (
        status("Node", "general-0", allocatable={"cpu": [], "memory": "lots"}),
        [
            "warning[nodes-smaller-than-inventory] pool general: 1 of 2 nodes have less than the inventory says: cpu 0 "
            "instead of 32, memory 0 instead of 128Gi: general-0"
        ],
    ),
    "in two pools": (
        lambda o: o.append(
            world.node(
                "both", {**H100, "node.example.com/pool": "general"}, {GPU: "8", "cpu": "104", "memory": "1000Gi"}
            )
        ),
        [
            "error[node-in-two-pools] 1 node in the pools h100 and general at once, so what is there is handed out "
            "twice: both",
            "warning[nodes-untainted] pool h100: 1 node without the taint nvidia.com/gpu:NoSchedule, so that pods of "
            "no queue land there: both",
            "info[nodes-beyond-inventory] pool general: 3 nodes can be used and the inventory says 2",
            "info[nodes-beyond-inventory] pool h100: 5 nodes can be used and the inventory says 4",
        ],
    ),
    "in no pool": (
        lambda o: o.append(world.node("spare", {}, {"amd.com/gpu": "8"})),
        ["info[accelerators-in-no-pool] 1 node with amd.com/gpu in no pool: spare"],
    ),
}


@pytest.mark.parametrize("name", NODES)
def test_nodes(name: str) -> None:
    change, expected = NODES[name]
    assert said(change) == expected


HALF = {"quotas": ("h100: {accelerators: 16}, a100", "h100: {accelerators: 8}, a100")}


def test_what_the_cohort_still_gives_is_no_shrinking() -> None:
    assert said(uses("vision-training", "h100", GPU, "24"), inputs=HALF) == []


def test_one_card_beyond_what_the_cohort_gives() -> None:
    [finding] = told(uses("vision-training", "h100", GPU, "25"), inputs=HALF)
    assert (str(finding.severity), finding.rule, finding.message) == (
        "error",
        "quota-below-admitted",
        "1 nvidia.com/gpu of h100 would be admitted beyond the quotas below cohort org: vision-training holds 25 of 8",
    )
    assert finding.object is not None
    assert finding.object.name == "vision-training"


def test_two_queues_of_one_cohort_are_one_finding() -> None:
    both = together(uses("vision-training", "h100", GPU, "12"), uses("speech-training", "h100", GPU, "17"))
    assert said(both, inputs=HALF) == [
        "error[quota-below-admitted] 5 nvidia.com/gpu of h100 would be admitted beyond the quotas below cohort org: "
        "speech-training holds 17 of 16, vision-training holds 12 of 8"
    ]


def test_who_is_beyond_already_is_a_warning() -> None:
    assert said(uses("vision-training", "h100", GPU, "33")) == [
        "warning[quota-below-admitted] 1 nvidia.com/gpu of h100 are already admitted beyond the quotas below cohort "
        "org: vision-training holds 33 of 16"
    ]


def test_usage_counts_where_reservation_is_missing() -> None:
    entry = {"name": "h100", "resources": [{"name": GPU, "total": "25"}]}
    change = lambda o: find(o, "ClusterQueue", "vision-training").update(status={"flavorsUsage": [entry]})  # noqa: E731
    assert [finding.rule for finding in told(change, inputs=HALF)] == ["quota-below-admitted"]


def test_a_queue_on_its_own_has_no_cohort_to_borrow_from() -> None:
    alone = {"quotas": ("team: speech\n    cohort: org", "team: speech")}
    assert said(uses("speech-training", "h100", GPU, "16"), inputs=alone) == []
    assert said(uses("speech-training", "h100", GPU, "17"), inputs=alone) == [
        "error[quota-below-admitted] 1 nvidia.com/gpu of h100 would be admitted beyond the quotas without a cohort: "
        "speech-training holds 17 of 16"
    ]


def test_a_flavor_that_a_queue_loses_while_it_is_used() -> None:
    lost = {"quotas": (", general: {cpu: 16, memory: 64Gi}", "")}
    assert said(uses("vision-training", "general", "cpu", "4"), inputs=lost) == [
        "error[quota-below-admitted] 4 cpu of general would be admitted beyond the quotas below cohort org: "
        "vision-training holds 4 of 0"
    ]


SUBSCRIPTION = ("Subscription", "kueue-operator")


def installed(csv: str, channel: str) -> Change:
    return together(spec(*SUBSCRIPTION, channel=channel), status(*SUBSCRIPTION, installedCSV=csv, currentCSV=csv))


OPERATORS: dict[str, tuple[Change, list[str]]] = {
    "another channel of the same release": (
        spec(*SUBSCRIPTION, channel="stable-v1"),
        [f"info[channel-changes] {TITLE}: the channel changes from stable-v1 to stable-v1.3"],
    ),
    "a release without a way": (
        installed("kueue-operator.v1.2.0", "stable-v1.2"),
        [
            f"error[channel-without-way] {TITLE}: no channel leads from the installed kueue-operator.v1.2.0 to 1.3, "
            "not stable-v1.3 either"
        ],
    ),
    "a newer release": (
        installed("kueue-operator.v1.4.1", "stable-v1.4"),
        [
            f"error[release-goes-back] {TITLE} goes back from kueue-operator.v1.4.1 to 1.3: OLM never does, and it "
            "stays as it is"
        ],
    ),
    "a name of no version": (installed("kueue-operator.vnext", "stable-v1.3"), []),
    "a way through another channel": (
        together(
            spec("Subscription", "rhods-operator", channel="stable-2.25"),
            status(
                "Subscription",
                "rhods-operator",
                installedCSV="rhods-operator.2.25.7",
                currentCSV="rhods-operator.2.25.7",
            ),
        ),
        [
            "error[channel-without-way] Red Hat OpenShift AI: stable-3.4 does not lead from the installed "
            "rhods-operator.2.25.7 to 3.4"
        ],
    ),
    "an approval": (
        status(*SUBSCRIPTION, currentCSV="kueue-operator.v1.3.2"),
        [
            f"warning[approval-pending] {TITLE}: kueue-operator.v1.3.2 waits for somebody's approval; "
            "kueue-operator.v1.3.1 is installed"
        ],
    ),
    "the first approval": (
        together(status(*SUBSCRIPTION, installedCSV=""), removes("ClusterServiceVersion", "kueue-operator.v1.3.1")),
        [
            f"warning[approval-pending] {TITLE}: kueue-operator.v1.3.1 waits for somebody's approval, and nothing is "
            "installed"
        ],
    ),
    "an update that nobody has to approve": (
        status("Subscription", "nfd", currentCSV="nfd.v10.0.0"),
        [],
    ),
    "another namespace": (
        lambda o: find(o, *SUBSCRIPTION)["metadata"].update(namespace="openshift-operators"),
        [
            f"error[operator-installed-elsewhere] {TITLE} is installed already: Subscription "
            "openshift-operators/kueue-operator is not the tree's openshift-kueue-operator/kueue-operator, and OLM "
            "installs no operator twice"
        ],
    ),
    "without a Subscription": (
        removes(*SUBSCRIPTION),
        [
            f"error[operator-installed-elsewhere] {TITLE} is installed already: kueue-operator.v1.3.1 in "
            "openshift-kueue-operator, without a Subscription, is not the tree's "
            "openshift-kueue-operator/kueue-operator, and OLM installs no operator twice"
        ],
    ),
    "not installed at all": (
        together(removes(*SUBSCRIPTION), removes("ClusterServiceVersion", "kueue-operator.v1.3.1")),
        [],
    ),
    "failed": (
        status("ClusterServiceVersion", "kueue-operator.v1.3.1", phase="Failed", message="no cert-manager"),
        [f"error[operator-failed] {TITLE}: kueue-operator.v1.3.1 has failed: no cert-manager"],
    ),
    "of somebody else": (
        lambda o: find(o, *SUBSCRIPTION)["metadata"].update(labels={}),
        [
            f"warning[operator-of-somebody-else] {TITLE}: the Subscription exists and was not made from this tree; a "
            "sync takes it over"
        ],
    ),
    "Kueue of OpenShift AI": (
        spec("DataScienceCluster", "default-dsc", components={"kueue": {"managementState": "Managed"}}),
        [f"error[embedded-kueue] DataScienceCluster default-dsc has kueue Managed: {MIGRATION}"],
    ),
    "its Deployment": (
        adds("Deployment", "apps/v1", "kueue-controller-manager", "redhat-ods-applications"),
        [f"error[embedded-kueue] Deployment redhat-ods-applications/kueue-controller-manager runs: {MIGRATION}"],
    ),
    "a Deployment of that name elsewhere": (
        adds("Deployment", "apps/v1", "kueue-controller-manager", "openshift-kueue-operator"),
        [],
    ),
}


@pytest.mark.parametrize("name", OPERATORS)
def test_operators(name: str) -> None:
    change, expected = OPERATORS[name]
    assert said(change) == expected


def without(*gone: tuple[str, str]) -> frozenset[tuple[str, str]]:
    return SERVED - set(gone)


def test_a_group_in_another_version_only() -> None:
    old = frozenset((api.replace("kueue.x-k8s.io/v1beta2", "kueue.x-k8s.io/v1beta1"), kind) for api, kind in SERVED)
    assert {(f.rule, str(f.severity)) for f in told(served=old)} == {("version-not-served", "error")}
    assert (
        "error[version-not-served] ClusterQueue of kueue.x-k8s.io/v1beta2 is not served: the cluster serves "
        "v1beta1, as kueue-operator.v1.3.1 installed it"
    ) in said(served=old)


def test_kinds_of_an_operator_that_is_still_to_come() -> None:
    gone = without(*((api, kind) for api, kind in SERVED if api.startswith("nfd.openshift.io")))
    nothing = together(removes("Subscription", "nfd"), removes("ClusterServiceVersion", "nfd.9.9.9"))
    assert said(nothing, served=gone) == [
        "info[kind-not-yet-served] NodeFeatureDiscovery of nfd.openshift.io/v1 is not served: Node Feature "
        "Discovery Operator is not installed, and the tree brings it"
    ]


def test_kinds_that_an_installed_operator_has_not_made() -> None:
    assert said(served=without(("nfd.openshift.io/v1", "NodeFeatureDiscovery"))) == [
        "info[kind-not-yet-served] NodeFeatureDiscovery of nfd.openshift.io/v1 is not served: nfd.9.9.9 has not made "
        "its kinds yet"
    ]


def test_kinds_that_an_upgrade_brings() -> None:
    csv, before = "rhods-operator.3.4.4", "rhods-operator.3.3.1"
    older = together(
        status("Subscription", "rhods-operator", installedCSV=before, currentCSV=before),
        lambda objects: find(objects, "ClusterServiceVersion", csv)["metadata"].update(name=before),
    )
    assert said(older, served=without(("opendatahub.io/v1alpha", "OdhDashboardConfig"))) == [
        "info[kind-not-yet-served] OdhDashboardConfig of opendatahub.io/v1alpha is not served: rhods-operator.3.3.1 is "
        "installed, and the tree upgrades it"
    ]


def test_kinds_that_the_tree_defines_itself() -> None:
    definition = """\
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: widgets.example.com}
spec:
  group: example.com
  scope: Cluster
  names: {kind: Widget, plural: widgets, singular: widget, listKind: WidgetList}
  versions: [{name: v1, served: true, storage: true, schema: {openAPIV3Schema: {type: object}}}]
---
apiVersion: example.com/v1
kind: Widget
metadata: {name: one}
"""
    expected = world.expected(extra=("", definition))
    found = read(cast("Client", world.Direct(Fake(LIVE, SERVED))), expected)
    assert [f.message for f in compare(expected, found) if "Widget" in f.message] == [
        "Widget of example.com/v1 is not served: a CustomResourceDefinition of the tree brings it"
    ]


def test_a_kind_that_an_installed_operator_lacks() -> None:
    assert said(served=without((KUEUE, "Cohort"))) == [
        "error[kind-not-served] Cohort of kueue.x-k8s.io/v1beta2 is not served: kueue-operator.v1.3.1 is installed and "
        "does not bring it"
    ]


def test_a_kind_that_nothing_brings() -> None:
    policy = ("admissionregistration.k8s.io/v1", "ValidatingAdmissionPolicy")
    assert said(served=without(policy)) == [
        "error[kind-not-served] ValidatingAdmissionPolicy of admissionregistration.k8s.io/v1 is not served: nothing in "
        "the tree brings it"
    ]


@pytest.mark.parametrize(
    "spec", ["[1]", "text", "{names: 1}", "{resourceGroups: 1}", "{resourceGroups: [{flavors: 1}]}"]
)
def test_odd_manifests_of_one_s_own_are_no_bug(spec: str) -> None:
    """`check` refuses them; here they only must not end the run."""
    texts = (
        f"apiVersion: {api}\nkind: {kind}\nmetadata: {{name: own}}\nspec: {spec}\n"
        for api, kind in (
            (KUEUE, "ClusterQueue"),
            (KUEUE, "Cohort"),
            (KUEUE, "ResourceFlavor"),
            ("apiextensions.k8s.io/v1", "CustomResourceDefinition"),
        )
    )
    expected = world.expected(extra=("", "---\n".join(texts)))
    found = read(cast("Client", world.Direct(Fake(LIVE, SERVED))), expected)
    assert [f.rule for f in compare(expected, found)] == ["kind-not-served"]


def gone(kind: str, name: str, namespace: str = "", api: str = KUEUE, **more: Any) -> Change:
    return adds(kind, api, name, namespace, labels={**OURS, "apportion.dev/team": "vision"}, **more)


NOTE = {
    "opendatahub.io/hardware-profile-name": "old",
    "opendatahub.io/hardware-profile-namespace": "redhat-ods-applications",
}
PROFILE = gone("HardwareProfile", "old", "redhat-ods-applications", "infrastructure.opendatahub.io/v1")
REMOVED: dict[str, tuple[Change, str]] = {
    "a busy ClusterQueue": (
        gone("ClusterQueue", "vision-old", status={"pendingWorkloads": 2, "admittedWorkloads": 1}),
        "ClusterQueue vision-old|1 admitted workloads, 2 pending workloads",
    ),
    "an idle ClusterQueue": (gone("ClusterQueue", "vision-old", status={"pendingWorkloads": 0}), ""),
    "a ClusterQueue of odd numbers": (gone("ClusterQueue", "vision-old", status={"pendingWorkloads": "9"}), ""),
    "a busy LocalQueue": (
        gone("LocalQueue", "old", "vision-train", status={"reservingWorkloads": 1}),
        "LocalQueue vision-train/old|1 reserving workloads",
    ),
    "a flavor in use": (
        together(gone("ResourceFlavor", "old"), adds("ClusterQueue", KUEUE, "theirs", spec=quotas("old", GPU, "0"))),
        "ResourceFlavor old|ClusterQueues theirs",
    ),
    "a flavor whose queue goes as well": (
        together(gone("ResourceFlavor", "old"), gone("ClusterQueue", "vision-old", spec=quotas("old", GPU, "0"))),
        "",
    ),
    "a namespace with work": (
        together(
            gone("Namespace", "vision-old", api="v1"),
            adds("Pod", "v1", "a", "vision-old", status={"phase": "Running"}),
            adds("Pod", "v1", "b", "vision-old", status={"phase": "Succeeded"}),
            adds("PersistentVolumeClaim", "v1", "c", "vision-old"),
            adds("Workload", KUEUE, "d", "vision-old"),
        ),
        "Namespace vision-old|1 pods, 1 persistent volume claims, 1 Kueue workloads",
    ),
    "an empty namespace": (
        together(gone("Namespace", "vision-old", api="v1"), adds("Pod", "v1", "a", "elsewhere")),
        "",
    ),
    "a profile in use": (
        together(PROFILE, adds("Notebook", "kubeflow.org/v1", "nb", "vision-train", annotations=NOTE)),
        "HardwareProfile redhat-ods-applications/old|Notebook vision-train/nb",
    ),
    "a profile of that name elsewhere": (
        together(
            PROFILE,
            adds(
                "InferenceService",
                "serving.kserve.io/v1beta1",
                "s",
                "vision-train",
                annotations=dict([*NOTE.items()][:1]),
            ),
        ),
        "",
    ),
}


@pytest.mark.parametrize("name", REMOVED)
def test_what_a_sync_removes_while_it_is_in_use(name: str) -> None:
    change, expected = REMOVED[name]
    removed = [f.message for f in told(change) if f.rule == "removed-while-in-use"]
    what, _, use = expected.partition("|")
    text = f"{what} is no longer in the tree, and a sync removes it while it is in use: {use}"
    assert removed == ([text] if expected else [])


def test_objects_of_another_environment_are_not_removed() -> None:
    labels = {**OURS, "apportion.dev/environment": "dev"}
    busy = {"admittedWorkloads": 1}
    assert [f.rule for f in told(adds("ClusterQueue", KUEUE, "x", labels=labels, status=busy))] == [
        "queue-not-of-the-tree"
    ]


def test_a_namespace_of_an_operator_is_never_pruned() -> None:
    pod = adds("Pod", "v1", "a", "openshift-old", status={"phase": "Running"})
    assert said(together(adds("Namespace", "v1", "openshift-old", labels=OURS), pod)) == []


def test_a_local_queue_cannot_change_its_queue() -> None:
    change = lambda o: next(  # noqa: E731
        q
        for q in o
        if q["kind"] == "LocalQueue"
        and q["metadata"] | {"name": "training", "namespace": "vision-train"} == q["metadata"]
    )["spec"].update(clusterQueue="speech-training")
    assert said(change) == [
        "error[update-refused] LocalQueue vision-train/training: the cluster refuses to change spec.clusterQueue: "
        "field is immutable (from speech-training to vision-training)"
    ]


def test_a_topology_cannot_change_its_levels() -> None:
    levels = "topology: [network.example.com/rack, kubernetes.io/hostname]"
    inputs = {"inventory": ("    nodes: 4\n", f"    nodes: 4\n    {levels}\n")}
    old = {"levels": [{"nodeLabel": "network.example.com/spine"}]}
    flavor = {"nodeLabels": H100, "topologyName": "h100", "tolerations": []}
    change = together(adds("Topology", KUEUE, "h100", labels=OURS, spec=old), spec("ResourceFlavor", "h100", **flavor))
    refused = [f.message for f in told(change, inputs=inputs) if f.rule == "update-refused"]
    assert refused == [
        "ResourceFlavor h100: the cluster refuses to change spec: resourceFlavorSpec are immutable when topologyName "
        "is set",
        "Topology h100: the cluster refuses to change spec.levels: field is immutable (from network.example.com/spine "
        "to network.example.com/rack, kubernetes.io/hostname)",
    ]


FOREIGN: dict[str, tuple[Change, list[str]]] = {
    "a queue with quota that fits": (
        adds("ClusterQueue", KUEUE, "theirs", spec=quotas("general", "cpu", "48")),
        [
            "warning[queue-not-of-the-tree] ClusterQueue theirs is not of this tree: it guarantees itself 48 cpu of "
            "general"
        ],
    ),
    "a queue with a core too much": (
        adds("ClusterQueue", KUEUE, "theirs", spec=quotas("general", "cpu", "48001m")),
        [
            "error[guaranteed-beyond-nodes] pool general: 2 of 2 nodes can be used, and more is guaranteed than they "
            "give: 64001m cpu and there are 64; with queues that are not of this tree: theirs",
            "warning[queue-not-of-the-tree] ClusterQueue theirs is not of this tree: it guarantees itself 48001m cpu "
            "of general",
        ],
    ),
    "a flavor of its own on the same nodes": (
        together(
            adds("ResourceFlavor", KUEUE, "cards", spec={"nodeLabels": H100}),
            adds("ClusterQueue", KUEUE, "theirs", spec=quotas("cards", GPU, "1")),
        ),
        [
            "error[guaranteed-beyond-nodes] pool h100: 4 of 4 nodes can be used, and more is guaranteed than they "
            f"give: 33 {GPU} and there are 32; with queues that are not of this tree: theirs",
            f"warning[queue-not-of-the-tree] ClusterQueue theirs is not of this tree: it guarantees itself 1 {GPU} of "
            "h100",
            "info[flavor-not-of-the-tree] ResourceFlavor cards is not of this tree: it may lie on the nodes of a pool",
        ],
    ),
    "a queue on any node": (
        together(
            adds("ResourceFlavor", KUEUE, "default-flavor"),
            adds("ClusterQueue", KUEUE, "theirs", spec=quotas("default-flavor", "cpu", "900")),
        ),
        [
            "warning[queue-not-of-the-tree] ClusterQueue theirs is not of this tree: it guarantees itself 900 cpu of "
            "default-flavor, which lies on any node"
        ],
    ),
    "a queue on nodes of no pool": (
        together(
            adds("ResourceFlavor", KUEUE, "edge", spec={"nodeLabels": {"site": "edge"}}),
            adds("ClusterQueue", KUEUE, "theirs", spec=quotas("edge", "cpu", "900")),
        ),
        [
            "info[flavor-not-of-the-tree] ResourceFlavor edge is not of this tree: it may lie on the nodes of a pool",
            "info[queue-not-of-the-tree] ClusterQueue theirs is not of this tree: it is guaranteed nothing of the "
            "inventory's pools",
        ],
    ),
    "a queue without quota": (
        adds("ClusterQueue", KUEUE, "theirs"),
        [
            "info[queue-not-of-the-tree] ClusterQueue theirs is not of this tree: it is guaranteed nothing of the "
            "inventory's pools"
        ],
    ),
    "a cohort": (
        adds("Cohort", KUEUE, "theirs", spec=quotas("general", "cpu", "1")),
        ["warning[queue-not-of-the-tree] Cohort theirs is not of this tree: it guarantees itself 1 cpu of general"],
    ),
    "a LocalQueue on our queue": (
        adds("LocalQueue", KUEUE, "theirs", "elsewhere", spec={"clusterQueue": "vision-training"}),
        [
            "warning[queue-not-of-the-tree] LocalQueues elsewhere/theirs are not of this tree: they submit to "
            "ClusterQueue vision-training, so that others use that team's share"
        ],
    ),
    "what OpenShift AI makes": (
        together(
            adds("ResourceFlavor", KUEUE, "amd-gpu-flavor"),
            adds("LocalQueue", KUEUE, "platform-default", "elsewhere", spec={"clusterQueue": "default"}),
        ),
        [],
    ),
}


@pytest.mark.parametrize("name", FOREIGN)
def test_queues_of_others(name: str) -> None:
    change, expected = FOREIGN[name]
    assert said(change) == expected


@pytest.mark.parametrize("server", [world.SERVER, f"{world.SERVER}/", "https://API.prod.example.com:6443"])
def test_the_server_that_the_environment_names(server: str) -> None:
    assert said(inputs={"environment": ("platform:", f"cluster: {{server: '{server}'}}\nplatform:")}) == []


def test_another_server() -> None:
    other = "https://api.dev.example.com:6443"
    assert said(inputs={"environment": ("platform:", f"cluster: {{server: '{other}'}}\nplatform:")}) == [
        f"warning[another-server] this is {world.SERVER}, and environment prod is on {other}"
    ]


def test_what_may_not_be_read_was_not_checked() -> None:
    forbidden = ("/nodes", "/clusterqueues", "/apis/nvidia.com/v1", "/deployments/kueue-controller-manager")
    assert said(forbidden=forbidden) == [
        "error[not-read] could not read ClusterQueue: the account may not (403 Forbidden); so it was not checked what "
        "is admitted, and whether a queue that would go is in use",
        "error[not-read] could not read Deployment: the account may not (403 Forbidden); so it was not checked whether "
        "OpenShift AI runs a Kueue of its own",
        "error[not-read] could not read Node: the account may not (403 Forbidden); so it was not checked whether the "
        "nodes carry what is guaranteed on them",
        "error[not-read] could not read the kinds of nvidia.com/v1: the account may not (403 Forbidden); so it was not "
        "checked whether what the tree has of them is served",
    ]
    assert {str(f.severity) for f in told(forbidden=forbidden, allow_unread=True)} == {"warning"}


@pytest.mark.parametrize("kind", ["pods", "persistentvolumeclaims", "workloads"])
def test_what_a_namespace_holds_may_not_be_read(kind: str) -> None:
    found = told(gone("Namespace", "vision-old", api="v1"), forbidden=(f"/vision-old/{kind}",))
    assert [f.rule for f in found] == ["not-read"]


def test_every_kind_that_is_read_says_what_was_not_checked_without_it() -> None:
    for resource in (
        *("subscriptions", "clusterserviceversions", "cohorts", "localqueues", "resourceflavors"),
        *("namespaces", "topologies", "hardwareprofiles", "datascienceclusters"),
    ):
        found = told(forbidden=(f"/{resource}",))
        assert [f.rule for f in found] == ["not-read"], resource
    assert [f.rule for f in told(PROFILE, forbidden=("/notebooks", "/inferenceservices"))] == ["not-read"]
