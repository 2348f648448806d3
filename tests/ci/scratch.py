"""A repository with a branch that is proposed for main, and a machine of CI that checks it: bash, Git, no network."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from generator import __version__
from tests.commands.git import git
from tests.repository import QUOTAS, edit, repository

BIN = Path(sys.executable).parent
SHARE = "h100: { accelerators: 8 }"
_PYTHON = f"""#!/bin/sh
# Stands for a Python of CI: apportion is installed already, and what would install it only has to be pinned.
case "$*" in
  "-m pip install"*"apportion=={__version__}") exit 0 ;;
  "-m venv "*) mkdir -p "$3/bin" && : >"$3/bin/activate" ;;
  *) exec {sys.executable} "$@" ;;
esac
"""


class Scratch:
    """`root` is a clone, on the branch `change`; `origin` is where it came from."""

    def __init__(self, place: Path) -> None:
        self.place, self.root, self.origin = place, place / "clone", place / "origin.git"

    def commit(self, *, compiled: bool = True, message: str = "a change") -> str:
        """Commit all that is there, compiled unless told otherwise, and push it; return the commit."""
        if compiled:
            run(["apportion", "compile", "--quiet"], self.root, {})
        git(self.root, "add", "--all")
        git(self.root, "commit", "--quiet", "--allow-empty", "--message", message)
        git(self.root, "push", "--quiet", "--force", "origin", "HEAD")
        return git(self.root, "rev-parse", "HEAD").strip()

    def share(self, count: int) -> None:
        """Give the training queue of vision so many GPUs."""
        path = self.root / QUOTAS
        git(self.root, "checkout", "--quiet", "origin/main", "--", QUOTAS)
        if count != 8:
            edit(path, SHARE, f"h100: {{ accelerators: {count} }}")

    def base(self) -> str:
        return git(self.root, "merge-base", "origin/main", "HEAD").strip()

    def reset(self) -> None:
        """Take the work tree back to the commit, as a fresh clone has it."""
        git(self.root, "reset", "--quiet", "--hard")
        git(self.root, "clean", "--quiet", "-fdx")


def run(command: list[str], root: Path, variables: dict[str, str]) -> subprocess.CompletedProcess[str]:
    """Run a command as CI would, with these variables and few others."""
    shims = root.parent / "shims"
    environment = {
        "PATH": os.pathsep.join([str(shims), str(BIN), os.environ["PATH"]]),
        "HOME": str(root.parent),
        "GIT_CONFIG_GLOBAL": os.devnull,
        "GIT_CONFIG_NOSYSTEM": "1",
        "LC_ALL": "C.UTF-8",
        "NO_PROXY": "127.0.0.1",
        **variables,
    }
    return subprocess.run(
        command, cwd=root, env=environment, capture_output=True, encoding="utf-8", timeout=120, check=False
    )


@pytest.fixture(scope="session")
def pushed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A repository with the files of all forges, compiled, on main and on the branch `change`."""
    place = tmp_path_factory.mktemp("ci")
    root = repository(place / "clone", ci="github,gitlab,tekton")
    (place / "shims").mkdir()
    for name in ("python", "python3"):
        (place / "shims" / name).write_text(_PYTHON, encoding="utf-8")
        (place / "shims" / name).chmod(0o755)
    git(place, "init", "--quiet", "--bare", "--initial-branch", "main", "origin.git")
    git(root, "init", "--quiet", "--initial-branch", "main")
    git(root, "remote", "add", "origin", "../origin.git")
    made = Scratch(place)
    made.commit()
    git(root, "checkout", "--quiet", "-b", "change")
    return place
