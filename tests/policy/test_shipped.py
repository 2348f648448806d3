"""The policies that ship: sound, tested by their own examples, listed, and of one mind about parameters."""

import re
from collections.abc import Sequence
from pathlib import Path

import pytest

from generator.finding import FatalError
from generator.policy import page, selftest, shipped
from generator.policy.cel import words
from generator.policy.model import Policy
from tests.policy.written import PATH, said, text

FOLDER = Path(__file__).parents[2] / "policies"
POLICIES, FINDINGS = shipped.policies(None, thorough=True)
EACH = pytest.mark.parametrize("policy", POLICIES.values(), ids=list(POLICIES))


def test_all_are_sound() -> None:
    assert said(FINDINGS) == []
    assert len(POLICIES) >= 35


@EACH
def test_its_examples_are_true(policy: Policy) -> None:
    assert [finding.message for finding in selftest.test(policy)] == []


@EACH
def test_its_file_is_named_after_it(policy: Policy) -> None:
    assert policy.origin.file == f"policies/{policy.group}/{policy.id}.yaml"


@EACH
def test_it_reads_every_parameter_that_it_has(policy: Policy) -> None:
    read = " ".join(words(f"{policy.where or ''} {policy.rule} {policy.message}"))
    assert [name for name in policy.params if f"params . {name}" not in read] == []


@EACH
def test_its_parameters_change_what_an_example_gives(policy: Policy) -> None:
    """A parameter without an example that sets it would be a promise that nobody has tried."""
    tried = {name for example in (*policy.passing, *policy.failing) for name in example.params}
    at_default = {name for name, value in policy.params.items() if value}
    assert set(policy.params) - tried - at_default == set()


def test_one_parameter_has_one_default() -> None:
    seen: dict[str, list[str]] = {}
    for policy in POLICIES.values():
        for name, value in policy.params.items():
            seen.setdefault(name, []).append(repr(value))
    assert {name: values for name, values in seen.items() if len(set(values)) > 1} == {}


def test_the_list_is_fresh() -> None:
    assert (FOLDER / "README.md").read_text(encoding="utf-8") == page.markdown(POLICIES.values())


def test_a_run_takes_the_same_policies_without_their_examples() -> None:
    quick, findings = shipped.policies(None)
    assert findings == []
    assert {name: (p.where, p.rule, p.message, p.params) for name, p in quick.items()} == {
        name: (p.where, p.rule, p.message, p.params) for name, p in POLICIES.items()
    }
    assert all(not policy.passing and not policy.failing for policy in quick.values())


def written(root: Path, files: Sequence[tuple[str, bytes]]) -> Path:
    for path, content in files:
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_bytes(content)
    return root


def test_a_repository_adds_policies_and_replaces_shipped_ones(tmp_path: Path) -> None:
    own = text(id="idle-pool", title="Ours")
    found, findings = shipped.policies(written(tmp_path, [(PATH, text()), ("policies/a/idle-pool.yaml", own)]))
    assert findings == []
    assert found["idle-pool"].title == "Ours"
    assert found.keys() - POLICIES.keys() == {"too-many"}


def test_a_policy_of_a_repository_is_checked_in_each_run(tmp_path: Path) -> None:
    found, findings = shipped.policies(written(tmp_path, [(PATH, text(rule="item.nothing"))]))
    assert said(findings) == [
        f"{PATH}:7:7 invalid-policy policy too-many: rule reads item.nothing, which does not exist"
    ]
    assert found.keys() == POLICIES.keys()


def test_a_link_does_not_lead_out_of_the_folder(tmp_path: Path) -> None:
    written(tmp_path, [(PATH, text()), ("elsewhere.yaml", b"secret: 1\n")])
    (tmp_path / "policies/link.yaml").symlink_to(tmp_path / "elsewhere.yaml")
    with pytest.raises(FatalError, match=re.escape("policies/link.yaml is a link to a place outside of policies/")):
        shipped.policies(tmp_path)
