"""Patterns behave as compiled expressions, and every one of ours is one: nothing else tells so at the start."""

import importlib
import pkgutil
import re
from typing import Any

import pytest

import generator
from generator.pattern import pattern


def test_it_is_compiled_at_first_use_and_once() -> None:
    found = pattern(r"a+(b)?", re.IGNORECASE)
    match = found.fullmatch("AAb")
    assert match is not None
    assert match.groups() == ("b",)
    assert found.fullmatch == found.fullmatch
    assert (found.sub("x", "aab-a"), found.findall("ab a"), found.split("1aa2")) == ("x-x", ["b", ""], ["1", None, "2"])
    assert found.pattern == "a+(b)?"


def test_a_text_that_is_no_expression() -> None:
    found = pattern("(")
    with pytest.raises(re.error):
        found.match("")


def patterns() -> list[tuple[str, Any]]:
    found = []
    for module in pkgutil.walk_packages(generator.__path__, "generator."):
        if not module.name.endswith("__main__"):
            for name, value in vars(importlib.import_module(module.name)).items():
                if isinstance(value, pattern):  # type: ignore[arg-type]  # a class at run time
                    found.append((f"{module.name}.{name}", value))
    return found


def test_all_of_ours_compile() -> None:
    found = patterns()
    assert len(found) > 40
    for _, value in found:
        value.match(b"" if isinstance(value._text, bytes) else "")
