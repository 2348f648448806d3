"""The samples against the tree that is committed, and against snapshots that a review of a change shows.

`output/` is collapsed in reviews, so two things are kept as snapshots besides: which objects each environment has, by
folder, and the text of one folder of each layer, chosen for what it shows.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

import pytest
from syrupy.assertion import SnapshotAssertion
from syrupy.extensions.single_file import SingleFileSnapshotExtension, WriteMode

from generator import lock
from generator.finding import Severity
from tests import samples
from tests.repository import apportion
from tests.samples import ENVIRONMENTS, OUTPUT, Compiled, identity, objects, wave

FOLDERS = {
    "operator-base": "base/operators/kueue/stable-v1.3",
    "operators-with-manual-approval": "overlays/prod/operators",
    "operands-with-mig": "overlays/prod/platform/operands",
    "operands-with-time-slicing": "overlays/dev/platform/operands",
    "openshift-ai-2.25": "overlays/legacy/platform/openshift-ai",
    "openshift-ai-3.4": "overlays/prod/platform/openshift-ai",
    "openshift-ai-3.5": "overlays/dev/platform/openshift-ai",
    "shared-queues-v1beta1": "overlays/legacy/queues/shared",
    "shared-queues-with-topology-and-cohorts": "overlays/prod/queues/shared",
    "team-queues-v1beta1": "overlays/legacy/queues/credit",
    "team-queues-with-slices-and-limits": "overlays/prod/queues/speech",
    "tenant-with-global-profiles": "overlays/dev/tenants/vision",
    "tenant-with-its-own-profiles": "overlays/prod/tenants/pricing",
    "priorities": "base/priorities/v1beta2",
    "runtime-base": "base/runtimes/trainer-2.1/torch-h100-distributed",
    "runtimes-with-slices": "overlays/prod/runtimes",
    "global-profiles": "overlays/dev/profiles",
    "guardrails": "overlays/prod/guardrails",
    "argocd": "overlays/dev/argocd",
}
ALIKE = 2  # how many objects of a kind are shown where many are alike
MANY_ALIKE = ("argocd", "tenant-with-its-own-profiles")
KIND = re.compile(r"^kind: (\w+)$", re.MULTILINE)


class Yaml(SingleFileSnapshotExtension):
    """One readable file for each snapshot."""

    file_extension = "yaml"
    _write_mode = WriteMode.TEXT


@pytest.fixture
def yaml(snapshot: SnapshotAssertion) -> SnapshotAssertion:
    return snapshot.use_extension(Yaml)


def test_samples_have_no_error_and_no_warning(compiled: Compiled) -> None:
    found = [(f.rule, f.severity, f.location.file if f.location else None) for f in compiled.findings]
    assert found == [("training-operator-deprecated", Severity.INFO, "environments/legacy/environment.yaml")]


def test_all_checks_pass_without_a_warning() -> None:
    status, said, _ = apportion("check", "--root", str(samples.ROOT), "--fail-on", "warning")
    assert status == 0, said


def test_samples_are_the_environments() -> None:
    assert sorted(path.parent.name for path in (samples.ROOT / "environments").glob("*/environment.yaml")) == list(
        ENVIRONMENTS
    )


def test_committed_output_is_what_the_samples_compile_to(compiled: Compiled) -> None:
    committed = {p.relative_to(OUTPUT).as_posix(): p.read_bytes() for p in OUTPUT.rglob("*") if p.is_file()}
    expected = {path: text.encode() for path, text in compiled.tree.items()}
    differ = [path for path in sorted({*committed, *expected}) if committed.get(path) != expected.get(path)]
    assert differ == [], "run `make compile` and commit output/"


@pytest.mark.parametrize("environment", [*ENVIRONMENTS, "base"])
def test_objects(environment: str, compiled: Compiled, yaml: SnapshotAssertion) -> None:
    prefix = "base/" if environment == "base" else f"overlays/{environment}/"
    assert contents(compiled.tree, prefix) == yaml


@pytest.mark.parametrize("name", FOLDERS)
def test_folder(name: str, compiled: Compiled, yaml: SnapshotAssertion) -> None:
    below = f"{FOLDERS[name]}/"
    files = {name: compiled.tree.get(below + name, "") for name in ("kustomization.yaml", "resources.yaml")}
    if name in MANY_ALIKE:
        files["resources.yaml"] = few_of_a_kind(files["resources.yaml"])
    shown = [f"# {file}\n{text}" for file, text in files.items() if text and not is_plain(text)]
    assert "---\n".join(shown) == yaml


def test_every_layer_has_a_folder_among_the_snapshots(compiled: Compiled) -> None:
    present = {layer(path.rpartition("/")[0]) for path in compiled.tree if path.endswith(lock.NAME)}
    shown = {layer(folder) for folder in FOLDERS.values()}
    # extra/ is what the user wrote, and an overlay's own kustomization lists its folders
    assert present - shown == {"extra", "overlay"}


def layer(folder: str) -> str:
    """Return which layer a folder belongs to, whatever the team, operator or environment."""
    tree, *parts = folder.split("/")
    if tree == "base":
        return f"base/{parts[0]}"
    below = parts[1:] or ["overlay"]
    is_of_team = below[0] in ("queues", "tenants") and below[1] != "shared"
    return f"{below[0]}/<team>" if is_of_team else "/".join(below)


def contents(tree: Mapping[str, str], prefix: str) -> str:
    """Return folder → `wave kind [namespace/]name` of each object in it, in the order of the file, as readable YAML."""
    lines = []
    for path, text in tree.items():
        if path.startswith(prefix) and path.endswith("/resources.yaml"):
            lines.append(f"{path.removesuffix('/resources.yaml')}:\n")
            for found in objects(text):
                key = identity(found)
                lines.append(f"- {wave(found)} {key.kind} {f'{key.namespace}/{key.name}'.lstrip('/')}\n")
    return "".join(lines)


def few_of_a_kind(text: str) -> str:
    """Return a YAML stream with the first objects of each kind, and how many more there are."""
    shown: dict[str, list[str]] = {}
    for document in text.split("\n---\n"):
        shown.setdefault(KIND.findall(document)[0], []).append(document)
    parts = []
    for kind, documents in shown.items():
        parts += documents[:ALIKE]
        if len(documents) > ALIKE:
            parts.append(f"# and {len(documents) - ALIKE} more of kind {kind}")
    return "\n---\n".join(part.rstrip("\n") for part in parts) + "\n"


def is_plain(text: str) -> bool:
    """Whether a kustomization lists resources.yaml and nothing else, as most do."""
    return text.endswith("\nkind: Kustomization\nresources:\n- resources.yaml\n")
