"""What is written for Argo CD's plug-in: plugin.yaml, the sidecar, and the Applications that ask for it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import yaml

from generator import __version__
from generator.cli import main
from generator.emit import plugin
from generator.plan.model import Plugin
from tests.api import Target
from tests.argo_plugin import plugin_yaml
from tests.repository import ENVIRONMENT, edit, repository, snapshot
from tests.samples import Object

IMAGE = f"registry.example.com/platform/apportion@sha256:{'0a' * 32}"
OURS = Plugin("apportion", IMAGE)
PARAMETER = {"name": str, "title": str, "tooltip": str, "required": bool}
COMMAND: dict[str, Any] = {"command": list, "args": list}
# Source: Argo CD cmpserver/plugin/config.go; only what we may write.
DOCUMENTED: dict[str, Any] = {
    "apiVersion": str,
    "kind": str,
    "metadata": {"name": str},
    "spec": {
        "version": str,
        "init": COMMAND,
        "generate": COMMAND,
        "discover": {"fileName": str, "find": {"glob": str, **COMMAND}},
        "parameters": {"static": [PARAMETER]},
        "preserveFileMode": bool,
        "provideGitCreds": bool,
    },
}


def undocumented(found: Any, shape: Any, path: str = "") -> list[str]:
    """Return the paths of what Argo CD's documentation does not have, or has of another type."""
    if isinstance(shape, dict) and isinstance(found, dict):
        strange = [f"{path}.{key}" for key in found if key not in shape]
        return strange + [
            each for key in found if key in shape for each in undocumented(found[key], shape[key], f"{path}.{key}")
        ]
    if isinstance(shape, list) and isinstance(found, list):
        return [each for n, item in enumerate(found) for each in undocumented(item, shape[0], f"{path}[{n}]")]
    return [] if isinstance(shape, type) and isinstance(found, shape) else [path]


def test_plugin_yaml_is_what_argo_cd_reads() -> None:
    found = plugin_yaml(plugin.config(OURS, "openshift-gitops"))
    assert undocumented(found, DOCUMENTED) == []
    assert (found["apiVersion"], found["kind"]) == ("argoproj.io/v1alpha1", "ConfigManagementPlugin")
    assert found["metadata"] == {"name": "apportion"}
    assert found["spec"]["generate"] == {"command": ["apportion", "render"]}
    assert [(p["name"], p["required"]) for p in found["spec"]["parameters"]["static"]] == [
        ("env", True),
        ("part", False),
        ("as-of", False),
    ]


def test_what_argo_cd_would_not_read_is_noticed() -> None:
    found = plugin_yaml(plugin.config(OURS, "openshift-gitops"))
    found["spec"]["generate"]["shell"] = "sh"
    found["spec"]["parameters"]["static"][1]["required"] = "yes"
    assert undocumented(found, DOCUMENTED) == [".spec.generate.shell", ".spec.parameters.static[1].required"]


def test_no_shell_stands_between_an_application_and_the_command() -> None:
    spec = plugin_yaml(plugin.config(OURS, "openshift-gitops"))["spec"]
    words = [*spec["generate"]["command"], *spec["generate"].get("args", ()), *spec.get("init", {}).get("command", ())]
    assert not [word for word in words if word in ("sh", "bash", "-c", "env") or "$" in word]


def pod() -> Object:
    """Return the repo server's pod as the operator makes it of the patch.

    Source: argocd-operator controllers/argocd/deployment.go, reconcileRepoDeployment.
    """
    repo = yaml.safe_load(plugin.patch(OURS))["spec"]["repo"]
    assert repo.keys() == {"sidecarContainers", "volumes"}
    own: list[Any] = [{"name": name, "emptyDir": {}} for name in ("var-files", "plugins", "tmp", "gpg-keys")]
    server = {"name": "argocd-repo-server", "image": "argocd"}
    spec = {"containers": [server, *repo["sidecarContainers"]], "volumes": own + repo["volumes"]}
    return {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "repo-server"}, "spec": spec}


def test_the_sidecar_is_a_container_that_the_server_takes() -> None:
    found = pod()
    platform = {"openshift": "4.20", "openshiftAI": "3.4", "kueue": "1.3", "gitops": "1.18"}
    assert list(Target(platform).problems(found)) == []
    volumes = [volume["name"] for volume in found["spec"]["volumes"]]
    assert len(volumes) == len(set(volumes))
    [_, sidecar] = found["spec"]["containers"]
    assert {mount["name"] for mount in sidecar["volumeMounts"]} <= set(volumes)
    [config] = [volume["configMap"] for volume in found["spec"]["volumes"] if "configMap" in volume]
    assert config["name"] == yaml.safe_load(plugin.config(OURS, "a"))["metadata"]["name"]


def test_the_sidecar_has_the_least_rights() -> None:
    [_, sidecar] = pod()["spec"]["containers"]
    assert sidecar["command"] == ["/var/run/argocd/argocd-cmp-server"]
    assert sidecar["image"] == IMAGE
    assert sidecar["securityContext"] == {  # no runAsUser: the SCC assigns one
        "allowPrivilegeEscalation": False,
        "capabilities": {"drop": ["ALL"]},
        "readOnlyRootFilesystem": True,
        "runAsNonRoot": True,
        "seccompProfile": {"type": "RuntimeDefault"},
    }
    scratch = next(mount["name"] for mount in sidecar["volumeMounts"] if mount["mountPath"] == "/tmp")
    assert scratch not in ("tmp", "var-files", "plugins")  # never one that the repo server has, too


def compiled(root: Path, argocd: str = f"plugin: {{ image: '{IMAGE}' }}", *options: str) -> dict[str, str]:
    """Return the folder of Argo CD, by file."""
    with (root / ENVIRONMENT).open("a", encoding="utf-8") as file:
        file.write(f"argocd: {{ {argocd} }}\n")
    assert main(["compile", "--root", str(root), "--quiet", "--fail-on", "info", *options]) == 0
    return {path: data.decode() for path, data in snapshot(root / "output/overlays/prod/argocd").items()}


def applications(files: dict[str, str]) -> dict[str, Any]:
    found = yaml.safe_load_all(files["resources.yaml"])
    return {item["metadata"]["name"]: item for item in found if item["kind"] == "Application"}


def test_applications_ask_for_their_folder(tmp_path: Path) -> None:
    found = applications(compiled(repository(tmp_path)))
    assert found["prod-queues-vision"]["spec"]["source"] == {
        "repoURL": "https://git.example.com/platform/ai-gitops.git",
        "targetRevision": "main",
        "path": ".",
        "plugin": {
            "name": "apportion",
            "parameters": [{"name": "env", "string": "prod"}, {"name": "part", "string": "queues/vision"}],
        },
    }
    assert found["prod-root"]["spec"]["source"]["plugin"]["parameters"][1]["string"] == "argocd"
    assert {app["spec"]["source"]["plugin"]["name"] for app in found.values()} == {"apportion"}
    paths = "argocd.argoproj.io/manifest-generate-paths"
    assert {app["metadata"]["annotations"].get(paths) for name, app in found.items() if name != "prod-root"} == {"."}


def test_without_opting_in_nothing_of_it_is_there(tmp_path: Path) -> None:
    files = compiled(repository(tmp_path), "namespace: openshift-gitops")
    assert not {plugin.CONFIG, plugin.PATCH} & set(files)
    assert not [app for app in applications(files).values() if "plugin" in app["spec"]["source"]]


def test_name_namespace_and_path_are_those_of_the_environment(tmp_path: Path) -> None:
    root = repository(tmp_path)
    edit(root / ENVIRONMENT, 'ai-gitops.git",', 'ai-gitops.git", path: clusters/ai,')
    files = compiled(root, f"namespace: argo, plugin: {{ name: next, image: '{IMAGE}' }}")
    source = applications(files)["prod-operators"]["spec"]["source"]
    assert (source["path"], source["plugin"]["name"]) == ("clusters/ai", "next")
    assert plugin_yaml(files[plugin.CONFIG])["metadata"] == {"name": "next"}
    assert yaml.safe_load(files[plugin.CONFIG])["metadata"] == {"name": "next-plugin", "namespace": "argo"}
    assert yaml.safe_load(files[plugin.PATCH])["spec"]["repo"]["sidecarContainers"][0]["name"] == "next-plugin"


def test_the_files_for_the_sidecar_are_not_synced(tmp_path: Path) -> None:
    """A sync that the plug-in has to render could not bring the plug-in back."""
    files = compiled(repository(tmp_path))
    assert yaml.safe_load(files["kustomization.yaml"])["resources"] == ["resources.yaml"]
    assert set(json.loads(files["apportion.lock"])["files"]) == set(files) - {"apportion.lock"}


def test_the_day_of_a_compile_goes_along(tmp_path: Path) -> None:
    files = compiled(repository(tmp_path), f"plugin: {{ image: '{IMAGE}' }}", "--as-of", "2026-12-01")
    asked = [app["spec"]["source"]["plugin"]["parameters"] for app in applications(files).values()]
    assert all(parameters[-1] == {"name": "as-of", "string": "2026-12-01"} for parameters in asked)
    assert json.loads(files["apportion.lock"])["asOf"] == "2026-12-01"
    assert main(["check", "--root", str(tmp_path), "--quiet", "--as-of", "2026-12-01"]) == 0
    assert main(["check", "--root", str(tmp_path), "--quiet", "--as-of", "2026-12-02"]) == 1


@pytest.mark.parametrize("gitops", ["1.18", "1.20", "1.21"])
def test_argo_cd_takes_the_applications(gitops: str, tmp_path: Path, shared: Path) -> None:
    root = tmp_path / "new"
    assert main(["init", str(root), "--quiet", "--gitops", gitops]) == 0
    target = Target({"openshift": "4.20", "openshiftAI": "3.4", "kueue": "1.3", "gitops": gitops})
    found = applications(compiled(root, f"plugin: {{ image: '{IMAGE}' }}"))
    assert {problem for app in found.values() for problem in target.problems(app)} == set()
    broken = {**found["prod-root"], "spec": {**found["prod-root"]["spec"], "source": {"plugin": {"version": "x"}}}}
    assert list(target.problems(broken))


INSTRUCTIONS = ("ARG", "CMD", "COPY", "ENV", "FROM", "RUN", "USER", "WORKDIR")


@pytest.fixture
def containerfile(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> list[tuple[str, str]]:
    """Return instruction and rest of each line of the Containerfile, continued lines joined."""
    assert main(["init", str(tmp_path / "image"), "--plugin"]) == 0
    written = f"{tmp_path / 'image'}: 1 file written; next: what the head of Containerfile says\n"
    assert capsys.readouterr() == ("", written)
    text = snapshot(tmp_path / "image")["Containerfile"].decode()
    lines = [line for line in text.replace("\\\n", " ").splitlines() if line and not line.startswith("#")]
    return [(instruction, " ".join(rest.split())) for instruction, _, rest in (line.partition(" ") for line in lines)]


def test_the_image_names_no_registry_and_asks_no_network(containerfile: list[tuple[str, str]]) -> None:
    assert containerfile[:2] == [("ARG", "BASE_IMAGE"), ("FROM", "${BASE_IMAGE}")]
    assert {instruction for instruction, _ in containerfile} <= set(INSTRUCTIONS)
    [run] = [rest for instruction, rest in containerfile if instruction == "RUN"]
    installs = [step for step in run.split(" && ") if " install " in step]
    assert len(installs) == 1
    assert "--no-index --find-links /opt/wheels" in installs[0]
    assert not [word for word in ("curl", "wget", "dnf", "http", "git ") if word in run]


def test_the_image_is_for_any_user_and_a_file_system_that_is_read_only(containerfile: list[tuple[str, str]]) -> None:
    [run] = [rest for instruction, rest in containerfile if instruction == "RUN"]
    [variables] = [rest for instruction, rest in containerfile if instruction == "ENV"]
    users = [rest for instruction, rest in containerfile if instruction == "USER"]
    assert run.endswith("chgrp -R 0 /opt/apportion && chmod -R a+rX,go-w /opt/apportion")
    assert "compileall -q --invalidation-mode unchecked-hash" in run
    assert {"HOME=/tmp", "PYTHONDONTWRITEBYTECODE=1", "PYTHONSAFEPATH=1"} < set(variables.split())
    assert users[-1].isdigit()
    assert int(users[-1]) > 0  # a name could not be judged by runAsNonRoot


def test_the_image_is_of_this_version(containerfile: list[tuple[str, str]]) -> None:
    [run] = [rest for instruction, rest in containerfile if instruction == "RUN"]
    assert f"'apportion[cluster]=={__version__}'" in run
