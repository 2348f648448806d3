"""Teams, namespaces and environments that go or change hands."""

from __future__ import annotations

from typing import Any

import pytest

from generator.change import environments
from tests.builders import TEAM
from tests.change.builders import BOTH, NLP, extra, found, quotas, repository, rules, side, team, told

TRAIN = "training: h100: {accelerators: 8}"
DRAINED = f"{TRAIN}; stopPolicy: HoldAndDrain"
LAB = "apiVersion: v1\nkind: Namespace\nmetadata: {name: lab%s}\n"
MANAGED = ', labels: {kueue.openshift.io/managed: "true"}'


def both_teams(vision: str, nlp: str | None = None) -> dict[str, Any]:
    """Return two teams; without its part, team nlp has no quotas."""
    return {"teams": BOTH, "quotas": quotas(vision, *([nlp] if nlp else []))}


def spaces(*names: str) -> str:
    return f"[{', '.join(f'{{name: {name}}}' for name in names)}]"


@pytest.mark.parametrize(
    ("queue", "want"), [(TRAIN, ["error team-removed vision"]), (DRAINED, ["warning team-removed vision"])]
)
def test_a_team_goes(queue: str, want: list[str]) -> None:
    nlp = team("work: h100: {accelerators: 1}; namespaces: [nlp]", name="nlp", spaces=spaces("nlp"))
    assert rules(both_teams(team(queue), nlp), {"teams": (NLP,), "quotas": quotas(nlp)}) == want


def test_a_team_that_had_nothing_goes() -> None:
    nlp = "nlp: {}"
    assert rules(both_teams(team(TRAIN), nlp), both_teams(team(TRAIN))) == []


@pytest.mark.parametrize(
    ("queue", "want"),
    [
        (f"{TRAIN}; namespaces: [work, lab]", ["error namespace-removed lab"]),
        (f"{DRAINED}; namespaces: [work, lab]", ["warning namespace-removed lab"]),
        (TRAIN, ["warning namespace-removed lab"]),
    ],
    ids=["in use", "drained", "no queue let it in"],
)
def test_a_namespace_goes(queue: str, want: list[str]) -> None:
    before = team(queue, spaces=spaces("work", "lab"))
    after = team(queue.replace(", lab", ""))
    assert rules({"quotas": quotas(before)}, {"quotas": quotas(after)}) == want


def test_a_namespace_of_extra_goes() -> None:
    assert rules({"extra": extra(lab=LAB % "")}, {}) == ["warning namespace-removed lab"]


def test_the_namespace_of_an_operator_goes_with_it() -> None:
    environment = "components: {ray: {}}\noperators: {cluster-observability: {}}\n"
    assert rules({"environment": environment}, {"environment": "components: {ray: {}}\n"}) == []


def test_a_namespace_changes_hands() -> None:
    theirs = team("training: h100: {accelerators: 8}; namespaces: [lab]", name="nlp", spaces=spaces("lab"))
    before = both_teams(team(f"{TRAIN}; namespaces: [work, lab]", spaces=spaces("work", "lab")))
    findings = found(before, both_teams(team(TRAIN), theirs))
    assert told(findings) == ["error application-changes lab"]
    assert findings[0].message == (
        "Namespace lab and 4 more go from team vision to team nlp: the Application of the one prunes what that "
        "of the other applies, and the server refuses to lead LocalQueue lab/training, LocalQueue lab/default elsewhere"
    )


def test_a_namespace_of_extra_becomes_a_teams() -> None:
    before = {"extra": extra(lab=LAB % ""), "quotas": quotas(team(TRAIN))}
    after = {"quotas": quotas(team(TRAIN, spaces=spaces("work", "lab")))}
    findings = found(before, after)
    assert told(findings) == ["error application-changes lab", "warning namespace-becomes-managed lab"]
    assert findings[0].fix == "switch off pruning of Application prod-extra until this is synced"
    kept = LAB % ", annotations: {argocd.argoproj.io/sync-options: 'Prune=false'}"
    assert rules({**before, "extra": extra(lab=kept)}, after)[0] == "warning application-changes lab"


@pytest.mark.parametrize(
    ("old", "new", "want"),
    [
        ("", MANAGED, ["warning namespace-becomes-managed lab"]),
        (MANAGED.replace("true", "false"), MANAGED, ["warning namespace-becomes-managed lab"]),
        (MANAGED, MANAGED, []),
        (MANAGED, "", []),
    ],
)
def test_a_namespace_becomes_managed(old: str, new: str, want: list[str]) -> None:
    assert rules({"extra": extra(lab=LAB % old)}, {"extra": extra(lab=LAB % new)}) == want


def test_a_namespace_is_born_managed() -> None:
    assert rules({}, {"extra": extra(lab=LAB % MANAGED)}) == []


def vanished(before: dict[str, Any], name: str, **after: Any) -> list[str]:
    """Return what is said when environment prod is there no more, and one of another name and folder is."""
    old, new = side(repository(**before)), {}
    if name:
        given = repository(**after)
        given = {path.replace("/prod/", f"/{name}/"): data for path, data in given.items()}
        path = f"environments/{name}/environment.yaml"
        given[path] = given[path].replace(b"name: prod", f"name: {name}".encode())
        new = {name: side(given)}
    return told(list(environments.vanished({"prod": old}, new, "HEAD")))


def test_an_environment_goes() -> None:
    assert vanished({"quotas": quotas(team(TRAIN))}, "") == ["error environment-removed prod"]
    assert vanished({"quotas": quotas(team(DRAINED))}, "") == ["warning environment-removed prod"]


SERVER = "cluster: {server: 'https://%s.example.com:6443'}\n"


@pytest.mark.parametrize(
    ("old", "new", "want"),
    [
        (
            {"quotas": quotas(team(TRAIN))},
            {"quotas": quotas(team(TRAIN, "b: cores: {cpu: 1}"))},
            "error environment-renamed prod",
        ),
        ({"environment": SERVER % "a"}, {"environment": SERVER % "a"}, "error environment-renamed prod"),
        ({"environment": SERVER % "a"}, {"environment": SERVER % "b"}, "warning environment-removed prod"),
        ({"teams": (TEAM,)}, {"teams": (TEAM,)}, "warning environment-removed prod"),
    ],
    ids=["the same namespaces", "the same server", "another server", "nothing in common"],
)
def test_an_environment_takes_another_name(old: dict[str, Any], new: dict[str, Any], want: str) -> None:
    assert vanished(old, "other", **new) == [want]
