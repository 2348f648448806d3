"""Kind `Team`: who a team is."""

from __future__ import annotations

from typing import Required

from typing_extensions import TypedDict

from generator.environment import types as t


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
