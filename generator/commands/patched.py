"""What the patches of a kustomization set, and where that is written: in files of their own, or within it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from generator.finding import Location
from generator.frozen import dataclass
from generator.source import Document, Map, Seq, parse
from generator.source.nodes import Place, moved
from generator.validate.paths import Path, render

_KEY = b"patch: "  # of a list of operations, which is no document to us


class Identity(NamedTuple):
    """What an object is to kustomize; of a patch's target "" stands for any."""

    group: str
    kind: str
    namespace: str
    name: str

    def covers(self, other: Identity) -> bool:
        """Tell whether this is a target that `other` belongs to."""
        return all(wanted in ("", found) for wanted, found in zip(self, other, strict=True))


@dataclass(eq=False)
class Patch:
    """A merge patch, or operations of JSON 6902, and whom it concerns."""

    target: Identity
    root: Map | Seq

    @property
    def merges(self) -> bool:
        return isinstance(self.root, Map)


def identity(body: Mapping[str, Any]) -> Identity:
    """Return what an object, or a merge patch that looks like one, is."""
    group, slash, _ = _text(body, "apiVersion").partition("/")
    metadata = body.get("metadata")
    return Identity(group if slash else "", _text(body, "kind"), _text(metadata, "namespace"), _text(metadata, "name"))


def roots(text: bytes, file: str) -> list[Map | Seq]:
    """Return the patches of a text: each a merge patch, or one list of operations."""
    documents, findings = parse(text, file, kubernetes=True)
    if documents or not findings:
        return [document.root for document in documents]
    key = _KEY if text.lstrip()[:1] == b"[" else _KEY.rstrip() + b"\n"
    wrapped = key + (b"#" + text if text.startswith(b"---") else text)
    return [_unwrapped(document, key) for document in parse(wrapped, file, kubernetes=True)[0] if document.whole]


def _unwrapped(document: Document, key: bytes) -> Map | Seq:
    root = document.root.get("patch")
    lines, columns = key.count(b"\n"), 0 if b"\n" in key else len(key)
    moved(root, lambda place: (place[0] - lines, place[1] - (columns if place[0] == 1 else 0)))
    return root if isinstance(root, Seq) else Seq(document.file, document.line, document.column)


def inline(text: str, file: str, place: Place, lines: Sequence[str]) -> list[Map | Seq]:
    """Return the patches that a kustomization holds at a place; of a literal block among its lines each is known."""
    found = roots(text.encode(), file)
    line, column = place
    indent = 0
    is_block = line < len(lines) and lines[line - 1][column - 1 : column] == "|"
    if is_block:
        indent = _indent(lines[line:]) - _indent(text.split("\n"))
    for root in found:
        moved(root, lambda at: (at[0] + line, at[1] + indent) if is_block else place)
    return found


def _indent(lines: Iterable[str]) -> int:
    first = next((line for line in lines if line.strip()), "")
    return len(first) - len(first.lstrip(" "))


def origins(built: Map, source: Map, patches: Iterable[Patch]) -> dict[str, Location]:
    """Return by printed path where patches set what an object has otherwise than its source; the last one counts."""
    found: dict[str, Location] = {}
    for patch in patches:
        for path, place in _of_patch(patch.root, built, source):
            found[render(path)] = place
    return found


def _of_patch(root: Map | Seq, built: Any, source: Any) -> Iterator[tuple[Path, Location]]:
    if isinstance(root, Map):
        yield from _set(root, built, source, ())
        return
    for operation in root:
        if isinstance(operation, Map) and "value" in operation and (path := _pointed(operation, built)):
            here = Location(operation.file, *operation.values_at["value"])
            yield from _entry(operation["value"], _at(built, path), _at(source, path), path, here)


def _pointed(operation: Map, built: Any) -> Path:
    """Return the path of a JSON pointer in an object: an index where there is a list, and its last item for -."""
    path: list[str | int] = []
    for part in _text(operation, "path").split("/")[1:]:
        node = _at(built, path)
        if isinstance(node, Seq):
            path.append(len(node) - 1 if part == "-" else int(part) if part.isdecimal() else -1)
        else:
            path.append(part.replace("~1", "/").replace("~0", "~"))
    return tuple(path)


def _at(node: Any, path: Iterable[str | int]) -> Any:
    for step in path:
        if isinstance(node, Map) and isinstance(step, str):
            node = node.get(step)
        elif isinstance(node, Seq) and isinstance(step, int) and 0 <= step < len(node):
            node = node[step]
        else:
            return None
    return node


def _entry(given: Any, built: Any, source: Any, path: Path, here: Location) -> Iterator[tuple[Path, Location]]:
    if isinstance(given, Map | Seq) and type(given) is type(built):
        if source is None:
            yield path, here
        yield from _set(given, built, source, path)
    elif given is not None and given == built and given != source:
        yield path, here


def _set(given: Map | Seq, built: Any, source: Any, path: Path) -> Iterator[tuple[Path, Location]]:
    """Yield what differs from the source as the patch has it; items of a list belong together by name or by place."""
    if isinstance(given, Map) and isinstance(built, Map):
        for key, value in given.items():
            here = Location(given.file, *given.values_at[key])
            yield from _entry(value, built.get(key), _at(source, [key]), (*path, key), here)
    elif isinstance(given, Seq) and isinstance(built, Seq):
        names = {_text(item, "name"): index for index, item in enumerate(built)}
        for index, value in enumerate(given):
            place = names.get(_text(value, "name") or "\0", index)
            before = _at(source, [place])
            here = Location(given.file, *given.items_at[index])
            yield from _entry(value, _at(built, [place]), before, (*path, place), here)


def _text(node: Any, key: str) -> str:
    found = node.get(key) if isinstance(node, Mapping) else None
    return found if isinstance(found, str) else ""
