"""What a step changes as text: accelerators first, then cores, a few objects, and nothing that drives a terminal."""

from __future__ import annotations

from generator.change.model import ABSENT, AmountChange, Change, FieldChange, Identity, ObjectChange
from generator.quantity import UNIT
from generator.report.changes import MOST_AMOUNTS, MOST_OBJECTS, counted, text

QUEUE = ("kueue.x-k8s.io", "ClusterQueue")


def share(queue: str, pool: str, resource: str, old: int, new: int, team: str | None = "vision") -> AmountChange:
    name = f"{team}-{queue}" if team else queue
    return AmountChange(team, queue, name, pool, resource, resource.endswith("gpu"), old * UNIT, new * UNIT)


def changed(*fields: FieldChange, name: str = "q") -> ObjectChange:
    return ObjectChange("changed", Identity(QUEUE, "", name), "v1", None, fields)


def change(quotas: list[AmountChange], objects: list[ObjectChange], kind: str = "changed") -> Change:
    return Change("prod", kind, tuple(quotas), (), tuple(objects))


def lines(*changes: Change) -> list[str]:
    return text(changes).splitlines()


def test_accelerators_lead_and_cores_stand_for_what_follows() -> None:
    rows = [
        share("a", "h100", "cpu", 8, 16),
        share("a", "h100", "nvidia.com/gpu", 1, 2),
        share("b", "cores", "cpu", 0, 100),
        share("b", "cores", "memory", 0, 5),
        share("c", "cores", "memory", 5, 0, team=None),
    ]
    assert lines(change(rows, [])) == [
        "prod: guaranteed",
        "  vision/a h100   nvidia.com/gpu  1 ->   2    +1",
        "  vision/b cores  cpu             0 -> 100  +100",
        "  c cores         memory          5 ->   0    -5",
        "prod: no object",
        "",
    ]


def test_a_few_of_many() -> None:
    rows = [share(f"q{n:02}", "h100", "nvidia.com/gpu", 1, 2) for n in range(MOST_AMOUNTS + 1)]
    objects = [changed(name=f"q{n:02}") for n in range(MOST_OBJECTS + 2)]
    told = lines(change(rows, objects))
    assert [line for line in told if "…" in line] == ["  … and 1 more", "  … and 2 more"]
    assert len(told) == 1 + MOST_AMOUNTS + 1 + 1 + MOST_OBJECTS + 1 + 1


def test_the_first_field_is_one_of_accelerators() -> None:
    cores = FieldChange("spec.resources[name=cpu].nominalQuota", "8", "16")
    cards = FieldChange("spec.resources[name=nvidia.com/gpu].nominalQuota", "1", "2")
    assert lines(change([], [changed(cores, cards)]))[1:2] == [
        "  ~ ClusterQueue q: spec.resources[name=nvidia.com/gpu].nominalQuota 1 -> 2, 1 more field"
    ]


def test_values_are_short_and_drive_no_terminal() -> None:
    field = FieldChange("spec.x", ABSENT, ["\x1b[31m" + "a" * 99])
    (line,) = lines(change([], [changed(field)]))[1:2]
    assert line.startswith('  ~ ClusterQueue q: spec.x (none) -> ["')
    assert "\x1b" not in line
    assert line.endswith("…")


def test_last_lines() -> None:
    one = change([], [changed(), ObjectChange("created", Identity(QUEUE, "", "n"), "v1", None)])
    assert counted([one]) == "prod changes: 1 object created, 1 changed"
    assert counted([one, one]) == "2 environments change: 2 objects created, 2 changed"
    assert lines(change([], [changed()], "removed"))[0] == "prod is removed: 1 object changed"


def test_colours_are_for_terminals() -> None:
    assert "\x1b[33m  ~ ClusterQueue q\x1b[0m" in text([change([], [changed()])], colour=True)
