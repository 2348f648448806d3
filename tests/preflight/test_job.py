"""The PreSync Job: what it is given, what it may read, and that all it needs is there before it runs."""

from __future__ import annotations

import copy
import json
import re
from collections.abc import Iterator
from typing import Any, cast

import pytest
import yaml

from generator.commands.read import read as read_inputs
from generator.commands.verdict import cluster
from generator.emit import preflight
from generator.emit.leaves import Leaf
from generator.environment.load import load
from generator.finding import FatalError
from generator.kustomize import MOST_OBJECTS, Overlay, layout
from generator.kustomize import build as built
from generator.plan.resolve import resolve
from generator.preflight.client import Client
from generator.preflight.compare import compare
from generator.preflight.expected import Expected, loads
from generator.preflight.read import read
from generator.schemas.resources import plural
from generator.validate.all import judge
from tests.preflight import world
from tests.preflight.server import Fake
from tests.preflight.test_compare import NOTE, PROFILE, REMOVED, SERVED, adds, gone, quotas, together, uses
from tests.samples import ROOT

IMAGE = f"registry.example.com/platform/apportion@sha256:{'0' * 64}"
ON = ("repository:", f"argocd: {{preflight: {{image: {IMAGE}}}}}\nrepository:")
OVERLAY = world.overlay(environment=ON)
LIVE = world.synced(OVERLAY)
HOOK, WAVE = "argocd.argoproj.io/hook", "argocd.argoproj.io/sync-wave"
FOLDERS = (
    "operators",
    "queues/shared",
    "queues/speech",
    "queues/vision",
    "tenants/speech",
    "tenants/vision",
    "profiles",
)


def leaf(folder: str) -> Leaf:
    return next(found for found in OVERLAY.synced if found.path == f"overlays/prod/{folder}")


def expected(folder: str) -> Expected:
    """Return what the Job of a folder is given."""
    [data] = [m.body["data"] for m in leaf(folder).manifests if m.kind == "ConfigMap"]
    return loads(data[preflight.FILE], folder)


def rules(folder: str, change: Any = None, fake: Fake | None = None) -> list[tuple[str, str]]:
    """Return rule and object of what the Job of a folder finds."""
    objects = copy.deepcopy(LIVE)
    if change is not None:
        change(objects)
    fake = fake or Fake(objects, SERVED | set(world.served(LIVE)))
    given = expected(folder)
    found = compare(given, read(cast("Client", world.Direct(fake)), given))
    return [(f.rule, f.object.name if f.object else "") for f in found]


def of_kind(overlay: Overlay, kind: str) -> Iterator[tuple[Leaf, Any]]:
    for found in overlay.leaves:
        yield from ((found, m.body) for m in found.objects() if m.kind == kind)


def test_nothing_is_written_unless_it_is_asked_for() -> None:
    off, on = layout([world.overlay()]), layout([OVERLAY])
    assert not [path for path in off if "preflight" in path or HOOK in off[path]]
    changed = {path.rpartition("/")[0] for path in on if on[path] != off.get(path) and not path.endswith(".lock")}
    assert changed == {f"overlays/prod/{folder}" for folder in (*FOLDERS, "preflight", "argocd")} | {"overlays/prod"}


def test_the_gated_applications_have_a_job_each() -> None:
    assert [found.path.removeprefix("overlays/prod/") for found, _ in of_kind(OVERLAY, "Job")] == [
        *("operators", "queues/shared", "queues/speech", "queues/vision"),
        *("tenants/speech", "tenants/vision", "profiles"),
    ]


@pytest.mark.parametrize("folder", FOLDERS)
def test_a_synced_cluster_passes_every_job(folder: str) -> None:
    assert rules(folder) == []


def test_the_hooks_follow_each_other_and_their_account_comes_from_an_earlier_application() -> None:
    for found, job in of_kind(OVERLAY, "Job"):
        [config] = [m.body for m in found.manifests if m.kind == "ConfigMap"]
        notes = [each["metadata"]["annotations"] for each in (config, job)]
        assert [(note[HOOK], note.get(WAVE, "0")) for note in notes] == [("PreSync", "-1"), ("PreSync", "0")]
        assert {note["argocd.argoproj.io/hook-delete-policy"] for note in notes} == {"BeforeHookCreation"}
        pod = job["spec"]["template"]["spec"]
        assert {v["configMap"]["name"] for v in pod["volumes"] if "configMap" in v} == {config["metadata"]["name"]}
    account = [m for m in leaf("preflight").manifests if m.kind == "ServiceAccount"]
    jobs = [job for _, job in of_kind(OVERLAY, "Job")]
    assert {(m.namespace, m.name) for m in account} == {
        (job["metadata"]["namespace"], job["spec"]["template"]["spec"]["serviceAccountName"]) for job in jobs
    }
    waves = {
        app["spec"]["source"]["path"].removeprefix("output/"): int(app["metadata"]["annotations"].get(WAVE, "0"))
        for _, app in of_kind(OVERLAY, "Application")
    }
    first = waves.pop("overlays/prod/preflight")
    assert not [m for m in leaf("preflight").manifests if HOOK in m.body["metadata"].get("annotations", {})]
    assert all(first < wave for path, wave in waves.items() if path != "overlays/prod/argocd")


def test_the_job_is_restricted_and_ends() -> None:
    [job] = [m.body for m in leaf("operators").manifests if m.kind == "Job"]
    pod = job["spec"]["template"]["spec"]
    [container] = pod["containers"]
    assert (job["spec"]["backoffLimit"], job["spec"]["activeDeadlineSeconds"]) == (0, 300)
    assert pod["restartPolicy"] == "Never"
    assert pod["securityContext"] == {"runAsNonRoot": True, "seccompProfile": {"type": "RuntimeDefault"}}
    assert container["securityContext"] == {
        "allowPrivilegeEscalation": False,
        "capabilities": {"drop": ["ALL"]},
        "readOnlyRootFilesystem": True,
    }
    assert container["image"] == IMAGE
    seconds = re.fullmatch(r"(\d+)s", container["args"][-1])
    assert seconds is not None
    assert int(seconds[1]) < job["spec"]["activeDeadlineSeconds"]


def test_the_job_s_command_line_is_one() -> None:
    from argparse import ArgumentParser

    from generator.commands import preflight as command

    [job] = [m.body for m in leaf("operators").manifests if m.kind == "Job"]
    [container] = job["spec"]["template"]["spec"]["containers"]
    parser = ArgumentParser()
    command.arguments(parser)
    assert container["command"] == ["apportion", "preflight"]
    assert parser.parse_args(container["args"]).expect.endswith(preflight.FILE)


def test_the_account_may_read_what_is_read_and_nothing_else() -> None:
    """All that any Job and the command ask for, with everything there that makes them ask."""
    objects = copy.deepcopy(LIVE)
    together(
        gone("Namespace", "vision-old", api="v1"),
        PROFILE,
        adds("Notebook", "kubeflow.org/v1", "nb", "x", annotations=NOTE),
    )(objects)
    llm = ("serving.kserve.io/v1alpha1", "LLMInferenceService")
    fake = Fake(objects, SERVED | set(world.served(LIVE)) | {llm})
    asked: set[str] = set()
    client = world.Direct(fake)
    client.asked = asked
    for given in (*map(expected, FOLDERS), world.expected(environment=ON)):
        read(cast("Client", client), given)
    found = {
        (path[1] if path[0] == "apis" else "", path[-1] if path[-2:-1] != ["deployments"] else "deployments")
        for path in (each.strip("/").split("/") for each in asked)
        if len(path) > (3 if path[0] == "apis" else 2)
    }
    assert found == {(api, name) for api, names in preflight.READ for name in names}
    [role] = [m.body for m in leaf("preflight").manifests if m.kind == "ClusterRole"]
    assert {verb for rule in role["rules"] for verb in rule["verbs"]} == {"get", "list"}


def test_the_fences_allow_the_hooks_and_the_controller_may_make_them() -> None:
    projects = {body["metadata"]["name"]: body["spec"] for _, body in of_kind(OVERLAY, "AppProject")}
    for name in ("prod-platform", "prod-queues", "prod-tenants"):
        allowed = {(each["group"], each["kind"]) for each in projects[name]["namespaceResourceWhitelist"]}
        assert allowed >= {("", "ConfigMap"), ("batch", "Job")}
        assert "apportion-preflight" in {each["namespace"] for each in projects[name]["destinations"]}
    [controller] = [b for _, b in of_kind(OVERLAY, "ClusterRole") if b["metadata"]["name"] == "apportion-argocd-prod"]
    rights = {(api, name) for rule in controller["rules"] for api in rule["apiGroups"] for name in rule["resources"]}
    assert rights >= {("", plural("ConfigMap")), ("batch", plural("Job")), ("", plural("ServiceAccount"))}


def test_a_team_s_job_knows_whether_the_operator_is_installed() -> None:
    served = (SERVED | set(world.served(LIVE))) - {(world.KUEUE, "ClusterQueue")}
    assert rules("queues/vision", fake=Fake(LIVE, served)) == [("kind-not-served", "*")]
    without = [o for o in LIVE if not o["metadata"]["name"].startswith("kueue-operator")]
    assert rules("queues/vision", fake=Fake(without, served)) == [("kind-not-yet-served", "*")]


def test_the_platform_s_own_queue_stops_the_shared_queues() -> None:
    labels = {"app.kubernetes.io/managed-by": "apportion", "apportion.dev/environment": "prod"}
    change = adds("ClusterQueue", world.KUEUE, "old-default", labels=labels, status={"admittedWorkloads": 1})
    assert [folder for folder in FOLDERS if rules(folder, change)] == ["queues/shared"]


def test_what_a_team_s_job_is_given_holds_nothing_of_another_team() -> None:
    for folder in ("queues/vision", "tenants/vision"):
        [data] = [m.body["data"] for m in leaf(folder).manifests if m.kind == "ConfigMap"]
        assert "speech" not in data[preflight.FILE]


@pytest.mark.parametrize("name", REMOVED)
def test_what_is_removed_in_use_stops_the_application_that_removes_it(name: str) -> None:
    change, text = REMOVED[name]
    stopped = {folder for folder in FOLDERS if "removed-while-in-use" in {rule for rule, _ in rules(folder, change)}}
    of_team = {"ClusterQueue": "queues/vision", "LocalQueue": "tenants/vision", "Namespace": "tenants/vision"}
    where = {**of_team, "HardwareProfile": "tenants/vision"}.get(text.split(" ")[0])
    assert stopped == ({where} if text and where else set())


def test_a_flavor_in_use_stops_the_shared_queues() -> None:
    labels = {"app.kubernetes.io/managed-by": "apportion", "apportion.dev/environment": "prod"}
    flavor = adds("ResourceFlavor", world.KUEUE, "old", labels=labels)
    change = together(flavor, adds("ClusterQueue", world.KUEUE, "theirs", spec=quotas("old", "cpu", "0")))
    assert [folder for folder in FOLDERS if rules(folder, change)] == ["queues/shared"]


def test_a_share_that_shrinks_stops_its_team_alone() -> None:
    change = together(
        uses("vision-training", "h100", "nvidia.com/gpu", "33"),
        lambda objects: [
            flavor["resources"][2].update(nominalQuota="20")
            for group in world.find(objects, "ClusterQueue", "vision-training")["spec"]["resourceGroups"]
            for flavor in group["flavors"]
            if flavor["name"] == "h100" and flavor["resources"][2]["name"] == "nvidia.com/gpu"
        ],
    )
    assert rules("queues/vision", change) == [("quota-below-admitted", "vision-training")]
    assert rules("operators", change) == []


def test_names_of_long_teams_are_labels() -> None:
    names = [preflight._name(f"queues-{'a' * 60}{tail}") for tail in "bc"]
    assert len({*names}) == 2
    assert all(len(name) <= 52 and re.fullmatch(r"[a-z0-9]([-a-z0-9]*[a-z0-9])?", name) for name in names)


def test_a_full_folder_leaves_room_for_the_hooks(monkeypatch: pytest.MonkeyPatch) -> None:
    from generator import kustomize

    rooms: list[int] = []
    overlays = OVERLAY, world.overlay()

    def parts(whole: Leaf, most: int) -> list[Leaf]:
        rooms.append(most)
        return [whole]

    monkeypatch.setattr(kustomize, "_parts", parts)
    for overlay in overlays:
        built(overlay.plan)
    assert [rooms[0], rooms[-1]] == [MOST_OBJECTS - 2, MOST_OBJECTS]


def test_what_a_config_map_cannot_hold(monkeypatch: pytest.MonkeyPatch) -> None:
    sizes = {
        each.path: len(m.body["data"][preflight.FILE])
        for each in OVERLAY.synced
        for m in each.manifests
        if preflight.FILE in m.body.get("data", {})
    }
    monkeypatch.setattr(preflight, "MOST_BYTES", max(sizes.values()))
    assert built(OVERLAY.plan)[1] == []
    monkeypatch.setattr(preflight, "MOST_BYTES", max(sizes.values()) - 1)
    [finding] = built(OVERLAY.plan)[1]
    assert (finding.rule, str(finding.severity)) == ("preflight-too-large", "error")
    assert max(sizes, key=sizes.__getitem__) in finding.message


def test_the_written_tree_builds_to_the_same_expectation() -> None:
    text = layout([OVERLAY])["overlays/prod/queues/vision/resources.yaml"]
    [config] = [each for each in yaml.safe_load_all(text) if each["kind"] == "ConfigMap"]
    raw = json.loads(config["data"][preflight.FILE])
    assert raw["prunes"] == [["ClusterQueue", "vision"]]
    assert [pool["name"] for pool in raw["pools"]] == ["h100", "a100-mig", "general"]
    assert all(len(line) < 4096 for line in config["data"][preflight.FILE].splitlines())


@pytest.mark.parametrize("environment", ["dev", "legacy", "prod"])
def test_the_samples_with_the_job_have_no_other_findings(environment: str) -> None:
    """The Job, its account and its ConfigMap are accepted by all that judges the tree."""
    files, _ = read_inputs(ROOT)
    path = f"environments/{environment}/environment.yaml"
    files[path] = files[path].replace(
        b"\nrepository:", f"\nargocd: {{preflight: {{image: {IMAGE}}}}}\nrepository:".encode()
    )
    given, findings = load(files)
    plan, found = resolve(given.environments[environment], None)
    assert plan is not None
    assert plan.preflight is not None
    overlay, wrong = built(plan)
    assert [*findings, *wrong, *judge(cluster(overlay))] == []
    assert [f for f in found if f.rule.startswith("preflight")] == []


REFUSED = {
    "no JSON": "{",
    "a list": "[]",
    "no version": "{}",
    "another version": '{"version": 2}',
    "nothing else": '{"version": 1}',
    "odd objects": '{"version": 1, "environment": "a", "releases": {}, "kinds": [], "platform": [], "pools": [], '
    '"objects": [7], "prunes": []}',
    "odd pools": '{"version": 1, "environment": "a", "releases": {}, "kinds": [], "platform": [], "pools": [{}], '
    '"objects": [], "prunes": []}',
    "odd kinds": '{"version": 1, "environment": "a", "releases": {}, "kinds": [["a"]], "platform": [], "pools": [], '
    '"objects": [], "prunes": []}',
}


@pytest.mark.parametrize("name", REFUSED)
def test_an_expectation_that_is_none(name: str) -> None:
    with pytest.raises(FatalError, match=r"cannot read expect\.json: "):
        loads(REFUSED[name], "expect.json")


def test_the_page_has_every_rule_that_a_test_shows_and_every_right() -> None:
    page = (ROOT / "docs/preflight.md").read_text(encoding="utf-8")
    tests = (ROOT / "tests/preflight/test_compare.py").read_text(encoding="utf-8")
    of_others = {"node-twice", "removed-while-in-use"}  # shown by test_command.py, and without its severity
    shown = set(re.findall(r"(?:error|warning|info)\[([a-z-]+)\]", tests)) | of_others
    rows = re.findall(r"^\| (`[a-z-]+`(?:, `[a-z-]+`)*) \| (?:error|warning|info) \|", page, re.MULTILINE)
    assert sorted(shown) == sorted(rule for row in rows for rule in re.findall(r"[a-z-]+", row))
    written = dict(re.findall(r"^\| (core|[a-z0-9.-]+) \| ([a-z, ]+) \|$", page, re.MULTILINE))
    assert {
        "" if api == "core" else api: tuple(names.split(", "))
        for api, names in written.items()
        if api in {"core", *(api for api, _ in preflight.READ)}
    } == {api: tuple(names) for api, names in preflight.READ}
