"""Kind `Quotas`: cohorts, and what each team gets of the pools."""

from typing import Literal, NotRequired, Required

from generator.environment import types as t
from generator.shapes import TypedDict

Share = TypedDict(
    "Share",
    {
        "accelerators": t.Guarantee,
        "slices": dict[t.Slice, t.Guarantee],
        "cpu": t.Divisible,
        "memory": t.DivisibleBytes,
        "ephemeral-storage": t.DivisibleBytes,
        "borrow": t.Borrow,
        "lend": t.Lend,
    },
    total=False,
)


class Cohort(TypedDict, total=False):
    name: Required[t.Name]
    parent: t.Name
    fairShareWeight: t.Weight
    quota: dict[t.Name, Share]


class ClaimSize(TypedDict, total=False):
    min: t.Bytes
    max: t.Bytes


class LimitRange(TypedDict, total=False):
    persistentVolumeClaim: ClaimSize


class Namespace(TypedDict, total=False):
    name: Required[t.Name]
    defaultQueue: t.Name
    displayName: t.Line
    limitRange: LimitRange
    resourceQuota: dict[str, t.Held]


class BorrowWithinCohort(TypedDict, total=False):
    policy: Literal["Never", "LowerPriority"]
    maxPriorityThreshold: t.Priority


class Preemption(TypedDict, total=False):
    withinClusterQueue: Literal["Never", "LowerPriority", "LowerOrNewerEqualPriority"]
    reclaimWithinCohort: Literal["Never", "LowerPriority", "Any"]
    borrowWithinCohort: BorrowWithinCohort


class FlavorFungibility(TypedDict, total=False):
    whenCanBorrow: Literal["Borrow", "MayStopSearch", "TryNextFlavor"]
    whenCanPreempt: Literal["Preempt", "MayStopSearch", "TryNextFlavor"]
    preference: Literal["BorrowingOverPreemption", "PreemptionOverBorrowing"]


class Queue(TypedDict, total=False):
    name: Required[t.Name]
    use: t.Preset
    namespaces: list[t.Name]
    quota: dict[t.Name, Share]
    preemption: Preemption
    queueingStrategy: Literal["BestEffortFIFO", "StrictFIFO"]
    flavorFungibility: FlavorFungibility
    fairShareWeight: t.Weight
    stopPolicy: Literal["None", "Hold", "HoldAndDrain"]
    admissionChecks: list[t.ObjectName]


class TeamQuota(TypedDict, total=False):
    team: Required[t.Name]
    cohort: t.Name
    namespaces: list[Namespace]
    queues: list[Queue]


Amounts = TypedDict(
    "Amounts",
    {
        "accelerators": NotRequired[t.Cards],
        "slices": NotRequired[dict[t.Slice, t.Cards]],
        "cpu": NotRequired[t.Held],
        "memory": NotRequired[t.HeldBytes],
        "ephemeral-storage": NotRequired[t.HeldBytes],
    },
)
Override = TypedDict(
    "Override",
    {
        "team": Required[t.Name],
        "queue": Required[t.Name],
        "pool": Required[t.Name],
        "add": Amounts,
        "set": Amounts,
        "from": Required[t.Date],
        "until": Required[t.Date],
        "reason": Required[t.Prose],
        "ticket": t.Line,
    },
    total=False,
)


class Quotas(TypedDict, total=False):
    cohorts: list[Cohort]
    teams: list[TeamQuota]
    overrides: list[Override]
