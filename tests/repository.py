"""A small repository that compiles without a finding: the one that `apportion init` writes."""

import shutil
import subprocess
import sys
from pathlib import Path

from generator.cli import main

ENVIRONMENT = "environments/prod/environment.yaml"
QUOTAS = "environments/prod/quotas.yaml"


def repository(root: Path, *, second: str | None = None, ci: str = "github") -> Path:
    """Write it to `root`, with a further environment on another cluster if one is named."""
    assert main(["init", str(root), "--quiet", "--ci", ci]) == 0
    if second is not None:
        shutil.copytree(root / "environments/prod", root / "environments" / second)
        edit(root / "environments" / second / "environment.yaml", "name: prod", f"name: {second}")
        edit(
            root / "environments" / second / "environment.yaml",
            "platform: #",
            f'cluster: {{ server: "https://{second}.example.com:6443" }}\nplatform: #',
        )
    return root


def edit(path: Path, old: str, new: str) -> Path:
    """Replace what stands in a file exactly once."""
    text = path.read_text(encoding="utf-8")
    assert text.count(old) == 1, f"{old!r} stands {text.count(old)} times in {path.name}"
    path.write_text(text.replace(old, new), encoding="utf-8")
    return path


def apportion(*arguments: str, cwd: Path | None = None, env: dict[str, str] | None = None) -> tuple[int, str, str]:
    """Run the command as a process of its own; return exit status, stdout, stderr."""
    command = [sys.executable, "-m", "generator", *arguments]
    done = subprocess.run(command, cwd=cwd, env=env, capture_output=True, encoding="utf-8", timeout=60, check=False)
    return done.returncode, done.stdout, done.stderr


def snapshot(root: Path) -> dict[str, bytes]:
    """Return every file below a folder with its bytes."""
    return {p.relative_to(root).as_posix(): p.read_bytes() for p in sorted(root.rglob("*")) if p.is_file()}
