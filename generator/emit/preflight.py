"""A PreSync Job in the Applications that can do harm, and the account that it reads the cluster with.

Argo CD runs the PreSync hooks of all waves before it applies anything else of an Application, so a hook's account
cannot come from the same Application: it has one of its own, in the wave before all others. What the Job expects must
be that of the revision that is synced, so its ConfigMap is a hook as well, in an earlier wave than the Job.
Source: argo-cd gitops-engine/pkg/sync/sync_tasks.go (phase, then wave); docs/user-guide/resource_hooks.md.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from hashlib import sha256
from typing import Any

from generator.emit import expectation
from generator.emit.leaves import SETUP, Leaf
from generator.emit.marks import CONFIRM, labels, wave
from generator.emit.tenants import RBAC_API, RBAC_GROUP
from generator.finding import Finding, Layer, ObjectRef, error
from generator.frozen import replace
from generator.manifest import Manifest, manifest
from generator.plan.model import Plan, Preflight

ACCOUNT = "apportion-preflight"
GATED = ("operators", "queues/shared", "queues", "tenants", "profiles")
DEADLINE_S, READING_S = 300, 240
FILE = "expect.json"
MOST_BYTES = 2**20 - 2**12  # of a ConfigMap, names included; source: kubernetes pkg/apis/core/validation, MaxSecretSize
# What preflight reads, and no more. A test holds its requests against this.
READ: Sequence[tuple[str, Sequence[str]]] = (
    ("", ("namespaces", "nodes", "persistentvolumeclaims", "pods")),
    ("apps", ("deployments",)),
    ("datasciencecluster.opendatahub.io", ("datascienceclusters",)),
    ("infrastructure.opendatahub.io", ("hardwareprofiles",)),
    ("kubeflow.org", ("notebooks",)),
    (
        "kueue.x-k8s.io",
        ("clusterqueues", "cohorts", "localqueues", "resourceflavors", "topologies", "workloads"),
    ),
    ("operators.coreos.com", ("clusterserviceversions", "subscriptions")),
    ("serving.kserve.io", ("inferenceservices", "llminferenceservices")),
)
_LONGEST = 52  # so that names of pods, which get a suffix, stay labels


def gated(plan: Plan, synced: Sequence[Leaf]) -> list[Leaf]:
    """Return a folder with the check's account, then the others with the check in those that it gates.

    They stay as they are where nobody asks for it.
    """
    if plan.preflight is None:
        return list(synced)
    groups: dict[tuple[str, str | None], list[Leaf]] = {}
    for leaf in synced:
        groups.setdefault((leaf.layer, leaf.team), []).append(leaf)
    expected = {key: expectation.part(plan, *key, parts) for key, parts in groups.items() if key[0] in GATED}
    raw = (dict(plan.given.environment.get("argocd") or {}), plan.parameters)
    found = [Leaf(f"overlays/{plan.name}/{SETUP}", SETUP, list(_account(plan, plan.preflight)), (raw,))]
    for leaf in synced:
        text = expected.get((leaf.layer, leaf.team))
        hooks = list(_hooks(plan, plan.preflight, leaf, text)) if text is not None else []
        found.append(
            replace(leaf, manifests=[*leaf.manifests, *hooks], inputs=(*leaf.inputs, raw) if hooks else leaf.inputs)
        )
    return found


def too_large(plan: Plan, synced: Sequence[Leaf]) -> Iterator[Finding]:
    """Yield Applications of which a ConfigMap cannot hold what the Job expects."""
    for leaf in synced:
        for found in leaf.manifests:
            size = len(found.body["data"].get(FILE, "")) if found.kind == "ConfigMap" and leaf.layer in GATED else 0
            if size > MOST_BYTES:
                yield error(
                    "preflight-too-large",
                    f"what the preflight Job of {leaf.path} expects takes {size // 1024} KiB, and a ConfigMap holds "
                    f"{MOST_BYTES // 1024} KiB",
                    plan.origin,
                    "give the team fewer queues or pools, or leave argocd.preflight out and run the command in CI",
                    layer=Layer.SCHEMA,
                    object=ObjectRef(plan.name, "ConfigMap", found.name, found.namespace, "v1"),
                )


def _account(plan: Plan, preflight: Preflight) -> Iterator[Manifest]:
    marks, origin = labels(plan.name), plan.origin
    space = preflight.namespace
    restricted = {f"pod-security.kubernetes.io/{mode}": "restricted" for mode in ("enforce", "warn")}
    notes = {**CONFIRM, **wave(-5)}
    yield manifest("v1", "Namespace", space, labels={**marks, **restricted}, annotations=notes, origin=origin)
    yield manifest("v1", "ServiceAccount", ACCOUNT, namespace=space, labels=marks, origin=origin)
    name = f"{ACCOUNT}-{plan.name}"
    rules = [{"apiGroups": [api], "resources": list(names), "verbs": ["get", "list"]} for api, names in READ]
    yield manifest(RBAC_API, "ClusterRole", name, labels=marks, origin=origin, rules=rules)
    yield manifest(
        RBAC_API,
        "ClusterRoleBinding",
        name,
        labels=marks,
        origin=origin,
        roleRef={"apiGroup": RBAC_GROUP, "kind": "ClusterRole", "name": name},
        subjects=[{"kind": "ServiceAccount", "name": ACCOUNT, "namespace": space}],
    )


def _hooks(plan: Plan, preflight: Preflight, leaf: Leaf, expected: dict[str, Any]) -> Iterator[Manifest]:
    name = _name(leaf.path.removeprefix(f"overlays/{plan.name}/").replace("/", "-"))
    marks = labels(plan.name, leaf.team)
    made = partial(manifest, namespace=preflight.namespace, origin=plan.origin)
    data = {FILE: expectation.dumped(expected)}
    yield made("v1", "ConfigMap", name, labels=marks, annotations=_hook(-1), data=data)
    yield made("batch/v1", "Job", name, labels=marks, annotations=_hook(0), spec=_job(preflight, name))


def _name(folder: str) -> str:
    if len(folder) <= _LONGEST:
        return folder
    return f"{folder[: _LONGEST - 9].rstrip('-')}-{sha256(folder.encode()).hexdigest()[:8]}"


def _hook(number: int) -> dict[str, str]:
    return {
        "argocd.argoproj.io/hook": "PreSync",
        "argocd.argoproj.io/hook-delete-policy": "BeforeHookCreation",
        **wave(number),
    }


def _job(preflight: Preflight, name: str) -> dict[str, Any]:
    container = {
        "name": "preflight",
        "image": preflight.image,
        "command": ["apportion", "preflight"],
        "args": ["--expect", f"/etc/apportion/{FILE}", "--timeout", f"{READING_S}s"],
        "resources": {"requests": {"cpu": "100m", "memory": "256Mi"}, "limits": {"memory": "1Gi"}},
        "securityContext": {
            "allowPrivilegeEscalation": False,
            "capabilities": {"drop": ["ALL"]},
            "readOnlyRootFilesystem": True,
        },
        "volumeMounts": [
            {"name": "expected", "mountPath": "/etc/apportion", "readOnly": True},
            {"name": "tmp", "mountPath": "/tmp"},  # noqa: S108 - a volume of the container's own
        ],
    }
    pod = {
        "containers": [container],
        "restartPolicy": "Never",
        "securityContext": {"runAsNonRoot": True, "seccompProfile": {"type": "RuntimeDefault"}},
        "serviceAccountName": ACCOUNT,
        "volumes": [
            {"name": "expected", "configMap": {"name": name}},
            {"name": "tmp", "emptyDir": {"sizeLimit": "16Mi"}},
        ],
    }
    return {"activeDeadlineSeconds": DEADLINE_S, "backoffLimit": 0, "template": {"spec": pod}}
