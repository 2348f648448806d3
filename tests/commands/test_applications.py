"""Two environments that share an Argo CD have no Application of the same name."""

import re
import shutil
from pathlib import Path

import pytest

from generator.cli import main
from tests.repository import edit, repository


def two(root: Path, second: str, team: str, server: str | None) -> Path:
    """Write environments prod and `second`; in prod, vision is called `team`."""
    repository(root)
    shutil.copytree(root / "environments/prod", root / "environments" / second)
    environment = root / "environments" / second / "environment.yaml"
    edit(environment, "name: prod", f"name: {second}")
    if server:
        edit(environment, "platform: #", f'cluster: {{ server: "{server}" }}\nplatform: #')
    for path in (root / "environments").rglob("*.yaml"):
        path.write_text(re.sub(r"\bvision\b", team, path.read_text()))
    return root


@pytest.mark.parametrize(
    ("second", "team", "server", "status"),
    [
        ("prod-queues", "operators", "https://x.example.com:6443", 1),
        ("prod-tenants", "root", "https://x.example.com:6443", 1),
        ("prod-queues", "operators", None, 0),  # each has an Argo CD of its own
        ("prod-queues", "vision", "https://x.example.com:6443", 0),
        ("stage", "operators", "https://x.example.com:6443", 0),
    ],
)
def test_names(
    second: str, team: str, server: str | None, status: int, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    root = two(tmp_path, second, team, server)
    assert main(["check", "--inputs-only", "--root", str(root)]) == status
    said = f"environments prod and {second} both give an Application the name {second}-{team}\n"
    assert (f"error[application-of-two-environments] {said}" in capsys.readouterr().out) is bool(status)
