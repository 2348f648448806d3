"""The files with which a forge gates a merge: which `init --ci` writes, and how they are made of scripts."""

from __future__ import annotations

from argparse import ArgumentTypeError
from collections.abc import Iterable
from pathlib import Path

from generator import ISSUES, __version__

_TEMPLATES = Path(__file__).parent.parent / "templates" / "ci"
GITLAB_ENTRY = ".gitlab-ci.yml"
FORGES = {
    "github": {".github/workflows/apportion.yaml": "github.yaml.j2"},
    "gitlab": {GITLAB_ENTRY: "gitlab-ci.yml.j2", ".gitlab/apportion.yaml": "gitlab.yaml.j2"},
    "tekton": {".tekton/apportion.yaml": "tekton.yaml.j2"},
}
_SCRIPTS = ("compare", "comment-on-github", "comment-on-gitlab")


def forges(text: str) -> list[str]:
    """Return the forges of an argument such as github,gitlab; none writes no file.

    Raises:
        ArgumentTypeError: one is not known.
    """
    names = [name.strip() for name in text.split(",")]
    if unknown := [name for name in names if name not in (*FORGES, "none")]:
        raise ArgumentTypeError(f"no such forge: {unknown[0]!r} (known are: {', '.join(FORGES)}, none)")
    return [name for name in names if name != "none"]


def rendered(names: Iterable[str]) -> dict[str, str]:
    """Return path → text of the files of forges.

    Their own syntax has braces, so a template has `[= name =]`; a script stands in a file of its own and is indented.
    """
    import jinja2

    templates = jinja2.Environment(
        loader=jinja2.FileSystemLoader(_TEMPLATES),
        undefined=jinja2.StrictUndefined,
        keep_trailing_newline=True,
        variable_start_string="[=",
        variable_end_string="=]",
        block_start_string="[%",
        block_end_string="%]",
        comment_start_string="[#",
        comment_end_string="#]",
        autoescape=False,  # noqa: S701 - YAML, not HTML, and no word of a user is in it
    )
    values = {name.replace("-", "_"): (_TEMPLATES / f"{name}.sh").read_text("utf-8").rstrip() for name in _SCRIPTS}
    values |= {"version": __version__, "home": ISSUES.removesuffix("/issues")}
    files = {path: template for name in names for path, template in FORGES[name].items()}
    return {path: templates.get_template(template).render(values) for path, template in files.items()}
