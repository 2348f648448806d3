"""What a change of the samples touches: a team's folders and nobody else's, for as long as an override lasts."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest

from tests.samples import Compiled, Tree, compiled_from, input_files, inputs

CORES = re.compile(r"general: \{cpu: (\d+)\}")
TEAMS = sorted(item["team"] for document in inputs("prod", "Quotas") for item in document.get("teams", ()))


def of_team(team: str) -> set[str]:
    """Return what a quota of a team is written to, and what remembers that it was made from it."""
    return {
        f"overlays/prod/queues/{team}/apportion.lock",
        f"overlays/prod/queues/{team}/resources.yaml",
        f"overlays/prod/tenants/{team}/apportion.lock",
    }


def differing(one: Tree, other: Tree) -> set[str]:
    """Return the paths that are not the same in both trees."""
    return {path for path in {*one, *other} if one.get(path) != other.get(path)}


def changed(team: str, change: Callable[[re.Match[str]], str]) -> dict[str, bytes]:
    """Return the inputs with a team's first share of the general pool in prod changed."""
    files = input_files()
    head = f"- team: {team}\n    cohort:"
    [path] = [path for path, text in files.items() if path.startswith("environments/prod/") and head.encode() in text]
    before, own = files[path].decode().split(head)
    return {**files, path: (before + head + CORES.sub(change, own, count=1)).encode()}


@pytest.mark.parametrize("team", TEAMS)
def test_quota_of_one_team_is_in_its_own_folders(team: str, compiled: Compiled) -> None:
    files = changed(team, lambda share: f"general: {{cpu: {int(share[1]) - 1}}}")
    assert differing(compiled.tree, compiled_from(files).tree) == of_team(team)


def test_there_are_twelve_teams() -> None:
    assert len(set(TEAMS)) == 12


def test_comment_changes_nothing_at_all(compiled: Compiled) -> None:
    files = changed("fraud", lambda share: f"{share[0]} # as agreed")
    assert differing(compiled.tree, compiled_from(files).tree) == set()


@pytest.mark.parametrize(
    ("as_of", "guaranteed"),
    [("2027-01-10", "16"), ("2027-01-11", "24"), ("2027-01-29", "24"), ("2027-01-30", "16")],
)
def test_override_holds_from_its_first_to_its_last_day(as_of: str, guaranteed: str, compiled: Compiled) -> None:
    tree = compiled_from(input_files(), as_of).tree
    quota = f'- name: nvidia.com/gpu\n        nominalQuota: "{guaranteed}"'
    assert tree["overlays/prod/queues/language/resources.yaml"].count(quota) == 1
    assert differing(compiled.tree, tree) == (of_team("language") if guaranteed == "24" else set())
