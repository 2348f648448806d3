"""`apportion init DIR`: a new repository that compiles, commented so that one learns from it; or a plug-in's image."""

from __future__ import annotations

import os
import sys
from argparse import ArgumentParser, Namespace
from collections.abc import Mapping
from pathlib import Path
from shlex import quote
from typing import Any

from generator import ISSUES, __version__
from generator.commands.answer import answer
from generator.disk import JOURNAL
from generator.environment.load import FOLDER, load
from generator.finding import FatalError, Finding, Severity
from generator.plan.resolve import resolve
from generator.releases import load as releases
from generator.report.text import amount

_TEMPLATES = Path(__file__).parent.parent / "templates"
_FILES = {
    f"{FOLDER}/fleet.yaml": "fleet.yaml",
    f"{FOLDER}/teams.yaml": "teams.yaml",
    f"{FOLDER}/{{name}}/environment.yaml": "environment.yaml",
    f"{FOLDER}/{{name}}/inventory.yaml": "inventory.yaml",
    f"{FOLDER}/{{name}}/quotas.yaml": "quotas.yaml",
    ".gitattributes": "gitattributes",
    ".github/workflows/apportion.yaml": "workflow.yaml",
    ".gitignore": "gitignore",
    ".pre-commit-config.yaml": "pre-commit-config.yaml",
    "README.md": "README.md",
}


def arguments(parser: ArgumentParser) -> None:
    """Declare the folder, and what the first environment is."""
    parser.add_argument("folder", metavar="DIR", help="where; files that are there already are never overwritten")
    parser.add_argument("--name", default="prod", metavar="ENV", help="the environment (default: %(default)s)")
    # the newest releases that are known to work together: Kueue 1.4 starts no TrainJob of any release so far
    for product, default in (("openshift-ai", "3.4"), ("kueue", "1.3"), ("openshift", "4.20"), ("gitops", "1.18")):
        parser.add_argument(f"--{product}", default=default, metavar="RELEASE", help="(default: %(default)s)")
    parser.add_argument(
        "--plugin", action="store_true", help="what the image of Argo CD's plug-in is built of, instead"
    )


def run(options: Namespace) -> int:
    """Write the files, or none of them where one exists or they would not compile as chosen."""
    files = _image() if options.plugin else _rendered(options)
    if errors := [finding for finding in _findings(files) if finding.severity is Severity.ERROR]:
        raise FatalError("; ".join(f.message for f in errors), errors[0].fix)
    folder = Path(options.folder)
    if present := [path for path in files if os.path.lexists(folder / path)]:
        raise FatalError(f"{folder} has {', '.join(present)} already", "move them away, or name another folder")
    try:
        _write(folder, files)
    except OSError as problem:
        raise FatalError(f"cannot write {problem.filename}: {problem.strerror}", "name another folder") from None
    command = f"apportion compile --root {quote(os.fspath(folder))}"
    following = "what the head of Containerfile says" if options.plugin else command
    done = f"{folder}: {amount(len(files), 'file')} written; next: {following}"
    return answer(options, [], sys.stderr, done, {"written": len(files)})


def _image() -> dict[str, str]:
    """Return what the image of Argo CD's plug-in is built of."""
    return {"Containerfile": _render("plugin/Containerfile", {"version": __version__})}


def _rendered(options: Namespace) -> dict[str, str]:
    """Return path below the folder → text."""
    values = {name: getattr(options, name) for name in ("name", "openshift_ai", "kueue", "openshift", "gitops")}
    values |= {"version": __version__, "journal": JOURNAL, "trainer": _has_trainer(options)}
    values["home"] = ISSUES.removesuffix("/issues")
    rendered = {path: _render(f"init/{template}", values) for path, template in _FILES.items()}
    return {path.replace("{name}", options.name): text for path, text in sorted(rendered.items())}


def _render(template: str, values: Mapping[str, Any]) -> str:
    import jinja2

    templates = jinja2.Environment(
        loader=jinja2.FileSystemLoader(_TEMPLATES),
        undefined=jinja2.StrictUndefined,
        keep_trailing_newline=True,
        autoescape=False,  # noqa: S701 - YAML, not HTML; what is not a name or a release is refused below
    )
    return templates.get_template(f"{template}.j2").render(values)


def _has_trainer(options: Namespace) -> bool:
    """Tell whether TrainJobs would work on these releases."""
    release = releases.openshift_ai(options.openshift_ai)
    chosen = {"openshift_ai": options.openshift_ai, "kueue": options.kueue, "openshift": options.openshift}
    known_bad = any(
        advisory.severity == "error"
        and advisory.matches(components=frozenset({"trainer"}), manual=frozenset(), **chosen)
        for advisory in releases.advisories()
    )
    return release is not None and "trainer" in release.components and not known_bad


def _findings(files: Mapping[str, str]) -> list[Finding]:
    """Return what is wrong with the environment as chosen: an unknown release, no name."""
    inputs = {path: text.encode() for path, text in files.items() if path.startswith(f"{FOLDER}/")}
    given, findings = load(inputs)
    for environment in given.environments.values():
        findings += resolve(environment, None)[1]
    return findings


def _write(folder: Path, files: Mapping[str, str]) -> None:
    for path, text in files.items():
        target = folder / path
        target.parent.mkdir(parents=True, exist_ok=True)
        with target.open("x", encoding="utf-8") as new:
            new.write(text)
