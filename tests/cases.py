"""Cases of tests/bad: one text that says how an input repository differs from the default one.

The format is in tests/bad/README.md.
"""

from __future__ import annotations

import itertools
import shutil
from dataclasses import dataclass, field
from pathlib import Path

FOLDER = Path(__file__).with_name("bad")
DEFAULT = FOLDER / "_default"
_MARK = "### "


@dataclass
class Case:
    """The sections of one case, and the options that `apportion check` gets beside its own."""

    options: list[str] = field(default_factory=list)
    sections: list[tuple[str, str, str]] = field(default_factory=list)  # verb, path, body

    def write(self, root: Path) -> None:
        """Write the repository of this case: the default one, with the files that the sections change."""
        shutil.copytree(DEFAULT, root, dirs_exist_ok=True)
        for verb, path, body in self.sections:
            target = root / path
            target.parent.mkdir(parents=True, exist_ok=True)
            if verb == "remove":
                target.unlink()
            elif verb == "change":
                target.write_text(changed(target.read_text(), body))
            else:
                target.write_bytes(body.encode() if verb == "file" else _unescaped(body))


def parse(text: str) -> Case:
    """Return the case that a text describes; what stands before the first section is for its reader."""
    case, lines = Case(), text.splitlines(keepends=True)
    heads = [(n, line) for n, line in enumerate(lines) if line.startswith(_MARK)]
    ends = [n for n, _ in heads[1:]] + [len(lines)]
    for (start, head), end in zip(heads, ends, strict=True):
        verb, _, rest = head.removeprefix(_MARK).strip().partition(" ")
        body = "".join(lines[start + 1 : end])
        if verb == "options":
            case.options = rest.split()
        elif verb in ("file", "bytes", "change", "remove"):
            case.sections.append((verb, rest, body))
        else:
            raise ValueError(f"no such section: {head.strip()}")
    return case


def changed(text: str, changes: str) -> str:
    """Return text with lines replaced: each run of `-` lines, which must be in it once, by the `+` lines after it.

    `+` lines without `-` lines before them go to the end.
    """
    old: list[str] = []
    runs = itertools.groupby(changes.splitlines(keepends=True), key=lambda line: line[:1])
    for sign, run in runs:
        lines = [line[1:] for line in run]
        if sign == "-":
            old = lines
        elif sign == "+":
            text = _replaced(text, "".join(old), "".join(lines))
            old = []
        else:
            raise ValueError(f"a change is made of - and + lines: {lines[0]!r}")
    return _replaced(text, "".join(old), "")


def _replaced(text: str, old: str, new: str) -> str:
    if not old:
        return text + new
    if text.count(old) != 1:
        raise ValueError(f"stands {text.count(old)} times in the default file:\n{old}")
    return text.replace(old, new)


def _unescaped(body: str) -> bytes:
    r"""Return the bytes of a text that writes some of them as \r, \t, \x00; its line ends count for nothing."""
    return "".join(body.splitlines()).encode("ascii").decode("unicode_escape").encode("latin-1")
