"""One text → the Kubernetes objects in it, with positions: Lists are taken apart, templates named and not read."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from generator.finding import Finding, Layer, Location, Severity, error
from generator.manifest import Manifest
from generator.pattern import pattern
from generator.source import Document, Map, Seq, at, parse

MAX_BYTES = 64 * 2**20
"""Of one text: a dump of a large cluster is some 20 MB."""

_TYPE = ("apiVersion", "kind")
_NO_TEXT = frozenset({"not-utf-8", "control-character", "too-large"})
_API_VERSION = pattern(rb"apiVersion[\"']?\s*:")
_MARK = pattern(r"\{[{%#]")
# a line, item or value that begins as a template's does: braces within texts are common in manifests
_SPEAKS = pattern(r"\s*(?:- +)*(?:[^\s:]+: +)?\{[{%#]")
_OF_TEMPLATES = frozenset({"yaml-syntax", "yaml-key", "yaml-root"})
_NEAR, _LOOKED_AT = 3, 20  # lines up to a defect, and defects, among which a template's line is looked for


def read_text(data: bytes, file: str, *, named: bool = True) -> tuple[list[Manifest], list[Finding]]:
    """Return the objects of a text and what is wrong with it.

    `named` says that somebody named the file, rather than that it lies in a folder: there a defective file that speaks
    of no apiVersion is no manifest, of which one info finding tells (Argo CD passes over it in silence).
    """
    documents, problems = parse(data, file, kubernetes=True, limit=MAX_BYTES)
    if _is_template(data, documents, problems):
        return [], [template(file, "this is a template, not a manifest")]
    if problems and not named and problems[0].rule not in _NO_TEXT and not _API_VERSION.search(data):
        return [], [_no_manifest(problems[0])]
    objects = []
    for document in documents:
        for item in _items(document.root, problems):
            if all(isinstance(item.get(key), str) and item[key] for key in _TYPE):
                objects.append(Manifest(item, at(item)))
            elif "metadata" in item and any(key in item for key in _TYPE):  # else it is no manifest at all
                problems.append(_untyped(item))
    return objects, problems


def template(path: str, message: str) -> Finding:
    """Return the finding that names a template, or a folder of templates, that is not read."""
    return Finding(
        "template-skipped", Severity.INFO, Layer.INPUT, message, Location(path), "lint what it renders to, as lint -"
    )


def plain(node: Any) -> Any:
    """Return data without positions."""
    if isinstance(node, Map):
        return {key: plain(value) for key, value in node.items()}
    return [plain(value) for value in node] if isinstance(node, Seq) else node


def _is_template(data: bytes, documents: Sequence[Document], problems: Sequence[Finding]) -> bool:
    """Tell whether a defect stands where a template speaks, or an object's identity is left to one."""
    if any(_is_left_open(document.root) for document in documents):
        return True
    places = [problem.location for problem in problems if problem.rule in _OF_TEMPLATES and problem.location]
    if not places:
        return False
    lines = data.decode(errors="replace").split("\n")
    first = next((line for line in lines if line.strip()), "")
    near = (line for place in places[:_LOOKED_AT] for line in lines[max(0, place.line - _NEAR) : place.line])
    return any(map(_SPEAKS.match, (first, *near)))


def _is_left_open(root: Map) -> bool:
    metadata = root.get("metadata")
    names = [metadata.get(key) for key in ("name", "namespace")] if isinstance(metadata, Map) else []
    return any(isinstance(text, str) and _MARK.search(text) for text in (*map(root.get, _TYPE), *names))


def _items(root: Map, findings: list[Finding]) -> Iterator[Map]:
    """Yield the objects of a document: those of a List, also of Lists in it, or the document itself."""
    kind, items = root.get("kind"), root.get("items")
    if kind == "List" and items is None:
        return
    if not isinstance(kind, str) or not kind.endswith("List") or not isinstance(items, Seq):
        if kind == "List":
            message = "the items of a List are no list"
            findings.append(error("not-a-manifest", message, at(root, "items"), "write a list", layer=Layer.SCHEMA))
            return
        yield root
        return
    for index, item in enumerate(items):
        if isinstance(item, Map):
            if kind != "List":
                _complete(item, root, kind)
            yield from _items(item, findings)
        else:
            message = "an item of the list is no Kubernetes object"
            findings.append(error("not-a-manifest", message, at(items, index), "remove it", layer=Layer.SCHEMA))


def _complete(item: Map, root: Map, kind: str) -> None:
    """As the server lists one kind, an item may leave out what all of them have in common."""
    for key, value in (("apiVersion", root.get("apiVersion")), ("kind", kind.removesuffix("List"))):
        if key not in item:
            item[key] = value
            item.keys_at[key] = item.values_at[key] = (item.line, item.column)


def _untyped(item: Map) -> Finding:
    lacking = " and ".join(key for key in _TYPE if not isinstance(item.get(key), str) or not item[key])
    message = f"this has metadata, as a Kubernetes object has, but {lacking} is missing or no text"
    return error("not-a-manifest", message, at(item), f"write {lacking}", layer=Layer.SCHEMA)


def _no_manifest(problem: Finding) -> Finding:
    place = problem.location
    return Finding(
        "no-manifest",
        Severity.INFO,
        Layer.INPUT,
        f"passed over as no Kubernetes manifest: it speaks of no apiVersion, and {problem.message}",
        place,
        "name the file itself to have it judged",
    )
