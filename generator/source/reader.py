"""libyaml's events → Map, Seq and scalars; whatever two readers could take differently becomes a finding."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import islice
from typing import Any, NoReturn

import yaml
from yaml.events import (
    AliasEvent,
    MappingEndEvent,
    MappingStartEvent,
    ScalarEvent,
    SequenceEndEvent,
    SequenceStartEvent,
    StreamEndEvent,
)

from generator.finding import Finding, Location, Related, error
from generator.frozen import replace
from generator.source.nodes import Document, Map, Seq
from generator.source.scalar import RefusedScalarError, Scalar, plain, plain_for_go
from generator.source.syntax import MAX_DEPTH, TOO_DEEP, explain
from generator.source.text import LOST_BY_KUSTOMIZE, MAX_SIZE, UNCARRIABLE, code_point, decode, shown

MAX_DOCUMENTS, MAX_EVENTS = 10_000, 1_000_000
MAX_DUMPED_DOCUMENTS, MAX_DUMPED_EVENTS = 100_000, 4_000_000
"""Of a manifest: what `oc get` prints of 20,000 objects has 1.5 million, and 4 million take a GiB."""
MAX_FINDINGS = 200

_ROOT_FIX = 'begin it with "apiVersion: %s"; a key is followed by ":" and a space'


class _EndOfReadingError(Exception):
    """The file is not read any further; the finding that says why is already recorded."""


def parse(
    text: str | bytes, file: str, *, kubernetes: bool = False, limit: int = MAX_SIZE
) -> tuple[list[Document], list[Finding]]:
    """Return the documents of a file and its defects; with an error, the documents are what could be read.

    Documents without content are left out. A syntax error, and a limit that is passed, end the file. `kubernetes` reads
    as kubectl does, numbers, JSON and byte order marks too, and refuses what kustomize takes for something else.
    """
    decoded = decode(text, file, limit, marked=kubernetes)
    if isinstance(decoded, list):
        return [], decoded
    found = read(decoded, file, kubernetes=kubernetes)
    if kubernetes and found[1] and decoded.lstrip()[:1] == "{":
        from generator.source.json_text import read_json  # rare, and then most is read twice

        return read_json(decoded, file) or found
    return found


def read(text: str, file: str, *, kubernetes: bool) -> tuple[list[Document], list[Finding]]:
    """Return what `parse` does, of a text that is decoded."""
    reader = _Reader(text, file, kubernetes=kubernetes)
    reader.read(text)
    return reader.documents, reader.findings


def events(text: str) -> Iterator[Any]:
    try:
        from yaml._yaml import CParser  # absent where PyYAML was built without libyaml
    except ImportError:
        return _slow_events(text)
    return iter(CParser(text).get_event, None)


def _slow_events(text: str) -> Iterator[Any]:
    try:
        yield from yaml.parse(text, Loader=yaml.SafeLoader)
    except ValueError as problem:  # %YAML 1.999… with more digits than int() takes
        raise yaml.YAMLError(str(problem)) from problem


def lines_of_texts(text: str) -> set[int]:
    """Return the lines, from 1, that block scalars and quotes go on in, as far as the text can be read."""
    found: set[int] = set()
    try:
        for event in events(text):
            if isinstance(event, ScalarEvent) and event.style and event.start_mark and event.end_mark:
                last = event.end_mark.line + (event.style in "'\"")  # a block ends where the next line begins
                found.update(range(event.start_mark.line + 2, last + 1))
    except (yaml.YAMLError, UnicodeDecodeError):
        pass  # what ended the reading is told already
    return found


class _Reader:
    def __init__(self, text: str, file: str, *, kubernetes: bool) -> None:
        self.file, self._kubernetes = file, kubernetes
        self._plain = plain_for_go if kubernetes else plain
        self._uncarriable = LOST_BY_KUSTOMIZE if kubernetes else UNCARRIABLE
        self.documents: list[Document] = []
        self.findings: list[Finding] = []
        self._max_documents = MAX_DUMPED_DOCUMENTS if kubernetes else MAX_DOCUMENTS
        self._max_events = MAX_DUMPED_EVENTS if kubernetes else MAX_EVENTS
        self._next: Callable[[], Any] = islice(events(text), self._max_events).__next__
        self._is_open = False  # the last document: its end was not read
        self._known: set[str] = set()  # plain scalars met before that are text: most of a file is repetition

    def read(self, text: str) -> None:
        try:
            self._stream()
        except _EndOfReadingError:
            return
        except StopIteration:
            message = f"the file holds more than {self._max_events:,} keys, values and brackets"
            self.findings.append(error("too-large", message, Location(self.file), "split it into several files"))
        except yaml.YAMLError as problem:
            self.findings.append(explain(problem, text, self.file))
        except UnicodeDecodeError:  # libyaml lets a tag's %ED%A0%80 through, which is no character
            self.findings.append(error("yaml-tag", "a tag cannot be read", Location(self.file), "remove the tag"))
        finally:
            if self._is_open:
                self.documents[-1] = replace(self.documents[-1], whole=False)

    def _stream(self) -> None:
        self._next()
        count = 0
        while type(event := self._next()) is not StreamEndEvent:
            count += 1
            if count > self._max_documents:
                message = f"the file holds more than {self._max_documents:,} documents"
                self._end("too-large", message, event, "split it into several files")
            self._document(event)

    def _document(self, start: Any) -> None:
        if start.tags or start.version not in (None, (1, 2)):
            self._report("yaml-directive", "%YAML and %TAG lines change how a file is read", start, "remove them")
        root = self._next()
        kind: type = type(root)
        if kind is MappingStartEvent:
            place = (root.start_mark.line + 1, root.start_mark.column + 1)
            mapping = Map(self.file, *place)
            self.documents.append(Document(mapping, self.file, *place))
            self._is_open = True
            self._undecorated(root)
            self._fill_map(mapping, 1)
            self._is_open = False
            self._next()
            return
        self._value(root, 0)
        self._next()  # a syntax error up to here is the better answer
        nothing = ("", "~", "null") if self._kubernetes else ("",)  # kubectl passes over null, we call it a slip
        if kind is ScalarEvent and root.value in nothing and not (root.style or root.tag or root.anchor):
            return
        fix = _ROOT_FIX % ("v1" if self._kubernetes else "apportion.dev/v1")
        self._report("yaml-root", f"the document is {_kind(root)}, not a mapping of keys", root, fix)

    def _value(self, event: Any, depth: int) -> Any:
        kind = type(event)
        if kind is AliasEvent:
            message = f"*{event.anchor} repeats a value from elsewhere; aliases are not read"
            self._report("yaml-anchor", message, event, "write the value out")
            return None
        if event.anchor is not None or event.tag is not None:
            self._undecorated(event)
        if kind is ScalarEvent:
            return self._scalar(event)
        if depth >= MAX_DEPTH:
            self._end("too-deep", TOO_DEEP, event, "flatten them")
        mark = event.start_mark
        if kind is MappingStartEvent:
            mapping = Map(self.file, mark.line + 1, mark.column + 1)
            self._fill_map(mapping, depth + 1)
            return mapping
        sequence = Seq(self.file, mark.line + 1, mark.column + 1)
        self._fill_seq(sequence, depth + 1)
        return sequence

    def _fill_map(self, mapping: Map, depth: int) -> None:
        # Most of a file is text that was met before: it is taken here, without a call, which is a third of the time.
        keys_at, values_at, next_event, known = mapping.keys_at, mapping.values_at, self._next, self._known
        while type(event := next_event()) is not MappingEndEvent:
            key: str | None
            if type(event) is ScalarEvent and event.value in known and event.tag is None and event.anchor is None:
                key = event.value
            else:
                key = self._key(event, depth)
            following = next_event()
            value = following.value if type(following) is ScalarEvent else None
            if value not in known or following.tag is not None or following.anchor is not None:
                value = self._value(following, depth)
            if key is None:
                continue
            if key in mapping:
                self._duplicate(key, mapping, event)
            else:
                mapping[key] = value
                mark = event.start_mark
                keys_at[key] = (mark.line + 1, mark.column + 1)
                mark = following.start_mark
                values_at[key] = (mark.line + 1, mark.column + 1)

    def _fill_seq(self, sequence: Seq, depth: int) -> None:
        items_at, next_event, known = sequence.items_at, self._next, self._known
        while type(event := next_event()) is not SequenceEndEvent:
            value = event.value if type(event) is ScalarEvent else None
            if value not in known or event.tag is not None or event.anchor is not None:
                value = self._value(event, depth)
            sequence.append(value)
            mark = event.start_mark
            items_at.append((mark.line + 1, mark.column + 1))

    def _scalar(self, event: Any) -> Scalar:
        text: str = event.value
        if not event.style:
            try:
                value = self._plain(text)
            except RefusedScalarError as refused:
                self._report(refused.rule, refused.message, event, refused.fix)
                return text
            if value is text and text != "<<":
                self._known.add(text)
            return value
        if event.style == '"' and (found := self._uncarriable.search(text)):
            name = code_point(found[0])
            message = f"{shown(text)} holds control character {name}, which Kubernetes' tools cannot carry"
            self._report("control-character", message, event, "remove the escape")
        return text

    def _key(self, event: Any, depth: int) -> str | None:
        if type(event) is not ScalarEvent:
            if type(event) is not AliasEvent:
                fix = "write a text as key; quote a value that begins with { or ["
                self._report("yaml-key", f"a key is {_kind(event)}, not text", event, fix)
            self._value(event, depth)
            return None
        if event.anchor is not None or event.tag is not None:
            self._undecorated(event)
        return self._new_key(event, event.value)

    def _new_key(self, event: Any, text: str) -> str | None:
        if text == "<<":
            message = "<< merges another mapping into this one for some readers, and is a plain key for others"
            self._report("yaml-merge-key", message, event, "write the entries out")
            return None
        if event.style:
            self._scalar(event)
        elif why := _no_text(text, self._plain):
            if not self._kubernetes or text != _name_for_go(text):
                self._report("yaml-key", why, event, f'quote it: "{text}"' if text else "write the key")
        else:
            self._scalar(event)
        return text

    def _duplicate(self, key: str, mapping: Map, event: Any) -> None:
        first = Location(self.file, *mapping.keys_at[key])
        related = (Related(first, "first given here"),)
        message = f"key {shown(key)} is given twice in one mapping, first in line {first.line}"
        self._report("duplicate-key", message, event, "remove one of the two, or rename it", related)

    def _undecorated(self, event: Any) -> None:
        if event.anchor is not None:
            self._report(
                "yaml-anchor", f"&{event.anchor} names a value for reuse; anchors are not read", event, "remove it"
            )
        if event.tag is not None:
            tag = event.tag.replace("tag:yaml.org,2002:", "!!")
            fix = "remove the tag; quote the value if it must be text"
            self._report(
                "yaml-tag", f"the tag {shown(tag)[1:-1]} asks for a type of its own; tags are not read", event, fix
            )

    def _report(self, rule: str, message: str, event: Any, fix: str, related: tuple[Related, ...] = ()) -> None:
        self.findings.append(error(rule, message, self._place(event), fix, related=related))
        if len(self.findings) == MAX_FINDINGS:
            message = f"the file has {MAX_FINDINGS} errors up to here; the rest of it is not read"
            self._end("too-many-errors", message, event, "correct these first")

    def _end(self, rule: str, message: str, event: Any, fix: str) -> NoReturn:
        self.findings.append(error(rule, message, self._place(event), fix))
        raise _EndOfReadingError

    def _place(self, event: Any) -> Location:
        return Location(self.file, event.start_mark.line + 1, event.start_mark.column + 1)


def _kind(event: Any) -> str:
    kinds = {SequenceStartEvent: "a list", MappingStartEvent: "a mapping", AliasEvent: "an alias"}
    return kinds.get(type(event)) or f"the value {shown(event.value)}"


def _no_text(key: str, read_plain: Callable[[str], Scalar]) -> str | None:
    try:
        value = read_plain(key)
    except RefusedScalarError as refused:
        return f"a key is no text: {refused.message}"
    if isinstance(value, str):
        return None
    if value is None:
        return f"the key {key} is null, not text" if key else 'a key is missing before ":"'
    return f"the key {key} is {'a boolean' if isinstance(value, bool) else 'a number'}, not text"


def _name_for_go(key: str) -> str | None:
    """Return the text that kubectl makes of a key, as 9000 and true are; None for what is none to it.

    Source: sigs.k8s.io/yaml, convertToJSONableObject; a decimal passes through 32 bits there.
    """
    try:
        value = plain_for_go(key)
    except RefusedScalarError:
        return None
    if isinstance(value, bool):
        return str(value).lower()
    if value is None or isinstance(value, str | int):
        return None if value is None else str(value)
    return f"{float(value):g}"
