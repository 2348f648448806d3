"""Kind `Waivers`: accepted findings."""

from __future__ import annotations

from typing_extensions import TypedDict

from generator.environment import types as t


class Waiver(TypedDict):
    rule: t.Name
    object: t.Line
    reason: t.Prose
    owner: t.Line
    expires: t.Date


class Waivers(TypedDict, total=False):
    waivers: list[Waiver]
