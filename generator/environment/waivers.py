"""Kind `Waivers`: accepted findings."""

from generator.environment import types as t
from generator.shapes import TypedDict


class Waiver(TypedDict):
    rule: t.Name
    object: t.Line
    reason: t.Prose
    owner: t.Line
    expires: t.Date


class Waivers(TypedDict, total=False):
    waivers: list[Waiver]
