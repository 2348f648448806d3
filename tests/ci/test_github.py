"""The workflow for GitHub, its scripts run as GitHub's runner would, on repositories and a forge of this machine."""

from __future__ import annotations

import re

import pytest

from tests.ci.forge import OURS, THEIRS, Forge
from tests.ci.github import WORKFLOW, Runner
from tests.ci.scratch import Scratch
from tests.commands.git import git
from tests.repository import QUOTAS, edit

MARKER = "<!-- apportion plan -->\n"
ROW = "| `vision/training` | guaranteed | `h100` | `nvidia.com/gpu` | `8` | `{0}` | {1} |"


def test_gpus_that_change_are_one_comment_kept_up_to_date(scratch: Scratch, forge: Forge) -> None:
    forge.add("a word of a reader", THEIRS)
    for count, by in ((4, "-4"), (6, "-2")):
        scratch.share(count)
        scratch.commit()
        runner = Runner(scratch, forge).run()
        assert runner.results == {"apportion": "success", "comment": "success"}, runner.log
        assert len(forge.comments) == 2
        assert forge.bodies[1].startswith(MARKER)
        assert ROW.format(count, by) in forge.bodies[1]
        assert ROW.format(count, by) in runner.summary
    assert forge.writes == ["POST", "PATCH"]
    scratch.share(8)
    scratch.commit()
    runner = Runner(scratch, forge).run()
    assert runner.results == {"apportion": "success", "comment": "success"}, runner.log
    assert forge.bodies == ["a word of a reader"]
    assert "## Capacity ledger" in runner.summary
    assert "What this changes" not in runner.summary


def test_a_change_without_gpus_is_silent(scratch: Scratch, forge: Forge) -> None:
    edit(scratch.root / "environments/teams.yaml", "displayName: Computer Vision", "displayName: Vision")
    scratch.commit()
    runner = Runner(scratch, forge).run()
    assert runner.results == {"apportion": "success", "comment": "success"}, runner.log
    assert (forge.bodies, forge.writes) == ([], [])
    assert '<testcase classname="apportion" name="no findings"/>' in (runner.reports / "apportion.xml").read_text()
    assert '"results": []' in (runner.reports / "apportion.sarif").read_text()


def test_what_is_committed_without_compiling_fails(scratch: Scratch, forge: Forge) -> None:
    scratch.share(4)
    scratch.commit(compiled=False)
    runner = Runner(scratch, forge).run()
    assert runner.results == {"apportion": "failure", "comment": "success"}
    assert re.search(r"^::error title=output-stale,file=output/overlays/prod::", runner.log, re.MULTILINE)
    assert "\n M output/overlays/prod/queues/vision/resources.yaml\n" in runner.log
    assert "output-stale" in (runner.reports / "apportion.sarif").read_text()
    assert ROW.format(4, "-4") in forge.bodies[0]


def test_what_is_edited_by_hand_fails_on_main_too(scratch: Scratch, forge: Forge) -> None:
    edit(scratch.root / "output/overlays/prod/queues/vision/resources.yaml", 'nominalQuota: "8"', 'nominalQuota: "80"')
    scratch.commit(compiled=False)
    runner = Runner(scratch, forge, event="push").run()
    assert runner.results == {"apportion": "failure"}
    assert "::error title=output-edited,file=output/overlays/prod/queues/vision/resources.yaml" in runner.log
    assert "1 file changed, 1 insertion(+), 1 deletion(-)" in runner.log


def test_output_that_an_ignore_file_keeps_out_fails(scratch: Scratch, forge: Forge) -> None:
    (scratch.root / ".gitignore").write_text("*.lock\n", encoding="utf-8")
    git(scratch.root, "rm", "-r", "--quiet", "--cached", "output")
    scratch.commit()
    runner = Runner(scratch, forge, event="push").run()
    assert runner.results == {"apportion": "failure"}
    assert "\n!! output/overlays/prod/queues/vision/apportion.lock\n" in runner.log


def test_inputs_with_errors_fail_and_leave_the_comment_alone(scratch: Scratch, forge: Forge) -> None:
    forge.add(f"{MARKER}earlier")
    edit(scratch.root / QUOTAS, "h100: { accelerators: 8 }", "h100: { acelerators: 8 }")
    scratch.commit(compiled=False)
    runner = Runner(scratch, forge).run()
    assert runner.results == {"apportion": "failure"}
    assert f"::error title=unknown-key,file={QUOTAS},line=17,col=" in runner.log
    assert forge.bodies == [f"{MARKER}earlier"]


def test_a_fork_has_no_comment_and_the_same_check(scratch: Scratch, forge: Forge) -> None:
    scratch.share(4)
    scratch.commit()
    runner = Runner(scratch, forge, repository="you/theirs").run()
    assert runner.results == {"apportion": "success"}, runner.log
    assert (forge.asked, ROW.format(4, "-4") in runner.summary) == ([], True)


class Comment:
    """The comment's step alone, with a plan."""

    def __init__(self, scratch: Scratch, forge: Forge, plan: bytes) -> None:
        import base64

        import yaml

        self.runner = Runner(scratch, forge)
        self.runner.context["needs.apportion.outputs.plan"] = base64.b64encode(plan).decode()
        self.job = yaml.safe_load((scratch.root / WORKFLOW).read_text(encoding="utf-8"))["jobs"]["comment"]

    def run(self) -> str:
        assert self.runner._job("comment", self.job) == "success", self.runner.log
        return self.runner.log


def test_a_marker_of_somebody_else_is_not_ours(scratch: Scratch, forge: Forge) -> None:
    forge.add(f"{MARKER}look here", THEIRS)
    Comment(scratch, forge, b"new").run()
    assert forge.bodies == [f"{MARKER}look here", f"{MARKER}new"]


def test_ours_is_found_behind_many_others(scratch: Scratch, forge: Forge) -> None:
    for number in range(205):
        forge.add(f"{number}", THEIRS)
    forge.add(f"{MARKER}old")
    forge.comments[3]["user"], forge.comments[4]["body"] = None, None  # of an account that is gone
    Comment(scratch, forge, b"new").run()
    assert (len(forge.comments), forge.bodies[-1], forge.writes) == (206, f"{MARKER}new", ["PATCH"])


@pytest.mark.parametrize("count", [0, 100])
def test_a_page_that_is_full_is_not_the_last(count: int, scratch: Scratch, forge: Forge) -> None:
    for number in range(count):
        forge.add(f"{number}", THEIRS)
    Comment(scratch, forge, b"new").run()
    assert (forge.bodies[-1], forge.writes) == (f"{MARKER}new", ["POST"])


def test_a_token_that_may_not_write_is_told_and_fails_nothing(scratch: Scratch, forge: Forge) -> None:
    forge.may_write = False
    assert "::warning title=apportion::may not comment: no comment" in Comment(scratch, forge, b"new").run()
    forge.add(f"{MARKER}old")
    assert "::warning title=apportion::may not comment: no comment" in Comment(scratch, forge, b"new").run()
    assert "::warning title=apportion::may not remove the comment" in Comment(scratch, forge, b"").run()


def test_a_forge_that_does_not_answer_is_told_and_fails_nothing(scratch: Scratch, forge: Forge) -> None:
    step = Comment(scratch, forge, b"new")
    step.job["steps"][0]["env"]["TOKEN"] = "another"
    assert "::warning title=apportion::cannot read comments" in step.run()
    assert forge.bodies == []


def test_what_is_hostile_stays_text(scratch: Scratch, forge: Forge) -> None:
    plan = "\"; $(touch pwned) `touch pwned` ${TOKEN} %s \\ ' ü 𝄞\n" + "x" * 59_000
    Comment(scratch, forge, plan.encode()).run()
    assert forge.bodies == [f"{MARKER}{plan}"]
    assert not list(scratch.place.rglob("pwned"))


def test_the_comment_s_author_is_the_workflow_s_own_account(scratch: Scratch) -> None:
    assert f"AUTHOR: {OURS} #" in (scratch.root / WORKFLOW).read_text(encoding="utf-8")
