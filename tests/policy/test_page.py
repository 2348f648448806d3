"""docs/policies.md is true: its example is a policy, its answer is what that gives, its table is made from the code."""

import re
from pathlib import Path

import pytest

from generator.cli import main
from generator.policy import page
from tests.repository import repository

PAGE = (Path(__file__).parents[2] / "docs" / "policies.md").read_text(encoding="utf-8")
_MARKED = re.compile(r"^<!-- (\w+)(?:: (\S+))? -->\n```\w*\n(.*?)^```$", re.DOTALL | re.MULTILINE)
[(_, PATH, POLICY), (_, _, FINDING)] = _MARKED.findall(PAGE)


def test_the_example_is_short_and_passes_its_own_test(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    written = [
        line for line in POLICY.splitlines() if not line.startswith(("apiVersion", "kind", "source", "fix", "why"))
    ]
    assert len(written) <= 10
    root = with_policy(tmp_path)
    assert main(["policy", "test", "too-large-a-share", "--root", str(root)]) == 0
    assert capsys.readouterr().out == "1 policy, 2 examples: no findings\n"


def test_the_example_says_what_the_page_says(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    root = with_policy(tmp_path)
    capsys.readouterr()
    assert main(["check", "--inputs-only", "--root", str(root)]) == 1
    assert capsys.readouterr().out == f"{FINDING}1 error\n"


def test_the_collections_are_those_of_the_code() -> None:
    assert PAGE.endswith(page.collections())


def with_policy(root: Path) -> Path:
    repository(root)
    (root / PATH).parent.mkdir(parents=True)
    (root / PATH).write_text(POLICY, encoding="utf-8")
    return root
