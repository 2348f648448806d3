"""As much of GitHub's runner as the workflow needs: jobs, `if`, expressions, outputs, and the files of a step."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import yaml

from tests.ci.forge import TOKEN, Forge
from tests.ci.scratch import Scratch, run

WORKFLOW = ".github/workflows/apportion.yaml"
_EXPRESSION = re.compile(r"\$\{\{(.*?)\}\}", re.DOTALL)
_NAME = re.compile(r"'[^']*'|[a-z_]+(?:\.[a-z_]+)+")


class Runner:
    """Runs the jobs on a commit; `summary`, `log` and `results` by job are what they leave."""

    def __init__(self, scratch: Scratch, forge: Forge, *, event: str = "pull_request", repository: str = "me/ours"):
        self.scratch, self.forge, self.summary, self.log = scratch, forge, "", ""
        self.results: dict[str, str] = {}
        self.reports = scratch.place / "runner"
        self.context: dict[str, Any] = {
            "github.event_name": event,
            "github.event.pull_request.number": 5,
            "github.event.pull_request.head.repo.fork": repository != "me/ours",
            "github.event.pull_request.head.repo.full_name": repository,
            "github.repository": "me/ours",
            "github.token": TOKEN,
            "runner.temp": str(self.reports),
        }

    def run(self) -> Runner:
        self.scratch.reset()
        workflow = yaml.safe_load((self.scratch.root / WORKFLOW).read_text(encoding="utf-8"))
        for name, job in workflow["jobs"].items():
            if self._applies(job.get("if", "true")):
                self.results[name] = self._job(name, job)
        return self

    def _job(self, name: str, job: dict[str, Any]) -> str:
        self.reports.mkdir(exist_ok=True)
        result = "success"
        variables: dict[str, str] = {}
        for step in (step for step in job["steps"] if "run" in step):
            if not self._applies(step["if"]) if "if" in step else result != "success":
                continue
            outcome, outputs, added = self._step(step, variables)
            variables |= added
            if "id" in step:
                self.context[f"steps.{step['id']}.outcome"] = outcome
                self.context |= {f"steps.{step['id']}.outputs.{key}": value for key, value in outputs.items()}
            result = "failure" if outcome == "failure" else result
        for key, value in job.get("outputs", {}).items():
            self.context[f"needs.{name}.outputs.{key}"] = self._text(value)
        return result

    def _step(self, step: dict[str, Any], variables: dict[str, str]) -> tuple[str, dict[str, str], dict[str, str]]:
        files = {key: self.reports / key.lower() for key in ("GITHUB_OUTPUT", "GITHUB_ENV", "GITHUB_STEP_SUMMARY")}
        for path in files.values():
            path.write_text("", encoding="utf-8")
        script = self.reports / "script"
        script.write_text(step["run"], encoding="utf-8")
        given = {
            "GITHUB_API_URL": self.forge.url,
            "GITHUB_REPOSITORY": "me/ours",
            "GITHUB_BASE_REF": "main",
            "RUNNER_TEMP": str(self.reports),
            **{key: str(path) for key, path in files.items()},
            **variables,
            **{key: self._text(value) for key, value in step.get("env", {}).items()},
        }
        command = ["bash", "--noprofile", "--norc", "-eo", "pipefail", str(script)]
        done = run(command, self.scratch.root, given)
        self.log += f"== {step['name']}\n{done.stdout}{done.stderr}"
        self.summary += files["GITHUB_STEP_SUMMARY"].read_text(encoding="utf-8")
        outputs, added = (_pairs(files[key]) for key in ("GITHUB_OUTPUT", "GITHUB_ENV"))
        return "failure" if done.returncode else "success", outputs, added

    def _applies(self, condition: str) -> bool:
        """Evaluate an `if`: names, texts, true, ==, !=, && and !cancelled()."""
        expression = _EXPRESSION.sub(r"\1", condition).replace("!cancelled()", "True").replace("true", "True")
        expression = _NAME.sub(lambda m: m[0] if m[0][0] == "'" else repr(self.context.get(m[0])), expression)
        return bool(eval(expression.replace("&&", "and").strip(), {}))

    def _text(self, value: str) -> str:
        return _EXPRESSION.sub(lambda m: str(self.context.get(m[1].strip(), "")), value)


def _pairs(path: Path) -> dict[str, str]:
    return dict(line.split("=", 1) for line in path.read_text(encoding="utf-8").splitlines())
