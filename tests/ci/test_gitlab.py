"""The jobs for GitLab, their scripts run as its runner would, on repositories and a forge of this machine."""

from __future__ import annotations

import subprocess
from typing import Any

import pytest
import yaml

from tests.ci.forge import THEIRS, TOKEN, Forge
from tests.ci.scratch import Scratch, run
from tests.repository import QUOTAS, edit

FILE, MARKER = ".gitlab/apportion.yaml", "<!-- apportion plan -->\n"
ROW = "| `vision/training` | guaranteed | `h100` | `nvidia.com/gpu` | `8` | `4` | -4 |"


def job(name: str, scratch: Scratch, forge: Forge, *, merge_request: bool = True) -> subprocess.CompletedProcess[str]:
    """Run a job's before_script and script in one shell, as the runner does."""
    found: dict[str, Any] = yaml.safe_load((scratch.root / FILE).read_text(encoding="utf-8"))[name]
    lines = [*found.get("before_script", ()), *found["script"]]
    script = scratch.place / "script"
    script.write_text("set -eo pipefail\n" + "\n".join(lines), encoding="utf-8")
    given = {"CI_PIPELINE_ID": "77", "CI_API_V4_URL": f"{forge.url}/api/v4"}
    if merge_request:
        given |= {"CI_MERGE_REQUEST_PROJECT_ID": "3", "CI_MERGE_REQUEST_IID": "5", "APPORTION_TOKEN": TOKEN}
        given |= {"CI_MERGE_REQUEST_DIFF_BASE_SHA": scratch.base()}
    return run(["bash", str(script)], scratch.root, given)


def pipeline(scratch: Scratch, forge: Forge) -> tuple[int, str]:
    """Run both jobs as for a merge request; the second gets the reports of the first."""
    scratch.reset()
    check = job("apportion", scratch, forge)
    comment = job("apportion-comment", scratch, forge)
    assert comment.returncode == 0, comment.stderr
    return check.returncode, check.stdout + check.stderr + comment.stdout


def test_gpus_that_change_are_a_note_until_none_does(scratch: Scratch, forge: Forge) -> None:
    forge.add(f"{MARKER}of a reader", THEIRS)
    scratch.share(4)
    scratch.commit()
    status, said = pipeline(scratch, forge)
    assert status == 0, said
    assert len(forge.comments) == 2
    assert forge.bodies[1].startswith(MARKER)
    assert ROW in forge.bodies[1]
    assert "## Capacity ledger" in (scratch.root / "reports/ledger.md").read_text(encoding="utf-8")
    scratch.share(8)
    scratch.commit()
    status, said = pipeline(scratch, forge)
    assert (status, len(forge.comments), forge.writes) == (0, 1, ["POST", "DELETE"]), said
    assert "no findings" in (scratch.root / "reports/apportion.xml").read_text(encoding="utf-8")


def test_what_is_stale_or_edited_fails(scratch: Scratch, forge: Forge) -> None:
    scratch.share(4)
    scratch.commit(compiled=False)
    status, said = pipeline(scratch, forge)
    assert status == 1
    assert "error[output-stale]" in said
    assert "output-stale" in (scratch.root / "reports/apportion.xml").read_text(encoding="utf-8")
    scratch.reset()
    scratch.share(8)
    resources = scratch.root / "output/overlays/prod/queues/vision/resources.yaml"
    edit(resources, 'nominalQuota: "8"', 'nominalQuota: "80"')
    scratch.commit(compiled=False)
    scratch.reset()
    done = job("apportion", scratch, forge, merge_request=False)
    assert done.returncode == 1
    assert "error[output-edited]" in done.stdout
    assert "\n M output/overlays/prod/queues/vision/resources.yaml\n" in done.stdout
    assert not (scratch.root / "reports/plan-77.md").exists()


def test_inputs_with_errors_leave_the_note_alone(scratch: Scratch, forge: Forge) -> None:
    forge.add(f"{MARKER}earlier")
    edit(scratch.root / QUOTAS, "h100: { accelerators: 8 }", "h100: { acelerators: 8 }")
    scratch.commit(compiled=False)
    status, said = pipeline(scratch, forge)
    assert (status, forge.bodies) == (1, [f"{MARKER}earlier"])
    assert "nothing was compared" in said


def test_a_token_that_may_not_is_told_and_fails_nothing(scratch: Scratch, forge: Forge) -> None:
    (scratch.root / "reports").mkdir()
    plan = scratch.root / "reports/plan-77.md"
    plan.write_text("new & 'hostile' $(touch pwned)\n", encoding="utf-8")
    forge.may_write = False
    done = job("apportion-comment", scratch, forge)
    assert (done.returncode, done.stdout[:16]) == (0, "may not comment:")
    forge.may_write = True
    job("apportion-comment", scratch, forge)
    assert forge.bodies == [f"{MARKER}new & 'hostile' $(touch pwned)\n"]
    assert not list(scratch.place.rglob("pwned"))


@pytest.mark.parametrize("count", [0, 99, 100, 101])
def test_ours_is_found_behind_others(count: int, scratch: Scratch, forge: Forge) -> None:
    for number in range(count):
        forge.add(f"{number}", THEIRS)
    forge.add(f"{MARKER}old")
    (scratch.root / "reports").mkdir()
    (scratch.root / "reports/plan-77.md").write_text("new\n", encoding="utf-8")
    job("apportion-comment", scratch, forge)
    assert (len(forge.comments), forge.bodies[-1], forge.writes) == (count + 1, f"{MARKER}new\n", ["PUT"])
