"""The PipelineRun for Tekton, its steps run as a TaskRun would, on repositories and a forge of this machine."""

from __future__ import annotations

import re
from typing import Any

import yaml

from tests.ci.forge import OURS, TOKEN, Forge
from tests.ci.scratch import Scratch, run
from tests.repository import edit

FILE = ".tekton/apportion.yaml"
ROW = "| `vision/training` | guaranteed | `h100` | `nvidia.com/gpu` | `8` | `4` | -4 |"


def task(scratch: Scratch) -> dict[str, Any]:
    found: dict[str, Any] = yaml.safe_load((scratch.root / FILE).read_text(encoding="utf-8"))
    (only,) = found["spec"]["pipelineSpec"]["tasks"]
    spec: dict[str, Any] = only["taskSpec"]
    return spec


def taskrun(scratch: Scratch, forge: Forge, revision: str, number: str = "5", author: str = OURS) -> tuple[str, str]:
    """Run the steps in one workspace; return the step that failed, or none, with its log, and the result gpus."""
    workspace, result = scratch.place / "workspace", scratch.place / "gpus"
    run(["rm", "-rf", str(workspace)], scratch.place, {})
    workspace.mkdir()
    params = {
        "repository-url": scratch.origin.as_uri(),
        "repository": "me/ours",
        "revision": revision,
        "target": "main",
        "pull-request": number,
        "api": forge.url,
        "comments-by": author,
    }
    for step in task(scratch)["steps"]:
        given = {e["name"]: params.get(e.get("value", "")[9:-1], TOKEN) for e in step.get("env", ())}
        script = scratch.place / "script"
        script.write_text(step["script"].replace("$(results.gpus.path)", str(result)), encoding="utf-8")
        script.chmod(0o755)
        done = run([str(script)], workspace, given | {"CREDENTIALS": str(scratch.place / "credentials")})
        if done.returncode and step.get("onError") != "continue":
            return f"{step['name']}: {done.stdout}{done.stderr}", result.read_text() if result.exists() else ""
    return "", result.read_text(encoding="utf-8")


def test_gpus_that_change_are_one_comment_and_a_result(scratch: Scratch, forge: Forge) -> None:
    scratch.share(4)
    revision = scratch.commit()
    assert taskrun(scratch, forge, revision) == ("", "changed")
    assert ROW in forge.bodies[0]
    assert taskrun(scratch, forge, revision, author="") == ("", "changed")
    assert forge.writes == ["POST"]
    scratch.share(8)
    assert taskrun(scratch, forge, scratch.commit()) == ("", "unchanged")
    assert (forge.bodies, forge.writes) == ([], ["POST", "DELETE"])


def test_what_is_edited_fails_on_a_push_too(scratch: Scratch, forge: Forge) -> None:
    resources = scratch.root / "output/overlays/prod/queues/vision/resources.yaml"
    edit(resources, 'nominalQuota: "8"', 'nominalQuota: "80"')
    revision = scratch.commit(compiled=False)
    failed, gpus = taskrun(scratch, forge, revision, number="{{ pull_request_number }}")
    assert (failed, gpus, forge.asked) == ("verdict: ", "unknown", [])
    report = (scratch.place / "workspace/reports/apportion.xml").read_text(encoding="utf-8")
    assert 'classname="output-edited"' in report


def test_a_revision_that_is_not_there_stops_it(scratch: Scratch, forge: Forge) -> None:
    failed, _ = taskrun(scratch, forge, "0" * 40)
    assert failed.startswith("clone: ")


def test_every_parameter_is_declared_and_none_reaches_a_script(scratch: Scratch) -> None:
    run_ = yaml.safe_load((scratch.root / FILE).read_text(encoding="utf-8"))["spec"]
    pipeline = run_["pipelineSpec"]
    (only,) = pipeline["tasks"]
    spec = only["taskSpec"]
    given = [param["name"] for param in run_["params"]]
    for declared in (pipeline["params"], only["params"], spec["params"]):
        assert [param["name"] for param in declared] == given
    scripts = "".join(step["script"] for step in spec["steps"])
    assert re.findall(r"\$\((?:params|context|tasks|workspaces)[.\[]|\{\{", scripts) == []
    assert re.findall(r"\$\(results[^)]*\)", scripts) == ["$(results.gpus.path)"]
    used = set(re.findall(r"\$\(params\.([a-z-]+)\)", yaml.safe_dump(spec)))
    assert used == set(given)
    assert spec["steps"][1]["env"] == [
        {"name": "NUMBER", "value": "$(params.pull-request)"},
        {"name": "TARGET", "value": "$(params.target)"},
    ], "the step that reads files of the pull request has no token"
