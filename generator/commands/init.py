"""`apportion init DIR`: a new repository that compiles, commented so that one learns from it; or a part of one."""

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
from generator.commands.ci_files import GITLAB_ENTRY, forges, rendered
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
    ".gitignore": "gitignore",
    ".pre-commit-config.yaml": "pre-commit-config.yaml",
    "README.md": "README.md",
}


def arguments(parser: ArgumentParser) -> None:
    """Declare the folder, what the first environment is, and which forges run CI."""
    parser.add_argument("folder", metavar="DIR", help="where; files that are there already are never overwritten")
    parser.add_argument("--name", default="prod", metavar="ENV", help="the environment (default: %(default)s)")
    # the newest releases that are known to work together: Kueue 1.4 starts no TrainJob of any release so far
    for product, default in (("openshift-ai", "3.4"), ("kueue", "1.3"), ("openshift", "4.20"), ("gitops", "1.18")):
        parser.add_argument(f"--{product}", default=default, metavar="RELEASE", help="(default: %(default)s)")
    parser.add_argument(
        "--ci",
        metavar="FORGE",
        type=forges,
        action="extend",
        help="files for CI: github, gitlab, tekton or none; more than one may be given (default: github)",
    )
    parser.add_argument("--only-ci", action="store_true", help="no more than these files, for a repository that exists")
    parser.add_argument(
        "--plugin", action="store_true", help="what the image of Argo CD's plug-in is built of, instead"
    )


def run(options: Namespace) -> int:
    """Write the files, or none of them where one exists or they would not compile as chosen."""
    folder = Path(options.folder)
    if options.plugin:
        return _image(options, folder)
    files = rendered(["github"] if options.ci is None else options.ci)
    if options.only_ci:
        return _only_ci(options, folder, files)
    files = dict(sorted((files | _rendered(options)).items()))
    if errors := [finding for finding in _findings(files) if finding.severity is Severity.ERROR]:
        raise FatalError("; ".join(f.message for f in errors), errors[0].fix)
    _write_new(folder, files)
    done = f"{_written(folder, files)}; next: apportion compile --root {quote(os.fspath(folder))}"
    return answer(options, [], sys.stderr, done, {"written": len(files)})


def _image(options: Namespace, folder: Path) -> int:
    """Write what the image of Argo CD's plug-in is built of."""
    files = {"Containerfile": _render("plugin/Containerfile", {"version": __version__})}
    _write_new(folder, files)
    done = f"{_written(folder, files)}; next: what the head of Containerfile says"
    return answer(options, [], sys.stderr, done, {"written": len(files)})


def _only_ci(options: Namespace, folder: Path, files: dict[str, str]) -> int:
    """Write files for CI into a repository that exists; GitLab's own file may be there, and stays as it is."""
    if not (folder / FOLDER).is_dir():
        raise FatalError(f"{folder} has no folder {FOLDER}/", "leave out --only-ci to begin a repository")
    done = ""
    if GITLAB_ENTRY in files and os.path.lexists(folder / GITLAB_ENTRY):
        done = (
            f"; next: add to {GITLAB_ENTRY} what includes .gitlab/apportion.yaml:\n{files.pop(GITLAB_ENTRY)}".rstrip()
        )
    _write_new(folder, files)
    return answer(options, [], sys.stderr, _written(folder, files) + done, {"written": len(files)})


def _written(folder: Path, files: Mapping[str, str]) -> str:
    return f"{folder}: {amount(len(files), 'file')} written"


def _write_new(folder: Path, files: Mapping[str, str]) -> None:
    """Write the files, or none where one is there."""
    if present := [path for path in files if os.path.lexists(folder / path)]:
        fix = "move them away, or name another folder; --only-ci adds CI to a repository that exists"
        raise FatalError(f"{folder} has {', '.join(present)} already", fix)
    try:
        _write(folder, files)
    except OSError as problem:
        raise FatalError(f"cannot write {problem.filename}: {problem.strerror}", "name another folder") from None


def _rendered(options: Namespace) -> dict[str, str]:
    """Return path below the folder → text."""
    values = {name: getattr(options, name) for name in ("name", "openshift_ai", "kueue", "openshift", "gitops")}
    values |= {"journal": JOURNAL, "trainer": _has_trainer(options)}
    values["home"] = ISSUES.removesuffix("/issues")
    texts = {path: _render(f"init/{template}", values) for path, template in _FILES.items()}
    return {path.replace("{name}", options.name): text for path, text in texts.items()}


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
