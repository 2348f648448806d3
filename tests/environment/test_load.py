"""Files → environments: what belongs to which, and what is defined twice."""

from __future__ import annotations

import pytest
from syrupy.assertion import SnapshotAssertion

from generator.environment.load import Inputs, Repository, load
from tests.builders import document, rules, whole

ENVIRONMENT = (
    'name: {name}\nplatform: {{openshift: "4.20", openshiftAI: "3.4", kueue: "1.3", gitops: "1.18"}}\n'
    "repository: {{url: https://x}}"
)
POOL = "{name: %s, nodes: 1, perNode: {cpu: 1, memory: 1Gi}, nodeLabels: {a: b}}"


def environment(name: str, more: str = "") -> str:
    return document("Environment", ENVIRONMENT.format(name=name) + f"\n{more}")


def team(name: str) -> str:
    return document("Team", f"name: {name}\nmembers: {{groups: [a]}}")


def inventory(*pools: str) -> str:
    return document("Inventory", "pools:\n" + "".join(f"- {POOL % name}\n" for name in pools))


def quotas(body: str) -> str:
    return document("Quotas", body)


def repository(**texts: str) -> dict[str, bytes]:
    """Return files below environments/; in their names "__" stands for a slash."""
    return {f"environments/{name.replace('__', '/')}.yaml": text.encode() for name, text in texts.items()}


def loaded(**texts: str) -> Repository:
    found, findings = load(repository(**texts))
    assert whole(findings) == []
    return found


def contents(inputs: Inputs) -> dict[str, list[str]]:
    return {
        "teams": list(inputs.teams),
        "pools": [pool["name"] for pool in inputs.pools],
        "cohorts": [cohort["name"] for cohort in inputs.cohorts],
        "quotas": [quota["team"] for quota in inputs.quotas],
        "overrides": [override["reason"] for override in inputs.overrides],
        "extra": list(inputs.extra),
    }


def test_nothing() -> None:
    found, findings = load({})
    assert (found.environments, found.waivers, found.fleet, found.folders, findings) == ({}, [], {}, {}, [])


OVERRIDE = "{team: a, queue: a, pool: a, add: {cpu: 1}, from: 2026-01-01, until: 2026-01-02, reason: %s}"


def test_shared_documents_are_in_every_environment_and_others_in_one() -> None:
    found = loaded(
        fleet=document("Fleet", "priorities: [{name: a, value: 1}]"),
        teams=team("a"),
        more__teams=team("b"),
        shared=inventory("everywhere") + "---\n" + quotas(f"cohorts: [{{name: org}}]\noverrides: [{OVERRIDE % 'all'}]"),
        prod__environment=environment("prod"),
        prod__a=inventory("one") + "---\n" + inventory("two"),
        prod__deeper__quotas=quotas(f"teams: [{{team: a}}]\noverrides: [{OVERRIDE % 'prod'}]"),
        prod__team=team("c"),
        dev__all=environment("dev") + "---\n" + inventory("one") + "---\n" + quotas("cohorts: [{name: own}]"),
    )
    assert list(found.environments) == ["dev", "prod"]
    assert contents(found.environments["prod"]) == {
        "teams": ["b", "a", "c"],
        "pools": ["everywhere", "one", "two"],
        "cohorts": ["org"],
        "quotas": ["a"],
        "overrides": ["all", "prod"],
        "extra": [],
    }
    assert contents(found.environments["dev"]) == {
        "teams": ["b", "a"],
        "pools": ["everywhere", "one"],
        "cohorts": ["org", "own"],
        "quotas": [],
        "overrides": ["all"],
        "extra": [],
    }
    assert all(inputs.fleet is found.fleet for inputs in found.environments.values())
    assert found.folders == {"dev": "dev", "prod": "prod"}


def test_the_name_is_the_documents_not_the_folders() -> None:
    found = loaded(cluster_one__e=environment("prod"))
    assert (list(found.environments), found.folders) == (["prod"], {"cluster_one": "prod"})


def test_waivers_from_anywhere() -> None:
    waiver = "waivers: [{rule: a, object: x, reason: %s, owner: x, expires: 2026-01-01}]"
    found = loaded(
        w=document("Waivers", waiver % "shared"),
        prod__e=environment("prod"),
        prod__w=document("Waivers", waiver % "own"),
    )
    assert [w["reason"] for w in found.waivers] == ["shared", "own"]


def test_extra_files_are_not_read_as_inputs() -> None:
    files = repository(prod__e=environment("prod"), prod__extra__b="kind: [", prod__extra__a__x="a: 1")
    files["environments/prod/extra/bom.yaml"] = b"\xef\xbb\xbfa: 1"
    files["environments/prod/extra/crlf.yaml"] = b"a: 1\r\nb: 2\r\n"
    found, findings = load(files)
    assert findings == []
    assert found.environments["prod"].extra == {
        "environments/prod/extra/b.yaml": "kind: [",
        "environments/prod/extra/a/x.yaml": "a: 1",
        "environments/prod/extra/bom.yaml": "a: 1",
        "environments/prod/extra/crlf.yaml": "a: 1\nb: 2\n",
    }


def test_extra_files_that_cannot_be(snapshot: SnapshotAssertion) -> None:
    files = repository(prod__e=environment("prod"), shared__extra__x="a: 1", shared__team=team("a"))
    files["environments/prod/extra/latin.yaml"] = b"a: \xe9"
    _, found = load(files)
    assert rules(found) == ["shared/extra/x.yaml extra-without-environment", "extra/latin.yaml:1:4 not-utf-8"]
    assert whole(found) == snapshot


@pytest.mark.parametrize(
    ("texts", "expected"),
    [
        ({"prod": environment("prod")}, ["prod.yaml:1:1 misplaced-document"]),
        (
            {"prod__e": environment("prod"), "prod__fleet": document("Fleet")},
            ["fleet.yaml:1:1 misplaced-document"],
        ),
        ({"more__fleet": document("Fleet")}, []),
    ],
)
def test_misplaced(texts: dict[str, str], expected: list[str], snapshot: SnapshotAssertion) -> None:
    _, found = load(repository(**texts))
    assert rules(found) == expected
    assert whole(found) == snapshot


SERVER = "cluster: {server: 'https://one.example.com:6443%s'}"
TWO = {"a__e": environment("a", SERVER % ""), "b__e": environment("b")}


@pytest.mark.parametrize(
    ("texts", "expected"),
    [
        ({"a": document("Fleet"), "b": document("Fleet")}, ["b.yaml:1:1 defined-twice"]),
        (
            {"f": document("Fleet", "priorities: [{name: a, value: 1}, {name: a, value: 2}]")},
            ["f.yaml:3:35 defined-twice"],
        ),
        (
            {
                "f": document(
                    "Fleet",
                    "profiles:\n"
                    "- {name: a, pool: a, queue: a, cpu: {default: 1}, memory: {default: 1Gi}}\n"
                    "- {name: a, pool: b, queue: b, cpu: {default: 1}, memory: {default: 1Gi}}",
                )
            },
            ["f.yaml:5:3 defined-twice"],
        ),
        (
            {
                "f": document(
                    "Fleet",
                    "runtimes:\n"
                    "- {name: a, framework: x, image: r/a:1, perNode: {cpu: 1, memory: 1Gi}}\n"
                    "- {name: a, framework: y, image: r/a:1, perNode: {cpu: 1, memory: 1Gi}}",
                )
            },
            ["f.yaml:5:3 defined-twice"],
        ),
        ({"a__e": environment("a"), "b__e": environment("a")}, ["b/e.yaml:3:7 defined-twice"]),
        ({"a__e": environment("a") + "---\n" + environment("b")}, ["a/e.yaml:8:1 defined-twice"]),
        (
            {"a__e": environment("a", SERVER % ""), "b__e": environment("b", SERVER % "/")},
            ["b/e.yaml:6:19 defined-twice"],
        ),
        ({**TWO, "t": team("x") + "---\n" + team("x")}, ["t.yaml:8:7 defined-twice"]),  # once, not in a and in b
        ({**TWO, "t": team("x"), "a__t": team("x")}, ["a/t.yaml:3:7 defined-twice"]),
        ({**TWO, "a__t": team("x"), "b__t": team("x")}, []),
        ({**TWO, "a__i": inventory("x", "x")}, ["a/i.yaml:5:3 defined-twice"]),
        ({**TWO, "a__i": inventory("x"), "a__j": inventory("x")}, ["a/j.yaml:4:3 defined-twice"]),
        ({**TWO, "i": inventory("x"), "b__i": inventory("x")}, ["b/i.yaml:4:3 defined-twice"]),
        ({**TWO, "a__i": inventory("x"), "b__i": inventory("x")}, []),
        ({**TWO, "a__q": quotas("cohorts: [{name: x}, {name: x}]")}, ["a/q.yaml:3:22 defined-twice"]),
        ({**TWO, "a__q": quotas("teams: [{team: x}, {team: x}]")}, ["a/q.yaml:3:20 defined-twice"]),
        (
            {
                **TWO,
                "a__q": quotas("teams:\n- {team: x, namespaces: [{name: n}]}\n- {team: y, namespaces: [{name: n}]}"),
            },
            ["a/q.yaml:5:26 defined-twice"],
        ),
        (
            {**TWO, "a__q": quotas("teams:\n- {team: x, queues: [{name: q}, {name: q}]}")},
            ["a/q.yaml:4:33 defined-twice"],
        ),
        ({**TWO, "a__q": quotas("teams:\n- {team: x, queues: [{name: q}]}\n- {team: y, queues: [{name: q}]}")}, []),
    ],
)
def test_second_definitions(texts: dict[str, str], expected: list[str], snapshot: SnapshotAssertion) -> None:
    _, found = load(repository(**texts))
    assert rules(found) == expected
    assert whole(found) == snapshot


def test_team_of_one_environment_is_in_no_other() -> None:
    found = loaded(**TWO, a__t=team("x"))
    assert [list(inputs.teams) for inputs in found.environments.values()] == [["x"], []]


@pytest.mark.parametrize(
    ("people", "expected"),
    [
        ("", ["t.yaml:3:7 team-without-people"]),
        ("members: {}", ["t.yaml:3:7 team-without-people"]),
        ("admins: {groups: []}\nviewers: {users: []}", ["t.yaml:3:7 team-without-people"]),
        ("viewers: {users: [eve]}", []),
        ("admins: {groups: [a]}", []),
    ],
)
def test_a_team_has_people(people: str, expected: list[str]) -> None:
    _, found = load(repository(t=document("Team", f"name: x\n{people}")))
    assert rules(found) == expected


def test_all_errors_of_all_files() -> None:
    _, found = load(
        repository(
            a=document("Team", "nme: x"),
            b=document("Team", "name: ["),
            c="kind: Nothing\napiVersion: apportion.dev/v1\n",
            d=team("x") + "---\n" + team("V") + "---\n" + document("Team", "name: y\nname: z"),
            prod__e=environment("prod", "argocd: {namspace: x}"),
            prod__i=inventory("ok", "Bad"),
        )
    )
    assert sorted(rules(found)) == [
        "a.yaml:3:1 unknown-key",
        "b.yaml:4:1 yaml-syntax",
        "c.yaml:1:7 unknown-kind",
        "d.yaml:14:1 duplicate-key",
        "d.yaml:8:7 invalid-value",
        "e.yaml:6:10 unknown-key",
        "i.yaml:5:10 invalid-value",
    ]


@pytest.mark.parametrize("broken", ["a: [", document("Inventory", "pool: []"), document("Environment", "name: prod")])
def test_a_broken_file_keeps_its_folder_apart(broken: str) -> None:
    """What stands beside it would else count as shared, and be defined twice with every other environment."""
    found, findings = load(
        repository(prod__e=broken, prod__i=inventory("x"), dev__e=environment("dev"), dev__i=inventory("x"))
    )
    assert {f.location.file for f in findings if f.location} == {"environments/prod/e.yaml"}
    assert list(found.environments) == ["dev"]
    assert contents(found.environments["dev"])["pools"] == ["x"]


def test_an_unsound_environment_still_names_its_folder() -> None:
    found, findings = load(repository(prod__e=document("Environment", "name: live")))
    assert [f.rule for f in findings] == ["missing-key"]
    assert (found.environments, found.folders) == ({}, {"prod": "live"})
    found, _ = load(repository(prod__e=document("Environment", "name: [live]")))
    assert found.folders == {"prod": "prod"}


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        (b"", []),
        (b"# nothing yet\n", []),
        (b"\xff\xfea\x00", ["x.yaml:1:1 not-utf-8"]),
        (b"a: \x1b", ["x.yaml:1:4 control-character"]),
    ],
)
def test_files_without_a_document(data: bytes, expected: list[str]) -> None:
    _, found = load({"environments/x.yaml": data})
    assert rules(found) == expected
