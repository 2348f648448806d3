"""What the documentation says is true: links, commands, examples, fields; and what the repository never holds."""

import argparse
import json
import re
import shlex
import subprocess
import typing
from collections.abc import Iterator
from functools import cache
from importlib import import_module
from pathlib import Path

import pytest

from generator import __version__
from generator.cli import main
from generator.commands import COMMANDS
from generator.environment.validate import KINDS
from generator.releases import load as releases
from generator.report import FORMATS
from generator.shapes import hints, is_shape

ROOT = Path(__file__).parents[1]
README, GUIDE = ROOT / "README.md", ROOT / "docs" / "user-guide.md"
DOCS = sorted([*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md")])
ADRS = sorted(ROOT.glob("docs/adr/0*.md"))
SECTIONS = ["Context", "Decision", "Consequences", "Refused"]

_LINK = re.compile(r"\[[^\]]*\]\(([^)\s]+)\)")
_FENCE = re.compile(r"^```(\w*)\n(.*?)^```$", re.DOTALL | re.MULTILINE)
_MARKED = re.compile(
    r"^<!-- (?P<what>\w+)(?:: (?P<path>\S+))? -->\n```\w*\n(?P<text>.*?)^```$", re.DOTALL | re.MULTILINE
)
_INLINE = re.compile(r"`(apportion [^`]+)`")


def named(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


def prose(path: Path) -> str:
    """Return the text outside of code blocks."""
    return _FENCE.sub("", path.read_text(encoding="utf-8"))


def anchors(path: Path) -> set[str]:
    """Return the anchors of a page's headings, as GitHub makes them."""
    headings = re.findall(r"^#+ (.+)$", prose(path), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


def marked(path: Path, what: str) -> list[tuple[str, str]]:
    """Return path and text of the code blocks below `<!-- what: path -->`."""
    found = _MARKED.finditer(path.read_text(encoding="utf-8"))
    return [(block["path"] or "", block["text"]) for block in found if block["what"] == what]


def commands(path: Path) -> Iterator[str]:
    """Yield every `apportion …` that a page shows, with lines that end in a backslash joined."""
    text = path.read_text(encoding="utf-8")
    for _, block in _FENCE.findall(text):
        yield from (line for line in block.replace("\\\n", " ").splitlines() if line.startswith("apportion "))
    yield from (line for line in _INLINE.findall(text) if len(line.split()) > 2)  # else it only names the command


@pytest.mark.parametrize("path", DOCS, ids=named)
def test_links_resolve(path: Path) -> None:
    broken = []
    for target in _LINK.findall(prose(path)):
        if target.startswith("https://"):
            continue
        file, _, anchor = target.partition("#")
        page = path.parent / file if file else path
        if not page.exists() or (anchor and anchor not in anchors(page)):
            broken.append(target)
    assert broken == []


@pytest.mark.parametrize("path", [README, GUIDE], ids=named)
def test_commands_parse(path: Path) -> None:
    named_there = {word for line in _INLINE.findall(path.read_text(encoding="utf-8")) for word in line.split()[1:2]}
    assert named_there == set(COMMANDS)
    for line in commands(path):
        parse(shlex.split(line.partition(">")[0], comments=True)[1:])


def parse(arguments: list[str]) -> None:
    """Parse a command line as `main` would, without running it."""
    from generator.cli import _common_options

    parser = argparse.ArgumentParser(exit_on_error=False, allow_abbrev=False)
    import_module(f"generator.commands.{arguments[0]}").arguments(parser)
    _common_options(parser)
    try:
        parser.parse_intermixed_args(arguments[1:])
    except SystemExit:
        pytest.fail(f"apportion {' '.join(arguments)} does not parse")


def test_the_readme_lists_every_command() -> None:
    listed = re.findall(r"^\| `apportion (\w+)", README.read_text(encoding="utf-8"), re.MULTILINE)
    assert listed == list(COMMANDS)


def test_the_readme_s_example_gives_what_it_says(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    [(path, text)] = marked(README, "example")
    assert len(text.splitlines()) <= 30
    place(tmp_path, path, text)
    assert main(["compile", "--root", str(tmp_path)]) == 0
    assert capsys.readouterr().err == marked(README, "answer")[0][1]
    [(path, excerpt)] = marked(README, "excerpt")
    assert excerpt in (tmp_path / path).read_text(encoding="utf-8")


def test_the_guide_s_examples_are_a_repository(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    files = marked(GUIDE, "file")
    kinds = {kind for _, text in files for kind in re.findall(r"^kind: (\w+)$", text, re.MULTILINE)}
    assert kinds >= set(KINDS)
    for path, text in files:
        place(tmp_path, path, text)
    assert main(["compile", "--root", str(tmp_path), "--as-of", "2026-12-01"]) == 0  # its override and waiver hold
    assert capsys.readouterr().err.startswith("output/: ")
    assert 'vision: "vision-dev, vision-train"' in (tmp_path / "output/overlays/prod/extra/resources.yaml").read_text()


def place(root: Path, path: str, text: str) -> None:
    target = root / path
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_text(text, encoding="utf-8")


@pytest.mark.parametrize("kind", KINDS)
def test_the_guide_names_every_field(kind: str) -> None:
    described = words(kind)
    if kind == "Environment":
        described |= words("Quotas")  # kueue.defaultQueue holds shares
    assert sorted(fields(KINDS[kind]) - described) == []


def words(kind: str) -> set[str]:
    """Return what stands in backticks in a kind's section, its example left out."""
    [section] = re.findall(rf"^### {kind}\n(.*?)(?=^##)", prose(GUIDE), re.DOTALL | re.MULTILINE)
    return set(re.findall(r"[\w-]+", " ".join(re.findall(r"`([^`]+)`", section))))


def fields(shape: object) -> set[str]:
    """Return the keys of a kind and of all its parts."""
    keys: set[str] = set()
    if is_shape(shape):
        keys |= hints(shape).keys()
        for inner in hints(shape).values():
            keys |= fields(inner)
    for inner in typing.get_args(shape):
        keys |= fields(inner)
    return keys


def test_the_guide_names_every_operator() -> None:
    text = GUIDE.read_text(encoding="utf-8")
    assert [id_ for id_ in releases.operator_ids() if f"`{id_}`" not in text] == []


def test_the_guide_names_every_format() -> None:
    assert f"`--format {'|'.join(FORMATS)}`" in GUIDE.read_text(encoding="utf-8")


def test_the_guide_s_json_is_json() -> None:
    blocks = [text for kind, text in _FENCE.findall(GUIDE.read_text(encoding="utf-8")) if kind == "json"]
    change = ["environment", "change", "quotas", "cohorts", "pools", "objects"]
    assert [list(json.loads(block)) for block in blocks] == [change, ["yaml.schemas"]]


@pytest.mark.parametrize("path", ADRS, ids=named)
def test_a_decision_has_its_parts(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    number = path.name[:4]
    assert re.match(rf"# {number} \S.*\n\nStatus: (proposed|accepted|replaced by \d{{4}})\.", text)
    assert re.findall(r"^## (.+)$", text, re.MULTILINE) == SECTIONS
    assert len(text.splitlines()) <= 60


def test_decisions_are_numbered_and_listed() -> None:
    assert [path.name[:4] for path in ADRS] == [f"{n:04}" for n in range(1, len(ADRS) + 1)]
    listed = re.findall(r"\((0[^)]+)\) \| .+ \| (\w+)", (ROOT / "docs/adr/README.md").read_text(encoding="utf-8"))
    assert listed == [(path.name, re.findall(r"Status: (\w+)", path.read_text())[0]) for path in ADRS]


def test_the_changelog_names_this_version() -> None:
    versions = re.findall(r"^## \[(.+?)\] - (.+)$", (ROOT / "CHANGELOG.md").read_text(encoding="utf-8"), re.MULTILINE)
    assert versions[0][0] == __version__
    assert all(re.fullmatch(r"unreleased|\d{4}-\d{2}-\d{2}", date) for _, date in versions)


@cache
def tracked() -> list[Path]:
    """Return the files that Git knows; none in a copy without Git."""
    if not (ROOT / ".git").exists():
        pytest.skip("not a Git clone")
    done = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, encoding="utf-8", check=True)
    return [path for name in done.stdout.split("\0") if name and (path := ROOT / name).is_file()]


# Split, so that this file does not hold what it looks for.
_REGISTRIES = ("pythonhosted" + r"\.org", "pypi" + r"\.org/simple", "registry" + r"\.npmjs", "proxy" + r"\.golang")
_SECRETS = ("-----BEGIN [A-Z ]*PRIVATE " + "KEY", r"\bgh[pousr]_\w{36}", r"\bAKIA[0-9A-Z]{16}\b", r"\bxox[abp]-\d{6}")


@pytest.mark.parametrize(
    ("what", "pattern"),
    [
        ("a registry's host", "|".join(_REGISTRIES)),
        (
            "a path of this machine",
            rf"{re.escape(str(ROOT))}\b|{re.escape(str(ROOT.parent))}/shared\b|/(?:home|Users)/(?!argocd/cmp-server|mpiuser/)\w+/",
        ),
        ("what looks like a secret", "|".join(_SECRETS)),
    ],
    ids=lambda value: value if " " in value else "",
)
def test_the_repository_holds_no(what: str, pattern: str) -> None:
    forbidden = re.compile(pattern)
    found = []
    for path in tracked():
        text = path.read_bytes().decode(errors="replace")
        found += [f"{named(path)}: {hit[0]}" for hit in forbidden.finditer(text)]
    assert found == [], what
