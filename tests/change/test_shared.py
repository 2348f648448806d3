"""What the fleet shares, pools, releases, and updates that the API server refuses."""

from __future__ import annotations

from typing import Any

import pytest

from generator.change.compare import unsafe
from generator.schemas.schema import from_crd
from generator.validate import kinds
from generator.validate.cluster import place
from tests.builders import CORES, H100, MIXED
from tests.change.builders import extra, found, quotas, rules, step, team, told

TRAIN = "training: h100: {accelerators: 8}"
IMAGE = "registry.example.com/ai/torch:1"
TRAINER = "components: {trainer: {}, workbenches: {}}\n"


def priorities(**values: int) -> dict[str, Any]:
    listed = ", ".join(f"{{name: {name}, value: {value}}}" for name, value in values.items())
    return {"fleet": f"priorities: [{listed}]\n"}


@pytest.mark.parametrize(
    ("new", "want"),
    [
        ({"training": 100}, []),
        ({"training": 101}, ["warning priority-value-edited training"]),
        ({"training": 100, "urgent": 1}, []),
        ({"urgent": 100}, []),
    ],
)
def test_a_priority_is_edited(new: dict[str, int], want: list[str]) -> None:
    assert rules(priorities(training=100), priorities(**new)) == want


def runtime(*names: str, more: str = "") -> dict[str, Any]:
    node = "perNode: {cpu: 16, memory: 128Gi}"
    listed = "".join(f"- {{name: {name}, framework: torch, image: {IMAGE}, {node}{more}}}\n" for name in names)
    return {"fleet": f"runtimes:\n{listed}" if names else "", "environment": TRAINER, "quotas": quotas(team(TRAIN))}


def test_a_runtime_goes() -> None:
    assert rules(runtime("old", "new"), runtime("new")) == ["warning runtime-removed old"]
    assert rules(runtime("new"), runtime("old", "new")) == []


def test_a_runtime_of_projects_goes_once_but_not_with_its_namespace() -> None:
    project = ", scope: project"
    two = {"quotas": quotas(team(f"{TRAIN}; namespaces: [work, lab]", spaces="[{name: work}, {name: lab}]"))}
    before = runtime("old", more=project) | two
    (finding,) = found(before, runtime() | two)
    assert finding.message.startswith("TrainingRuntime old is removed from lab, work: a finalizer keeps it")
    one = {"quotas": quotas(team(f"{TRAIN}; stopPolicy: HoldAndDrain"))}
    assert "runtime-removed" not in " ".join(rules(before, runtime("old", more=project) | one))


def profile(scope: str = "", spaces: str = "[{name: work}]", **more: str) -> dict[str, Any]:
    own = f", scope: {scope}" if scope else ""
    item = f"{{name: one, pool: cores, queue: notes, cpu: {{default: 1}}, memory: {{default: 1Gi}}{own}}}"
    queue = team(TRAIN, "notes: cores: {cpu: 4}; use: interactive", spaces=spaces)
    return {"fleet": f"profiles: [{item}]\n", "environment": TRAINER, "quotas": quotas(queue), **more}


def test_a_profile_goes() -> None:
    without = {**profile(), "fleet": ""}
    (finding,) = found(profile(), without)
    assert (finding.rule, finding.message) == (
        "profile-removed",
        "hardware profile one is removed from redhat-ods-applications: a workbench or model that names it there is "
        "refused at its next edit",
    )
    assert rules(without, profile()) == []


@pytest.mark.parametrize(
    ("old", "new", "want"),
    [
        (profile("global"), profile("project"), "warning profile-scope-flipped one"),
        (profile("project"), profile("global"), "warning profile-scope-flipped one"),
        (profile(), profile(spaces="[{name: work}, {name: lab}]"), "warning profile-scope-flipped one"),
        (profile("project"), profile("project", spaces="[{name: work}, {name: lab}]"), ""),
        (profile("auto"), profile("global"), ""),
    ],
    ids=["by hand", "back", "a namespace that lacks the queue", "one more namespace", "as it was"],
)
def test_the_scope_of_a_profile_flips(old: dict[str, Any], new: dict[str, Any], want: str) -> None:
    assert rules(old, new) == ([want] if want else [])


def test_a_pool_goes_that_a_queue_named_until_now() -> None:
    before = {"quotas": quotas(team(f"{TRAIN}, cores: {{cpu: 4, memory: 8Gi}}; stopPolicy: HoldAndDrain"))}
    after = {"quotas": quotas(team(f"{TRAIN}; stopPolicy: HoldAndDrain")), "pools": (H100, MIXED)}
    assert rules(before, after) == ["warning flavor-removed-in-use cores"]


def test_a_pool_goes_that_nobody_names() -> None:
    both = {"quotas": quotas(team(TRAIN))}
    assert rules(both, {**both, "pools": (H100, MIXED)}) == []


def test_a_pool_goes_that_a_queue_of_extra_names() -> None:
    group = "{coveredResources: [cpu], flavors: [{name: cores, resources: [{name: cpu, nominalQuota: 0}]}]}"
    own = extra(
        own="apiVersion: kueue.x-k8s.io/v1beta2\nkind: ClusterQueue\nmetadata: {name: own}\n"
        f"spec: {{namespaceSelector: {{}}, resourceGroups: [{group}]}}\n"
    )
    assert rules({"extra": own}, {"extra": own, "pools": (H100, MIXED)}) == ["error flavor-removed-in-use cores"]


LEVELS = H100.replace("{name", "{topology: [%s], name")
RACK = LEVELS % "rack, kubernetes.io/hostname"


@pytest.mark.parametrize(
    ("old", "new", "want"),
    [
        (RACK, RACK, []),
        (RACK, LEVELS % "kubernetes.io/hostname", ["error update-refused h100"]),
        (RACK, RACK.replace("node: h100", "node: h101"), ["error update-refused h100"]),
        (RACK, RACK.replace("nodes: 2", "nodes: 3"), []),
        (RACK, H100, ["error update-refused h100"]),
        (H100, RACK, []),
        (H100, H100.replace("node: h100", "node: h101"), []),
    ],
    ids=["same", "levels", "labels", "one more node", "topology goes", "topology comes", "labels without topology"],
)
def test_what_a_topology_settles(old: str, new: str, want: list[str]) -> None:
    both = quotas(team(TRAIN))
    assert rules({"pools": (old, CORES), "quotas": both}, {"pools": (new, CORES), "quotas": both}) == want


def test_a_topology_goes_that_a_flavor_of_extra_names() -> None:
    spec = "{nodeLabels: {node: own}, topologyName: h100}"
    own = extra(
        own=f"apiVersion: kueue.x-k8s.io/v1beta2\nkind: ResourceFlavor\nmetadata: {{name: own}}\nspec: {spec}\n"
    )
    both = {"extra": own, "quotas": quotas(team("training: cores: {cpu: 1, memory: 1Gi}"))}
    want = ["error topology-removed-in-use h100"]
    assert rules({**both, "pools": (RACK, CORES)}, {**both, "pools": (CORES,)}) == want


def test_a_refused_update_names_what_changed() -> None:
    after = RACK.replace("node: h100", "node: h101")
    (finding,) = found({"pools": (RACK,)}, {"pools": (after,)})
    assert (finding.message, finding.path, finding.location and finding.location.line) == (
        "the update of ResourceFlavor h100 is refused: resourceFlavorSpec are immutable when topologyName is set "
        "(changed: spec.nodeLabels.node)",
        "spec",
        4,
    )


FLAVOR = "apiVersion: kueue.x-k8s.io/v1beta2\nkind: ResourceFlavor\nmetadata: {name: own}\nspec: %s\n"


def test_the_way_out_for_a_flavor_of_extra_is_no_pool() -> None:
    old, new = (
        {"extra": extra(own=FLAVOR % f"{{nodeLabels: {{node: own}}, topologyName: h100{more}}}"), "pools": (RACK,)}
        for more in ("", ", nodeTaints: [{key: a, effect: NoSchedule}]")
    )
    (finding,) = found(old, new)
    assert told([finding]) == ["error update-refused own"]
    assert finding.fix is not None
    assert "pool" not in finding.fix
    (finding,) = found({"pools": (RACK,)}, {"pools": (RACK.replace("node: h100", "node: h101"),)})
    assert finding.fix is not None
    assert "pool" in finding.fix


CHECK = "apiVersion: kueue.x-k8s.io/v1beta2\nkind: AdmissionCheck\nmetadata: {name: c}\nspec: {controllerName: %s}\n"


@pytest.mark.parametrize(("name", "want"), [("a.com/x", []), ("a.com/y", ["error update-refused c"])])
def test_the_controller_of_an_admission_check_is_settled(name: str, want: list[str]) -> None:
    assert rules({"extra": extra(c=CHECK % "a.com/x")}, {"extra": extra(c=CHECK % name)}) == want


def test_a_namespace_of_openshift_ai_is_settled() -> None:
    before, after = (
        f"components: {{workbenches: {{workbenchNamespace: {name}}}}}\n" for name in ("notebooks", "workbenches")
    )
    (finding,) = found({"environment": before}, {"environment": after})
    assert told([finding]) == ["error update-refused default-dsc"]
    assert finding.location is not None
    assert (finding.location.line, finding.location.column) == (6, 48)


SECOND = """\
# a comment
apiVersion: datasciencecluster.opendatahub.io/v2
kind: DataScienceCluster
metadata:
  labels: {a: b}
  name: mine
spec: {}
"""


def test_what_is_labelled_still_knows_where_it_stands() -> None:
    cluster = step({"extra": extra(c=SECOND)}, {"extra": extra(c=SECOND)}).new.cluster
    mine = cluster.find(kinds.DATA_SCIENCE_CLUSTER, "mine")
    assert mine is not None
    paths = ("apiVersion", "kind", "metadata", "metadata.name", "metadata.labels[a]", "metadata.labels[x]", "spec.x")
    assert [place(mine, path).line for path in paths] == [2, 3, 4, 6, 5, 5, 7]


WIDGET = "apiVersion: example.com/v1\nkind: Widget\nmetadata: {name: w}\nspec: {size: %s}\n"
DEFINITION = {
    "apiVersion": "apiextensions.k8s.io/v1",
    "kind": "CustomResourceDefinition",
    "metadata": {"name": "widgets.example.com"},
    "spec": {
        "group": "example.com",
        "names": {"kind": "Widget", "plural": "widgets"},
        "scope": "Cluster",
        "versions": [
            {
                "name": "v1",
                "served": True,
                "storage": True,
                "schema": {
                    "openAPIV3Schema": {
                        "type": "object",
                        "properties": {
                            "spec": {
                                "type": "object",
                                "properties": {
                                    "size": {
                                        "type": "integer",
                                        "x-kubernetes-validations": [
                                            {"rule": "self >= oldSelf", "message": "it may only grow"}
                                        ],
                                    }
                                },
                            }
                        },
                    }
                },
            }
        ],
    },
}


@pytest.mark.parametrize(("size", "want"), [(2, []), (3, []), (1, ["error update-refused w"])])
def test_the_clusters_own_definitions_count(size: int, want: list[str]) -> None:
    made = step({"extra": extra(w=WIDGET % 2)}, {"extra": extra(w=WIDGET % size)})
    made.new.imported = {(schema.group, schema.kind, schema.version): schema for schema in from_crd(DEFINITION)}
    assert told(list(unsafe(made))) == want


def test_what_is_wrong_by_itself_is_not_told_of_the_step() -> None:
    broken = "apiVersion: kueue.x-k8s.io/v1beta2\nkind: Cohort\nmetadata: {name: c}\nspec: {parentName: %s}\n"
    assert rules({"extra": extra(c=broken % "a")}, {"extra": extra(c=broken % "A_B")}) == []


def platform(openshift_ai: str, kueue: str = "1.3", openshift: str = "4.20", channel: str = "") -> dict[str, Any]:
    choice = f"operators: {{openshift-ai: {{channel: {channel}}}}}\n" if channel else ""
    return {"openshift_ai": openshift_ai, "kueue": kueue, "openshift": openshift, "environment": choice}


@pytest.mark.parametrize(
    ("old", "new", "want"),
    [
        (platform("3.3"), platform("3.4"), []),
        (platform("3.4"), platform("3.3"), ["error release-goes-back rhods-operator"]),
        (platform("2.25"), platform("3.3"), ["error upgrade-without-channel rhods-operator"]),
        (platform("2.25"), platform("3.4"), ["error upgrade-without-channel rhods-operator"]),
        (platform("3.2"), platform("3.3"), ["error upgrade-without-channel rhods-operator"]),
        (platform("3.2"), platform("3.3", channel="fast-3.x"), []),
        (platform("3.2"), platform("3.4"), ["error upgrade-without-channel rhods-operator"]),
        (platform("3.0"), platform("3.2"), []),
        (platform("3.3"), platform("3.5"), ["error upgrade-without-channel rhods-operator"]),
        (platform("3.3"), platform("3.5", channel="stable-3.x"), []),
        (platform("3.4"), platform("3.5"), []),
        (platform("2.25"), platform("3.3", channel="support-required-upgrade"), []),
        (platform("2.25"), platform("3.5", channel="support-required-upgrade-3.5"), []),
        (platform("3.4", "1.2"), platform("3.4", "1.3"), ["warning operator-needs-reinstalling kueue-operator"]),
        (platform("3.4", "1.3"), platform("3.4", "1.2"), ["error release-goes-back kueue-operator"]),
        (platform("3.4", openshift="4.19"), platform("3.4", openshift="4.20"), []),
    ],
)
def test_releases(old: dict[str, Any], new: dict[str, Any], want: list[str]) -> None:
    assert rules(old, new) == want


def test_an_operator_that_others_install_is_theirs_to_upgrade() -> None:
    external = {"environment": "operators: {kueue: {external: true}}\n"}
    assert rules(platform("3.4", "1.2") | external, platform("3.4", "1.3") | external) == []


def test_a_reinstalled_kueue_is_told_of_its_api() -> None:
    (finding,) = found(platform("3.4", "1.2"), platform("3.4", "1.3"))
    assert finding.message == (
        "Red Hat build of Kueue goes from 1.2 to 1.3, and OLM has no way from channel to channel: it stays at 1.2, and "
        "gets objects of v1beta2"
    )
