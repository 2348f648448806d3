"""The files for CI have the form that forges publish, their scripts are sound, and they may do only what they must."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Iterator
from importlib import resources
from pathlib import Path
from typing import Any

import jsonschema_rs
import kubernetes_validate  # type: ignore[import-untyped]  # it ships no types
import pytest
import yaml

from generator import __version__
from generator.commands.ci_files import FORGES, rendered
from tests.ci.scratch import BIN

TEXTS = rendered(FORGES)
GITHUB, GITLAB, TEKTON = ".github/workflows/apportion.yaml", ".gitlab/apportion.yaml", ".tekton/apportion.yaml"
PUBLISHED = {GITHUB: "github-workflows", GITLAB: "gitlab-ci", ".gitlab-ci.yml": "gitlab-ci"}


class Loader(yaml.SafeLoader):
    """Reads `on` as a text, as forges do."""


Loader.yaml_implicit_resolvers = {
    first: [(tag, pattern) for tag, pattern in found if tag != "tag:yaml.org,2002:bool" or first not in "oO"]
    for first, found in yaml.SafeLoader.yaml_implicit_resolvers.items()
}


def read(path: str) -> Any:
    return yaml.load(TEXTS[path], Loader)


def published(path: str) -> jsonschema_rs.Validator:
    """Return the validator of a forge's schema, of which check-jsonschema has a copy."""
    folder = resources.files("check_jsonschema.builtin_schemas.vendor")
    return jsonschema_rs.validator_for(json.loads((folder / f"{PUBLISHED[path]}.json").read_text("utf-8")))


@pytest.mark.parametrize("path", PUBLISHED)
def test_the_published_schema_takes_it(path: str) -> None:
    assert [error.message for error in published(path).iter_errors(read(path))] == []


@pytest.mark.parametrize(
    ("path", "place", "value"),
    [
        (GITHUB, ("jobs", "apportion", "permissions", "contents"), "admin"),
        (GITHUB, ("jobs", "apportion", "step"), []),
        (GITHUB, ("jobs", "comment", "steps", 0, "env"), ["TOKEN"]),
        (GITLAB, ("apportion", "artifacts", "when"), "sometimes"),
        (GITLAB, ("apportion", "rules", 0, "iff"), "true"),
        (GITLAB, ("apportion-comment", "allow_failure"), "yes"),
    ],
)
def test_the_published_schema_refuses_a_slip(path: str, place: tuple[str | int, ...], value: object) -> None:
    document = inner = read(path)
    for key in place[:-1]:
        inner = inner[key]
    inner[place[-1]] = value
    assert not published(path).is_valid(document)


def test_tekton_s_has_the_form_of_its_structs() -> None:
    form = yaml.safe_load((Path(__file__).parent / "tekton.yaml").read_text(encoding="utf-8"))
    assert [error.message for error in jsonschema_rs.validator_for(form).iter_errors(read(TEKTON))] == []


def test_tekton_s_steps_are_containers_of_a_pod() -> None:
    task = read(TEKTON)["spec"]["pipelineSpec"]["tasks"][0]["taskSpec"]
    steps = [{key: value for key, value in step.items() if key not in ("script", "onError")} for step in task["steps"]]
    spec = {"containers": [task["stepTemplate"] | step for step in steps], "volumes": task["volumes"]}
    pod = {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "taskrun"}, "spec": spec}
    kubernetes_validate.validate(pod, "1.32", strict=True)


def _scripts() -> Iterator[tuple[str, str, str]]:
    """Yield file, name and text of every script, with the shell that runs it."""
    for name, job in read(GITHUB)["jobs"].items():
        for step in (step for step in job["steps"] if "run" in step):
            yield GITHUB, f"{name} / {step['name']}", f"#!/usr/bin/env bash\nset -eo pipefail\n{step['run']}"
    for name, job in read(GITLAB).items():
        for part in ("before_script", "script"):
            yield GITLAB, f"{name} / {part}", "#!/bin/sh\nset -e\n" + "\n".join(job.get(part, ()))
    for step in read(TEKTON)["spec"]["pipelineSpec"]["tasks"][0]["taskSpec"]["steps"]:
        yield TEKTON, step["name"], step["script"]


SCRIPTS = list(_scripts())
IDS = [f"{file} {name}" for file, name, _ in SCRIPTS]


@pytest.mark.parametrize("text", [text for _, _, text in SCRIPTS], ids=IDS)
def test_shellcheck_finds_nothing(text: str) -> None:
    # 1091: what a virtual environment holds; 2153 and 2154: variables that a forge sets
    command = [str(BIN / "shellcheck"), "--exclude", "SC1091,SC2153,SC2154", "-"]
    done = subprocess.run(command, input=text, capture_output=True, encoding="utf-8", check=False)
    assert (done.returncode, done.stdout) == (0, "")


@pytest.mark.parametrize("text", [text for _, _, text in SCRIPTS], ids=IDS)
def test_no_expression_of_a_forge_is_part_of_a_script(text: str) -> None:
    """A branch or title in it would be code; `$(results…)` of Tekton is a path that Tekton makes."""
    assert re.findall(r"\$\{\{|\{\{|\$\((?:params|context|tasks|workspaces)\.", text) == []


def test_github_s_jobs_may_do_no_more_than_they_must() -> None:
    workflow = read(GITHUB)
    assert workflow["permissions"] == {}
    assert {name: job["permissions"] for name, job in workflow["jobs"].items()} == {
        "apportion": {"contents": "read", "security-events": "write"},
        "comment": {"pull-requests": "write"},
    }
    assert sorted(workflow["on"]) == ["pull_request", "push"], "never pull_request_target, which has secrets"
    assert "secrets." not in TEXTS[GITHUB]
    assert "github.token" not in str(workflow["jobs"]["apportion"])
    assert workflow["jobs"]["apportion"]["steps"][0]["with"] == {"fetch-depth": 0, "persist-credentials": False}


def test_only_actions_of_github_itself_are_used() -> None:
    used = re.findall(r"uses: (\S+)", TEXTS[GITHUB])
    assert [name.partition("@")[0] for name in used] == [
        "actions/checkout",
        "actions/setup-python",
        "github/codeql-action/upload-sarif",
        "actions/upload-artifact",
    ]
    assert all(re.fullmatch(r"v\d+|[0-9a-f]{40}", name.partition("@")[2]) for name in used)


@pytest.mark.parametrize("path", [GITHUB, GITLAB, TEKTON])
def test_the_version_is_pinned_and_nothing_names_a_registry(path: str) -> None:
    text = TEXTS[path]
    assert text.count(f"apportion=={__version__}") == 1
    assert re.findall(r"\[=|=\]|\[%|[\w-]+\.(?:io|com|org|net)/\S+/\S+:", text) == []
    assert text.endswith("\n")


@pytest.mark.parametrize(
    ("file", "job"), [(".github/workflows/apportion.yaml", None), (".gitlab/apportion.yaml", "apportion")]
)
def test_no_module_of_the_request_runs_in_place_of_python_s_own(file: str, job: str | None, tmp_path: Path) -> None:
    """A request may add venv.py or pip.py; what the jobs call stands in the checkout, where Python looks first."""
    written = yaml.safe_load(rendered(["github", "gitlab"])[file])
    variables = written["env"] if job is None else written[job]["variables"]
    for name in ("venv", "pip", "ensurepip"):
        (tmp_path / f"{name}.py").write_text("open('owned', 'w')\n", "utf-8")
    for given, owned in (({}, True), (variables, False)):
        for module in ("venv", "pip"):
            command = [sys.executable, "-m", module, "--help"]
            env = {key: str(value) for key, value in given.items()}
            subprocess.run(command, cwd=tmp_path, env=env, capture_output=True, check=False)
        assert (tmp_path / "owned").exists() is owned
        (tmp_path / "owned").unlink(missing_ok=True)
