"""Equal parts of a schema are kept once, and read back as the same object."""

from __future__ import annotations

from typing import Any

from generator.schemas.schema import Schema, dump, parse
from generator.schemas.sharing import fold

LONG = {"type": "string", "pattern": "^" + "a?" * 60 + "$"}
POD = {"type": "object", "properties": {"a": LONG, "b": LONG, "c": {"type": "string"}}}
STRUCTURE: dict[str, Any] = {
    "type": "object",
    "properties": {
        "x": POD,
        "y": {"type": "array", "items": POD},
        "z": {"type": "object", "additionalProperties": LONG},
    },
}


def test_equal_parts_become_one_object_after_the_parts_within_it() -> None:
    folded, shared = fold(STRUCTURE)
    assert folded == STRUCTURE
    assert shared == [LONG, POD]
    assert folded["properties"]["x"] is folded["properties"]["y"]["items"]
    assert folded["properties"]["x"]["properties"]["a"] is folded["properties"]["z"]["additionalProperties"]


def test_what_is_written_is_read_back() -> None:
    text = dump(Schema("example.com", "Thing", "v1", True, True, STRUCTURE))
    read = parse(text)
    assert read.structure == STRUCTURE
    assert list(read.shared) == [LONG, POD]
    assert text.count(LONG["pattern"]) == 1
    assert dump(read) == text
