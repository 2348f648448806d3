"""The plug-in, driven as Argo CD drives it: every Application of an environment, and every way in which it can fail."""

from __future__ import annotations

import io
import re
import select
import shutil
import signal
import subprocess
import tarfile
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any

import pytest
import yaml

from generator.cli import main
from tests.argo_plugin import (
    BIN,
    GenerationError,
    environment,
    generate,
    plugin_yaml,
    received,
    run,
    stream,
    supports,
)
from tests.repository import ENVIRONMENT, QUOTAS, edit, repository, snapshot
from tests.samples import ROOT, Built, Object, folders, identity, kustomize

IMAGE = f"registry.example.com/platform/apportion@sha256:{'0a' * 32}"
OPT_IN = f"argocd: {{ plugin: {{ image: '{IMAGE}' }} }}\n"
EVIL = "$(touch owned); `id` | tee owned; '\"\x1b[2J\n--root=/"


def opted_in(root: Path, name: str = ENVIRONMENT) -> Path:
    with (root / name).open("a", encoding="utf-8") as file:
        file.write(OPT_IN)
    return root


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A compiled repository whose environment is rendered by the plug-in."""
    root = opted_in(repository(tmp_path_factory.mktemp("plugin")))
    extra = root / "environments/prod/extra"
    extra.mkdir()
    (extra / "größe.yaml").write_text(
        "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: sizes, namespace: vision-dev}\ndata: {größe: 8 €}\n", "utf-8"
    )
    for module in ("json", "yaml", "jinja2", "generator", "sitecustomize"):
        (root / f"{module}.py").write_text("raise SystemExit(0)\n", "utf-8")  # imported, it would be an empty success
    (root / "teams").mkdir()
    (root / "environments/teams.yaml").rename(root / "teams/all.yaml")
    (root / "environments/teams.yaml").symlink_to("../teams/all.yaml")
    (root / ".git").mkdir()
    (root / ".git/HEAD").write_text("ref: refs/heads/main\n", "utf-8")
    assert main(["compile", "--root", str(root), "--quiet"]) == 0
    return root


@pytest.fixture(scope="module")
def plugin(home: Path) -> dict[str, Any]:
    return plugin_yaml((home / "output/overlays/prod/argocd/argocd-plugin-config.yaml").read_text("utf-8"))


@pytest.fixture(scope="module")
def checkout(home: Path) -> Iterator[Path]:
    """What the sidecar has of it: inputs alone, for this repository does not commit output/."""
    with received(stream(_without_output(home))) as folder:
        yield folder


def _without_output(home: Path) -> Path:
    bare = home.parent / f"{home.name}-bare"
    if not bare.exists():
        shutil.copytree(home, bare, symlinks=True, ignore=shutil.ignore_patterns("output"))
    return bare


def source(home: Path, part: str = "queues/vision", **more: Any) -> dict[str, Any]:
    """Return the source of an Application as compiled, with some of its plug-in's keys changed."""
    found = {app["metadata"]["name"]: app for app in _applications(home)}
    chosen: dict[str, Any] = found[f"prod-{part.replace('/', '-')}"]["spec"]["source"]
    return {**chosen, "plugin": {**chosen["plugin"], **more}}


def _applications(home: Path) -> list[Object]:
    text = (home / "output/overlays/prod/argocd/resources.yaml").read_text("utf-8")
    return [found for found in yaml.safe_load_all(text) if found["kind"] == "Application"]


def same(one: list[Object], other: list[Object]) -> bool:
    return sorted(one, key=identity) == sorted(other, key=identity)


def test_every_application_gets_what_a_build_of_its_folder_gives(
    home: Path, plugin: dict[str, Any], checkout: Path
) -> None:
    before = snapshot(checkout)
    sources = {app["metadata"]["name"]: app["spec"]["source"] for app in _applications(home)}
    assert [name for name, each in sources.items() if not supports(plugin, each, checkout)] == []
    with ThreadPoolExecutor(max_workers=2) as pool:
        rendered = dict(zip(sources, pool.map(lambda s: generate(plugin, s, checkout), sources.values()), strict=True))
    built = kustomize(home / "output", [path for path in folders(_tree(home)) if path.count("/") > 1])
    names = {f"{app['metadata']['name']}": _part(app) for app in _applications(home)}
    assert {f"overlays/prod/{part}" for part in names.values()} == set(built)
    assert [name for name in sources if not same(rendered[name], built[f"overlays/prod/{names[name]}"])] == []
    assert all(rendered.values())
    assert snapshot(checkout) == before


def _tree(home: Path) -> list[str]:
    return [path for path in snapshot(home / "output") if path.startswith("overlays/")]


def _part(app: Object) -> str:
    given = {item["name"]: item["string"] for item in app["spec"]["source"]["plugin"]["parameters"]}
    assert given["env"] == "prod"
    return str(given["part"])


def test_without_a_part_it_is_all_that_a_sync_brings(home: Path, plugin: dict[str, Any], checkout: Path) -> None:
    whole = source(home, parameters=[{"name": "env", "string": "prod"}])
    built = kustomize(home / "output", ["overlays/prod"])["overlays/prod"]
    assert same(generate(plugin, whole, checkout), built)


def test_a_sample(built: Built, plugin: dict[str, Any]) -> None:
    """Variables of the Application do what parameters do, and any folder of the repository will do as its path."""
    given = [{"name": "ENVIRONMENT", "value": "prod"}, {"name": "PART", "value": "operators"}]
    with _samples() as folder:
        asked = {"path": "environments/teams", "plugin": {"name": "apportion", "env": given}}
        assert same(generate(plugin, asked, folder), built["overlays/prod/operators"])


def _samples() -> AbstractContextManager[Path]:
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w") as tar:
        tar.add(ROOT / "environments", "environments")
    return received(buffer.getvalue())


def test_other_repositories_are_not_captured(plugin: dict[str, Any], tmp_path: Path) -> None:
    """Also not one that is laid out as ours: it is for those who name it."""
    repository(tmp_path)
    assert not supports(plugin, {"path": "."}, tmp_path)
    assert not supports(plugin, {"path": ".", "plugin": {}}, tmp_path)
    assert not supports(plugin, {"path": ".", "plugin": {"name": "other"}}, tmp_path)
    assert supports(plugin, {"path": ".", "plugin": {"name": "apportion"}}, tmp_path)


def test_a_named_repository_that_is_none_of_ours_fails(plugin: dict[str, Any], tmp_path: Path) -> None:
    (tmp_path / "kustomization.yaml").write_text("resources: []\n", "utf-8")
    given = [{"name": "env", "string": "prod"}]
    with (
        received(stream(tmp_path)) as folder,
        pytest.raises(GenerationError, match="nor a folder above it has a folder environments/"),
    ):
        generate(plugin, {"path": ".", "plugin": {"name": "apportion", "parameters": given}}, folder)


@pytest.mark.parametrize("name", ["part", EVIL])
def test_hostile_parameters(name: str, home: Path, plugin: dict[str, Any], checkout: Path) -> None:
    given = {"env": "prod", "part": "operators", name: EVIL}
    parameters = [{"name": key, "string": value} for key, value in given.items()]
    with pytest.raises(GenerationError) as told:
        generate(plugin, source(home, parameters=parameters), checkout)
    assert "$(touch owned); `id` | tee owned; " in str(told.value)
    assert "\x1b" not in str(told.value)
    assert len(str(told.value).splitlines()) == 2
    assert not list(checkout.rglob("owned"))


def test_hostile_variables_that_are_none_of_its_business(home: Path, plugin: dict[str, Any], checkout: Path) -> None:
    names = (
        "ARGOCD_APP_NAME",
        "ARGOCD_APP_REVISION",
        "KUBE_API_VERSIONS",
        "ARGOCD_ENV_SHELL",
        "PARAM_IFS",
        "PARAM_PYTHONPATH",
    )
    answer = run(
        plugin["spec"]["generate"]["command"], checkout, environment(source(home)) | dict.fromkeys(names, EVIL)
    )
    assert (answer.status, answer.stderr) == (0, "")
    assert not list(checkout.rglob("owned"))


def failed(checkout: Path, home: Path, plugin: dict[str, Any]) -> tuple[int, str]:
    """Return status and stderr of a run that has to fail without a byte on stdout."""
    answer = run(plugin["spec"]["generate"]["command"], checkout, environment(source(home)))
    assert answer.status != 0
    assert answer.stdout == b""
    return answer.status, answer.stderr


def test_an_error_in_the_inputs(home: Path, plugin: dict[str, Any], tmp_path: Path) -> None:
    root = opted_in(repository(tmp_path))
    edit(root / QUOTAS, "h100: { accelerators: 8 }", "h200: { accelerators: 8 }")
    with received(stream(root)) as folder:
        status, said = failed(folder, home, plugin)
    assert status == 1
    assert re.match(r"environments/prod/quotas\.yaml:\d+:\d+: error\[unknown-pool\] ", said)
    assert said.splitlines()[-1] == "1 error; nothing rendered"
    assert str(folder) not in said


def test_many_errors_are_told_in_short(home: Path, plugin: dict[str, Any], tmp_path: Path) -> None:
    root = opted_in(repository(tmp_path))
    with (root / "environments/teams.yaml").open("a", encoding="utf-8") as file:
        file.writelines(f"---\napiVersion: apportion.dev/v1\nkind: Team\nname: team-{n}\n" for n in range(500))
    with received(stream(root)) as folder:
        status, said = failed(folder, home, plugin)
    assert status == 1
    assert len(said) < 4096
    assert said.splitlines()[-1] == (
        "500 errors; nothing rendered; 490 more are told by apportion check --inputs-only prod"
    )


def test_the_output_that_is_committed_plays_no_part(home: Path, plugin: dict[str, Any], tmp_path: Path) -> None:
    shutil.copytree(home, tmp_path / "stale", symlinks=True)
    stale = tmp_path / "stale/output/overlays/prod/queues/vision/resources.yaml"
    stale.write_text("edited by hand\n", "utf-8")
    (tmp_path / "stale/output/.journal").write_text("half written\n", "utf-8")
    with received(stream(tmp_path / "stale")) as one, received(stream(_without_output(home))) as other:
        assert same(generate(plugin, source(home), one), generate(plugin, source(home), other))


@pytest.mark.parametrize(
    ("into", "said"),
    [(">&-", "stdout is closed: nobody would get the manifests"), (">/dev/full", "cannot write to stdout: No space")],
)
def test_a_stdout_that_takes_nothing(into: str, said: str, home: Path, checkout: Path) -> None:
    answer = run(["sh", "-c", f"exec apportion render {into}"], checkout, environment(source(home)))
    assert answer.status == 2
    assert answer.stderr.startswith(f"apportion: {said}")


def test_killed_while_it_prints() -> None:
    """All that the cmp-server has by then is not taken for manifests: the status says so."""
    command = [str(BIN / "apportion"), "render", "--root", str(ROOT), "--env", "prod"]
    with subprocess.Popen(command, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert select.select([process.stdout], [], [], 60)[0]  # more than a pipe holds is still to come
        process.terminate()  # what the cmp-server sends first
        process.stdout.read()
        assert process.wait(60) == -signal.SIGTERM


def test_a_reader_that_goes_away() -> None:
    command = [str(BIN / "apportion"), "render", "--root", str(ROOT), "--env", "prod"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdout is not None
        process.stdout.close()
        assert process.wait(60) == 141


def test_names_beyond_ascii_in_a_locale_without(home: Path, plugin: dict[str, Any], checkout: Path) -> None:
    locale = {"LC_ALL": "POSIX", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}
    variables = environment(source(home, "extra")) | locale
    answer = run(plugin["spec"]["generate"]["command"], checkout, variables, umask=0o777)
    assert (answer.status, answer.stderr) == (0, "")
    assert yaml.safe_load(answer.stdout)["data"] == {"größe": "8 €"}


_WATCH = """
import sys
def hook(event, args):
    written = event == "open" and not isinstance(args[0], int) and args[2] & 0o3
    if written or event in ("os.mkdir", "os.rename", "os.remove", "socket.connect", "subprocess.Popen", "os.exec"):
        sys.stderr.write(f"{event} {args}\\n")
sys.addaudithook(hook)
from generator.start import entry
sys.argv[1:] = ["render"]
entry()
"""


def test_it_writes_nothing_starts_nothing_and_calls_nobody(home: Path, checkout: Path) -> None:
    answer = run([str(BIN / "python"), "-P", "-c", _WATCH], checkout, environment(source(home)))
    assert (answer.status, answer.stderr) == (0, "")
    assert answer.stdout
