"""Kind `Fleet`: what all environments share."""

from typing import Literal, NotRequired, Required

from generator.environment import types as t
from generator.shapes import TypedDict


class WorkloadPriority(TypedDict, total=False):
    name: Required[t.Name]
    value: Required[t.Priority]
    description: t.Prose


class Range(TypedDict, total=False):
    min: t.Held
    default: Required[t.Hardware]
    max: t.Hardware


class BytesRange(TypedDict, total=False):
    min: t.HeldBytes
    default: Required[t.Bytes]
    max: t.Bytes


class AcceleratorRange(TypedDict, total=False):
    slice: t.Slice
    min: t.Cards
    default: t.Cards
    max: t.Cards


class Profile(TypedDict, total=False):
    name: Required[t.Name]
    displayName: t.Line
    description: t.Prose
    pool: Required[t.Name]
    queue: Required[t.Name]
    visibleTo: list[Literal["workbench", "model-serving"]]
    scope: Literal["auto", "global", "project"]
    priorityClass: t.Name
    disabled: bool
    cpu: Required[Range]
    memory: Required[BytesRange]
    accelerators: AcceleratorRange


RuntimeNode = TypedDict(
    "RuntimeNode",
    {
        "cpu": Required[t.Hardware],
        "memory": Required[t.Bytes],
        "ephemeral-storage": NotRequired[t.Bytes],
        "accelerators": NotRequired[t.Cards],
        "slices": NotRequired[dict[t.Slice, t.Cards]],
    },
)


class Variable(TypedDict):
    name: t.Line
    value: str


class Runtime(TypedDict, total=False):
    name: Required[t.Name]
    framework: Required[t.LabelValue]
    accelerator: t.Vendor
    image: Required[t.Image]
    pool: t.Name
    nodes: t.Replicas
    perNode: Required[RuntimeNode]
    scope: Literal["global", "project"]
    command: list[str]
    args: list[str]
    env: list[Variable]
    description: t.Prose


class Fleet(TypedDict, total=False):
    priorities: list[WorkloadPriority]
    profiles: list[Profile]
    runtimes: list[Runtime]
    policyParameters: dict[str, t.Parameter]
