"""Kind `Environment`: one cluster."""

from typing import Any, Literal, Required

from generator.environment import types as t
from generator.environment.quotas import Share
from generator.environment.team import Subjects
from generator.shapes import TypedDict


class Cluster(TypedDict, total=False):
    server: t.Server


class Platform(TypedDict):
    openshift: t.Release
    openshiftAI: t.Release
    kueue: t.Release
    gitops: t.Release


class OperatorChoice(TypedDict, total=False):
    channel: t.Channel
    approval: Literal["Automatic", "Manual"]
    startingCSV: t.Csv
    source: t.ObjectName
    external: bool


class KueueChoice(TypedDict, total=False):
    preemptionPolicy: Literal["Classical", "FairSharing"]
    labelPolicy: Literal["QueueName", "None"]
    gangScheduling: Literal["None", "ByWorkload"]
    frameworks: list[t.Line]
    defaultQueue: dict[t.Name, Share]


class Repository(TypedDict, total=False):
    url: Required[t.Url]
    revision: t.Revision
    path: t.Folder


class PreflightJob(TypedDict, total=False):
    image: Required[t.ImageByDigest]
    namespace: t.Name


class ArgoCD(TypedDict, total=False):
    namespace: t.Name
    instance: t.Name
    account: t.Subject
    preflight: PreflightJob


class Guardrails(TypedDict, total=False):
    queues: t.Action
    localQueues: t.Action
    workloads: t.Action
    profiles: t.Action
    policies: dict[t.Name, t.Action]
    breakGlass: Subjects


class MigShape(TypedDict, total=False):
    compute: Required[t.Replicas]
    memory: Required[t.Replicas]
    max: Required[t.Replicas]
    starts: list[t.Nodes]


class AcceleratorModel(TypedDict, total=False):
    id: Required[t.Name]
    vendor: Required[Literal["nvidia", "amd", "intel"]]
    title: t.Line
    memoryGB: Required[t.Replicas]
    resource: t.LabelKey
    products: list[t.LabelValue]
    mig: dict[t.Slice, MigShape]
    migSlices: t.Replicas
    migMemorySlices: t.Replicas


class Environment(TypedDict, total=False):
    name: Required[t.Name]
    cluster: Cluster
    platform: Required[Platform]
    components: dict[str, dict[str, Any]]
    operators: dict[str, OperatorChoice]
    kueue: KueueChoice
    repository: Required[Repository]
    argocd: ArgoCD
    guardrails: Guardrails
    accelerators: list[AcceleratorModel]
    policyParameters: dict[str, t.Parameter]
