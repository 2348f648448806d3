"""What a cohort tree admits, by moving units one at a time: knows limits and owners, and nothing of Kueue's formulas.

Every member owns `nominal` units. A unit may be used by a queue after it has gone up from its owner to a common cohort
and down to the queue: at most `lending_limit` more go up out of a member than come down into it, and at most
`borrowing_limit` more come down than go up. Queues are served as long as some way of moving units serves them all.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Mapping

from generator.plan.capacity import Member, Quota

UNLIMITED = 10**9
SOURCE, SINK = "source", "sink"


class Flows:
    """Units of one resource; `use` asks for one more unit for a queue."""

    def __init__(self, queues: Mapping[str, Member], cohorts: Mapping[str, Member]) -> None:
        self._room: dict[str, dict[str, int]] = {}
        for kind, members in (("q", queues), ("c", cohorts)):
            for name, member in members.items():
                self._add(f"{kind}:{name}", member)

    def use(self, queue: str) -> bool:
        """Admit one more unit of a queue, moving what others use where that helps; False: nothing can serve it."""
        self._edge(f"q:{queue}", SINK, 1)
        way = self._way()
        if way is None:
            self._room[f"q:{queue}"][SINK] -= 1
            return False
        for start, end in way:
            self._room[start][end] -= 1
            self._edge(end, start, 1)
        return True

    def more(self, queue: str) -> int:
        """Return how many more units a queue can use; they are used then."""
        count = 0
        while self.use(queue):
            count += 1
        return count

    def _add(self, node: str, member: Member) -> None:
        (quota,) = member.quotas.values() or (Quota(0),)
        self._edge(SOURCE, node, quota.nominal)
        if member.parent is not None:
            above = f"c:{member.parent}"
            self._edge(node, above, UNLIMITED if quota.lending_limit is None else quota.lending_limit)
            self._edge(above, node, UNLIMITED if quota.borrowing_limit is None else quota.borrowing_limit)

    def _edge(self, start: str, end: str, room: int) -> None:
        self._room.setdefault(start, {}).setdefault(end, 0)
        self._room.setdefault(end, {}).setdefault(start, 0)
        self._room[start][end] += room

    def _way(self) -> list[tuple[str, str]] | None:
        """Return a way with room from the owners' units to a queue that asks for one."""
        before: dict[str, str] = {SOURCE: ""}
        waiting = deque([SOURCE])
        while waiting:
            node = waiting.popleft()
            for end, room in self._room[node].items():
                if room > 0 and end not in before:
                    before[end] = node
                    waiting.append(end)
        return list(_back(before)) if SINK in before else None


def _back(before: Mapping[str, str]) -> Iterable[tuple[str, str]]:
    node = SINK
    while before[node]:
        yield before[node], node
        node = before[node]
