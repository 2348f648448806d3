"""Small Git repositories of inputs, as people have them."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

IDENTITY = {f"GIT_{who}_{what}": "x@example.com" for who in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")}


def git(root: Path, *arguments: str) -> str:
    """Run Git without the user's configuration; return what it prints."""
    alone = {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1"}
    command = ["git", "-C", str(root), *arguments]
    environment = {key: value for key, value in os.environ.items() if not key.startswith("GIT_")} | alone | IDENTITY
    return subprocess.run(command, env=environment, check=True, capture_output=True, text=True).stdout


def write(root: Path, files: dict[str, bytes]) -> None:
    for path, data in files.items():
        target = root / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(data)


def commit(root: Path, files: dict[str, bytes]) -> Path:
    """Commit files on top of what is there, in a new repository if there is none."""
    if not (root / ".git").exists():
        root.mkdir(parents=True, exist_ok=True)
        git(root, "init", "--quiet", "--initial-branch", "main")
    write(root, files)
    git(root, "add", "--all")
    git(root, "commit", "--quiet", "--allow-empty", "--message", "state")
    return root


@pytest.fixture(autouse=True)
def no_configuration(monkeypatch: pytest.MonkeyPatch) -> None:
    """Keep the user's own configuration of Git out of a test."""
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", os.devnull)
    monkeypatch.setenv("GIT_CONFIG_NOSYSTEM", "1")
