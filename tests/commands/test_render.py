"""render: what it prints, and when it prints nothing; tests/test_plugin.py runs it as Argo CD does."""

import json
import time
from argparse import Namespace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from generator.cli import main
from generator.commands import render as command
from generator.commands.asked import asked, checked_date
from generator.finding import FatalError
from generator.kustomize import Overlay, build
from tests.argo_plugin import Answer
from tests.cases import FOLDER, parse
from tests.repository import QUOTAS, edit, repository, snapshot
from tests.samples import ROOT, objects

LISTED = "ARGOCD_APP_PARAMETERS"
DEFAULTS = Namespace(format="text", fail_on="error", as_of=None, quiet=False, verbose=False)


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name in ("PARAM_ENV", "PARAM_PART", "PARAM_AS_OF", LISTED):
        monkeypatch.delenv(name, raising=False)
    return repository(tmp_path)


def render(home: Path, capfdbinary: pytest.CaptureFixture[bytes], *options: str) -> Answer:
    status = main(["render", "--root", str(home), *options])
    out, err = capfdbinary.readouterr()
    return Answer(status, out, err.decode())


def names(answer: Answer) -> list[str]:
    return [f"{found['kind']}/{found['metadata']['name']}" for found in objects(answer.stdout.decode())]


def test_a_part_is_what_its_file_would_hold(home: Path, capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    before = snapshot(home)
    answer = render(home, capfdbinary, "--env", "prod", "--part", "queues/vision")
    assert snapshot(home) == before
    assert main(["compile", "--root", str(home), "--quiet"]) == 0
    assert answer == (0, (home / "output/overlays/prod/queues/vision/resources.yaml").read_bytes(), "")


def test_the_whole_environment_is_all_but_its_applications(
    home: Path, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    whole = names(render(home, capfdbinary, "--env", "prod"))
    assert "ClusterQueue/vision-training" in whole
    assert len(whole) > 40
    assert not {"Application", "AppProject"} & {name.partition("/")[0] for name in whole}
    own = names(render(home, capfdbinary, "--env", "prod", "--part", "argocd"))
    assert {"Application/prod-root", "AppProject/prod-queues"} < set(own)
    assert not set(own) & set(whole)


def test_what_argo_cd_asks_for_stands_where_no_option_does(
    home: Path, capfdbinary: pytest.CaptureFixture[bytes], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PARAM_ENV", "stage")
    monkeypatch.setenv("ARGOCD_ENV_PART", "profiles")
    assert names(render(home, capfdbinary, "--env", "prod")) == names(
        render(home, capfdbinary, "--env", "prod", "--part", "profiles")
    )
    assert render(home, capfdbinary).stderr.startswith("apportion: unknown environment stage\n")


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ([], "no environment is asked for\n  fix: name one with --env, or as parameter env of the Application's"),
        (["--env", ""], "unknown environment \n"),
        (["--env", "prdo"], "unknown environment prdo\n  fix: did you mean prod? known are: prod\n"),
        (["--env", "prod", "--part", ""], "environment prod has no part ''\n"),
        (["--env", "prod", "--part", "queues"], "environment prod has no part 'queues'\n"),
        (
            ["--env", "prod", "--part", "queues/visoin"],
            "environment prod has no part 'queues/visoin'\n  fix: did you mean",
        ),
        (["--env", "prod", "--part", "queues/vision/"], "environment prod has no part 'queues/vision/'\n"),
        (["--env", "prod", "--part", "../prod/operators"], "environment prod has no part '../prod/operators'\n"),
        (["--env", "prod", "--part", "x" * 500], f"environment prod has no part '{'x' * 80}…'\n"),
        (["--env", "prod", "--format", "json"], "render tells its findings as text\n"),
    ],
)
def test_what_cannot_be_rendered(
    options: list[str], said: str, home: Path, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    answer = render(home, capfdbinary, *options)
    assert (answer.status, answer.stdout) == (2, b"")
    assert answer.stderr.startswith(f"apportion: {said}")


def test_a_warning_stops_it_only_if_asked(home: Path, capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    waiver = "{rule: no-headroom, object: prod/pool/h100, reason: r, owner: o, expires: 2099-01-01}"
    document = f"apiVersion: apportion.dev/v1\nkind: Waivers\nwaivers: [{waiver}]\n"
    (home / "environments/waivers.yaml").write_text(document, "utf-8")
    answer = render(home, capfdbinary, "--env", "prod", "--part", "profiles")
    assert (answer.status, answer.stderr) == (0, "")
    answer = render(home, capfdbinary, "--env", "prod", "--part", "profiles", "--fail-on", "warning")
    assert (answer.status, answer.stdout) == (1, b"")
    assert answer.stderr.splitlines()[-1] == "1 warning; nothing rendered"


def test_an_error_of_another_environment_is_not_this_ones(
    tmp_path: Path, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    home = repository(tmp_path, second="stage")
    edit(home / "environments/stage/quotas.yaml", "h100: { accelerators: 8 }", "h200: { accelerators: 8 }")
    assert render(home, capfdbinary, "--env", "prod", "--part", "profiles").status == 0
    assert render(home, capfdbinary, "--env", "stage", "--part", "profiles").status == 1


def test_values_of_secrets_are_not_told(home: Path, capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    (home / "environments/prod/extra").mkdir()
    secret = "apiVersion: v1\nkind: Secret\nmetadata: {name: s, namespace: vision-dev}\ndata: {a: hunter2}\n"
    (home / "environments/prod/extra/secret.yaml").write_text(secret, "utf-8")
    answer = render(home, capfdbinary, "--env", "prod")
    assert (answer.status, answer.stdout) == (1, b"")
    assert "secret.yaml:4:11: error[value-malformed] Secret s is not as it has to be\n" in answer.stderr
    assert "hunter2" not in answer.stderr
    assert main(["check", "--inputs-only", "--root", str(home)]) == 1
    assert b'"hunter2" is not of the form byte' in capfdbinary.readouterr().out


@pytest.mark.parametrize("part", [None, "profiles"])
def test_an_environment_without_objects_is_no_answer(
    part: str | None, home: Path, capfdbinary: pytest.CaptureFixture[bytes], monkeypatch: pytest.MonkeyPatch
) -> None:
    """No input yields one; if ever one does, Argo CD must not take it for an order to delete."""

    def emptied(plan: Any, guards: Any) -> Any:
        overlay, findings = build(plan, guards)
        for leaf in overlay.synced:
            leaf.manifests, leaf.bases = [], {}
        return Overlay(overlay.plan, overlay.synced, ()), findings

    monkeypatch.setattr("generator.commands.pipeline.build", emptied)
    monkeypatch.setattr("generator.validate.all.judge", lambda *_: [])
    monkeypatch.setattr("generator.policy.gate.judge", lambda *_: [])
    answer = render(home, capfdbinary, "--env", "prod", *(["--part", part] if part else []))
    assert (answer.status, answer.stdout) == (2, b"")
    what = f"{part} of environment prod" if part else "environment prod"
    assert answer.stderr.startswith(f"apportion: {what} yields no object\n")


def test_a_file_that_cannot_be_read(
    home: Path, capfdbinary: pytest.CaptureFixture[bytes], monkeypatch: pytest.MonkeyPatch
) -> None:
    import os

    real = os.open

    def refusing(path: Any, *more: Any, **named: Any) -> int:
        if str(path).endswith("quotas.yaml"):
            raise PermissionError(13, "Permission denied")
        return real(path, *more, **named)

    monkeypatch.setattr("generator.commands.read.os.open", refusing)
    answer = render(home, capfdbinary, "--env", "prod")
    assert answer == (
        2,
        b"",
        "apportion: cannot read environments/prod/quotas.yaml (Permission denied)\n"
        "  fix: make them readable, or move them away\n",
    )


def test_a_bug_prints_nothing(
    home: Path, capfdbinary: pytest.CaptureFixture[bytes], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("generator.commands.render.dump_all", lambda bodies: 1 / 0)
    answer = render(home, capfdbinary, "--env", "prod")
    assert (answer.status, answer.stdout) == (3, b"")


def test_overrides_of_a_day(
    home: Path, capfdbinary: pytest.CaptureFixture[bytes], monkeypatch: pytest.MonkeyPatch
) -> None:
    with (home / QUOTAS).open("a", encoding="utf-8") as file:
        file.write(
            "overrides:\n  - {team: vision, queue: training, pool: h100, set: {accelerators: 4}, "
            "from: 2026-12-01, until: 2026-12-02, reason: paper}\n"
        )
    plain = render(home, capfdbinary, "--env", "prod", "--part", "queues/vision")
    assert plain.status == 0
    monkeypatch.setenv("PARAM_AS_OF", "2026-12-02")
    dated = render(home, capfdbinary, "--env", "prod", "--part", "queues/vision")
    assert (dated.status, dated.stdout == plain.stdout) == (0, False)
    assert render(home, capfdbinary, "--env", "prod", "--part", "queues/vision", "--as-of", "2026-12-03") == plain


BAD = sorted(path for path in FOLDER.glob("*.yaml") if not path.stem.startswith(("ok-", "warn-")))


@pytest.mark.parametrize("path", BAD[::4], ids=lambda path: path.stem)
def test_bad_input_never_gives_output(
    path: Path, tmp_path: Path, capfdbinary: pytest.CaptureFixture[bytes], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Every fourth: the findings are those of check, which tests/test_bad_input.py holds to each."""
    monkeypatch.setattr("generator.policy.shipped.policies", lambda root: ({}, []))
    case = parse(path.read_text())
    case.write(tmp_path)
    environments = [found.name for found in (tmp_path / "environments").iterdir() if found.is_dir()]
    answers = [render(tmp_path, capfdbinary, *case.options, "--env", name) for name in environments]
    assert any(answer.status in (1, 2) for answer in answers)
    assert all(answer.stdout == b"" or answer.status == 0 for answer in answers)
    assert not [answer for answer in answers if answer.status == 0 and answer.stdout == b""]


def test_a_sample_takes_less_than_a_second(capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    began = time.process_time()
    assert render(ROOT, capfdbinary, "--env", "prod").status == 0
    assert time.process_time() - began < 1


def listed(*parameters: dict[str, Any]) -> dict[str, str]:
    return {LISTED: json.dumps(parameters)}


@pytest.mark.parametrize(
    ("variables", "expected"),
    [
        ({}, {}),
        ({LISTED: ""}, {}),
        ({LISTED: "null"}, {}),
        (listed(), {}),
        (listed({"name": "env", "string": "prod"}), {"env": "prod"}),
        ({"PARAM_ENV": "prod", "ARGOCD_ENV_PART": "extra"}, {"env": "prod", "part": "extra"}),
        ({"ARGOCD_ENV_ENVIRONMENT": "prod", "ARGOCD_ENV_AS_OF": "2026-12-01"}, {"env": "prod", "as-of": "2026-12-01"}),
        ({**listed({"name": "env", "string": "prod"}), "PARAM_ENV": "prod"}, {"env": "prod"}),
        ({"PARAM_SHELL": "x", "ARGOCD_ENV_OTHER": "y", "PARAM_PART_0": "z", "ENV": "prod"}, {}),
    ],
)
def test_what_is_asked(variables: dict[str, str], expected: dict[str, str]) -> None:
    assert asked(variables) == expected


@pytest.mark.parametrize(
    ("variables", "said"),
    [
        ({LISTED: "{"}, f"{LISTED} is no JSON list of parameters"),
        ({LISTED: "[" * 100_000}, f"{LISTED} is no JSON list of parameters"),
        ({LISTED: '{"env": "prod"}'}, f"{LISTED} is no JSON list of parameters"),
        ({LISTED: '["env"]'}, f"{LISTED} is no JSON list of parameters"),
        (listed({"string": "prod"}), "the plug-in has no parameter 'None'"),
        (listed({"name": "prat", "string": "extra"}), "the plug-in has no parameter 'prat'"),
        (listed({"name": "part", "array": ["extra"]}), "parameter part is no text"),
        (listed({"name": "part", "string": ""}), f"part of {LISTED} is empty"),
        ({"PARAM_ENV": ""}, "PARAM_ENV is empty"),
        (
            {"PARAM_ENV": "prod", "ARGOCD_ENV_ENVIRONMENT": "dev"},
            "the Application contradicts itself: PARAM_ENV is 'prod', ARGOCD_ENV_ENVIRONMENT is 'dev'",
        ),
        (
            {**listed({"name": "env", "string": "prod"}), "PARAM_ENV": "dev"},
            f"the Application contradicts itself: env of {LISTED} is 'prod', PARAM_ENV is 'dev'",
        ),
    ],
)
def test_what_is_asked_in_a_wrong_way(variables: dict[str, str], said: str) -> None:
    with pytest.raises(FatalError) as told:
        asked(variables)
    assert told.value.message == said


def test_the_same_parameter_twice_in_the_list() -> None:
    twice = listed({"name": "env", "string": "prod"}, {"name": "env", "string": "dev"})
    with pytest.raises(FatalError, match="contradicts itself"):
        asked(twice)


@pytest.mark.parametrize("text", ["2026-02-29", "20261201", "2026-W49-2", "tomorrow", "2026-12-01T00:00"])
def test_no_day(text: str) -> None:
    with pytest.raises(FatalError, match="no date of the calendar"):
        checked_date(text)


def test_a_day() -> None:
    assert checked_date("2028-02-29") == "2028-02-29"
    assert checked_date(None) is None


def refusing(problem: OSError) -> SimpleNamespace:
    """Return a stdout on which nothing can be written."""

    def write(data: bytes) -> int:
        raise problem

    return SimpleNamespace(buffer=SimpleNamespace(write=write))


@pytest.mark.parametrize(
    ("problem", "expected"),
    [(OSError(28, "No space left on device"), FatalError), (BrokenPipeError(32, "Broken pipe"), BrokenPipeError)],
)
def test_a_stdout_that_takes_nothing(
    problem: OSError, expected: type[Exception], home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    options = Namespace(**vars(DEFAULTS), root=str(home), env="prod", part="profiles")
    monkeypatch.setattr("sys.stdout", refusing(problem))
    with pytest.raises(expected):
        command.run(options)


def test_a_stdout_that_was_closed(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    options = Namespace(**vars(DEFAULTS), root=str(home), env="prod", part="profiles")
    monkeypatch.setattr("sys.__stdout__", None)
    with pytest.raises(FatalError, match="stdout is closed"):
        command.run(options)
