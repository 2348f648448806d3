"""One text → the Kubernetes objects in it, with positions: Lists are taken apart, templates named and not read."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from generator.finding import Finding, Layer, Location, Severity, error
from generator.frozen import dataclass, field
from generator.manifest import Manifest
from generator.pattern import pattern
from generator.source import Document, Map, Seq, at, parse
from generator.source.reader import lines_of_texts

MAX_BYTES = 64 * 2**20
"""Of one text: a dump of a large cluster is some 20 MB."""

_TYPE = ("apiVersion", "kind")
_NO_TEXT = frozenset({"not-utf-8", "control-character", "too-large"})
_API_VERSION = pattern(rb"""(?m)^["']?apiVersion["']?\s*:""")
_MARK = pattern(r"\{[{%#]")
# a line, item or value that begins as a template's does: braces within texts are common in manifests
_SPEAKS = pattern(r"\s*(?:- +)*(?:[^\s:]+: +)?\{[{%#]")
_SPEAKS_IN_FLOW = pattern(r"(?:[\[{,]|: ) *\{[{%#]")
_OF_TEMPLATES = frozenset({"yaml-syntax", "yaml-key", "yaml-root"})
_NEAR, _LOOKED_AT = 3, 20  # lines up to a defect, and defects, among which a template's line is looked for


@dataclass(slots=True)
class Text:
    """What a text holds, what is wrong with it, and as KIND/NAME the objects within which its reading ended."""

    objects: list[Manifest] = field(default_factory=list)
    findings: list[Finding] = field(default_factory=list)
    unread: list[str] = field(default_factory=list)


def read_text(data: bytes, file: str, *, named: bool = True) -> Text:
    """Return the objects of a text and what is wrong with it.

    `named` says that somebody named the file, rather than that it lies in a folder: there a defective file that speaks
    of no apiVersion is no manifest, of which one info finding tells (Argo CD passes over it in silence).
    """
    documents, problems = parse(data, file, kubernetes=True, limit=MAX_BYTES)
    if _is_template(data, problems):
        return Text([], [template(Location(file), "this is a template, not a manifest")])
    if problems and not named and problems[0].rule not in _NO_TEXT and not _is_manifest(data, documents):
        why, fix = f"it speaks of no apiVersion, and {problems[0].message}", "name the file itself to have it judged"
        return Text([], [no_manifest(problems[0].location, why, fix)])
    objects, others = _objects(documents, problems)
    if named and others and not objects and not problems:
        why, fix = "it has no apiVersion and no kind", "write both, if it is to be one"
        problems.append(no_manifest(at(others[0]), why, fix))
    unread = [_called(document.root) for document in documents if not document.whole]
    return Text(_without_templates(objects, file, problems), problems, unread)


def built_text(data: bytes, file: str) -> tuple[list[Manifest], list[Finding]]:
    """Return the objects of a text that is known for manifests, as what a build makes and is made of is."""
    documents, problems = parse(data, file, kubernetes=True, limit=MAX_BYTES)
    return _objects(documents, problems)[0], problems


def _objects(documents: Sequence[Document], problems: list[Finding]) -> tuple[list[Manifest], list[Map]]:
    """Return the objects of documents, and what is none; where reading ended within one, that alone is told of it."""
    objects, others = [], []
    for document in documents:
        for item in _items(document.root, problems) if document.whole else ():
            if all(isinstance(item.get(key), str) and item[key] for key in _TYPE):
                objects.append(Manifest(item, at(item)))
            else:
                others.append(item)
    # a file without any object is none of manifests, unless it nearly holds one
    nearly = [item for item in others if objects or ("metadata" in item and any(key in item for key in _TYPE))]
    problems += map(_untyped, nearly)
    return objects, others


def template(place: Location, message: str) -> Finding:
    """Return the finding that names a template, or a folder of templates, that is not read."""
    return Finding("template-skipped", Severity.INFO, Layer.INPUT, message, place, "lint what it renders to, as lint -")


def no_manifest(place: Location | None, why: str, fix: str) -> Finding:
    """Return the finding that names a file that is not judged."""
    message = f"passed over as no Kubernetes manifest: {why}"
    return Finding("no-manifest", Severity.INFO, Layer.INPUT, message, place, fix)


def plain(node: Any) -> Any:
    """Return data without positions."""
    if isinstance(node, Map):
        return {key: plain(value) for key, value in node.items()}
    return [plain(value) for value in node] if isinstance(node, Seq) else node


def _is_manifest(data: bytes, documents: Sequence[Document]) -> bool:
    return _API_VERSION.search(data) is not None or any("apiVersion" in document.root for document in documents)


def _is_template(data: bytes, problems: Sequence[Finding]) -> bool:
    """Tell whether a defect stands where a template speaks, rather than a text that holds braces."""
    places = [problem.location for problem in problems if problem.rule in _OF_TEMPLATES and problem.location]
    if not places:
        return False
    text = data.decode(errors="replace")
    within = lines_of_texts(text)
    lines = ["" if number in within else line for number, line in enumerate(text.split("\n"), start=1)]
    first = next((line for line in lines if line.strip()), "")
    places = [place for place in places[:_LOOKED_AT] if place.line <= len(lines)]
    near = (line for place in places for line in lines[max(0, place.line - _NEAR) : place.line])
    own = (lines[place.line - 1] for place in places if place.line)
    return any(map(_SPEAKS.match, (first, *near))) or any(map(_SPEAKS_IN_FLOW.search, own))


def _without_templates(objects: list[Manifest], file: str, findings: list[Finding]) -> list[Manifest]:
    """Leave out objects whose identity is left to a template, and those beside them that hold some of one."""
    if not any(_is_left_open(manifest.body) for manifest in objects):
        return objects
    open_ = {id(manifest) for manifest in objects if _is_left_open(manifest.body) or _holds_mark(manifest.body)}
    if len(open_) == len(objects):
        findings.append(template(Location(file), "this is a template, not a manifest"))
        return []
    said = "this object is a template, not a manifest"
    findings += [template(manifest.origin, said) for manifest in objects if id(manifest) in open_]
    return [manifest for manifest in objects if id(manifest) not in open_]


def _is_left_open(root: Mapping[str, Any]) -> bool:
    metadata = root.get("metadata")
    names = [metadata.get(key) for key in ("name", "namespace")] if isinstance(metadata, Map) else []
    return any(isinstance(text, str) and _MARK.search(text) for text in (*map(root.get, _TYPE), *names))


def _holds_mark(node: Any) -> bool:
    if isinstance(node, Map | Seq):
        return any(map(_holds_mark, node.values() if isinstance(node, Map) else node))
    return isinstance(node, str) and _MARK.search(node) is not None


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


def _called(root: Map) -> str:
    metadata = root.get("metadata")
    names = [metadata.get(key) for key in ("namespace", "name")] if isinstance(metadata, Map) else []
    return "/".join(part for part in (root.get("kind"), *names) if isinstance(part, str))


def _untyped(item: Map) -> Finding:
    lacking = " and ".join(key for key in _TYPE if not isinstance(item.get(key), str) or not item[key])
    like = "this has metadata, as a Kubernetes object has" if "metadata" in item else "this stands among objects"
    message = f"{like}, but {lacking} is missing or no text"
    return error("not-a-manifest", message, at(item), f"write {lacking}", layer=Layer.SCHEMA)
