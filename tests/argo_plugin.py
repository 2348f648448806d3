"""Argo CD's side of a Config Management Plugin: what its repo server and the cmp-server in the sidecar do.

Source: Argo CD 3.1.10 cmpserver/plugin/plugin.go (runCommand, generateManifest), util/app/discovery/discovery.go,
util/cmp/stream.go (the repository comes as a tar stream), reposerver/repository/repository.go (getPluginParamEnvs),
pkg/apis/application/v1alpha1/types.go (Environ), docs/user-guide/build-environment.md.
"""

from __future__ import annotations

import io
import json
import os
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import yaml

from tests.samples import Object, objects

BIN = Path(sys.executable).parent
STRANGER = 23456  # a user that is in no passwd file, as OpenShift assigns one
BUILD = {
    "ARGOCD_APP_NAME": "prod-queues-vision",
    "ARGOCD_APP_NAMESPACE": "openshift-gitops",
    "ARGOCD_APP_PROJECT_NAME": "prod-queues",
    "ARGOCD_APP_REVISION": "4f1c" * 10,
    "ARGOCD_APP_REVISION_SHORT": "4f1c4f1",
    "ARGOCD_APP_SOURCE_REPO_URL": "https://git.example.com/platform/ai-gitops.git",
    "ARGOCD_APP_SOURCE_TARGET_REVISION": "main",
    "KUBE_VERSION": "1.33",
    "KUBE_API_VERSIONS": "v1,apps/v1,kueue.x-k8s.io/v1beta2/ClusterQueue",
}


class GenerationError(Exception):
    """What Argo CD shows as the Application's ComparisonError."""


class Answer(NamedTuple):
    """How a command of the plug-in ended."""

    status: int
    stdout: bytes
    stderr: str


def stream(repository: Path) -> bytes:
    """Return the repository as the repo server sends it: everything but .git."""
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w") as tar:
        for path in sorted(repository.iterdir()):
            if path.name != ".git":
                tar.add(path, path.name)
    return buffer.getvalue()


@contextmanager
def received(data: bytes) -> Iterator[Path]:
    """Unpack a stream as the cmp-server does, without modes, below a temporary folder; then nobody may write there."""
    folder = Path(tempfile.mkdtemp(prefix="cmp-"))
    try:
        with tarfile.open(fileobj=io.BytesIO(data)) as tar:
            tar.extractall(folder, filter="data")
        for path in [path for path in folder.rglob("*") if path.is_symlink()]:
            target = path.resolve()  # a link is absolute over there
            path.unlink()
            path.symlink_to(target)
        for path in [folder, *folder.rglob("*")]:
            if not path.is_symlink():
                path.chmod(0o555 if path.is_dir() else 0o444)
                os.utime(path, (0, 0))
        yield folder
    finally:
        for path in [folder, *folder.rglob("*")]:
            if path.is_dir() and not path.is_symlink():
                path.chmod(0o755)
        shutil.rmtree(folder)


def environment(source: Mapping[str, Any]) -> dict[str, str]:
    """Return the variables of a command: those of the sidecar, of the build, and what the Application adds."""
    plugin = source.get("plugin", {})
    parameters = plugin.get("parameters")
    own = {f"ARGOCD_ENV_{entry['name']}": entry["value"] for entry in plugin.get("env", ())}
    named = {
        f"PARAM_{re.sub('[^A-Z0-9_]', '_', item['name'].upper())}": item["string"]
        for item in parameters or ()
        if "string" in item
    }
    listed = {"ARGOCD_APP_PARAMETERS": json.dumps(parameters)}  # "null" without parameters, as Go writes it
    sidecar = {"PATH": f"{BIN}:/usr/bin:/bin", "PYTHONDONTWRITEBYTECODE": "1"}  # no HOME, no LANG
    return {**sidecar, **BUILD, "ARGOCD_APP_SOURCE_PATH": source["path"], **own, **named, **listed}


def run(command: Sequence[str], folder: Path, variables: Mapping[str, str], **more: Any) -> Answer:
    """Run a command as the cmp-server does: no shell, both streams kept."""
    done = subprocess.run(
        [*as_stranger(), *command], cwd=folder, env=variables, capture_output=True, timeout=60, check=False, **more
    )
    return Answer(done.returncode, done.stdout, done.stderr.decode())


@cache
def as_stranger() -> tuple[str, ...]:
    """Return what goes before a command to run it as an unknown user, who may read all (the interpreter may be in a
    home) and write nothing; nothing where we are no root: then the user of the tests has to do.
    """
    only = "-all,+dac_read_search"
    ids = ("setpriv", "--reuid", str(STRANGER), "--regid", "0", "--clear-groups")
    command = (*ids, f"--inh-caps={only}", f"--ambient-caps={only}", f"--bounding-set={only}", "--")
    if os.getuid() != 0 or shutil.which(ids[0]) is None:
        return ()
    probe = subprocess.run([*command, BIN / "apportion", "--version"], capture_output=True, check=False)
    return command if probe.returncode == 0 else ()


def supports(plugin: Mapping[str, Any], source: Mapping[str, Any], folder: Path) -> bool:
    """Tell whether the repo server would give a source to the plug-in."""
    name = source.get("plugin", {}).get("name")
    version = plugin["spec"].get("version")
    own = f"{plugin['metadata']['name']}-{version}" if version else plugin["metadata"]["name"]
    if name is not None and name != own:
        return False
    discover = plugin["spec"].get("discover", {})
    if pattern := discover.get("fileName"):
        return bool(list((folder / source["path"]).glob(pattern)))
    if pattern := discover.get("find", {}).get("glob"):
        return bool(list((folder / source["path"]).glob(pattern)))
    if command := discover.get("find", {}).get("command"):
        answer = run(command, folder / source["path"], environment(source))
        return answer.status == 0 and answer.stdout != b""
    return bool(name == own)  # without discovery it is for those who name it


def generate(plugin: Mapping[str, Any], source: Mapping[str, Any], folder: Path, **more: Any) -> list[Object]:
    """Return what the plug-in makes of a source.

    Raises:
        GenerationError: init or generate failed.
    """
    where = folder / source["path"]
    for step in ("init", "generate"):
        if command := plugin["spec"].get(step):
            answer = run([*command["command"], *command.get("args", ())], where, environment(source), **more)
            if answer.status != 0:
                raise GenerationError(answer.stderr.strip())
    return [found for found in objects(answer.stdout.decode()) if found is not None]


def plugin_yaml(config: str) -> dict[str, Any]:
    """Return plugin.yaml out of its ConfigMap."""
    found: dict[str, Any] = yaml.safe_load(yaml.safe_load(config)["data"]["plugin.yaml"])
    return found
