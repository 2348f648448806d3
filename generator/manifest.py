"""One Kubernetes object in canonical key order, and the YAML writer for everything in `output/`.

The writer exists because each library tried writes strings that kubectl and Argo CD read as booleans or numbers
(`1e3`, `0o17`, `on`, `y`). A string is plain only if it matches a whitelist; else it is quoted or a literal block.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from decimal import Decimal
from functools import lru_cache
from json.encoder import encode_basestring
from types import MappingProxyType
from typing import Any

from generator.finding import Location
from generator.frozen import dataclass, field
from generator.pattern import pattern

SYNC_WAVE = "argocd.argoproj.io/sync-wave"

_NO_ORIGINS: Mapping[str, Location] = MappingProxyType({})
_ATOI = pattern(r"[+-]?[0-9]{1,18}")  # as Argo CD reads a wave: strconv.Atoi, and 0 for what it refuses


class Fragment(dict[str, Any]):
    """A mapping that stands in many objects, keys sorted: its text is made once for each depth. Never change one."""

    __slots__ = ("_texts",)

    def __init__(self, content: Mapping[str, Any]) -> None:
        super().__init__(sorted(content.items()))
        self._texts: dict[str, str] = {}

    def text(self, indent: str) -> str:
        """Return the mapping as block lines below `indent`; it may not be empty."""
        known = self._texts.get(indent)
        if known is None:
            lines: list[str] = []
            _mapping(self, indent, indent, lines.append)
            known = self._texts[indent] = "".join(lines)
        return known


@dataclass(slots=True, eq=False)
class Manifest:
    """One Kubernetes object.

    `body` is the whole object: apiVersion, kind, metadata, then the rest as its emitter wrote it. `origin` is the line
    that caused it; `origins` maps path prefixes such as "spec.resourceGroups[0].flavors[1]" to the lines behind them.
    """

    body: dict[str, Any]
    origin: Location
    origins: Mapping[str, Location] = field(default_factory=dict)

    @property
    def api_version(self) -> str:
        return str(self.body["apiVersion"])

    @property
    def kind(self) -> str:
        return str(self.body["kind"])

    @property
    def name(self) -> str:
        return str(self.body["metadata"]["name"])

    @property
    def namespace(self) -> str | None:
        """The namespace; None for a cluster-scoped object."""
        namespace: str | None = self.body["metadata"].get("namespace")
        return namespace

    @property
    def wave(self) -> int:
        """Argo CD's sync wave; 0 without the annotation."""
        annotations = self.body["metadata"].get("annotations")
        text = annotations.get(SYNC_WAVE) if annotations else None
        return 0 if text is None else _wave(str(text))

    def locate(self, path: str) -> Location:
        """Return the origin of the longest known prefix of a path such as "spec.items[0].name", or the object's."""
        end = len(path)
        while end > 0:
            if (found := self.origins.get(path[:end])) is not None:
                return found
            end = max(path.rfind(".", 0, end), path.rfind("[", 0, end))
        return self.origin


def manifest(
    api_version: str,
    kind: str,
    name: str,
    *,
    namespace: str | None = None,
    labels: Mapping[str, str] | None = None,
    annotations: Mapping[str, str] | None = None,
    origin: Location,
    origins: Mapping[str, Location] = _NO_ORIGINS,
    **content: Any,
) -> Manifest:
    """Return an object in canonical key order; `content` is spec, data, rules, … in the order given."""
    metadata: dict[str, Any] = {"name": name}
    if namespace is not None:
        metadata["namespace"] = namespace
    if labels:
        metadata["labels"] = labels if type(labels) is Fragment else dict(sorted(labels.items()))
    if annotations:
        metadata["annotations"] = annotations if type(annotations) is Fragment else dict(sorted(annotations.items()))
    return Manifest({"apiVersion": api_version, "kind": kind, "metadata": metadata, **content}, origin, origins)


def key(manifest: Manifest) -> tuple[int, str, str, str, str]:
    """Return the order of objects in a file: wave, kind, namespace, name; apiVersion only breaks ties."""
    body = manifest.body
    metadata = body["metadata"]
    return (manifest.wave, body["kind"], metadata.get("namespace") or "", metadata["name"], body["apiVersion"])


@lru_cache(maxsize=256)
def _wave(text: str) -> int:
    return int(text) if _ATOI.fullmatch(text) else 0


_WORD = r"[A-Za-z0-9_./@+=-]"
_PLAIN = pattern(rf"[A-Za-z_/]{_WORD}*(?:[ ;,&()|':]{_WORD}+)*")
_RESERVED = frozenset(("y", "n", "yes", "no", "true", "false", "on", "off", "null"))
# Line breaks and non-characters to YAML readers; the rest of Unicode stays raw, for Go refuses surrogate escapes.
_ESCAPED = pattern("[\x7f-\x9f\u2028\u2029\ufeff\ufffe\uffff]")
_NOT_LITERAL = pattern("\\A[ \t\n]|\t\n|[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff\ufeff\ufffe\uffff]")
_MAPPINGS = (dict, Mapping)
_SEQUENCES = (list, tuple)
_INT64 = 2**63
_LONGEST_KEY = 1000  # as written; beyond 1,022 kustomize fails on its own intermediate text, in any style
_MEMO_ENTRIES = 1 << 15
_MEMO_LENGTH = 256

_scalars: dict[str, str] = {}  # strings without line breaks, as written
_keys: dict[str, str] = {}  # the same with a colon


def scalar(text: str) -> str:
    """Return a string as a YAML scalar on one line: plain where every reader takes it for the same string, else quoted.

    Raises:
        ValueError: a lone surrogate, which UTF-8 cannot carry.
    """
    return _scalars.get(text) or _remember(_scalars, text, _quoted(text))


def _quoted(text: str) -> str:
    plain = _PLAIN.fullmatch(text)
    if plain and text.lower() not in _RESERVED:
        return plain[0]  # a str also where text is an enum
    if not text.isascii():
        text.encode()  # UnicodeEncodeError is a ValueError
    return _ESCAPED.sub(lambda match: f"\\u{ord(match[0]):04x}", encode_basestring(text))


def _remember(memo: dict[str, str], text: str, written: str) -> str:
    if len(text) <= _MEMO_LENGTH and "\n" not in text:
        if len(memo) >= _MEMO_ENTRIES:
            memo.clear()
        memo[text] = written
    return written


def dump(value: Mapping[str, Any]) -> str:
    """Return one YAML document in block style, keys in the order given, without `---`, with a newline at its end.

    Raises:
        TypeError: a float (write a Decimal or a string), a key that is no string, or a type that YAML lacks.
        ValueError: an int beyond 64 bits, a Decimal that no double holds, a lone surrogate, the key `<<`, a longer key
            than kustomize can carry.
    """
    if not value:
        return "{}\n"
    lines: list[str] = []
    _mapping(value, "", "", lines.append)
    return "".join(lines)


def dump_all(objects: Iterable[Mapping[str, Any]]) -> str:
    """Return several documents, separated by `---`."""
    return "---\n".join(map(dump, objects))


def _mapping(node: Mapping[str, Any], lead: str, indent: str, write: Callable[[str], None]) -> None:
    """Write a mapping that is not empty; `lead` stands before its first key, `indent` before the others."""
    for key, value in node.items():
        name = _keys.get(key) or _key(key)
        if type(value) is str:
            write(f"{lead}{name} {_scalars.get(value) or _text(value, indent)}\n")
        elif type(value) is Fragment and value:
            write(f"{lead}{name}\n{value.text(f'{indent}  ')}")
        elif value and isinstance(value, _SEQUENCES):
            write(f"{lead}{name}\n")
            _sequence(value, indent, indent, write)
        elif value and isinstance(value, _MAPPINGS):
            write(f"{lead}{name}\n")
            deeper = f"{indent}  "
            _mapping(value, deeper, deeper, write)
        else:
            write(f"{lead}{name} {_atom(value, indent)}\n")
        lead = indent


def _sequence(node: Iterable[Any], lead: str, indent: str, write: Callable[[str], None]) -> None:
    """Write a sequence that is not empty, as kustomize does: its dashes stand below the first letter of its key."""
    deeper = f"{indent}  "
    for value in node:
        if type(value) is str:
            write(f"{lead}- {_scalars.get(value) or _text(value, indent)}\n")
        elif value and isinstance(value, _MAPPINGS):
            _mapping(value, f"{lead}- ", deeper, write)
        elif value and isinstance(value, _SEQUENCES):
            _sequence(value, f"{lead}- ", deeper, write)
        else:
            write(f"{lead}- {_atom(value, indent)}\n")
        lead = indent


def _key(text: object) -> str:
    if not isinstance(text, str):
        raise TypeError(f"a key must be a string, not {text!r}")
    if text == "<<":
        raise ValueError("the key << cannot be written: kustomize takes it for a merge and drops it")
    name = _quoted(text)
    if len(name) > _LONGEST_KEY:
        raise ValueError(f"a key of {len(name)} characters: kustomize cannot carry more than {_LONGEST_KEY}")
    return _remember(_keys, text, f"{name}:")


def _text(text: str, indent: str) -> str:
    """Return a string with line breaks as a literal block below `indent` where that loses nothing, others in line."""
    if "\n" not in text or _NOT_LITERAL.search(text):
        return scalar(text)
    body = text.rstrip("\n")
    chomp = {0: "-", 1: ""}.get(len(text) - len(body), "+")
    lines = text.removesuffix("\n").split("\n")
    return "\n".join((f"|{chomp}", *(f"{indent}  {line}" if line else "" for line in lines)))


def _atom(value: object, indent: str) -> str:
    """Return what stands on one line with its key or dash, or begins there: a scalar or an empty collection."""
    if isinstance(value, str):
        return _text(value, indent)
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int):
        if -_INT64 <= value < _INT64:
            return str(int(value))
        raise ValueError(f"{value} does not fit in 64 bits, and readers would round it")
    if isinstance(value, Decimal):
        return _number(value)
    if isinstance(value, _MAPPINGS):
        return "{}"
    if isinstance(value, _SEQUENCES):
        return "[]"
    raise TypeError(f"cannot write {value!r}, a {type(value).__name__}, as YAML")


def _number(value: Decimal) -> str:
    text = repr(float(value))
    if not value.is_finite() or Decimal(text) != value:
        raise ValueError(f"{value} is no double, and readers would round it")
    return text.removesuffix(".0")
