"""Kind `Inventory`: the node pools of one cluster."""

from typing import Literal, NotRequired, Required

from generator.environment import types as t
from generator.shapes import TypedDict

PerNode = TypedDict(
    "PerNode",
    {
        "accelerators": NotRequired[t.Cards],
        "cpu": Required[t.Hardware],
        "memory": Required[t.Bytes],
        "ephemeral-storage": NotRequired[t.Bytes],
    },
)
Reserved = TypedDict(
    "Reserved",
    {"accelerators": t.Cards, "cpu": t.Held, "memory": t.HeldBytes, "ephemeral-storage": t.HeldBytes},
    total=False,
)


class Reserve(TypedDict, total=False):
    nodes: t.Nodes
    perNode: Reserved


class Taint(TypedDict, total=False):
    key: Required[t.LabelKey]
    value: t.LabelValue
    effect: Required[Literal["NoSchedule", "PreferNoSchedule", "NoExecute"]]


class Mig(TypedDict):
    strategy: Literal["single", "mixed"]
    layout: dict[t.Slice, t.Replicas]


class TimeSlicing(TypedDict, total=False):
    replicas: Required[t.Replicas]
    rename: bool
    failRequestsGreaterThanOne: bool


class Mps(TypedDict, total=False):
    replicas: Required[t.Replicas]
    rename: bool


class Overcommit(TypedDict):
    ratio: t.Ratio
    reason: t.Prose


class Pool(TypedDict, total=False):
    name: Required[t.Name]
    accelerator: t.Name
    nodes: Required[t.Nodes]
    perNode: Required[PerNode]
    reserve: Reserve
    nodeLabels: Required[dict[t.LabelKey, t.LabelValue]]
    taints: list[Taint]
    topology: list[t.LabelKey]
    mig: Mig
    timeSlicing: TimeSlicing
    mps: Mps
    overcommit: Overcommit


class Inventory(TypedDict, total=False):
    pools: list[Pool]
