"""`apportion crds import PATH…`: keep the CRDs of one's own cluster, so that objects are judged by them."""

from __future__ import annotations

import json
import os
import sys
from argparse import ArgumentParser, Namespace
from collections.abc import Mapping
from pathlib import Path

from generator.commands import manifests
from generator.commands.answer import answer
from generator.commands.crd_files import SUFFIX, schemas_of
from generator.commands.owners import has_errors
from generator.commands.read import find_root, read
from generator.environment.load import CRDS, FOLDER, load
from generator.finding import FatalError, Finding, error, in_order
from generator.frozen import dataclass, replace
from generator.report.text import amount, counted
from generator.schemas.crds import file_name
from generator.schemas.schema import Schema, dump
from generator.spelling import remedy
from generator.validate.kinds import DEFINITION, kind_of


def arguments(parser: ArgumentParser) -> None:
    """Declare what to import, and for which environment."""
    parser.add_argument("action", choices=("import",), metavar="import", help="what to do")
    parser.add_argument("paths", nargs="+", metavar="PATH", help="file, folder or -, such as oc get crd -o yaml prints")
    parser.add_argument("--env", metavar="ENV", help="only this environment (default: all of them)")


def run(options: Namespace) -> int:
    """Store the CRDs below environments/, or none of them where one is broken; findings go to stdout."""
    root = find_root(options.root)
    folder = _folder(root, options.env)
    texts, findings = _read(options.paths)
    if has_errors(findings):
        return answer(options, findings, sys.stdout, f"{counted(findings)}; nothing stored")
    change = store(folder, texts)
    line = f"{amount(len(texts), 'version')} in {folder.relative_to(root).as_posix()}/: {change.summary()}"
    numbers = {name: len(getattr(change, name)) for name in ("added", "replaced", "unchanged", "removed")}
    return answer(options, findings, sys.stdout, "\n".join([*change.lines(), line]), numbers)


def _folder(root: Path, environment: str | None) -> Path:
    home = root / FOLDER
    if environment is not None:
        files, _ = read(root)
        folders = {name: folder for folder, name in load(files)[0].folders.items()}
        if environment not in folders:
            raise FatalError(f"unknown environment {environment}", remedy(environment, folders))
        home /= folders[environment]
    folder = home / CRDS
    if os.path.realpath(folder) != os.path.join(os.path.realpath(home), CRDS):  # noqa: PTH118 - of two real paths
        raise FatalError(f"{folder} is a link", "make it a folder")
    return folder


def _read(paths: list[str]) -> tuple[dict[str, str], list[Finding]]:
    """Return the files to store, by name, and what is wrong with the CRDs."""
    findings: list[Finding] = []
    definitions = []
    for path in paths:
        found = manifests.read(path)
        findings += found.findings
        definitions += [manifest for manifest in found.objects if kind_of(manifest.body) == DEFINITION]
    schemas, wrong = schemas_of(definitions)
    findings += wrong
    if not definitions and not has_errors(findings):
        message = f"there is no {DEFINITION[1]} in {', '.join(paths)}"
        findings.append(error("no-crd", message, None, "name what oc get crd -o yaml prints"))
    return {file_name(schema): dump(_sorted(schema)) for schema in schemas.values()}, in_order(findings)


def _sorted(schema: Schema) -> Schema:
    """Return a schema whose text does not depend on the order in which somebody wrote its keys."""
    return replace(schema, structure=json.loads(json.dumps(schema.structure, sort_keys=True)))


@dataclass(frozen=True, slots=True)
class Change:
    """What an import does to the stored files, by name."""

    added: list[str]
    replaced: list[str]
    unchanged: list[str]
    removed: list[str]

    def lines(self) -> list[str]:
        """Return a line for each file that changes."""
        done = (("added", self.added), ("replaced", self.replaced), ("removed", self.removed))
        return [f"{what} {name}" for what, names in done for name in names]

    def summary(self) -> str:
        """Return how many files come, change, stay and go."""
        said = f"{len(self.added)} added, {len(self.replaced)} replaced, {len(self.unchanged)} unchanged"
        return f"{said}, {len(self.removed)} no longer served and removed" if self.removed else said


def store(folder: Path, texts: Mapping[str, str]) -> Change:
    """Store compact schemas by file name; versions of their kinds that are no longer served are removed.

    All files are written beside the stored ones before the first takes its place: each is old or new, never half.

    Raises:
        FatalError: the folder cannot be written.
    """
    from tempfile import TemporaryDirectory

    try:
        folder.mkdir(exist_ok=True)
        change = _change(folder, texts)
        fresh = (*change.added, *change.replaced)
        with TemporaryDirectory(dir=folder, prefix=".import-") as beside:
            for name in fresh:
                (Path(beside) / name).write_text(texts[name], encoding="utf-8")
            for name in fresh:
                (Path(beside) / name).replace(folder / name)
        for name in change.removed:
            (folder / name).unlink()
    except OSError as problem:
        raise FatalError(f"cannot write {folder}: {problem.strerror}", "make it a folder that can be written") from None
    return change


def _change(folder: Path, texts: Mapping[str, str]) -> Change:
    kinds = {name.rpartition("_")[0] for name in texts}
    there = {path.name: path for path in folder.glob(f"*{SUFFIX}")}
    same = {name for name in texts.keys() & there.keys() if there[name].read_bytes() == texts[name].encode()}
    return Change(
        sorted(texts.keys() - there.keys()),
        sorted((texts.keys() & there.keys()) - same),
        sorted(same),
        sorted(name for name in there.keys() - texts.keys() if name.rpartition("_")[0] in kinds),
    )
