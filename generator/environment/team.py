"""Kind `Team`: who a team is."""

from typing import Required

from generator.environment import types as t
from generator.shapes import TypedDict


class Subjects(TypedDict, total=False):
    groups: list[t.Subject]
    users: list[t.Subject]


class Team(TypedDict, total=False):
    name: Required[t.Name]
    displayName: t.Line
    contact: t.Line
    costCenter: t.Line
    admins: Subjects
    members: Subjects
    viewers: Subjects
